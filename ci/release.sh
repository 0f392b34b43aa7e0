#!/usr/bin/env bash
# Builds and packs one release: an archive that runs anywhere on its system, and its SHA-256 checksum.
#
#   ci/release.sh TARGET [FOLDER]     FOLDER (default dist) gets warpdiff-TARGET.tar.gz and warpdiff-TARGET.tar.gz.sha256
#
#   x86_64-unknown-linux-gnu, aarch64-unknown-linux-gnu     with the driver library libwarpdiff_cuda.so; for glibc 2.17 (RHEL 7, Ubuntu 14.04) and newer
#   x86_64-unknown-linux-musl, aarch64-unknown-linux-musl   static, for any Linux; it cannot load a driver library, so it has no `cuda` target
#   aarch64-apple-darwin, x86_64-apple-darwin               built on macOS
#
# In the archive: bin/warpdiff, lib/ (gnu only), share/man/man1, share/completions, the licences, and the README. What is built is checked: the
# newest symbol of glibc that it needs, by ci/glibc-floor.sh; that a static program needs no library; the program itself, where it can run here.
#
# Environment: PROFILE (default release); ZIGBUILD, the folder of cargo-zigbuild and zig (default: where `ci/prepare.sh release` put them).
# Ends with 0; 1 if a build or check fails, 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 1 || $# == 2)) || fail "usage: ci/release.sh TARGET [FOLDER]"
target=$1
out=$(from_caller "${2:-dist}")
profile=${PROFILE:-release}
folder=${CARGO_TARGET_DIR:-target}/$target/$([[ $profile == dev ]] && echo debug || echo "$profile")
packages=(-p warpdiff)
build() { cargo zigbuild --locked --profile "$profile" --target "$1" "${packages[@]}"; }
# The newest glibc whose symbols may be needed: the oldest that Rust's standard library runs on.
glibc=2.17
PATH=$(realpath -m "${ZIGBUILD:-${CARGO_TARGET_DIR:-target}/release-tools}")/bin:$PATH

step "build for $target"
case $target in
    x86_64-unknown-linux-gnu | aarch64-unknown-linux-gnu)
        packages+=(-p warpdiff-libcuda)
        build "$target.$glibc" ;;
    x86_64-unknown-linux-musl | aarch64-unknown-linux-musl) build "$target" ;;
    aarch64-apple-darwin | x86_64-apple-darwin)
        [[ ${OSTYPE:-} == darwin* ]] || fail "$target is built on macOS: it needs Apple's linker and libraries"
        cargo build --locked --profile "$profile" --target "$target" "${packages[@]}" ;;
    *) fail "no release for $target; ci/release.sh says which there are" ;;
esac

step "check"
bad() { printf 'error: %s\n' "$*" >&2; exit 1; }
program=$folder/warpdiff
case $target in
    *-gnu) ci/glibc-floor.sh "$glibc" "$program" "$folder/libwarpdiff_cuda.so" || exit 1 ;;
    *-musl)
        needed=$(readelf -W --dynamic "$program" | grep -F '(NEEDED)' || true)
        [[ -z $needed ]] || bad "$program is not static: $needed"
        ! readelf -W --program-headers "$program" | grep -q INTERP || bad "$program is not static: it needs a loader"
        echo "$program needs no library" ;;
esac
# Whether programs of this target run here; an emulator of another processor may be registered with the kernel.
runs=1
"$program" --version >/dev/null 2>&1 || runs=0
host=$(rustc --print host-tuple 2>/dev/null || rustc -vV | sed -n 's/^host: //p')
if ((runs)); then
    "$program" --version
    CUDA_VISIBLE_DEVICES='' "$program" run 'suq/*' --against emulator
    case $target in
        *-gnu) "$program" run 'suq/*' --against "cuda@$folder/libwarpdiff_cuda.so" --no-golden ;;
        *-musl)
            status=0
            said=$("$program" run 'suq/*' --against "cuda@/lib/libcuda.so.1" 2>&1) || status=$?
            [[ $status == 4 && $said == *"statically linked"* ]] || bad "the cuda target ended with $status: $said" ;;
    esac
    manual=$program
elif [[ ${target%%-*} == "${host%%-*}" && ${target##*-} == "${host##*-}" ]]; then
    bad "$program does not run on this machine"
else
    echo "not run: programs for $target do not run here"
    # The manual is the same on every system.
    cargo build --locked --profile "$profile" -p warpdiff
    manual=${folder/"/$target"/}/warpdiff
fi

step "pack"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/warpdiff-$target
mkdir -p "$root/bin" "$root/share"
install -m 755 "$program" "$root/bin/warpdiff"
if [[ $target == *-gnu ]]; then
    mkdir -p "$root/lib"
    install -m 755 "$folder/libwarpdiff_cuda.so" "$root/lib/libwarpdiff_cuda.so"
fi
"$manual" export --manual "$work/manual" >/dev/null
mv "$work/manual/man" "$work/manual/completions" "$root/share/"
install -m 644 README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$root/"
mkdir -p "$out"
archive=warpdiff-$target.tar.gz
# The same files give the same archive: names in order, one owner, one time, no time in the gzip header.
if tar --version 2>/dev/null | grep -q GNU; then
    moment=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$moment" -cf - "warpdiff-$target" | gzip -n -9 > "$out/$archive"
else
    tar -C "$work" -cf - "warpdiff-$target" | gzip -n -9 > "$out/$archive"
fi
cd "$out"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi | tee "$archive.sha256"
ls -l "$archive"

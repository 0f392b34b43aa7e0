#!/usr/bin/env bash
# Builds the container image from a release archive, on a base that is pinned by digest.
#
#   ci/container.sh TAG [ARCHIVE]     such as ci/container.sh registry.example.com/warpdiff:0.1.0; ARCHIVE of ci/release.sh, with a gnu target
#                                     (default dist/warpdiff-x86_64-unknown-linux-gnu.tar.gz)
#
# The base is the one in ci/container/base. Where that line has no digest (`…@sha256:…`), the registry is asked for it; the digest is printed, is
# what the image is built on, and is kept in its label org.opencontainers.image.base.digest. Write it to ci/container/base to build on the same
# base again. With --print-base only the base is printed.
#
# Environment: ENGINE, docker or podman (default: the first that is there). Ends with 0; 1 if it cannot be built, 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 1 || $# == 2)) || fail "usage: ci/container.sh TAG [ARCHIVE]"
bad() { printf 'error: %s\n' "$*" >&2; exit 1; }
engine=${ENGINE:-$(command -v docker || command -v podman || true)}
[[ -n $engine ]] || bad "there is neither docker nor podman"

base=$(grep -v '^#' ci/container/base)
[[ $base =~ ^[a-z0-9./:_-]+(@sha256:[0-9a-f]{64})?$ ]] || fail "ci/container/base is no name of an image: $base"
if [[ $base != *@sha256:* ]]; then
    "$engine" pull --quiet "$base" >/dev/null || bad "cannot get $base"
    digest=$("$engine" image inspect --format '{{index .RepoDigests 0}}' "$base")
    [[ $digest == *@sha256:* ]] || bad "$base has no digest: $digest"
    base=$base@${digest##*@}
fi
echo "base: $base"
[[ $1 != --print-base ]] || exit 0

archive=$(from_caller "${2:-$caller/dist/warpdiff-x86_64-unknown-linux-gnu.tar.gz}")
[[ -f $archive && $archive == *-gnu.tar.gz ]] || fail "no archive of a gnu target: $archive (ci/release.sh makes it)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/warpdiff"
tar -C "$work/warpdiff" --strip-components=1 -xzf "$archive"
cp -R ci "$work/ci"
step "build $1"
"$engine" build --file ci/container/Containerfile --build-arg "BASE=$base" --tag "$1" \
    --label "org.opencontainers.image.base.name=${base%@*}" --label "org.opencontainers.image.base.digest=${base##*@}" \
    --label "org.opencontainers.image.licenses=MIT OR Apache-2.0" "$work"
step "try it"
"$engine" run --rm "$1" warpdiff run 'suq/*' --against "cuda@/opt/warpdiff/lib/libwarpdiff_cuda.so" --no-golden

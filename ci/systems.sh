#!/usr/bin/env bash
# Everything but the workers of CUDA devices compiles for macOS, for Windows, and as a static program for Linux (musl).
#
# The standard libraries of those targets come from rustup, once. Without them the step is skipped, visibly; with
# WARPDIFF_REQUIRE_SYSTEMS=1 it fails.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "systems"
for target in aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc x86_64-unknown-linux-musl; do
    library=$(rustc --print target-libdir --target "$target")
    if [[ ! -d $library ]] && ! { command -v rustup >/dev/null && timeout 300 rustup target add "$target"; }; then
        [[ ${WARPDIFF_REQUIRE_SYSTEMS:-} != 1 ]] || fail "no standard library for $target: \`rustup target add $target\` gets it"
        echo "skipped: no standard library for $target (rustup target add $target); it was not checked"
        continue
    fi
    echo "$target"
    packages=(--workspace)
    # A static program has no libraries beside it; and its allocator would need a C compiler for musl, which releases have (ci/release.sh).
    [[ $target != *-musl ]] || packages=(-p warpdiff --no-default-features)
    RUSTFLAGS="${RUSTFLAGS:-} -D warnings" cargo check "${packages[@]}" --locked --target "$target"
done

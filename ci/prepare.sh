#!/usr/bin/env bash
# Installs on a fresh runner what the other scripts need, and only what is missing.
#
#   ci/prepare.sh [checks|clients|night|release|rust]
#
#   rust     the stable toolchain
#   checks   for .ci/run: rustfmt and clippy; NVIDIA's bindings for Python, which drive our libcuda in a test; xmllint, npm
#   release  for ci/release.sh on Linux: the standard libraries of its targets, and cargo-zigbuild with zig, in target/release-tools
#   clients  for ci/clients.sh: Python packages that use the CUDA driver API, in target/clients
#   night    for ci/nightly.sh: a nightly toolchain, cargo-fuzz, zip, and what clients installs
#
# It needs rustup, and for other packages apt, as root or with sudo. What cannot be installed is said; the tests that need it are then skipped, visibly, or
# fail where their WARPDIFF_REQUIRE_… is set. Ends with 1 if there is no toolchain.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
command -v rustup >/dev/null || fail "rustup is missing: https://rustup.rs"
toolchain() {
    rustup toolchain install "$@" --profile minimal
}
# Packages of Debian and Ubuntu, for the commands that are missing.
packages() {
    local missing=()
    command -v xmllint >/dev/null || missing+=(libxml2-utils)
    command -v npm >/dev/null || missing+=(npm)
    command -v zip >/dev/null || missing+=(zip)
    python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
    python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
    ((${#missing[@]})) || return 0
    local sudo=()
    command -v sudo >/dev/null && sudo=(sudo)
    "${sudo[@]}" apt-get update -q || true
    "${sudo[@]}" apt-get install -q -y --no-install-recommends "${missing[@]}" || echo "not installed: ${missing[*]}"
}
clients() {
    local python=${CARGO_TARGET_DIR:-target}/clients
    packages
    [[ -x $python/bin/pip ]] || python3 -m venv "$python"
    # The versions that docs/libcuda.md speaks of: what a later one changes should not turn a night red.
    "$python/bin/python" -m pip install --quiet --disable-pip-version-check \
        "cuda-bindings==12.9.*" "numba-cuda==0.30.*" "nvidia-cuda-nvcc-cu12==12.9.*" "nvidia-cuda-runtime-cu12==12.9.*" "nvidia-cuda-nvrtc-cu12==12.9.*" \
        "tinygrad==0.14.*" numpy
}
case ${1:-rust} in
    rust) toolchain stable ;;
    checks)
        toolchain stable --component rustfmt,clippy
        packages
        python3 -c 'import cuda.bindings' 2>/dev/null ||
            python3 -m pip install --quiet --user --break-system-packages "cuda-bindings==12.9.*" ||
            echo "not installed: cuda-bindings" ;;
    night)
        toolchain stable
        toolchain nightly
        cargo +nightly fuzz --version >/dev/null 2>&1 || cargo install cargo-fuzz --locked
        clients || echo "not installed: clients of libcuda" ;;
    # Rust is as it was.
    clients)
        clients
        exit ;;
    release)
        toolchain stable
        rustup default stable
        if [[ ${OSTYPE:-} == linux* ]]; then
            rustup target add x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-musl
            packages
            tools=${CARGO_TARGET_DIR:-target}/release-tools
            [[ -x $tools/bin/cargo-zigbuild ]] || python3 -m venv "$tools"
            "$tools/bin/python" -m pip install --quiet --disable-pip-version-check "cargo-zigbuild==0.24.0" "ziglang==0.17.1"
        else
            rustup target add aarch64-apple-darwin x86_64-apple-darwin
        fi ;;
    *) fail "usage: ci/prepare.sh [checks|clients|night|release|rust], not $1" ;;
esac
rustup default stable

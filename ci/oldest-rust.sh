#!/usr/bin/env bash
# Everything compiles with the oldest Rust that Cargo.toml promises (`rust-version`). rustup installs that toolchain, unless it is there.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
[[ -n $version ]] || fail "Cargo.toml has no rust-version"
step "Rust $version"
cargo "+$version" --version 2>/dev/null || rustup toolchain install "$version" --profile minimal
cargo "+$version" check --workspace --all-targets --locked

#!/usr/bin/env bash
# No warnings, in libraries, binaries, tests, examples and benchmarks.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
need_component clippy clippy
step "lint"
cargo clippy --workspace --all-targets --locked -- -D warnings

#!/usr/bin/env bash
# The transcripts in the documentation are what the commands print.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
command -v python3 >/dev/null || fail "python3 is missing"
step "readme"
# The binary of the tests: after ci/test.sh there is nothing left to build.
cargo test --workspace --locked --no-run --quiet
python3 ci/readme.py --check "${CARGO_TARGET_DIR:-target}/debug/warpdiff"

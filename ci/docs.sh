#!/usr/bin/env bash
# The documentation builds without warnings: every link in it leads somewhere. The list of files in CONTRIBUTING.md is up to date.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
command -v python3 >/dev/null || fail "python3 is missing"
step "docs"
python3 ci/map.py --check
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

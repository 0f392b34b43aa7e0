#!/usr/bin/env bash
# The documentation builds without warnings: every link in it leads somewhere.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
step "docs"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

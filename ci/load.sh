#!/usr/bin/env bash
# The memory of a large run: 100,000 variants against four targets stay under 1 GiB, and results as JSON Lines add at most 64 MiB.
#
#   ci/load.sh     WARPDIFF: a binary built elsewhere (default: built here); VARIANTS (default 100000)
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
if [[ -z ${WARPDIFF:-} ]]; then
    cargo build --release --locked
    WARPDIFF=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi
step "load"
python3 ci/load.py "$WARPDIFF" "${VARIANTS:-100000}"

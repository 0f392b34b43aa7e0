#!/usr/bin/env bash
# How the cost of a run grows with its size (rows, variants, threads, blocks, registers, bytes of a surface, mismatches), over three decades each.
#
#   ci/growth.sh [OPTION]…     WARPDIFF: a binary built elsewhere (default: built here); options of ci/growth.py: --runs, --only, --decades
#
# Prints the table of docs/performance.md. Ends with 1 if a cost grows faster than n log n, 2 for wrong usage or if a run failed.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
command -v python3 >/dev/null || fail "python3 is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
find_warpdiff "$work"
step "growth"
code=0
python3 ci/growth.py "$warpdiff" "$@" || code=$?
exit "$code"

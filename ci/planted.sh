#!/usr/bin/env bash
# Each deviation that generated programs show, planted in the emulator: is it found, reduced and kept, without a hand on the keyboard?
#
#   ci/planted.sh [OPTION]… [ID]…     WARPDIFF: a binary built elsewhere (default: built here); options of ci/planted.py
#
#   ci/planted.sh --rotating 20 --seeds 5                              what the night runs: twenty, others each day
#   ci/planted.sh --table target/planted.tsv --page docs/planted.md    all of them, some ten minutes; renews the table of the documentation
#
# With --table it goes on where it was killed. Ends with 1 if one is not found, or has a case that does not fail on the deviation or does not
# pass without, or if more than half of the reduced programs have more than 5 instructions beside loads and stores; 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
command -v python3 >/dev/null || fail "python3 is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
find_warpdiff "$work"
step "planted deviations"
code=0
python3 ci/planted.py "$(realpath "$warpdiff")" "$@" || code=$?
exit "$code"

#!/usr/bin/env bash
# Compares the speed of two binaries: both run a list of commands in turn, and the ratios of their times are shown with an interval.
#
#   ci/speed.sh OLD NEW [OPTION]…     each a binary, or an archive of ci/release.sh; options of ci/speed.py: --pairs, --only, --slower, --corpus, --list
#
# The interval holds the true ratio with the probability stated, whatever else the machine does; only a difference that is certain is called one.
# Ends with 1 if NEW is slower by more than --slower (1.25) for certain, or fails where OLD does not; with 2 for wrong usage, or if nothing could
# be compared. docs/performance.md says how to read the table.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
command -v python3 >/dev/null || fail "python3 is missing"
if [[ " $* " == *" --list "* ]]; then exec python3 ci/speed.py --list; fi
(($# >= 2)) || fail "usage: ci/speed.sh OLD NEW [OPTION]…"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
binaries=()
for number in 1 2; do
    WARPDIFF=$(from_caller "$1")
    shift
    find_warpdiff "$work/$number"
    binaries+=("$warpdiff")
done
step "speed"
code=0
python3 ci/speed.py "${binaries[@]}" "$@" || code=$?
exit "$code"

#!/usr/bin/env bash
# An hour of generated programs on a device: rounds of PTX and SPA 5.0, with inputs that are loaded and inputs that are constants, until the time
# is over.
#
#   ci/fuzz-hour.sh [FOLDER]     default fuzz-hour, which is new or empty; findings, as case files, go to FOLDER/findings
#
# Environment:
#   WARPDIFF  a binary, or an archive of ci/release.sh (default: built here)
#   TARGET    the device (default cuda)
#   MINUTES   when to begin no more rounds (default 60)
#   PROGRAMS  programs in a round (default 2000)
#   SEED      seed of the first round; each round takes the next (default: the date as a number, 20261122000)
#
# It ends with the most urgent exit code of the rounds (README.md, "Exit codes"): 1 if a program showed a difference; 7 after a signal.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# <= 1)) || fail "usage: ci/fuzz-hour.sh [FOLDER]"
out=$(from_caller "${1:-fuzz-hour}")
minutes=${MINUTES:-60} programs=${PROGRAMS:-2000} seed=${SEED:-$(date -u +%Y%m%d)000}
is_number MINUTES "$minutes"
is_number PROGRAMS "$programs"
[[ $seed =~ ^[0-9]{1,18}$ ]] || fail "SEED is a number, not \`$seed\`"
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
mkdir -p "$out"
[[ -z $(ls -A "$out") ]] || fail "$out is not empty"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"
pass_signals_on
rounds=0 kinds=(ptx:loaded ptx:immediate ptx:mixed spa:loaded)
while [[ -z $stopped ]] && ((SECONDS < minutes * 60)); do
    kind=${kinds[rounds % ${#kinds[@]}]}
    step "round $((rounds + 1)): ${kind%%:*}, inputs ${kind##*:}, seed $((seed + rounds))"
    options=(--against "${TARGET:-cuda}" --dialect "${kind%%:*}" --seed "$((seed + rounds))" --count "$programs" --out "$out/findings")
    [[ $kind == spa:* ]] || options+=(--inputs "${kind##*:}")
    fuzz() { exec "$warpdiff" fuzz "${options[@]}" 2>&1; }
    await fuzz > >(log "$out/report.txt")
    count "$status"
    rounds=$((rounds + 1))
    # Nothing was compared: no device, a target that broke down, wrong usage. It would be the same every time.
    if [[ -z $stopped && $status != [01] ]]; then echo "no more rounds: exit $status"; break; fi
done
[[ -z $stopped ]] || count 7
step "$rounds rounds of $programs programs: exit $code; left in $out"
ls -l "$out"
exit "$code"

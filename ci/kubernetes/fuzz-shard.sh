#!/usr/bin/env bash
# What a pod of ci/kubernetes/fuzz.yaml runs: the programs of its index. A try that begins again finds what an earlier one left, and adds to it.
#
# Environment:
#   JOB_COMPLETION_INDEX  from 0 on, which Kubernetes sets
#   CAMPAIGN              the folder of the campaign: findings, as case files, go to CAMPAIGN/found-INDEX, what was printed to report-INDEX.txt
#   SEED                  seed of all programs, a number
#   PROGRAMS              programs of each index: those of index N begin with number N × PROGRAMS
#   WARPDIFF              a binary, or an archive of ci/release.sh (default: built here)
#   TARGET                the device (default cuda)
#   MINUTES               when to begin no more programs (default 120)
#
# It ends as `warpdiff fuzz` does (README.md, "Exit codes"): 1 if a program showed a difference. Wrong settings end with 2.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/../strict.sh"
source ci/codes.sh
index=${JOB_COMPLETION_INDEX:-}
[[ $index =~ ^[0-9]{1,5}$ ]] || fail "JOB_COMPLETION_INDEX is not set: this runs in a pod of an Indexed Job"
[[ -n ${CAMPAIGN:-} ]] || fail "CAMPAIGN is not set: the folder of the campaign"
# The manifest as it stands: every campaign would have the same folder.
[[ $CAMPAIGN != *DATE* ]] || fail "CAMPAIGN has DATE in it: put the date of the campaign there (ci/kubernetes/fuzz.yaml)"
[[ ${SEED:-} =~ ^[0-9]{1,18}$ ]] || fail "SEED is a number, not \`${SEED:-}\`"
is_number PROGRAMS "${PROGRAMS:-}"
is_number MINUTES "${MINUTES:=120}"
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
campaign=$(from_caller "$CAMPAIGN")
mkdir -p "$campaign"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"
pass_signals_on
step "programs $((10#$index * PROGRAMS)) to $(((10#$index + 1) * PROGRAMS - 1)) of seed $SEED"
fuzz() {
    exec "$warpdiff" fuzz --against "${TARGET:-cuda}" --seed "$SEED" --first "$((10#$index * PROGRAMS))" --count "$PROGRAMS" --time "${MINUTES}m" \
        --out "$campaign/found-$index" 2>&1
}
await fuzz > >(log "$campaign/report-$index.txt")
exit "$status"

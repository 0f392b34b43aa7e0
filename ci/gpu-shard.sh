#!/usr/bin/env bash
# One shard of a night: judges its part of the corpus on a device, and keeps results, JUnit, page and recording.
#
#   ci/gpu-shard.sh NUMBER OF [FOLDER]     the third of eight: ci/gpu-shard.sh 3 8; FOLDER (default gpu-results/shard-NUMBER-of-OF) is new or empty
#
# In FOLDER: results.jsonl, junit.xml, report.html, report.txt, recording/, doctor.txt. They are there however the script ends. The recording
# is made of the answers that the run got: nothing runs twice. ci/gpu-merge.sh joins the shards.
#
# Environment:
#   WARPDIFF      a binary, or an archive of ci/release.sh (default: built here)
#   TARGET        the device (default cuda; `cuda:1`, `cuda@/path/libcuda.so`)
#   EXPECTATIONS  file or folder (default ci/expectations; empty: none)
#   DURATIONS     results of an earlier night, by which the shards are balanced; not used where the file does not exist. The same for all shards
#   RECORDED      recording to compare with (default: the newest of this device under golden/devices)
#   MINUTES       time limit of the run: what is left then is named, and the run ends with 5 at least (default: none)
#   FILTER        a pattern over the ids of variants, to try something out (default: the whole corpus)
#   FAULT_BUDGET  launches that may fault, in this shard (default 300 on hardware; if there are more, the shard ends with 5)
#
# It ends with the most urgent exit code of its steps (README.md, "Exit codes"). SIGINT and SIGTERM end the run, whose report of what was
# judged is still written: 7. Settings of the card stay as they are, and under MPS launches that may fault are not run.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 2 || $# == 3)) || fail "usage: ci/gpu-shard.sh NUMBER OF [FOLDER]"
is_number NUMBER "$1"
is_number OF "$2"
(($1 <= $2)) || fail "there is no shard $1 of $2"
out=$(from_caller "${3:-gpu-results/shard-$1-of-$2}")
target=${TARGET:-cuda}
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
options=()
if [[ -n ${EXPECTATIONS-ci/expectations} ]]; then
    expectations=$(from_caller "${EXPECTATIONS:-$PWD/ci/expectations}")
    [[ -e $expectations ]] || fail "there are no expectations: $expectations"
    options+=(--expectations "$expectations")
fi
[[ -z ${MINUTES:-} ]] || is_number MINUTES "$MINUTES"
mkdir -p "$out"
# Older files would pass for results of this night.
[[ -z $(ls -A "$out") ]] || fail "$out is not empty"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"

durations=()
if [[ -n ${DURATIONS:-} && -s $(from_caller "$DURATIONS") ]]; then
    durations=(--durations "$(from_caller "$DURATIONS")")
    echo "balanced by the durations in $DURATIONS"
else
    echo "no durations of an earlier night: variants go where their ids say"
fi
[[ -z ${RECORDED:-} ]] || options+=(--recorded "$(from_caller "$RECORDED")")
[[ -z ${MINUTES:-} ]] || options+=(--max-time "$((MINUTES * 60))")
[[ -z ${FAULT_BUDGET:-} ]] || options+=(--fault-budget "$FAULT_BUDGET")
part=(${FILTER:+"$FILTER"} --shard "$1/$2" "${durations[@]}" --resume "$work/answers")
# The summary and the annotations of the workflow come from the merge; otherwise everything would be there twice.
(($2 == 1)) || unset GITHUB_STEP_SUMMARY GITHUB_ACTIONS

step "doctor"
"$warpdiff" doctor 2>&1 | tee "$out/doctor.txt" || count 4

pass_signals_on
step "run $1/$2 on $target"
judge() {
    exec "$warpdiff" run --against "$target" --no-golden "${part[@]}" "${options[@]}" \
        --results "$out/results.jsonl" --junit "$out/junit.xml" --html "$out/report.html" 2>&1
}
await judge > >(log "$out/report.txt")
echo "run: exit $status"
count "$status"

step "recording"
if [[ -n $stopped ]]; then
    echo "left out: stopped by $stopped"
elif [[ ! -s $work/answers ]]; then
    echo "left out: the target answered nothing"
else
    await "$warpdiff" record --against "$target" --only-kept "${part[@]}" -o "$out/recording"
    echo "record: exit $status"
    count "$status"
fi
[[ -z $stopped ]] || count 7

step "shard $1/$2: exit $code; left in $out"
ls -l "$out"
exit "$code"

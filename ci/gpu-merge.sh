#!/usr/bin/env bash
# Joins the shards of a night on one device, as ci/gpu-shard.sh left them, and proves that every variant ran exactly once.
#
#   ci/gpu-merge.sh FOLDER [OUT]     all shards below FOLDER; OUT (default FOLDER/night) is new or empty
#
# In OUT: results.jsonl (the next night's DURATIONS, and what `warpdiff expect --from` reads), junit.xml, report.txt, recording/.
# In GitHub Actions the summary of the step and an annotation for each cause come from here.
#
# Environment: WARPDIFF, a binary or an archive of ci/release.sh (default: built here); SHARDS, how many there should be (default: what the
# shards say of themselves, which names a missing one only if another is there).
#
# It ends with the most urgent exit code of all shards (README.md, "Exit codes"); 4 where a shard is missing, is there twice, or was killed.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 1 || $# == 2)) || fail "usage: ci/gpu-merge.sh FOLDER [OUT]"
folder=$(from_caller "$1")
out=$(from_caller "${2:-$1/night}")
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
[[ -d $folder ]] || fail "there is no folder $folder"
mkdir -p "$out"
[[ -z $(ls -A "$out") ]] || fail "$out is not empty"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"

# Only what is below `folder` and not what is joined already.
mapfile -t results < <(find "$folder" -path "$out" -prune -o -type f -name results.jsonl -print | sort -V)
mapfile -t recordings < <(find "$folder" -path "$out" -prune -o -type d -name recording -print | sort -V)
pass_signals_on

step "join ${#results[@]} shards"
if [[ -n ${SHARDS:-} && $SHARDS != "${#results[@]}" ]]; then
    echo "$SHARDS shards ran, and ${#results[@]} left results"
    count 4
fi
if ((${#results[@]})); then
    join() { exec "$warpdiff" merge "${results[@]}" --results "$out/results.jsonl" --junit "$out/junit.xml"; }
    await join > >(log "$out/report.txt")
    echo "merge: exit $status"
    count "$status"
else
    echo "no shard left results" | tee "$out/report.txt"
    [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || echo "**No shard left results.**" >> "$GITHUB_STEP_SUMMARY"
    count 4
fi

step "join ${#recordings[@]} recordings"
if ((${#recordings[@]})); then
    await "$warpdiff" merge "${recordings[@]}" --recording "$out/recording"
    echo "merge: exit $status"
    count "$status"
else
    echo "no shard left a recording"
fi
[[ -z $stopped ]] || count 7

step "night: exit $code; left in $out"
ls -l "$out"
exit "$code"

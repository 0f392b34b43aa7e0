#!/usr/bin/env bash
# A whole night on this machine: all shards one after the other, then their merge. For a single runner, for cron, and to try it out.
#
#   ci/gpu-night.sh [SHARDS] [FOLDER]     default: one shard, folder gpu-results, which is new or empty
#
# The results of the night are in FOLDER/night. Environment: as for ci/gpu-shard.sh; with PREVIOUS, the FOLDER of an earlier night, the
# shards are balanced by its durations. It ends with the most urgent exit code of its steps (README.md, "Exit codes").
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# <= 2)) || fail "usage: ci/gpu-night.sh [SHARDS] [FOLDER]"
shards=${1:-1}
is_number SHARDS "$shards"
out=$(from_caller "${2:-gpu-results}")
for name in WARPDIFF EXPECTATIONS DURATIONS RECORDED; do
    [[ -z ${!name:-} ]] || export "$name=$(from_caller "${!name}")"
done
[[ -z ${PREVIOUS:-} ]] || DURATIONS=$(from_caller "$PREVIOUS")/night/results.jsonl
export DURATIONS=${DURATIONS:-}
mkdir -p "$out"
[[ -z $(ls -A "$out") ]] || fail "$out is not empty"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"
export WARPDIFF=$warpdiff
pass_signals_on
for ((number = 1; number <= shards && ${#stopped} == 0; number++)); do
    await ci/gpu-shard.sh "$number" "$shards" "$out/shard-$number-of-$shards"
    count "$status"
done
# What a signal left is joined as well: the merge names what is missing.
await ci/gpu-merge.sh "$out" "$out/night"
count "$status"
[[ -z $stopped ]] || count 7
exit "$code"

#!/usr/bin/env bash
# Keeps the results of a night for the balance of the next one's shards.
#
#   ci/gpu-durations.sh NIGHTS DURATIONS     NIGHTS/night.NAME/results.jsonl, as ci/gpu-merge.sh left them, go to DURATIONS/NAME.jsonl
#
# Where a night left no results, or they have no summary at their end, the earlier file stays. Ends with 0; 2 for wrong usage.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# == 2)) || fail "usage: ci/gpu-durations.sh NIGHTS DURATIONS"
nights=$(from_caller "$1") durations=$(from_caller "$2")
mkdir -p "$durations"
shopt -s nullglob
for results in "$nights"/night.*/results.jsonl; do
    name=$(basename "$(dirname "$results")")
    if [[ $(tail -n 1 "$results") == '{"line":"summary"'* ]]; then
        cp "$results" "$durations/${name#night.}.jsonl"
        echo "${name#night.}: kept"
    else
        echo "${name#night.}: the results are not whole; the earlier durations stay"
    fi
done
ls -l "$durations"

#!/usr/bin/env bash
# What a pod of ci/kubernetes/judge.yaml runs: the shard of its index. What an earlier try of this index left is moved aside, so that the merge
# finds each shard once.
#
# Environment: JOB_COMPLETION_INDEX, from 0 on, which Kubernetes sets; SHARDS, how many there are; NIGHT, the folder of the night, which gets
# shards/ and earlier/; the rest as for ci/gpu-shard.sh, whose exit code it ends with. Wrong settings end with 2.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/../strict.sh"
source ci/codes.sh
[[ ${JOB_COMPLETION_INDEX:-} =~ ^[0-9]{1,5}$ ]] || fail "JOB_COMPLETION_INDEX is not set: this runs in a pod of an Indexed Job"
[[ -n ${NIGHT:-} ]] || fail "NIGHT is not set: the folder of the night"
# The manifest as it stands: every night would have the same folder, and shards of an earlier one in it.
[[ $NIGHT != *DATE* ]] || fail "NIGHT has DATE in it: put the date of the night there (ci/kubernetes/judge.yaml)"
is_number SHARDS "${SHARDS:-}"
number=$((JOB_COMPLETION_INDEX + 1))
folder=$(from_caller "$NIGHT")/shards/$number
if [[ -d $folder ]]; then
    aside=$(from_caller "$NIGHT")/earlier/$number-$(date -u +%Y%m%dT%H%M%SZ)-$$
    mkdir -p "$(dirname "$aside")"
    mv "$folder" "$aside"
    echo "an earlier try is in $aside"
fi
mkdir -p "$(dirname "$folder")"
exec ci/gpu-shard.sh "$number" "$SHARDS" "$folder"

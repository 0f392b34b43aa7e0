#!/usr/bin/env bash
# What runs on a machine with a GPU, ordered by worth, within 8 minutes: what the machine has, what the device chooses where the
# specification leaves a choice, the corpus at JIT levels 0 and 4, and recordings of both.
#
#   ci/gpu.sh [FOLDER]     report and recordings go to FOLDER (default gpu-report); what did not fit into the time is named
#
# Environment: WARPDIFF, a binary built elsewhere (default: built here); TARGET, the device (default cuda; `cuda:1`, `cuda@/path/libcuda.so`).
# Do not run this under MPS: one case that faults takes every client of the device down.
set -euo pipefail
out=$(realpath -m "${1:-gpu-report}")
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
target=${TARGET:-cuda}
[[ $target =~ ^cuda(:[0-9]+)?(@.*)?$ ]] || fail "TARGET is cuda, cuda:ORDINAL or either with @LIBRARY, not $target"
ordinal=${BASH_REMATCH[1]:-} library=${BASH_REMATCH[2]:-}
deadline=$((SECONDS + 480))

if [[ -z ${WARPDIFF:-} ]]; then
    cargo build --release --locked
    WARPDIFF=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi
mkdir -p "$out"

# at LEVEL: the target at that JIT level.
at() { printf 'cuda%s+O%s%s' "$ordinal" "$1" "$library"; }

failed=()
# attempt NAME COMMAND…: runs it with the time that is left; its output goes to FOLDER/NAME.txt.
attempt() {
    local name=$1 left=$((deadline - SECONDS)) status=0
    shift
    step "$name"
    if ((left <= 0)); then echo "left out: no time"; failed+=("$name: left out"); return; fi
    timeout "$left" "$@" >"$out/$name.txt" 2>&1 || status=$?
    tail -n 12 "$out/$name.txt"
    ((status == 0)) || failed+=("$name: exit $status")
}

attempt doctor "$WARPDIFF" doctor
attempt characterize "$WARPDIFF" characterize --against "$(at 4)" -o "$out/characterize.yaml"
attempt corpus-O4 "$WARPDIFF" run --against "$(at 4)"
attempt corpus-O0 "$WARPDIFF" run --against "$(at 0)"
for level in 4 0; do
    folder=$(mktemp -d)
    attempt "record-O$level" "$WARPDIFF" record --against "$(at $level)" -o "$folder/recording"
    if [[ -d $folder/recording ]]; then tar -C "$folder" -czf "$out/recording-O$level.tar.gz" recording; fi
    rm -rf "$folder"
done

step "left in $out"
ls -l "$out"
if ((${#failed[@]})); then
    printf '%s\n' "${failed[@]}"
    exit 1
fi

#!/usr/bin/env bash
# Steps for a machine with a GPU, the most valuable first, within 8 minutes: doctor, the device's choices and answers to the experiments, one
# variant of every case, the experiments and the rest of the corpus at JIT levels 4 and 0, and probes. Steps without time are listed as left
# out.
#
#   ci/gpu.sh [FOLDER]     at most 8 files, each under 16 MiB, go to FOLDER (default gpu-report)
#
# It needs this repository (for the corpus); if WARPDIFF names a binary, it needs neither cargo nor a toolchain. The output of a step is in
# FOLDER when the step ends. After a signal the script starts no further step, writes its report and ends with 4.
#
# It ends with the most urgent exit code of its steps, by the table "Exit codes" in README.md: 1 if the device violates the specification,
# 3 if it drifted, 4 if a step did not run to its end, 5 if nothing is wrong but not everything was judged.
#
# Environment: WARPDIFF, a binary built elsewhere, or an archive of ci/release.sh (default: built here); TARGET, the device (default cuda; `cuda:1`, `cuda@/path/libcuda.so`);
# MINUTES, its time limit (default 8). Do not run this under MPS: one case that faults ends every client of the device.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
out=$(from_caller "${1:-gpu-report}")
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
target=${TARGET:-cuda}
[[ $target =~ ^cuda(:[0-9]+)?(@.*)?$ ]] || fail "TARGET is cuda, cuda:ORDINAL or either with @LIBRARY, not $target"
ordinal=${BASH_REMATCH[1]:-} library=${BASH_REMATCH[2]:-}
[[ ${MINUTES:-8} =~ ^[1-9][0-9]*$ ]] || fail "MINUTES is a number of minutes, not $MINUTES"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"
WARPDIFF=$warpdiff
[[ -f cases/requirements.yaml ]] || fail "no corpus in $PWD/cases: run this script in a checkout of the repository"
mkdir -p "$out"
# Older files would pass for results of this device.
[[ -z $(ls -A "$out") ]] || fail "$out is not empty"
ended=''
# An early end for another reason is not a code of a step.
trap 'rm -rf "$work"; [[ -n $ended ]] || exit 4' EXIT
stopped='' running=''
# stop SIGNAL: ends the step that runs.
stop() {
    stopped=$1
    [[ -z $running ]] || kill "$running" 2>/dev/null || true
}
# shellcheck disable=SC2064 # the signal of this round
for signal in TERM INT HUP; do trap "stop SIG$signal" "$signal"; done
# Some seconds are kept for the report, which needs no device.
deadline=$((SECONDS + ${MINUTES:-8} * 60 - 45))

# at LEVEL: the target at that JIT level.
at() { printf 'cuda%s+O%s%s' "$ordinal" "$1" "$library"; }

said=()
# attempt NAME SECONDS COMMAND…: runs a command with a time limit, within the remaining time. Its output goes to a log.
attempt() {
    local name=$1 limit=$2 left=$((deadline - SECONDS)) status=0 begun=$SECONDS
    shift 2
    step "$name"
    ((left < limit)) && limit=$left
    if [[ -n $stopped ]]; then said+=("$name: left out, stopped by $stopped"); echo "left out, stopped by $stopped"; return; fi
    if ((limit <= 5)); then said+=("$name: left out, no time left"); echo "left out, no time left"; count 5; return; fi
    # A command with a limit of its own ends in time; any other is stopped.
    timeout --kill-after=5 "$((limit + 20))" "${@//SECONDS_LEFT/$limit}" >"$work/$name.log" 2>&1 &
    running=$!
    # A signal ends `wait`, but not the command at once.
    while status=0; wait "$running" || status=$?; kill -0 "$running" 2>/dev/null; do :; done
    running=''
    tail -n 8 "$work/$name.log"
    said+=("$name: exit $status after $((SECONDS - begun)) s")
    count "$status"
    keep_steps
}

# Writes the steps so far and their logs to the folder, so that they outlive the script, however it ends.
keep_steps() {
    local log
    {
        printf '%s\n' "warpdiff on $target, $(date -u +%FT%TZ)" "" "${said[@]}"
        for log in "$work"/*.log; do
            [[ -f $log ]] || continue
            printf '\n== %s\n' "$(basename "$log" .log)"
            tail -c 20000 "$log"
        done
    } >"$out/steps.txt"
}

# keep LEVEL NAME SECONDS FILTER…: adds to the recording at that level.
keep() {
    local level=$1 name=$2 limit=$3
    shift 3
    attempt "$name-O$level" "$limit" "$WARPDIFF" record --continue --against "$(at "$level")" -o "$work/recording-O$level" \
        --within SECONDS_LEFT "$@"
    [[ -d $work/recording-O$level ]] || return 0
    tar -C "$work" -czf "$work/packed" "recording-O$level"
    mv "$work/packed" "$out/recording-O$level.tar.gz"
}

attempt doctor 30 "$WARPDIFF" doctor
attempt characterize 60 "$WARPDIFF" characterize experiments/ --against "$(at 4)" -o "$out/characterize.yaml"
keep 4 sample 60 --sample
keep 0 sample 60 --sample
keep 4 experiments 45 experiments/
keep 0 experiments 45 experiments/
attempt probes 60 "$WARPDIFF" probe --against "$(at 4)" -o "$out/probes.yaml" --time-limit 15
keep 4 rest 150
keep 0 rest 150

step "report"
replayed=()
for level in 4 0; do
    [[ -d $work/recording-O$level ]] || { said+=("no recording at O$level"); count 4; continue; }
    replayed+=(--against "recording:$work/recording-O$level")
done
if ((${#replayed[@]})); then
    status=0
    left=$((deadline + 45 - SECONDS))
    timeout "$((left < 30 ? 30 : left))" "$WARPDIFF" run --no-golden --html "$out/report.html" "${replayed[@]}" >"$out/report.txt" 2>&1 || status=$?
    said+=("report: exit $status")
    count "$status"
    tail -n 25 "$out/report.txt"
fi
[[ -z $stopped ]] || count 4

# The service that collects the folder takes few and small files.
large=$(find "$out" -type f -size +16383k)
[[ -z $large ]] || { said+=("larger than 16 MiB: $large"); count 4; }
(($(find "$out" -type f | wc -l) <= 8)) || { said+=("more than 8 files"); count 4; }
said+=("all: exit $code")
keep_steps

step "left in $out"
printf '%s\n' "${said[@]}"
ls -l "$out"
ended=1
exit "$code"

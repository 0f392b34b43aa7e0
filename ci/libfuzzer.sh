#!/usr/bin/env bash
# The libFuzzer targets, built as OSS-Fuzz and ClusterFuzzLite build them (.clusterfuzzlite/build.sh, by the variables that they document), each run for a
# while from its seeds with its dictionary, and what they executed. Half of the time goes to inputs of at most 512 bytes, of which several times as many run;
# a cubin of that size has no code, so that this target gets all of its time whole.
#
#   ci/libfuzzer.sh [TARGET]…     default: all of fuzz/fuzz_targets
#
# Environment:
#   FUZZ_SECONDS   seconds for each target, both halves together (default 360: an hour for all ten)
#   FUZZ_FOLDER    what it finds, so that a later call goes on: new inputs in TARGET/, those that fail in failures/ (default fuzz/artifacts/new; inputs worth
#                  keeping are moved to fuzz/corpus by hand)
#   SANITIZER      address (default) or none
#   TRACE_COMPARES no: inputs are not led to the values that programs compare with; twice as many executions a second (default: yes)
#
# It needs a nightly toolchain and cargo-fuzz (ci/prepare.sh night), and ends with 0 where they are missing, visibly. Ends with 4 if the targets cannot be
# built, or one fails: a panic, more than 1 GiB of memory or an input that takes more than five seconds; 7 after a signal.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
if ! cargo +nightly fuzz --version >/dev/null 2>&1 || ! command -v zip >/dev/null; then
    echo "skipped: libFuzzer needs a nightly toolchain, cargo-fuzz and zip (ci/prepare.sh night)"
    exit 0
fi
seconds=${FUZZ_SECONDS:-360}
is_number FUZZ_SECONDS "$seconds"
kept=$(from_caller "${FUZZ_FOLDER:-$PWD/fuzz/artifacts/new}")
names=("$@")
if ((!$#)); then
    for source in fuzz/fuzz_targets/*.rs; do names+=("$(basename "$source" .rs)"); done
fi
for name in "${names[@]}"; do
    [[ -f fuzz/fuzz_targets/$name.rs ]] || fail "there is no target \`$name\` in fuzz/fuzz_targets"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pass_signals_on
step "build"
mkdir -p "$work/src" "$work/out" "${CARGO_TARGET_DIR:-target}/libfuzzer"
ln -s "$PWD" "$work/src/warpdiff"
export SRC=$work/src OUT=$work/out SANITIZER=${SANITIZER:-address} FUZZING_ENGINE=libfuzzer RUSTUP_TOOLCHAIN=nightly
WORK=$(realpath "${CARGO_TARGET_DIR:-target}/libfuzzer")
export WORK
await bash .clusterfuzzlite/build.sh
[[ -z $stopped ]] || exit 7
((status == 0)) || { echo "the targets cannot be built"; exit 4; }
mkdir -p "$kept/failures"
# fuzz NAME SECONDS OPTION…: one run of a target, and how many inputs it executed in $executed.
fuzz() {
    local name=$1 seconds=$2 words=()
    shift 2
    [[ ! -f $OUT/$name.dict ]] || words=("-dict=$OUT/$name.dict")
    # libFuzzer weighs inputs by how rare their features are, which takes longer than to run these targets, because each input of theirs has thousands.
    [[ $name != @(specimen|case_file) ]] || words+=(-entropic=0)
    await "$OUT/$name" "$kept/$name" "$work/seeds/$name" "-artifact_prefix=$kept/failures/$name-" -print_final_stats=1 \
        -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=5 "${words[@]}" "$@" 2> "$work/said"
    # Each new input is a line: the last of them say how it ended.
    tail -n 60 "$work/said"
    executed=$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/said" | tail -1)
    ((status == 0)) || count 4
}
table=()
for name in "${names[@]}"; do
    [[ -z $stopped ]] || break
    step "$name, $seconds s"
    mkdir -p "$kept/$name" "$work/seeds/$name"
    python3 -m zipfile -e "$OUT/${name}_seed_corpus.zip" "$work/seeds/$name"
    short=$((seconds / 2))
    [[ $name != cubin ]] || short=0
    fuzz "$name" $((seconds - short))
    whole=${executed:-unknown} ended=$status executed=0
    if ((short)) && [[ -z $stopped ]]; then
        fuzz "$name" "$short" -max_len=512
        ((status == 0)) || ended=$status
    fi
    inputs=$(find "$kept/$name" -type f | wc -l)
    table+=("$(printf '%-14s %12s %12s %9s  exit %s' "$name" "$whole" "${executed:-unknown}" "$inputs" "$ended")")
done
[[ -z $stopped ]] || count 7
step "executions: of inputs of any length, of short ones; new inputs kept"
printf '%s\n' "${table[@]}"
exit "$code"

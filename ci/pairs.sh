#!/usr/bin/env bash
# Pairs of implementations that need no device: generated programs on our libcuda against the reference, those of SPA 5.0 as words against their text, and
# as PTX; the witness model of Kepler's surface code on drawn accesses; printers against parsers.
#
# Environment:
#   WARPDIFF        a binary (default: built here)
#   PAIR_PROGRAMS   programs for each pair (default 5000)
#   PAIR_SEED       their seed (default: the day of the year)
#   PROPTEST_RNG_SEED  the draw of the tests (default: the time)
#
# All pairs run; it ends with the most urgent exit code (README.md, "Exit codes"), where a test that fails counts as 4. The other pairs of the night have
# scripts of their own: ci/compiled.sh (PTX against machine code at every level), ci/near-valid.sh (front end against ptxas); `layout --random` (layout against the
# bytes that ptxas emits) and `fuzz --against emulator` (the engine that tracks undefined bits against the one that does not) are steps of ci/nightly.sh.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=${PAIR_PROGRAMS:-5000} seed=${PAIR_SEED:-$(date +%-j)}
is_number PAIR_PROGRAMS "$programs"
is_number PAIR_SEED "$seed"
find_warpdiff "$work"
pass_signals_on
# pair NAME COMMAND…
pair() {
    step "$1"
    shift
    [[ -z $stopped ]] || return 0
    await "$@"
    [[ $1 != cargo || $status == 0 ]] || status=4
    count "$status"
}
# fuzz OPTION…
fuzz() { exec "$warpdiff" fuzz --seed "$seed" --count "$programs" --out fuzz-findings/pairs "$@"; }

cargo build --release --locked --quiet --package warpdiff-libcuda
library=$(realpath "${CARGO_TARGET_DIR:-target}/release/libwarpdiff_cuda.so")
pair "the reference against our libcuda" fuzz --against "cuda@$library"
pair "programs of SPA 5.0, as PTX" fuzz --dialect spa --against emulator:ptx
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$(date +%s)}
pair "text of SPA 5.0 against words, printers against parsers, PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED" \
    cargo test --release --locked --quiet -p warpdiff-sass -p warpdiff-ptx --test it
export WARPDIFF_NIGHT_SEED=$seed
pair "generated programs of SPA 5.0 against their words" \
    cargo test --release --locked --quiet -p warpdiff --test it -- fuzz_campaigns::generated_programs_of_spa_are_the_same_from_their_words
pair "surface code of Kepler" cargo test --release --locked --quiet -p warpdiff-emulator --test kepler
[[ -z $stopped ]] || count 7
exit "$code"

#!/usr/bin/env bash
# Checks that take too long for every change: bounded fuzzing, property tests on new examples, self-check, deviations, mutants, the corpus as compiled,
# an emulator by others, Python packages on our libcuda, speed beside the last release.
#
# Environment:
#   WARPDIFF       a binary, or an archive of ci/release.sh (default: built here); the tests are built here anyway
#   FUZZ_SECONDS   seconds per libFuzzer target (default 360: an hour for all ten); see ci/libfuzzer.sh
#   SANITIZER, TRACE_COMPARES  how the targets are built (default: with neither, but with both on Sundays); see there
#   FUZZ_PROGRAMS  generated programs of a campaign, and at most for each planted deviation and seed (default 100000)
#   PLANTED        deviations to plant for generated programs to find, others each night (default 20)
#   PLANTED_SEEDS  seeds with which each is to be found (default 5)
#   LAYOUTS        generated modules of declarations to compare with ptxas, if there is one (default 3000)
#   PAIR_PROGRAMS  generated programs for each pair of ci/pairs.sh (default 5000)
#   NEAR_VALID     nearly valid instructions to compare with ptxas, if there is one (default 1000)
#   COMPILED_PROGRAMS  generated programs as ptxas compiles them, for each campaign (default 21000)
#   LAST_RELEASE   what to compare the speed with: a binary, or an archive of ci/release.sh (default: ci/last-release.sh asks GitHub for it)
#
# All steps run, even after one has failed. It ends with the most urgent exit code of them (README.md, "Exit codes"); a step that is no
# command of warpdiff counts as 4 if it fails. What fuzzing found lies in fuzz-findings and fuzz/artifacts.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
is_number FUZZ_SECONDS "${FUZZ_SECONDS:-360}"
[[ -z ${WARPDIFF:-} ]] || WARPDIFF=$(from_caller "$WARPDIFF")
[[ -z ${LAST_RELEASE:-} ]] || LAST_RELEASE=$(from_caller "$LAST_RELEASE")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_warpdiff "$work"
export WARPDIFF=$warpdiff
pass_signals_on
said=()
# try NAME COMMAND…: runs a step, unless a signal ended the work, and counts its exit code.
try() {
    local name=$1
    shift
    step "$name"
    if [[ -n $stopped ]]; then echo "left out: stopped by $stopped"; said+=("$name: left out"); return; fi
    await "$@"
    # Codes of other programs mean something else.
    [[ $1 != cargo || $status == 0 ]] || status=4
    said+=("$name: exit $status")
    # 5: nothing to compare with is on this machine, as the command prints.
    [[ $name == *@("as ptxas"|"last release")* && $status == 5 ]] || count "$status"
}

try "corpus on the reference" "$warpdiff" run
try "corpus as compiled" "$warpdiff" run --against compiled --profile ptxas-12.9 --expectations ci/expectations

# Every other run draws the same examples (.cargo/config.toml).
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$(date +%s)}
try "property tests, PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED" \
    cargo test --release --locked -p warpdiff-model -p warpdiff-ptx -p warpdiff-semantics -p warpdiff-races -p warpdiff-emulator

try "self-check, each damage with the whole state" "$warpdiff" selfcheck --whole

for dialect in ptx spa; do
    try "the reference against itself, $dialect" \
        "$warpdiff" fuzz --dialect "$dialect" --against emulator --parse-every 1 --seed "$(date +%j)" --count "${FUZZ_PROGRAMS:-100000}"
    try "forms of generated programs, $dialect" \
        "$warpdiff" fuzz --statistics --dialect "$dialect" --seed "$(date +%j)" --count "${FUZZ_PROGRAMS:-100000}"
done

try "generated declarations, as ptxas emits them" "$warpdiff" layout --random "${LAYOUTS:-3000}" --seed "$(date +%j)"
try "generated programs, as ptxas compiles them" ci/compiled.sh
try "pairs that need no device" ci/pairs.sh
try "nearly valid instructions, as ptxas" ci/near-valid.sh
try "an emulator by others" ci/ptoxide.sh
try "clients of libcuda" ci/clients.sh
try "load" ci/load.sh
try "growth" ci/growth.sh
release=${LAST_RELEASE:-}
if [[ -z $release ]]; then
    try "the last release" ci/last-release.sh "$work/last"
    for archive in "$work"/last/*.tar.gz; do [[ ! -f $archive || $status != 0 ]] || release=$archive; done
fi
if [[ -n $release ]]; then
    try "speed beside the last release" ci/speed.sh "$release" "$warpdiff"
else
    said+=("speed: not compared, there is no last release")
fi
try "deviations" ci/deviations.sh
try "planted deviations" ci/planted.sh --rotating "${PLANTED:-20}" --seeds "${PLANTED_SEEDS:-5}" --count "${FUZZ_PROGRAMS:-100000}"
try "mutants of the sources" ci/mutants.sh

# Hardly any code of the targets is `unsafe`, so that the sanitizer has little to find: one night of seven has it. The others run four times as many inputs.
if (($(date +%u) != 7)); then export SANITIZER=${SANITIZER:-none} TRACE_COMPARES=${TRACE_COMPARES:-no}; fi
try "libFuzzer" ci/libfuzzer.sh
[[ -z $stopped ]] || count 7

step "night: exit $code"
printf '%s\n' "${said[@]}"
exit "$code"

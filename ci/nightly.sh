#!/usr/bin/env bash
# Checks that take too long for every change: bounded fuzzing, property tests on new examples, self-check, deviations.
#
# Bounds, from the environment:
#   FUZZ_SECONDS   seconds per libFuzzer target (default 300); needs a nightly toolchain and cargo-fuzz
#   FUZZ_PROGRAMS  generated programs per deviation and seed (default 100000)
#   FUZZ_SEEDS     seeds (default "1 2 3 4 5")
#   LAYOUTS        generated modules of declarations to compare with ptxas, if there is one (default 3000)
#   COMPILED_PROGRAMS  generated programs as ptxas compiles them, for each campaign (default 3000)
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
seconds=${FUZZ_SECONDS:-300}
failed=()

step "corpus on the reference"
cargo build --release --locked
warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
"$warpdiff" run || failed+=(run)

# Every other run draws the same examples (.cargo/config.toml).
export PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED:-$(date +%s)}
step "property tests, PROPTEST_RNG_SEED=$PROPTEST_RNG_SEED"
cargo test --release --locked -p warpdiff-model -p warpdiff-ptx -p warpdiff-semantics -p warpdiff-emulator || failed+=(properties)

step "self-check"
"$warpdiff" selfcheck || failed+=(selfcheck)

step "the reference against itself"
for dialect in ptx spa; do
    "$warpdiff" fuzz --dialect "$dialect" --against emulator --seed "$(date +%j)" --count "${FUZZ_PROGRAMS:-100000}" || failed+=("reference-$dialect")
done

step "generated declarations, as ptxas emits them"
status=0
"$warpdiff" layout --random "${LAYOUTS:-3000}" --seed "$(date +%j)" || status=$?
# 5: there is no ptxas, as the command prints.
((status == 0 || status == 5)) || failed+=(layouts)

step "generated programs, as ptxas compiles them"
WARPDIFF=$warpdiff ci/compiled.sh || failed+=(compiled)

WARPDIFF=$warpdiff ci/load.sh || failed+=(load)

step "deviations"
ci/deviations.sh || failed+=(deviations)

if cargo +nightly fuzz --version >/dev/null 2>&1; then
    for target in front_end case_file specimen; do
        step "libFuzzer: $target, $seconds s"
        # New inputs go to a scratch folder; inputs worth keeping are moved to fuzz/corpus by hand.
        mkdir -p "fuzz/artifacts/new/$target"
        cargo +nightly fuzz run "$target" "fuzz/artifacts/new/$target" "fuzz/corpus/$target" -- \
            -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=256 -timeout=10 || failed+=("$target")
    done
else
    echo "skipped: libFuzzer needs a nightly toolchain and cargo-fuzz (cargo install cargo-fuzz --locked)"
fi

if ((${#failed[@]})); then fail "${failed[*]}"; fi

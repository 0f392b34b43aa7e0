#!/usr/bin/env bash
# Generated programs as NVIDIA compiles them, against the reference: at every level, with inputs that are loaded and inputs that are constants.
#
# A difference is known if a deviation of ptxas reproduces it, or if a line of ci/compiled-causes.txt fits. Fails at another one, and where
# many programs have no answer. Bounds, from the environment:
# COMPILED_PROGRAMS (default 3000, for each of seven campaigns), COMPILED_SEED (default the day of the year). WARPDIFF names the binary; without it a
# release build is made. Needs ptxas 12.9; says so and ends with 0 where there is none.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
programs=${COMPILED_PROGRAMS:-3000}
seed=${COMPILED_SEED:-$(date +%j)}
causes=ci/compiled-causes.txt

warpdiff=${WARPDIFF:-}
if [[ -z $warpdiff ]]; then
    cargo build --release --locked --quiet
    warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi
ptxas=$("$warpdiff" doctor 2>/dev/null | grep -oE 'ptxas.*12\.9[^ ]*' | head -1 || true)
if [[ -z $ptxas ]]; then
    echo "skipped: there is no ptxas 12.9 (the Python package nvidia-cuda-nvcc-cu12 has one)"
    exit 0
fi
failed=0
for campaign in O0:loaded O1:loaded O2:loaded O3:loaded O1:immediate O3:immediate O3:mixed; do
    level=${campaign%%:*} inputs=${campaign##*:}
    status=0
    report=$("$warpdiff" fuzz --against "compiled+$level" --inputs "$inputs" --seed "$seed" --count "$programs" \
        --out "fuzz-findings/compiled-$level-$inputs") || status=$?
    step "$level, inputs $inputs"
    printf '%s\n' "$report"
    # 0: conforms; 1: differences, which are looked at below.
    ((status <= 1)) || { echo "exit $status"; failed=1; }
    unknown=$(awk '/^ *programs +first +cause$/ { table = 1; next } table && /^ *[0-9]+ +[0-9]+  / { sub(/^ *[0-9]+ +[0-9]+  /, ""); print }' <<< "$report" |
        grep -v 'reproduced exactly by ptxas\.' | grep -vxEf <(grep -v '^#' "$causes") || true)
    [[ -z $unknown ]] || { printf 'not known:\n%s\n' "$unknown"; failed=1; }
done
exit "$failed"

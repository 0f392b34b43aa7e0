#!/usr/bin/env bash
# For every deviation in the catalogue: does the corpus catch it, and which generated program is the first to show it?
#
# Prints a table and fails if the corpus misses a deviation, or a seed does not find it within the bound. Bounds, from the environment:
# FUZZ_PROGRAMS (default 100000), FUZZ_SEEDS (default "1 2 3 4 5"). WARPDIFF names the binary; without it a release build is made.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
programs=${FUZZ_PROGRAMS:-100000}
read -ra seeds <<< "${FUZZ_SEEDS:-1 2 3 4 5}"

warpdiff=${WARPDIFF:-}
if [[ -z $warpdiff ]]; then
    cargo build --release --locked --quiet
    warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi

# The error for an unknown deviation lists them all.
mapfile -t deviations < <({ "$warpdiff" run --against emulator+? 2>&1 || true; } | awk '/^  [a-z]/ { print $1 }')
((${#deviations[@]})) || fail "no list of deviations"

printf '%-28s  %-8s' deviation corpus
for seed in "${seeds[@]}"; do printf '  %8s' "seed $seed"; done
printf '\n'

failed=0
for deviation in "${deviations[@]}"; do
    printf '%-28s' "$deviation"
    status=0
    "$warpdiff" run --against "emulator+$deviation" >/dev/null 2>&1 || status=$?
    # 1 is "a target violates the specification"; anything else is no answer.
    case $status in
        1) printf '  %-8s' caught ;;
        # What the specification leaves unpredictable, or says nothing of, is not reported whatever it is.
        0) case $deviation in
               sust.p-missing-zeroed | tex.layer-wraps | tex.missing-w-zero) printf '  %-8s\n' permitted; continue ;;
           esac
           printf '  %-8s' MISSED; failed=1 ;;
        *) printf '  %-8s' "exit $status"; failed=1 ;;
    esac
    dialect=ptx
    [[ $deviation == spa.* ]] && dialect=spa
    # What memory and registers hold after a fault is not compared in generated programs.
    [[ $deviation == spa.out-of-bounds-kept ]] && { printf '  not compared\n'; continue; }
    # Their windows end at multiples of 16 bytes, are one thread's each, and reach no place that a negative offset alone names.
    case $deviation in
        spa.wide-bound-first-byte | spa.atoms-lost-update | spa.atoms-missing-register-signed)
            printf '  not generated\n'; continue ;;
    esac
    # Generated programs have no addresses as initial values, nor lists that the assembler has other bytes for.
    [[ $deviation == ptxas.* || $deviation == init.* ]] && { printf '  not generated\n'; continue; }
    for seed in "${seeds[@]}"; do
        first=$({ "$warpdiff" fuzz --dialect "$dialect" --against "emulator+$deviation" --seed "$seed" --count "$programs" --per-cause 0 --stop || true; } |
            awk '/^ *[0-9]+ +[0-9]+  / && (first == "" || $2 < first) { first = $2 } END { print first }')
        printf '  %8s' "${first:-NONE}"
        [[ -n $first ]] || failed=1
    done
    printf '\n'
done
exit "$failed"

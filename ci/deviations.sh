#!/usr/bin/env bash
# For every deviation in the catalogue: does the corpus catch it? (Whether generated programs do is a matter of ci/planted.sh.)
#
# Prints a table and fails if the corpus misses a deviation, if a run names another one in its place, also where our driver library or a worker has
# it, or if a program shows one that no pattern of its entry fits; and if of pairs of deviations too few are named. WARPDIFF names the binary; without it a release build is made.
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
warpdiff=${WARPDIFF:-}
if [[ -z $warpdiff ]]; then
    cargo build --release --locked --quiet
    warpdiff=${CARGO_TARGET_DIR:-target}/release/warpdiff
fi

# Id and why it is permitted: what the catalogue says of those that the emulator can be given.
mapfile -t entries < <("$warpdiff" deviations --json | python3 -c '
import json, sys
for entry in json.load(sys.stdin):
    if entry["runs"]:
        print("|".join([entry["id"], entry.get("permitted_by", "")]))')
((${#entries[@]})) || fail "no list of deviations"

# What a run says that the target does instead, where that is not the deviation that was planted: it has to be named first, or as wider than
# what is named first. Prints nothing if it is.
not_named() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
planted, path = sys.argv[1:]
summary = json.loads(open(path, encoding="utf-8").read().splitlines()[-1])
for diagnosis in summary["targets"][0].get("diagnoses", []):
    first = diagnosis["reproduced_by"][0]["deviations"] if diagnosis["reproduced_by"] else ["nothing"]
    if planted not in first and planted not in diagnosis.get("wider", []):
        print(f"{', '.join(diagnosis['families'])}: {' and '.join(first)} is named first")
PYTHON
}
results=$(mktemp)
trap 'rm -f "$results"' EXIT

printf '%-30s  %s\n' deviation corpus

failed=0
for entry in "${entries[@]}"; do
    IFS='|' read -r deviation permitted <<< "$entry"
    printf '%-30s' "$deviation"
    status=0
    "$warpdiff" run --against "emulator+$deviation" --results "$results" >/dev/null 2>&1 || status=$?
    # 1 is "a target violates the specification"; anything else is no answer.
    case $status in
        1) printf '  caught'
            [[ -z $permitted ]] || { printf '  REPORTED, though %s permits it' "$permitted"; failed=1; }
            misnamed=$(not_named "$deviation" "$results")
            [[ -z $misnamed ]] || { printf '  MISNAMED: %s' "${misnamed//$'\n'/; }"; failed=1; } ;;
        # What the specification leaves open is not reported, whatever a target does.
        0) [[ -z $permitted ]] || { printf '  permitted by %s\n' "$permitted"; continue; }
            printf '  MISSED'; failed=1 ;;
        *) printf '  exit %s' "$status"; failed=1 ;;
    esac
    printf '\n'
done

# It is named as well where the driver library or a worker has it.
cargo build --release --locked --quiet --package warpdiff-libcuda || failed=1
python3 ci/named.py "$warpdiff" "${CARGO_TARGET_DIR:-target}/release/libwarpdiff_cuda.so" || failed=1

# A deviation changes nothing of a program that, by the catalogue, cannot show it.
cargo test --release --locked --quiet -p warpdiff --test it -- --ignored deviations:: || failed=1
# Of 300 pairs within one family both are named in 95 of 100.
cargo test --release --locked --quiet -p warpdiff --test it -- --ignored diagnoses:: || failed=1
exit "$failed"

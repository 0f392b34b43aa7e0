#!/usr/bin/env bash
# Nearly valid instructions: does the front end take those that NVIDIA's assembler takes, and no others?
#
# Each is an accepted form with one word or operand changed (ci/near_valid.py), for three versions and targets. Ends with 1 where both differ, and
# with 5 where there is no ptxas 12.9. Environment:
#   WARPDIFF    a binary (default: built here)
#   NEAR_VALID  instructions (default 1000; about 25 ms of a processor for each circumstance of each)
#   NEAR_SEED   the draw (default: the day of the year)
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=${NEAR_VALID:-1000} seed=${NEAR_SEED:-$(date +%-j)}
is_number NEAR_VALID "$count"
is_number NEAR_SEED "$seed"
find_warpdiff "$work"
python3 ci/near_valid.py "$count" "$seed" > "$work/asked.tsv"
# What differs from the table is every form that is accepted: it says of all that they are not.
"$warpdiff" check --table "$work/asked.tsv" --against ptxas --output "$work/answered.tsv" > "$work/said" || { status=$?; tail -n 3 "$work/said"; exit "$status"; }
"$warpdiff" check --table "$work/answered.tsv"

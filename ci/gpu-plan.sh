#!/usr/bin/env bash
# Prints the jobs of a night, as the list of GPU runners in ci/gpu-runners.json makes them: `runners=[…]`, and `shards=[…]`, one for each shard.
#
#   ci/gpu-plan.sh [LIST]
#
# An entry of the list has a name, the labels of its runners, the target on them, and a number of shards. In GitHub Actions the two lines are
# also added to GITHUB_OUTPUT. Ends with 2 where the list is wrong.
caller=$PWD
source "$(dirname "${BASH_SOURCE[0]}")/strict.sh"
source ci/codes.sh
(($# <= 1)) || fail "usage: ci/gpu-plan.sh [LIST]"
list=$(from_caller "${1:-$PWD/ci/gpu-runners.json}")
command -v python3 >/dev/null || fail "python3 is missing"
plan=$(python3 - "$list" <<'PYTHON'
import json, re, sys

def wrong(why):
    sys.exit(f"error: {sys.argv[1]}: {why}")

try:
    with open(sys.argv[1], encoding="utf-8") as file:
        runners = json.load(file)
except (OSError, ValueError) as error:
    wrong(error)
if not isinstance(runners, list) or not runners:
    wrong("a list of runners is expected")
names = set()
for runner in runners:
    if not isinstance(runner, dict) or set(runner) != {"name", "labels", "target", "shards"}:
        wrong(f"a runner has name, labels, target and shards: {runner}")
    name, labels, target, shards = (runner[key] for key in ("name", "labels", "target", "shards"))
    # A name becomes part of names of files and artifacts.
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]+", name) or name in names:
        wrong(f"a name is of letters, digits, `_` and `-`, and is there once: {name}")
    names.add(name)
    if not isinstance(labels, list) or not labels or not all(isinstance(label, str) and label for label in labels):
        wrong(f"{name}: labels are a list of words: {labels}")
    if not isinstance(target, str) or not re.match(r"cuda($|[:+@])", target):
        wrong(f"{name}: the target is a cuda target: {target}")
    if type(shards) is not int or not 1 <= shards <= 64:
        wrong(f"{name}: 1 to 64 shards: {shards}")
shards = [
    {key: runner[key] for key in ("name", "labels", "target")} | {"shard": number, "of": runner["shards"]}
    for runner in runners
    for number in range(1, runner["shards"] + 1)
]
print("runners=" + json.dumps(runners))
print("shards=" + json.dumps(shards))
PYTHON
) || exit 2
printf '%s\n' "$plan"
[[ -z ${GITHUB_OUTPUT:-} ]] || printf '%s\n' "$plan" >> "$GITHUB_OUTPUT"

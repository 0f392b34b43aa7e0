#!/usr/bin/env python3
"""Plants each deviation of the catalogue by itself in a target that is reached in another way than the emulator, and looks at what a run names: ci/deviations.sh
says what for.

    ci/named.py WARPDIFF LIBRARY [--only TEXT]... [--variants N] [--ways library,process]

The ways are `library`, our driver library (LIBRARY, with WARPDIFF_CUDA_DEVIATIONS), and `process`, a worker that serves the emulator over the protocol. A
run has the variant by which `warpdiff mutate` shows the deviation, and of the variants of the requirements that it breaks up to N (default 48), spread
evenly. If these do not tell it from others, the whole corpus is run. The deviation has to be named first in each diagnosis, or as wider than what is named
first, as docs/deviations.md says.

Prints a line for each deviation, the ways and what was named where it was not that one. Ends with 1 if one is misnamed or not seen; 2 for wrong usage or
if a run failed."""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

# A device of this capability takes the machine words of SPA 5.0.
MAXWELL = "5.0"
# Exit codes of runs that judged: everything conforms, something violates, not everything was decided (README.md, "Exit codes").
JUDGED = {0, 1, 5}
WAYS = ("library", "process")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0], epilog=__doc__.split("\n\n", 2)[2])
    parser.add_argument("program", type=pathlib.Path, metavar="WARPDIFF")
    parser.add_argument("library", type=pathlib.Path, metavar="LIBRARY")
    parser.add_argument("--only", action="append", metavar="TEXT", help="deviations whose ids contain this")
    parser.add_argument("--variants", type=int, default=48, metavar="N")
    parser.add_argument("--ways", default=",".join(WAYS), help="`library`, `process` or both")
    read = parser.parse_args()
    read.ways = read.ways.split(",")
    if not read.program.is_file() or not read.library.is_file() or read.variants < 1 or not set(read.ways) <= set(WAYS):
        parser.error("a program, a driver library, at least one variant, and ways that there are")
    read.program, read.library = read.program.resolve(), read.library.resolve()
    return read


def answer(program, *words):
    """What a command prints as JSON. `mutate` ends with 1 where the corpus misses a deviation, and prints it all the same."""
    ended = subprocess.run([program, *words, "--json"], stdout=subprocess.PIPE, check=False)
    try:
        if ended.returncode in JUDGED:
            return json.loads(ended.stdout)
        why = f"ended with {ended.returncode}"
    except ValueError as error:
        why = f"printed no JSON: {error}"
    print(f"ci/named.py: `{program} {' '.join(words)} --json` {why}", file=sys.stderr)
    sys.exit(2)


def spread(items, most):
    """So many of the items, evenly spread."""
    step = max(1, -(-len(items) // most))
    return items[::step]


def asked(deviation, witness, covering, most):
    """The ids of the variants that are run. In a filter `*` would stand for anything."""
    found = [witness] if witness else []
    of = [covering.get(requirement, []) for requirement in deviation["breaks"]]
    for ids in of:
        found += [one for one in spread(ids, max(1, most // len(of))) if one not in found]
    return [one for one in found if "*" not in one]


def misnamed(summary, planted):
    """What is named in place of the planted deviation, in words; none if it is named."""
    diagnoses = summary["targets"][0].get("diagnoses", [])
    if not diagnoses:
        return "nothing is explained"
    wrong = []
    for diagnosis in diagnoses:
        sets = diagnosis["reproduced_by"]
        first = sets[0]["deviations"] if sets else ["nothing"]
        if planted not in first and planted not in diagnosis.get("wider", []):
            wrong.append(f"{', '.join(diagnosis['families']) or 'no family'}: {' and '.join(first)}")
    return "; ".join(wrong)


def said(read, way, deviation, ids):
    """What came of a deviation that is reached in one way: an empty text if it is named."""
    name = deviation["id"]
    environment = dict(os.environ)
    if way == "library":
        target = f"cuda@{read.library}"
        environment["WARPDIFF_CUDA_DEVIATIONS"] = name
        if deviation["dialects"] == ["spa"]:
            environment["WARPDIFF_CUDA_CAPABILITY"] = MAXWELL
    else:
        target = f"process:{read.program} worker emulator+{name}"
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.jsonl"
        words = ["run", "--no-golden", "--no-repeat", "--against", target, "--results", results, *ids]
        ended = subprocess.run([read.program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, check=False)
        if ended.returncode not in JUDGED:
            words = ended.stderr.decode(errors="replace").strip().splitlines()
            raise RuntimeError(f"{name}, {way}: exit {ended.returncode}: {words[-1] if words else 'no message'}")
        summary = json.loads(results.read_text(encoding="utf-8").splitlines()[-1])
    return "not seen" if ended.returncode == 0 else misnamed(summary, name)


def main():
    read = arguments()
    covering = {}
    for variant in answer(read.program, "list"):
        for requirement in variant["covers"]:
            covering.setdefault(requirement, []).append(variant["id"])
    witnesses = {one["id"]: one.get("variant") for one in answer(read.program, "mutate")["deviations"]}
    planted = [
        one
        for one in answer(read.program, "deviations")
        if one["runs"] and not one.get("permitted_by") and (not read.only or any(text in one["id"] for text in read.only))
    ]
    if not planted:
        print("ci/named.py: no deviation is left to plant", file=sys.stderr)
        sys.exit(2)
    wrong = failed = 0

    def ways(deviation):
        ids = asked(deviation, witnesses.get(deviation["id"]), covering, read.variants)
        words = [said(read, way, deviation, ids) for way in read.ways]
        if not any(words):
            return f"{len(ids)} variants", words
        return "the corpus", [said(read, way, deviation, []) for way in read.ways]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(deviation["id"], pool.submit(ways, deviation)) for deviation in planted]
        for name, of in running:
            try:
                size, words = of.result()
            except RuntimeError as why:
                failed += 1
                print(f"{name:<36}  FAILED: {why}", flush=True)
                continue
            wrong += any(words)
            cells = "  ".join(f"{way}: {text.upper() if text == 'not seen' else 'MISNAMED ' + text}" if text else f"{way}: named" for way, text in zip(read.ways, words))
            print(f"{name:<36}  {size:>12}  {cells}", flush=True)
    print(f"{len(planted) - wrong - failed} of {len(planted)} deviations are named {' and '.join(read.ways)}")
    sys.exit(2 if failed else int(bool(wrong)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Plants each deviation of the catalogue by itself in a target that is reached in another way than the emulator, and looks at what a run names: ci/deviations.sh
says what for.

    ci/named.py WARPDIFF LIBRARY [--only TEXT]... [--variants N] [--ways library,process]

The ways are `library`, our driver library (LIBRARY, with WARPDIFF_CUDA_DEVIATIONS), and `process`, a worker that serves the emulator over the protocol. A
run has the variant by which `warpdiff mutate` shows the deviation, and of the variants of the requirements that it breaks up to N (default 48), spread
evenly. If these do not tell it from others, the whole corpus is run. The library runs programs of PTX, or machine words where that variant has them. The deviation has to be named first in each diagnosis, or as wider than what is named
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
# Cases of SPA 5.0: a device that takes no machine words is given a translation, and what it does with that is characterised.
SPA_SUBJECTS = ("spa", "compiled")
# Exit codes of runs that judged: everything conforms, something violates, not everything was decided (README.md, "Exit codes").
JUDGED = {0, 1, 5}
WAYS = ("library", "process")
# Statuses of variants that a target answered.
ANSWERED = {"conforms", "violates", "hung", "crashed"}
# Of these, those of a target that is wrong.
WRONG = ANSWERED - {"conforms"}
# Of a deviation whose witness needs more than the target has: shared memory, say, that no driver gives a kernel.
UNREACHED = "cannot run what shows it"


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


def takes_words(way, witness):
    """Whether the target is to run machine words: where the variant that shows the deviation is of SPA 5.0."""
    return way == "library" and witness.split("/")[0] in SPA_SUBJECTS


def in_its_language(way, witness, variants):
    """The variants whose programs the target runs as they are. In a filter `*` would stand for anything."""
    is_spa = takes_words(way, witness)
    fits = [one for one in variants if way != "library" or (one["subject"] in SPA_SUBJECTS) == is_spa]
    return [one for one in fits if "*" not in one["id"]]


def asked(deviation, witness, variants, most):
    """The ids of the variants that are run first: the witness, and some of each requirement."""
    found = [witness] if "*" not in witness else []
    for requirement in deviation["breaks"]:
        ids = [one["id"] for one in variants if requirement in one["covers"]]
        found += [one for one in spread(ids, max(1, most // len(deviation["breaks"]))) if one not in found]
    return found


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


def said(read, way, deviation, witness, ids):
    """What came of a deviation that is reached in one way: an empty text if it is named."""
    name = deviation["id"]
    environment = dict(os.environ)
    if way == "library":
        target = f"cuda@{read.library}"
        environment["WARPDIFF_CUDA_DEVIATIONS"] = name
        if takes_words(way, witness):
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
        lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    statuses = {line["id"]: line["targets"][0]["status"] for line in lines if line["line"] == "variant"}
    if WRONG & set(statuses.values()):
        return misnamed(lines[-1], name)
    return UNREACHED if witness and statuses.get(witness) not in ANSWERED else "not seen"


def main():
    read = arguments()
    variants = answer(read.program, "list")
    witnesses = {one["id"]: one["variant"] for one in answer(read.program, "mutate")["deviations"] if "variant" in one}
    planted = [
        one
        for one in answer(read.program, "deviations")
        if one["runs"] and not one.get("permitted_by") and (not read.only or any(text in one["id"] for text in read.only))
    ]
    if not planted:
        print("ci/named.py: no deviation is left to plant", file=sys.stderr)
        sys.exit(2)
    wrong = failed = unreached = 0

    def one_way(deviation, way):
        """What is said of it in words, and what is wrong with that."""
        witness = witnesses.get(deviation["id"], "")
        fits = in_its_language(way, witness, variants)
        first = asked(deviation, witness, fits, read.variants)
        words = said(read, way, deviation, witness, first)
        if not words:
            return f"{way}: named ({len(first)} variants)", words
        words = said(read, way, deviation, witness, sorted({f"{one['id'].split('/')[0]}/*" for one in fits}))
        if words == UNREACHED:
            return f"{way}: {words}", ""
        return f"{way}: {f'MISNAMED: {words}' if words else 'named (the corpus)'}", words

    def ways(deviation):
        return [one_way(deviation, way) for way in read.ways]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        running = [(deviation["id"], pool.submit(ways, deviation)) for deviation in planted]
        for name, of in running:
            try:
                cells = of.result()
            except RuntimeError as why:
                failed += 1
                print(f"{name:<36}  FAILED: {why}", flush=True)
                continue
            wrong += any(words for _, words in cells)
            unreached += any(text.endswith(UNREACHED) for text, _ in cells)
            print(f"{name:<36}  {'  '.join(text for text, _ in cells)}", flush=True)
    named = len(planted) - wrong - failed - unreached
    print(f"{named} of {len(planted)} deviations are named ({' and '.join(read.ways)}), {unreached} cannot be shown there")
    sys.exit(2 if failed else int(bool(wrong)))


if __name__ == "__main__":
    main()

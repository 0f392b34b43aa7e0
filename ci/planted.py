#!/usr/bin/env python3
"""Plants deviations, one at a time, and sees what becomes of each: ci/planted.sh says what for.

    ci/planted.py WARPDIFF [--seeds N] [--count N] [--rotating N] [--day N] [--table FILE] [--page FILE] [ID]...

Each deviation that the emulator can be given and that generated programs show is planted in it. `fuzz --stop` looks for it with each seed, reduces
what it finds and writes a case for each cause; `run --bless` records what the reference allows of the cases; then the emulator has to pass all of
them, and the emulator with the deviation none. Nothing is done by hand.

Each line of the table is a deviation with a seed: the number of the first program that shows it; the processor time of all processors until it was
found, and until the cases were reduced and written as well; of the first program that is put down to it the instructions as it was generated,
those that are left, and those beside loads of inputs and stores of outputs, as `fuzz` prints them; the cases; and what is wrong.

Ends with 1 if something is wrong with one of them, or if the median of what is left beside loads and stores is above 5; 2 for wrong usage."""

import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass, fields

import measure

# Instructions beside loads of inputs and stores of outputs that half of the programs have at most.
MOST = 5
# Processor seconds in which each is to be found: ten seconds of two processors. Those that need more are counted; it is no failure, since it
# depends on the machine.
SOON = 20

CAUSE = re.compile(r"^ *(?P<programs>\d+) +(?P<first>\d+)  (?P<cause>.+)$")
CASE = re.compile(
    r"^ {22}(?P<path>.+?)(?:: (?P<after>\d+) of (?P<before>\d+) instructions are left, (?P<beside>\d+) beside loads of inputs and stores of outputs)?$"
)


@dataclass
class Row:
    """What became of a deviation with a seed. Numbers that there are not are `-`."""

    deviation: str
    dialect: str
    seed: int
    first: str = "-"
    """The number of the first program that shows it, from 0."""
    found: str = "-"
    """Processor seconds until it is found."""
    written: str = "-"
    """Processor seconds of finding, reducing and writing."""
    before: str = "-"
    """Instructions of the program as it was generated."""
    after: str = "-"
    """Those that are left."""
    beside: str = "-"
    """Those of them beside loads of inputs and stores of outputs."""
    cases: int = 0
    """Cases written."""
    largest: str = "-"
    """The most that is left in one of them, beside loads and stores."""
    others: int = 0
    """Causes that are put down to something else."""
    named: str = "-"
    """What the first of the causes is put down to, where that is another one that fits all that was seen as well."""
    wrong: str = ""
    """What is wrong, if anything is."""

    def cells(self):
        return [str(value) for value in astuple(self)]


HEAD = [field.name for field in fields(Row)]


@dataclass
class Cause:
    """A cause in a summary of `fuzz`."""

    first: int
    words: str
    cases: list
    """Of each case file its path, and the numbers of instructions before, after and beside loads and stores; none where they are not known."""

    def is_named(self, deviation):
        return self.words.endswith(f", reproduced exactly by {deviation}")


def causes(summary):
    """The causes in a summary of `fuzz`, in its order."""
    found = []
    for line in summary.splitlines():
        if match := CAUSE.match(line):
            found.append(Cause(int(match["first"]), match["cause"], []))
        elif found and (match := CASE.match(line)):
            sizes = (match["before"], match["after"], match["beside"])
            found[-1].cases.append((match["path"], *(None if size is None else int(size) for size in sizes)))
    return found


def rotating(all_of_them, number, day):
    """At most so many of them, from all parts of the list, others each day: all have their turn before one has its second."""
    days = -(-len(all_of_them) // number)
    return all_of_them[day % days :: days]


def planted(program):
    """Of each deviation that generated programs show its name and dialect."""
    said = subprocess.run([program, "deviations", "--json"], stdout=subprocess.PIPE, check=True)
    entries = [entry for entry in json.loads(said.stdout) if entry["runs"] and not entry.get("not_generated")]
    # What the specification permits is no mismatch.
    return [(entry["id"], entry["dialects"][0]) for entry in entries if not entry.get("permitted_by")]


def environment():
    """Where nothing keeps warpdiff from recording: what it records goes to a folder of this script."""
    return {name: value for name, value in measure.environment().items() if name != "CI"}


def run(program, *arguments):
    """How a command ends, its processor seconds and its output."""
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([program, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=environment())
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return child.returncode, usage.ru_utime + usage.ru_stime, out.read().decode(errors="replace")


def verdicts(program, corpus, target):
    """The status of each variant of a corpus on a target, and how the run ends."""
    results = corpus.parent / "results.jsonl"
    code, _, said = run(program, "run", "--corpus", corpus, "--against", target, "--results", results)
    if code not in (0, 1):
        return code, [], said
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    return code, [line["targets"][0]["status"] for line in lines if line["line"] == "variant"], said


def last_line(text):
    return (text.strip().splitlines() or ["no output"])[-1]


def regressions(program, corpus, target, count):
    """What is wrong with the cases that were written, if anything is."""
    code, _, said = run(program, "run", "--corpus", corpus, "--bless")
    if code != 0:
        return f"blessing ends with {code}: {last_line(said)}"
    code, passed, said = verdicts(program, corpus, "emulator")
    if code != 0 or passed != ["conforms"] * count:
        return f"without the deviation: {last_line(said)}"
    code, failed, said = verdicts(program, corpus, target)
    # A wrong end is a failure as well: a hang, a crash, a refusal.
    if code != 1 or len(failed) != count or any(status in ("conforms", "unsupported", "not-run", "indeterminate") for status in failed):
        return f"with the deviation: {last_line(said)}"
    return None


def judge(program, deviation, dialect, seed, count, begin=0, tries=3):
    """What becomes of a deviation with a seed, from a program on. Where no case can state what the first program that shows it does, as where it may end in two
    ways, those behind it are looked at."""
    row = Row(deviation, dialect, seed)
    target = f"emulator+{deviation}"
    asked = ["fuzz", "--dialect", dialect, "--against", target, "--seed", seed, "--first", begin, "--count", count, "--stop"]
    code, seconds, said = run(program, *asked, "--per-cause", 0)
    row.found = f"{seconds:.1f}"
    found = causes(said)
    if code != 1 or not found:
        row.wrong = "not found" if code == 0 else f"fuzz ends with {code}: {last_line(said)}"
        return row
    row.first = str(min(cause.first for cause in found))
    with tempfile.TemporaryDirectory() as folder:
        corpus = pathlib.Path(folder) / "cases"
        code, seconds, said = run(program, *asked, "--out", corpus / "regressions")
        row.written = f"{seconds:.1f}"
        found = causes(said)
        named = sorted((cause for cause in found if cause.is_named(deviation)), key=lambda cause: cause.first)
        cases = {path: sizes for cause in found for path, *sizes in cause.cases}
        row.cases, row.others = len(cases), len(found) - len(named)
        sizes = [beside for _, _, beside in cases.values() if beside is not None]
        row.largest = str(max(sizes, default="-"))
        if not named:
            row.named = found[0].words.rpartition(", reproduced exactly by ")[2]
        wrong = []
        first = next((sizes for cause in named or found for _, *sizes in cause.cases if None not in sizes), None)
        if first:
            row.before, row.after, row.beside = map(str, first)
        if not cases and tries > 1:
            later = judge(program, deviation, dialect, seed, count, int(row.first) + 1, tries - 1)
            later.found = f"{float(row.found) + float(later.found):.1f}"
            later.written = f"{float(row.written) + float(later.written):.1f}"
            return later
        if not cases:
            wrong.append("no case was written")
        elif said := regressions(program, corpus, target, len(cases)):
            wrong.append(said)
    row.wrong = "; ".join(wrong)
    return row


def read(path):
    """The lines that a table has already."""
    if not path or not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines and lines[0].split("\t") != HEAD:
        sys.exit(f"error: {path} is no table of this script: its head is another one")
    return [Row(*line.split("\t")) for line in lines[1:]]


def numbers(rows, name):
    return [float(value) for row in rows if (value := getattr(row, name)) != "-"]


def summary(rows):
    """What is said of all lines, a sentence a line, and whether they are as they should be."""
    wrong = [row for row in rows if row.wrong]
    named = [row for row in rows if row.first != "-" and row.named == "-"]
    late = [row for row in rows if row.found != "-" and float(row.found) > SOON]
    said = [f"{len(rows)} lines, {len(wrong)} with something wrong: each of the others was found, reduced and recorded, its cases fail on the deviation and pass without. {len(named)} are put down to the deviation; of the others the few programs that were tried fit another one as well."]
    beside = numbers(rows, "beside")
    middle = measure.median(beside) if beside else 0
    if beside:
        few = sum(value <= MOST for value in beside)
        said.append(
            f"Instructions left beside loads of inputs and stores of outputs: median {middle:g}, at most {max(beside):g}; {few} of {len(beside)} have at most {MOST}. "
            f"With them: median {measure.median(numbers(rows, 'after')):g} of {measure.median(numbers(rows, 'before')):g}."
        )
        found, written = numbers(rows, "found"), numbers(rows, "written")
        said.append(
            f"Processor seconds until found: median {measure.median(found):.1f}, at most {max(found):.1f}; {len(late)} of {len(rows)} need more than {SOON}. "
            f"With reduction: median {measure.median(written):.1f}, at most {max(written):.1f}."
        )
    return said, not wrong and middle <= MOST


def page(rows, command, program):
    """The lines as a page of the documentation."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    day = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    said, _ = summary(rows)
    head = [
        "# Planted deviations: found, reduced, kept",
        "",
        f"Written by `{command}` on {day}, at commit {commit or 'unknown'}; {measure.machine()}.",
        "",
        "[ci/planted.py](../ci/planted.py) plants each deviation of the catalogue that generated programs show in the emulator, one at a time. `warpdiff fuzz --stop` finds",
        "it, reduces what it found and writes the cases, and `warpdiff run --bless` records what the reference allows of them; then the emulator passes all of the cases, and",
        "with the deviation it fails all of them. [deviations.md](deviations.md) says what each deviation is, and `warpdiff deviations` which ones no generated program shows.",
        "",
        *(f"* {line}" for line in said),
        "",
        "The columns: the seed; the number of the first program that shows the deviation, from 0; processor seconds until it was found, of all processors together",
        "(`--stop` ends after 128 programs at the earliest), and until it was reduced and written as well. Of the first program that is put down to the deviation: its",
        "instructions as it was generated, those that are left, and those of them beside loads of inputs and stores of outputs. These are, in a kernel of PTX, `ld.param`",
        "of its parameters, `ld.global` and `st.global`, in one of SPA 5.0 `MOV` of a parameter, `LDG` and `STG`; an instruction that the signature names counts, whatever it is,",
        "and so does `EXIT`. Then the cases that were written, one for each signature; the most that is left in one of them; and the causes that",
        "are put down to something else; and what the first cause is put down to where the few programs fit another deviation as well.",
        "",
        "| deviation | dialect | seed | program | found, s | reduced, s | generated | left | beside loads and stores | cases | largest | others | named | wrong |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    escaped = (["`" + row.deviation + "`", *(cell.replace("|", "\\|") for cell in row.cells()[1:])] for row in rows)
    return "\n".join(head + [f"| {' | '.join(cells)} |" for cells in escaped]) + "\n"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0], epilog=__doc__.split("\n\n", 2)[2], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpdiff")
    parser.add_argument("deviations", nargs="*", metavar="ID", help="these alone")
    parser.add_argument("--seeds", type=int, default=1, help="seeds from 1 on (default 1)")
    parser.add_argument("--count", type=int, default=100_000, help="programs after which a search ends (default 100000)")
    parser.add_argument("--rotating", type=int, metavar="N", help="at most N of them, others each day")
    parser.add_argument("--day", type=int, default=time.gmtime().tm_yday, help="the day of the year, for --rotating (default: today)")
    parser.add_argument("--table", type=pathlib.Path, help="write the lines to FILE as they come, and leave out those that it has already")
    parser.add_argument("--page", type=pathlib.Path, help="write all lines to FILE, as a page of the documentation")
    return parser, parser.parse_intermixed_args()


def main():
    parser, asked = arguments()
    if asked.seeds < 1 or asked.count < 1 or (asked.rotating is not None and asked.rotating < 1) or asked.day < 0:
        parser.error("--seeds, --count and --rotating are numbers from 1 on, and --day is none below 0")
    everything = planted(asked.warpdiff)
    unknown = set(asked.deviations) - {deviation for deviation, _ in everything}
    if unknown:
        parser.error(f"generated programs show no deviation `{min(unknown)}`, or it cannot be planted: see `warpdiff deviations`")
    chosen = [entry for entry in everything if not asked.deviations or entry[0] in asked.deviations]
    if asked.rotating:
        chosen = rotating(chosen, asked.rotating, asked.day)
    rows = {(row.deviation, int(row.seed)): row for row in read(asked.table)}
    if asked.table and not rows:
        asked.table.write_text("\t".join(HEAD) + "\n", encoding="utf-8")
    print("\t".join(HEAD))
    here = []
    for deviation, dialect in chosen:
        for seed in range(1, asked.seeds + 1):
            row = rows.get((deviation, seed))
            if not row:
                row = judge(asked.warpdiff, deviation, dialect, seed, asked.count)
                if asked.table:
                    with asked.table.open("a", encoding="utf-8") as file:
                        file.write("\t".join(row.cells()) + "\n")
            print("\t".join(row.cells()), flush=True)
            here.append(row)
    said, is_good = summary(here)
    print(*said, sep="\n")
    if asked.page:
        command = " ".join(["ci/planted.sh", *(f"--{name} {value}" for name, value in (("seeds", asked.seeds),) if value != 1)])
        asked.page.write_text(page(here, command, asked.warpdiff), encoding="utf-8")
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()

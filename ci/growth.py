#!/usr/bin/env python3
"""Measures how the cost of a run grows with its size: ci/growth.sh says what for.

    ci/growth.py WARPDIFF [--runs N] [--only TEXT]... [--decades N]

Each line is a kind of size, measured at the smallest and at 10, 100 and 1000 times as much (with 3 decades). The cost of a size is the median of the
processor time of N runs (default 3), less that of the smallest, which is the fixed cost of a run. `power` is by which power of the size the cost grew
from the last size but one to the last: 1 where ten times the size costs ten times as much. Costs under 20 ms are noise, and have none.

Prints a table for docs/performance.md. Ends with 1 if a cost grows faster than n log n, by more than half as much again in a decade; 2 for wrong usage or
if a run failed."""

import argparse
import pathlib
import sys
import tempfile
from dataclasses import dataclass

import measure
import sized

# Seconds below which a cost is the noise of starting a process.
NOISE = 0.02
# How much more than n log n a cost may be after a step: runs of one size differ by as much on a machine that does something else as well.
TOLERANCE = 1.5


@dataclass
class Kind:
    """A kind of size."""

    name: str
    makes: object
    """The text of a corpus of this size."""
    smallest: int
    options: tuple = ()
    expected: int = 0
    """The exit code."""


KINDS = [
    Kind("rows of one variant", sized.rows, 100),
    Kind("variants, each a program of its own", sized.variants, 100),
    # A case may have 16,384 of them.
    Kind("rows that fault, each a launch", sized.faulting_rows, 16),
    Kind("mismatches in one report", sized.mismatches, 100, ("--against", "emulator+suld.clamp-as-zero"), 1),
    Kind("mismatches in one file of results", sized.mismatches, 100, ("--against", "emulator+suld.clamp-as-zero", "--results", "RESULTS"), 1),
    Kind("threads of one launch", sized.threads, 1000),
    Kind("blocks of one launch", sized.blocks, 100),
    Kind("registers of one thread", sized.registers, 10),
    Kind("bytes of one surface", sized.surface, 16 << 10),
]


@dataclass
class Cost:
    """The cost of one size."""

    size: int
    seconds: float
    """Above that of the smallest."""
    each: float
    """Seconds for one more."""
    exponent: float | None
    """The power by which it grew from the size before; none where either is noise."""


def assess(measured):
    """The costs of sizes, ascending, with the seconds of each, and whether they grow faster than n log n. The first is taken for the fixed cost."""
    (smallest, fixed), *rest = measured
    costs = [Cost(smallest, 0.0, 0.0, None)]
    beyond = False
    for size, seconds in rest:
        before, more = costs[-1], seconds - fixed
        cost = Cost(size, more, more / (size - smallest), None)
        if before.seconds >= NOISE and more >= NOISE:
            cost.exponent = measure.exponent(before.size, before.seconds, size, more)
            beyond |= measure.is_beyond(before.size, before.seconds, size, more, TOLERANCE)
        costs.append(cost)
    return costs, beyond


def measured(program, kind, sizes, runs):
    """For each size the processor time and the peak of memory, medians of some runs; ends this script if one fails."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            cases = sized.corpus(folder, kind.makes(size))
            options = [str(folder / "results.jsonl") if option == "RESULTS" else option for option in kind.options]
            command = [program, "--corpus", cases, "run", "--no-golden", *options]
            usages = [measure.run(command, environment=measure.environment()) for _ in range(runs)]
        for usage in usages:
            if usage.code != kind.expected:
                print(f"error: {kind.name}, {size}: ended with {usage.code}: {usage.error}", file=sys.stderr)
                sys.exit(2)
        yield size, measure.median(usage.cpu for usage in usages), measure.median(usage.peak for usage in usages)


def short(seconds):
    """A duration in the unit that suits it."""
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0],
        epilog=__doc__.split("\n\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("program", type=pathlib.Path, metavar="WARPDIFF")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--decades", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="TEXT", help="kinds whose name contains this")
    read = parser.parse_args()
    read.kinds = [kind for kind in KINDS if not read.only or any(text in kind.name for text in read.only)]
    if read.runs < 1 or read.decades < 1 or not read.kinds or not read.program.is_file():
        parser.error("a program, at least one run and one decade, and a kind that `--only` leaves")
    return read


def main():
    read = arguments()
    print(f"{measure.machine()}; medians of {read.runs} runs\n")
    sizes = " | ".join(f"×{10**n}" if n else "smallest" for n in range(read.decades + 1))
    print(f"| what grows | {sizes} | power | each | MiB, smallest and largest | |")
    print("|---" * (read.decades + 6) + "|", flush=True)
    found = False
    for kind in read.kinds:
        sizes = [kind.smallest * 10**n for n in range(read.decades + 1)]
        points = list(measured(read.program.resolve(), kind, sizes, read.runs))
        costs, beyond = assess([(size, cpu) for size, cpu, _ in points])
        found |= beyond
        cells = " | ".join(f"{size:,}: {short(cpu)}" for size, cpu, _ in points)
        last = costs[-1]
        power = f"{last.exponent:.2f}" if last.exponent is not None else "–"
        each = short(last.each) if last.seconds >= NOISE else "–"
        verdict = "**faster than n log n**" if beyond else ""
        print(f"| {kind.name} | {cells} | {power} | {each} | {points[0][2]:.0f}, {points[-1][2]:.0f} | {verdict} |", flush=True)
    sys.exit(int(found))


if __name__ == "__main__":
    main()

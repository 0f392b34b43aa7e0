#!/usr/bin/env python3
"""Compares the speed of two binaries, on machines that do something else as well: ci/speed.sh says what for.

    ci/speed.py OLD NEW [--pairs N] [--only TEXT]... [--slower FACTOR] [--corpus DIR] [--list]

Both binaries run each command of a list in turn, in N pairs (default 9), each first in every other pair, after one run each that is not counted.
A pair gives a ratio: the time of OLD over that of NEW, so that 2 says that NEW is twice as fast. Shown are the median of the ratios and the
interval between two of them that holds the true median with the probability stated beside it. That takes no assumption about noise but that pairs
do not depend on each other: a machine that slows down slows down both runs of a pair.

A line says "faster" or "slower" only if its whole interval of processor time does (and there are six pairs or more), and otherwise "no difference shown", which is not the same as
"no difference". One line in twenty is wrong about that by chance. `ci/speed.py X X`, a binary against itself, shows what the machine's noise
alone makes of it. Wall time is shown beside it and decides nothing.

Both get the same corpus, that of OLD or the one that `--corpus` names; the programs of `fuzz` and `check`, and the large cases, are the same as well, but the generator is part of the
binary. Where the two print different things, times aside, the line says "differs": then the work may not have been the same.

Ends with 1 if a command is slower by more than FACTOR for certain (default 1.25: the whole interval lies beyond it), or if NEW fails where OLD does
not; 2 for wrong usage or if nothing could be compared. `--list` prints the commands."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

import measure
import sized

# Codes of a command that did its work: nothing wrong, a finding, not everything judged (README.md, "Exit codes").
WORKED = {0, 1, 5}


@dataclass
class Measure:
    """A command that both binaries run."""

    name: str
    words: list = field(default_factory=list)
    """Its arguments; CORPUS is the corpus of OLD, LIBRARY the driver library that belongs to the binary."""
    makes: object = None
    """Makes an input of the name that follows, in a folder: a corpus, or a program."""


def measures():
    """The commands, the shortest first."""
    corpus = ["--corpus", "CORPUS"]
    made = ["--corpus", "MADE", "run", "--no-golden"]

    def cases(text):
        return lambda folder: sized.corpus(folder, text)

    def program(folder):
        path = folder / "program.ptx"
        path.write_text(sized.program(4 << 20))
        return path

    loop = pathlib.Path(__file__).parent.parent / "harness/emulator/benches/ptx/loop_alu.ptx"

    def loops(folder):
        launch = "grid: [32], block: [256], steps: 1099511627776, arguments: [{buffer: out}, {u32: 16384}]"
        return sized.corpus(folder, sized.whole("a long loop", loop.read_text(), "k", launch, 8192))

    wrong = [*made, "--against", "emulator+suld.clamp-as-zero"]
    return [
        Measure("list of the variants", [*corpus, "list"]),
        Measure("run of one case file", [*corpus, "run", "--no-golden", "suld/bounds-2d"]),
        Measure("check of 4 MiB of PTX", ["check", "MADE"], program),
        Measure("a loop of 1.2 G thread-instructions", made, loops),
        Measure("65,536 rows of one variant", made, cases(sized.rows(65_536))),
        Measure("4,096 variants of one row", made, cases(sized.variants(4_096))),
        Measure("8,192 rows that fault", made, cases(sized.faulting_rows(8_192))),
        Measure("8,192 mismatches in one variant", wrong, cases(sized.mismatches(8_192))),
        Measure("10,000 programs of fuzz, PTX", ["fuzz", "--against", "emulator", "--seed", "16", "--count", "10000"]),
        Measure(
            "10,000 programs of fuzz, SPA 5.0",
            ["fuzz", "--dialect", "spa", "--against", "emulator", "--seed", "16", "--count", "10000"],
        ),
        Measure("selfcheck of suld/widths", [*corpus, "selfcheck", "suld/widths"]),
        Measure("run of the corpus", [*corpus, "run", "--no-golden"]),
        Measure("corpus through the driver library", [*corpus, "run", "--no-golden", "--against", "cuda@LIBRARY"]),
    ]


@dataclass
class Binary:
    """One of the two."""

    path: pathlib.Path

    def library(self):
        """The driver library beside it: as built, or as an archive of a release has it."""
        for place in [self.path.parent, self.path.parent.parent / "lib"]:
            if (place / "libwarpdiff_cuda.so").is_file():
                return place / "libwarpdiff_cuda.so"
        return None

    def command(self, words, inputs):
        """The command line, with inputs in the place of their names; why not, if there is none."""
        line = []
        for word in words:
            for name, value in inputs.items():
                word = word.replace(name, str(value))
            if "LIBRARY" in word:
                if self.library() is None:
                    raise LookupError(f"there is no libwarpdiff_cuda.so beside {self.path}")
                word = word.replace("LIBRARY", str(self.library()))
            line.append(word)
        return [self.path, "--color", "never", *line]


@dataclass
class Line:
    """What the pairs of one command say."""

    cpu: list
    """Ratios of processor time, OLD over NEW."""
    wall: list
    """Ratios of wall time."""
    old: measure.Usage
    new: measure.Usage
    seconds: tuple
    """The median of the processor time of OLD and of NEW."""

    def verdict(self, slower):
        """In a word what is certain, and whether NEW is slower by more than the factor."""
        low, high, held = measure.interval(self.cpu)
        if held < measure.COVERAGE:
            return "too few pairs to say", False
        if high < 1 / slower:
            return f"SLOWER, by more than {slower:g}", True
        if high < 1:
            return "slower", False
        return ("faster" if low > 1 else "no difference shown"), False


def compare(binaries, one, inputs, pairs):
    """The pairs of one command, or why they could not be run: in words, and whether NEW is to blame."""
    try:
        commands = [binary.command(one.words, inputs) for binary in binaries]
    except LookupError as why:
        return None, str(why), False
    # Not counted: reads files into memory, and shows whether the command works at all.
    first = [measure.run(command, environment=measure.environment()) for command in commands]
    failed = [usage.code not in WORKED for usage in first]
    for name, usage, bad in zip(("OLD", "NEW"), first, failed):
        if bad:
            return None, f"{name} ended with {usage.code}: {usage.error}", not failed[0]
    runs = []
    for number in range(pairs):
        pair = [None, None]
        for which in measure.in_turn(number):
            pair[which] = measure.run(commands[which], environment=measure.environment())
            if pair[which].code != first[which].code:
                name = ("OLD", "NEW")[which]
                return None, f"{name} ended with {first[which].code} and then {pair[which].code}", which == 1
        runs.append(pair)
    return line_of(runs), "", False


def line_of(runs):
    """The ratios of pairs of runs."""
    # A run below the resolution of the clock has no ratio of its own.
    tick = 1e-4
    return Line(
        cpu=[max(old.cpu, tick) / max(new.cpu, tick) for old, new in runs],
        wall=[max(old.wall, tick) / max(new.wall, tick) for old, new in runs],
        old=runs[0][0],
        new=runs[0][1],
        seconds=tuple(measure.median(pair[which].cpu for pair in runs) for which in (0, 1)),
    )


def shown(line, slower):
    """A line in words."""
    low, high, held = measure.interval(line.cpu)
    wall_low, wall_high, _ = measure.interval(line.wall)
    differs = []
    if line.old.said != line.new.said:
        differs.append("what they print differs")
    if line.old.code != line.new.code:
        differs.append(f"exit codes {line.old.code} and {line.new.code}")
    verdict = "; ".join([line.verdict(slower)[0], *differs])
    return (
        f"{line.seconds[0]:8.2f} {line.seconds[1]:8.2f}  {measure.median(line.cpu):6.2f}  {low:6.2f} to {high:6.2f}  {held:5.1%}"
        f"  {measure.median(line.wall):6.2f}  {wall_low:6.2f} to {wall_high:6.2f}  {line.old.peak:6.0f} {line.new.peak:6.0f}  {verdict}"
    )


def corpus_of(binary, folder):
    """The corpus that is built into a binary, as files."""
    exported = folder / "exported"
    export = subprocess.run([binary.path, "export", exported], capture_output=True, text=True, check=False)
    if export.returncode:
        print(f"speed.py: {binary.path} gives no corpus (`export` ends with {export.returncode}): name one with --corpus", file=sys.stderr)
        sys.exit(2)
    return exported / "cases"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", 1)[0],
        epilog=__doc__.split("\n\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("binaries", nargs="*", type=pathlib.Path, metavar="OLD NEW")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--only", action="append", metavar="TEXT", help="commands whose name contains this")
    parser.add_argument("--slower", type=float, default=1.25, metavar="FACTOR")
    parser.add_argument("--corpus", type=pathlib.Path, metavar="DIR", help="the corpus that both read, else the one that is built into OLD")
    parser.add_argument("--list", action="store_true")
    read = parser.parse_args()
    read.measures = [one for one in measures() if not read.only or any(text in one.name for text in read.only)]
    if read.list:
        for one in read.measures:
            print(f"{one.name:36} warpdiff {' '.join(one.words)}")
        sys.exit(0)
    if len(read.binaries) != 2:
        parser.error("two binaries are compared")
    for path in read.binaries:
        if not path.is_file():
            parser.error(f"there is no {path}")
    if read.corpus and not read.corpus.is_dir():
        parser.error(f"there is no folder {read.corpus}")
    if read.pairs < 1 or read.slower < 1 or not read.measures:
        parser.error("at least one pair, a factor of at least 1, and a command that `--only` leaves")
    return read


def main():
    read = arguments()
    old, new = (Binary(path.resolve()) for path in read.binaries)
    print(f"OLD {old.path}\nNEW {new.path}\n{read.pairs} pairs of runs of each command; ratios are OLD over NEW: above 1, NEW is faster")
    print(measure.machine())
    print(f"{os.getloadavg()[0]:.1f} processes wanted to run in the last minute; the more there are, the less wall time says\n")
    title = f"{'':36} {'seconds of cpu':>17}  {'cpu':>6}  {'interval':>16}  {'held':>5}  {'wall':>6}  {'interval':>16}  {'MiB':>13}"
    print(title, flush=True)
    compared = worse = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs = {"CORPUS": read.corpus.resolve() if read.corpus else corpus_of(old, folder)}
        for number, one in enumerate(read.measures):
            if one.makes:
                place = folder / str(number)
                place.mkdir()
                inputs["MADE"] = one.makes(place)
            line, why, blamed = compare((old, new), one, inputs, read.pairs)
            said = shown(line, read.slower) if line else f"left out: {why}"
            print(f"{one.name:36} {said}", flush=True)
            compared += line is not None
            worse += blamed or line is not None and line.verdict(read.slower)[1]
    print(f"\n{compared} of {len(read.measures)} commands compared, {worse} worse for certain")
    sys.exit(1 if worse else 0 if compared else 2)


if __name__ == "__main__":
    main()

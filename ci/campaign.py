#!/usr/bin/env python3
"""Generated programs as NVIDIA compiles them, as many as there is time for, a piece at a time: ci/compiled.sh says what for.

    ci/campaign.py WARPDIFF FOLDER [--ptxas PATH] [--seed N] [--programs N] [--piece N] [--minutes N]

The programs of a seed are taken in pieces of --piece (default 500). The level rotates from one piece to the next, -O0 to -O3, and after each round of
levels the inputs do: loaded, constants, every second a constant. So the number of a program says how it was compiled. FOLDER keeps what was said of each
piece, and the same command goes on behind them; a FOLDER of another seed or piece size is refused. No piece is begun after --minutes.

A difference is known if a deviation of ptxas reproduces it, or if a line of ci/compiled-causes.txt fits its cause. Any other program is reduced, and has the
cause of what is left; if that is not known either, it stays in FOLDER/findings. Prints how many programs of each level have which cause, over all pieces in
FOLDER. Ends with 1 if a cause is not known; 2 for wrong usage, or if a piece could not be run to its end."""

import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

from planted import CAUSE

LEVELS = ("O0", "O1", "O2", "O3")
INPUTS = ("loaded", "immediate", "mixed")
HERE = pathlib.Path(__file__).resolve().parent
# Exit codes of a campaign that compared everything: all conforms, something violates.
COMPARED = {0, 1}
REDUCED = re.compile(r"^reduced: (?P<program>\d+) (?P<known>known|unknown) (?P<name>.+)$")
VERDICT = re.compile(r"(?:^ {2}|, )(?P<programs>\d+) (?P<what>[a-z][a-z ]*)(?=,|$)")
BY_PTXAS = re.compile(r"reproduced exactly by (?P<by>ptxas\..+)$")
PIECE = re.compile(r"^piece-(\d+)\.txt$")


class Failed(Exception):
    """The campaign cannot go on: why."""


@dataclass
class Cause:
    """A cause as `fuzz` prints it, with the number of programs and the first of them."""

    programs: int
    first: int
    text: str


def verdicts(summary):
    """How many programs have which verdict."""
    line = next((line for line in summary.splitlines() if re.match(r"^ {2}\d+ (conform|violate|are )", line)), "")
    return {match["what"]: int(match["programs"]) for match in VERDICT.finditer(line)}


@dataclass
class Reduced:
    """A program whose cause was not known before it was reduced, and what it is counted as."""

    program: int
    name: str
    is_known: bool

    def __str__(self):
        return f"reduced: {self.program} {'known' if self.is_known else 'unknown'} {self.name}"


def reductions(summary):
    """The programs of a piece that were reduced."""
    found = (REDUCED.match(line) for line in summary.splitlines())
    return [Reduced(int(match["program"]), match["name"], match["known"] == "known") for match in found if match]


def causes(summary):
    """The causes of a summary."""
    _, _, table = summary.partition("programs     first  cause\n")
    found = (CAUSE.match(line) for line in table.splitlines())
    return [Cause(int(match["programs"]), int(match["first"]), match["cause"]) for match in found if match]


@dataclass
class Known:
    """A line of ci/compiled-causes.txt: the name of a cause, and how to know it."""

    name: str
    line: re.Pattern
    program: re.Pattern | None


def known_causes(text):
    """The lines of ci/compiled-causes.txt."""
    found = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            fields = line.split("\t")
            if len(fields) not in (2, 3):
                raise Failed(f"a line of ci/compiled-causes.txt has a name, an expression and at most one more, with tabs between: {line}")
            name, cause, *program = fields
            found.append(Known(name, re.compile(cause), re.compile(program[0]) if program else None))
    return found


def name_of(text, known, program=""):
    """What a cause is counted as; `None` if it is not known. `program` is the text of the reduced program."""
    if match := BY_PTXAS.search(text):
        return match["by"]
    fits = (one for one in known if one.line.fullmatch(text) and (not one.program or one.program.search(program)))
    return next((one.name for one in fits), None)


def way(piece):
    """How a piece is compiled: the level, and the inputs."""
    return LEVELS[piece % len(LEVELS)], INPUTS[piece // len(LEVELS) % len(INPUTS)]


class Campaign:
    """The pieces of a campaign and the folder that keeps them."""

    def __init__(self, read):
        self.read = read
        self.folder = read.folder
        self.known = known_causes((HERE / "compiled-causes.txt").read_text(encoding="utf-8"))
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = {"seed": read.seed, "piece": read.piece}
        kept = self.folder / "campaign.json"
        if not kept.exists():
            kept.write_text(json.dumps(settings), encoding="utf-8")
        elif json.loads(kept.read_text(encoding="utf-8")) != settings:
            raise Failed(f"{self.folder} has a campaign of {kept.read_text(encoding='utf-8')}, not of {json.dumps(settings)}")

    def summaries(self):
        """The pieces that were run, by their numbers, with what was said of each."""
        found = {}
        for path in self.folder.iterdir():
            if match := PIECE.match(path.name):
                found[int(match[1])] = path.read_text(encoding="utf-8")
        return dict(sorted(found.items()))

    def fuzz(self, piece, *words):
        """Runs programs as the piece is compiled, and returns what is said of them."""
        level, inputs = way(piece)
        compiler = f":{self.read.ptxas}" if self.read.ptxas else ""
        command = [self.read.program, "fuzz", "--against", f"compiled{compiler}+{level}", "--inputs", inputs]
        command += ["--seed", str(self.read.seed), *words]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        if ended.returncode not in COMPARED:
            said = ended.stderr.strip().splitlines() or ended.stdout.strip().splitlines() or ["no message"]
            raise Failed(f"`{' '.join(map(str, command))}` ended with {ended.returncode}: {said[-1]}")
        return ended.stdout

    def run(self, piece):
        """Runs a piece, reduces the programs whose cause is unknown, and keeps what was said."""
        first, reduced = piece * self.read.piece, []
        end = min(first + self.read.piece, self.read.programs)
        whole = said = self.fuzz(piece, "--first", str(first), "--count", str(end - first), "--per-cause", "0")
        if sum(verdicts(whole).values()) != end - first:
            raise Failed(f"the summary of piece {piece} does not say what became of {end - first} programs:\n{whole}")
        # A summary names the first program of each cause: behind it the piece is looked at again.
        while unknown := [cause for cause in causes(said) if not name_of(cause.text, self.known)]:
            program = min(cause.first for cause in unknown)
            reduced.append(self.reduced(piece, program))
            more = any(cause.programs > 1 or cause.first != program for cause in unknown)
            if not more or program + 1 == end:
                break
            said = self.fuzz(piece, "--first", str(program + 1), "--count", str(end - program - 1), "--per-cause", "0")
        part = self.folder / "piece.part"
        part.write_text(whole + "".join(f"{one}\n" for one in reduced), encoding="utf-8")
        part.rename(self.folder / f"piece-{piece:06}.txt")

    def reduced(self, piece, program):
        """The cause of what is left of a program, which stays in a folder of its own if that is not known."""
        folder = self.folder / "findings" / str(program)
        said = self.fuzz(piece, "--first", str(program), "--count", "1", "--out", str(folder))
        # What the reducer cannot make smaller is not written.
        text = "\n".join(path.read_text(encoding="utf-8") for path in folder.glob("*.yaml"))
        named = re.search(r"^# cause: (.+)$", text, re.MULTILINE)
        cause = named[1] if named else causes(said)[0].text
        name = name_of(cause, self.known, text)
        if name:
            shutil.rmtree(folder, ignore_errors=True)
        return Reduced(program, name or cause, bool(name))

    def tell(self):
        """Prints what came of all pieces, and returns whether each cause is known."""
        counts, of_levels, totals = collections.Counter(), collections.Counter(), collections.Counter()
        unknown = {}
        for piece, said in self.summaries().items():
            level, inputs = way(piece)
            for what, programs in verdicts(said).items():
                totals[what] += programs
                of_levels[level] += programs
            for cause in causes(said):
                if name := name_of(cause.text, self.known):
                    counts[name, level] += cause.programs
            for one in reductions(said):
                counts[one.name, level] += 1
                if not one.is_known:
                    unknown.setdefault(one.name, f"first program {one.program}, -{level}, inputs {inputs}")
        print(f"{sum(totals.values())} of {self.read.programs} programs of seed {self.read.seed}: ", end="")
        print(", ".join(f"{programs} {what}" for what, programs in totals.most_common()))
        print("\n".join(self.table(counts, of_levels)))
        for name, where in unknown.items():
            print(f"not known: {name} ({where})")
        return not unknown

    @staticmethod
    def table(counts, of_levels):
        """How many programs of each level have which cause, the most frequent first."""
        rows = [("programs", *(str(of_levels[level]) for level in LEVELS))]
        names = collections.Counter()
        for (name, _), programs in counts.items():
            names[name] += programs
        rows += [(name, *(str(counts[name, level] or "") for level in LEVELS)) for name, _ in names.most_common()]
        width = max(len(row[0]) for row in rows)
        yield f"{'':{width}}" + "".join(f"{'-' + level:>9}" for level in LEVELS)
        for name, *cells in rows:
            yield f"{name:{width}}" + "".join(f"{cell:>9}" for cell in cells)


def natural(text):
    """A number of at least one."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"a number of at least 1, not {text}")
    return number


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0], epilog=__doc__.split("\n\n", 2)[2])
    parser.add_argument("program", type=pathlib.Path, metavar="WARPDIFF")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--ptxas", type=pathlib.Path, metavar="PATH", help="the compiler (default: the one that warpdiff finds)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--programs", type=natural, default=1_000_000, metavar="N", help="programs in all (default 1000000)")
    parser.add_argument("--piece", type=natural, default=500, metavar="N", help="programs in a piece (default 500)")
    parser.add_argument("--minutes", type=float, default=20, metavar="N", help="when to begin no more pieces (default 20)")
    read = parser.parse_args()
    if not read.program.is_file() or read.ptxas and not read.ptxas.is_file():
        parser.error("WARPDIFF and PATH are programs")
    read.program, read.ptxas = read.program.resolve(), read.ptxas and read.ptxas.resolve()
    return read


def main():
    read = arguments()
    until = time.monotonic() + 60 * read.minutes
    failed = False
    try:
        campaign = Campaign(read)
        done = campaign.summaries()
        for piece in range(-(-read.programs // read.piece)):
            if time.monotonic() >= until:
                break
            if piece not in done:
                campaign.run(piece)
    except Failed as why:
        print(f"ci/campaign.py: {why}", file=sys.stderr)
        failed = True
    is_known = failed or campaign.tell()
    sys.exit(2 if failed else int(not is_known))


if __name__ == "__main__":
    main()

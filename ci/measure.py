"""What ci/speed.py and ci/growth.py share: how a command is measured, and the arithmetic of what was measured.

The processor time of a command is user and system time of its process and of the processes that it waited for, as the operating system
counts them. Wall time is from its start to its end. Nothing here judges: see the two scripts.
"""

import hashlib
import math
import os
import pathlib
import platform
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass

# Times and rates in what a command prints; they are those of some run.
TIME = re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|min|programs/s)\b")
# The share of intervals that are to hold the true median.
COVERAGE = 0.95


@dataclass
class Usage:
    """One run of a command."""

    cpu: float
    """User and system time, in seconds."""
    wall: float
    """Seconds from its start to its end."""
    peak: float
    """The most memory of one of its processes, in MiB."""
    code: int
    """Its exit code, less than 0 for a signal."""
    said: str
    """A digest of what it printed on the standard output, times left out."""
    error: str
    """The last line that it printed on the standard error."""


def run(command, folder=None, environment=None):
    """Runs a command to its end."""
    # Files, not pipes: nobody has to read while it runs.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.monotonic()
        child = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said = TIME.sub("", out.read().decode(errors="replace"))
        errors = err.read().decode(errors="replace").strip().splitlines()
    # macOS counts bytes, Linux KiB.
    unit = 1 if platform.system() == "Darwin" else 1024
    return Usage(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        peak=usage.ru_maxrss * unit / (1 << 20),
        code=child.returncode,
        said=hashlib.sha256(said.encode()).hexdigest(),
        error=errors[-1] if errors else "",
    )


def environment():
    """The environment without what changes the output or the work of warpdiff."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "WARPDIFF_"))}


def median(values):
    """The middle value, or the mean of the two in the middle."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values have no median")
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def held(count, rank):
    """How surely the interval from the value number `rank` from below to the one number `rank` from above, of `count` values that do not
    depend on each other, holds the median of what they are drawn from.

    It does not if fewer than `rank` of the values lie on one side of it, each with probability one half. Nothing is assumed of how the values
    are spread: not that noise is small, symmetric or normal.
    """
    outside = sum(math.comb(count, below) for below in range(rank))
    return 1 - 2 * outside / 2**count


def interval(values, coverage=COVERAGE):
    """The narrowest interval between two of the values, as far from below as from above, that holds the median with this probability: its
    ends, and the probability. With too few values for that it is from the least to the greatest, and the probability is less.
    """
    ordered = sorted(values)
    ranks = [rank for rank in range(1, len(ordered) // 2 + 1) if held(len(ordered), rank) >= coverage]
    rank = max(ranks, default=1)
    return ordered[rank - 1], ordered[-rank], max(held(len(ordered), rank), 0.0)


def in_turn(number):
    """Which of two commands runs first in pair `number`: each does so every other time, in case that the first has an advantage."""
    return (0, 1) if number % 2 == 0 else (1, 0)


def exponent(size, cost, larger, larger_cost):
    """The power of the size with which a cost grows from one size to a larger one: 1 where ten times the size costs ten times as much."""
    return math.log(larger_cost / cost) / math.log(larger / size)


def is_beyond(size, cost, larger, larger_cost, tolerance):
    """Whether a cost grows faster than n log n from one size to a larger one, by more than the factor `tolerance`."""
    order = larger * math.log2(larger + 1) / (size * math.log2(size + 1))
    return larger_cost > cost * order * tolerance


def machine():
    """The machine in a line: processor, how many this process may use, memory, system."""
    model = platform.processor() or platform.machine()
    information = pathlib.Path("/proc/cpuinfo")
    if information.is_file():
        named = re.search(r"^model name\s*:\s*(.*)$", information.read_text(), re.M)
        model = named[1] if named else model
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return f"{model}, {count} processors, {memory:.0f} GiB, {platform.system()} {platform.release()}"

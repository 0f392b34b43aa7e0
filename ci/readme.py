"""Holds the transcripts in the documentation against what the commands print, or renews them.

Usage: python3 ci/readme.py [--check] BINARY

A transcript is a `console` block of README.md, CONTRIBUTING.md, docs/*.md or cases/README.md whose first line is `$ warpdiff …`. Its
command is run in the repository root, with colours off, by BINARY. A comment `<!-- lines: N -->` before the block keeps the first N lines
and marks the rest with `…`.

Times and rates are those of some run: a transcript that differs in nothing else is up to date. Others are replaced; with --check they are
left alone, shown as a difference, and the exit code is 1.
"""

import argparse
import difflib
import glob
import re
import shlex
import shutil
import subprocess
import sys

DOCUMENTS = ["README.md", "CONTRIBUTING.md", "cases/README.md", *sorted(glob.glob("docs/*.md"))]
COMMAND = re.compile(r"^\$ warpdiff ", re.M)
BLOCK = re.compile(
    r"(?P<head>(?:<!-- lines: (?P<lines>\d+) -->\n)?```console\n\$ warpdiff (?P<command>[^\n]*)\n)(?P<output>.*?)```\n", re.S
)
# Where the transcripts write. What an earlier run left there would change what `fuzz` says: it keeps one program for each signature.
WRITTEN = "target/findings"
TIME = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s|min|programs/s)\b")


def printed(binary, command, limit):
    """What a command prints, at most so many lines of it."""
    result = subprocess.run(
        f"{shlex.quote(binary)} --color never {command}", shell=True, capture_output=True, text=True, check=False
    )
    lines = [line.rstrip() for line in (result.stdout + result.stderr).rstrip("\n").split("\n")]
    if limit and len(lines) > int(limit):
        lines = lines[: int(limit)] + ["…"]
    return "".join(f"{line}\n" for line in lines)


def without_times(output):
    """An output in which every time and rate is the same."""
    return TIME.sub("…", output)


def renewed(document, text, binary, stale):
    """The text of a document with its transcripts renewed; the differences are added to `stale`."""

    def replace(match):
        output = printed(binary, match["command"], match["lines"])
        old, new = without_times(match["output"]), without_times(output)
        if old == new:
            return match[0]
        names = (f"{document}: warpdiff {match['command']}", "what it prints")
        stale.extend(difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm=""))
        return f"{match['head']}{output}```\n"

    return BLOCK.sub(replace, text)


def main():
    parser = argparse.ArgumentParser(description="Checks or renews the transcripts in the documentation.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a transcript is out of date")
    parser.add_argument("binary")
    arguments = parser.parse_args()
    shutil.rmtree(WRITTEN, ignore_errors=True)
    stale, count = [], 0
    for document in DOCUMENTS:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        blocks = len(BLOCK.findall(text))
        if blocks != len(COMMAND.findall(text)):
            sys.exit(f"error: {document}: a line `$ warpdiff …` does not begin a `console` block, so that nothing checks its output")
        count += blocks
        new = renewed(document, text, arguments.binary, stale)
        if not arguments.check and new != text:
            with open(document, "w", encoding="utf-8") as file:
                file.write(new)
    print("\n".join(stale + [f"{count} transcripts"]))
    if arguments.check and stale:
        sys.exit(
            "error: transcripts are out of date; renew them with\n"
            f"  python3 ci/readme.py {shlex.quote(arguments.binary)}"
        )


main()

"""Runs the commands shown in README.md and puts their real output below them.

Usage: cargo build --release && python3 ci/readme.py target/release/warpdiff

A block that begins with `$ warpdiff …` is run in the repository root, with colours off; its output replaces what stood there. A comment
`<!-- lines: N -->` before the block keeps the first N lines and marks the rest with `…`. Times are those of the run.
"""

import re
import subprocess
import sys

README = "README.md"
BLOCK = re.compile(r"(?P<limit><!-- lines: (?P<lines>\d+) -->\n)?```console\n\$ warpdiff (?P<command>[^\n]*)\n(?P<output>.*?)```\n", re.S)


def shown(binary, match):
    """The block with the output of its command."""
    command = match["command"]
    result = subprocess.run(
        f"{binary} --color never {command}", shell=True, capture_output=True, text=True, check=False
    )
    lines = (result.stdout + result.stderr).rstrip("\n").split("\n")
    limit = int(match["lines"]) if match["lines"] else len(lines)
    if len(lines) > limit:
        lines = lines[:limit] + ["…"]
    print(f"exit {result.returncode}  warpdiff {command}", file=sys.stderr)
    output = "\n".join(line.rstrip() for line in lines)
    return f"{match['limit'] or ''}```console\n$ warpdiff {command}\n{output}\n```\n"


def main():
    binary = sys.argv[1]
    text = open(README, encoding="utf-8").read()
    text = BLOCK.sub(lambda match: shown(binary, match), text)
    open(README, "w", encoding="utf-8").write(text)


main()

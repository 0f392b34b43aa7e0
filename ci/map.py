"""Writes the list of files at the end of CONTRIBUTING.md, or checks that it is up to date.

Usage: python3 ci/map.py [--check]

A line of the list is a source file of a crate and the first sentence of its documentation; `mod.rs` speaks for its folder and `lib.rs`
for its crate. Crates stand in the order of the workspace, folders before what is in them. Files of tests are left out. With --check
nothing is written, what is out of date is shown as a difference, and the exit code is 1.
"""

import difflib
import pathlib
import re
import sys
import tomllib

DOCUMENT = pathlib.Path("CONTRIBUTING.md")
HEADING = "## Every file\n"
TESTS = re.compile(r"(^|[/_])tests(\.rs|/)")
SENTENCE = re.compile(r"(.*?[^.])\.?(?:$|(?<=\.) (?=[A-Z`\[]).*)")
LINK = re.compile(r"\[(`[^`]*`)\](\([^)]*\))?")


def first_sentence(path):
    """The first sentence of a file's documentation, without its full stop."""
    lines = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("//! "):
            lines.append(line[4:])
        elif lines or line and not line.startswith("//"):
            break
    if not lines:
        sys.exit(f"error: {path}: there is no `//!` line that says what the file holds")
    return LINK.sub(r"\1", SENTENCE.match(" ".join(lines))[1])


def order(source, path):
    """Files before the folders beside them, and the file that speaks for a folder before all else in it."""
    *folders, name = path.relative_to(source).parts
    return [(1, folder) for folder in folders] + [(0, "" if name in ("mod.rs", "lib.rs") else name)]


def crate(folder):
    """The part of the list about one crate."""
    source = folder / "src"
    files = [path for path in source.rglob("*.rs") if not TESTS.search(str(path.relative_to(source)))]
    for path in sorted(files, key=lambda path: order(source, path)):
        name = str(path.relative_to(source))
        if name == "lib.rs":
            yield f"\n### {folder}\n\n{first_sentence(path)}.\n\n"
        else:
            yield f"- `{name.removesuffix('mod.rs')}`: {first_sentence(path)}\n"


def main():
    members = tomllib.loads(pathlib.Path("Cargo.toml").read_text(encoding="utf-8"))["workspace"]["members"]
    crates = [pathlib.Path(member) for member in members if pathlib.Path(member, "src/lib.rs").exists()]
    text = DOCUMENT.read_text(encoding="utf-8")
    kept, heading, old = text.partition(HEADING)
    introduction = old.partition("\n### ")[0]
    new = introduction + "".join(line for folder in crates for line in crate(folder))
    if not heading:
        sys.exit(f"error: {DOCUMENT} lacks the heading `{HEADING.strip()}`")
    if "--check" not in sys.argv[1:]:
        DOCUMENT.write_text(kept + heading + new, encoding="utf-8")
    elif old != new:
        names = ("the list of files in CONTRIBUTING.md", "as `python3 ci/map.py` writes it")
        sys.exit("\n".join(difflib.unified_diff(old.splitlines(), new.splitlines(), *names, lineterm="", n=0)))


if __name__ == "__main__":
    main()

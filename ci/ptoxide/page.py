"""Writes into docs/ptoxide.md what the results of a run of warpdiff say of ptoxide.

Usage: python3 ci/ptoxide/page.py [--check] RESULTS

RESULTS is a file of `warpdiff run --results`. The tables between `<!-- made: NAME -->` and `<!-- end -->` are replaced; with --check nothing is
written, and the exit code is 1 if a table differs.
"""

import argparse
import collections
import json
import re
import sys

PAGE = "docs/ptoxide.md"
TABLE = re.compile(r"(?P<head><!-- made: (?P<name>[a-z]+) -->\n)(?P<table>.*?)(?P<end><!-- end -->\n)", re.S)
# Reasons of which there are fewer are counted together.
FEWEST = 3


def variants(path):
    """The variants of a file of results with what the one target of the run did."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if lines[-1]["line"] != "summary" or "partial" in lines[-1]:
        sys.exit(f"error: {path}: the run was not finished")
    return [(line, line["targets"][0]) for line in lines if line["line"] == "variant"]


def table(head, rows):
    """A table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(str(cell) for cell in line) + " |\n" for line in lines)


def code(text):
    """A text as code in a cell."""
    return "`" + text.replace("|", "\\|") + "`"


def reason(target):
    """Why it has no verdict."""
    return target.get("why", "").removeprefix("unsupported: ")


def is_its_own(target):
    """Whether it was asked: warpdiff does not send what a worker does not offer, nor programs of SPA 5.0 that PTX cannot say."""
    return not reason(target).startswith(("the target does not", "SPA 5.0", "not run"))


def counts(found):
    """What became of the variants, by subject."""
    subjects = collections.defaultdict(collections.Counter)
    for variant, target in found:
        status = {"inconsistent": "conforms", "hung": "violates"}.get(target["status"], target["status"])
        subjects[variant["subject"]][status if is_its_own(target) else "not asked"] += 1
    total = sum(subjects.values(), collections.Counter())
    shown = ["conforms", "violates", "crashed", "unsupported"]
    others = {status for count in subjects.values() for status in count} - {*shown, "not asked"}
    if others:
        sys.exit(f"error: no column for {', '.join(sorted(others))}")
    rows = []
    for name, count in [*sorted(subjects.items()), ("**all**", total)]:
        asked = count.total() - count["not asked"]
        if asked:
            rows.append([name, asked, *(count[status] or "·" for status in [*shown, "not asked"])])
    return table(["subject", "asked", "conforms", "wrong", "crashes", "refuses", "not asked"], rows)


def refusals(found):
    """Why it refuses programs."""
    reasons = collections.Counter(reason(t) for _, t in found if t["status"] == "unsupported" and is_its_own(t))
    often = [(why, count) for why, count in sorted(reasons.items(), key=lambda one: (-one[1], one[0])) if count >= FEWEST]
    rest = [count for why, count in reasons.items() if count < FEWEST]
    rows = [[count, code(why)] for why, count in often]
    rows += [[sum(rest), f"{len(rest)} other reasons"]] if rest else []
    return table(["variants", "what the worker answers"], rows)


def mistakes(found):
    """What it does wrong, by cause: one line a class of mismatches and instruction, with the first example."""
    causes = collections.defaultdict(list)
    for variant, target in found:
        if not target.get("findings") or target["status"] not in ("violates", "hung", "crashed"):
            continue
        finding = target["findings"][0]
        family = finding.get("instruction", {}).get("family", "")
        by = ", ".join(finding["reproduced_by"])
        causes[(finding["class"], family, by)].append((variant["id"], finding))
    rows = []
    for (kind, family, by), examples in sorted(causes.items(), key=lambda one: (-len(one[1]), one[0])):
        name, finding = examples[0]
        instruction = finding.get("instruction", {}).get("text", "")
        rows.append([len(examples), kind, code(instruction or family), code(by) if by else "", said(finding["differences"][0]), name])
    return table(["variants", "class", "instruction", "as the deviation", "for example", "in the case"], rows)


def said(difference):
    """A difference in a few words."""
    if "observed_value" in difference:
        inputs = ", ".join(f"{name} = {value}" for name, value in difference.get("inputs", []))
        behind = f" of {inputs}" if inputs else ""
        return f"{difference['observed_value']} instead of {difference['expected_value']}{behind}"
    words = difference["detail"].split("panicked at ")[-1].replace("\n", " ")
    words = re.sub(r"\S*/(ptoxide-[^/]+/)", r"\1", words)
    return re.sub(r"\s+", " ", words).replace("|", "\\|")


def main():
    parser = argparse.ArgumentParser(description="Writes into docs/ptoxide.md what results say of ptoxide.")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a table is out of date")
    parser.add_argument("results")
    arguments = parser.parse_args()
    found = variants(arguments.results)
    made = {"counts": counts, "refusals": refusals, "mistakes": mistakes}
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    new = TABLE.sub(lambda match: match["head"] + made[match["name"]](found) + match["end"], text)
    if arguments.check and new != text:
        sys.exit(f"error: {PAGE} is out of date; ci/ptoxide.sh --bless renews it")
    if not arguments.check:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(new)


main()

"""Checks the licences of all packages in the output of `cargo metadata` against the list in deny.toml.

Usage: cargo metadata --format-version 1 | python3 ci/licences.py deny.toml

An SPDX expression is met when one alternative of every `AND` part is on the list. Exits with 1 and names the packages otherwise.
"""

import json
import re
import sys


def allowed_licences(path):
    """The `allow` list of the `[licenses]` table."""
    text = open(path, encoding="utf-8").read()
    table = re.search(r"^\[licenses\]\n(.*?)(?=^\[|\Z)", text, re.S | re.M)
    listed = table and re.search(r"^allow\s*=\s*\[(.*?)\]", table.group(1), re.S | re.M)
    if not listed:
        sys.exit(f"error: {path} has no list `allow` in [licenses]")
    return set(re.findall(r'"([^"]+)"', listed.group(1)))


def tokens(expression):
    """Words and parentheses; the old `/` between licences means `OR`."""
    return re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))


def met(expression, allowed):
    """Whether an SPDX expression can be met from the list: `OR` binds weaker than `AND`."""
    words = tokens(expression)
    position = 0

    def peek():
        return words[position] if position < len(words) else None

    def take():
        nonlocal position
        position += 1
        return words[position - 1]

    def atom():
        word = take()
        if word == "(":
            value = either()
            if peek() == ")":
                take()
            return value
        if peek() == "WITH":
            take()
            word = f"{word} WITH {take()}"
        return word in allowed

    def both():
        value = atom()
        while peek() == "AND":
            take()
            value = atom() and value
        return value

    def either():
        value = both()
        while peek() == "OR":
            take()
            value = both() or value
        return value

    return either() and position == len(words)


def main():
    allowed = allowed_licences(sys.argv[1])
    packages = json.load(sys.stdin)["packages"]
    wrong = []
    for package in packages:
        licence = package.get("license")
        if not licence or not met(licence, allowed):
            wrong.append(f"{package['name']} {package['version']}: {licence or 'no licence stated'}")
    for line in sorted(wrong):
        print(f"error: {line}")
    print(f"{len(packages)} packages, {len(wrong)} with a licence that is not on the list")
    sys.exit(1 if wrong else 0)


main()

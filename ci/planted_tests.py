#!/usr/bin/env python3
"""Tests of ci/planted.py: what it reads of `fuzz`, whose turn it is, and what it says of a warpdiff that finds or keeps something else.

    python3 ci/planted_tests.py"""

import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import planted

HERE = pathlib.Path(__file__).resolve().parent

SUMMARY = """128 programs of seed 1 against emulator+atom.inc-off-by-one
  120 conform, 8 violate the specification
  2.0 s, 980 programs/s

  programs     first  cause
         5        40  atom.inc: atomicity, reproduced exactly by atom.inc-off-by-one
                      found/atom.inc 1:40.yaml: 3 of 61 instructions are left, 1 beside loads of inputs and stores of outputs
                      found/other.yaml
         3         7  several instructions: value
"""

# A warpdiff of which the environment says what it gets wrong.
STUB = """#!/usr/bin/env -S python3 -IS
import json, os, pathlib, sys
words, flaw = sys.argv[1:], {flaw!r}
option = lambda name: words[words.index(name) + 1]
if words[0] == "deviations":
    one = {{"id": "a.b", "runs": True, "dialects": ["ptx"]}}
    print(json.dumps([one, one | {{"id": "a.c"}}, one | {{"id": "a.d", "not_generated": "why"}}, one | {{"id": "a.e", "runs": False}}]))
elif words[0] == "fuzz":
    if flaw == "conforms":
        sys.exit(0)
    print("  programs     first  cause")
    name = option("--against").removeprefix("emulator+")
    print(f"         2         7  add: value, reproduced exactly by {{'x.y' if flaw == 'other' else name}}")
    if "--out" in words:
        folder = pathlib.Path(option("--out"))
        folder.mkdir(parents=True)
        (folder / "case.yaml").write_text("")
        left = 6 if flaw == "large" else 1
        print(f"                      {{folder}}/case.yaml: 9 of 60 instructions are left, {{left}} beside loads of inputs and stores of outputs")
    sys.exit(1)
elif "--bless" in words:
    # As it does in a workflow, where nothing is to be recorded.
    sys.exit(2 if flaw == "corpus" or os.environ.get("CI") == "true" else 0)
else:
    wrong = {{"never": False, "always": True}}.get(flaw, "+" in option("--against"))
    status = "violates" if wrong else "conforms"
    pathlib.Path(option("--results")).write_text(json.dumps({{"line": "variant", "targets": [{{"status": status}}]}}) + "\\n")
    print("that is all")
    sys.exit(int(wrong))
"""


class Reading(unittest.TestCase):
    def test_causes_with_their_cases(self):
        first, second = planted.causes(SUMMARY)
        self.assertEqual((first.first, second.first), (40, 7))
        self.assertEqual(first.cases, [("found/atom.inc 1:40.yaml", 61, 3, 1), ("found/other.yaml", None, None, None)])
        self.assertTrue(first.is_named("atom.inc-off-by-one"))
        # A name that ends alike is another one.
        self.assertFalse(first.is_named("inc-off-by-one"))
        self.assertFalse(second.is_named("atom.inc-off-by-one"))
        self.assertEqual(planted.causes("128 programs\n  128 conform\n"), [])


class Turns(unittest.TestCase):
    def test_all_have_their_turn_before_one_has_its_second(self):
        everything = list(range(357))
        for first_day in (1, 17, 300):
            days = [planted.rotating(everything, 20, day) for day in range(first_day, first_day + 18)]
            self.assertTrue(all(19 <= len(day) <= 20 for day in days))
            self.assertEqual(sorted(one for day in days for one in day), everything)
            # From all parts of the list: one family, or one dialect, is not a night of its own.
            self.assertTrue(all(day[0] < 18 and day[-1] >= 357 - 18 for day in days))

    def test_of_few_all_are_taken_once(self):
        self.assertEqual(planted.rotating([1, 2, 3], 20, 5), [1, 2, 3])


class Verdicts(unittest.TestCase):
    def said(self, flaw, *options):
        with tempfile.TemporaryDirectory() as folder:
            stub = pathlib.Path(folder) / "warpdiff"
            stub.write_text(STUB.format(flaw=flaw), encoding="utf-8")
            stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
            command = [sys.executable, HERE / "planted.py", stub, *options]
            done = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=os.environ | {"CI": "true"}
            )
            return done.returncode, done.stdout

    def test_what_is_found_named_and_kept_is_right(self):
        code, said = self.said("none")
        self.assertEqual(code, 0, said)
        lines = [line.split("\t") for line in said.splitlines() if "\t" in line]
        self.assertEqual([line[0] for line in lines], ["deviation", "a.b", "a.c"])
        row = dict(zip(lines[0], lines[1]))
        self.assertEqual([row[name] for name in ("first", "before", "after", "beside", "cases", "others", "wrong")], ["7", "60", "9", "1", "1", "0", ""])

    def test_each_flaw_is_said(self):
        for flaw, words in [
            ("conforms", "not found"),
            ("corpus", "blessing ends with 2"),
            ("never", "with the deviation: that is all"),
            ("always", "without the deviation: that is all"),
            ("large", "median 6"),
        ]:
            code, said = self.said(flaw, "a.b")
            self.assertEqual(code, 1, f"{flaw}: {said}")
            self.assertIn(words, said, flaw)

    def test_another_name_is_no_flaw_but_told(self):
        code, said = self.said("other", "a.b")
        self.assertEqual(code, 0, said)
        self.assertIn("\t1\tx.y\t", said)
        self.assertIn("0 are put down to the deviation", said)

    def test_a_table_is_continued(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder) / "table.tsv"
            code, said = self.said("never", "--table", table, "a.b")
            self.assertEqual(code, 1, said)
            # The first line is that of the run before; only the second deviation is asked about.
            code, said = self.said("none", "--table", table, "--page", pathlib.Path(folder) / "page.md")
            self.assertEqual(code, 1, said)
            self.assertIn("2 lines, 1 with something wrong", said)
            self.assertEqual(len(table.read_text(encoding="utf-8").splitlines()), 3)
            page = (pathlib.Path(folder) / "page.md").read_text(encoding="utf-8")
            self.assertIn("| `a.b` | ptx | 1 | 7 |", page)
            self.assertIn("with the deviation: that is all |", page)

    def test_an_unknown_deviation_is_wrong_usage(self):
        for name in ("a.d", "a.e", "nothing"):
            code, said = self.said("none", name)
            self.assertEqual(code, 2)
            self.assertIn(f"generated programs show no deviation `{name}`", said)


if __name__ == "__main__":
    unittest.main()

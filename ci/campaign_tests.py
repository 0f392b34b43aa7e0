#!/usr/bin/env python3
"""Tests of ci/campaign.py: what it reads of `fuzz`, which way each piece goes, how it goes on, and what it says of causes.

    python3 ci/campaign_tests.py"""

import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

import campaign

HERE = pathlib.Path(__file__).resolve().parent

SUMMARY = """500 programs of seed 1 against compiled+O3
  450 conform, 40 violate the specification, 10 are unsupported by the target
  2.0 s, 250 programs/s
         1  are unsupported by the target: in the machine code: `TEX.P R4` (the direction)

  programs     first  cause
        40        25  several instructions: value, reproduced exactly by ptxas.borrow-inverted
         2       410  vset.s32.u32.ne.add: out-of-bounds error
"""

# A warpdiff that notes how it is called. Programs 3 and 7 have a cause that nobody knows before they are reduced; 7 keeps it.
STUB = """#!/usr/bin/env -S python3 -IS
import pathlib, sys
words = sys.argv[1:]
option = lambda name: words[words.index(name) + 1]
with open({log!r}, "a") as log:
    print(option("--against"), option("--inputs"), option("--first"), option("--count"), file=log)
first, count = int(option("--first")), int(option("--count"))
if {broken} and first >= 8:
    print("error: no room", file=sys.stderr)
    sys.exit(4)
odd = [one for one in (3, 7) if first <= one < first + count]
print(f"{{count}} programs\\n  {{count - len(odd) - {lost}}} conform, {{len(odd)}} violate the specification\\n")
if odd:
    print(f"  programs     first  cause\\n{{len(odd):10}}{{odd[0]:10}}  several instructions: value")
if "--out" in words:
    folder = pathlib.Path(option("--out"))
    folder.mkdir(parents=True)
    name = "vset.s32.u32.ne: value" if first == 3 else "add.s32: value"
    (folder / "case.yaml").write_text(f"# Found.\\n# cause: {{name}}\\n")
sys.exit(bool(odd))
"""


class Reading(unittest.TestCase):
    known = campaign.known_causes((HERE / "compiled-causes.txt").read_text(encoding="utf-8"))

    def test_verdicts_and_causes(self):
        verdicts = {"conform": 450, "violate the specification": 40, "are unsupported by the target": 10}
        self.assertEqual(campaign.verdicts(SUMMARY), verdicts)
        named = [(cause.programs, cause.first, campaign.name_of(cause.text, self.known)) for cause in campaign.causes(SUMMARY)]
        self.assertEqual(named, [(40, 25, "ptxas.borrow-inverted"), (2, 410, "vset of a constant")])
        self.assertEqual(campaign.causes("500 programs\n  500 conform\n"), [])

    def test_a_cause_may_need_its_program(self):
        text = "several instructions: addressing, reproduced exactly by generic.cut-to-32"
        self.assertIsNone(campaign.name_of(text, self.known))
        self.assertIsNone(campaign.name_of(text, self.known, "vset.u32.u32.ge %r1, 0, %r2;"))
        self.assertEqual(campaign.name_of(text, self.known, "vset.u32.u32.ge %r1, 0, 1;"), "vset of a constant")
        self.assertEqual(campaign.name_of(text, self.known, "vset.u32.s32.le %r1.b2, 0, 1, 0;"), "vset of a constant")

    def test_a_part_of_the_first_source_of_a_shift_is_none_of_the_amount(self):
        text = "vshl.s32.u32.u32.sat.clamp: value"
        self.assertIsNone(campaign.name_of(text, self.known, "vshl.s32.u32.u32.sat.clamp %r2, %r1.b3, %r4;"))
        self.assertEqual(
            campaign.name_of(text, self.known, "vshl.s32.u32.u32.sat.clamp %r2, 2, %r1.b3;"), "part of a constant, shifted out"
        )

    def test_a_line_of_the_known_causes_needs_its_fields(self):
        with self.assertRaisesRegex(campaign.Failed, "has a name, an expression and at most one more"):
            campaign.known_causes("# a comment\nno tabs\n")

    def test_a_known_line_is_known_as_a_whole(self):
        text = "vset.u32.s32.ge.add after others: value"
        self.assertEqual(campaign.name_of(text, self.known), "vset of a constant")
        self.assertIsNone(campaign.name_of(f"{text}, in bits that the machine code leaves undefined", self.known))
        self.assertIsNone(campaign.name_of("vset.u32.s32.ge: conversion", self.known))

    def test_each_level_meets_each_kind_of_inputs(self):
        self.assertEqual(len({campaign.way(piece) for piece in range(12)}), 12)
        self.assertEqual([campaign.way(piece)[0] for piece in range(5)], ["O0", "O1", "O2", "O3", "O0"])
        self.assertEqual(campaign.way(4)[1], "immediate")


class Going(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_it(self, *options, broken=False, lost=0):
        stub, log = self.folder / "warpdiff", self.folder / "log"
        log.write_text("", encoding="utf-8")
        stub.write_text(STUB.format(log=str(log), broken=broken, lost=lost), encoding="utf-8")
        stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
        command = [sys.executable, HERE / "campaign.py", stub, self.folder / "kept", "--piece", "4", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout, log.read_text(encoding="utf-8").splitlines()

    def test_programs_are_reduced_and_named_by_what_is_left(self):
        code, said, calls = self.run_it("--programs", "10")
        self.assertEqual(code, 1, said)
        self.assertIn("10 of 10 programs of seed 1: 8 conform, 2 violate the specification", said)
        self.assertIn("not known: add.s32: value (first program 7, -O1, inputs loaded)", said)
        self.assertRegex(said, r"vset of a constant +1 *\n")
        self.assertEqual([path.name for path in (self.folder / "kept" / "findings").iterdir()], ["7"])
        way = "compiled+O0 loaded", "compiled+O1 loaded", "compiled+O2 loaded"
        self.assertEqual(calls, [f"{way[0]} 0 4", f"{way[0]} 3 1", f"{way[1]} 4 4", f"{way[1]} 7 1", f"{way[2]} 8 2"])
        # Nothing is done twice, and what is kept is told again.
        self.assertEqual(self.run_it("--programs", "10"), (1, said, []))

    def test_a_piece_that_fails_is_run_again(self):
        code, said, _ = self.run_it("--programs", "10", broken=True)
        self.assertEqual(code, 2, said)
        self.assertIn("ended with 4: error: no room", said)
        code, said, calls = self.run_it("--programs", "10")
        self.assertEqual((code, calls), (1, ["compiled+O2 loaded 8 2"]))

    def test_a_summary_that_leaves_programs_out_is_refused(self):
        code, said, _ = self.run_it("--programs", "3", lost=1)
        self.assertEqual(code, 2, said)
        self.assertIn("the summary of piece 0 does not say what became of 3 programs", said)

    def test_no_piece_is_begun_after_the_time(self):
        code, said, calls = self.run_it("--programs", "10", "--minutes", "0")
        self.assertEqual((code, calls), (0, []))
        self.assertIn("0 of 10 programs", said)

    def test_a_folder_is_of_one_campaign(self):
        self.run_it("--programs", "3")
        code, said, _ = self.run_it("--seed", "2")
        self.assertEqual(code, 2)
        self.assertIn('has a campaign of {"seed": 1, "piece": 4}', said)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Tests of the arithmetic of ci/measure.py, ci/speed.py and ci/growth.py, and of what they say about commands that fail. No test asserts a time.

    python3 ci/measure_tests.py"""

import itertools
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import growth
import measure
import speed

HERE = pathlib.Path(__file__).resolve().parent


class Arithmetic(unittest.TestCase):
    def test_median(self):
        self.assertEqual(measure.median([3, 1, 2]), 2)
        self.assertEqual(measure.median([4, 1, 2, 3]), 2.5)
        self.assertRaises(ValueError, measure.median, [])

    def test_probability_that_an_interval_holds_the_median(self):
        # All five on one side of the median: twice one in 32.
        self.assertEqual(measure.held(5, 1), 1 - 2 / 32)
        # Nine of which none or one lies on a side: twice 1 + 9 in 512.
        self.assertEqual(measure.held(9, 2), 1 - 2 * 10 / 512)
        # From the middle value to itself.
        self.assertEqual(measure.held(1, 1), 0)

    def test_interval(self):
        values = [5, 1, 9, 3, 7, 2, 8, 4, 6]
        self.assertEqual(measure.interval(values), (2, 8, 1 - 20 / 512))
        # A wild value at either end moves nothing.
        self.assertEqual(measure.interval([*values[:2], 9000, *values[3:]])[:2], (2, 8))
        # Too few for 95 %: all of them, and how surely that is.
        self.assertEqual(measure.interval([2, 1, 3]), (1, 3, 1 - 2 / 8))
        self.assertEqual(measure.interval([2]), (2, 2, 0))

    def test_interval_is_the_narrowest_that_is_sure_enough(self):
        for count in range(6, 60):
            values = list(range(count))
            low, high, held = measure.interval(values)
            self.assertEqual(low, count - 1 - high)
            self.assertGreaterEqual(held, measure.COVERAGE)
            self.assertLess(measure.held(count, low + 2), measure.COVERAGE)

    def test_interval_holds_the_median_as_often_as_it_says(self):
        # Times are skewed: here the median is ln 2 and the mean 1. The seed is fixed, so the count is the same in every run.
        numbers = random.Random(16)
        tries = 4000
        for count in (7, 9, 15):
            intervals = [measure.interval([numbers.expovariate(1) for _ in range(count)]) for _ in range(tries)]
            share = sum(low <= math.log(2) <= high for low, high, _ in intervals) / tries
            # Three standard deviations of a share of about 0.97.
            self.assertAlmostEqual(share, measure.held(count, {7: 1, 9: 2, 15: 4}[count]), delta=0.01)

    def test_each_runs_first_in_every_other_pair(self):
        self.assertEqual([measure.in_turn(n)[0] for n in range(4)], [0, 1, 0, 1])
        self.assertTrue(all(sorted(measure.in_turn(n)) == [0, 1] for n in range(4)))


class Growth(unittest.TestCase):
    def test_exponent(self):
        self.assertAlmostEqual(measure.exponent(10, 3, 100, 30), 1)
        self.assertAlmostEqual(measure.exponent(10, 3, 100, 300), 2)
        self.assertAlmostEqual(measure.exponent(10, 3, 1000, 3), 0)

    def test_n_log_n_is_within_and_more_is_beyond(self):
        sizes = [10**n for n in range(2, 7)]
        for a, b in itertools.pairwise(sizes):
            cost = lambda n: n * math.log2(n + 1)
            self.assertFalse(measure.is_beyond(a, cost(a), b, cost(b), 1.01))
            self.assertFalse(measure.is_beyond(a, a, b, b, 1.01))
            self.assertTrue(measure.is_beyond(a, a**1.5, b, b**1.5, 1.5))
            self.assertTrue(measure.is_beyond(a, a**2, b, b**2, 5))

    def test_a_fixed_cost_is_taken_off(self):
        # 0.02 s whatever the size, and a microsecond for each: linear, which the bare times would show as less.
        measured = [(size, 0.02 + size * 1e-6) for size in (1, 1000, 10_000, 100_000, 1_000_000)]
        costs, beyond = growth.assess(measured)
        self.assertFalse(beyond)
        self.assertAlmostEqual(costs[-1].exponent, 1, places=2)
        self.assertAlmostEqual(costs[-1].each, 1e-6, places=9)

    def test_quadratic_cost_is_found(self):
        measured = [(size, 0.02 + size**2 * 1e-9) for size in (1, 100, 1000, 10_000, 100_000)]
        costs, beyond = growth.assess(measured)
        self.assertTrue(beyond)
        self.assertAlmostEqual(costs[-1].exponent, 2, places=2)

    def test_what_is_too_short_to_measure_is_not_judged(self):
        # 1 and 5 ms more than nothing are the noise of a process's start.
        costs, beyond = growth.assess([(1, 0.02), (100, 0.021), (1000, 0.025)])
        self.assertFalse(beyond)
        self.assertEqual([cost.exponent for cost in costs], [None, None, None])


def usage(cpu, wall=1.0, said="", code=0):
    return measure.Usage(cpu=cpu, wall=wall, peak=1.0, code=code, said=said, error="")


class Lines(unittest.TestCase):
    def verdict(self, pairs):
        return speed.line_of([(usage(old), usage(new)) for old, new in pairs]).verdict(1.25)

    def test_ratios_are_old_over_new(self):
        line = speed.line_of([(usage(2.0, 8.0), usage(1.0, 2.0)), (usage(3.0, 9.0), usage(1.0, 3.0))])
        self.assertEqual((line.cpu, line.wall, line.seconds), ([2.0, 3.0], [4.0, 3.0], (2.5, 1.0)))

    def test_only_a_whole_interval_decides(self):
        self.assertEqual(self.verdict([(2, 1)] * 9), ("faster", False))
        self.assertEqual(self.verdict([(10, 11)] * 9), ("slower", False))
        self.assertEqual(self.verdict([(1, 2)] * 9), ("SLOWER, by more than 1.25", True))
        # Of nine the second from either end decides: one stray pair does not, two do.
        self.assertEqual(self.verdict([(1, 2)] + [(2, 1)] * 8), ("faster", False))
        self.assertEqual(self.verdict([(1, 2)] * 2 + [(2, 1)] * 7), ("no difference shown", False))
        # Slower for certain, but by how much is not.
        self.assertEqual(self.verdict([(10, 11)] * 2 + [(1, 2)] * 7), ("slower", False))

    def test_few_pairs_decide_nothing(self):
        self.assertEqual(self.verdict([(1, 9)] * 5), ("too few pairs to say", False))
        self.assertEqual(self.verdict([(1, 9)] * 6), ("SLOWER, by more than 1.25", True))

    def test_a_run_without_measurable_time_has_a_ratio(self):
        self.assertEqual(speed.line_of([(usage(0.0), usage(0.0))]).cpu, [1.0])

    def test_other_output_is_said(self):
        same = speed.shown(speed.line_of([(usage(1), usage(1))] * 9), 1.25)
        other = speed.shown(speed.line_of([(usage(1, said="a"), usage(1, said="b"))] * 9), 1.25)
        self.assertNotIn("differs", same)
        self.assertIn("no difference shown; what they print differs", other)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stand_in(self, name, does):
        """A program in the place of warpdiff, which does this for every command but `export`."""
        path = self.folder / name
        path.write_text(f'#!/bin/sh\nif [ "$3" = export ] || [ "$1" = export ]; then mkdir -p "$2/cases"; exit 0; fi\n{does}\n')
        path.chmod(0o755)
        return path

    def compare(self, old, new, *options):
        command = [sys.executable, HERE / "speed.py", old, new, "--pairs", "1", "--slower", "1000000", *options]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def test_times_in_the_output_make_no_difference_and_other_words_do(self):
        said = [measure.run([sys.executable, "-c", f"print('{words}')"]).said for words in ("1 in 3 ms", "1 in 12.5 s", "2 in 3 ms")]
        self.assertEqual(said[0], said[1])
        self.assertNotEqual(said[0], said[2])

    def test_how_a_command_ended_is_seen(self):
        ended = measure.run([sys.executable, "-c", "import sys; print('a\\nb', file=sys.stderr); sys.exit(5)"])
        self.assertEqual((ended.code, ended.error), (5, "b"))
        self.assertEqual(measure.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]).code, -9)

    def test_a_binary_against_itself(self):
        good = self.stand_in("good", "echo fine")
        code, said = self.compare(good, good, "--only", "list", "--only", "driver library")
        self.assertEqual(code, 0, said)
        self.assertIn("1 of 2 commands compared, 0 worse for certain", said)
        self.assertIn("left out: there is no libwarpdiff_cuda.so beside", said)

    def test_a_command_that_only_the_new_one_cannot_do_is_worse(self):
        good, bad = self.stand_in("good", "exit 1"), self.stand_in("bad", "echo 'error: no' >&2; exit 2")
        code, said = self.compare(good, bad, "--only", "list", "--only", "fuzz, PTX")
        self.assertEqual(code, 1, said)
        self.assertIn("left out: NEW ended with 2: error: no", said)
        # The other way round nothing is worse; but nothing was compared either.
        code, said = self.compare(bad, good, "--only", "list")
        self.assertEqual(code, 2, said)
        self.assertIn("left out: OLD ended with 2: error: no", said)

    def test_a_binary_without_a_corpus_needs_one_named(self):
        none = self.folder / "none"
        none.write_text("#!/bin/sh\n[ \"$1\" != export ]\n")
        none.chmod(0o755)
        code, said = self.compare(none, none, "--only", "list")
        self.assertEqual(code, 2, said)
        self.assertIn("none gives no corpus (`export` ends with 1): name one with --corpus", said)
        code, said = self.compare(none, none, "--only", "list", "--corpus", str(self.folder))
        self.assertEqual(code, 0, said)
        code, said = self.compare(none, none, "--corpus", str(self.folder / "missing"))
        self.assertEqual(code, 2, said)
        self.assertIn("there is no folder", said)

    def test_every_command_is_shown(self):
        listed = subprocess.run([sys.executable, HERE / "speed.py", "--list"], capture_output=True, text=True, check=True)
        self.assertEqual(len(listed.stdout.splitlines()), len(speed.measures()))


if __name__ == "__main__":
    os.chdir(HERE.parent)
    unittest.main()

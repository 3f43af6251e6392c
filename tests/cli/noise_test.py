"""chronoveil noise, from outside: what it prints, how it fails, how it ends."""

import os
import subprocess
import unittest
from fractions import Fraction

from program import PROGRAM, ProgramTest, run

LAWS = ("rounded_laplace", "rounded_gaussian", "discrete_laplace", "discrete_gaussian")


def noise(*arguments):
    return ("noise", "--law", "rounded_laplace", "--scale", "2", *arguments)


class Noise(ProgramTest):
    def test_prints_one_multiple_of_the_grid_a_line(self):
        for law in LAWS:
            for grid, step in (("2^-20", Fraction(1, 2**20)), ("0.25", Fraction(1, 4)), ("4", Fraction(4))):
                out = self.assert_succeeds("noise", "--law", law, "--scale", "8", "--grid", grid, "--count", "3000")
                values = [Fraction(line) for line in out.splitlines()]
                self.assertEqual(len(values), 3000)
                self.assertTrue(all((value / step).denominator == 1 for value in values))
                self.assertTrue(any(value < 0 for value in values) and any(value > 0 for value in values))

    def test_the_default_grid_is_the_largest_within_a_millionth_of_the_scale(self):
        self.assertEqual(self.assert_json(*noise())["grid"], 2.0**-19)

    def test_json_says_what_was_drawn(self):
        got = self.assert_json(*noise("--grid", "0.5", "--count", "7"))
        self.assertEqual({key: got[key] for key in got if key != "values"},
                         {"law": "rounded_laplace", "scale": 2, "grid": 0.5, "count": 7, "seeded": False})
        self.assertEqual(len(got["values"]), 7)

    def test_a_seed_repeats_the_draws_and_says_that_they_are_not_private(self):
        once, again = run(*noise("--count", "50", "--seed", "3")), run(*noise("--count", "50", "--seed", "3"))
        self.assertEqual((once.returncode, once.stderr), (0, "seeded: not private\n"))
        self.assertEqual(once.stdout, again.stdout)
        self.assertNotEqual(once.stdout, run(*noise("--count", "50", "--seed", "4")).stdout)
        self.assertIn('"seeded":true', run(*noise("--seed", "3", "--json")).stdout)

    def test_without_a_seed_no_two_runs_agree(self):
        self.assertNotEqual(self.assert_succeeds(*noise("--count", "50")), self.assert_succeeds(*noise("--count", "50")))

    def test_bad_values_are_usage_errors_that_name_the_option(self):
        for option, bad in (("--grid", ("0.3", "0", "-1", "2^x", "2^2000", "inf", "nan", "1 ", "2^-60")),
                            ("--scale", ("0", "-1", "nan", "inf", "1e400", "x")),
                            ("--count", ("0", "-1", "1.5", "9223372036854775808", "1e3", " 1")),
                            ("--seed", ("-1", "18446744073709551616", "x")),
                            ("--law", ("laplace", ""))):
            for value in bad:
                with self.subTest(option=option, value=value):
                    words = {"--law": "rounded_laplace", "--scale": "2", option: value}
                    mention = "--scale" if value == "2^-60" else option.removeprefix("--")
                    self.assert_fails(2, mention, "noise", *(word for pair in words.items() for word in pair))

    def test_a_closed_pipe_and_a_full_device_are_write_errors(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, *noise()], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("stdout", done.stderr)
        # The largest count there is: it must end because nobody reads on.
        reader, writer = os.pipe()
        program = subprocess.Popen([PROGRAM, *noise("--count", str(2**63 - 1))], stdout=writer, stderr=subprocess.PIPE)
        os.close(writer)
        self.assertTrue(os.read(reader, 100))
        os.close(reader)
        self.assertIn(b"stdout", program.communicate(timeout=60)[1])
        self.assertEqual(program.returncode, 5)


if __name__ == "__main__":
    unittest.main()

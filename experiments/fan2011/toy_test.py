"""The experiment at toy size: all tables and figures come out, and the mechanisms stand as they should."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402


class Toy(toy.ToyTestOfData):
    here, figures = HERE, ("comparison", "rates", "filter", "control")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.compared, cls.varied = run.read(cls.out / "comparison.csv"), run.read(cls.out / "parameters.csv")

    def row(self, mechanism, epsilon, settings="", delta=1e-6):
        return run.one(self.compared, mechanism=mechanism, epsilon=epsilon, settings=settings, delta=delta)

    def test_every_mechanism_is_there_at_every_epsilon(self):
        for epsilon in (0.01, 0.1, 1):
            for mechanism in ("laplace", "dft"):
                self.assertGreater(self.row(mechanism, epsilon, delta=0)["error"], 0)
            for settings in ("published", "ours"):
                for mechanism in ("fast", *(f"fixed_rate, every {n}" for n in (1, 2, 4, 8, 16))):
                    self.assertGreater(self.row(mechanism, epsilon, settings, delta=0)["error"], 0)
            for mechanism in ("gaussian", "dft", "kalman", "kalman, season", "shrink", "shrink, season"):
                self.assertGreater(self.row(mechanism, epsilon)["error"], 0)

    def test_noise_is_that_of_a_person_in_every_step(self):
        for epsilon in (0.01, 0.1, 1):
            self.assertAlmostEqual(self.row("laplace", epsilon, delta=0)["scale"] * epsilon / 96, 1, delta=1e-5)
            self.assertAlmostEqual(self.row("fixed_rate, every 8", epsilon, "ours", 0)["scale"] * epsilon / 12, 1, delta=1e-5)
            self.assertAlmostEqual(self.row("fast", epsilon, "published", 0)["scale"] * epsilon / 24, 1, delta=1e-5)
            self.assertEqual(self.row("kalman", epsilon)["scale"], self.row("gaussian", epsilon)["scale"])

    def test_questions_are_as_many_as_the_rate_says_and_never_more_than_reserved(self):
        for row in self.compared:
            if row["mechanism"].startswith("fixed_rate"):
                self.assertEqual(row["asked"], 96 // int(row["mechanism"].rsplit(" ", 1)[1]))
            if row["mechanism"] == "fast":
                self.assertLessEqual(row["asked"], 24)
                self.assertLessEqual(row["asked"], row["last"])
                self.assertGreaterEqual(row["asked"], 20)  # the warm-up

    def test_kalman_has_the_least_error_of_what_is_live(self):
        for epsilon in (0.1, 1):
            live = [row for row in self.compared if row["epsilon"] == epsilon and row["mechanism"] not in run.OFFLINE]
            best = min(live, key=lambda row: row["error"])
            self.assertTrue(best["mechanism"].startswith("kalman"), best)

    def test_the_intervals_of_plain_noise_hold_what_they_say(self):
        # 960 draws of a Bernoulli(0.95): five standard deviations are 0.035.
        for epsilon in (0.01, 0.1, 1):
            for mechanism, delta in (("laplace", 0), ("gaussian", 1e-6)):
                self.assertAlmostEqual(self.row(mechanism, epsilon, delta=delta)["coverage"], 0.95, delta=0.035)

    def test_every_parameter_is_varied(self):
        for figure, parameter in {**run.FILTER, **run.CONTROL}.items():
            part = [row for row in self.varied if row["figure"] == figure]
            self.assertEqual({row["parameter"] for row in part}, {parameter})
            self.assertGreaterEqual(len({row["value"] for row in part}), 5)
            self.assertEqual({row["epsilon"] for row in part}, {0.01, 1})

    def test_the_series_begins_at_every_step_of_its_season(self):
        rows = run.read(self.out / "starts.csv")
        for mechanism in ("kalman", "fixed_rate, every 16"):
            self.assertEqual([row["start"] for row in rows if row["mechanism"] == mechanism], list(range(24)))

    def test_the_tables_are_printed_and_written(self):
        table = (self.out / "comparison.md").read_text(encoding="utf-8")
        self.assertIn(table.strip(), self.printed)
        # At least one best of each ε, with δ and without; never one that needs the whole series first.
        self.assertGreaterEqual(table.split("intervals hold")[1].count("**"), 2 * 6)
        self.assertFalse([row for row in table.splitlines() if "(offline)" in row and "**" in row])


if __name__ == "__main__":
    unittest.main()

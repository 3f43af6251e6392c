"""The experiment at toy size: all tables and the figure come out, and joint denoising stands as it should."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402


class Toy(toy.ToyTestOfData):
    here, figures = HERE, ("cells",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = run.read(cls.out / "errors.csv")
        cls.live = run.read(cls.out / "live.csv")

    def row(self, multiple, contender):
        return run.one(self.rows, multiple=multiple, contender=contender)

    def test_every_contender_is_there_at_every_noise(self):
        for multiple in (0.1, 0.3, 1, 3, 10):
            for contender in ("noisy", "shrink", "joint", "local level", "singular values"):
                self.assertGreater(self.row(multiple, contender)["cells"], 0)

    def test_noisy_values_have_the_error_of_their_noise(self):
        # 4 trials of 24 x 72 cells: the mean of |N(0, σ²)| is within 8 % (nearly nine standard errors).
        for multiple in (0.1, 0.3, 1, 3, 10):
            row = self.row(multiple, "noisy")
            self.assertAlmostEqual(row["cells"] / (row["sigma"] * 0.797885), 1, delta=0.08)

    def test_joint_denoising_has_less_error_where_series_are_alike(self):
        for multiple, most in ((0.1, 0.5), (0.3, 0.5), (1, 0.7), (3, 0.9)):
            self.assertLess(self.row(multiple, "joint")["cells"], most * self.row(multiple, "shrink")["cells"])

    def test_totals_hold_where_those_of_shrunken_series_do_not(self):
        for multiple in (0.1, 0.3, 1, 3):
            noisy, shrink, joint = (self.row(multiple, name) for name in ("noisy", "shrink", "joint"))
            self.assertLess(joint["total"], 1.02 * noisy["total"])
            self.assertLess(joint["season_total"], 1.02 * noisy["season_total"])
            self.assertLess(joint["tens"], noisy["tens"])
            groups = self.row(multiple, "groups")
            self.assertLess(groups["tens"], 1.02 * noisy["tens"])
            self.assertLess(groups["tens_season"], 1.02 * noisy["tens_season"])
            self.assertLess(groups["cells"], 1.1 * joint["cells"])
            self.assertGreater(shrink["total"], joint["total"])
        self.assertGreater(self.row(1, "shrink")["total"], 1.2 * self.row(1, "noisy")["total"])

    def test_intervals_hold(self):
        for multiple in (0.1, 0.3, 1, 3, 10):
            self.assertGreater(self.row(multiple, "joint")["held"], 0.93)
            self.assertGreater(self.row(multiple, "joint")["total_held"], 0.9)

    def test_followed_live_series_that_are_alike_have_less_error_together(self):
        for multiple, most in ((0.1, 1.01), (0.3, 0.95), (1, 0.9), (3, 1.01), (10, 1.02)):
            noisy, kalman, joint = (run.one(self.live, multiple=multiple, contender=name)
                                    for name in ("noisy", "kalman", "joint"))
            self.assertLess(joint["cells"], most * kalman["cells"])
            self.assertLess(joint["total"], 1.02 * noisy["total"])
            self.assertGreater(joint["held"], 0.92)
            self.assertGreater(joint["total_held"], 0.85)

    def test_the_tables_are_printed(self):
        self.assertIn("| made-up days, 24 × 72 |", self.printed)
        self.assertEqual(set(run.tables(self.rows)), {"cells", "peers", "totals", "seasons", "own", "groups", "tens",
                                                      "ten_seasons", "coverage"})
        self.assertEqual(set(run.live_tables(self.live)), {"live", "live_totals", "live_coverage"})


if __name__ == "__main__":
    unittest.main()

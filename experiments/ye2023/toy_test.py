"""The experiment at toy size: all tables and figures come out, and the mechanisms stand as they should. Runs have seeds, so the
same happens each time."""

import math
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402

WINDOWS, EPSILONS = (4, 10), (2, 8)


def ranswitch_delta(p, k, epsilon):
    q = (1 - p) / (k - 1)
    floor = 1 - (1 - q) ** (k - 1)
    return floor + (1 - floor) * max(0, (p - math.exp(epsilon) * q) / (p + q))


class Results(unittest.TestCase):
    """What the page shows, from the run on the real data."""

    def test_costs_on_a_million_values_are_those_of_the_paper(self):
        costs = run.read(HERE / "results" / "costs.csv")
        for mechanism, published in run.PAPER.items():
            for epsilon in (7, 8, 10, 14):
                row = run.one(costs, window=10, mechanism=mechanism, analysis="published", epsilon=epsilon)
                self.assertEqual(row["values"], 1e6)
                self.assertAlmostEqual(row["cost"] / published[epsilon], 1, delta=0.05)

    def test_the_page_shows_these_results(self):
        page = (HERE / "README.md").read_text(encoding="utf-8")
        costs, averages, counts, groups = (run.read(HERE / "results" / f"{name}.csv") for name in ("costs", "averages", "counts", "groups"))
        for table in (run.paper_table(costs), run.nominal_table(costs), run.cost_table(costs), run.averages_table(averages),
                      run.counts_table(counts), run.groups_table(groups)):
            self.assertIn(table, page)


class Toy(toy.ToyTestOfData):
    here, figures = HERE, ("worth", "costs", "averages", "counts", "groups")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.costs, cls.averages, cls.counts, cls.groups = (
            run.read(cls.out / f"{name}.csv") for name in ("costs", "averages", "counts", "groups"))

    def cost(self, window, mechanism, analysis, epsilon):
        return run.one(self.costs, window=window, mechanism=mechanism, analysis=analysis, epsilon=epsilon)

    def settings(self):
        return [(window, epsilon) for window in WINDOWS for epsilon in EPSILONS]

    def test_every_mechanism_is_there_at_every_window_and_epsilon(self):
        for window, epsilon in self.settings():
            for mechanism, analysis, _, _, _ in run.LINES[:6]:
                row = self.cost(window, mechanism, analysis, epsilon)
                if mechanism != "threshold":  # it has no small ε
                    self.assertGreater(row["cost"], 0)
                    self.assertGreater(row["cost_error"], 0)
        self.assertIsNotNone(self.cost(4, "threshold", "published", 8))

    def test_the_nominal_epsilon_of_ranswitch_is_that_of_its_theorem(self):
        for window, epsilon in self.settings():
            row = self.cost(window, "ranswitch", "published", epsilon)
            p, q = row["parameter"], (1 - row["parameter"]) / (window - 1)
            both = (1 - q) ** (2 * (window - 1))
            self.assertAlmostEqual(math.log((p * p * both - q) / (q * q * both)), epsilon, delta=1e-3)
            self.assertAlmostEqual(row["delta"], q, delta=1e-5)

    def test_delta_over_sets_is_far_above_the_nominal_one_and_no_epsilon_helps(self):
        for window, epsilon in self.settings():
            row = self.cost(window, "ranswitch", "published", epsilon)
            self.assertAlmostEqual(row["set_delta"], ranswitch_delta(row["parameter"], window, epsilon), delta=1e-4)
            for mechanism in ("ranswitch", "staswitch"):
                row = self.cost(window, mechanism, "published", epsilon)
                self.assertGreater(row["set_delta_lower"], 2 * row["delta"])
                self.assertGreater(row["least_delta"], row["delta"])
                self.assertTrue(math.isinf(row["set_epsilon"]))

    def test_staswitch_is_less_private_than_ranswitch_with_the_same_stay(self):
        for window, epsilon in self.settings():
            row = self.cost(window, "staswitch", "published", epsilon)
            self.assertGreater(row["set_delta_lower"], ranswitch_delta(row["parameter"], window, epsilon))

    def test_ranswitch_at_its_best_has_the_delta_of_the_formula(self):
        for window, epsilon in self.settings():
            row = self.cost(window, "ranswitch", "certified", epsilon)
            q = 1 / (math.exp(epsilon) + window - 1)
            self.assertAlmostEqual(row["parameter"], 1 - (window - 1) * q, delta=1e-6)
            self.assertAlmostEqual(row["delta"], 1 - (1 - q) ** (window - 1), delta=1e-5)
            self.assertAlmostEqual(row["set_delta"] / row["delta"], 1, delta=1e-4)

    def test_noisy_sort_is_pure(self):
        for window, epsilon in self.settings():
            for mechanism in ("noisy_sort", "noisy_sort, staircase"):
                row = self.cost(window, mechanism, "certified", epsilon)
                self.assertEqual((row["delta"], row["set_delta"]), (0, 0))
                self.assertAlmostEqual(row["set_epsilon"], epsilon, delta=1e-3 * epsilon)

    def test_the_cost_of_ranswitch_is_what_its_law_says(self):
        # Values that leave early move as far, all together, as those that leave late.
        for window, epsilon in self.settings():
            for analysis in ("published", "certified"):
                row = self.cost(window, "ranswitch", analysis, epsilon)
                q = (1 - row["parameter"]) / (window - 1)
                expected = 2 * sum(j * q * (1 - q) ** (window - 1 - j) for j in range(1, window))
                self.assertAlmostEqual(row["cost"], expected, delta=6 * row["cost_error"] + 1e-3 * expected)

    def test_the_cap_on_delays_makes_staswitch_cheaper(self):
        for window, epsilon in self.settings():
            self.assertLess(self.cost(window, "staswitch", "published", epsilon)["cost"],
                            self.cost(window, "ranswitch", "published", epsilon)["cost"] * 1.01)

    def test_the_cost_of_threshold_is_the_delay_of_its_filled_slots(self):
        for window in WINDOWS:
            row = self.cost(window, "threshold", "published", 8)
            self.assertAlmostEqual(row["cost"], window - row["parameter"], delta=0.01)

    def test_costs_are_those_of_the_paper(self):
        for mechanism, published in run.PAPER.items():
            self.assertAlmostEqual(self.cost(10, mechanism, "published", 8)["cost"] / published[8], 1, delta=0.05)

    def test_every_task_has_every_mechanism_and_standard_errors(self):
        for rows, value_lines in ((self.averages, [("piecewise", "event"), ("piecewise", "user")]),
                                  (self.counts, [("randomized_response", "event"), ("randomized_response, unbiased", "event")]),
                                  (self.groups, [("piecewise", "event"), ("piecewise", "user")])):
            for epsilon in EPSILONS:
                for mechanism, unit in value_lines + [("ranswitch", "swap"), ("staswitch", "swap"), ("noisy_sort", "swap")]:
                    row = run.one(rows, mechanism=mechanism, unit=unit, epsilon=epsilon)
                    self.assertGreater(row["result"], 0 if epsilon == 2 else -1)  # a few hundred answers may all be true at 8
                    self.assertEqual(row["trials"], 5)
            self.assertGreater(sum(row["standard_error"] > 0 for row in rows), len(rows) / 2)

    def test_moving_values_keeps_averages_better_than_changing_them(self):
        for epsilon in EPSILONS:
            part = [row for row in self.averages if row["epsilon"] == epsilon and row["range"] == 20]
            moved = max(row["result"] for row in part if row["window"] > 0)
            self.assertLess(5 * moved, min(row["result"] for row in part if row["window"] == 0))

    def test_groups_that_lie_apart_are_found_again_after_moving_but_not_where_all_values_are_noise(self):
        for row in self.groups:
            if row["window"] > 0:
                self.assertGreater(row["result"], 0.8)
            elif row["unit"] == "user":
                self.assertLess(row["result"], 0.6)

    def test_the_tables_are_printed(self):
        for text in ("| ranswitch, as published |", "| noisy_sort, staircase |", "| piecewise (user) |", "**k = 4**", "| none |"):
            self.assertIn(text, self.printed)


if __name__ == "__main__":
    unittest.main()

"""The experiment at toy size: all tables and figures come out, and the mechanisms stand as they should. Runs have seeds, so the
same happens each time."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402


class Toy(toy.ToyTestOfData):
    here, figures = HERE, ("means", "published")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.settings, cls.means = run.read(cls.out / "settings.csv"), run.read(cls.out / "means.csv")

    def row(self, dataset, mechanism, analysis="certified", epsilon=1):
        return run.one(self.means, dataset=dataset, mechanism=mechanism, analysis=analysis, epsilon=epsilon)

    def best(self, dataset):
        rows = [row for row in self.means if row["dataset"] == dataset and row["counts"] == "public" and row["epsilon"] == 1
                and row["analysis"] == "certified"]
        return min(rows, key=lambda row: row["error"])["mechanism"]

    def test_the_counts_are_those_of_the_paper(self):
        itms, samples, users = self.settings
        self.assertEqual((itms["most"], itms["records"], itms["m_ub_median"]), (417, 17166, 46))
        self.assertEqual((itms["arrays_wrap_around"], itms["arrays_best_fit"]), (160, 161))
        for key in ("records", "most", "m_ub_median", "m_ub_optimised"):
            self.assertEqual(samples[key], 10 * itms[key])
        self.assertEqual((samples["users"], samples["arrays_best_fit"]), (itms["users"], itms["arrays_best_fit"]))
        self.assertEqual((users["users"], users["records"], users["most"]), (10 * itms["users"], 10 * itms["records"], 417))

    def test_every_mechanism_is_there_at_every_epsilon(self):
        for dataset in ("itms_like", "more_samples", "more_users"):
            for epsilon in (1, 2):
                for mechanism, analysis, _, _ in run.CERTIFIED_LINES + run.PUBLISHED_LINES:
                    row = self.row(dataset, mechanism, analysis, epsilon)
                    self.assertGreater(row["error"], 0)
                    self.assertEqual((row["trials"], row["counts"]), (200, "public"))
            private = [row["mechanism"] for row in self.means if row["dataset"] == dataset and row["counts"] == "private"]
            self.assertEqual({name.split(",")[0] for name in private}, {"sum_over_count", "registered_mean"})

    def test_the_error_of_the_baseline_is_that_of_its_noise(self):
        for dataset, records, most in (("itms_like", 17166, 417), ("more_samples", 171660, 4170), ("more_users", 171660, 417)):
            row = self.row(dataset, "baseline")
            self.assertAlmostEqual(row["scale"] / (65 * most / records), 1, delta=1e-4)
            # |noise| has its scale as mean and deviation: five standard errors of 200 runs.
            self.assertAlmostEqual(row["error"] / row["scale"], 1, delta=0.36)

    def test_clipping_is_far_better_than_the_baseline(self):
        for dataset in ("itms_like", "more_samples", "more_users"):
            for mechanism in ("clip_mean", "array_averaging", "array_averaging, median"):
                self.assertLess(self.row(dataset, mechanism)["error"], 0.5 * self.row(dataset, "baseline")["error"])

    def test_levy_is_best_with_ten_times_the_samples(self):
        self.assertEqual(self.best("more_samples"), "levy")
        self.assertNotEqual(self.best("itms_like"), "levy")

    def test_fixed_quantile_is_best_with_ten_times_the_users(self):
        self.assertEqual(self.best("more_users"), "fixed_quantile")
        self.assertLess(self.row("more_users", "fixed_quantile")["error"], 0.5 * self.row("more_users", "levy")["error"])

    def test_wrap_around_as_published_has_twice_the_noise(self):
        for dataset in ("itms_like", "more_samples", "more_users"):
            certified, published = (self.row(dataset, run.WRAP_AROUND, analysis) for analysis in ("certified", "published"))
            self.assertAlmostEqual(published["scale"] / certified["scale"], 2, delta=1e-4)

    def test_the_half_that_the_quantiles_need_costs_accuracy(self):
        certified, published = (self.row("itms_like", "fixed_quantile", analysis, 2) for analysis in ("certified", "published"))
        self.assertLess(published["error"], 0.8 * certified["error"])

    def test_what_is_certified_costs_what_it_says_and_the_published_quantiles_half_as_much_again(self):
        for row in self.means:
            if row["analysis"] == "certified":
                self.assertLessEqual(row["charged"], row["epsilon"])
                self.assertGreater(row["charged"], 0.999 * row["epsilon"])
            elif row["mechanism"] != run.WRAP_AROUND:
                self.assertAlmostEqual(row["charged"] / row["epsilon"], 1.5, delta=1e-3)

    def test_every_draw_of_the_speeds_has_a_best_mechanism(self):
        rows = run.read(self.out / "draws.csv")
        for dataset in ("itms_like", "more_samples", "more_users"):
            for epsilon in (1, 2):
                part = [row for row in rows if row["dataset"] == dataset and row["epsilon"] == epsilon]
                self.assertEqual(sum(row["best"] for row in part), 2)
                self.assertEqual(sum(row["best_in_paper"] for row in part if row["in_paper"]), 2)
                shown = {row["mechanism"] for row in part if row["in_paper"]}
                averaging = "array_averaging, median" if dataset == "itms_like" else "array_averaging"
                self.assertEqual(shown, {"baseline", averaging, "levy", "fixed_quantile", "epsilon_quantile"})
        self.assertEqual(run.one(rows, dataset="more_samples", mechanism="levy", epsilon=1)["best"], 2)

    def test_smoothing_helps_and_its_intervals_hold(self):
        rows = run.read(self.out / "maps.csv")
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertLess(row["smooth"], 0.9 * row["raw"])
            self.assertGreater(row["smooth_cover"], 0.93)
            self.assertGreater(row["raw_cover"], 0.92)
        self.assertFalse((self.out / "simulated_buses.csv").exists())

    def test_the_tables_are_printed_and_only_certified_errors_are_bold(self):
        self.assertIn("| levy |", self.printed)
        self.assertIn("costs 1.5 ε", self.printed)
        rows = [row for row in self.printed.splitlines() if row.startswith("|")]
        self.assertGreaterEqual(sum(row.count("**") // 2 for row in rows), 2 * 2 * 3)
        self.assertFalse([row for row in rows if "as published" in row and "**" in row])


class MadeUpBuses(unittest.TestCase):
    def test_cells_are_hexagons_and_hours_with_enough_buses(self):
        lines = ["vehicle,timestamp,speed_kmh,lon,lat,route_id"]
        for bus in range(25):  # one place and hour with 25 buses, the hour after with 19, and one bus outside of the box
            lines += [f"{bus},2022-01-01T10:{minute:02}:00+05:30,{bus},72.83,21.2,7" for minute in range(bus % 3 + 1)]
            if bus < 19:
                lines.append(f"{bus},2022-01-01T11:00:00+05:30,40,72.83,21.2,7")
        lines.append("25,2022-01-08T07:59:59+05:30,64,70,20,7")
        with tempfile.TemporaryDirectory() as folder:
            # Read by its first bytes, so it need not be compressed.
            path = Path(folder) / run.NEEDED[0]
            path.parent.mkdir()
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            subprocess.run([toy.PROGRAM, folder, folder, "1"], check=True, capture_output=True)
            whole, cells = run.read(Path(folder) / "settings.csv")[:2]
            means = run.read(Path(folder) / "means.csv")
        speeds = [bus for bus in range(25) for _ in range(bus % 3 + 1)]
        self.assertEqual((whole["cells"], whole["users"], whole["records"]), (1, 26, len(speeds) + 19 + 1))
        self.assertAlmostEqual(whole["mean"], (sum(speeds) + 19 * 40 + 64) / (len(speeds) + 20), delta=1e-4)
        self.assertEqual((cells["cells"], cells["users"], cells["records"], cells["most"]), (1, 25, len(speeds), 3))
        self.assertAlmostEqual(cells["mean"], sum(speeds) / len(speeds), delta=1e-4)
        self.assertEqual(run.in_order(means, "epsilon"), [0.5, 1, 1.5, 2])
        self.assertEqual(run.in_order(means, "dataset"), list(run.TITLES))


if __name__ == "__main__":
    unittest.main()

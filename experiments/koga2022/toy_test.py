"""The experiment at toy size: all tables and figures come out, and the mechanisms stand as they should."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import run  # noqa: E402
import toy  # noqa: E402


class Toy(toy.ToyTestOfData):
    here, figures = HERE, ("real", "synth")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.real, cls.synth = run.read(cls.out / "real.csv"), run.read(cls.out / "synth.csv")

    def test_every_mechanism_is_there_under_both_analyses(self):
        for rows in (self.real, self.synth):
            for dataset in run.in_order(rows, "dataset"):
                for mechanism in ("gaussian", "dft", "subsample", "filter_subsample", "shrink"):
                    for analysis in ("published", "certified"):
                        row = run.one(rows, dataset=dataset, mechanism=mechanism, analysis=analysis)
                        self.assertGreater(row["mean"], 0)
                        self.assertGreater(row["deviation"], 0)
                        self.assertEqual(row["trials"], 20)

    def test_certified_noise_is_less_than_published(self):
        for row in self.real + self.synth:
            if row["analysis"] == "certified":
                same = {key: row[key] for key in ("dataset", "one_over_f", "mechanism")}
                published = run.one(self.real + self.synth, analysis="published", **same)
                self.assertLess(row["scale"], 0.8 * published["scale"])

    def test_shrink_has_the_least_error_where_the_data_is_the_truth(self):
        for dataset in ("toy", "synth"):
            rows = [row for row in self.real + self.synth if row["dataset"] == dataset and row["analysis"] == "certified"]
            for n in run.in_order(rows, "one_over_f"):
                best = min((row for row in rows if row["one_over_f"] == n), key=lambda row: row["mean"])
                self.assertTrue(best["mechanism"].startswith("shrink"), best)

    def test_gaussian_has_the_error_of_its_noise(self):
        # 20 trials of 240 steps: the mean of |N(0, σ²)| over 4800 draws is within 8 % (over seven standard errors).
        for row in self.real:
            if row["mechanism"] == "gaussian":
                self.assertAlmostEqual(row["mean"] / (row["scale"] * 0.797885), 1, delta=0.08)

    def test_the_tables_are_printed_and_fit_the_page(self):
        self.assertIn("| shrink |", self.printed)
        page = run.fill("a <!-- real -->\nold\n<!-- end of real --> b", {"real": "new"})
        self.assertEqual(page, "a <!-- real -->\nnew\n<!-- end of real --> b")


if __name__ == "__main__":
    unittest.main()

"""What a plan predicts on a public sample is what a reader then gets: seeded runs on a simulated city are evaluated."""

import csv
import json
import unittest

from program import FolderTest, run

MECHANISMS = ("laplace", "gaussian", "subsample", "shrink", "kalman")
SEEDS = (5, 6, 7)


class PlanTest(FolderTest):
    """The truth of the simulated city is its own public sample."""

    def setUp(self):
        super().setUp()
        self.assert_succeeds("simulate", "traffic", "--people", "2500", "--sensors", "8", "--days", "8", "--output",
                             "trips.csv", "--keys", "sensors.txt", "--truth", "truth.csv", "--job", "city.toml",
                             cwd=self.folder)
        text = (self.folder / "city.toml").read_text()
        lines = [line for line in text.splitlines() if not line.startswith(("max_steps", "report", "totals"))]
        self.text = "\n".join(lines).replace("[privacy]", "[privacy]\nmax_steps = 80") + "\n"

    def job(self, mechanism=None, change=("", "")):
        text = self.text
        if mechanism:
            text = text.replace('name = "auto"', f'name = "{mechanism}"')
        self.write("job.toml", text.replace(*change))
        return "job.toml"

    def plan(self, *flags, **job):
        return self.assert_json("plan", self.job(**job), *flags, cwd=self.folder)

    def candidates(self, *flags, **job):
        rows = self.plan(*flags, **job)["plan"]["comparison"]["candidates"]
        return {row["mechanism"]: row for row in rows if "plan" in row}

    def released(self, mechanism, seed):
        """Mean absolute errors of cells, and of sums of all series at a step, against what the caps let count: nobody is
        in more slots than they allow, but some are there twice."""
        done = run("run", self.job(mechanism), "--seed", str(seed), cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"))
        name = next(path.name for path in self.folder.glob("*.json"))
        done = self.assert_json("evaluate", "job.toml", "--release", name, cwd=self.folder)
        truth = [sum(step) for step in zip(*(series["bounded"] for series in done["series"]))]
        with open(next(self.folder.glob("*_totals.csv")), encoding="utf-8") as file:
            totals = [float(row["value"]) for row in csv.DictReader(file) if (row["of"], row["per"]) == ("all", "slot")]
        self.assertEqual(len(totals), len(truth))
        off = sum(abs(value - true) for value, true in zip(totals, truth)) / len(truth)
        return done["errors"]["mean_absolute_bounded"], off

    def test_predicted_errors_are_those_of_releases(self):
        planned = self.candidates("--sample", "truth.csv")
        for mechanism in MECHANISMS:
            with self.subTest(mechanism):
                released = [self.released(mechanism, seed) for seed in SEEDS]
                cells, totals = (sum(part) / len(SEEDS) for part in zip(*released))
                # Of a smooth estimate few numbers decide, so that errors of one release go together.
                smooth = mechanism in ("shrink", "kalman", "subsample")
                self.assertAlmostEqual(planned[mechanism]["expected_error"] / cells, 1, delta=0.12 if smooth else 0.06)
                # 3 x 192 sums: a standard error is a thirtieth of their mean.
                self.assertAlmostEqual(planned[mechanism]["expected_total_error"] / totals, 1, delta=0.2)
        self.assertLess(planned["shrink"]["expected_error"], 0.5 * planned["shrink"]["noise_error"])
        self.assertLess(planned["shrink"]["expected_total_error"], planned["gaussian"]["expected_total_error"])

    def test_without_a_sample_it_says_that_smoothing_is_not_in_it(self):
        for row in self.candidates().values():
            self.assertIsNone(row["expected_error"])
            self.assertNotIn("expected_total_error", row)
        text = self.assert_succeeds("plan", self.job(), cwd=self.folder)
        self.assertIn("before smoothing; how far off a reader's values and totals are, a public sample tells", text)
        self.assertIn("before any smoothing\nmax_steps  1h", text)
        text = self.assert_succeeds("plan", self.job(), "--sample", "truth.csv", cwd=self.folder)
        self.assertNotIn("before smoothing", text)
        self.assertIn(" on the sample\nmax_steps  1h", text)

    def test_the_table_of_caps_says_what_such_jobs_say(self):
        for flags in ((), ("--sample", "truth.csv")):
            caps = self.plan(*flags, mechanism="shrink")["caps"]
            self.assertEqual((caps["max_steps"], caps["smoothed"]), ([20, 40, 80, 160, 320], bool(flags)))
            self.assertEqual([row["length"] for row in caps["by_length"]], ["1h", "1d"])
            for row in caps["by_length"]:
                self.assertEqual(row["error"], sorted(row["error"]), "more slots of a person, more noise")
                at = caps["max_steps"].index(80)
                planned = self.candidates(*(() if row["length"] == "1d" else flags), mechanism="shrink",
                                          change=('length = "1h"', f'length = "{row["length"]}"'))["shrink"]
                if not flags:
                    self.assertAlmostEqual(row["error"][at] / planned["noise_error"], 1, delta=1e-9)
                elif row["length"] == "1h":
                    self.assertAlmostEqual(row["error"][at] / planned["expected_error"], 1, delta=0.1)
                else:
                    self.assertLess(row["error"][at], 1.2 * planned["noise_error"])
            if flags:
                hour, day = (row["typical"] for row in caps["by_length"])
                self.assertAlmostEqual(day / hour, 24, delta=0.1)

    def test_units_without_such_a_cap_have_no_table(self):
        self.text = self.text.replace("max_steps = 80", 'unit = "event"').replace('unit = "user"\n', "")
        self.assertNotIn("caps", self.plan())


if __name__ == "__main__":
    unittest.main()

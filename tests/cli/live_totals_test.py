"""A live release that publishes the sum of all series, too: a second file that grows by a row per step."""

import csv
import io
import json
import unittest

from live_jobs import STEPS, WARDS, WEEKS, LiveTest, counts, wards

KALMAN = {"mechanism": {"name": "kalman"}, "privacy": {"delta": 1e-6}}
WEEK = [(week, ward, 100 + week) for week in range(STEPS) for ward in ("north", "south")]


class Totals(LiveTest):
    def setUp(self):
        super().setUp()
        self.sums = self.folder / "out_totals.csv"

    def totals(self):
        text = self.sums.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("of,name,per,time,slots,value,lower,upper\n"))
        return list(csv.DictReader(io.StringIO(text), strict=True))

    def test_each_step_has_a_row_that_never_changes(self):
        self.prepare(WARDS, KALMAN)
        before = b""
        for week in range(STEPS):
            self.live(wards(*WEEK[2 * week:2 * week + 2]), says="the horizon is over" if week == STEPS - 1 else ())
            now = self.sums.read_bytes()
            self.assertTrue(now.startswith(before))
            before = now
            row = self.totals()[week]
            self.assertEqual([row["of"], row["name"], row["per"], row["time"], row["slots"]],
                             ["all", "", "slot", WEEKS[week], "1"])
            self.assertAlmostEqual(float(row["value"]), 200 + 2 * week, delta=1)
            self.assertLessEqual(float(row["lower"]), float(row["value"]))
            self.assertLessEqual(float(row["value"]), float(row["upper"]))
        self.assertEqual(len(self.totals()), STEPS)
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(document["totals"]["periods"][0]["per"], "slot")
        self.assertEqual(document["totals"]["sums"][0]["of"], "all")
        self.assertEqual(document["totals"]["sums"][0]["value"], [float(row["value"]) for row in self.totals()])
        self.assertEqual(document["totals"]["sums"][0]["upper"], [float(row["upper"]) for row in self.totals()])

    def test_the_same_noise_gives_the_same_rows(self):
        tables = []
        for _ in range(2):
            self.prepare(WARDS, KALMAN)
            self.live(wards(*WEEK), "--seed", "5", says="the horizon is over")
            tables.append((self.rows(), self.sums.read_text()))
            self.assertTrue(all(line.endswith(",seeded: not private") for line in self.sums.read_text().splitlines()[1:]))
        self.assertEqual(tables[0], tables[1])

    def test_a_file_that_somebody_changed_is_left_alone(self):
        self.prepare(WARDS, KALMAN)
        self.live(wards(*WEEK[:4]))
        whole = self.sums.read_bytes()
        self.sums.write_bytes(whole.replace(b"all", b"ALL"))
        self.refuses(wards(*WEEK[4:6]), 5, ["output.totals", "differs from what was published"])
        self.sums.write_bytes(whole)
        self.live(wards(*WEEK[4:6]))
        self.assertEqual(len(self.totals()), 3)
        self.assertEqual(self.asked(), 6)

    def test_a_file_that_is_there_already_is_refused_before_anything_is_spent(self):
        self.prepare(WARDS, KALMAN)
        self.sums.write_text("something else\n")
        self.refuses(wards(*WEEK[:2]), 2, ["output.totals", "is there already"])
        self.assertEqual(self.sums.read_text(), "something else\n")

    def test_it_goes_where_the_job_says_and_stays_there(self):
        self.prepare(WARDS, KALMAN, {"output": {"totals": "sums.csv"}})
        self.live(wards(*WEEK[:2]))
        self.assertFalse(self.sums.exists())
        self.assertEqual(len((self.folder / "sums.csv").read_text().splitlines()), 2)
        self.prepare(WARDS, KALMAN, {"output": {"totals": "others.csv"}})
        self.refuses(wards(*WEEK[2:4]), 2, ["output.totals was", "put it back"])

    def test_the_next_span_goes_on_in_the_same_file(self):
        self.prepare(WARDS, KALMAN, {"live": {"after": "continue"}, "slots": {"end": WEEKS[3]},
                                     "privacy": {"max_steps": 2}})
        self.live(wards(*WEEK[:10]), says="the next one begins at")
        self.assertEqual([row["time"] for row in self.totals()], WEEKS[:5])
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(document["totals"]["sums"][0]["value"], [float(row["value"]) for row in self.totals()[3:]])

    def test_without_learning_from_others_there_are_totals_all_the_same(self):
        self.prepare(WARDS, KALMAN, {"mechanism": {"joint": False}})
        self.live(wards(*WEEK[:4]))
        self.assertEqual(len(self.totals()), 2)

    def test_one_series_and_other_mechanisms_have_none(self):
        self.prepare(KALMAN)
        self.live(counts((0, 7)))
        self.assertFalse(self.sums.exists())
        self.prepare(WARDS, {"output": {"totals": "sums.csv"}, "live": {"name": "other"}, "dataset": {}})
        self.out.unlink()
        self.refuses(wards(*WEEK[:2]), 2, ["output.totals", "kalman"])


if __name__ == "__main__":
    unittest.main()

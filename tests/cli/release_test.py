"""release from outside: the same as a job, from options; the release itself on stdout."""

import csv
import gzip
import io
import json
import lzma
import sqlite3
import unittest

from jobs import HEADER, ROWS, STEPS, JobTest, run


class Release(JobTest):
    def options(self, source="trips.csv", **changes):
        given = {"--user": "card", "--time": "ts", "--series": "stop", "--series-list": self.folder / "stops.txt",
                 "--zone": "Europe/Berlin", "--start": "2026-03-28T00:00", "--end": "2026-03-30T00:00",
                 "--length": "1h", "--epsilon": "1", "--delta": "1e-6", "--max-steps": "2",
                 "--mechanism": "gaussian", "--ledger": self.ledger}
        given.update({"--" + name.replace("_", "-"): value for name, value in changes.items()})
        words = [str(word) for name, value in given.items() if value is not None for word in (name, value)]
        return ("release", source if source == "-" else str(self.folder / source), *words)

    def test_the_release_is_the_output(self):
        self.create()
        text = self.assert_succeeds(*self.options(dataset="city"))
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(len(rows), 2 * STEPS)
        self.assertEqual(self.debits(), [("city:1", "released")])
        self.assertEqual(self.outputs(), [])
        again = self.assert_succeeds(*self.options(dataset="city"), "--again", "city:1")
        self.assertEqual(again, text)
        told = self.assert_json(*self.options(dataset="city"), "--again", "city:1")
        self.assertEqual(told["debit"]["id"], "city:1")
        self.assertEqual(len(told["series"]), 2)

    def test_options_and_a_job_ask_the_same(self):
        run(*self.words("run", "--seed", "3"))
        done = run(*self.options(seed=3))
        self.assertEqual(done.stderr, "seeded: not private\n")
        self.assertEqual(done.stdout, (self.folder / "out.csv").read_text(encoding="utf-8"))
        self.create()
        self.assert_succeeds(*self.words("run"))
        self.assert_fails(2, "city:1", *self.options(dataset="city"))

    def test_files_are_written_where_told(self):
        self.create()
        out, totals = self.folder / "a.csv", self.folder / "a_totals.csv"
        told = self.assert_succeeds(*self.options(dataset="city", csv=out, json_out=self.folder / "a.json",
                                                  report=self.folder / "a.html", title="Trips"))
        self.assertTrue(told.endswith(
            f"written   {out}, {totals}, {self.folder / 'a.json'}, {self.folder / 'a.html'}\n"), told)
        self.assertEqual(self.outputs(), ["a.csv", "a.html", "a.json", "a_totals.csv"])
        self.assertEqual(json.loads((self.folder / "a.json").read_text(encoding="utf-8"))["title"], "Trips")

    def test_every_source_gives_the_same_release(self):
        expected = run(*self.options(seed=3, max_steps=1, mechanism="shrink")).stdout
        self.assertEqual(len(expected.splitlines()), 2 * STEPS + 1)
        text = HEADER + ROWS
        (self.folder / "trips.gz").write_bytes(gzip.compress(text.encode()))
        (self.folder / "trips.xz").write_bytes(lzma.compress(text.encode()))
        self.write("trips.tsv", "\ufeff" + text.replace(",", "\t").replace("\n", "\r\n"))
        database = sqlite3.connect(self.folder / "trips.db")
        database.execute("CREATE TABLE trips (card TEXT, ts TEXT, stop TEXT)")
        database.executemany("INSERT INTO trips VALUES (?, ?, ?)", [row.split(",") for row in ROWS.splitlines()])
        database.commit()
        database.close()
        same = {"seed": 3, "max_steps": 1, "mechanism": "shrink"}
        for name, words in {
            "gzip": self.options("trips.gz", **same), "xz": self.options("trips.xz", **same),
            "tabs": self.options("trips.tsv", delimiter="\t", **same),
            "sqlite": self.options("trips.db", kind="sqlite", table="trips", **same),
            "query": self.options("trips.db", kind="sqlite", query="SELECT * FROM trips ORDER BY 2 DESC", **same),
        }.items():
            with self.subTest(name):
                done = run(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout, expected)
        with self.subTest("stdin"):
            self.assertEqual(run(*self.options("-", **same), stdin=text).stdout, expected)
        with self.subTest("no header"):
            self.write("bare.csv", ROWS)
            self.assertEqual(run(*self.options("bare.csv", user="1", time="2", series="3", **same),
                                 "--no-header").stdout, expected)

    def test_errors_name_the_option(self):
        for mention, changes in {
            "--epsilon: 0": {"epsilon": "0"}, "--delta: 1": {"delta": "1"}, "--max-steps: 0": {"max_steps": "0"},
            "--max-per-slot: 0": {"max_per_slot": "0"}, "--length: 7h": {"length": "7h"},
            "--unit": {"unit": "person"}, "--mechanism: magic": {"mechanism": "magic"},
            "--series-list": {"series_list": None}, "--level: 2": {"level": "2"}, "--kind": {"kind": "excel"},
            "--delimiter": {"delimiter": ";;"}, "--duplicates": {"duplicates": "drop"}, "--set": {"set": "rate"},
            "--dataset": {}, "--relation": {"relation": "swap"},
        }.items():
            with self.subTest(mention):
                self.assert_fails(2, mention, *self.options(**changes))
        self.assert_fails(5, "--csv", *self.options(seed=1, csv="/nowhere/a.csv"))
        done = run(*self.options(seed=1, json_out=self.folder / "a.json"), "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_parameters_reach_the_mechanism(self):
        done = run(*self.options(seed=3, mechanism="subsample", set="rate=0.5"), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["plan"]["parameters"]["rate"], 0.5)
        self.assert_fails(2, "--set speed", *self.options(seed=3, set="speed=1"))

    def test_integers_and_negative_values(self):
        values = [row["value"] for row in csv.DictReader(io.StringIO(run(*self.options(seed=3), "--integers").stdout))]
        self.assertTrue(all(value.isdigit() for value in values), values)
        values = [row["value"] for row in
                  csv.DictReader(io.StringIO(run(*self.options(seed=3), "--allow-negative").stdout))]
        self.assertTrue(any(float(value) < 0 for value in values))

    def test_a_dry_run_plans(self):
        self.assertIn("gaussian", self.assert_succeeds(*self.options("absent.csv"), "--dry-run"))
        self.assertEqual(self.assert_json(*self.options("absent.csv", mechanism=None, max_steps=40), "--dry-run")["mechanism"],
                         "shrink")

    def test_people_have_a_cap_or_a_word_says_that_nothing_bounds_them(self):
        for of in ({}, {"user": None, "value": "card"}):  # records, and counts; refused before anything is read
            self.assert_fails(2, ["--max-steps: it is missing", "public knowledge", "days of the span", "\"all\""],
                              *self.options("absent.csv", max_steps=None, **of))
            self.assert_succeeds(*self.options("absent.csv", max_steps="all", **of), "--dry-run")
        self.assert_fails(2, "--max-steps: some is not valid; it must be a whole number, or all",
                          *self.options("absent.csv", max_steps="some"))
        everywhere = self.assert_json(*self.options("absent.csv", max_steps="all"), "--dry-run")
        self.assertEqual(everywhere, self.assert_json(*self.options("absent.csv", max_steps=2 * STEPS), "--dry-run"))
        self.assert_succeeds(*self.options("absent.csv", max_steps=None, unit="event"), "--dry-run")


if __name__ == "__main__":
    unittest.main()

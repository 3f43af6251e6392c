"""What check says of the rows that lie ready for a live release, and that it spends and writes nothing."""

import gzip
import re
import subprocess
import unittest

from live_jobs import STEPS, VISITS, WARDS, WEEKS, LiveTest, counts, run, visits, wards


class LiveCheck(LiveTest):
    def inbox(self, **files):
        folder = self.folder / "inbox"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.csv").write_text(text, encoding="utf-8")

    def words_of_check(self, *arguments):
        return ("check", str(self.job), *arguments, "--ledger", str(self.ledger))

    def check(self, *arguments, code=0):
        """The check; whatever it says, nothing is debited and nothing is written."""
        before = self.tree()
        done = run(*self.words_of_check(*arguments))
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        self.assertEqual(self.tree(), before)
        self.assertEqual(self.history(), [])
        return done

    def tree(self):
        return sorted(str(path) for path in self.folder.rglob("*") if not path.name.endswith(("-wal", "-shm")))

    def seen(self):
        before = self.tree()
        told = self.assert_json(*self.words_of_check())
        self.assertEqual(self.tree(), before)
        self.assertIs(told["private"], False)
        return told["data"]

    def test_a_format_that_is_missing_is_said_before_a_year_is_paid_for(self):
        self.prepare({"source": {"path": "inbox"}})
        self.inbox(w40="week,cases\n2026-W02,8473\n")
        said = self.check(code=3).stderr
        self.assertIn("row 1 of w40.csv: column week: not a time in ISO 8601", said)
        self.assertIn("source.time_format %G-W%V", said)
        self.assertIn("inbox", said)
        self.assertIn("the data was read, without a debit", said)
        self.assertNotIn("8473", said)
        # What it advises is enough.
        self.prepare({"source": {"path": "inbox", "time_format": "%G-W%V"}})
        self.assertIn("rows      1: 1 inside the span, 1 count\n", self.check().stdout)
        self.live("", "--once")
        self.assertEqual(self.values(), [("2026-01-05", "8473", "1")])

    def test_it_says_what_lies_in_a_folder(self):
        self.prepare(WARDS, {"source": {"path": "inbox"}})
        self.inbox(a=wards((0, "north", 3), (0, "south", 4)),
                   b=wards((1, "north", 5), (1, "Nord", 1), (STEPS + 1, "north", 7)))
        (self.folder / "inbox" / "later.csv.tmp").write_text("half a li")
        self.assertEqual(self.seen(), {
            "rows": 5, "inside_span": 4, "counted": 3, "first": "2026-01-05T00:00:00+00:00",
            "last": WEEKS[STEPS + 1] + "T00:00:00+00:00", "keys_listed": 2, "keys_matched": 2,
            "first_unlisted": ["Nord"], "files": 2})
        text = self.check().stdout
        for line in ("rows      5: 4 inside the span, 3 count\n", "files     2, each read whole\n",
                     'the first that are not listed: "Nord"\n', "and every row of the data; nothing was debited\n",
                     "internal  the data was read"):
            self.assertIn(line, text)

    def test_it_reads_a_file_and_a_compressed_one(self):
        self.prepare({"source": {"path": "cases.csv"}})
        (self.folder / "cases.csv").write_text(counts((0, 5), (1, 6)))
        self.assertNotIn("files", self.seen())
        self.assertEqual(self.seen()["counted"], 2)
        with gzip.open(self.folder / "cases.csv", "wt") as packed:
            packed.write(counts((0, 5), (1, 6), (2, 7)))
        self.assertEqual(self.seen()["counted"], 3)

    def test_rows_that_live_would_refuse_are_counted_as_live_does(self):
        self.prepare({"source": {"path": "inbox"}, "live": {"max_gap": 3}})
        self.inbox(a=counts((0, 5), (0, 6), (2, 7), (1, 8)), b=counts((2, 9), (3, 1), (10, 4)))
        seen = self.seen()
        self.assertEqual((seen["counted"], seen["refused"]), (3, 4))
        self.assertTrue(seen["first_refused"].startswith("row 2 of a.csv: "), seen)
        self.assertIn("refused   4 by live; the first is row 2 of a.csv: ", self.check().stdout)
        done = self.live("", "--once", code=3, says="4 rows came too late or too early and were refused")
        self.assertEqual(done.stderr.count("; refused\n"), 4, done.stderr)
        self.assertEqual(sum(sampled == "1" for _, _, sampled in self.values()), 3)

    def test_every_kind_of_refusal_is_the_one_of_live(self):
        """Whatever comes in whatever order, check and live agree on how many rows are not taken."""
        orders = [(0, 1, 2), (2, 0, 1), (1, 1, 0), (0, 0, 2, 2, 1), (5, 4, 3), (0, 9, 1), (3, 3, 2, 3)]
        for number, weeks in enumerate(orders):
            name = f"order{number}"
            self.prepare(WARDS, {"source": {"path": name}, "live": {"name": name, "max_gap": 4},
                                 "output": {"csv": f"{name}.csv", "json": f"{name}.json"}})
            (self.folder / name).mkdir()
            for half in (0, 1):
                rows = [(week, ward, 5) for week in weeks[half::2] for ward in ("south", "north", "west")]
                (self.folder / name / f"{half}.csv").write_text(wards(*rows))
            seen = self.seen()
            done = run(*self.words(str(self.job), "--once"))
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertEqual(done.stderr.count("; refused\n"), seen.get("refused", 0), (weeks, done.stderr))

    def test_people_and_those_above_the_caps_are_counted(self):
        self.prepare(VISITS, {"source": {"path": "inbox"}})
        self.inbox(a=visits((0, 1), (0, 2), (1, 1), (2, 1)))
        seen = self.seen()
        self.assertEqual((seen["people"], seen["people_over_caps"], seen["records_over_caps"]), (2, 1, 2))

    def test_nothing_that_counts_is_said(self):
        self.prepare({"source": {"path": "inbox"}})
        self.inbox()
        self.assertIn("empty     no row is there yet", self.check().stdout)
        self.inbox(a=counts((STEPS, 5), (STEPS + 1, 6)))
        self.assertIn("empty     0 of 2 rows count: live would publish none of them\n", self.check().stdout)

    def test_broken_rows_are_named_and_never_quoted(self):
        self.prepare({"source": {"path": "inbox"}})
        self.inbox(a=counts((0, 5)), b="week,cases\n" + f"{WEEKS[1]},secret\n" * 5)
        said = self.check(code=3).stderr
        self.assertIn("live would refuse 5 rows", said)
        self.assertIn("row 1 of b.csv: column cases: not a whole number", said)
        self.assertIn("and 2 more", said)
        self.assertNotIn("secret", said)
        self.assertEqual(said.count("\n"), 1)

    def test_a_missing_column_file_or_header_is_an_error(self):
        self.prepare({"source": {"path": "inbox"}})
        self.assertIn("inbox", self.check(code=5).stderr)
        self.inbox(a="week,deaths\n2026-01-05,3\n")
        self.assertIn("cases", self.check(code=3).stderr)
        self.inbox(a="")
        self.assertIn("a.csv", self.check(code=3).stderr)

    def test_without_data_and_from_standard_input_nothing_is_read(self):
        self.prepare({"source": {"path": "inbox"}})
        self.inbox(a="week,cases\nnever,8473\n")
        self.assertIn("checked   job, outputs and budget; nothing was debited\n", self.check("--no-data").stdout)
        self.prepare()
        self.assertIn("checked   job, outputs and budget; nothing was debited\n", self.check().stdout)
        done = run(*self.words_of_check("--data"), stdin=counts((0, 5)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows      1: 1 inside the span, 1 count\n", done.stdout)

    def test_an_evaluation_of_a_folder_shows_the_line_that_joins_its_files(self):
        self.prepare({"source": {"path": "in 'box"}})
        (self.folder / "in 'box").mkdir()
        for name, week in (("a", 0), ("b", 1)):
            (self.folder / "in 'box" / f"{name}.csv").write_text(counts((week, 5 + week)), encoding="utf-8")
        self.live("", "--once")
        evaluate = ("evaluate", str(self.job), "--release", str(self.folder / "out.json"))
        self.assert_fails(2, ["source.path: '", "in 'box' is a folder", "into one with one header",
                              'a copy of the job, beside it, with path = "all.csv"'], *evaluate)
        line = re.search(r"awk .* > '.*/all\.csv'", run(*evaluate).stderr)[0]
        subprocess.run(["sh", "-c", line], check=True)
        self.assertEqual((self.folder / "all.csv").read_text(), counts((0, 5), (1, 6)))
        copy = self.write("copy.toml", self.job.read_text(encoding="utf-8").replace("in 'box", "all.csv"))
        told = self.assert_succeeds("evaluate", str(copy), *evaluate[2:])
        self.assertRegex(told, r"(?m)^  rows read +2$")
        self.assertRegex(told, r"(?m)^  mean absolute error +0$")

    def test_an_open_release_is_checked_over_the_span_that_it_is_in(self):
        self.prepare({"source": {"path": "inbox"}, "slots": {"end": WEEKS[2]}, "live": {"after": "continue"}})
        self.inbox(a=counts((0, 5)), b=counts((1, 6)), c=counts((2, 7)))
        self.live("", "--once", says="the next one begins")
        before = (self.tree(), self.history(), self.published_bytes())
        told = self.assert_json(*self.words_of_check())
        self.assertEqual((self.tree(), self.history(), self.published_bytes()), before)
        self.assertEqual((told["data"]["rows"], told["data"]["inside_span"]), (3, 1))
        self.assertIsNone(told["cost"])


if __name__ == "__main__":
    unittest.main()

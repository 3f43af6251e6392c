"""chronoveil init: a job out of a header and a few answers, which plan and check take."""

import os
import pty
import subprocess
import unittest

from program import PROGRAM, FolderTest

HEADER = "card;ts;stop\n"
SECRET = "c4711;2026-03-01T10:20;north\n"


class InitTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("trips.csv", HEADER + SECRET)
        self.write("stops.txt", "north\nsouth\n")
        self.given = ("--user", "card", "--series", "stop", "--series-list", "stops.txt", "--zone", "Europe/Berlin",
                      "--start", "2026-03-01", "--end", "2026-03-08", "--max-steps", "4")

    def init(self, *arguments):
        return self.assert_succeeds("init", *arguments, cwd=self.folder)

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def test_the_job_passes_plan_and_check(self):
        told = self.init("trips.csv", *self.given)
        job = self.read("trips.toml")
        for line in ('delimiter = ";"', 'time = "ts"', 'time_format = "iso8601"', 'length = "1h"', 'name = "trips"',
                     "# the column that says when", "# what one person adds to one slot", "max_per_slot = 1", 'unit = "user"',
                     "# pairs of series and slot in which one person counts, over the whole job, or all; for user",
                     "max_steps = 4", 'csv = "trips_out.csv"'):
            self.assertIn(line, job)
        self.assertNotIn("4711", job + told)
        self.assert_succeeds("plan", "trips.toml", cwd=self.folder)
        create = next(line for line in told.splitlines() if "budget create" in line).split("next", 1)[1].split()
        ledger = ("--ledger", "ledger.db")
        self.assert_succeeds(*create[1:], *ledger, cwd=self.folder)
        self.assertIn("nothing was debited", self.assert_succeeds("check", "trips.toml", *ledger, cwd=self.folder))
        self.assert_succeeds("run", "trips.toml", *ledger, cwd=self.folder)

    def test_it_overwrites_nothing(self):
        self.write("trips.toml", "mine")
        self.assert_fails(2, ["--job", "overwrites nothing"], "init", "trips.csv", *self.given, cwd=self.folder)
        self.assertEqual(self.read("trips.toml"), "mine")
        self.init("trips.csv", *self.given, "--job", "other.toml")
        self.assertEqual(self.read("trips.toml"), "mine")

    def test_no_row_decides_anything(self):
        self.init("trips.csv", *self.given)
        self.write("trips.csv", HEADER + "\0\"broken;;;;\n")
        self.init("trips.csv", *self.given, "--job", "again.toml")
        self.assertEqual(self.read("again.toml"), self.read("trips.toml"))

    def test_without_a_terminal_it_names_all_that_is_missing(self):
        self.assert_fails(2, ["--user, --start, --end", "rows are counts"], "init", "trips.csv", cwd=self.folder)
        self.assert_fails(2, ["--value, --series-list, --start, --end"], "init", "trips.csv", "--user=-", "--series", "stop",
                          cwd=self.folder)
        self.assert_fails(2, ["cannot be guessed: --max-steps", "public knowledge", "days of the span"], "init", "trips.csv",
                          *self.given[:-2], cwd=self.folder)
        self.assert_fails(2, ["--max-steps", "a whole number, or \"all\""], "init", "trips.csv", *self.given[:-1], "many",
                          cwd=self.folder)
        self.assert_fails(2, "FILE: it is missing", "init", cwd=self.folder)
        self.assert_fails(2, ["--user", "a column of the header: card, ts, stop"], "init", "trips.csv", *self.given[2:],
                          "--user", "person", cwd=self.folder)
        self.assert_fails(5, "No such file", "init", "absent.csv", *self.given, cwd=self.folder)
        self.assert_fails(2, "--end", "init", "trips.csv", *self.given[:-4], "--end",
                          "2026-02-01", "--max-steps", "4", cwd=self.folder)
        self.assertFalse((self.folder / "trips.toml").exists())

    def test_only_of_records_somebody_must_say_how_often_a_person_counts(self):
        text = self.assert_json("init", "trips.csv", *self.given[:-1], "all", cwd=self.folder)["text"]
        self.assertIn('\nmax_steps = "all"\n', text)
        for name, words in (("events", ("--unit", "event", *self.given[:-2])),
                            ("counts", ("--user=-", "--value", "card", *self.given[2:-2]))):
            text = self.assert_json("init", "trips.csv", *words, "--job", f"{name}.toml", cwd=self.folder)["text"]
            self.assertIn("# max_steps = 20  (without it: all of them)", text)

    def test_names_of_columns_show_how_times_are_written(self):
        for column, time_format, length in (("week", "%G-W%V", "1w"), ("Month", "%Y-%m", "1mo"),
                                            ("quarter", "%Y-Q%q", "3mo"), ("date", "iso8601", "1d"),
                                            ("epoch_ms", "epoch_ms", "1h"), ("unix_time", "epoch", "1h")):
            self.write("wide.csv", f"{column},north,south\n")
            start, end = ("2025-12-29", "2026-12-28") if length == "1w" else ("2026-01-01", "2027-01-01")
            text = self.assert_json("init", "wide.csv", "--user=-", "--wide", "--start", start, "--end", end,
                                    "--job", f"{column}.toml", cwd=self.folder)["text"]
            for line in (f'time_format = "{time_format}"', f'length = "{length}"', 'keys = ["north", "south"]'):
                self.assertIn(line, text)

    def test_at_a_terminal_it_asks(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([PROGRAM, "init", "trips.csv", "--zone", "UTC"], cwd=self.folder, stdin=theirs,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
        os.close(theirs)
        # Name, time, user (a wrong and an empty answer are asked again), series, keys, format, start, end, and guesses.
        os.write(ours, b"\n\nperson\n\ncard\nstop\nnorth, south\n\n2026-03-01\n2026-03-08\n\n4\n\n\n\n\n")
        stdout, stderr = process.communicate(timeout=60)
        os.close(ours)
        self.assertEqual(process.returncode, 0, stderr)
        self.assertIn("chronoveil budget create trips", stdout)
        self.assertIn("source.time: the column that says when [ts]\n", stderr)
        self.assertIn("source.user: person is not valid; it must be a column of the header: card, ts, stop\n", stderr)
        self.assertEqual(stderr.count("source.user: the column that says who"), 3)
        job = self.read("trips.toml")
        for line in ('user = "card"', 'keys = ["north", "south"]', 'end = "2026-03-08"', "\nmax_steps = 4\n"):
            self.assertIn(line, job)


if __name__ == "__main__":
    unittest.main()

"""run, check, plan and evaluate from outside: order, exit codes, interrupts, what is left behind."""

import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import unittest

from jobs import HEADER, ROWS, STEPS, JobTest, run
from program import PROGRAM


class Run(JobTest):
    def test_a_job_is_planned_checked_released_and_emitted_anew(self):
        self.create()
        planned = self.assert_json(*self.words("plan"))
        self.assertEqual(planned["mechanism"], "gaussian")
        self.assertEqual((planned["series"], planned["steps"]), (2, STEPS))
        self.assertGreaterEqual(len(planned["plan"]["comparison"]["candidates"]), 8)
        checked = self.assert_json(*self.words("check"))
        self.assertEqual((checked["admitted"], checked["earlier"]), (True, None))
        self.assertEqual((self.debits(), self.outputs()), ([], []))

        told = self.assert_json(*self.words("run"))
        self.assertEqual(told["debit"]["id"], "city:1")
        self.assertLessEqual(told["guarantee"]["epsilon"], 1)
        self.assertEqual(set(told["outputs"]), {"csv", "totals", "json", "report"})
        self.assertNotIn("series", told)
        self.assertEqual(self.debits(), [("city:1", "released")])
        self.assertEqual(self.outputs(), ["out.csv", "out.html", "out.json", "out_totals.csv"])

        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text(encoding="utf-8"))))
        self.assertEqual(list(rows[0]), ["series", "time", "value", "lower", "upper", "sampled"])
        self.assertEqual(len(rows), 2 * STEPS)
        self.assertEqual(rows[0]["time"], "2026-03-27T23:00:00+00:00")
        self.assertEqual(rows[STEPS - 1]["time"], "2026-03-29T21:00:00+00:00")
        release = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        for key in ("series", "guarantee", "plan", "debit", "software"):
            self.assertIn(key, release)
        for key in ("definition", "unit", "relation", "epsilon", "epsilon_lower", "delta", "assumptions",
                    "certificate"):
            self.assertIn(key, release["guarantee"])
        self.assertIn({"text": "every row can be read and is one that the job takes; any other ends the release, which can be "
                               "seen", "basis": "declared"}, release["guarantee"]["assumptions"])
        self.assertTrue(self.assert_json("budget", "verify", "--against", str(self.folder / "out.json"), "--ledger",
                                         str(self.ledger))["holds"])

        first = (self.folder / "out.csv").read_bytes()
        self.assert_fails(2, ["city:1", "--yes", "--again city:1"], *self.words("run"))
        (self.folder / "out.csv").unlink()
        self.assert_succeeds(*self.words("run", "--again", "city:1"))
        self.assertEqual((self.folder / "out.csv").read_bytes(), first)
        self.assertEqual(len(self.debits()), 1)
        self.assert_succeeds(*self.words("run", "--yes"))
        self.assertNotEqual((self.folder / "out.csv").read_bytes(), first)
        self.assertEqual([state for _, state in self.debits()], ["released", "released"])
        self.assertEqual(self.assert_json(*self.words("check"))["earlier"]["state"], "released")

    def test_the_summary_says_what_was_promised_and_where_it_lies(self):
        self.create()
        text = self.assert_succeeds(*self.words("run"))
        for mention in ("guarantee DP, unit user", "enforced", "declared", "debit     city:1", "% left", "out.html"):
            self.assertIn(mention, text)
        for command in ("plan", "check"):
            self.assertIn("gaussian", self.assert_succeeds(*self.words(command)))

    def test_a_dry_run_needs_neither_ledger_nor_data(self):
        (self.folder / "trips.csv").unlink()
        self.assertIn("gaussian", self.assert_succeeds(*self.words("run", "--dry-run")))
        self.assertEqual(self.assert_json(*self.words("run", "--dry-run"))["mechanism"], "gaussian")
        self.assertFalse(self.ledger.exists())

    def test_the_release_may_go_to_stdout(self):
        self.create()
        self.change(('csv = "out.csv"\njson = "out.json"\nreport = "out.html"', 'csv = "-"'))
        text = self.assert_succeeds(*self.words("run"))
        self.assertEqual(len(text.splitlines()), 2 * STEPS + 1)
        self.assertTrue(text.startswith("series,time,value"))
        self.assertEqual(run(*self.words("run", "--json", "--yes")).returncode, 2)
        self.assertEqual(len(self.debits()), 1)

    def test_replays_touch_no_ledger_and_say_so(self):
        noise = self.write("noise.txt", "\n".join(["0.25"] * (2 * STEPS)) + "\n")
        done = run(*self.words("run", "--noise-from", str(noise), "--json"))
        self.assertEqual((done.returncode, done.stderr), (0, "not private: replayed\n"))
        told = json.loads(done.stdout)
        self.assertEqual((told["mark"], told["debit"], told["guarantee"]["epsilon"]),
                         ("not private: replayed", None, None))
        self.assertIn("not private: replayed", (self.folder / "out.html").read_text(encoding="utf-8"))
        self.assertFalse(self.ledger.exists())
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text(encoding="utf-8"))))
        self.assertEqual(sum(float(row["value"]) for row in rows), 60 + 0.25 * 2 * STEPS)

        self.change(('name = "gaussian"', 'name = "subsample"'))
        noise = self.write("noise.txt", "0 0 0\n")
        keep = self.write("keep.txt", f"0\n5\n{STEPS}\n")
        done = run(*self.words("run", "--noise-from", str(noise), "--keep-from", str(keep)))
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text(encoding="utf-8"))))
        self.assertEqual([i for i, row in enumerate(rows) if row["sampled"] == "1"], [0, 5, STEPS])
        self.assertFalse(self.ledger.exists())

    def test_seeds_are_reproducible_and_marked(self):
        for _ in range(2):
            done = run(*self.words("run", "--seed", "5"))
            self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"))
        first = (self.folder / "out.csv").read_bytes()
        run(*self.words("run", "--seed", "6"))
        self.assertNotEqual((self.folder / "out.csv").read_bytes(), first)
        self.assertFalse(self.ledger.exists())
        self.assert_fails(2, "--seed", *self.words("run", "--seed", "-1"))
        self.assert_fails(2, "--noise-from", *self.words("run", "--noise-from", str(self.write("n", "1 two"))))
        self.assert_fails(5, "--keep-from", *self.words("run", "--keep-from", "/nowhere"))
        self.assert_fails(2, "leave --seed", *self.words("run", "--seed", "1", "--noise-from", str(self.write("n", "1"))))

    def test_a_published_analysis_says_so(self):
        planned = self.assert_json(*self.words("plan", "--analysis", "published"))
        self.assertEqual(planned["guarantee"]["certificate"], "as published")
        self.assert_fails(2, "--analysis", *self.words("plan", "--analysis", "rough"))

    def test_the_data_are_no_public_sample(self):
        self.assert_fails(2, "plan.sample", *self.words("plan", "--sample", str(self.folder / "trips.csv")))

    def test_the_ledger_does_not_tell_how_long_the_data_took_to_read(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        rows = [json.loads(line) for line in
                self.assert_succeeds("budget", "export", "city", "--ledger", str(self.ledger)).splitlines()]
        self.assertEqual([row["kind"] for row in rows], ["create", "debit", "drawing", "state"])
        debit = rows[1]["recorded_at"]
        for row in rows[2:]:  # the time of the debit, or a midnight that passed since
            self.assertTrue(row["recorded_at"] == debit or row["recorded_at"].endswith("T00:00:00.000Z"), rows)
        self.assertIn("holds", self.assert_succeeds("budget", "verify", "--ledger", str(self.ledger)))

    def test_an_evaluation_is_marked_internal(self):
        run(*self.words("run", "--seed", "5"))
        release = str(self.folder / "out.json")
        report = self.folder / "internal.html"
        text = self.assert_succeeds(*self.words("evaluate", "--release", release, "--report", str(report)))
        self.assertTrue(text.startswith("internal: reveals the data\n"))
        self.assertIn("mean absolute error", text)
        self.assertIn("internal: reveals the data", report.read_text(encoding="utf-8"))
        self.assertEqual(report.stat().st_mode & 0o777, 0o600)
        told = self.assert_json(*self.words("evaluate", "--release", release))
        self.assertGreater(told["errors"]["mean_absolute"], 0)
        self.assert_fails(5, "/nowhere", *self.words("evaluate", "--release", "/nowhere"))
        self.assert_fails(3, "release", *self.words("evaluate", "--release", str(self.write("x.json", "{"))))
        self.assert_fails(5, "--report", *self.words("evaluate", "--release", release, "--report", "/nowhere/x"))


class ExitCodes(JobTest):
    def spent(self):
        return len(self.debits())

    def test_usage_is_2_and_costs_nothing(self):
        self.create()
        for mention, pair in {
            "privacy.max_steps: 0": ("max_steps = 2", "max_steps = 0"),
            "privacy.epsilon: 0": ("epsilon = 1.0", "epsilon = 0"),
            "privacy.delta": ("delta = 1e-6", "delta = 0"),
            "privacy.epsilom": ("epsilon = 1.0", "epsilom = 1.0"),
            "slots.length: 7h": ('length = "1h"', 'length = "7h"'),
            "slots.end": ('end = "2026-03-30T00:00"', 'end = "2026-03-28T00:00"'),
            "slots.start": ('start = "2026-03-28T00:00"', 'start = "2026-03-29T02:30"'),
            "zone": ('zone = "Europe/Berlin"', 'zone = "Europe/Atlantis"'),
            "mechanism.name": ('name = "gaussian"', 'name = "magic"'),
            "mechanism.rate": ('name = "gaussian"', 'name = "gaussian"\nrate = 0.5'),
            "never discovered from data": ('[series]\nlist = "stops.txt"\n', ""),
            "dataset.name: there is no dataset 'town'": ('name = "city"', 'name = "town"'),
            "version": ("version = 1", "version = 2"),
            "line ": ("version = 1", "version = "),
        }.items():
            with self.subTest(mention):
                self.change(pair)
                self.assert_fails(2, mention, *self.words("run"))
        self.assert_fails(2, "required", "run")
        self.assertEqual((self.spent(), self.outputs()), (0, []))

    def test_a_missing_dataset_shows_a_command_that_works(self):
        done = run(*self.words("check"))
        self.assertEqual(done.returncode, 2)
        command = done.stderr.split("for example: chronoveil ")[1].strip().replace("'", "").split(" ")
        self.assert_succeeds(*command)
        self.assert_succeeds(*self.words("check"))
        self.assert_succeeds(*self.words("run"))

    def test_bad_data_is_3_names_the_row_and_never_a_value(self):
        self.create("--epsilon", "100", "--delta", "1e-4")
        for name, text in {
            "empty": "", "columns": "a,b,c\n1,2,3\n", "fields": HEADER + "c1,2026-03-28T00:30\n",
            "time": HEADER + "c1,2026-03-28T00:30,north\nc1,secretly,north\n",
            "quote": HEADER + 'c1,"2026-03-28T00:30,north\n', "gap": HEADER + "c1,2026-03-29T02:30,north\n",
        }.items():
            with self.subTest(name):
                self.write("trips.csv", text)
                done = run(*self.words("run", "--yes"))
                self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
                self.assertNotIn("secretly", done.stderr)
        self.assertEqual(self.outputs(), [])
        # A file without its columns is found before the debit, a bad row after it; but nothing was drawn, and each run
        # takes up the debit of the one before.
        self.assertEqual(self.spent(), 1)
        self.assertEqual(self.debits(), [("city:1", "reserved")])

    def test_bad_counts_are_3(self):
        self.create("--epsilon", "100", "--delta", "1e-4")
        self.change(('user = "card"\ntime = "ts"\nseries = "stop"\n', 'time = "ts"\nvalue = "n"\n'),
                    ('[series]\nlist = "stops.txt"\n', ""))
        for text in ("ts,n\n2026-03-28T00:00,-1\n", "ts,n\n2026-03-28T00:00,1.5\n", "ts,n\n2026-03-28T00:00,nan\n",
                     "ts,n\n2026-03-28T00:00,9007199254740993\n",
                     "ts,n\n2026-03-28T00:00,1\n2026-03-28T00:00,1\n"):
            with self.subTest(text):
                self.write("trips.csv", text)
                done = run(*self.words("check"))
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("row", done.stderr)
        self.assertEqual(self.spent(), 0)
        # Unsorted times are fine.
        self.write("trips.csv", "ts,n\n2026-03-28T03:00,1\n2026-03-28T00:00,2\n")
        told = self.assert_json(*self.words("run"))
        self.assertEqual(told["guarantee"]["caps"], "declared")
        self.assertEqual([row["times"] for row in told["guarantee"]["cap_growth"]], [1, 2, 3, 4])

    def test_over_budget_is_4_and_reads_nothing(self):
        self.create("--epsilon", "0.5", "--delta", "1e-6")
        (self.folder / "trips.csv").write_text(HEADER + "broken", encoding="utf-8")
        for command in ("run", "check"):
            self.assert_fails(4, "budget", *self.words(command))
        self.assertEqual((self.spent(), self.outputs()), (0, []))

    def test_storage_is_5_and_found_before_the_debit(self):
        self.create()
        for mention, pair in {
            "output.csv": ('csv = "out.csv"', 'csv = "nowhere/out.csv"'),
            "output.json": ('json = "out.json"', 'json = "."'),
            "output.report": ('report = "out.html"', 'report = "trips.csv/out.html"'),
            "absent.csv": ('path = "trips.csv"', 'path = "absent.csv"'),
            "absent.txt": ('list = "stops.txt"', 'list = "absent.txt"'),
        }.items():
            with self.subTest(mention):
                self.change(pair)
                self.assert_fails(5, mention, *self.words("run"))
        self.assert_fails(5, "/nowhere.toml", "run", "/nowhere.toml")
        self.assertEqual((self.spent(), self.outputs()), (0, []))

    def test_what_cannot_be_certified_is_6_or_refused(self):
        self.change(('name = "gaussian"', 'name = "subsample"\nrate = 1e-9'))
        self.create()
        done = run(*self.words("run"))
        self.assertIn(done.returncode, (2, 6), done.stderr)
        self.assertEqual((self.spent(), self.outputs()), (0, []))


class CheckOfData(JobTest):
    def test_says_whether_it_read_the_data(self):
        self.create()
        for flags, private in ((("--no-data",), True), ((), False)):
            told = self.assert_json(*self.words("check", *flags))
            self.assertEqual((told["data_read"], told["private"]), (not private, private))
            text = self.assert_succeeds(*self.words("check", *flags))
            self.assertEqual("internal  the data was read, without a debit" in text, not private, text)
        self.write("trips.csv", HEADER + ROWS + "c1,yesterday,north\n")
        self.assert_succeeds(*self.words("check", "--no-data"))
        self.assert_fails(3, ["row 61", "the data was read, without a debit: this answer is internal"],
                          *self.words("check"))

    def test_does_not_claim_to_know_columns_that_only_the_data_has(self):
        self.create()
        self.write("trips.csv", ROWS)
        self.change(('user = "card"', 'user = "1"\nheader = false'), ('time = "ts"', 'time = "2"'),
                    ('series = "stop"', 'series = "3"'))
        self.assertIn("checked   job, outputs and budget; nothing", self.assert_succeeds(*self.words("check", "--no-data")))
        self.assertIn("checked   job, columns, outputs and budget, and every row of the data; nothing",
                      self.assert_succeeds(*self.words("check")))


class Interrupts(JobTest):
    def run_until_it_waits_for_data(self):
        """A run whose input is a pipe that gives the header and some rows, and then nothing."""
        self.create()
        (self.folder / "trips.csv").unlink()
        os.mkfifo(self.folder / "trips.csv")
        process = self.start(*self.words("run"))
        self.pipe = open(self.folder / "trips.csv", "w", encoding="utf-8")
        self.addCleanup(self.pipe.close)
        self.pipe.write(HEADER + ROWS)
        self.pipe.flush()
        self.wait_for_debit(process)
        return process

    def test_a_debit_that_its_owner_abandons_meanwhile_stays_spent(self):
        process = self.run_until_it_waits_for_data()
        self.assert_succeeds("budget", "settle", "city:1", "--abandoned", *self.words("run")[2:])
        self.pipe.close()
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (2, ""))
        self.assertEqual(err, "chronoveil: ledger: city:1 is abandoned by now, and nothing is drawn for what is settled; the "
                              "debit city:1 stays spent\n")
        self.assertEqual((self.debits(), self.outputs()), ([("city:1", "abandoned")], []))

    def test_an_interrupt_says_what_was_spent_and_leaves_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                self.setUp()
                process = self.run_until_it_waits_for_data()
                process.send_signal(number)
                out, err = process.communicate(timeout=60)
                self.assertEqual((process.returncode, out), (130, ""))
                self.assertEqual(err, "chronoveil: interrupted; the debit city:1 is reserved; run the same job again "
                                      "to use it at no further cost\n")
                self.assertEqual(self.debits(), [("city:1", "reserved")])
                self.assertEqual(self.outputs(), [])

    def test_a_kill_leaves_a_debit_and_no_file(self):
        process = self.run_until_it_waits_for_data()
        process.kill()
        process.communicate(timeout=60)
        self.assertEqual(self.debits(), [("city:1", "reserved")])
        self.assertEqual(self.outputs(), [])
        (self.folder / "trips.csv").unlink()
        self.write("trips.csv", HEADER + ROWS)
        self.assert_fails(2, "stored", *self.words("run", "--again", "city:1"))
        done = run(*self.words("run"))
        self.assertEqual((done.returncode, self.debits()), (0, [("city:1", "released")]))
        self.assertIn("used the debit city:1", done.stderr)

    def test_an_interrupt_before_the_debit_costs_nothing(self):
        self.create()
        (self.folder / "trips.csv").unlink()
        os.mkfifo(self.folder / "trips.csv")
        process = self.start(*self.words("run"))
        pipe = open(self.folder / "trips.csv", "w", encoding="utf-8")  # returns once the run has opened its end
        self.addCleanup(pipe.close)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(err, "chronoveil: interrupted; nothing was spent\n")
        self.assertEqual((self.debits(), self.outputs()), ([], []))

    def test_an_interrupt_while_the_debit_is_made_does_not_say_that_nothing_was_spent(self):
        self.create()
        other = sqlite3.connect(self.ledger, isolation_level=None)
        self.addCleanup(other.close)
        other.execute("BEGIN IMMEDIATE")  # the debit waits for it
        terminal, end = os.openpty()
        self.addCleanup(os.close, terminal)
        process = subprocess.Popen([PROGRAM, *self.words("run")], stdout=subprocess.DEVNULL, stderr=end)
        self.addCleanup(process.kill)
        os.close(end)
        seen = b""
        while b"debiting" not in seen:
            seen += os.read(terminal, 4096)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        seen += os.read(terminal, 4096)
        self.assertIn(b"interrupted; a debit may have been made; budget history tells", seen)
        other.execute("ROLLBACK")
        self.assertEqual((self.debits(), self.outputs()), ([], []))

    def test_the_whole_pipe_makes_the_release(self):
        self.create()
        (self.folder / "trips.csv").unlink()
        os.mkfifo(self.folder / "trips.csv")
        process = self.start(*self.words("run"))
        with open(self.folder / "trips.csv", "w", encoding="utf-8") as pipe:
            pipe.write(HEADER + ROWS)
        _, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertEqual(self.outputs(), ["out.csv", "out.html", "out.json", "out_totals.csv"])


if __name__ == "__main__":
    unittest.main()

"""A time format that turns out to be wrong after the debit: the job with the right one goes on with it, and pays nothing
more, as long as nothing was drawn or published."""

import os
import re
import signal
import subprocess
import tempfile
import unittest

from jobs import HEADER, ROWS, JobTest
from live_jobs import WEEKS, LiveTest, counts, run
from order_jobs import FORECAST, Forecast
from program import PROGRAM
from train_jobs import JOB, SIGN_LAGS, TrainTest

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
GERMAN = "".join(f"c{k},28.03.2026 {k % 24:02}:30,{('north', 'south')[k % 2]}\n" for k in range(60))
FORMAT = ('time = "ts"', 'time = "ts"\ntime_format = "%d.%m.%Y %H:%M"')


class Counts(JobTest):
    def test_the_right_format_takes_up_the_debit_of_the_wrong_one(self):
        self.create()
        self.write("trips.csv", HEADER + GERMAN)
        self.assert_fails(3, ["row 1", "source.time_format %d.%m.%Y %H:%M", "city:1"], *self.words("run"))
        self.assertEqual(self.debits(), [("city:1", "reserved")])
        self.change(FORMAT)
        told = self.assert_succeeds(*self.words("check"))
        self.assertRegex(told, r"(?m)^budget    city: \d+\.\d % left\nbefore    debited as city:1 \(reserved, nothing drawn\): "
                               "run uses it at no further cost$")
        self.assertNotRegex(told, "this job takes|(?m:^cost )")
        checked = self.assert_json(*self.words("check"))
        self.assertEqual((checked["cost"], checked["room"], checked["earlier"]["taken_up"]), (None, None, True))
        done = run(*self.words("run"))
        self.assertEqual((done.returncode, self.debits()), (0, [("city:1", "released")]), done.stderr)
        self.assertIn("holds", self.assert_succeeds("budget", "verify", "--against", str(self.folder / "out.json"),
                                                    "--ledger", str(self.ledger)))
        # From then on it is the same job: a second debit is asked for, and what was stored is there for it.
        self.assert_fails(2, ["was debited before, as city:1 (released)", "--again city:1"], *self.words("run"))
        before = self.outputs_as_bytes()
        self.assertEqual(run(*self.words("run", "--again", "city:1")).returncode, 0)
        self.assertEqual(self.outputs_as_bytes(), before)
        self.assertEqual(self.debits(), [("city:1", "released")])

    def outputs_as_bytes(self):
        return {name: (self.folder / name).read_bytes() for name in self.outputs()}

    def test_from_one_wrong_format_to_another_and_back(self):
        self.create()
        self.write("trips.csv", HEADER + GERMAN)
        for wrong in ("%m/%d/%Y", "epoch", "%Y-%m", "%Y/%d/%m %H:%M", "iso8601"):
            job = self.job.read_text()
            self.change(('time = "ts"', f'time = "ts"\ntime_format = "{wrong}"'))
            self.assertEqual(run(*self.words("run")).returncode, 3, wrong)
            self.job.write_text(job)
        self.assertEqual(self.debits(), [("city:1", "reserved")])
        self.change(FORMAT)
        self.assertEqual(run(*self.words("run")).returncode, 0)
        self.assertEqual(self.debits(), [("city:1", "released")])

    def test_what_was_drawn_is_never_drawn_anew(self):
        self.create()
        self.assertEqual(run(*self.words("run")).returncode, 0)
        self.change(FORMAT)
        self.write("trips.csv", HEADER + GERMAN)
        self.assert_fails(2, ["was debited before, as city:1 (released)"], *self.words("run"))
        self.assertEqual(run(*self.words("run", "--yes")).returncode, 0)
        self.assertEqual([state for _, state in self.debits()], ["released", "released"])

    def test_a_job_that_asks_anything_else_has_a_debit_of_its_own(self):
        for change in (("max_steps = 2", "max_steps = 3"), ("epsilon = 1", "epsilon = 2"),
                       ('end = "2026-03-30T', 'end = "2026-03-31T')):
            with self.subTest(change):
                self.setUp()
                self.create("--epsilon", "100", "--delta", "1e-4")
                self.write("trips.csv", HEADER + GERMAN)
                self.assertEqual(run(*self.words("run")).returncode, 3)
                self.change(FORMAT, change)
                run(*self.words("run"))
                debits = self.debits()
                self.assertEqual(debits[0], ("city:1", "reserved"))
                self.assertEqual(len(debits), 2, debits)


class Models(TrainTest):
    def test_a_training_takes_up_the_debit_of_the_wrong_format(self):
        for model in ("sign_lags", "simple_feed_forward")[: 2 if FORECAST else 1]:
            with self.subTest(model):
                self.setUp()
                self.create()
                text = SIGN_LAGS if model == "sign_lags" else JOB
                lines = (self.folder / "load.csv").read_text().splitlines(keepends=True)
                self.write("load.csv", lines[0] + "".join(
                    re.sub(r"(2026)-(03)-(\d\d)T", r"\3.\2.\1 ", line) for line in lines[1:]))
                self.write("job.toml", text)
                done = run(*self.words_of_training())
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("source.time_format", done.stderr)
                self.write("job.toml", text.replace('time = "ts"', 'time = "ts"\ntime_format = "%d.%m.%Y %H:%M"'))
                done = run(*self.words_of_training())
                self.assertEqual(done.returncode, 0, done.stderr)
                history = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))["debits"]
                self.assertEqual([(debit["id"], debit["state"]) for debit in history], [("city:1", "released")])
                again = run(*self.words_of_training("--again", "city:1"))
                self.assertEqual(again.returncode, 0, again.stderr)

    @unittest.skipUnless(FORECAST, "chronoveil-forecast is not built")
    def test_a_training_that_took_steps_goes_on_with_its_own_format_alone(self):
        self.create()
        lines = (self.folder / "load.csv").read_text().splitlines(keepends=True)
        self.write("load.csv", lines[0] + "".join(
            re.sub(r"(2026)-(03)-(\d\d)T", r"\3.\2.\1 ", line) for line in lines[1:]))
        text = JOB.replace("steps = 12", "steps = 12\ncheckpoint_every = 1")
        right, other = (text.replace('time = "ts"', f'time = "ts"\ntime_format = "{form} %H:%M"')
                        for form in ("%d.%m.%Y", "%m.%d.%Y"))
        self.write("job.toml", right)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LD_PRELOAD": SHIM}
        for call in range(60, 400, 20):  # until it was killed after a step
            killed = subprocess.run([PROGRAM, *self.words_of_training()], env={**environment, "KILL_AT": str(call)},
                                    capture_output=True, check=False)
            self.assertEqual(killed.returncode, -signal.SIGKILL)
            debit, = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))["debits"]
            if debit["uses"]["used"] > 1:
                break
        self.write("job.toml", other)
        self.assert_fails(2, ["source.time_format", "was begun with another time format"], *self.words_of_training())
        self.write("job.toml", right)
        done = run(*self.words_of_training())
        self.assertEqual(done.returncode, 0, done.stderr)
        debit, = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))["debits"]
        self.assertEqual(debit["state"], "released")

    def test_a_private_forecast_takes_up_the_debit_of_the_wrong_format(self):
        with tempfile.TemporaryDirectory() as folder:
            kind = Forecast(folder)
            kind.create()
            text = (kind.folder / kind.data).read_text()
            kind.write(kind.data, re.sub(r"(2026)-(03)-(\d\d)T", r"\3.\2.\1 ", text))
            done = kind.run()
            self.assertEqual((done.returncode, kind.states()), (3, ["reserved"]), done.stderr)
            done = kind.run("--time-format", "%d.%m.%Y %H:%M")
            self.assertEqual((done.returncode, kind.states()), (0, ["released"]), done.stderr)

    def words_of_training(self, *more):
        return ("train", str(self.folder / "job.toml"), *more, "--ledger", str(self.ledger))


class Live(LiveTest):
    WRONG = "week,cases\n2026-W02,8473\n"

    def inbox(self, text, name="w40.csv"):
        (self.folder / "inbox").mkdir(exist_ok=True)
        (self.folder / "inbox" / name).write_text(text, encoding="utf-8")

    def opened_in_vain(self, *changes, text=WRONG, until=()):
        self.prepare({"source": {"path": "inbox"}}, *changes)
        self.inbox(text)
        self.live("", "--once", *until, code=3, says="source.time_format %G-W%V")
        self.assertEqual((self.asked(), len(self.history())), (0, 1))

    def test_the_right_format_goes_on_with_the_debit_of_the_wrong_one(self):
        self.opened_in_vain()
        right = {"source": {"path": "inbox", "time_format": "%G-W%V"}}
        self.prepare(right)
        checked = self.assert_json("check", str(self.job), "--ledger", str(self.ledger))
        self.assertEqual((checked["earlier"]["id"], checked["data"]["counted"]), ("clinic:1", 1))
        self.live("", "--once")
        self.assertEqual(self.values(), [("2026-01-05", "8473", "1")])
        # And it goes on so, through every start.
        self.inbox("week,cases\n2026-W03,5\n", "w41.csv")
        self.live("", "--once", says="skipped")
        self.assertEqual(self.values()[1:], [("2026-01-12", "5", "1")])
        self.assertEqual((len(self.history()), self.asked()), (1, 2))
        # What is published holds it to the form that it was read in.
        self.prepare({"source": {"path": "inbox"}})
        self.refuses("", 2, "source.time_format was '%G-W%V' when the release was opened and is 'iso8601' now", "--once")
        done = run("check", str(self.job), "--ledger", str(self.ledger))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("source.time_format was '%G-W%V'", done.stderr)
        self.prepare(right)
        self.assertIn("holds", self.assert_succeeds("budget", "verify", "--against", str(self.folder / "out.json"),
                                                    "--ledger", str(self.ledger)))
        self.assert_succeeds(*self.words("close", str(self.job)))

    def test_rows_before_the_release_are_seen_as_long_as_nothing_comes_out(self):
        self.prepare({"source": {"path": "inbox"}})
        self.inbox("week,cases\n2025-12-01,7\n")
        self.live("", "--once", code=3, says="1 row lies before the release begins")
        self.inbox("week,cases\n2025-12-01,7\n2026-01-05,8\n")
        self.live("", "--once", says="1 row lies before the release begins")
        self.assertEqual(self.values(), [("2026-01-05", "8", "1")])

    def test_it_may_change_more_than_once_and_back(self):
        self.opened_in_vain()
        for wrong in ("%d/%m/%Y", "epoch"):
            self.prepare({"source": {"path": "inbox", "time_format": wrong}})
            self.live("", "--once", code=3, says="refused")
        self.prepare({"source": {"path": "inbox"}})
        self.live("", "--once", code=3, says="refused")
        self.inbox(counts((0, 7)))
        self.live("", "--once")
        self.assertEqual((self.values(), len(self.history())), ([("2026-01-05", "7", "1")], 1))

    def test_columns_delimiter_and_place_may_change_as_long_as_nothing_is_published(self):
        self.opened_in_vain()
        (self.folder / "other").mkdir()
        (self.folder / "other" / "a.csv").write_text("woche;faelle\n2026-W02;8\n")
        self.prepare({"source": {"path": "other", "time": "woche", "value": "faelle", "delimiter": ";",
                                 "time_format": "%G-W%V"}})
        self.live("", "--once")
        self.assertEqual((self.values(), len(self.history())), ([("2026-01-05", "8", "1")], 1))

    def test_nothing_else_may_change(self):
        self.opened_in_vain()
        for change, key in (({"privacy": {"max_steps": 5}}, "privacy.max_steps"),
                            ({"source": {"path": "inbox", "zone": "Europe/Berlin"}}, "source.zone"),
                            ({"source": {"path": "inbox", "duplicates": "sum"}}, "source.duplicates"),
                            ({"source": {"path": "inbox", "value": None, "user": "cases"}, "live": {"clock": "system"}},
                             "source.value"),
                            ({"output": {"csv": "other.csv"}}, "output.csv"),
                            ({"privacy": {"epsilon": 999.0}}, "privacy.epsilon")):
            self.prepare({"source": {"path": "inbox", "time_format": "%G-W%V"}}, change)
            self.live("", "--once", code=2, says=f"'cases' was opened with: {key} ")
            self.assertEqual((self.asked(), len(self.history())), (0, 1))

    def test_people_too_begin_anew_and_caps_hold_from_then_on(self):
        """The column of people may be another one while nothing is published; afterwards nobody can count twice under
        another name."""
        text = "who,card,week\n" + "".join(f"p{k},c{k},2026-W02\n" for k in range(3))
        self.opened_in_vain({"source": {"value": None, "user": "who"}, "privacy": {"max_steps": 1}}, text=text,
                            until=("--until", WEEKS[0]))
        right = {"source": {"path": "inbox", "value": None, "user": "card", "time_format": "%G-W%V"},
                 "privacy": {"max_steps": 1}}
        self.prepare(right)
        self.live("", "--once", "--until", WEEKS[1])
        self.assertEqual(self.values(), [("2026-01-05", "3", "1")])
        self.inbox(text.replace("W02", "W03"))
        for change in ({"source": {"user": "who"}}, {"source": {"time_format": "iso8601"}}):
            self.prepare(right, change)
            self.live("", "--once", "--until", WEEKS[2], code=2, says="when the release was opened")
        self.prepare(right)
        self.live("", "--once", "--until", WEEKS[2])
        self.assertEqual(self.values()[1:], [("2026-01-12", "0", "1")])

    def test_a_kept_form_of_another_opening_is_left_aside(self):
        self.opened_in_vain()
        self.prepare({"source": {"path": "inbox", "time_format": "%G-W%V"}})
        self.live("", "--once")
        kept = self.state / "reading.json"
        self.assertTrue(kept.exists())
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        kept.write_text(kept.read_text().replace('"privacy.max_steps","4"', '"privacy.max_steps","40"'))
        self.prepare({"source": {"path": "inbox", "time_format": "%G-W%V"}, "privacy": {"max_steps": 40}})
        self.refuses("", 2, "the job is not the one", "--once")


if __name__ == "__main__":
    unittest.main()

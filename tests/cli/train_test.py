"""train from outside: plan, one debit, a model that carries its guarantee; every model, unit and way to draw
windows."""

import fcntl
import json
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

from program import PROGRAM, run
from train_jobs import FORECAST, HOURS, STEPS, TrainTest, is_whole, panel, rows_of, text_of, time_of, weights_of

SOME_ROW_COUNTS = {"text": "some row counts; without one there is no release, which can be seen", "basis": "declared"}


class Ledger(TrainTest):
    """Plan, debit, train; and what becomes of the files."""

    def test_rows_on_standard_input_are_read_after_the_debit(self):
        """Nothing is taken from it before, and everything afterwards."""
        self.create()
        self.seeded(self.train(flags=("--seed", "3")))
        from_file = (self.folder / "model.cvm").read_bytes()
        piped = ('path = "load.csv"', 'path = "-"')
        done = run(*self.train(piped, flags=("--seed", "3")), stdin=text_of(self.rows))
        self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"))
        self.assertEqual(weights_of((self.folder / "model.cvm").read_bytes()), weights_of(from_file))
        (self.folder / "model.cvm").unlink()
        with subprocess.Popen([PROGRAM, *self.train(piped)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              env={"HOME": str(self.folder)}) as process:
            while not self.debits():  # made while nobody has written a byte
                self.assertIsNone(process.poll())
            process.stdin.write(text_of(self.rows).encode())
            process.stdin.close()
        self.assertEqual((process.returncode, self.debits()), (0, [("city:1", "released")]))

    def test_a_job_is_planned_trained_and_emitted_anew(self):
        self.create()
        plan = self.assert_json(*self.train(command="plan"))
        self.assertTrue(self.assert_json(*self.train(command="check"))["admitted"])
        self.assertEqual(self.debits(), [])
        told = self.assert_json(*self.train())
        self.assertEqual(self.debits(), [("city:1", "released")])
        self.assertEqual(self.uses(), [(STEPS, STEPS)])
        self.assertEqual((told["debit"]["id"], told["steps"], told["uses"], told["resumed"]),
                         ("city:1", STEPS, STEPS, False))
        self.assertNotIn("mark", told)
        for key in ("epsilon", "epsilon_lower", "delta", "unit", "relation", "certificate"):
            self.assertEqual(told["guarantee"][key], plan["guarantee"][key])
        self.assertEqual(told["guarantee"]["assumptions"], [*plan["guarantee"]["assumptions"], SOME_ROW_COUNTS])
        self.assertLessEqual(told["guarantee"]["epsilon"], 8)
        self.assertEqual(told["plan"]["event"], plan["plan"]["event"])
        spent = [point["epsilon"] for point in told["spent"]]
        self.assertEqual((spent, spent[-1]), (sorted(spent), told["guarantee"]["epsilon"]))
        self.assertEqual(json.loads(self.read("model.json"))["guarantee"], told["guarantee"])
        self.assertIn("city:1", self.read("model.html"))
        model = (self.folder / "model.cvm").read_bytes()
        self.assertTrue(is_whole(model))
        for mention in (b'"city:1"', b'"replace_values"', b'"structured_subsampling"'):
            self.assertIn(mention, model)
        self.assertTrue(self.assert_json("budget", "verify", "--against", str(self.folder / "model.json"), "--ledger",
                                         str(self.ledger))["holds"])

        self.assert_refused(2, ["city:1", "--yes", "--again city:1"], self.train(), [("city:1", "released")])
        (self.folder / "model.cvm").unlink()
        (self.folder / "load.csv").rename(self.folder / "away.csv")  # what is stored needs no data
        self.assert_succeeds(*self.train(flags=("--again", "city:1")))
        self.assertEqual((self.folder / "model.cvm").read_bytes(), model)
        self.assertEqual(json.loads(self.read("model.json"))["guarantee"], told["guarantee"])
        self.assertEqual(len(self.debits()), 1)

        (self.folder / "away.csv").rename(self.folder / "load.csv")
        text = self.assert_succeeds(*self.train(command="run", flags=("--yes",)))  # `run` of such a job is `train`
        for mention in ("simple_feed_forward", f"{STEPS} of {STEPS}", "noise multiplier 2", "guarantee DP, unit event",
                        f"debit     {self.debits()[-1][0]}\n", "% left", "model.cvm"):
            self.assertIn(mention, text)
        second = (self.folder / "model.cvm").read_bytes()
        self.assertNotEqual(weights_of(second), weights_of(model))  # noise is never drawn twice
        self.assertEqual([state for _, state in self.debits()], ["released", "released"])

    def test_a_seed_repeats_touches_no_ledger_and_marks(self):
        told = json.loads(self.seeded(self.train(flags=("--seed", "7", "--json"))))
        self.assertEqual((told["mark"], told["debit"]), ("seeded: not private", None))
        self.assertIsNone(told["guarantee"]["epsilon"])
        self.assertIn("not private", self.read("model.html"))
        first = self.files()
        self.assertIn(b'"seeded: not private"', first["model.cvm"])
        text = self.seeded(self.train(flags=("--seed", "7", "--threads", "2")))
        self.assertIn("not private", text)
        self.assertEqual(self.files(), first)
        self.seeded(self.train(flags=("--seed", "8")))
        self.assertNotEqual(weights_of(self.files()["model.cvm"]), weights_of(first["model.cvm"]))
        self.assertFalse(self.ledger.exists())

    def test_a_seed_never_replaces_a_private_model_or_what_tells_of_it(self):
        self.create()
        self.assert_succeeds(*self.train())
        keys = {"model.cvm": "output.model", "model.json": "output.json", "model.html": "output.report"}
        kept = {name: (self.folder / name).read_bytes() for name in keys}
        for command in ("train", "run"):
            for name, key in keys.items():
                for other in keys:
                    (self.folder / other).unlink(missing_ok=True)
                self.write(name, kept[name])
                self.assert_refused(2, [f"{key}: ", "may be of a private release"],
                                    self.train(command=command, flags=("--seed", "7")), [("city:1", "released")])
                self.assertEqual((self.folder / name).read_bytes(), kept[name])

    def test_a_dry_run_is_a_plan_and_needs_neither_ledger_nor_data(self):
        (self.folder / "load.csv").unlink()
        planned = self.assert_succeeds(*self.train(command="plan"))
        self.assertEqual(self.assert_succeeds(*self.train(flags=("--dry-run",))), planned)
        self.assertEqual(self.assert_json(*self.train(flags=("--dry-run",))),
                         self.assert_json(*self.train(command="plan")))
        self.assertEqual(sorted(self.files()), ["job.toml", "meters.txt"])
        self.assertFalse(self.ledger.exists())

    def test_a_terminal_is_asked_before_the_debit(self):
        self.create()
        code, shown = self.on_terminal(self.train(), b"n\n")
        self.assertEqual((code, self.debits()), (2, []), shown)
        self.assertRegex(shown, r"cost      ε = 8, δ = 1e-05 from the budget of city\s+left      \d+\.\d % after this debit")
        self.assertIn("not confirmed, so nothing was debited; --yes debits without a question", shown)
        code, shown = self.on_terminal(self.train(flags=("--yes",)))
        self.assertEqual((code, self.debits()), (0, [("city:1", "released")]), shown)
        self.assertNotIn("[y/N]", shown)

    def test_a_training_on_nothing_is_refused_before_the_first_step(self):
        self.create()
        # Of keys that are not listed, outside the span, and without a value.
        for rows in ([(f"x{row[0]}", *row[1:]) for row in self.rows], [(row[0], "2020-01-01T00:00", *row[2:]) for row in
                     self.rows[:1]], [(row[0], row[1], "", row[3]) for row in self.rows]):
            self.write("load.csv", text_of(rows))
            self.assert_refused(3, ["no row of the data counts", "--allow-empty", "city:1 stays reserved"], self.train(),
                                [("city:1", "reserved")])
        self.assertEqual(self.uses(), [(STEPS, 0)])
        self.write("load.csv", text_of(self.rows))
        self.assert_succeeds(*self.train())
        self.assertEqual((self.debits(), self.uses()), ([("city:1", "released")], [(STEPS, STEPS)]))
        self.assertIn(SOME_ROW_COUNTS, json.loads(self.read("model.json"))["guarantee"]["assumptions"])

    def test_a_training_on_nothing_may_be_asked_for(self):
        self.create()
        self.write("load.csv", "meter,ts,kwh,temp\n")
        self.assertIn("wrote     ", self.assert_succeeds(*self.train(flags=("--allow-empty",))))
        self.assertNotIn("some row counts", self.read("model.json"))

    def test_bad_rows_leave_the_debit_to_the_same_command(self):
        self.create()
        self.write("load.csv", text_of([*self.rows, self.rows[0]]))
        self.assert_refused(3, [f"row {len(self.rows) + 1}", "city:1 stays reserved"], self.train(),
                            [("city:1", "reserved")])
        self.write("load.csv", text_of(self.rows))
        told = self.assert_json(*self.train())
        self.assertEqual((told["debit"]["id"], told["steps"]), ("city:1", STEPS))
        self.assertEqual(self.debits(), [("city:1", "released")])

    def test_an_interrupt_names_the_debit_and_the_same_command_goes_on(self):
        self.create()
        steps = 600
        words = self.train(("steps = 12", f"steps = {steps}\ncheckpoint_every = 1"), ("= 2.0", "= 40.0"))
        for number in (signal.SIGINT, signal.SIGTERM):
            before = sum(used for _, used in self.uses())
            process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"})
            while process.poll() is None and sum(used for _, used in self.uses()) == before:
                time.sleep(0.005)
            process.send_signal(number)
            out, problem = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out), (130, ""), (number, problem))
            self.assertEqual(problem, "chronoveil: interrupted; the debit city:1 stays reserved; the same command goes "
                                      "on from the last checkpoint\n")
            self.assertEqual(self.debits(), [("city:1", "reserved")])
            self.assertEqual(sorted(self.files()), ["job.toml", "load.csv", "meters.txt"])
        reserved = [("city:1", "reserved")]
        self.assert_refused(2, ["--again: ", "city:1 is not finished"], (*words, "--again", "city:1"), reserved)
        with open(next(self.folder.glob("ledger.db.training/city/*/lock")), encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # as a process does that trains
            self.assert_refused(2, "another process trains this job now", words, reserved)
        told = self.assert_json(*words)
        self.assertTrue(told["resumed"])
        self.assertEqual((told["debit"]["id"], told["uses"]), ("city:1", steps))
        # One step at most is lost by each: the one that was under way.
        self.assertIn(told["steps"], range(steps - 2, steps + 1))
        self.assertEqual((self.debits(), self.uses()), ([("city:1", "released")], [(steps, steps)]))


class Kinds(TrainTest):
    """Every model, each with something else that a job may ask for."""

    def trained(self, *pairs, flags=("--seed", "1", "--json")):
        told = json.loads(self.seeded(self.train(*pairs, flags=flags)))
        self.assertTrue(is_whole(self.files()["model.cvm"]))
        self.assertEqual(told["steps"], told["plan"]["steps"])
        return told

    def forecasted(self):
        header, rows = rows_of(self.seeded(self.forecast()))
        self.assertEqual(header[-1], "mark")
        self.assertTrue(all(float(one) == float(one) for row in rows for one in row[2:-1]), "not a number")
        return rows

    def test_deepar_with_gaps_and_lags(self):
        gaps = [row[:2] + ("", row[3]) if i % 7 == 3 else row for i, row in enumerate(self.rows) if i % 11 != 5]
        self.write("load.csv", text_of(gaps))
        told = self.trained(('"simple_feed_forward"', '"deepar"\nlags = [1, 5]\nlayers = 1\nfill = "last"'),
                            ("steps = 12", "steps = 3"))
        self.assertEqual((told["model"]["name"], told["plan"]["event"]["context_length"]), ("deepar", 17))
        self.assertEqual(len(self.forecasted()), 6 * FORECAST)

    def test_itransformer_on_channels_for_users(self):
        model = '"itransformer"\nchannels = ["kwh", "temp"]\nheads = 2\ninner = 8'
        told = self.trained(('"simple_feed_forward"', model), ('value = "kwh"\n', ""),
                            ('unit = "event"', 'unit = "user"\nmax_steps = 3'),
                            ("epsilon = 8.0", "epsilon = 30.0"), ("steps = 12", "steps = 3"))
        event = told["plan"]["event"]
        self.assertEqual((event["unit"], event["width"]), ("user", 3))
        self.assertEqual(told["guarantee"]["unit"], "user")
        rows = self.forecasted()
        self.assertEqual(sorted({row[0] for row in rows}),
                         sorted(f"m{i}/{channel}" for i in range(6) for channel in ("kwh", "temp")))

    def test_dlinear_on_series_of_different_lengths_drawn_by_poisson(self):
        self.write("spans.csv", f"series,start,end\nm2,{time_of(30)},{time_of(80)}\nm4,{time_of(0)},{time_of(20)}\n")
        model = ('"dlinear"\nkernel = 5\nspans = "spans.csv"\nwindows_per_series = 2\nbottom_level = "poisson"\n'
                 'average = 0.9')
        told = self.trained(('"simple_feed_forward"', model), ("= 2.0", "= 9.0"))
        event = told["plan"]["event"]
        self.assertEqual((event["length"], event["bottom_level"]), ([20, 50, HOURS], "poisson"))
        self.assertEqual(told["plan"]["windows"], [20 - FORECAST + 1, HOURS - FORECAST + 1])

    def test_series_in_turn_with_noise_on_windows(self):
        """A real debit in a dataset of w-events."""
        self.create("city", "w-event", 100, "--width", "2")
        told = self.assert_json(*self.train(
            ("steps = 12", 'top_level = "iterate"\nlabel_noise = 2.0\ncontext_noise = 1.0\nsteps = 5\nspare_steps = 1'),
            ('unit = "event"', 'unit = "w-event"\nwidth = 2'), ("epsilon = 8.0", "epsilon = 30.0")))
        event = told["plan"]["event"]
        self.assertEqual((event["top_level"], event["width"], event["label_noise"], event["context_noise"]),
                         ("iterate", 2, 2, 1))
        self.assertEqual((told["guarantee"]["unit"], told["guarantee"]["width"]), ("w-event", 2))
        self.assertEqual(event["count"], 3)  # six steps, two per epoch
        self.assertEqual(self.uses(), [(6, 5)])

    def test_noise_on_labels_makes_steps_cheaper(self):
        cost = {noise: self.assert_json(*self.train(("steps = 12", f"steps = 12\nlabel_noise = {noise}"),
                                                    command="plan"))["guarantee"]["epsilon"] for noise in (0, 2.0)}
        self.assertLess(cost[2.0], cost[0])

    def test_bounds_are_kept_by_the_model_and_enforce_what_noise_counts_on(self):
        """A real debit; what a forecast reads is not clamped."""
        self.create()
        told = self.assert_json(*self.train(
            ("steps = 12", 'steps = 2\nlabel_noise = 2.0\nlower = 9\nupper = 12.5\nchannels = ["kwh", "temp"]'),
            ('value = "kwh"\n', "")))
        self.assertEqual((told["plan"]["lower"], told["plan"]["upper"]), (9, 12.5))
        texts = {one["text"]: one["basis"] for one in told["guarantee"]["assumptions"] if "by at most" in one["text"]}
        [(text, basis)] = texts.items()
        self.assertIn("clamped to [9, 12.5]", text)
        self.assertIn("by at most 4.949747468", text)
        self.assertEqual(basis, "enforced")
        self.assertIn("Whether a value is missing is not protected", " ".join(told["guarantee"]["not_protected"]))
        self.assertIn(b'"lower":9.0,"upper":12.5', self.files()["model.cvm"])
        raw = self.assert_succeeds(*self.forecast())
        self.write("load.csv", text_of(row[:2] + tuple(str(min(12.5, max(9, float(one)))) for one in row[2:])
                                       for row in self.rows))
        self.assertNotEqual(self.assert_succeeds(*self.forecast()), raw)

    def test_a_table_of_sqlite_trains_the_same_model_as_a_csv(self):
        rows = [row[:2] + (None if i % 13 == 5 else float(row[2]),) for i, row in enumerate(self.rows)]
        self.write("load.csv", text_of([(*row[:2], "" if row[2] is None else str(row[2])) for row in rows],
                                       "meter,ts,kwh\n"))
        self.trained()
        from_csv = self.files()["model.cvm"]
        (self.folder / "load.csv").unlink()
        database = sqlite3.connect(self.folder / "load.db")
        database.execute("CREATE TABLE load (meter TEXT, ts TEXT, kwh REAL)")
        database.executemany("INSERT INTO load VALUES (?, ?, ?)", reversed(rows))
        database.commit()
        database.close()
        source = ('path = "load.csv"', 'kind = "sqlite"\npath = "load.db"\ntable = "load"')
        self.trained(source)
        self.assertEqual(self.files()["model.cvm"], from_csv)
        self.create()
        told = self.assert_json(*self.train(source))
        self.assertEqual((told["debit"]["id"], told["steps"]), ("city:1", STEPS))

    def test_a_model_file_forecasts_the_same_elsewhere(self):
        self.create()
        self.assert_succeeds(*self.train())
        here = self.assert_succeeds(*self.forecast())
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        shutil.move(self.folder / "model.cvm", elsewhere / "other.name")
        for path in list(self.folder.iterdir()):  # neither job nor ledger is needed
            if path != elsewhere:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (elsewhere / "history.csv").write_text(text_of(panel()))
        there = self.assert_succeeds("forecast", "other.name", "history.csv", "--series", "meter", "--time", "ts",
                                     cwd=elsewhere)
        self.assertEqual(there, here)


if __name__ == "__main__":
    unittest.main()

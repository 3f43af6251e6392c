"""Jobs that train, as far as `chronoveil` itself goes: plans, checks, refusals, and handing on to the other program."""

import json
import os
import stat
import subprocess
import unittest

from job_folder import JobFolderTest
from program import PROGRAM, run

JOB = """version = 1
[dataset]
name = "meters"
[source]
path = "load.csv"
time = "ts"
series = "meter"
value = "kwh"
[slots]
start = "2026-03-02T00:00"
end = "2026-03-30T00:00"
length = "1h"
[series]
list = "meters.txt"
[privacy]
unit = "event"
epsilon = 1.0
delta = 1e-6
[train]
model = "simple_feed_forward"
context_length = 24
forecast_length = 12
batch_size = 4
noise_multiplier = 4.0
[output]
model = "model.cvm"
"""

# What it was started with, one word per line.
ECHO = "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n"


class TrainTest(JobFolderTest):
    command, job_text, dataset = "train", JOB, "meters"

    def setUp(self):
        super().setUp()
        self.write("meters.txt", "".join(f"m{i}\n" for i in range(12)))
        self.write("load.csv", "meter,ts,kwh\nm0,2026-03-02T00:00,1.5\n")

    def create(self, *words):
        words = words or ("--unit", "event", "--relation", "replace_values")
        self.assert_succeeds("budget", "create", "meters", "--epsilon", "2", "--delta", "1e-5", *words, "--ledger",
                             str(self.ledger))

    def plan(self, *pairs):
        return self.assert_json(*self.job(*pairs, command="plan"))


class Plans(TrainTest):
    def test_a_plan_agrees_with_the_accountant(self):
        plan = self.plan()
        event = json.dumps({**plan["plan"]["event"], "count": 1})
        most = self.assert_json("account", event, "--epsilon", "1", "--delta", "1e-6", "--max-count")["count"]
        self.assertEqual(plan["steps"], most)
        event = json.dumps(plan["plan"]["event"])
        price = self.assert_json("account", event, "--delta", "1e-6")
        self.assertEqual(plan["guarantee"]["epsilon"], price["epsilon"])
        self.assertLessEqual(price["epsilon"], 1)
        self.assertEqual(plan["guarantee"]["relation"], "replace_values")
        self.assertEqual((plan["windows"]["least"], plan["windows"]["touched"]), (661, 36))
        self.assertEqual(plan["sampling"]["series_per_step"], 4)
        self.assertEqual({"enforced", "declared"}, {one["basis"] for one in plan["guarantee"]["assumptions"]})
        self.assertIn({"text": "every row can be read and is one that the job takes; any other ends the release, which can be "
                               "seen", "basis": "declared"}, plan["guarantee"]["assumptions"])

    def test_noise_follows_from_steps(self):
        plan = self.plan(("noise_multiplier = 4.0", "steps = 300\nspare_steps = 20"))
        self.assertEqual((plan["steps"], plan["spare_steps"], plan["plan"]["event"]["count"]), (300, 20, 320))
        self.assertLessEqual(plan["guarantee"]["epsilon"], 1)

    def test_a_dry_run_is_a_plan(self):
        words = self.job(flags=("--dry-run",))
        self.assertEqual(self.assert_succeeds(*words), self.assert_succeeds(*self.job(command="plan")))
        self.assertIn("noise multiplier 4, clipped to 0.0001", self.assert_succeeds(*words))

    def test_a_check_says_what_it_costs_and_debits_nothing(self):
        self.create()
        checked = self.assert_json(*self.job(command="check"))
        self.assertTrue(checked["admitted"])
        self.assertIn("nothing was debited", self.assert_succeeds(*self.job(command="check")))
        self.assertEqual(self.debits(), [])

    def test_a_check_tells_the_owner_what_is_in_the_data(self):
        self.create()
        self.write("load.csv", "meter,ts,kwh\nm0,2026-03-02T00:00,1\nm0,2026-03-02T01:00,\nM1,2026-03-02T02:00,2\n"
                               "m1,2020-01-01T00:00,3\n")
        data = self.assert_json(*self.job(command="check"))["data"]
        self.assertEqual((data["rows"], data["inside_span"], data["counted"]), (4, 3, 1))
        self.assertEqual((data["keys_listed"], data["keys_matched"], data["first_unlisted"]), (12, 1, ["M1"]))
        self.assertEqual((data["first"][:10], data["last"][:10]), ("2020-01-01", "2026-03-02"))
        text = self.assert_succeeds(*self.job(command="check"))
        self.assertIn("rows      4: 3 inside the span, 1 count", text)
        self.assertNotIn("empty", text)
        self.write("load.csv", "meter,ts,kwh\nM0,2026-03-02T00:00,1\n")
        self.assertIn("empty     0 of 1 rows count: run refuses that", self.assert_succeeds(*self.job(command="check")))


class Refusals(TrainTest):
    def assert_refused(self, code, mentions, *pairs, command="plan", flags=()):
        self.assert_fails(code, mentions, *self.job(*pairs, command=command, flags=flags))
        self.assertFalse((self.folder / "model.cvm").exists())

    def test_an_epsilon_that_pays_for_no_step_names_the_smallest_that_does(self):
        pairs = (("epsilon = 1.0", "epsilon = 0.01"), ("noise_multiplier = 4.0", "noise_multiplier = 0.5"))
        self.assert_refused(4, ["privacy.epsilon: 0.01", "the smallest that would do is "], *pairs)
        told = run(*self.job(*pairs, command="plan")).stderr.split()[-1]
        self.assertGreaterEqual(self.plan(("epsilon = 1.0", f"epsilon = {told}"), pairs[1])["steps"], 1)

    def test_a_batch_of_too_many_series(self):
        self.assert_refused(2, ["train.batch_size: 13", "at most 12"], ("batch_size = 4", "batch_size = 13"))

    def test_a_series_that_is_too_short(self):
        self.write("spans.csv", "series,start,end\nm7,2026-03-02T00:00,2026-03-02T11:00\n")
        self.assert_refused(3, ["series 'm7'", "11 steps"], ("batch_size = 4", 'batch_size = 4\nspans = "spans.csv"'))
        self.assert_refused(3, ["series 'm0'"], ("forecast_length = 12", "forecast_length = 1000"))

    def test_an_output_that_a_training_does_not_have(self):
        """Ignored in silence it would look written."""
        for key in ("chart", "geojson"):
            self.assert_refused(2, [f"output.{key}: ", "a training has no such picture"],
                                ("[output]\n", f'[output]\n{key} = "out.svg"\n'))

    def test_no_delta_and_no_noise(self):
        self.assert_refused(2, "privacy.delta", ("delta = 1e-6\n", ""))
        self.assert_refused(2, "train.noise_multiplier: it is missing", ("noise_multiplier = 4.0\n", ""))

    def test_bad_rows_are_found_by_check_without_telling_a_value(self):
        self.create()
        for value, mention in (("NaN", "column kwh"), ("71234x", "column kwh"), ("1e60", "column kwh")):
            self.write("load.csv", f"meter,ts,kwh\nm0,2026-03-02T00:00,1.5\nm0,2026-03-02T01:00,{value}\n")
            words = self.job(command="check")
            self.assert_fails(3, ["row 2", mention], *words)
            self.assertNotIn(value, run(*words).stderr)
        self.write("load.csv", "meter,ts,kwh\nm0,2026-03-02T00:00,1.5\nm0,2026-03-02T00:10,2\n")
        self.assert_fails(3, ["row 2", "given before"], *self.job(command="check"))
        self.assertEqual(self.debits(), [])

    def test_a_dataset_that_promises_something_else(self):
        self.create("--unit", "event", "--relation", "replace")
        self.assert_refused(2, ["dataset.name", "replace_values"], command="check")

    def test_other_commands_say_whose_job_it_is(self):
        self.write("release.json", "{}")
        self.assert_refused(2, "backtest", command="evaluate", flags=("--release", str(self.folder / "release.json")))
        self.assert_refused(2, "chronoveil train", command="live", flags=("--ledger", str(self.ledger)))
        self.assert_refused(2, "--analysis", command="run", flags=("--analysis", "published"))


class HandingOn(TrainTest):
    def start(self, other, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "CHRONOVEIL_FORECAST": str(other)}
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment, timeout=120,
                              check=False)

    def other(self):
        path = self.write("other", ECHO)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_words_are_passed_on_and_the_exit_code_comes_back(self):
        _, job, *_ = self.job()
        for words in (["train", job, "--ledger=x y", "--yes"], ["train", job, "--again", "city:1", "--json"],
                      ["backtest", job, "--seeds", "5", "--json"], ["backtest", job, "--models", "sign_lags,dlinear"]):
            done = self.start(self.other(), *words)
            self.assertEqual((done.returncode, done.stderr), (7, ""), words)
            self.assertEqual(done.stdout.splitlines(), words)

    def test_run_of_such_a_job_is_train(self):
        command, path, *flags = self.job(flags=("--yes", "--seed", "5"))
        done = self.start(self.other(), command, path, *flags, "--json")
        self.assertEqual(done.returncode, 7, done.stderr)
        words = done.stdout.splitlines()
        self.assertEqual(words[:2], ["train", path])
        self.assertEqual(sorted(words[2:]), sorted([*flags, "--json"]))

    def test_without_the_other_program_it_says_what_to_install(self):
        nowhere = self.folder / "nowhere"
        _, job, *_ = self.job()
        for words in (["train", job], ["backtest", job], ["run", job]):
            done = self.start(nowhere, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("chronoveil-forecast", done.stderr)
            self.assertIn(str(nowhere), done.stderr)
        done = self.start(nowhere, "train", "--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("chronoveil train load.toml", done.stdout)

    def test_what_is_wrong_with_a_job_is_said_without_the_other_program(self):
        nowhere = self.folder / "nowhere"
        done = self.start(nowhere, "train", "no_such.toml")
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertIn("no_such.toml", done.stderr)
        done = self.start(nowhere, "forecast", self.job()[1], "load.csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("this is not a model file", done.stderr)


if __name__ == "__main__":
    unittest.main()

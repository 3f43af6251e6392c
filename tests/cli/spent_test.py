"""No command spends in silence: whatever debits says on stdout or stderr what it promises, which debit paid, and what is
left. What comes out of a programme says how many of its runs are used."""

import json
import unittest

from jobs import JOB, JobTest
from live_jobs import LiveTest, counts
from means_jobs import MeansTest
from perturb_jobs import PerturbTest
from program import run
from train_jobs import SIGN_LAGS, TrainTest

LINES = ("guarantee ", "debit ", "budget ")


class Spent(JobTest):
    def options(self, *more):
        return ("release", str(self.folder / "trips.csv"), "--dataset", "city", "--user", "card", "--time", "ts",
                "--zone", "Europe/Berlin", "--start", "2026-03-28T00:00", "--end", "2026-03-30T00:00", "--length", "1h",
                "--max-steps", "2", "--epsilon", "1", "--delta", "1e-6", "--ledger", str(self.ledger), *more)

    def said_of(self, text, debit):
        for line in LINES:
            self.assertEqual(sum(one.startswith(line) for one in text.splitlines()), 1, (line, text))
        self.assertIn(f"debit     {debit}\n", text)
        self.assertRegex(text, r"budget    \w+: \d+\.\d % left")

    def test_a_release_to_standard_output_says_on_stderr_what_it_cost(self):
        self.create()
        done = run(*self.options())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("time,value,"))
        self.assertNotIn("guarantee", done.stdout)
        self.said_of(done.stderr, "city:1")
        # The same where a job says so.
        self.change(('csv = "out.csv"', 'csv = "-"'))
        done = run(*self.words("run"))
        self.said_of(done.stderr, "city:4")
        self.assertIn("written ", done.stderr)
        self.assertNotIn("enforced", done.stderr)

    def test_a_release_to_files_says_it_on_stdout(self):
        self.create()
        done = run(*self.options("--output", str(self.folder / "out.csv")))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.said_of(done.stdout, "city:1")

    def test_json_says_it_itself_and_a_rehearsal_spends_nothing(self):
        self.create()
        done = run(*self.options("--json"))
        self.assertEqual((done.stderr, json.loads(done.stdout)["debit"]["id"]), ("", "city:1"))
        done = run(*self.options("--seed", "1"))
        self.assertEqual(done.stderr, "seeded: not private\n")

    def test_a_look_at_standard_output_says_it(self):
        self.create()
        self.change(("max_steps = 2\n", ""))
        done = run("look", str(self.job), "--ledger", str(self.ledger), "--output", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said_of(done.stderr, "city:1")

    def test_a_run_of_a_programme_tells_how_many_are_used(self):
        self.create()
        self.write("map.toml", JOB.replace('length = "1h"', 'length = "24h"'))
        year = self.write("year.toml", 'dataset = "city"\n[[release]]\njob = "job.toml"\ntimes = 3\n'
                                       'varies = ["slots.start", "slots.end"]\n[[release]]\njob = "map.toml"\n')
        self.assert_succeeds("budget", "programme", str(year), "--ledger", str(self.ledger))
        told = self.assert_succeeds(*self.words("check"))
        self.assertIn("budget    city: 0 of 4 runs of the programme used: 0 of 3 of job.toml, 0 of 1 of map.toml\n", told)
        self.assertNotIn("% left", told)
        self.assertEqual(self.assert_json(*self.words("check"))["earlier"]["programme"],
                         [{"job": "job.toml", "used": 0, "runs": 3}, {"job": "map.toml", "used": 0, "runs": 1}])
        done = run(*self.words("run"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("budget    city: 1 of 4 runs of the programme used: 1 of 3 of job.toml, 0 of 1 of map.toml\n",
                      done.stdout)
        self.assertNotIn("% left", done.stdout)
        self.change(('start = "2026-03-28T00:00"', 'start = "2026-04-01T00:00"'),
                    ('end = "2026-03-30T00:00"', 'end = "2026-04-03T00:00"'))
        done = run(*self.words("run", "--json", "--allow-empty", "--yes"))
        self.assertEqual(json.loads(done.stdout)["budget"]["programme"][0],
                         {"job": "job.toml", "used": 2, "runs": 3}, done.stderr)
        # The document of the release is as it always was.
        self.assertNotIn("programme", json.loads((self.folder / "out.json").read_text())["budget"])

    def test_with_one_job_alone_its_name_is_left_out(self):
        self.create()
        year = self.write("year.toml", 'dataset = "city"\n[[release]]\njob = "job.toml"\ntimes = 2\n'
                                       'varies = ["slots.start", "slots.end"]\n')
        self.assert_succeeds("budget", "programme", str(year), "--ledger", str(self.ledger))
        self.assertIn("budget    city: 1 of 2 runs of the programme used\n", run(*self.words("run")).stdout)

    def test_a_programme_tells_its_total_where_the_dataset_is_not_there_yet(self):
        year = self.write("year.toml", 'dataset = "city"\n[[release]]\njob = "job.toml"\ntimes = 4\n'
                                       'varies = ["slots.start", "slots.end"]\n')
        words = ("budget", "programme", str(year), "--ledger", str(self.ledger))
        text = self.assert_succeeds(*words, "--dry-run")
        self.assertFalse(self.ledger.exists())
        told = self.assert_json(*words, "--dry-run")
        self.assertIsNone(told["debit"])
        self.assertLess(told["epsilon"], told["added_up"]["epsilon"])
        self.assertAlmostEqual(told["delta"], 4e-6)
        self.assertIn("there is no dataset city yet", text)
        create = text.splitlines()[-1].split()
        self.assertEqual(create[:4], ["chronoveil", "budget", "create", "city"])
        self.assertLess(float(create[create.index("--epsilon") + 1]), told["epsilon"] * 1.01)
        # Without --dry-run the refusal names the same command, and it does make a dataset that the programme fits in.
        self.assert_fails(2, ["there is no dataset 'city'", " ".join(create[:6])], *words)
        self.assertFalse(self.ledger.exists())
        self.assert_succeeds(*[word.strip("'") for word in create[1:]])
        priced = self.assert_json(*words, "--dry-run")
        self.assertAlmostEqual(priced["epsilon"], told["epsilon"], places=6)
        self.assert_succeeds(*words)
        for start in ("2026-03-28", "2026-04-01", "2026-04-04", "2026-04-07"):
            end = start[:-2] + f"{int(start[-2:]) + 2:02}"
            self.change(("2026-03-28T00:00", start + "T00:00"), ("2026-03-30T00:00", end + "T00:00"))
            done = run(*self.words("run", "--allow-empty", "--yes"))
            self.assertEqual(done.returncode, 0, done.stderr)


class SpentMeans(MeansTest):
    def test_means_to_standard_output_say_it(self):
        self.create()
        done = run(*self.from_options(dataset="buses"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in LINES:
            self.assertIn("\n" + line, "\n" + done.stderr)


SORT = {"mechanism": "noisy_sort", "dataset": "meter"}


class SpentPerturbed(PerturbTest):
    def test_a_perturbed_series_says_it_on_either_stream(self):
        self.create()
        done = run(*self.from_options(**SORT))
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in LINES:
            self.assertIn("\n" + line, "\n" + done.stderr)
        done = run(*self.from_options("--output", str(self.folder / "out.csv"), "--yes", **SORT))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for line in LINES:
            self.assertIn("\n" + line, "\n" + done.stdout)

    def test_a_dry_run_looks_at_the_header_and_at_the_budget(self):
        self.write("in.csv", "date,kwh,day\n2026-01-01T00:00,1,2\n2026-01-01T01:00,3,4\n")
        done = run(*self.from_options("--dry-run", **SORT))
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("--time: the source has no column 'time'", done.stderr)
        self.assertIn("its columns are date, kwh, day", done.stderr)
        told = self.assert_succeeds(*self.from_options("--dry-run", "--time", "date", **SORT))
        self.assertIn("columns   perturbed kwh; times date; kept as they are day\n", told)
        self.assertNotIn("budget ", told)
        self.assertFalse((self.folder / "ledger.db").exists())
        self.create()
        told = self.assert_succeeds(*self.from_options("--dry-run", "--time", "date", columns="kwh", **{**SORT, "keep": None}))
        self.assertIn("columns   perturbed kwh; times date; left out day\n", told)
        self.assertRegex(told, r"budget    \w+: 100\.0 % left; this job takes \d+\.\d % of the budget")
        # What looks like a row of data is never listed.
        self.write("in.csv", "2026-01-01T00:00,17,18\n2026-01-01T01:00,3,4\n")
        done = run(*self.from_options("--dry-run", **SORT))
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("17", done.stderr)


class SpentForecast(TrainTest):
    def test_a_forecast_from_a_private_history_says_what_it_cost_and_what_its_noise_does(self):
        self.create()
        self.write("job.toml", SIGN_LAGS)
        self.assertEqual(run("train", str(self.folder / "job.toml"), "--ledger", str(self.ledger)).returncode, 0)
        words = self.forecast("--private", "--epsilon", "2", "--delta", "1e-5", "--lower", "0", "--upper", "30",
                              "--dataset", "city", "--keys", str(self.folder / "meters.txt"), "--value", "kwh",
                              "--output", str(self.folder / "next.csv"))
        done = run(*words, "--ledger", str(self.ledger))
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in (*LINES, "noise     Gaussian σ = ", "written "):
            self.assertIn("\n" + line, "\n" + done.stderr)
        self.assertIn("times the width of the bounds 0 to 30", done.stderr)
        self.assertIn("next.csv", done.stderr)


class SpentLive(LiveTest):
    def test_the_start_that_opens_a_release_says_what_it_cost(self):
        self.prepare()
        done = self.live(counts((0, 5)))
        for line in LINES:
            self.assertIn("\n" + line, "\n" + done.stderr)
        self.assertEqual(self.live(counts((1, 5))).stderr, "")


if __name__ == "__main__":
    unittest.main()

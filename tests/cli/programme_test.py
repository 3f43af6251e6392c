"""Programmes: a year of releases debited once, whose runs take their slots by themselves."""

import json
import unittest

from jobs import JOB, JobTest
from means_jobs import MeansTest, text_of
from perturb_jobs import PerturbTest
from program import run

PROGRAMME = """dataset = "city"
[[release]]
job = "job.toml"
times = 3
varies = ["slots.start", "slots.end"]
[[release]]
job = "map.toml"
"""
WEEKS = [("2026-03-28T00:00", "2026-03-30T00:00"), ("2026-04-01T00:00", "2026-04-03T00:00"),
         ("2026-04-04T00:00", "2026-04-06T00:00"), ("2026-04-07T00:00", "2026-04-09T00:00")]


class ProgrammeTest(JobTest):
    def setUp(self):
        super().setUp()
        self.create("--epsilon", "8", "--delta", "1e-5")
        self.write("map.toml", JOB.replace('length = "1h"', 'length = "24h"').replace("epsilon = 1.0", "epsilon = 0.5"))
        self.programme = self.write("year.toml", PROGRAMME)

    def budget(self, *words, code=0):
        done = run("budget", *words, "--ledger", str(self.ledger))
        self.assertEqual(done.returncode, code, (words, done.stderr))
        return done.stdout + done.stderr

    def history(self):
        return json.loads(self.budget("history", "city", "--json"))["debits"]

    def week(self, number, *flags, code=0):
        (start, end), (first, last) = WEEKS[number], WEEKS[0]
        self.change((f'start = "{first}"', f'start = "{start}"'), (f'end = "{last}"', f'end = "{end}"'))
        done = run(*self.words("run", "--allow-empty", *flags))
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def slots(self, debit=0):
        return [slot["state"] for slot in self.history()[debit]["slots"]]

    def test_the_debit_is_what_the_accountant_says_of_all_slots_together(self):
        told = json.loads(self.budget("programme", str(self.programme), "--dry-run", "--json"))
        self.assertEqual(self.history(), [])
        self.budget("programme", str(self.programme))
        (debit,) = self.history()
        events = [slot["reserved"] for slot in debit["slots"]]
        self.assertEqual(len(events), 4)
        alone = self.assert_json("account", json.dumps({"event": "compose", "events": events}), "--delta", "1e-5")
        self.assertAlmostEqual(told["epsilon"], alone["epsilon"], places=6)
        self.assertLess(told["epsilon"], told["added_up"]["epsilon"])
        # What another accountant finds: the squares of 1/σ add up to what the gaussian member was charged.
        squares = sum((event["sensitivity"] / event["scale"]) ** 2 if "scale" in event
                      else event["noise_multiplier"] ** -2 for event in events)
        charged = {one["measure"]: one["amount"] for one in debit["cost"]["members"]}["μ²"]
        self.assertGreaterEqual(charged * (1 + 1e-9), squares)
        self.assertAlmostEqual(charged, squares, delta=0.01 * squares)
        self.assertIn("debited before, as city:1", self.budget("programme", str(self.programme), code=2))

    def test_where_epsilons_are_added_up_one_debit_is_cheaper_at_the_same_delta(self):
        self.ledger = self.folder / "sum.db"
        self.create("--epsilon", "8", "--delta", "1e-5", "--filter", "sum")
        told = json.loads(self.budget("programme", str(self.programme), "--json"))
        self.assertLess(told["together"]["share"], told["debit_by_debit"]["share"])
        (debit,) = self.history()
        events = [slot["reserved"] for slot in debit["slots"]]
        alone = self.assert_json("account", json.dumps({"event": "compose", "events": events}), "--delta", "4e-6")
        self.assertAlmostEqual(debit["cost"]["epsilon"], alone["epsilon"], places=6)
        self.assertAlmostEqual(debit["cost"]["delta"], 4e-6, places=12)
        self.assertIn("takes city:1/0", self.week(0))
        self.assertIn("holds", self.budget("verify"))

    def test_each_week_takes_a_slot_and_the_rest_are_ordinary_debits(self):
        self.budget("programme", str(self.programme))
        before = self.assert_json("budget", "show", "city", "--ledger", str(self.ledger))["left"]
        self.assertIn("takes city:1/0", self.week(0))
        self.assertIn("takes city:1/1", self.week(1))
        self.assertEqual(self.slots(), ["released", "released", "free", "free"])
        self.assertEqual(self.assert_json("budget", "show", "city", "--ledger", str(self.ledger))["left"], before)
        # The same week again is a second release, and says so.
        self.assertIn("debited before, as city:1/1", self.week(1, code=2))
        self.assertIn("takes city:1/2", self.week(2))
        self.assertIn("it is an ordinary debit", self.week(3))
        self.assertEqual(self.slots(), ["released", "released", "released", "free"])
        self.assertEqual(len(self.history()), 2)
        self.assertIn("job.toml: 3 of 3 runs used", self.budget("show", "city"))
        self.assertIn("map.toml: 0 of 1 runs used", self.budget("show", "city"))
        self.assertIn("holds", self.budget("verify"))

    def test_another_epsilon_or_cap_does_not_take_the_slot(self):
        self.budget("programme", str(self.programme))
        for change in (("epsilon = 1.0", "epsilon = 1.1"), ("epsilon = 1.0", "epsilon = 0.9"),
                       ("max_steps = 2", "max_steps = 3"), ('length = "1h"', 'length = "2h"')):
            self.change(change)
            said = run(*self.words("run", "--yes")).stderr
            self.assertIn("it is an ordinary debit", said, change)
        self.assertEqual(self.slots(), ["free"] * 4)

    def test_a_slot_is_never_drawn_for_twice_and_a_failed_run_keeps_it(self):
        self.budget("programme", str(self.programme))
        good = (self.folder / "trips.csv").read_text()
        self.write("trips.csv", good + "c1,yesterday,north\n")
        self.assertIn("run the same job again to use the debit city:1/0", self.week(0, code=3))
        self.assertEqual(self.slots(), ["reserved", "free", "free", "free"])
        self.write("trips.csv", good)
        checked = self.assert_json(*self.words("check"))
        self.assertEqual((checked["earlier"]["id"], checked["earlier"]["taken_up"]), ("city:1/0", True))
        self.assertIn("used the debit city:1/0", self.week(0))
        self.assertEqual(self.slots(), ["released", "free", "free", "free"])
        # By hand neither: the ledger knows one use of a slot.
        event = json.dumps(self.history()[0]["slots"][0]["reserved"])
        self.assertIn("a slot not used before", self.budget("slot", "city:1/0", event, code=2))
        drawn = [json.loads(line)["kind"] for line in self.budget("export", "city").splitlines()]
        self.assertEqual(drawn, ["create", "debit", "slot", "drawing", "state"])

    def test_what_ran_in_a_slot_is_verified_and_emitted_anew(self):
        self.budget("programme", str(self.programme))
        self.week(0)
        out = self.folder / "out.json"
        self.assertEqual(json.loads(out.read_text())["debit"]["id"], "city:1/0")
        self.assertIn("is what was released", self.budget("verify", "--against", str(out)))
        first = out.read_text()
        out.unlink()
        self.week(0, "--again", "city:1/0")
        self.assertEqual(out.read_text(), first)
        changed = json.loads(first)
        changed["guarantee"]["epsilon"] = 2
        out.write_text(json.dumps(changed))
        self.assertIn("changed", self.budget("verify", "--against", str(out), code=5))

    def test_an_earlier_slot_does_not_replace_what_a_later_row_made(self):
        self.budget("programme", str(self.programme))
        out = self.folder / "out.json"
        self.week(0)
        self.week(1)
        second = out.read_text()
        self.assertIn("holds the release of the debit city:1/1", self.week(0, "--again", "city:1/0", code=2))
        self.assertEqual(out.read_text(), second)
        out.unlink()
        self.week(0, "--again", "city:1/0")
        self.week(1, "--again", "city:1/1")  # a later one replaces it, as its run did
        self.assertEqual(out.read_text(), second)
        # A slot of an old debit may be used after a newer debit.
        self.change(("max_steps = 2", "max_steps = 3"))
        self.assertEqual(run(*self.words("run", "--yes")).returncode, 0)
        ordinary = json.loads(out.read_text())["debit"]["id"]
        self.assertIn("takes city:1/2", self.week(2))
        third = out.read_text()
        self.change(("max_steps = 2", "max_steps = 3"))
        self.assert_fails(2, "holds the release of the debit city:1/2", *self.words("run", "--again", ordinary))
        self.assertEqual(out.read_text(), third)

    def test_slots_out_of_a_backup_are_not_used(self):
        self.budget("programme", str(self.programme))
        self.budget("backup", str(self.folder / "backup.db"))
        self.assertIn("takes city:1/0", self.week(0))
        # The original has used a slot since. A copy that used it once more would release twice for one price.
        self.ledger = self.folder / "restored.db"
        self.budget("restore", str(self.folder / "backup.db"))
        self.assertIn("city:1/0, which this ledger does not have", self.week(0, code=2))
        (self.folder / "out.json").unlink()
        self.assertNotIn("takes", self.week(0))
        self.assertEqual(self.slots(), ["free"] * 4)
        self.assertEqual(len(self.history()), 2)

    def test_a_ledger_that_lost_the_row_of_a_slot_is_refused(self):
        self.budget("programme", str(self.programme))
        older = self.ledger.read_bytes()
        self.week(0)
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        self.ledger.write_bytes(older)
        self.assertIn("does not have the debit city:1/0", self.week(0, code=5))

    def test_two_runs_at_once_take_two_slots(self):
        self.budget("programme", str(self.programme))
        running = []
        for number in (0, 1, 2):
            start, end = WEEKS[number]
            folder = self.folder / f"w{number}"
            folder.mkdir()
            text = JOB.replace(WEEKS[0][0], start).replace(WEEKS[0][1], end).replace('"out.', f'"w{number}/out.')
            running.append(self.start("run", str(self.write(f"w{number}.toml", text)), "--ledger", str(self.ledger),
                                      "--allow-empty"))
        for process in running:
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
        self.assertEqual(self.slots(), ["released", "released", "released", "free"])
        self.assertEqual(len(self.history()), 1)

    def test_bad_programmes_are_refused(self):
        for change, mention in (
                (('times = 3', 'times = 0'), "times"), (('times = 3', 'times = 20000'), "times"),
                (('varies = ["slots.start", "slots.end"]\n', ''), "varies"),
                (('"slots.end"]', '"privacy.epsilon"]'), "every other key decides what is drawn"),
                (('dataset = "city"', 'dataset = "town"'), "is for the dataset 'city'"),
                (('job = "map.toml"', 'job = "job.toml"'), "differ only in what varies"),
                (('job = "map.toml"', 'job = "none.toml"'), "none.toml"),
                (('[[release]]\njob = "map', '[release]\njob = "map'), ""), (('times = 3', 'tims = 3'), "tims")):
            self.write("year.toml", PROGRAMME.replace(*change))
            done = run("budget", "programme", str(self.programme), "--ledger", str(self.ledger))
            self.assertIn(done.returncode, (2, 5), (change, done.stderr))
            self.assertIn(mention, done.stderr, change)
        self.write("map.toml", JOB.replace('unit = "user"\nmax_steps = 2', 'unit = "event"'))
        self.write("year.toml", PROGRAMME)
        self.assertEqual(run("budget", "programme", str(self.programme), "--ledger", str(self.ledger)).returncode, 2)
        self.assertEqual(self.history(), [])

    def test_a_suggestion_makes_errors_equal_and_stays_within(self):
        found = self.assert_json("budget", "suggest", str(self.programme), "--epsilon", "2", "--delta", "1e-5")
        self.assertLessEqual(found["epsilon"], 2)
        self.assertGreater(found["epsilon"], 1.9)
        week, whole = found["releases"]
        self.assertAlmostEqual(week["error"] / whole["error"], 1, delta=0.02)
        # The jobs with these ε cost what was said: the programme prices them on its own.
        for name, old, one in (("job.toml", "1.0", week), ("map.toml", "0.5", whole)):
            path = self.folder / name
            path.write_text(path.read_text().replace(f"epsilon = {old}", f"epsilon = {one['epsilon']}"))
        told = json.loads(self.budget("programme", str(self.programme), "--dry-run", "--json"))
        self.assertAlmostEqual(told["epsilon"], found["epsilon"], places=6)
        self.assertEqual([one["error"] for one in told["releases"]], [week["error"], whole["error"]])
        self.write("year.toml", PROGRAMME.replace("times = 3", "times = 3\nvalue = 10") + "value = 1000\n")
        week, whole = self.assert_json("budget", "suggest", str(self.programme), "--epsilon", "2", "--delta", "1e-5",
                                       "--error", "relative")["releases"]
        self.assertAlmostEqual(100 * week["error"] / whole["error"], 1, delta=0.02)
        self.assert_fails(2, "value", "budget", "suggest", str(self.write("x.toml", PROGRAMME)), "--epsilon", "1",
                          "--error", "relative")

    def test_a_live_release_is_refused_with_the_reason(self):
        self.write("map.toml", JOB + '[live]\nname = "stops"\n')
        done = run("budget", "programme", str(self.programme), "--ledger", str(self.ledger))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("'map.toml' cannot have a slot: a live release makes a debit of its own for each span", done.stderr)


class MeansProgrammeTest(MeansTest):
    """A year of maps: one job, four times, priced together."""

    PROGRAMME = 'dataset = "buses"\n[[release]]\njob = "job.toml"\ntimes = 4\nvaries = ["slots.start", "slots.end"]\n'
    DAYS = ("2026-03-28", "2026-03-29", "2026-03-30", "2026-03-31", "2026-04-01", "2026-04-02")

    def map(self, number, *flags, command="run"):
        first, after = self.DAYS[number:number + 2]
        return self.job(('start = "2026-03-28T00:00"', f'start = "{first}T00:00"'),
                        ('end = "2026-03-30T00:00"', f'end = "{after}T00:00"'), flags=flags, command=command)

    def test_four_maps_take_the_slots_of_one_debit(self):
        self.create("buses", "--epsilon", "20", "--delta", "1e-6", "--relation", "replace_values")
        self.write("in.csv", text_of([(bus, time.replace("2026-03-28", day), place, speed) for day in self.DAYS
                                      for bus, time, place, speed in self.rows if time < "2026-03-29"]))
        self.map(0)
        programme = ("budget", "programme", str(self.write("year.toml", self.PROGRAMME)), "--ledger", str(self.ledger))
        planned = self.assert_json(*programme, "--dry-run")
        self.assertEqual(self.debits(), [])
        told = self.assert_json(*programme)
        self.assertEqual(planned["epsilon"], told["epsilon"])
        (debit,) = self.assert_json("budget", "history", "buses", "--ledger", str(self.ledger))["debits"]
        events = [slot["reserved"] for slot in debit["slots"]]
        alone = self.assert_json("account", json.dumps({"event": "compose", "events": events}), "--delta", "1e-6")
        self.assertEqual(len(events), 4)
        self.assertAlmostEqual(told["epsilon"], alone["epsilon"], places=6)
        self.assertLess(told["epsilon"], 4 * 2.0)
        for number in range(4):
            self.assertEqual(self.assert_json(*self.map(number, command="check"))["admitted"], True)
            done = run(*self.map(number))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"takes buses:1/{number}", done.stderr)
            self.assertEqual(json.loads(self.read("out.json"))["debit"]["id"], f"buses:1/{number}")
        self.assertEqual(len(self.debits()), 1)
        self.assertIn("ordinary debit", run(*self.map(4)).stderr)
        self.assertEqual(len(self.debits()), 2)
        self.assert_succeeds("budget", "verify", "--ledger", str(self.ledger))


class PerturbedProgrammeTest(PerturbTest):
    """What moves values in time is priced with its like, where the dataset promises no more than that."""

    PROGRAMME = 'dataset = "meter"\n[[release]]\njob = "job.toml"\ntimes = 2\nvaries = ["source.path"]\n'

    def programme(self, *words):
        return ("budget", "programme", str(self.write("year.toml", self.PROGRAMME)), "--ledger", str(self.ledger), *words)

    def test_perturbed_series_take_their_slots(self):
        self.create("meter", "--epsilon", "4", "--relation", "swap", "--window", "4", "--unit", "event")
        self.job()
        told = self.assert_json(*self.programme())
        self.assertAlmostEqual(told["epsilon"], 4, places=6)
        self.assertEqual([one["noise"] for one in told["releases"]], ["moves within 4 steps"])
        self.assertIn("takes meter:1/0", run(*self.job()).stderr)
        self.write("second.csv", self.read("in.csv"))
        self.assertIn("takes meter:1/1", run(*self.job(('"in.csv"', '"second.csv"'))).stderr)
        self.assertEqual(run(*self.job(flags=("--yes",))).returncode, 4)  # an ordinary debit, with no room left
        self.assert_succeeds("budget", "verify", "--against", str(self.folder / "out.json"), "--ledger", str(self.ledger))

    def test_it_is_refused_where_the_dataset_promises_more_or_nothing_is_certified(self):
        self.assert_succeeds("budget", "create", "meter", "--epsilon", "9", "--unit", "event", "--ledger",
                             str(self.ledger))
        self.job()
        self.assert_fails(2, ["promises add_remove", "hides only when they were (swap)"], *self.programme())
        self.ledger = self.folder / "other.db"
        self.create()
        self.job(("epsilon = 2.0", 'epsilon = 20.0\nanalysis = "published"'), ('"noisy_sort"', '"threshold"'))
        self.assertNotEqual(run(*self.programme()).returncode, 0)
        self.assertEqual(self.debits(), [])


if __name__ == "__main__":
    unittest.main()

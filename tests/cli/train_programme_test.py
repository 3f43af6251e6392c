"""A model in a programme: it is priced with the counts beside it, trains in its slot step by step, and never beyond what
the slot was priced for, however often it is killed."""

import json
import math
import os
import shutil
import signal
import subprocess
import unittest

from program import PROGRAM, run
from train_jobs import JOB, TrainTest, is_whole

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
STEPS = 3
MODEL = JOB.replace("steps = 12", f"steps = {STEPS}\ncheckpoint_every = 1").replace('report = "model.html"\n', "")
COUNTS = """version = 1
[dataset]
name = "city"
[source]
path = "load.csv"
time = "ts"
series = "meter"
[slots]
start = "2026-03-01T00:00"
end = "2026-03-02T00:00"
length = "1h"
[series]
list = "meters.txt"
[privacy]
unit = "event"
epsilon = 1.0
delta = 1e-6
[mechanism]
name = "gaussian"
[output]
csv = "counts.csv"
"""
PROGRAMME = """dataset = "city"
[[release]]
job = "counts.toml"
times = 3
varies = ["slots.start", "slots.end"]
[[release]]
job = "job.toml"
"""
SLOT = "city:1/3"


def halved(event):
    """A gaussian for a replacement: both what goes and what comes count."""
    assert event["event"] in ("gaussian", "discrete_gaussian"), event
    if "scale" in event:
        return {**event, "sensitivity": 2 * event["sensitivity"]}
    return {**event, "noise_multiplier": event["noise_multiplier"] / 2}


def gaussian_epsilon(mu, delta):
    """ε of N(μ, 1) against N(0, 1), by the formula of the hockey-stick divergence."""
    def phi(x):
        return math.erfc(-x / math.sqrt(2)) / 2
    low, high = 0.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        excess = phi(mu / 2 - middle / mu) - math.exp(middle) * phi(-mu / 2 - middle / mu)
        low, high = (middle, high) if excess > delta else (low, middle)
    return high


def check_uses(rows, reserved):
    """That no step of a slot was begun twice or beyond what is reserved: of (kind, body), in order."""
    next_use = {}
    for kind, body in rows:
        if kind == "use":
            assert body["first"] == next_use.get(body["slot"], 0), "a step was begun twice"
            next_use[body["slot"]] = body["first"] + body["count"]
            assert next_use[body["slot"]] <= reserved, "more steps than were priced"
        assert kind != "drawing" or body["slot"] not in next_use, "a run is not drawn for at once"
    return next_use


class TrainInProgramme(TrainTest):
    def setUp(self):
        super().setUp()
        self.create("city", "event", 40)
        self.write("counts.toml", COUNTS)
        self.write("job.toml", MODEL)
        self.programme = self.write("year.toml", PROGRAMME)

    def budget(self, *words):
        return self.assert_json("budget", *words, "--ledger", str(self.ledger))

    def reserve(self):
        return self.budget("programme", str(self.programme))

    def slots(self):
        return self.budget("history", "city")["debits"][0]["slots"]

    def train_job(self, *flags, code=0, environment=None):
        words = [PROGRAM, "train", str(self.folder / "job.toml"), "--ledger", str(self.ledger), *flags]
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **(environment or {})}
        done = subprocess.run(words, capture_output=True, text=True, env=variables, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def check_rows(self):
        exported = run("budget", "export", "city", "--ledger", str(self.ledger)).stdout.splitlines()
        rows = [(row["kind"], json.loads(row["body"])) for row in map(json.loads, exported)]
        return rows, check_uses(rows, STEPS)

    def test_all_is_priced_together_for_what_the_dataset_promises(self):
        told = self.budget("programme", str(self.programme), "--dry-run")
        model = told["releases"][1]
        self.assertEqual((model["noise"], model["error"]), (f"{STEPS} steps, noise multiplier 2", None))
        self.reserve()
        events = [slot["reserved"] for slot in self.slots()]
        self.assertEqual([event["event"] for event in events[3:]], ["structured_subsampling"])
        # The counts are for somebody who comes or goes; the dataset promises new values, which is both.
        def price(parts):
            return self.assert_json("account", json.dumps({"event": "compose", "events": parts}), "--delta",
                                    "1e-3")["epsilon"]
        counts = [halved(event) for event in events[:3]]
        self.assertAlmostEqual(told["epsilon"], price([*counts, events[3]]), places=5)
        self.assertLess(price(events), 0.99 * told["epsilon"])  # the broken twin: as if nobody were replaced
        mu = math.sqrt(sum((event["sensitivity"] / event["scale"] if "scale" in event
                            else 1 / event["noise_multiplier"]) ** 2 for event in counts))
        self.assertGreater(told["epsilon"], gaussian_epsilon(mu, 1e-3))
        self.assertLess(told["epsilon"], gaussian_epsilon(mu, 5e-4) + self.assert_json(
            "account", json.dumps(events[3]), "--delta", "5e-4")["epsilon"])

    def test_a_training_takes_its_slot_once_and_says_its_own_price(self):
        self.reserve()
        before = self.budget("show", "city")["left"]
        alone = self.assert_json("plan", str(self.folder / "job.toml"))["guarantee"]["epsilon"]
        checked = self.assert_json("check", str(self.folder / "job.toml"), "--ledger", str(self.ledger))
        self.assertEqual((checked["earlier"]["id"], checked["cost"]), (SLOT, None))
        self.assertIn(f"this run takes {SLOT}", self.train_job().stderr)
        *others, slot = self.slots()
        self.assertEqual([one["state"] for one in others], ["free"] * 3)
        self.assertEqual((slot["state"], slot["uses"]), ("released", {"reserved": STEPS, "used": STEPS}))
        self.assertEqual((self.budget("show", "city")["left"], len(self.debits())), (before, 1))
        rows, used = self.check_rows()
        self.assertEqual(used, {3: STEPS})
        with self.assertRaises(AssertionError):  # a checker that takes everything would find nothing
            check_uses([*rows, ("use", {"slot": 3, "first": STEPS, "count": 1})], STEPS)
        with self.assertRaises(AssertionError):
            check_uses([*rows, ("use", {"slot": 3, "first": 0, "count": 1})], STEPS)
        told = json.loads(self.read("model.json"))
        self.assertEqual((told["debit"]["id"], told["guarantee"]["epsilon"]), (SLOT, alone))
        self.assertTrue(self.budget("verify", "--against", str(self.folder / "model.json"))["holds"])
        # Never a second time without being asked, and anew for nothing.
        self.assertIn(f"--again {SLOT}", self.train_job(code=2).stderr)
        model = (self.folder / "model.cvm").read_bytes()
        (self.folder / "model.cvm").unlink()
        self.train_job("--again", SLOT)
        self.assertEqual((self.folder / "model.cvm").read_bytes(), model)
        self.assertIn("it is an ordinary debit", self.train_job("--yes").stderr)
        self.assertEqual(len(self.debits()), 2)
        # The counts take theirs.
        counts = run("run", str(self.folder / "counts.toml"), "--ledger", str(self.ledger))
        self.assertIn("takes city:1/0", counts.stderr)

    def test_another_epsilon_or_number_of_steps_does_not_take_it(self):
        self.reserve()
        for change in (("steps = 3", "steps = 2"), ("epsilon = 8.0", "epsilon = 7.0"), ("= 2.0", "= 3.0")):
            self.write("job.toml", MODEL.replace(*change))
            checked = self.assert_json("check", str(self.folder / "job.toml"), "--ledger", str(self.ledger))
            self.assertIsNone(checked["earlier"], change)
        self.assertIn("it is an ordinary debit", self.train_job().stderr)
        self.assertEqual([slot["state"] for slot in self.slots()], ["free"] * 4)

    def test_a_killed_training_goes_on_in_its_slot(self):
        self.reserve()
        saved, count = self.folder.parent / (self.folder.name + "-saved"), self.folder / "count"
        self.addCleanup(shutil.rmtree, saved, ignore_errors=True)
        shutil.copytree(self.folder, saved)
        count.touch()
        self.train_job(environment={"LD_PRELOAD": SHIM, "COUNT_FILE": str(count)})
        calls, met = int(count.read_text()), set()
        for call in (calls // 6, calls // 3, calls // 2, calls * 5 // 6, calls - 1):
            shutil.rmtree(self.folder)
            shutil.copytree(saved, self.folder)
            self.train_job(code=-signal.SIGKILL, environment={"LD_PRELOAD": SHIM, "KILL_AT": str(call)})
            begun = self.check_rows()[1].get(3, 0)
            state = self.slots()[3]["state"]
            met.add((state, begun > 0))
            again = ("--again", SLOT) if state == "released" else ()
            self.train_job(*again)
            self.assertEqual(len(self.debits()), 1)
            slot = self.slots()[3]
            self.assertEqual((slot["state"], self.check_rows()[1]), ("released", {3: slot["uses"]["used"]}))
            # A step that was begun and lost is spent: the model has fewer.
            told = json.loads(self.read("model.json"))
            self.assertIn(told["uses"] - told["steps"], (0, 1))
            self.assertTrue(is_whole((self.folder / "model.cvm").read_bytes()))
            self.assertTrue(self.budget("verify")["holds"])
        self.assertIn(("reserved", True), met)

    def test_a_ledger_that_lost_steps_of_a_slot_is_refused(self):
        self.reserve()
        older = self.ledger.read_bytes()
        self.train_job()
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (self.folder / name).unlink(missing_ok=True)
        self.ledger.write_bytes(older)
        self.assertIn(f"does not have the debit {SLOT}", self.train_job(code=5).stderr)

    def test_a_suggestion_keeps_the_epsilon_of_a_model(self):
        found = self.budget_free("suggest", str(self.programme), "--epsilon", "12", "--delta", "1e-3")
        counts, model = found["releases"]
        self.assertEqual((model["epsilon"], model["error"]), (8.0, None))
        self.assertLessEqual(found["epsilon"], 12)
        # The jobs with these ε cost what was said.
        self.write("counts.toml", COUNTS.replace("epsilon = 1.0", f"epsilon = {counts['epsilon']}"))
        told = self.budget("programme", str(self.programme), "--dry-run")
        self.assertAlmostEqual(told["epsilon"], found["epsilon"], places=6)
        self.write("year.toml", PROGRAMME.split("[[release]]")[0] + '[[release]]\njob = "job.toml"\n')
        self.assert_fails(2, "not known from its plan", "budget", "suggest", str(self.programme), "--epsilon", "12",
                          "--delta", "1e-3")

    def budget_free(self, *words):
        """A command of budget that asks no ledger."""
        return self.assert_json("budget", *words)


if __name__ == "__main__":
    unittest.main()

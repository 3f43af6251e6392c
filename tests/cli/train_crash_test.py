"""Crashes of a training: at calls that could leave a trace, and at random times. Whatever happens, there is one
debit, no step that was begun is given back, and a model is there whole or not at all."""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from program import PROGRAM
from train_jobs import TrainTest, is_whole

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
KILLS = int(os.environ.get("CHRONOVEIL_KILLS", "12"))  # at random times; a soak asks for more
STRIDE = 6 if KILLS <= 12 else 1  # calls between kills at calls that leave a trace; a soak tries every one
TICKS = os.sysconf("SC_CLK_TCK")


class CrashTest(TrainTest):
    def set_up_training(self, steps, every, noise):
        """Forgets what was before."""
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.name.startswith(("model.", "ledger.db")) or "ledger.db.training" in str(path):
                path.rmdir() if path.is_dir() else path.unlink()
        self.create()
        self.words = self.train(("steps = 12", f"steps = {steps}\ncheckpoint_every = {every}"), ("= 2.0", f"= {noise}"),
                                ('report = "model.html"\n', ""))
        self.steps, self.every, self.kills, self.used = steps, every, 0, 0

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **more}

    def stands(self):
        """(state, used) of the only debit, or of none; and nothing on the disk that is half of something."""
        debits = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))["debits"]
        self.assertLessEqual(len(debits), 1, "one training is one debit, however often it crashed")
        used = debits[0]["uses"]["used"] if debits else 0
        self.assertGreaterEqual(used, self.used, "a step was given back")
        self.used = used
        if debits:
            self.assertEqual(debits[0]["uses"]["reserved"], self.steps)
            self.assertLessEqual(used, self.steps)
        model = self.folder / "model.cvm"
        if model.exists():
            self.assertTrue(is_whole(model.read_bytes()))
            self.assertEqual(debits[0]["state"], "released", "a model is out before its debit says so")
        return debits[0]["state"] if debits else "none", used

    def restarted(self):
        """The same as ever; where the model was stored and only its files are missing, these."""
        again = ("--again", "city:1") if self.stands()[0] == "released" else ()
        return [PROGRAM, *self.words, *again]

    def finish(self):
        done = subprocess.run([*self.restarted(), "--json"], capture_output=True, text=True, env=self.environment(),
                              timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        told = json.loads(done.stdout)
        self.assertEqual(self.stands(), ("released", told["uses"]))
        self.assertEqual((told["debit"]["id"], told["uses"]), ("city:1", self.steps))
        self.assertEqual(json.loads(self.read("model.json"))["steps"], told["steps"])
        # What each crash took is at most what had been done since the last checkpoint, and the step under way.
        self.assertIn(told["uses"] - told["steps"], range(self.kills * self.every + 1))
        model = self.files()["model.cvm"]
        self.assertTrue(is_whole(model))
        self.assertIn(b'"plan":{"steps":%d,' % told["steps"], model)
        self.assert_succeeds("budget", "verify", "--ledger", str(self.ledger))

    def kill_at(self, call):
        process = subprocess.run(self.restarted(), capture_output=True, text=True, timeout=300, check=False,
                                 env=self.environment(LD_PRELOAD=SHIM, KILL_AT=str(call)))
        self.assertIn(process.returncode, (0, -signal.SIGKILL), process.stderr)
        return process.returncode == -signal.SIGKILL

    def test_kills_before_calls_that_leave_a_trace(self):
        """Each run goes on where the one before was killed, a little later: through the debit, through steps and their
        checkpoints, and through what comes after the last step."""
        self.set_up_training(3, 1, 2.0)
        call, stage, stages = 1, ("none", False), [("none", False)]
        while self.kill_at(call):
            self.kills += 1
            state, used = self.stands()
            # Every stage from its beginning: no debit yet, steps, what comes after the last, and writing it anew.
            if stage == (state, used == self.steps):
                call += STRIDE
            else:
                stage = (state, used == self.steps)
                stages.append(stage)
                call = 1 + len(stages) % STRIDE
            self.assertLess(self.kills, 500, "it never ends")
        self.assertEqual(stages, [("none", False), ("reserved", False), ("reserved", True), ("released", True)])
        self.assertGreater(self.kills, 40 // STRIDE, "the shim counted nothing")
        self.finish()

    def test_kills_at_random_times(self):
        """By the processor's time: a busy machine makes it no less random."""
        rng = random.Random(11)
        self.set_up_training(400, 20, 60.0)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PROGRAM + "-forecast", *self.words, "--dry-run"], stdout=subprocess.DEVNULL, check=True,
                       env=self.environment(), timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime  # of loading libtorch
        amid = 0  # kills in the middle of the steps
        for _ in range(KILLS):
            process = subprocess.Popen(self.restarted(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env=self.environment())
            until = start + rng.uniform(-0.05, 0.2)
            while process.poll() is None and cpu_seconds(process.pid) < until:
                time.sleep(0.002)
            process.kill()
            self.kills += process.wait() == -signal.SIGKILL
            used = self.used
            state, _ = self.stands()
            amid += state == "reserved" and self.used > used
            if state == "released":
                self.finish()
                self.set_up_training(400, 20, 60.0)
        self.assertGreater(amid, 0, "no kill met a training")
        self.finish()


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS
    except FileNotFoundError:
        return 1e9


if __name__ == "__main__":
    unittest.main()

"""Crashes and errors of run, means, perturb, forecast, train and --again, at calls that could leave a trace: a sample of
them, or with CHRONOVEIL_TORTURE every one. Whatever happens, there is no output without a debit and at most one draw for
a debit; each output is whole or not there; and the same job, with --again where it says so, ends with all of them."""

import errno
import json
import os
import shutil
import signal
import tempfile
import unittest
from pathlib import Path

from order_jobs import EVERY, LIGHT, STORED

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"


class Scene:
    """A kind of job in a folder that can be put back to how it was."""

    def __init__(self, test, kind, again=False):
        self.test = test
        holder = tempfile.TemporaryDirectory(prefix="chronoveil-crash-")
        test.addCleanup(holder.cleanup)
        self.inside = Path(holder.name) / "inside"
        self.inside.mkdir()
        self.kind = kind(self.inside)
        self.kind.create()
        self.debit = f"{self.kind.dataset}:1"
        self.flags = ()
        self.first = {}
        if again:
            test.assertEqual(self.kind.run().returncode, 0)
            self.first = self.kind.written()
            for name in self.kind.outputs[1:]:
                (self.inside / name).unlink()
            self.flags = ("--again", self.debit)
        self.saved = Path(holder.name) / "saved"
        shutil.copytree(self.inside, self.saved)

    def put_back(self):
        shutil.rmtree(self.inside)
        shutil.copytree(self.saved, self.inside)

    def attempt(self, **environment):
        return self.kind.run(*self.flags, environment={"LD_PRELOAD": SHIM, **environment})

    def calls(self):
        """How many there are."""
        count = self.saved.parent / "count"
        count.touch()
        self.test.assertEqual(self.attempt(COUNT_FILE=str(count)).returncode, 0)
        self.put_back()
        return int(count.read_text())

    def standing(self):
        """(state, whether it is stored) of the only debit; after checking what must hold at any moment."""
        test, kind = self.test, self.kind
        debits = kind.debits()
        test.assertLessEqual(len(debits), 1, "one job is one debit, however often it crashed")
        state = debits[0]["state"] if debits else "none"
        drawn = kind.rows("drawing")
        test.assertLessEqual(len(drawn), 1, "a debit covers one draw")
        written = kind.written()
        if self.first:
            written.pop(kind.outputs[0])
        if written:
            test.assertEqual(state, "released", "an output is there that no debit is settled for")
        there = [name in written for name in kind.outputs]
        test.assertTrue(self.first or there == sorted(there, reverse=True), f"outputs came out of order: {there}")
        for name, content in written.items():
            test.assertTrue(content.endswith((b"\n", b"</html>")) or name.endswith(".cvm"), f"{name} is cut off")
            if name.endswith(".json"):
                json.loads(content)
        stored = (self.inside / "ledger.db.releases" / f"{kind.dataset}-1.json").exists()
        if kind.name != "train":
            test.assertTrue(not stored or state in ("drawing", "released"), f"stored, and {state}")
        return state, stored

    def recover(self):
        """The same job again, as its messages say; then everything is there and vouched for."""
        test, kind = self.test, self.kind
        state, stored = self.standing()
        before = kind.written()
        if state in ("none", "reserved"):
            done = kind.run()
            test.assertEqual(done.returncode, 0, done.stderr)
            if kind.name != "train":
                test.assertEqual(f"used the debit {self.debit}" in done.stderr, state == "reserved", done.stderr)
        elif kind.name != "train":
            done = kind.run()
            test.assertEqual(done.returncode, 2, done.stderr)
            test.assertIn(self.debit, done.stderr)
            test.assertEqual(f"--again {self.debit}" in done.stderr, stored, done.stderr)
        if state == "abandoned" or (state == "drawing" and not stored):
            test.assertEqual(kind.written(), {}, "nothing may be out of a release that is lost")
            return state
        if state in ("drawing", "released"):
            done = kind.run("--again", self.debit)
            test.assertEqual(done.returncode, 0, done.stderr)
        test.assertEqual(self.standing()[0], "released")
        after = kind.written()
        test.assertEqual(set(after), set(kind.outputs))
        for name, content in before.items():
            test.assertEqual(after[name], content, f"{name} was out, and is another one now")
        if self.first:
            test.assertEqual(after, self.first)
        test.assertEqual(kind.left_behind(), [])
        done = kind.verify("--against", kind.outputs[-1])
        test.assertEqual(done.returncode, 0, done.stderr)
        return state


def sample(calls, most):
    """Every call, or so many spread over all of them, the first and the last among them."""
    if TORTURE or calls <= most:
        return range(1, calls + 1)
    return sorted({1 + round(i * (calls - 1) / (most - 1)) for i in range(most)})


def most_for(kind):
    return 3 if kind.name == "train" else 6  # a network loads libtorch, which takes half a second


class CrashTest(unittest.TestCase):
    def test_a_kill_before_calls_that_leave_a_trace(self):
        for kind in EVERY:
            with self.subTest(kind.name):
                scene = Scene(self, kind)
                calls = scene.calls()
                self.assertGreater(calls, 10, "the shim counted nothing")
                met = set()
                for call in sample(calls, most_for(kind)):
                    scene.put_back()
                    self.assertEqual(scene.attempt(KILL_AT=str(call)).returncode, -signal.SIGKILL, call)
                    met.add(scene.recover())
                self.assertTrue(kind not in LIGHT or met >= {"none", "reserved", "released"}, met)

    def test_a_kill_before_calls_of_again(self):
        for kind in STORED:
            with self.subTest(kind.name):
                scene = Scene(self, kind, again=True)
                for call in sample(scene.calls(), max(2, most_for(kind) // 2)):
                    scene.put_back()
                    self.assertEqual(scene.attempt(KILL_AT=str(call)).returncode, -signal.SIGKILL, call)
                    scene.recover()

    def test_an_error_in_calls_that_leave_a_trace(self):
        """One that passes, and a disk that stays full."""
        for kind in EVERY:
            with self.subTest(kind.name):
                scene = Scene(self, kind)
                calls = scene.calls()
                for call in sample(calls, max(2, most_for(kind) // 2)):
                    for fault in ({"FAIL_ERRNO": str(errno.EIO)}, {"FAIL_ERRNO": str(errno.ENOSPC), "FAIL_ON": "1"}):
                        scene.put_back()
                        done = scene.attempt(FAIL_AT=str(call), **fault)
                        state, _ = scene.standing()
                        if done.returncode != 0 and state != "none":
                            self.assertTrue(scene.debit in done.stderr or "budget history" in done.stderr,
                                            (call, fault, state, done.stderr))
                        self.assertIn(done.returncode, (0, 1, 5), (call, fault, done.stderr))
                        scene.recover()


class WithoutProc(unittest.TestCase):
    def test_files_are_written_all_the_same(self):
        for kind in LIGHT:
            with self.subTest(kind.name):
                scene = Scene(self, kind)
                for again in (False, True):  # onto free names, and over what is there
                    done = scene.kind.run(*(("--yes",) if again else ()),
                                          environment={"LD_PRELOAD": SHIM, "NO_PROC": "1"})
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(set(scene.kind.written()), set(scene.kind.outputs))
                self.assertEqual(scene.kind.left_behind(), [])
                self.assertEqual(scene.kind.states(), ["released", "released"])


if __name__ == "__main__":
    unittest.main()

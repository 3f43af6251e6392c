"""The connection to the ledger's server is cut before and after messages of the protocol while the program runs: what was
published was debited, and whatever may have been spent is named."""

import json
import os
import subprocess
import unittest

import postgres
from jobs import JobTest
from program import PROGRAM

# Every message, or some that are spread over all of them.
POINTS = None if os.environ.get("CHRONOVEIL_TORTURE") else 12


@unittest.skipUnless(postgres.programs(), "no PostgreSQL server is installed below /usr/lib/postgresql")
class CutConnection(JobTest):
    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        super().setUp()
        self.proxy = postgres.Proxy(self.server.folder)
        self.addCleanup(self.proxy.stop)
        self.url = postgres.url(self.proxy.folder)
        self.dataset = "d" + self.folder.name.replace("_", "-")[-8:]
        self.change(('name = "city"', f'name = "{self.dataset}"'))
        done = self.program("budget", "create", self.dataset, "--epsilon", "900000", "--delta", "1e-3")
        self.assertEqual(done.returncode, 0, done.stderr)

    def program(self, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        return subprocess.run([PROGRAM, *map(str, words), "--ledger", self.url], capture_output=True, text=True,
                              encoding="utf-8", env=environment, timeout=120, check=False)

    def debits(self):
        # A writer waits for what is left of the one that was cut off, and so the history is final.
        made = self.program("budget", "debit", self.dataset, "pure", "--event-epsilon", "0.001", "--purpose", "look")
        self.assertEqual(made.returncode, 0, made.stderr)
        done = self.program("budget", "history", self.dataset, "--json")
        return {debit["id"]: debit["state"] for debit in json.loads(done.stdout)["debits"] if debit["purpose"] != "look"}

    def cut_everywhere(self, words, published):
        self.proxy.cut_at(0, False)
        done = self.program(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        messages = self.proxy.counted
        self.assertGreater(messages, 50)
        step = 1 if POINTS is None else max(1, messages // POINTS)
        before = self.debits()
        outcomes = set()
        for after in (False, True):
            # The answer to the commit is among the last.
            for message in sorted({*range(1 + (step // 2 if after else 0), messages + 1, step),
                                   *range(messages - 5, messages + 1)}):
                with self.subTest(message=message, after=after):
                    for name in ("out.csv", "out.json", "out.html"):
                        (self.folder / name).unlink(missing_ok=True)
                    self.proxy.cut_at(message, after)
                    done = self.program(*words)
                    self.proxy.cut_at(0, False)
                    now = self.debits()
                    fresh = {name: state for name, state in now.items() if name not in before}
                    before = now
                    out = published and [name for name in self.outputs() if name.startswith("out.")]
                    if out:
                        self.assertIn("released", fresh.values(), done.stderr)
                    if done.returncode == 0:
                        self.assertEqual(len(fresh), 1)
                        self.assertEqual(bool(out), published)
                    else:
                        self.assertIn(done.returncode, (1, 5), done.stderr)
                        self.assertRegex(done.stderr, r"\Achronoveil: [^\n]+\n\Z")
                        named = any(name in done.stderr for name in fresh)
                        self.assertTrue(not fresh or named or "may have been made" in done.stderr, (fresh, done.stderr))
                    outcomes.add((done.returncode, bool(fresh)))
        self.assertIn((5, False), outcomes)
        self.assertIn((5, True), outcomes)
        self.assertEqual(self.program("budget", "verify").returncode, 0)

    def test_a_run_publishes_nothing_that_was_not_debited(self):
        self.cut_everywhere(("run", self.job, "--yes"), True)

    def test_a_debit_by_hand_is_made_or_not_or_may_have_been(self):
        self.cut_everywhere(("budget", "debit", self.dataset, "pure", "--event-epsilon", "0.5"), False)


if __name__ == "__main__":
    unittest.main()

"""Runs with too little memory, and runs that are refused memory once or from then on: their messages name every debit
that they made."""

import os
import resource
import subprocess
import tempfile
import unittest

from live_jobs import VISITS, WEEKS, LiveTest, visits
from order_jobs import LIGHT
from program import PROGRAM

SHIM = os.environ["CHRONOVEIL_ALLOCATION_SHIM"]
TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"
STEPS = 200 if TORTURE else 6  # limits tried, of each kind
DENSE, SPREAD = (2000, 200) if TORTURE else (10, 4)  # requests refused: right after the debit, and over all the rest
MEGABYTE = 1 << 20


def start_anew(kind):
    """A fresh ledger, and no outputs."""
    for path in sorted(kind.folder.rglob("*"), reverse=True):
        if "ledger.db" in str(path) or path.name in kind.outputs:
            path.rmdir() if path.is_dir() else path.unlink()
    kind.create()


class MemoryTest(unittest.TestCase):
    def attempt(self, kind, limit):
        """A run that has so many bytes of address space."""
        start_anew(kind)
        done = kind.run(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        debits = kind.debits()
        if done.returncode != 0:
            self.assertIn(done.returncode, (1, 5, 127, -6, -11) if not debits else (1, 5), done.stderr)
            for debit in debits:
                self.assertTrue(debit["id"] in done.stderr or "budget history" in done.stderr, (limit, done.stderr))
            self.assertLessEqual(len(kind.rows("drawing")), 1)
        return done.returncode, len(debits)

    def test_every_debit_is_named(self):
        for kind in LIGHT:
            with self.subTest(kind.name), tempfile.TemporaryDirectory(prefix="chronoveil-memory-") as folder:
                made = kind(folder)
                # More data than the programs need for anything else.
                path = made.folder / made.data
                header, *rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
                path.write_text(header + "".join(row for _ in range(400) for row in rows), encoding="utf-8")
                least, enough = 8 * MEGABYTE, 4096 * MEGABYTE
                self.assertEqual(self.attempt(made, enough), (0, 1))
                while enough - least > MEGABYTE // 4:
                    middle = (least + enough) // 2
                    code, _ = self.attempt(made, middle)
                    least, enough = (least, middle) if code == 0 else (middle, enough)
                # Below what just works, in small steps and then in larger ones, down to what does not even start.
                met = 0
                for step in range(1, STEPS + 1):
                    limit = enough - int((enough - 8 * MEGABYTE) * (step / STEPS) ** 3)
                    code, debits = self.attempt(made, limit)
                    met += code != 0 and debits
                self.assertGreater(met, 0, "no limit met a run after its debit")


class Requests(unittest.TestCase):
    """Refused one by one."""

    def assert_named(self, done, debits, *context):
        if done.returncode == 0:
            return
        # Before main() nobody can say anything.
        self.assertIn(done.returncode, (1, 2, 3, 5, 6) if debits else (1, 2, 3, 5, 6, 127, -6), (context, done.stderr))
        for debit in debits:
            self.assertTrue(debit["id"] in done.stderr or "budget history" in done.stderr, (context, done.stderr))
            self.assertNotIn("nothing was spent", done.stderr, context)

    def refuse_all_over(self, folder, attempt):
        """attempt(environment) is a finished run from the start, and the debits after it."""
        count = os.path.join(folder, "count")
        open(count, "w", encoding="utf-8").close()
        done, debits = attempt({"COUNT_FILE": count})
        self.assertEqual((done.returncode, len(debits)), (0, 1), done.stderr)
        with open(count, encoding="utf-8") as file:
            total = int(file.read())
        before, after = 0, total  # where the debit is made
        while after - before > 1:
            middle = (before + after) // 2
            _, debits = attempt({"FAIL_ALLOCATION": str(middle), "FAIL_ON": "1"})
            before, after = (before, middle) if debits else (middle, after)
        met = 0
        for request in (*range(after, min(after + DENSE, total)),
                        *(after + (total - after) * step // SPREAD for step in range(1, SPREAD))):
            for lasting in ({}, {"FAIL_ON": "1"}):
                done, debits = attempt({"FAIL_ALLOCATION": str(request), **lasting})
                self.assert_named(done, debits, request, lasting)
                met += done.returncode != 0 and len(debits)
        self.assertGreater(met, 0, "no request was refused after the debit")

    def test_of_a_run(self):
        for kind in LIGHT if TORTURE else LIGHT[:1]:
            with self.subTest(kind.name), tempfile.TemporaryDirectory(prefix="chronoveil-memory-") as folder:
                made = kind(folder)

                def attempt(environment, made=made):
                    start_anew(made)
                    done = made.run(environment={"LD_PRELOAD": SHIM, **environment})
                    return done, made.debits()
                self.refuse_all_over(folder, attempt)

    def test_of_a_debit_by_hand(self):
        with tempfile.TemporaryDirectory(prefix="chronoveil-memory-") as folder:
            made = LIGHT[0](folder)

            def attempt(environment):
                start_anew(made)
                done = made.program("budget", "debit", made.dataset, "pure", "--event-epsilon", "0.1", "--ledger",
                                    str(made.ledger), environment={"LD_PRELOAD": SHIM, **environment})
                return done, made.debits()
            self.refuse_all_over(folder, attempt)


class LiveRequests(LiveTest, Requests):
    test_of_a_run = test_of_a_debit_by_hand = None  # of the others

    def test_of_a_live_release(self):
        def attempt(environment):
            self.setUp()
            self.prepare(VISITS)
            done = subprocess.run([PROGRAM, *self.words(str(self.job), "--until", WEEKS[2])],
                                  input=visits((0, "ann"), (1, "ben")), capture_output=True, text=True, timeout=120,
                                  env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                                       "LD_PRELOAD": SHIM, **environment}, check=False)
            return done, self.history()
        with tempfile.TemporaryDirectory(prefix="chronoveil-memory-") as folder:
            self.refuse_all_over(folder, attempt)


if __name__ == "__main__":
    unittest.main()

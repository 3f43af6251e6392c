"""Runs with too little memory: every debit that they made is named in what they say."""

import os
import resource
import tempfile
import unittest

from order_jobs import LIGHT

TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"
STEPS = 200 if TORTURE else 10  # limits tried, of each kind
MEGABYTE = 1 << 20


class MemoryTest(unittest.TestCase):
    def attempt(self, kind, limit):
        """A fresh ledger, and a run that has so many bytes of address space."""
        for path in sorted(kind.folder.rglob("*"), reverse=True):
            if "ledger.db" in str(path) or path.name in kind.outputs:
                path.rmdir() if path.is_dir() else path.unlink()
        kind.create()
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


if __name__ == "__main__":
    unittest.main()

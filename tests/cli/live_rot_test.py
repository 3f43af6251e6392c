"""The folder of a live release of people rots: one changed bit, in whichever file, is refused, or everybody counts as
before. A sample of bytes; many more with CHRONOVEIL_TORTURE=1."""

import contextlib
import os
import random
import shutil
import sqlite3
import unittest

from live_jobs import VISITS, WEEKS, LiveTest, run, visits

FLIPS = 400 if os.environ.get("CHRONOVEIL_TORTURE") else 12  # of each file
ROWS = visits((0, "ann"), (0, "ben"), (1, "ann"), (1, "cid"), (2, "ben"), (2, "cid"), (2, "dan"))
COUNTS = ["2", "1", "1"]  # a cap of one


class Rot(LiveTest):
    def of_the_key(self):
        """Where it lies: under another one everybody is somebody new."""
        people = self.folder / "kept" / "ledger.db.live" / "clinic" / "cases" / "people.1.db"
        with contextlib.closing(sqlite3.connect(people)) as database:
            (key,), = database.execute("SELECT key FROM secret")
        at = people.read_bytes().index(key)
        return [at, at + len(key) // 2, at + len(key) - 1]

    def test_one_bit_of_any_file(self):
        rng = random.Random(23)  # only chooses what rots
        self.prepare(VISITS)
        for week in (1, 2):
            self.live(ROWS, "--until", WEEKS[week])
        kept = self.folder / "kept"
        kept.mkdir()
        names = ["ledger.db", "ledger.db.live", "out.csv", "out.json"]
        for name in names:
            path = self.folder / name
            shutil.copytree(path, kept / name) if path.is_dir() else shutil.copy(path, kept)
        refused = 0
        for name in ("people.1.db", "state.0", "state.1", "opening.json", "job.json"):
            size = (self.state / name).stat().st_size
            for at in rng.sample(range(size), min(size, FLIPS)) + (self.of_the_key() if name == "people.1.db" else []):
                for path in self.folder.glob("ledger.db*"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                for one in names:
                    path = kept / one
                    shutil.copytree(path, self.folder / one) if path.is_dir() else shutil.copy(path, self.folder)
                rotten = bytearray((self.state / name).read_bytes())
                rotten[at] ^= 1 << rng.randrange(8)
                (self.state / name).write_bytes(rotten)
                done = run(*self.words(str(self.job), "--until", WEEKS[3]), stdin=ROWS)
                self.assertIn(done.returncode, (0, 2, 5), (name, at, done.stderr))
                values = [value for _, value, _ in self.values()]
                if done.returncode == 0:
                    self.assertEqual(values, COUNTS, (name, at))
                else:
                    refused += 1
                    self.assertEqual(values, COUNTS[:2], (name, at))
        self.assertGreater(refused, FLIPS)


if __name__ == "__main__":
    unittest.main()

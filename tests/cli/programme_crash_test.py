"""Kills of a run in a slot of a programme, at a sample of the calls that leave a trace: no slot is drawn for twice, no
second debit is made by itself, and the same job ends with its release or says that it is lost."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from jobs import HEADER, JOB, ROWS
from program import PROGRAM

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
PROGRAMME = 'dataset = "city"\n[[release]]\njob = "job.toml"\ntimes = 2\nvaries = ["slots.start", "slots.end"]\n'


class KilledTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="chronoveil-crash-")
        self.addCleanup(holder.cleanup)
        self.folder, self.saved = Path(holder.name) / "inside", Path(holder.name) / "saved"
        self.folder.mkdir()
        for name, text in (("trips.csv", HEADER + ROWS), ("stops.txt", "north\nsouth\n"), ("job.toml", JOB),
                           ("year.toml", PROGRAMME)):
            (self.folder / name).write_text(text)
        for words in (("create", "city", "--epsilon", "8", "--delta", "1e-5"), ("programme", "year.toml")):
            self.assertEqual(self.program("budget", *words).returncode, 0)
        shutil.copytree(self.folder, self.saved)

    def program(self, *words, **environment):
        variables = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **environment}
        return subprocess.run([os.path.abspath(PROGRAM), *words, "--ledger", "ledger.db"], cwd=self.folder, env=variables,
                              capture_output=True, text=True, encoding="utf-8", check=False)

    def standing(self):
        """The states of the slots, after checking what must hold at any moment."""
        (debit,) = json.loads(self.program("budget", "history", "city", "--json").stdout)["debits"]
        rows = [json.loads(line) for line in self.program("budget", "export", "city").stdout.splitlines()]
        drawn = [json.loads(row["body"])["slot"] for row in rows if row["kind"] == "drawing"]
        self.assertEqual(len(drawn), len(set(drawn)), "a slot covers one draw")
        self.assertEqual(self.program("budget", "verify").returncode, 0)
        return [slot["state"] for slot in debit["slots"]]

    def test_a_killed_run_uses_one_slot_at_most_and_comes_back_to_it(self):
        count = self.saved.parent / "count"
        count.touch()
        self.assertEqual(self.program("run", "job.toml", LD_PRELOAD=SHIM, COUNT_FILE=str(count)).returncode, 0)
        calls, met = int(count.read_text()), set()
        for call in sorted({1 + round(i * (calls - 1) / 11) for i in range(12)}):
            shutil.rmtree(self.folder)
            shutil.copytree(self.saved, self.folder)
            killed = self.program("run", "job.toml", LD_PRELOAD=SHIM, KILL_AT=str(call))
            self.assertEqual(killed.returncode, -signal.SIGKILL, call)
            state, other = self.standing()
            self.assertEqual(other, "free")
            met.add(state)
            stored = (self.folder / "ledger.db.releases" / "city-1+0.json").exists()
            done = self.program("run", "job.toml")
            if state in ("free", "reserved"):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("used the debit city:1/0" in done.stderr, state == "reserved")
                self.assertEqual(self.standing(), ["released", "free"])
                continue
            self.assertEqual((done.returncode, "--again city:1/0" in done.stderr), (2, stored), done.stderr)
            if stored:
                self.assertEqual(self.program("run", "job.toml", "--again", "city:1/0").returncode, 0)
                self.assertEqual(self.standing(), ["released", "free"])
            else:
                self.assertFalse((self.folder / "out.csv").exists())
                self.assertEqual(self.program("run", "job.toml", "--yes").returncode, 0)
                self.assertEqual(self.standing(), ["drawing", "released"])
        self.assertLessEqual({"free", "reserved", "released"}, met)


if __name__ == "__main__":
    unittest.main()

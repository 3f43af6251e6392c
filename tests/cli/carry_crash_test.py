"""Backups, restores and moves that are killed: a backup is whole or holds nothing, and a budget is open in one place at
most. A sample of the calls that leave a trace; every one of them with CHRONOVEIL_TORTURE=1."""

import os
import shutil
import subprocess
import unittest

from program import PROGRAM, FolderTest, run, without_spent

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
MOST_CALLS = 600  # that leave a trace in one command
TORTURE = os.environ.get("CHRONOVEIL_TORTURE") == "1"
FIRST, STRIDE = (1, 1) if TORTURE else (7, 12)  # the first call that is killed, and how far to the next
DATASETS = ("aa", "bb")
REST = '{"event":"pure","epsilon":0.6}'  # all that is left of each


class Carried(FolderTest):
    def setUp(self):
        super().setUp()
        for name in DATASETS:
            self.told("create", name, "--epsilon", "1")
            self.told("debit", name, '{"event":"pure","epsilon":0.4}')

    def done(self, *words, ledger="ledger.db"):
        return run("budget", *map(str, words), "--ledger", str(self.folder / ledger))

    def told(self, *words, ledger="ledger.db"):
        done = self.done(*words, ledger=ledger)
        self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""), words)

    def every_crash(self, *words, ledger="ledger.db"):
        """Begins anew each time, and is killed a little later."""
        kept = {path.name: path.read_bytes() for path in self.folder.iterdir()}
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "LD_PRELOAD": SHIM}
        for call in range(FIRST, MOST_CALLS, STRIDE):
            for path in self.folder.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for name, content in kept.items():
                (self.folder / name).write_bytes(content)
            done = subprocess.run([PROGRAM, "budget", *words, "--ledger", ledger], capture_output=True, cwd=self.folder,
                                  env={**environment, "KILL_AT": str(call)}, timeout=120, check=False)
            yield call
            if done.returncode == 0:
                self.assertGreater(call, 10, "the shim counted nothing")
                return
        self.fail("it never ends")

    def datasets(self, ledger):
        """Those that are there; none if there is no ledger yet."""
        done = self.done("list", ledger=ledger)
        return tuple(line.split(":")[0] for line in done.stdout.splitlines())

    def spent(self):
        """The datasets whose rest can be spent now, once for each ledger in which it can; it is spent there."""
        places = [path.name for path in self.folder.glob("*.db")]
        return [name for name in DATASETS for place in places
                if self.done("debit", name, REST, ledger=place).returncode == 0]

    def rename(self, name, other):
        for path in self.folder.glob(f"{name}.db*"):
            path.rename(self.folder / path.name.replace(name, other))

    def test_a_backup_is_whole_or_holds_nothing(self):
        for call in self.every_crash("backup", "backup.db"):
            found = self.datasets("backup.db")
            self.assertIn(found, ((), DATASETS), call)
            again = self.done("backup", self.folder / "backup.db")
            self.assertEqual(again.returncode, 2 if found else 0, again.stderr)
            self.told("restore", self.folder / "backup.db", ledger="restored.db")
            self.assertEqual(self.datasets("restored.db"), DATASETS)
            self.assertEqual(self.done("debit", "bb", '{"event":"pure","epsilon":0.7}', ledger="restored.db").returncode, 4)

    def test_a_restore_takes_in_everything_or_nothing(self):
        self.told("backup", self.folder / "backup.db")
        for call in self.every_crash("restore", "backup.db", ledger="restored.db"):
            found = self.datasets("restored.db")
            self.assertIn(found, ((), DATASETS), call)
            if not found:
                self.told("restore", self.folder / "backup.db", ledger="restored.db")
            self.assertTrue(self.done("verify", ledger="restored.db").stdout.startswith("holds: 2 datasets"))

    def test_a_move_is_finished_by_running_it_again(self):
        for call in self.every_crash("move", "there.db"):
            self.told("move", self.folder / "there.db")
            self.assertEqual(self.spent(), list(DATASETS), call)

    def test_a_copy_that_an_interrupted_move_left_elsewhere_is_never_open_beside_another(self):
        for call in self.every_crash("move", "there.db"):
            self.rename("there", "first")
            self.done("move", self.folder / "there.db")
            if (self.folder / "first.db").exists():  # that copy moves on, and is put back
                self.rename("there", "second")
                self.done("move", self.folder / "on.db", ledger="first.db")
                self.rename("first", "there")
                self.done("move", self.folder / "there.db")
            spent = self.spent()
            self.assertEqual(len(spent), len(set(spent)), (call, spent))


if __name__ == "__main__":
    unittest.main()

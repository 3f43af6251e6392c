"""A small job in a folder of its own, for the tests of run, check, plan, release and evaluate."""

import os
import subprocess

from program import PROGRAM, FolderTest, run

JOB = """version = 1
[dataset]
name = "city"
[source]
path = "trips.csv"
user = "card"
time = "ts"
series = "stop"
zone = "Europe/Berlin"
[slots]
start = "2026-03-28T00:00"
end = "2026-03-30T00:00"
length = "1h"
[series]
list = "stops.txt"
[privacy]
unit = "user"
max_steps = 2
epsilon = 1.0
delta = 1e-6
[mechanism]
name = "gaussian"
[output]
csv = "out.csv"
json = "out.json"
report = "out.html"
"""

HEADER = "card,ts,stop\n"
ROWS = "".join(f"c{person},2026-03-28T{person % 24:02}:30,{'north' if person % 2 else 'south'}\n"
               for person in range(60))
STEPS = 47  # two days, one of them without an hour: the clocks go forward


class JobTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"
        self.write("trips.csv", HEADER + ROWS)
        self.write("stops.txt", "north\nsouth\n")
        self.job = self.write("job.toml", JOB)

    def change(self, *pairs):
        """The job with pieces of its text replaced."""
        text = JOB
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.job.write_text(text, encoding="utf-8")

    def create(self, *arguments):
        words = arguments or ("--epsilon", "8", "--delta", "1e-5")
        self.assert_succeeds("budget", "create", "city", *words, "--ledger", str(self.ledger))

    def words(self, command, *arguments):
        ledger = ("--ledger", str(self.ledger)) if command in {"run", "check", "release"} else ()
        return (command, str(self.job), *arguments, *ledger)

    def debits(self):
        history = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))
        return [(debit["id"], debit["state"]) for debit in history["debits"]]

    def outputs(self):
        """Every file that is not one of the inputs, hidden ones too."""
        known = {"trips.csv", "stops.txt", "job.toml", "ledger.db", "ledger.db-wal", "ledger.db-shm",
                 "ledger.db.releases"}
        return sorted({path.name for path in self.folder.iterdir()} - known)

    def start(self, *arguments):
        """A run that goes on while the test does something."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        return subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                encoding="utf-8", env=environment)


__all__ = ["HEADER", "JOB", "JobTest", "ROWS", "STEPS", "run"]

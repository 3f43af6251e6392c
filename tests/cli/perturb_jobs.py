"""A made-up meter, for the tests of perturb: every value is different, so that whoever holds the release against the
data can tell which one went where."""

import csv
import io
import math
import tempfile
from pathlib import Path

from program import ProgramTest, run

ROWS = 200
WINDOW = 4
HEADER = "time,kwh,room,day\n"

# Every mechanism that moves values, with what it cannot do without at ε = 2 and a window of 4.
MOVING = {"ranswitch": {"delta": 0.6}, "staswitch": {"delta": 0.9}, "noisy_sort": {},
          "threshold": {"analysis": "published", "epsilon": 20}}
PERMUTING = [name for name in MOVING if name != "threshold"]

JOB = """version = 1
[dataset]
name = "meter"
[source]
path = "in.csv"
[perturb]
keep = ["day"]
[privacy]
window = 4
epsilon = 2.0
[mechanism]
name = "noisy_sort"
[output]
csv = "out.csv"
json = "out.json"
report = "out.html"
"""


def meter(rows=ROWS):
    """(time, kwh, room, day): the day is public; what was used where is not to be told to the minute."""
    return [(f"2026-03-0{1 + i // 100}T{i // 60 % 24:02}:{i % 60:02}", f"{i * 7919 % 1000 / 100 + i:.2f}", f"r{i}",
             f"d{1 + i // 100}") for i in range(rows)]


def text_of(rows, header=HEADER, delimiter=","):
    return header.replace(",", delimiter) + "".join(delimiter.join(row) + "\n" for row in rows)


def rows_of(text, delimiter=","):
    """The header, and the rows."""
    table = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    return table[0], table[1:]


def smallest_delta(window, epsilon):
    """Of ranswitch, over all probabilities to stay: the best has q = 1/(e^ε + k − 1)."""
    return 1 - (1 - 1 / (math.exp(epsilon) + window - 1)) ** (window - 1)


class PerturbTest(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="chronoveil-perturb-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.ledger = self.folder / "ledger.db"
        self.rows = meter()
        self.write("in.csv", text_of(self.rows))

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def create(self, dataset="meter", *words):
        words = words or ("--epsilon", "1000", "--delta", "0.9999", "--filter", "sum", "--relation", "swap", "--window",
                          str(WINDOW))
        self.assert_succeeds("budget", "create", dataset, *words, "--ledger", str(self.ledger))

    def job(self, *pairs, command="run", flags=()):
        """The words of a command on the job with pieces of its text replaced."""
        text = JOB
        for old, new in pairs:
            self.assertIn(old, text)
            text = text.replace(old, new)
        path = self.write("job.toml", text)
        ledger = ("--ledger", str(self.ledger)) if command in {"run", "check", "perturb"} else ()
        return (command, str(path), *flags, *ledger)

    def perturb(self, *flags, source="in.csv", **changes):
        """The same from options, with no ledger unless there is a dataset."""
        given = {"--window": WINDOW, "--epsilon": 2, "--mechanism": "ranswitch", "--keep": "day",
                 "--ledger": self.ledger}
        given.update({"--" + name.replace("_", "-"): value for name, value in changes.items()})
        words = [str(word) for name, value in given.items() if value is not None
                 for one in (value if isinstance(value, list) else [value]) for word in (name, one)]
        return ("perturb", source if source == "-" else str(self.folder / source), *words, *flags)

    def by(self, mechanism, *flags, **changes):
        """The same by a mechanism that moves values, with what it needs."""
        return self.perturb(*flags, **{"mechanism": mechanism, **MOVING[mechanism], **changes})

    def seeded(self, words, seed=1, **options):
        """What a run that is not private printed: the header and the rows, without their mark."""
        done = run(*words, "--seed", str(seed), **options)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        self.assertIn("not private", done.stderr)
        header, rows = rows_of(done.stdout)
        self.assertEqual(header[-1], "mark")
        self.assertEqual({row[-1] for row in rows}, {"seeded: not private"})
        return header[:-1], [tuple(row[:-1]) for row in rows]

    def debits(self, dataset="meter"):
        history = self.assert_json("budget", "history", dataset, "--ledger", str(self.ledger))
        return [(debit["id"], debit["state"]) for debit in history["debits"]]

    def files(self):
        """Every file with what it holds, hidden ones too, but for the ledger's own."""
        return {path.name: path.read_bytes() for path in self.folder.iterdir()
                if path.is_file() and not path.name.startswith("ledger.db")}


__all__ = ["HEADER", "JOB", "MOVING", "PERMUTING", "PerturbTest", "ROWS", "WINDOW", "meter", "rows_of", "run",
           "smallest_delta", "text_of"]

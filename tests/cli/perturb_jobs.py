"""A made-up meter, for the tests of perturb: every value is different, so that comparing the release with the data
shows which value went where."""

import csv
import io
import math

from job_folder import JobFolderTest
from program import run

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


class PerturbTest(JobFolderTest):
    command, job_text, dataset = "perturb", JOB, "meter"
    options = {"--window": WINDOW, "--epsilon": 2, "--mechanism": "ranswitch", "--keep": "day"}

    def setUp(self):
        super().setUp()
        self.rows = meter()
        self.write("in.csv", text_of(self.rows))

    def create(self, dataset="meter", *words):
        words = words or ("--epsilon", "1000", "--delta", "0.9999", "--filter", "sum", "--relation", "swap", "--window",
                          str(WINDOW))
        self.assert_succeeds("budget", "create", dataset, *words, "--ledger", str(self.ledger))

    def perturb(self, *flags, **changes):
        return self.from_options(*flags, **changes)

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


__all__ = ["HEADER", "JOB", "MOVING", "PERMUTING", "PerturbTest", "ROWS", "WINDOW", "meter", "rows_of", "run",
           "smallest_delta", "text_of"]

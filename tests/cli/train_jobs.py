"""A made-up panel of meters, and a job that trains a tiny model on it."""

import csv
import hashlib
import io
import math
import struct

from job_folder import JobFolderTest
from program import run

SERIES, HOURS = 6, 96
CONTEXT, FORECAST = 12, 6
SECRET = "424242.5"  # a value that no message may repeat
MAGIC = b"chronoveil model 1\n"

JOB = """version = 1
[dataset]
name = "city"
[source]
path = "load.csv"
time = "ts"
series = "meter"
value = "kwh"
[slots]
start = "2026-03-01T00:00"
end = "2026-03-05T00:00"
length = "1h"
[series]
list = "meters.txt"
[privacy]
unit = "event"
epsilon = 8.0
delta = 1e-5
[train]
model = "simple_feed_forward"
context_length = 12
forecast_length = 6
batch_size = 4
noise_multiplier = 2.0
steps = 12
hidden = 8
[output]
model = "model.cvm"
json = "model.json"
report = "model.html"
"""
STEPS = 12

# The model that looks once: no steps, no batches.
SIGN_LAGS = JOB.replace('model = "simple_feed_forward"\ncontext_length = 12\n', 'model = "sign_lags"\n').replace(
    "batch_size = 4\nnoise_multiplier = 2.0\nsteps = 12\nhidden = 8\n", "")


def time_of(hour):
    return f"2026-03-{1 + hour // 24:02}T{hour % 24:02}:00"


def panel():
    """(meter, ts, kwh, temp)"""
    rows = []
    for series in range(SERIES):
        for hour in range(HOURS):
            load = 10 + series + 3 * math.sin(2 * math.pi * hour / 24) + 0.1 * ((hour * 7 + series * 3) % 5)
            rows.append((f"m{series}", time_of(hour), f"{load:.3f}", f"{30 - load:.3f}"))
    return rows


def text_of(rows, header="meter,ts,kwh,temp\n"):
    return header + "".join(",".join(row) + "\n" for row in rows)


def rows_of(text):
    """The header, and the rows."""
    table = list(csv.reader(io.StringIO(text, newline="")))
    return table[0], table[1:]


def is_whole(model):
    """Whether the bytes are a model file from beginning to end, by its own hash."""
    return model.startswith(MAGIC) and hashlib.blake2b(model[:-32], digest_size=32).digest() == model[-32:]


def weights_of(model):
    """The second of the two blocks."""
    start = len(MAGIC)
    (length,) = struct.unpack_from("<Q", model, start)
    return model[start + 8 + length:-32]


class TrainTest(JobFolderTest):
    command, job_text, dataset = "train", JOB, "city"
    secrets = (SECRET,)

    def setUp(self):
        super().setUp()
        self.rows = panel()
        self.write("load.csv", text_of(self.rows))
        self.write("meters.txt", "".join(f"m{i}\n" for i in range(SERIES)))

    def create(self, dataset="city", unit="event", epsilon=100, *words):
        self.assert_succeeds("budget", "create", dataset, "--epsilon", str(epsilon), "--delta", "1e-3", "--unit", unit,
                             "--relation", "replace_values", "--ledger", str(self.ledger), *words)

    def train(self, *pairs, flags=(), command="train"):
        return self.job(*pairs, command=command, flags=flags)

    def forecast(self, *flags, source="load.csv", model="model.cvm"):
        return ("forecast", str(self.folder / model), str(self.folder / source), "--time", "ts", "--series", "meter",
                *flags)

    def seeded(self, words):
        """What is not private says so, and is done."""
        done = run(*words)
        self.assertEqual((done.returncode, done.stderr), (0, "seeded: not private\n"), words)
        return done.stdout

    def uses(self):
        """(reserved, used) of every debit."""
        history = self.assert_json("budget", "history", "city", "--ledger", str(self.ledger))
        return [(debit["uses"]["reserved"], debit["uses"]["used"]) for debit in history["debits"]]

    def assert_refused(self, code, mentions, words, debits=(), **options):
        """As any job, and with no debit but those given."""
        message = super().assert_refused(code, mentions, words, **options)
        if self.ledger.is_file():
            self.assertEqual(self.debits(), list(debits))
        return message

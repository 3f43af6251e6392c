"""Buses of a made-up town, for the tests of means: two days, one of them without an hour, four places, one of them
without anybody. Beside it everything about means that can be computed by hand, written anew from the definitions."""

import csv
import io
import math
from datetime import datetime
from fractions import Fraction
from zoneinfo import ZoneInfo

from job_folder import JobFolderTest
from program import run

UPPER = 65.0
HEADER = "bus,ts,where,speed\n"
SLOTS = 47
PLACES = ("north", "south", "west", "nowhere")  # in the order of the list, which is not that of the alphabet

JOB = """version = 1
[dataset]
name = "buses"
[source]
path = "in.csv"
user = "bus"
time = "ts"
place = "where"
value = "speed"
zone = "Europe/Berlin"
[slots]
start = "2026-03-28T00:00"
end = "2026-03-30T00:00"
length = "1h"
[places]
list = "places.txt"
[means]
lower = 0.0
upper = 65.0
counts = "public"
max_cells = 4
[privacy]
epsilon = 2.0
[mechanism]
name = "clip_mean"
[output]
csv = "out.csv"
json = "out.json"
report = "out.html"
"""


def town():
    """(bus, time, place, speed) in the order of the file. Numbers of records that tie, one bus with nearly all of them,
    one that is alone; identifiers whose order as bytes is neither that of numbers nor of the file."""
    rows = []

    def ride(bus, time, place, records):
        for record in range(records):
            speed = (sum(bus.encode()) * 37 + record * 113 + len(place) * 59) % 640 / 10 + 0.37
            rows.append((bus, time.format(record % 60), place, speed))

    for bus, records in (("b9", 2), ("b10", 2), ("b1", 5), ("a", 1), ("Z", 1), ("é", 3)):
        ride(bus, "2026-03-28T08:{:02}", "south", records)
    for bus, records in (("b10", 3), ("b9", 3), ("a", 3), ("b1", 3)):
        ride(bus, "2026-03-28T09:{:02}", "north", records)
    for bus, records in (("b1", 90), ("a", 1), ("Z", 1), ("é", 1)):
        ride(bus, "2026-03-29T03:{:02}", "west", records)  # the hour after the one that is not there
    ride("alone", "2026-03-29T23:{:02}", "north", 4)
    return rows


def text_of(rows):
    return HEADER + "".join(f"{bus},{time},{place},{speed!r}\n" for bus, time, place, speed in rows)


def cells_of(rows):
    """Place and hour to what each bus reported, in order."""
    cells = {}
    for bus, time, place, speed in rows:
        cells.setdefault((place, time[:13]), {}).setdefault(bus, []).append(min(max(speed, 0.0), UPPER))
    return cells


def in_order(cell):
    """Most records first, ties by the bytes of the identifier."""
    return [values for _, values in sorted(cell.items(), key=lambda pair: (-len(pair[1]), pair[0].encode()))]


def median_rule(counts):
    return sorted(counts, reverse=True)[math.ceil(len(counts) / 2) - 1]


def optimised_rule(counts):
    def score(m):  # the square of what is to be maximised, so that it is exact
        return Fraction(sum(min(count, m) for count in counts) ** 2, m)
    return max(range(min(counts), max(counts) + 1), key=lambda m: (score(m), -m))


def best_fit(users, m_ub):
    """The arrays: users that fill one have it to themselves, every other goes where the least room is left."""
    full = [values[:m_ub] for values in users if len(values) >= m_ub]
    shared = []
    for values in users:
        if len(values) >= m_ub:
            continue
        fitting = [array for array in shared if len(array) + len(values) <= m_ub]
        if fitting:
            max(fitting, key=len).extend(values)  # the first of those that are equally full
        else:
            shared.append(list(values))
    return full + shared


def wrap_around(users, m_ub):
    """Only the arrays that are full."""
    laid_out = [value for values in users for value in values[:m_ub]]
    return [laid_out[i:i + m_ub] for i in range(0, len(laid_out) - m_ub + 1, m_ub)]


def mean(values):
    return math.fsum(values) / len(values)


def expected_mean(mechanism, cell, m_ub="optimised", grouping="best_fit"):
    """Of one cell, without noise; None where nothing is to be published."""
    users = in_order(cell)
    counts = [len(values) for values in users]
    bound = {"optimised": optimised_rule, "median": median_rule}.get(m_ub, lambda _: m_ub)(counts)
    if mechanism == "baseline":
        return mean([value for values in users for value in values])
    if mechanism == "clip_mean":
        return mean([value for values in users for value in values[:bound]])
    arrays = (best_fit if grouping == "best_fit" else wrap_around)(users, bound)
    return mean([mean(array) for array in arrays]) if arrays else None


class MeansTest(JobFolderTest):
    command, job_text, dataset = "means", JOB, "buses"
    options = {"--user": "bus", "--time": "ts", "--place": "where", "--value": "speed", "--upper": "65",
               "--zone": "Europe/Berlin", "--start": "2026-03-28T00:00", "--end": "2026-03-30T00:00", "--length": "1h",
               "--epsilon": "2", "--counts": "public", "--max-cells": "4", "--mechanism": "clip_mean"}

    def setUp(self):
        super().setUp()
        self.rows = town()
        self.write("in.csv", text_of(self.rows))
        self.write("places.txt", "".join(place + "\n" for place in PLACES))

    def create(self, dataset="buses", *words):
        words = words or ("--epsilon", "1000", "--relation", "replace_values")
        self.assert_succeeds("budget", "create", dataset, *words, "--ledger", str(self.ledger))

    def given(self):
        return {**super().given(), "--place-list": self.folder / "places.txt"}

    def means(self, *flags, **changes):
        return self.from_options(*flags, **changes)

    @staticmethod
    def local(time, zone="Europe/Berlin"):
        """A time of a release, which is in UTC where clocks change, by the clocks of the zone."""
        return datetime.fromisoformat(time).astimezone(ZoneInfo(zone)).isoformat()

    def released(self, words):
        """What a run that is not private printed, by place and hour; None where nothing is published."""
        done = run(*words)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        self.assertIn("not private", done.stderr)
        return self.by_cell(done.stdout)

    def by_cell(self, text):
        rows = csv.DictReader(io.StringIO(text))
        return {(row.get("place"), self.local(row["slot"])[:13]):
                tuple(float(row[key]) for key in ("mean", "lower", "upper")) if row["mean"] else None for row in rows}

    def tape(self, *numbers, name="tape.txt"):
        return str(self.write(name, "".join(f"{number!r}\n" for number in numbers)))

    def silent(self, *flags, **changes):
        """Means by place and hour without noise."""
        tape = self.tape(*[0.0] * 400, name="zeros.txt")
        return {cell: found and found[0]
                for cell, found in self.released(self.means("--noise-from", tape, *flags, **changes)).items()}


__all__ = ["HEADER", "JOB", "MeansTest", "PLACES", "SLOTS", "UPPER", "best_fit", "cells_of", "expected_mean", "mean",
           "median_rule", "optimised_rule", "run", "text_of", "town", "wrap_around"]

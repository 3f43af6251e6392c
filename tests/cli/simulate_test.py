"""chronoveil simulate, from outside: what it writes, whether the truth is true, how it fails."""

import collections
import csv
import os
import signal
import subprocess
import time
import tomllib
import unittest
from datetime import datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from program import PROGRAM, FolderTest, run

WORLDS = {
    "traffic": ("--people", "200", "--sensors", "4", "--days", "8", "--start", "2026-03-23"),
    "checkins": ("--users", "800", "--venues", "4", "--days", "20", "--start", "2026-03-01"),
    "flu": ("--weeks", "30"),
    "meters": ("--meters", "8", "--days", "3", "--start", "2026-03-28"),
    "buses": ("--vehicles", "3", "--days", "2"),
}


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def slot_start(stamp, zone, length):
    """The start of the slot that holds an instant: a multiple of the length by the zone's own clocks."""
    there = datetime.fromisoformat(stamp).astimezone(ZoneInfo(zone))
    midnight = there.replace(hour=0, minute=0, second=0, fold=0)
    seconds = (there.replace(tzinfo=None) - midnight.replace(tzinfo=None)).seconds // length * length
    start = midnight.replace(tzinfo=None) + timedelta(seconds=seconds)
    return start.replace(tzinfo=ZoneInfo(zone), fold=there.fold).astimezone(timezone.utc)


class Simulate(FolderTest):
    def simulate(self, world, *more):
        paths = {name: str(self.folder / f"{world}_{name}") for name in ("output", "truth", "job", "keys")}
        if world in ("flu", "meters"):
            del paths["keys"]
        options = [word for name, path in paths.items() for word in (f"--{name}", path)]
        summary = self.assert_json("simulate", world, *WORLDS[world], *options, *more)
        return paths, summary

    def test_every_world_writes_data_truth_keys_and_a_job(self):
        for world in WORLDS:
            with self.subTest(world):
                paths, summary = self.simulate(world)
                rows = rows_of(paths["output"])
                self.assertEqual(summary["rows"], len(rows))
                self.assertGreater(len(rows), 20)
                self.assertEqual(summary["output"], paths["output"])
                job = tomllib.loads(Path(paths["job"]).read_text(encoding="utf-8"))
                self.assertEqual(job["version"], 1)
                self.assertEqual(job["source"]["path"], f"{world}_output")
                columns = {job["source"][name] for name in ("user", "time", "series", "value", "longitude", "latitude")
                           if name in job["source"]}
                self.assertLessEqual(columns, set(rows[0]))
                if "keys" in paths:
                    keys = Path(paths["keys"]).read_text(encoding="utf-8").split()
                    self.assertEqual(summary["series"], len(keys))
                    column = job["source"].get("series", "place")  # the job of buses has a grid instead
                    self.assertLessEqual({row[column] for row in rows}, set(keys))
                self.assertEqual(len(os.listdir(self.folder)), len(paths))
                for path in paths.values():
                    os.remove(path)

    def test_the_truth_is_what_python_counts(self):
        for world, zone, length, time, series in (("traffic", "Europe/Berlin", 3600, "ts", "sensor"),
                                                  ("checkins", "America/New_York", 21600, "time", "venue"),
                                                  ("meters", "Europe/London", 1800, "time", None)):
            with self.subTest(world):
                paths, _ = self.simulate(world)
                counted = collections.Counter()
                for row in rows_of(paths["output"]):
                    key = row[series] if series else ""
                    counted[key, slot_start(row[time], zone, length)] += int(row.get("value", 1))
                truth = {(row.get("series", ""), datetime.fromisoformat(row["time"])): int(row["value"]) for row in rows_of(paths["truth"])}
                self.assertEqual({cell: count for cell, count in truth.items() if count}, dict(counted))

    def test_counts_are_their_own_truth(self):
        paths, _ = self.simulate("flu")
        self.assertEqual(rows_of(paths["output"]), rows_of(paths["truth"]))

    def test_bus_truth_is_the_mean_speed_of_a_place_and_hour(self):
        paths, _ = self.simulate("buses")
        speeds = collections.defaultdict(list)
        for row in rows_of(paths["output"]):
            speeds[row["place"], slot_start(row["timestamp"], "Asia/Kolkata", 3600)].append(float(row["speed"]))
        truth = {(row["place"], datetime.fromisoformat(row["slot"])): row for row in rows_of(paths["truth"])}
        self.assertEqual(set(truth), set(speeds))
        for cell, row in truth.items():
            self.assertEqual(int(row["records"]), len(speeds[cell]))
            self.assertAlmostEqual(float(row["mean"]), sum(speeds[cell]) / len(speeds[cell]), places=9)

    def test_a_seed_repeats_the_data_and_the_default_is_fixed(self):
        once = self.assert_succeeds("simulate", "traffic", "--people", "50")
        self.assertEqual(once, self.assert_succeeds("simulate", "traffic", "--people", "50", "--seed", "1"))
        self.assertNotEqual(once, self.assert_succeeds("simulate", "traffic", "--people", "50", "--seed", "2"))

    def test_records_are_about_as_many_as_asked(self):
        for world, wanted in (("traffic", 20000), ("checkins", 20000), ("meters", 20000), ("buses", 150000)):
            out = self.assert_succeeds("simulate", world, "--records", str(wanted))
            self.assertAlmostEqual(out.count("\n") / wanted, 1, delta=0.1, msg=world)

    def test_a_job_names_files_as_seen_from_its_own_folder(self):
        (self.folder / "jobs").mkdir()
        (self.folder / "data").mkdir()
        self.assert_succeeds("simulate", "traffic", "--people", "10", "--output",
                             str(self.folder / "data/trips.csv"), "--job", str(self.folder / "jobs/city.toml"))
        job = tomllib.loads((self.folder / "jobs/city.toml").read_text(encoding="utf-8"))
        self.assertEqual(job["source"]["path"], "../data/trips.csv")
        self.assertEqual(len(job["series"]["keys"]), 20)
        self.assertEqual(job["output"]["report"], "city_report.html")

    def test_every_job_runs_as_it_is(self):
        for world in WORLDS:
            with self.subTest(world):
                paths, summary = self.simulate(world)
                done = run("run", paths["job"], "--seed", "1")  # touches no ledger
                self.assertEqual(done.returncode, 0, done.stderr)
                released = rows_of(self.folder / f"{world}_job_release.csv")
                if world == "buses":  # means on a grid and in slots of the job's own
                    self.assertEqual(list(released[0]), ["place", "slot", "mean", "lower", "upper", "mark", "longitude",
                                                         "latitude"])
                    self.assertRegex(released[0]["place"], r"\Ar\d+c\d+\Z")
                    continue
                self.assertEqual(len(released), summary["series"] * summary["slots"])
                truth = rows_of(paths["truth"])
                if "time" in truth[0]:  # the slots of the truth are those of the release, in the same order
                    self.assertEqual([(row.get("series"), row["time"]) for row in released],
                                     [(row.get("series"), row["time"]) for row in truth])

    def test_bad_sizes_are_usage_errors_that_name_the_option(self):
        for world, option, bad in (("traffic", "--people", ("0", "-1", "x", "1e3", "99999999999")),
                                   ("traffic", "--sensors", ("0", "2000000")),
                                   ("traffic", "--days", ("0", "40000")),
                                   ("traffic", "--start", ("tomorrow", "2026-02-30")),
                                   ("traffic", "--zone", ("Berlin", "")),
                                   ("traffic", "--seed", ("-1", "18446744073709551616", "x")),
                                   ("traffic", "--records", ("0", "-5")),
                                   ("flu", "--weeks", ("0",)), ("meters", "--meters", ("0",)),
                                   ("buses", "--vehicles", ("0",)), ("checkins", "--venues", ("0",))):
            for value in bad:
                with self.subTest(world=world, option=option, value=value):
                    self.assert_fails(2, option.removeprefix("--"), "simulate", world, "--output",
                                      str(self.folder / "data"), option, value)
        self.assertEqual(os.listdir(self.folder), [])
        self.assert_fails(2, "records", "simulate", "traffic", "--people", "5", "--records", "5")

    def test_standard_output_holds_one_thing(self):
        done = run("simulate", "flu", "--truth", "-")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--output", done.stderr)
        done = run("simulate", "flu", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_what_cannot_be_written_is_exit_5_and_leaves_nothing(self):
        missing = str(self.folder / "missing" / "data.csv")
        for option in ("--output", "--truth", "--job"):
            paths = {"--output": str(self.folder / "data.csv"), option: missing}
            self.assert_fails(5, option, "simulate", "flu", *(word for pair in paths.items() for word in pair))
        self.assertEqual(os.listdir(self.folder), [])
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([PROGRAM, "simulate", "flu"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 5)

    def test_an_interrupt_leaves_no_partial_file(self):
        process = subprocess.Popen([PROGRAM, "simulate", "traffic", "--people", "1000000", "--sensors", "1", "--days",
                                    "36000", "--output", str(self.folder / "data.csv")], stderr=subprocess.PIPE)
        while not self.has_open_file(process):  # it makes up rows for hours from then on
            self.assertIsNone(process.poll(), "the program ended by itself")
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(os.listdir(self.folder), [])

    def has_open_file(self, process):
        descriptors = Path(f"/proc/{process.pid}/fd")
        try:
            return any(os.readlink(path).startswith(str(self.folder)) for path in descriptors.iterdir())
        except OSError:  # closed meanwhile
            return False


if __name__ == "__main__":
    unittest.main()

"""Crashes of a live release: at calls that could leave a trace, with CHRONOVEIL_TORTURE every one, and at random times."""

import csv
import datetime
import io
import json
import os
import random
import signal
import struct
import subprocess
import time
import unittest

from jobs import JobTest
from program import PROGRAM

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
KILLS = int(os.environ.get("CHRONOVEIL_KILLS", "20"))  # at random times; `make soak` asks for more
STRIDE = 1 if os.environ.get("CHRONOVEIL_TORTURE") == "1" else 5  # from a call that is killed to the next

JOB = """version = 1
[dataset]
name = "clinic"
[source]
path = "-"
time = "week"
value = "cases"
{series_column}
[slots]
start = "2026-01-05"
end = "{end}"
length = "1w"
{series_list}
[privacy]
unit = "user"
max_steps = 4
epsilon = {epsilon}
delta = {delta}
[mechanism]
{mechanism}
[output]
csv = "out.csv"
json = "out.json"
[live]
name = "cases"
"""


class CrashTest(JobTest):
    def set_up_release(self, mechanism, steps, delta="1e-6", keys=(), epsilon=1.0):
        first = datetime.date(2026, 1, 5)
        days = [first + datetime.timedelta(weeks=k) for k in range(steps + 1)]
        self.steps = steps
        self.keys = keys
        self.job = self.write("live.toml", JOB.format(
            end=days[-1], delta=delta, mechanism=mechanism, epsilon=epsilon,
            series_column='series = "ward"' if keys else "",
            series_list=f"[series]\nkeys = {list(keys)!r}" if keys else ""))
        rows = random.Random(7)
        header = "week,cases,ward\n" if keys else "week,cases\n"
        # Every ninth step is missing.
        self.lines = [header] + [
            f"{day},{rows.randrange(500)}{',' + key if keys else ''}\n"
            for k, day in enumerate(days[:-1]) if k % 9 != 4 for key in (keys or [None])]
        self.ledger = self.folder / "ledger.db"
        self.assert_succeeds("budget", "create", "clinic", "--epsilon", "100", "--delta", "1e-3", "--unit", "user",
                             "--ledger", str(self.ledger))
        self.seen = {}  # what a listener got: (series, time) -> line
        self.seen_totals = {}
        self.publishes_sums = len(keys) > 1 and "running_total" not in mechanism

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **more}

    def command(self):
        return [PROGRAM, "live", str(self.job), "--ledger", str(self.ledger)]

    def listen(self, text):
        """Lines that left the program: none may ever differ from what left before."""
        for line in text.splitlines(keepends=True):
            if not line.endswith("\n") or "time,value" in line:
                continue  # cut off by the kill, or the header
            fields = line.split(",")
            key = tuple(fields[:2]) if self.keys else fields[0]
            self.assertEqual(self.seen.setdefault(key, line), line, "a published step changed")

    def status(self):
        return self.assert_json("live", "status", str(self.job), "--ledger", str(self.ledger))

    def check_covered(self):
        """At any moment: everything that left is covered by uses of one debit, never more than reserved."""
        out = self.folder / "out.csv"
        rows = list(csv.DictReader(io.StringIO(out.read_text()))) if out.exists() else []
        sampled = sum(1 for row in rows if row["sampled"] == "1")
        seen = sum(1 for line in self.seen.values() if line.rstrip("\n").endswith(",1"))
        stands = self.status()
        totals = self.folder / "out_totals.csv"
        if totals.exists():
            for line in totals.read_text().splitlines(keepends=True):
                if line.endswith("\n") and line.startswith("all,"):
                    time_of_line = ",".join(line.split(",")[:4])
                    self.assertEqual(self.seen_totals.setdefault(time_of_line, line), line, "a published total changed")
        if stands["state"] == "none":
            self.assertEqual((sampled, seen), (0, 0))
            return
        self.assertLessEqual(max(sampled, seen), stands["questions"]["used"])
        self.assertLessEqual(stands["questions"]["used"], stands["questions"]["reserved"])

    def check_whole(self):
        """At the end: every step once and in order, as it was published, and exactly the uses that its rows show."""
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text())))
        times = [row["time"] for row in rows][::max(1, len(self.keys))]
        self.assertEqual(len(rows), self.steps * max(1, len(self.keys)))
        self.assertEqual(times, sorted(set(times)), "a step is there twice or out of order")
        self.assertEqual(len(times), self.steps, "a gap")
        lines = (self.folder / "out.csv").read_text().splitlines(keepends=True)[1:]
        for line in lines:
            fields = line.split(",")
            key = tuple(fields[:2]) if self.keys else fields[0]
            self.assertEqual(self.seen.get(key, line), line, "a published step changed")
        if self.publishes_sums:
            totals = list(csv.DictReader(io.StringIO((self.folder / "out_totals.csv").read_text())))
            self.assertEqual([row["time"] for row in totals], times, "totals: a step is missing, twice or out of order")
            document = json.loads((self.folder / "out.json").read_text())
            self.assertEqual([float(row["value"]) for row in totals], document["totals"]["sums"][0]["value"])
        stands = self.status()
        self.assertEqual(stands["state"], "finished")
        self.assertEqual(stands["questions"]["used"], sum(1 for row in rows if row["sampled"] == "1"))
        debits = self.assert_json("budget", "history", "clinic", "--ledger", str(self.ledger))["debits"]
        self.assertEqual(len(debits), 1, "one release is one debit, however often it crashed")
        self.assert_succeeds("budget", "verify", "--ledger", str(self.ledger))

    def check_totals(self):
        """Each total is that of all rows so far, each counted once: within six standard deviations."""
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text())))
        truth = {}
        counts = {(day, key): int(count) for day, count, key in (line.strip().split(",") for line in self.lines[1:])}
        for row in rows:
            key, day = row["series"], row["time"][:10]
            truth[key] = truth.get(key, 0) + counts.get((day, key), 0)
            value, upper = float(row["value"]), float(row["upper"])
            self.assertLess(upper - value, 25, "so little noise that a count too many would show")
            self.assertLess(abs(value - truth[key]), 3.1 * (upper - value), row)

    def forget(self):
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if path.name.startswith(("out", "ledger.db")) or "ledger.db.live" in str(path):
                path.rmdir() if path.is_dir() else path.unlink()

    def kill_at(self, call):
        process = subprocess.run(self.command(), input="".join(self.lines), capture_output=True, text=True,
                                 env=self.environment(LD_PRELOAD=SHIM, KILL_AT=str(call)), timeout=120, check=False)
        self.listen(process.stdout)
        return process.returncode == -signal.SIGKILL

    def finish(self, lines=None, *codes):
        done = subprocess.run(self.command(), input="".join(lines or self.lines), capture_output=True, text=True,
                              env=self.environment(), timeout=120, check=False)
        self.assertIn(done.returncode, codes or (0, 2), done.stderr)  # 2: it was over already
        self.listen(done.stdout)

    def test_a_kill_before_calls_that_leave_a_trace(self):
        for mechanism, delta, keys, epsilon in (
                ('name = "fast"\nqueries = 5\nintegration_time = 2', "0", (), 1.0),
                ('name = "kalman"', "1e-6", ("north", "south"), 1.0),
                ('name = "running_total"', "1e-6", ("north", "south"), 20.0)):
            call = 1 - STRIDE
            while True:
                call += STRIDE
                self.forget()
                self.set_up_release(mechanism, 12, delta, keys, epsilon)
                # Some steps are published already: what is known of them must not be lost either.
                self.finish(self.lines[:1 + 4 * max(1, len(keys))], 0)
                killed = self.kill_at(call)
                self.check_covered()
                self.finish()
                self.check_whole()
                if "running_total" in mechanism:
                    self.check_totals()
                if not killed:
                    break
                self.assertLess(call, 1000, "it never ends")
            self.assertGreater(call, 20, "the shim counted nothing")

    def kept(self):
        """How many numbers of the mechanism each file of the state holds."""
        return [struct.unpack_from("<Q", path.read_bytes(), 24)[0]
                for path in sorted((self.folder / "ledger.db.live/clinic/cases").glob("state.*"))]

    def test_a_kill_while_a_release_is_closed(self):
        """It goes on with all its sums, or not at all; and what is over holds none."""
        closing = [PROGRAM, "live", "close", str(self.folder / "live.toml"), "--ledger", str(self.folder / "ledger.db")]
        outcomes, call, killed = set(), 0, True
        while killed:
            call += 1
            self.forget()
            self.set_up_release('name = "running_total"', 12, "1e-6", ("north", "south"), 20.0)
            self.finish(self.lines[:1 + 4 * 2], 0)
            self.assertTrue(any(self.kept()))
            before = (self.folder / "out.csv").read_bytes()
            done = subprocess.run(closing, capture_output=True, env=self.environment(LD_PRELOAD=SHIM, KILL_AT=str(call)),
                                  timeout=120, check=False)
            killed = done.returncode == -signal.SIGKILL
            over = [debit["state"] for debit in
                    self.assert_json("budget", "history", "clinic", "--ledger", str(self.ledger))["debits"]] == ["released"]
            if over:
                self.assertEqual(self.kept(), [0, 0])
            self.finish()
            if len(self.seen) == 2 * self.steps:
                outcomes.add("went on")
                self.check_whole()
                self.check_totals()
            else:
                outcomes.add("over" if over else "was being closed")
                self.assertEqual((self.folder / "out.csv").read_bytes(), before)
                again = subprocess.run(closing, capture_output=True, env=self.environment(), timeout=120, check=False)
                self.assertEqual(again.returncode, 2 if over else 0, again.stderr)
                self.assertEqual(self.status()["state"], "closed")
                self.assertTrue((self.folder / "out.json").exists())
            self.assertEqual(self.kept(), [0, 0])
            self.assertLess(call, 1000, "it never ends")
        self.assertEqual(outcomes, {"went on", "was being closed", "over"})

    def test_kills_at_random_times(self):
        rng = random.Random(11)
        self.set_up_release('name = "fast"\nqueries = 120\nintegration_time = 5', 600, "0")
        killed = 0
        while killed < KILLS:
            if self.status()["state"] == "finished":
                self.check_whole()
                self.forget()
                self.set_up_release('name = "fast"\nqueries = 120\nintegration_time = 5', 600, "0")
            process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, env=self.environment())
            done = self.status()["steps"]["published"] if self.seen else 0
            until = time.monotonic() + rng.uniform(0.005, 0.08)
            os.set_blocking(process.stdout.fileno(), False)
            got = b""
            try:
                # Row by row, so that it is always in the middle of something.
                for line in self.lines[:1] + self.lines[max(1, done - 3):]:
                    process.stdin.write(line.encode())
                    process.stdin.flush()
                    got += process.stdout.read() or b""
                    if time.monotonic() > until:
                        break
                time.sleep(max(0, until - time.monotonic()))
            except BrokenPipeError:
                pass
            process.kill()
            process.wait()
            os.set_blocking(process.stdout.fileno(), True)
            got += process.stdout.read()
            process.stdout.close()
            try:
                process.stdin.close()
            except BrokenPipeError:
                pass
            self.listen(got.decode())
            killed += 1
            if killed % 7 == 0:
                self.check_covered()
        self.finish()
        self.check_whole()


if __name__ == "__main__":
    unittest.main()

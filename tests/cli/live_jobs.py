"""A weekly release that is fed step by step, for the tests of live.

ε is so large in most jobs that the noise is far below one half: rounded to integers, what is published is the count, so
that a test can tell what was counted. P(|noise| > 1/2) < 1e-50 there.
"""

import csv
import datetime
import io
import json
import os
import select
import signal
import struct
import subprocess

from program import PROGRAM, FolderTest, run, without_spent

WEEKS = [str(datetime.date(2026, 1, 5) + datetime.timedelta(weeks=k)) for k in range(40)]
STEPS = 12
LOUD = 1000.0  # an epsilon with next to no noise

BASE = {
    "dataset": {"name": "clinic"},
    "source": {"path": "-", "time": "week", "value": "cases"},
    "slots": {"start": WEEKS[0], "end": WEEKS[STEPS], "length": "1w"},
    "series": {},
    "privacy": {"unit": "user", "max_steps": 4, "epsilon": LOUD},
    "mechanism": {"name": "laplace"},
    "output": {"csv": "out.csv", "json": "out.json", "integers": True},
    "live": {"name": "cases"},
}
WARDS = {"source": {"series": "ward"}, "series": {"keys": ["north", "south"]}}
TOTALS = {"mechanism": {"name": "running_total"}, "privacy": {"epsilon": LOUD, "delta": 1e-6}}
VISITS = {"source": {"value": None, "user": "who"}, "privacy": {"max_steps": 1}}


def merged(*changes):
    sections = {name: dict(keys) for name, keys in BASE.items()}
    for change in changes:
        for section, keys in change.items():
            sections[section].update(keys)
    return sections


def toml(sections):
    lines = ["version = 1"]
    for section, keys in sections.items():
        lines.append(f"[{section}]")
        lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items() if value is not None]
    return "\n".join(lines) + "\n"


def counts(*pairs):
    """The CSV of (week number, count)."""
    return "week,cases\n" + "".join(f"{WEEKS[week]},{count}\n" for week, count in pairs)


def wards(*rows):
    return "week,ward,cases\n" + "".join(f"{WEEKS[week]},{ward},{count}\n" for week, ward, count in rows)


def visits(*rows):
    return "who,week\n" + "".join(f"person-{who},{WEEKS[week]}\n" for week, who in rows)


class LiveTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.ledger = self.folder / "ledger.db"
        self.out = self.folder / "out.csv"
        self.job = self.folder / "flu.toml"
        self.state = self.folder / "ledger.db.live" / "clinic" / "cases"

    def budget(self, *arguments):
        words = arguments or ("--epsilon", "900000", "--delta", "1e-3")
        self.assert_succeeds("budget", "create", "clinic", *words, "--ledger", str(self.ledger))

    def prepare(self, *changes):
        """The job in the folder, and a budget where there is none."""
        self.job.write_text(toml(merged(*changes)), encoding="utf-8")
        if not self.ledger.exists():
            self.budget()

    def words(self, *arguments):
        return ("live", *arguments, "--ledger", str(self.ledger))

    def live(self, stdin="", *arguments, code=0, says=(), **options):
        done = run(*self.words(str(self.job), *arguments), stdin=stdin, **options)
        self.assertEqual(done.returncode, code, (done.stdout, done.stderr))
        for word in [says] if isinstance(says, str) else says:
            self.assertIn(word, done.stderr)
        if not says and code == 0:
            self.assertEqual(without_spent(done.stderr), "")
        return done

    def refuses(self, stdin, code, says, *arguments):
        """Refused as a whole: nothing is spent, nothing published, nothing changed."""
        before = self.everything()
        done = self.live(stdin, *arguments, code=code, says=says)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotIn(",1\n", done.stdout)
        self.assertEqual(self.everything(), before)

    def everything(self):
        return (self.published_bytes(), self.history() if self.ledger.exists() else None)

    def published_bytes(self):
        return self.out.read_bytes() if self.out.exists() and self.out.stat().st_size else None

    def history(self):
        """Also of a ledger that is older than what lies beside it, which a warning then says, and nothing else."""
        done = run("budget", "history", "clinic", "--ledger", str(self.ledger), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, "warning: the ledger (is|may be) older than")
        return json.loads(done.stdout)["debits"]

    def standing(self):
        return self.assert_json(*self.words("status", str(self.job)))

    def asked(self):
        return self.standing()["questions"]["used"]

    def rows(self, path=None):
        """The published rows; the file must be whole whatever happened before."""
        text = (path or self.out).read_text(encoding="utf-8")
        self.assertTrue(text.endswith("\n"))
        rows = list(csv.DictReader(io.StringIO(text), strict=True))
        seen = []
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
            self.assertLessEqual(float(row["lower"]), float(row["value"]))
            self.assertLessEqual(float(row["value"]), float(row["upper"]))
            self.assertIn(row["sampled"], ("0", "1"))
            seen.append((row["time"], row.get("series")))
        self.assertEqual(len(seen), len(set(seen)), "a step is there twice")
        self.assertEqual([time for time, _ in seen], sorted(time for time, _ in seen))
        return rows

    def remembered(self):
        """How many numbers of the mechanism each file of the state holds; nothing may follow the state in the file."""
        found = []
        for path in sorted(self.state.glob("state.*")):
            content = path.read_bytes()
            fields, words, text = struct.unpack_from("<3Q", content, 16)
            self.assertTrue(words or len(content) == 40 + 8 * fields + text + 32, "the end of a longer state is left")
            found.append(words)
        return found

    def values(self):
        return [(row["time"][:10], row["value"], row["sampled"]) for row in self.rows()]

    def follow(self, *arguments, **options):
        """A release that goes on while the test does something."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([PROGRAM, *self.words(str(self.job), *arguments)], env=environment,
                                   **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                      **options})

        def stop():
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    try:
                        stream.close()
                    except BrokenPipeError:
                        pass
        self.addCleanup(stop)
        return process

    def next_line(self, process):
        """One line of its standard output, which is not buffered on either side."""
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select([process.stdout], [], [], 30)
            self.assertTrue(ready, "nothing came for half a minute")
            byte = os.read(process.stdout.fileno(), 1)
            self.assertTrue(byte, "it ended")
            line += byte
        return line.decode()

    def terminate(self, process):
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        return errors.decode()


__all__ = ["BASE", "LOUD", "LiveTest", "STEPS", "TOTALS", "VISITS", "WARDS", "WEEKS", "counts", "merged", "run", "toml", "visits",
           "wards"]

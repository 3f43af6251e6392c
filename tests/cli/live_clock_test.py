"""Where rows are people, the clock alone decides which steps and spans of a live release there are.

Two neighbouring sets of rows, with and without one person, go through the real program. Everything that can be seen
from outside, other than the values, must be the same: which steps are published, what is debited and used, what is said
on standard output and on standard error, how it ends. The checker must notice a release of counts, in which rows do
close steps.
"""

import csv
import datetime
import io
import json
import random
import resource
import shutil
import unittest

from live_jobs import LOUD, VISITS, WEEKS, LiveTest, run, visits
from program import without_spent

START = datetime.datetime(2026, 3, 2)
PAIRS = 10  # random neighbours


def hour(k):
    return (START + datetime.timedelta(hours=k)).isoformat(timespec="minutes")


def at(k):
    """A time within that hour."""
    return (START + datetime.timedelta(hours=k, minutes=17)).isoformat(timespec="minutes")


PEOPLE = {"source": {"user": "who", "value": None, "time": "at"}, "privacy": {"max_steps": 2, "epsilon": LOUD}}
COUNTS = {"source": {"user": None, "value": "n", "time": "at", "duplicates": "sum"}, "privacy": {"epsilon": LOUD}}


def hours(steps, **live):
    return {"slots": {"start": hour(0), "end": hour(steps), "length": "1h"}, "live": live}


class Neighbours(LiveTest):
    """A world is a folder with rows in it; what is seen of it must not depend on one person."""

    def budget_of(self, epsilon="900000"):
        """Made once, then copied: a ledger for each world."""
        template = self.folder / f"ledger-{epsilon}.db"
        if not template.exists():
            self.ledger = template
            self.budget("--epsilon", epsilon)
        return template

    def put(self, kind, rows, where):
        """Rows (who, time) as this kind of input; gives what goes to standard input."""
        head, lines = "who,at,n\n", [(moment, f"{who},{moment},1\n") for who, moment in rows]
        whole = head + "".join(line for _, line in lines)
        if kind == "file":
            (where / "in.csv").write_text(whole)
        if kind == "folder":  # one file per hour, if anybody came
            shutil.rmtree(where / "in.csv", ignore_errors=True)
            (where / "in.csv").mkdir()
            for name in {moment[:13] for moment, _ in lines}:
                (where / "in.csv" / f"{name}.csv").write_text(
                    head + "".join(line for moment, line in lines if moment.startswith(name)))
        return whole if kind == "stdin" else ""

    def seen(self, rows, starts, *changes, kind="file", budget="900000"):
        """Starts the program once for each of `starts`: arguments, or arguments and further rows."""
        template = self.budget_of(budget)
        where = self.folder / "world"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir()
        shutil.copy(template, where / "ledger.db")
        self.ledger, self.job, self.out = where / "ledger.db", where / "flu.toml", where / "out.csv"
        self.state = where / "ledger.db.live" / "clinic" / "cases"
        self.prepare(*changes, {"source": {"path": "-" if kind == "stdin" else "in.csv"}})
        told = []
        for arguments, more in starts:
            rows = rows + more
            stdin = self.put(kind, rows, where)
            once = [] if kind == "stdin" else ["--once"]
            done = run(*self.words(str(self.job), *once, *arguments), stdin=stdin)
            self.assertIn(done.returncode, (0, 2, 3, 4), done.stderr)
            told.append((done.returncode, done.stderr, self.without_values(done.stdout)))
        document = where / "out.json"
        standing = self.standing()
        if standing["debit"]:
            standing["debit"] = standing["debit"]["id"]  # its hash is random
        return {"told": told, "published": self.without_values(self.out.read_text()) if self.out.exists() else None,
                "document": json.loads(document.read_text())["time"] if document.exists() else None,
                "debits": [(debit["state"], debit["uses"]) for debit in self.history()], "standing": standing}

    @staticmethod
    def without_values(text):
        return [(row["time"], row["sampled"]) for row in csv.DictReader(io.StringIO(text))]

    def times(self):
        return [row["time"][:16] for row in self.rows()]

    def assert_same(self, with_, without, starts, *changes, **options):
        first = self.seen(with_, starts, *changes, **options)
        second = self.seen(without, starts, *changes, **options)
        self.assertEqual(first, second, (with_, without, starts, options))
        return first


class NobodyMovesAStep(Neighbours):
    FIVE_AND_FIVE = [(f"p{k}", at(0)) for k in range(5)] + [(f"q{k}", at(40)) for k in range(5)]

    def test_a_gap_that_one_person_fills(self):
        """Without the one in hour 20, hour 40 is further than max_gap from the row before."""
        more = self.FIVE_AND_FIVE[:5] + [("one", at(20))] + self.FIVE_AND_FIVE[5:]
        for kind in ("file", "folder", "stdin"):
            seen = self.assert_same(more, self.FIVE_AND_FIVE, [(["--until", hour(20)], []), (["--until", hour(41)], [])],
                                    PEOPLE, hours(96), kind=kind)
            self.assertEqual([code for code, _, _ in seen["told"]], [0, 0])
            self.assertEqual(len(seen["published"]), 41)
        # All at once is further than max_gap for a clock: refused for whoever is there, and nothing is spent.
        seen = self.assert_same(more, self.FIVE_AND_FIVE, [(["--until", hour(41)], [])], PEOPLE, hours(96))
        self.assertEqual((seen["told"][0][0], seen["published"], seen["debits"]), (2, None, []))
        self.assertIn("--until: it is further ahead than the 24 steps that live.max_gap allows", seen["told"][0][1])

    def test_the_checker_tells_rows_that_move_steps(self):
        """The same rows as counts, whose owner declares which steps there are: the twin that must be noticed."""
        more = self.FIVE_AND_FIVE[:5] + [("one", at(20))] + self.FIVE_AND_FIVE[5:]
        for kind in ("file", "stdin"):
            seen = [self.seen(rows, [([], [])], COUNTS, hours(96), kind=kind) for rows in (more, self.FIVE_AND_FIVE)]
            self.assertNotEqual(*seen)
            self.assertEqual([len(one["published"]) for one in seen], [41, 1])
        # Spans that are opened by rows, too.
        rows = [("a", at(0)), ("a", at(1)), ("b", at(4))]
        seen = [self.seen(some, [([], [])], COUNTS, hours(2, after="continue")) for some in (rows, rows[:2])]
        self.assertEqual([len(one["debits"]) for one in seen], [2, 1])

    def test_an_empty_span_is_a_span_like_others(self):
        """Nobody came from hour 4 to hour 12; with one person in between, or with nobody at all, it is the same."""
        rows = [("ann", at(1)), ("ben", at(13))]
        for without in (rows, rows[:1], []):
            seen = self.assert_same(rows + [("one", at(9))], without, [(["--until", hour(14)], [])], PEOPLE,
                                    hours(4, after="continue", max_gap=90))
            self.assertEqual(len(seen["published"]), 14)
            self.assertEqual([state for state, _ in seen["debits"]], ["released"] * 3 + ["reserved"])
            self.assertEqual(seen["debits"][1][1], {"reserved": 4, "used": 4})
        self.assertIn("the next one begins at 2026-03-02T04:00", seen["told"][0][1])

    def test_the_next_span_is_opened_by_the_clock(self):
        rows = [("ann", at(0)), ("ben", at(3))]
        starts = [(["--until", hour(k)], []) for k in (4, 4, 5, 9)]
        for without in (rows, []):
            seen = self.assert_same(rows + [("one", at(4))], without, starts, PEOPLE, hours(4, after="continue"))
            self.assertEqual([len(published) for _, _, published in seen["told"]], [4, 0, 1, 4])
            self.assertEqual(len(seen["debits"]), 3)

    def test_a_budget_is_used_up_by_the_clock(self):
        rows = [("ann", at(0))]
        starts = [(["--until", hour(9)], []), (["--until", hour(10)], [])]
        seen = self.assert_same(rows + [("one", at(5))], rows, starts, PEOPLE, hours(4, after="continue"),
                                budget=str(1.5 * LOUD))
        self.assertEqual([code for code, _, _ in seen["told"]], [4, 4])
        self.assertEqual((len(seen["published"]), len(seen["debits"])), (4, 1))
        self.assertIn("over the budget", seen["told"][1][1])

    def test_a_time_that_goes_back_publishes_nothing(self):
        starts = [(["--until", hour(k)], []) for k in (3, 1, 3, 4)]
        seen = self.assert_same([("one", at(2))], [], starts, PEOPLE, hours(4))
        self.assertEqual([(code, len(published)) for code, _, published in seen["told"]], [(0, 3), (0, 0), (0, 0), (0, 1)])

    def test_rows_of_one_each_need_the_clock_too(self):
        """They have no name, but somebody made each of them."""
        ones = {"source": {"user": None, "value": None, "time": "at"}}
        seen = self.assert_same([("a", at(0)), ("b", at(7))], [("a", at(0))], [(["--until", hour(3)], [])], ones, hours(9))
        self.assertEqual(len(seen["published"]), 3)

    def test_a_file_without_a_header_may_hold_nobody(self):
        bare = {"source": {"user": "1", "value": None, "time": "2", "header": False}}
        for rows in ("", f"one,{at(0)}\n"):
            self.out = self.folder / f"out{len(rows)}.csv"
            self.prepare(bare, hours(4, name=f"r{len(rows)}"),
                         {"source": {"path": "bare.csv"}, "output": {"csv": self.out.name, "json": None}})
            (self.folder / "bare.csv").write_text(rows)
            self.live("", "--once", "--until", hour(2))
            self.assertEqual(len(self.rows()), 2)

    def test_random_neighbours(self):
        rng = random.Random(20260302)
        ends = set()
        for pair in range(PAIRS):
            people = [f"p{k}" for k in range(rng.randint(1, 4))]

            def some(most):
                """Out of order, before the start, after the horizon, far in the future."""
                times = [rng.choice([-400, -1, 100, 30000]) if rng.random() < 0.2 else rng.randint(0, 14)
                         for _ in range(rng.randint(0, most))]
                return [(rng.choice(people), at(k)) for k in times]
            starts = [(["--until", hour(k)], some(5)) for k in sorted(rng.sample(range(16), rng.randint(1, 3)))]
            if rng.random() < 0.3:
                rng.shuffle(starts)  # a clock that goes back
            if rng.random() < 0.2:
                starts.insert(1, (["--until", hour(3000)], []))  # one that jumps
            first = some(12) + [(people[0], at(rng.randint(0, 14)))]
            gone = people[0]
            changes = (PEOPLE, hours(rng.choice([3, 5]), after=rng.choice(["stop", "continue"]), max_gap=rng.choice([4, 90])))
            options = {"kind": rng.choice(["file", "folder", "stdin"]), "budget": rng.choice(["900000", str(1.5 * LOUD)])}
            with self.subTest(pair=pair):
                seen = self.seen(first, starts, *changes, **options)
                without = self.seen([row for row in first if row[0] != gone],
                                    [(arguments, [row for row in more if row[0] != gone]) for arguments, more in starts],
                                    *changes, **options)
                self.assertEqual(seen, without)
                ends |= {code for code, _, _ in seen["told"]}
        self.assertEqual(ends, {0, 2, 4}, "the pairs must reach every way in which it can end")


class WhatCounts(LiveTest):
    """Rows wait for the clock, so their order among different people decides nothing."""

    def test_an_early_row_makes_nobody_late(self):
        self.prepare(VISITS)
        self.live(visits((3, "ann"), (0, "ben"), (2, "cid"), (0, "dan"), (1, "ben"), (3, "eve")), "--until", WEEKS[4])
        self.assertEqual([value for _, value, _ in self.values()], ["2", "0", "1", "2"])

    def test_late_rows_and_rows_from_the_time_on_do_not_count_and_nothing_is_said(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann")), "--until", WEEKS[2])
        self.live(visits((1, "ben"), (2, "cid"), (5, "dan"), (39, "eve")), "--until", WEEKS[3])
        self.assertEqual([value for _, value, _ in self.values()], ["1", "0", "1"])

    def test_one_person_with_many_rows_takes_the_memory_of_one(self):
        """Ann is there at every second of the first week, far more than memory would hold row by row."""
        self.prepare(VISITS)
        seconds = [f"T{k // 3600:02}:{k // 60 % 60:02}:{k % 60:02}\n" for k in range(86_400)]
        rows = "".join(f"ann,2026-01-{day:02}{second}" for day in range(5, 12) for second in seconds)
        limit = 64 << 20
        rows += f"ben,{WEEKS[0]}\nann,{WEEKS[1]}\ncid,{WEEKS[1]}\n"
        self.live("who,week\n" + rows, "--until", WEEKS[3],
                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (limit, limit)))
        self.assertEqual([value for _, value, _ in self.values()], ["2", "1", "0"])

    def test_a_broken_row_changes_no_step(self):
        self.prepare(VISITS)
        self.live("who,week\n,2026-01-05\nann,soon\n" + visits((0, "ben")).split("\n", 1)[1], "--until", WEEKS[2], code=3,
                  says=["row 1: ", "row 2: ", "2 rows could not be read"])
        self.assertEqual([value for _, value, _ in self.values()], ["1", "0"])


class WithoutAClock(LiveTest):
    def test_rows_of_people_are_refused_before_anything_is_spent(self):
        self.prepare(VISITS, {"privacy": {"max_steps": None}})
        self.refuses(visits((0, "ann")), 2, ["privacy.max_steps: it is missing", '"all"'], "--until", WEEKS[2])
        for change in (VISITS, {"source": {"value": None}}):
            self.prepare(change)
            self.refuses(visits((0, "ann")), 2, ["--until TIME", 'clock = "system"'])
            self.refuses(visits((0, "ann")), 2, "--until TIME", "--seed", "1")
        self.assertEqual(self.history(), [])
        self.assertFalse(self.out.exists() or self.state.exists())
        self.assertIn("clock     live needs --until TIME", self.assert_succeeds("plan", str(self.job)))
        self.prepare(VISITS, {"live": {"clock": "system", "wait": "5min"}})
        self.assertIn("clock     the system's: a step closes 300 s after its end",
                      self.assert_succeeds("check", str(self.job), "--ledger", str(self.ledger)))

    def test_keys_of_the_clock(self):
        for change, mention in (({"live": {"clock": "sundial"}}, "live.clock"), ({"live": {"wait": "5min"}}, "live.wait"),
                                ({"live": {"clock": "system", "wait": "soon"}}, "live.wait"),
                                ({"live": {"clock": "system", "wait": "-1s"}}, "live.wait"),
                                ({"source": {"user": None, "value": "cases"}, "live": {"clock": "system"}}, "live.clock")):
            with self.subTest(change=change):
                self.prepare(VISITS, change)
                done = run(*self.words(str(self.job)), stdin="")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(mention, done.stderr)

    def test_a_guarantee_says_who_decides(self):
        def assumptions(*changes):
            self.prepare(*changes)
            return {one["text"]: one["basis"] for one in
                    self.assert_json("plan", str(self.job))["guarantee"]["assumptions"]}
        for change in (VISITS, {"source": {"value": None}}):
            people = assumptions(change)
            self.assertEqual([basis for text, basis in people.items() if "a clock alone decides which steps" in text],
                             ["enforced"])
            self.assertTrue([text for text in people if "an empty slot counts 0" in text], people)
        owners = assumptions({})
        self.assertEqual([basis for text, basis in owners.items() if "which steps are published" in text], ["declared"])
        self.assertFalse([text for text in owners if "counts 0" in text], owners)
        self.assertFalse([text for text in people if "no header" in text or "ends the release" in text], people)
        bare = {"source": {"user": "1", "value": None, "time": "2", "header": False}}
        self.assertEqual([basis for text, basis in assumptions(bare).items() if "no header" in text], ["declared"])


class SystemClock(LiveTest):
    def test_steps_close_by_themselves_whoever_comes(self):
        """Slots of a second around now. Nobody's row is needed for a step, for the last one or for the end."""
        steps, now = 3, datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0, tzinfo=None)
        start = now - datetime.timedelta(seconds=1)
        times = [(start + datetime.timedelta(seconds=k)).isoformat() for k in range(steps + 1)]
        far = (now + datetime.timedelta(days=3)).isoformat()
        somebody = f"who,week\nann,{times[0]}\nann,{far}\nben,{times[2]}\ncid,{times[0]}\n"
        self.budget()
        releases = []
        for name, kind, rows in (("nobody", "file", "who,week\n"), ("somebody", "file", somebody), ("stdin", "-", ""),
                                 ("folder", "folder", None), ("files", "folder", somebody)):
            path = "-" if kind == "-" else f"{name}.in"
            if kind == "file":
                (self.folder / path).write_text(rows)
            if kind == "folder":
                (self.folder / path).mkdir()
                if rows:
                    (self.folder / path / "b.csv").write_text(rows)
            self.job = self.folder / f"{name}.toml"
            self.out = self.folder / f"{name}.csv"
            self.prepare(VISITS, {"source": {"path": path}, "slots": {"start": times[0], "end": times[-1], "length": "1s"},
                                  "output": {"csv": self.out.name, "json": None},
                                  "live": {"name": name, "clock": "system", "wait": "1s", "max_gap": 1000}})
            releases.append((name, self.out, self.follow()))
        told = set()
        for name, out, process in releases:
            with self.subTest(name):
                process.wait(timeout=60)  # its input goes on: standard input is open, files are followed
                self.assertEqual(process.returncode, 0)
                errors = process.stderr.read().decode()
                self.assertIn("the horizon is over: all 3 steps", errors)
                told.add(without_spent(errors))
                self.out = out
                rows = self.rows()
                self.assertEqual([row["time"][:19] for row in rows], times[:-1])
                expected = ["2", "0", "1"] if name in ("somebody", "files") else ["0", "0", "0"]
                self.assertEqual([row["value"] for row in rows], expected)
        self.assertEqual(len(told), 1)

    def test_once_takes_what_is_over(self):
        """Weeks that ended long ago are over, whoever came in them; those to come are not."""
        day = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(days=3)
        days = [str(day + datetime.timedelta(days=k)) for k in range(30)]
        self.prepare(VISITS, {"source": {"path": "in.csv"}, "slots": {"start": days[0], "end": days[-1], "length": "1d"},
                              "live": {"clock": "system", "wait": "0s"}})
        (self.folder / "in.csv").write_text(f"who,week\nann,{days[1]}\nben,{days[20]}\n")
        before = datetime.datetime.now(datetime.timezone.utc).date()
        self.live("", "--once")
        after = datetime.datetime.now(datetime.timezone.utc).date()
        published = len(self.rows())
        self.assertIn(published, {(today - day).days for today in (before, after)})
        self.assertEqual([value for _, value, _ in self.values()][:3], ["0", "1", "0"])
        # --until is the clock where it is given.
        self.live("", "--once", "--until", days[5])
        self.assertEqual(len(self.rows()), max(published, 5))

    def test_a_clock_that_jumped_is_refused(self):
        self.prepare(VISITS, {"source": {"path": "in.csv"}, "slots": {"start": "1996-01-01", "end": "1996-02-05"},
                              "live": {"clock": "system"}})
        (self.folder / "in.csv").write_text(visits())
        for arguments in ([], ["--once"]):
            self.refuses("", 2, "live.max_gap allows", *arguments)
        self.assertEqual(self.history(), [])


if __name__ == "__main__":
    unittest.main()

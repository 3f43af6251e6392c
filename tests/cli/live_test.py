"""chronoveil live from outside, as used by a department that publishes every week."""

import contextlib
import csv
import json
import os
import resource
import shutil
import sqlite3
import struct
import subprocess
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

from live_jobs import BASE, STEPS, VISITS, WARDS, WEEKS, LiveTest, counts, merged, run, toml, visits, wards
from program import PROGRAM, without_spent

SVG = "{http://www.w3.org/2000/svg}"


class Feeding(LiveTest):
    def test_a_year_week_by_week_on_standard_input(self):
        self.prepare()
        for week in range(STEPS):
            done = self.live(counts((week, 100 + week)), says="the horizon is over" if week == STEPS - 1 else ())
            head, row = done.stdout.splitlines()
            self.assertEqual(head, "time,value,lower,upper,sampled")
            self.assertTrue(row.startswith(f"{WEEKS[week]},{100 + week},"), row)
            self.assertEqual(len(self.rows()), week + 1)
        self.assertEqual(self.values(), [(WEEKS[week], str(100 + week), "1") for week in range(STEPS)])
        stands = self.standing()
        self.assertEqual(stands["state"], "finished")
        self.assertEqual(stands["questions"], {"reserved": STEPS, "used": STEPS})
        self.assertEqual([debit["state"] for debit in self.history()], ["released"])
        self.assertIn("the release is covered",
                      self.assert_succeeds("budget", "verify", "--against", str(self.folder / "out.json"), "--ledger",
                                           str(self.ledger)))
        self.refuses(counts((STEPS, 1)), 2, ["is over", "--yes"])

    def test_the_json_document_grows_with_the_rows(self):
        self.prepare()
        for week in range(3):
            self.live(counts((week, 7)))
            document = json.loads((self.folder / "out.json").read_text())
            self.assertEqual(len(document["series"][0]["value"]), week + 1)
            self.assertEqual(document["debit"]["id"], "clinic:1")

    def test_a_service_rewrites_its_documents_at_every_step(self):
        self.prepare({"source": {"path": "cases.csv"}, "output": {"report": "out.html"}})
        source, document, page = (self.folder / name for name in ("cases.csv", "out.json", "out.html"))
        source.write_text("week,cases\n")
        process = self.follow()
        self.next_line(process)
        seen = set()
        for week in range(3):
            with source.open("a") as file:
                file.write(f"{WEEKS[week]},{7 + week}\n")
            self.next_line(process)
            values = []
            for _ in range(3000):
                if document.exists():  # whole whenever it is looked at
                    values = json.loads(document.read_text())["series"][0]["value"]
                if len(values) > week:
                    break
                time.sleep(0.01)
            self.assertEqual(values, [7.0 + earlier for earlier in range(week + 1)])
            self.assertTrue(page.read_text().endswith("</html>\n"))
            seen.add(document.stat().st_ino)
        self.assertGreater(len(seen), 1)  # replaced, not written over
        self.terminate(process)

    def test_a_chart_grows_with_the_rows(self):
        self.prepare({"output": {"chart": "out.svg"}})
        chart, seen = self.folder / "out.svg", []
        for week in range(3):
            self.live(counts((week, 7 + week)))
            seen.append(ElementTree.parse(chart).getroot())
            self.assertEqual(chart.stat().st_mode & 0o777, 0o644)
            self.assertTrue(seen[-1].find(f"{SVG}desc").text.startswith("Differential privacy with ε"))
        lines = [[path.get("d") for path in root.iter(f"{SVG}path") if path.get("class") == "line"] for root in seen]
        self.assertEqual([len(one) for one in lines], [1, 1, 1])
        lengths = [len(one[0]) for one in lines]
        self.assertTrue(lengths[0] < lengths[1] < lengths[2], lines)

    def test_times_have_one_form_in_a_file_whatever_the_clocks_do(self):
        hours = {"source": {"path": "-", "zone": "Europe/Berlin"},
                 "slots": {"start": "2026-03-29", "end": "2026-03-29T12:00", "length": "1h", "zone": "Europe/Berlin"}}
        self.prepare(hours)
        self.live("week,cases\n2026-03-29T01:10,5\n2026-03-29T03:10,6\n")
        self.assertEqual([row["time"] for row in self.rows()],
                         [f"2026-03-{day}:00:00+00:00" for day in ("28T23", "29T00", "29T01")])
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["time"][-1], "2026-03-29T03:00:00+02:00")

    def test_what_is_published_so_far_can_be_evaluated(self):
        self.prepare({"source": {"path": "in.csv"}})
        (self.folder / "in.csv").write_text(counts((0, 3), (1, 4), (2, 5)))
        self.live("", "--once")
        text = self.assert_succeeds("evaluate", str(self.job), "--release", str(self.folder / "out.json"), "--json")
        self.assertEqual(json.loads(text)["errors"]["mean_absolute"], 0)

    def test_an_evaluation_bounds_people_first_come_as_the_release_did(self):
        self.prepare({"source": {"path": "in.csv", "user": "who", "value": None}, "privacy": {"max_steps": 2}})
        # Everybody comes every week: after two weeks nobody has anything left, and only newcomers count.
        weeks = [(week, f"p{person}") for week in range(6) for person in range(40 + week)]
        (self.folder / "in.csv").write_text(visits(*weeks))
        self.live("", "--once", "--until", WEEKS[6])
        self.assertEqual([float(value) for _, value, _ in self.values()], [40, 41, 2, 2, 2, 2])
        text = self.assert_succeeds("evaluate", str(self.job), "--release", str(self.folder / "out.json"), "--json")
        errors = json.loads(text)["errors"]
        self.assertEqual(errors["mean_absolute_bounded"], 0)
        self.assertAlmostEqual(errors["mean_absolute"], sum(40 + week - 2 for week in range(2, 6)) / 6)

    def test_running_totals_go_on_after_a_restart_and_over_a_gap(self):
        self.prepare({"source": {"path": "in.csv"}, "mechanism": {"name": "running_total"}, "privacy": {"delta": 1e-6}})
        rows = self.folder / "in.csv"
        rows.write_text(counts((0, 30), (1, 40)))
        self.live("", "--once")
        rows.write_text(counts((3, 50)))
        self.live("", "--once")
        rows.write_text(counts((4, 7)))
        self.live("", "--once")
        self.assertEqual(self.values(), [(WEEKS[week], total, sampled) for week, (total, sampled) in enumerate(
            (("30", "1"), ("70", "1"), ("70", "0"), ("120", "1"), ("127", "1")))])
        self.assertEqual(self.asked(), 4)
        rows.write_text(counts((0, 30), (1, 40), (3, 50), (4, 7)))
        text = self.assert_succeeds("evaluate", str(self.job), "--release", str(self.folder / "out.json"), "--json")
        self.assertEqual(json.loads(text)["errors"]["mean_absolute"], 0)
        self.assert_fails(2, "running totals", "live", "correct", str(self.job), "--step", WEEKS[1], "--rows", str(rows),
                          "--output", str(self.folder / "erratum.csv"), "--ledger", str(self.ledger))
        self.assertEqual(len(self.history()), 1)

        # The state holds sums of counts without noise, for as long as they are needed.
        states = list(Path(f"{self.ledger}.live").rglob("state.[01]"))
        self.assertEqual([words > 0 and whole for words, whole in map(self.kept, states)], [True, True])
        self.assert_succeeds("live", "close", str(self.job), "--ledger", str(self.ledger))
        self.assertEqual([self.kept(state) for state in states], [(0, True), (0, True)])

    @staticmethod
    def kept(state):
        """How many words of a mechanism a state has, and whether it has nothing that its head does not tell."""
        data = state.read_bytes()
        _, fields, words, text = struct.unpack("<4Q", data[8:40])
        return words, len(data) == 40 + 8 * (fields + words) + text + 32

    def test_a_followed_file_gives_a_value_before_the_next_row(self):
        self.prepare({"source": {"path": "cases.csv"}})
        source = self.folder / "cases.csv"
        source.write_text("week,cases\n")
        process = self.follow()
        self.assertEqual(self.next_line(process), "time,value,lower,upper,sampled\n")
        for week in range(4):
            with source.open("a") as file:
                file.write(f"{WEEKS[week]},{week}")  # half a line counts for nothing yet
                file.flush()
                file.write("\n")
            line = self.next_line(process)
            self.assertTrue(line.startswith(f"{WEEKS[week]},"), line)
            self.assertTrue(self.out.read_text().endswith(line))
        message = self.terminate(process)
        self.assertIn("the debit clinic:1 stays spent; 4 of 12 steps are published and 4 of 12 questions asked",
                      message)
        self.assertIn("run it again to go on", message)
        # The restart reads the file from its beginning, and publishes nothing twice.
        with source.open("a") as file:
            file.write(f"{WEEKS[4]},44\n")
        process = self.follow()
        self.next_line(process)
        self.assertTrue(self.next_line(process).startswith(f"{WEEKS[4]},44,"))
        self.terminate(process)
        self.assertEqual([value for _, value, _ in self.values()], ["0", "1", "2", "3", "44"])
        self.assertEqual(self.asked(), 5)

    def test_a_directory_where_a_file_appears_for_each_step(self):
        self.prepare(WARDS, {"source": {"path": "inbox"}})
        inbox = self.folder / "inbox"
        inbox.mkdir()

        def drop(name, *rows):
            (inbox / (name + ".tmp")).write_text(wards(*rows))
            (inbox / (name + ".tmp")).rename(inbox / name)
        process = self.follow()
        self.next_line(process)
        drop("01.csv", (0, "south", 20), (0, "north", 10))
        self.assertTrue(self.next_line(process).startswith("north,2026-01-05,10,"))
        self.assertTrue(self.next_line(process).startswith("south,2026-01-05,20,"))
        drop("02.csv", (1, "south", 21))  # north does not report: the end of the file ends the step
        self.assertTrue(self.next_line(process).endswith(",0\n"))
        self.assertTrue(self.next_line(process).endswith(",1\n"))
        drop("00.csv", (2, "north", 4711))  # it sorts before one that was read
        drop("03.csv", (2, "north", 12), (2, "south", 22))
        for _ in range(2):
            self.next_line(process)
        errors = self.terminate(process)
        self.assertIn("00.csv", errors)
        self.assertIn("came too late", errors)
        self.assertNotIn("4711", errors)
        rows = self.rows()
        self.assertEqual([(row["series"], row["value"]) for row in rows if row["sampled"] == "1"],
                         [("north", "10"), ("south", "20"), ("south", "21"), ("north", "12"), ("south", "22")])
        # Five values were asked for; what did not report was not.
        self.assertEqual(self.asked(), 5)

    def test_once_takes_what_is_there(self):
        self.prepare({"source": {"path": "cases.csv"}})
        (self.folder / "cases.csv").write_text(counts((0, 5), (1, 6)))
        self.live("", "--once")
        self.live("", "--once", says="2 rows of steps that were published before this start were skipped")
        (self.folder / "cases.csv").write_text(counts((1, 60), (2, 7)))
        done = self.live("", "--once", says="1 row of steps that were published before this start was skipped")
        self.assertEqual(done.stdout.count("\n"), 2)
        self.assertEqual([value for _, value, _ in self.values()], ["5", "6", "7"])

    def test_once_with_a_directory(self):
        self.prepare({"source": {"path": "inbox"}})
        (self.folder / "inbox").mkdir()
        for week in range(3):
            (self.folder / "inbox" / f"{week}.csv").write_text(counts((week, week)))
            self.live("", "--once", says=f"{week} row" if week else ())
        self.assertEqual([value for _, value, _ in self.values()], ["0", "1", "2"])

    def test_an_empty_file_in_a_directory_is_named_and_costs_nothing(self):
        self.prepare({"source": {"path": "inbox"}})
        (self.folder / "inbox").mkdir()
        (self.folder / "inbox" / "0.csv").write_text(counts((0, 3)))
        (self.folder / "inbox" / "1.csv").write_text("")
        self.live("", "--once", code=3, says="1.csv")
        (self.folder / "inbox" / "1.csv").write_text(counts((1, 4)))
        self.live("", "--once", says="skipped")
        self.assertEqual([value for _, value, _ in self.values()], ["3", "4"])

    def test_no_rows_publish_nothing(self):
        self.prepare()
        for text in ("", "week,cases\n"):
            done = self.live(text)
            self.assertEqual(done.stdout, "time,value,lower,upper,sampled\n")
        self.assertEqual(self.rows(), [])
        self.assertEqual(self.asked(), 0)

    def test_a_missing_column_or_file_is_found_before_anything_is_published(self):
        self.prepare()
        self.live("week,deaths\n2026-01-05,3\n", code=3, says="cases")
        self.assertEqual(self.rows(), [])
        self.prepare({"source": {"path": "nowhere.csv"}, "live": {"name": "other"}, "output": {"csv": "other.csv"}})
        self.refuses("", 5, "nowhere.csv")

    def test_json_prints_how_it_stands_instead_of_rows(self):
        self.prepare()
        done = self.live(counts((0, 1), (1, 2)), "--json")
        stands = json.loads(done.stdout)
        self.assertEqual(stands["state"], "open")
        self.assertEqual(stands["steps"], {"horizon": STEPS, "published": 2})
        self.assertEqual(stands["last_published"][:10], WEEKS[1])
        self.assertEqual(stands, self.standing())
        self.assertEqual(len(self.rows()), 2)


class Records(LiveTest):
    def test_a_person_counts_once_over_the_whole_life(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann"), (0, "ann"), (0, "ben"), (1, "ann"), (1, "cid")), "--until", WEEKS[2])
        self.live(visits((2, "ann"), (2, "ben"), (2, "dan")), "--until", WEEKS[3])
        # Nobody came in the fourth week: a zero with noise, like any other.
        self.live(visits((4, "cid"), (4, "eve")), "--until", WEEKS[5])
        self.assertEqual([(value, sampled) for _, value, sampled in self.values()],
                         [("2", "1"), ("1", "1"), ("1", "1"), ("0", "1"), ("1", "1")])
        self.assertEqual(self.asked(), 5)
        guarantee = json.loads((self.folder / "out.json").read_text())["guarantee"]
        self.assertTrue([one for one in guarantee["assumptions"] if one["basis"] == "enforced" and
                         one["text"].startswith("a clock alone decides which steps and spans")], guarantee)
        names = b"".join(path.read_bytes() for path in self.state.iterdir())
        for name in (b"person-ann", b"person-ben"):
            self.assertNotIn(name, names)

    def test_without_its_memory_of_people_it_does_not_go_on(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann")), "--until", WEEKS[1])
        people = self.state / "people.1.db"
        kept = people.read_bytes()
        self.assertEqual(people.stat().st_mode & 0o777, 0o600)
        people.unlink()
        self.refuses(visits((1, "ann")), 5, "people.1.db", "--until", WEEKS[2])
        people.write_bytes(kept)
        self.live(visits((1, "ann"), (1, "ben")), "--until", WEEKS[2])
        self.assertEqual([value for _, value, _ in self.values()], ["1", "1"])

    def test_a_memory_of_people_with_one_flipped_bit_is_refused_and_never_said_to_be_enforced(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann"), (0, "ben")), "--until", WEEKS[1])
        self.assertEqual(self.standing()["caps"], "verified")
        self.assertIn("caps      enforced: what each person has used was verified\n",
                      self.assert_succeeds(*self.words("status", str(self.job))))
        people = self.state / "people.1.db"
        kept = people.read_bytes()
        with contextlib.closing(sqlite3.connect(people)) as database:
            (key,), = database.execute("SELECT key FROM secret")
            person, = database.execute("SELECT MIN(person) FROM people").fetchone()
        for what in (key, person):
            for where in (0, len(what) - 1):
                rotten = bytearray(kept)
                rotten[kept.index(what) + where] ^= 4
                people.write_bytes(rotten)
                self.assert_fails(5, "people.1.db", *self.words("status", str(self.job)))
                self.refuses(visits((1, "ann")), 5, "people.1.db", "--until", WEEKS[2])
        people.write_bytes(kept)
        self.live(visits((1, "ann"), (1, "cid")), "--until", WEEKS[2])
        self.assertEqual([value for _, value, _ in self.values()], ["2", "1"])
        # It can be ended whatever became of it.
        people.write_bytes(kept)
        self.assert_succeeds(*self.words("close", str(self.job)))
        self.assertEqual(list(self.state.glob("people.*")), [])

    def test_each_span_gives_everybody_a_new_cap_and_a_new_debit(self):
        self.prepare(VISITS, {"slots": {"end": WEEKS[2]}, "live": {"after": "continue"}})
        self.live(visits((0, "ann"), (1, "ann"), (2, "ann"), (2, "ben"), (3, "ann")), "--until", WEEKS[4],
                  says="is over; the ")
        self.live(visits((4, "ann")), "--until", WEEKS[5], says="is over; the ")
        self.assertEqual([value for _, value, _ in self.values()], ["1", "0", "2", "0", "1"])
        self.assertEqual([debit["state"] for debit in self.history()], ["released", "released", "reserved"])

    def test_a_rehearsal_remembers_people_too(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann"), (1, "ann"), (1, "ben")), "--seed", "1", "--until", WEEKS[2], says="not private")
        self.assertEqual([value for _, value, _ in self.values()], ["1", "1"])
        self.assertFalse(self.state.exists())

    def test_until_a_time_it_is_the_clock_that_publishes_and_nobody(self):
        self.prepare(VISITS, {"source": {"path": "visits.csv"}})
        source = self.folder / "visits.csv"
        source.write_text(visits((0, "ann"), (1, "ben"), (4, "cid"), (7, "dan")))
        # Whoever comes later publishes nothing now, and is counted when the time has come.
        for until, values in ((WEEKS[0], []), (WEEKS[2], ["1", "1"]), (WEEKS[4], ["1", "1", "0", "0"]),
                              (WEEKS[5], ["1", "1", "0", "0", "1"]), (WEEKS[5], ["1", "1", "0", "0", "1"]),
                              (WEEKS[3], ["1", "1", "0", "0", "1"])):
            run(*self.words(str(self.job), "--once", "--until", until))
            self.assertEqual([value for _, value, _ in self.values()], values)
        # A time that cannot be meant is refused before anything is read.
        for arguments in (("--once", "--until", "soon"), ("--once", "--until", ""), ("--until", WEEKS[7])):
            self.refuses("", 2, "--until", *arguments)
        # So is a clock that jumped: it would end the release for good.
        whole = source.read_text()
        source.write_text(visits((4, "cid")))
        self.refuses("", 2, ["--until", "live.max_gap"], "--once", "--until", "2062-01-01")
        source.write_text(whole)
        self.live("", "--once", "--until", WEEKS[8])
        self.assertEqual([value for _, value, _ in self.values()][5:], ["0", "0", "1"])

    def test_rows_of_one_each_count_without_people(self):
        self.prepare({"source": {"value": None}})
        self.live("week\n" + f"{WEEKS[0]}\n" * 3 + f"{WEEKS[2]}\n", "--until", WEEKS[3])
        self.assertEqual([value for _, value, _ in self.values()], ["3", "0", "1"])


class Disorder(LiveTest):
    def test_a_missing_step_is_published_as_predicted_and_costs_nothing(self):
        for mechanism, privacy in ((BASE["mechanism"], {}), ({"name": "kalman"}, {"delta": 1e-6}),
                                   ({"name": "fixed_rate", "interval": 1}, {})):
            with self.subTest(mechanism["name"]):
                name = mechanism["name"]
                self.out = self.folder / f"{name}.csv"
                self.prepare({"mechanism": mechanism, "privacy": privacy, "live": {"name": name},
                              "output": {"csv": f"{name}.csv", "json": None}})
                self.live(counts((0, 500), (3, 510), (4, 505)))
                rows = self.rows()
                self.assertEqual([row["sampled"] for row in rows], ["1", "0", "0", "1", "1"])
                for row in rows[1:3]:
                    self.assertLessEqual(float(row["lower"]), 500)
                    self.assertGreaterEqual(float(row["upper"]), 500)
                self.assertEqual(self.asked(), 3)

    def test_a_missing_first_step_is_published_all_the_same(self):
        self.prepare()
        self.live(counts((2, 9)))
        self.assertEqual([sampled for _, _, sampled in self.values()], ["0", "0", "1"])

    def test_series_that_report_partly(self):
        self.prepare(WARDS)
        self.live(wards((0, "north", 1), (1, "north", 2), (1, "south", 3), (2, "elsewhere", 77), (3, "south", 4)))
        self.assertEqual([(row["series"], row["value"]) for row in self.rows() if row["sampled"] == "1"],
                         [("north", "1"), ("north", "2"), ("south", "3"), ("south", "4")])
        self.assertEqual(len(self.rows()), 8)
        self.assertEqual(self.asked(), 4)

    def test_late_and_double_rows_are_refused_and_the_first_counts(self):
        self.prepare(WARDS)
        text = wards((0, "south", 5), (0, "south", 61), (0, "north", 6), (1, "north", 7), (0, "north", 62),
                     (1, "south", 8), (1, "south", 63))
        done = self.live(text, code=3,
                         says=["row 2: its series and step came before; the first counts; refused",
                               "row 5: it is late: its step was published before; refused", "row 7: it is late",
                               "2 rows came too late or too early and were refused; all others were taken"])
        for value in ("61", "62", "63"):
            self.assertNotIn(value, done.stderr)
        self.assertEqual([row["value"] for row in self.rows()], ["6", "5", "7", "8"])

    def test_refused_rows_go_to_a_file_of_the_owner(self):
        self.prepare(WARDS, {"live": {"rejects": "rejects.csv"}})
        rejects = self.folder / "rejects.csv"
        self.live(wards((0, "south", 5), (0, "north", 6), (1, "north", 7)))
        self.assertFalse(rejects.exists())
        self.live(wards((2, "south", 8), (2, "south", 77777), (2, "north", 62), (2, "north", 63)) + "soon,north,64\n",
                  code=3, says="could not be read")
        self.assertEqual(rejects.stat().st_mode & 0o777, 0o600)
        with rejects.open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual([(row["row"], row["series"], row["value"]) for row in rows[1:]],
                         [("2", "south", "77777"), ("4", "north", "63")])
        self.assertEqual(rows[1]["reason"], "its series and step came before; the first counts")
        self.assertEqual(rows[2]["time"], WEEKS[2] + "T00:00:00+00:00")
        self.assertEqual(rows[0]["file"], "row 5")
        self.assertIn("column week: not a time", rows[0]["reason"])
        for name in ("out.csv", "out.json"):
            self.assertNotIn("77777", (self.folder / name).read_text())
        self.prepare(WARDS, {"live": {"rejects": "out.csv"}})
        self.refuses("", 2, "live.rejects")

    def test_a_person_who_came_late_is_in_that_file_and_nowhere_else(self):
        self.prepare(VISITS, {"live": {"rejects": "rejects.csv"}})
        rejects = self.folder / "rejects.csv"
        rows = visits((0, "ann"), (30, "eve"))
        self.live(rows, "--until", WEEKS[1])
        self.assertIn("person-eve", rejects.read_text())  # after the horizon
        self.assertNotIn("person-ann", rejects.read_text())
        # A file that may not grow ends nothing: that would tell that somebody was refused.
        limit = 4_000_000
        rejects.write_bytes(rejects.read_bytes().splitlines(keepends=True)[0].ljust(limit, b"x"))
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        done = subprocess.run([PROGRAM, *self.words(str(self.job), "--until", WEEKS[2])], input=rows, text=True,
                              capture_output=True, timeout=60, check=False, env=environment, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(rejects.stat().st_size, limit)
        # Refused before a row is read: what is no file, or another one. A pipe without a reader would stop the release.
        for make in (rejects.mkdir, lambda: os.mkfifo(rejects), lambda: rejects.write_text("mine\n")):
            rejects.rmdir() if rejects.is_dir() else rejects.unlink()
            make()
            self.live(rows, "--until", WEEKS[3], code=2, says="live.rejects")

    def test_an_erratum_is_a_release_of_its_own(self):
        self.prepare()
        self.live(counts((0, 5), (1, 6), (2, 7)))
        before = self.out.read_bytes()
        (self.folder / "right.csv").write_text(counts((0, 5), (1, 60)))

        def correct(step, output="erratum.csv", *words):
            return ("live", "correct", str(self.job), "--step", step, "--rows", str(self.folder / "right.csv"), "--output",
                    str(self.folder / output), "--ledger", str(self.ledger), *words)
        for step, says in ((WEEKS[5], "--step"), ("2026-01-06", "--step"), ("soon", "--step")):
            self.assert_fails(2, says, *correct(step))
        self.assert_fails(2, "output.csv", *correct(WEEKS[1], "out.csv"))
        self.assert_fails(4, "over the budget", *correct(WEEKS[1], "erratum.csv", "--epsilon", "899999"))
        self.assertEqual(len(self.history()), 1)
        self.assertIn("debit     clinic:", self.assert_succeeds(*correct(WEEKS[1])))
        self.assertEqual([debit["state"] for debit in self.history()], ["reserved", "released"])
        self.assertEqual([(row["time"], row["value"]) for row in self.rows(self.folder / "erratum.csv")],
                         [(WEEKS[1], "60")])
        self.assertEqual(self.out.read_bytes(), before)
        self.assert_fails(2, "--yes", *correct(WEEKS[1]))
        # It says what it is: by the name of its file, unless that is given, and beside its rows.
        words = [word for word in correct(WEEKS[1], "", "--yes") if word not in ("--output", str(self.folder))]
        told = self.assert_json(*words)
        self.assertEqual(told["corrects"], {"release": "cases", "step": WEEKS[1]})
        self.assertEqual(self.rows(self.folder / f"out_erratum_{WEEKS[1]}.csv")[0]["value"], "60")
        self.assertIn(f"erratum   of the step {WEEKS[1]} of the release cases\n", self.assert_succeeds(*words))
        self.live(counts((3, 8)))  # the release goes on

    def test_an_erratum_says_at_a_terminal_what_it_costs_and_asks(self):
        self.prepare()
        self.live(counts((0, 5), (1, 6), (2, 7)))
        (self.folder / "right.csv").write_text(counts((1, 60)))
        words = ("live", "correct", str(self.job), "--step", WEEKS[1], "--rows", str(self.folder / "right.csv"),
                 "--ledger", str(self.ledger))
        erratum = self.folder / f"out_erratum_{WEEKS[1]}.csv"
        code, shown = self.on_terminal(words, b"n\n")
        self.assertEqual((code, len(self.history()), erratum.exists()), (2, 1, False), shown)
        self.assertRegex(shown, r"cost      ε = 1000, δ = 0 from the budget of clinic\s+left      \d\d\.\d % after this debit")
        self.assertIn("not confirmed, so nothing was debited; --yes debits without a question", shown)
        code, shown = self.on_terminal(words, b"y\n")
        self.assertEqual((code, len(self.history()), erratum.exists()), (0, 2, True), shown)
        code, shown = self.on_terminal((*words, "--yes"))  # a second erratum of the step
        self.assertEqual((code, len(self.history()), "[y/N]" in shown), (0, 3, False), shown)

    def test_an_erratum_keeps_the_caps_and_may_be_empty(self):
        """One person may be in every series of a step: the caps of the job are those of its errata."""
        self.prepare({"source": {"series": "ward"}, "series": {"keys": ["a", "b", "c"]},
                      "privacy": {"max_steps": 3, "epsilon": 1.0}})
        self.live(wards(*((0, ward, 5) for ward in "abc")))
        (self.folder / "right.csv").write_text(wards())

        def correct(output):
            return ("live", "correct", str(self.job), "--step", WEEKS[0], "--rows", str(self.folder / "right.csv"), "--output",
                    str(self.folder / output), "--ledger", str(self.ledger))
        said = self.assert_succeeds(*correct("erratum.csv"))
        self.assertIn("at most 3 slots", said)
        self.assertIn("that this step is corrected, and how often, depends on no person", said)
        self.assertNotIn("some row counts", said)
        self.assertEqual(len(self.rows(self.folder / "erratum.csv")), 3)

    def test_duplicates_may_be_added_up(self):
        self.prepare({"source": {"duplicates": "sum"}})
        self.live(counts((0, 5), (0, 6), (1, 7)))
        self.assertEqual([value for _, value, _ in self.values()], ["11", "7"])

    def test_a_broken_line_stops_nothing_and_is_never_quoted(self):
        self.prepare()
        broken = [f"{WEEKS[1]},4711x", f"{WEEKS[1]},-4711", f"{WEEKS[1]}", f"{WEEKS[1]},4711,4711", "4711-01-12x,3",
                  f'"{WEEKS[1]},4711', f"{WEEKS[1]},47110000000000000000000000", ",4711", f"{WEEKS[1]},4711\x00"]
        text = f"week,cases\n{WEEKS[0]},1\n" + "\n".join(broken) + f"\n{WEEKS[2]},3\n"
        refused = [f"row {row}: " for row in range(2, 2 + len(broken))]
        done = self.live(text, code=3, says=[*refused, "9 rows could not be read"])
        self.assertNotIn("4711", done.stderr)
        self.assertNotIn("4711", done.stdout)
        self.assertEqual([(value, sampled) for _, value, sampled in self.values()][::2], [("1", "1"), ("3", "1")])
        self.assertEqual(self.asked(), 2)

    def test_many_broken_lines_do_not_flood_the_log(self):
        self.prepare()
        done = self.live("week,cases\n" + "x\n" * 500 + f"{WEEKS[0]},1\n", code=3, says="480 more were refused")
        self.assertLess(without_spent(done.stderr).count("\n"), 25)
        self.assertEqual(len(self.rows()), 1)

    def test_a_clock_that_jumps_ahead_is_refused(self):
        self.prepare({"live": {"max_gap": 3}})
        self.live(counts((0, 1), (7, 99), (30, 99), (4, 5)), code=3,
                  says=["row 2: it is ", "row 3: it is ", "live.max_gap allows"])
        self.assertEqual([sampled for _, _, sampled in self.values()], ["1", "0", "0", "0", "1"])
        # How far is too far may change while it is open: it spends nothing.
        self.prepare({"live": {"max_gap": 5}})
        self.live(counts((10, 6)))
        self.assertEqual(len(self.rows()), 11)

    def test_a_clock_that_jumps_back_is_late(self):
        self.prepare()
        self.live("week,cases\n1970-01-01,9\n" + f"{WEEKS[0]},1\n{WEEKS[1]},2\n1970-01-01,9\n{WEEKS[0]},3\n",
                  code=3, says=["2 rows lie before the release begins", "row 5: it is late"])
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2"])

    def test_rows_after_the_horizon_are_refused(self):
        self.prepare({"slots": {"end": WEEKS[3]}, "live": {"max_gap": 2}})
        self.live(counts((0, 1), (11, 99)), code=3, says=["row 2: it is ", "live.max_gap allows"])
        self.assertEqual(len(self.rows()), 1)
        # One that is near says that time went on: the steps before it will not come any more.
        self.live(counts((1, 2), (3, 99)), code=3,
                  says=[f"row 2: it lies after the horizon, which ends at {WEEKS[3]}; refused",
                        f"the horizon is over: all 3 steps up to {WEEKS[3]} are published"])
        self.assertEqual([sampled for _, _, sampled in self.values()], ["1", "1", "0"])


class Budgets(LiveTest):
    def test_over_budget_publishes_nothing_and_the_job_may_be_corrected(self):
        self.budget("--epsilon", "1")
        self.prepare({"privacy": {"epsilon": 2.0}})
        self.refuses(counts((0, 1)), 4, ["over the budget", "privacy.epsilon"])
        self.assertFalse(self.out.exists())
        self.prepare({"privacy": {"epsilon": 0.5}})
        self.live(counts((0, 1)))
        self.assertAlmostEqual(self.standing()["guarantee"]["epsilon"], 0.5)
        self.assertEqual(len(self.history()), 1)

    def test_the_dataset_must_be_there_and_fit(self):
        self.job.write_text(toml(merged()))
        self.refuses(counts((0, 1)), 2, ["dataset.name", "chronoveil budget create clinic"])
        self.budget("--epsilon", "100000", "--unit", "user")
        self.prepare({"privacy": {"unit": "event", "max_steps": None}, "mechanism": {"name": "event"}})
        self.refuses(counts((0, 1)), 2, "privacy.unit")
        self.assert_fails(2, "privacy.unit", *self.words("status", str(self.job)))

    def test_it_continues_with_the_next_span_and_a_new_debit(self):
        self.budget("--epsilon", "900000", "--renews", "month")
        self.prepare({"slots": {"end": WEEKS[2]}, "live": {"after": "continue"}})
        self.live(counts((0, 1), (1, 2)))
        self.assertEqual(self.standing()["state"], "open")
        self.live(counts((2, 3)), says=f"the span {WEEKS[0]} to {WEEKS[2]} is over; the ")
        self.live(counts((3, 4), (4, 5)), says="is over; the ")
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2", "3", "4", "5"])
        debits = self.history()
        self.assertEqual([debit["state"] for debit in debits], ["released", "released", "reserved"])
        stands = self.standing()
        self.assertEqual(stands["steps"], {"horizon": 2, "published": 1})
        self.assertEqual([debit["uses"] for debit in debits],
                         [{"reserved": 2, "used": 2}, {"reserved": 2, "used": 2}, {"reserved": 2, "used": 1}])
        self.assertEqual(stands["span"]["start"][:10], WEEKS[4])
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(document["debit"]["id"], debits[-1]["id"])
        self.assertEqual(len(document["series"][0]["value"]), 1)

    def test_a_budget_too_small_for_the_second_span(self):
        self.budget("--epsilon", "1500")
        self.prepare({"slots": {"end": WEEKS[2]}, "live": {"after": "continue"}})
        self.live(counts((0, 1), (1, 2)))
        whole = self.out.read_bytes()
        for told in ("time,value,lower,upper,sampled\n", ""):
            done = self.live(counts((2, 3)), code=4, says="over the budget")
            self.assertEqual(done.stdout, told)
            self.assertEqual(self.out.read_bytes(), whole)
        self.assertEqual([debit["state"] for debit in self.history()], ["released"])
        document = json.loads((self.folder / "out.json").read_text())
        self.assertEqual(len(document["series"][0]["value"]), 2)

    def test_one_debit_however_often_it_is_opened(self):
        self.prepare()
        for _ in range(3):
            self.live("")
        self.assertEqual(len(self.history()), 1)
        self.assertEqual(self.standing()["steps"]["published"], 0)


class Asking(LiveTest):
    def test_a_terminal_is_asked_before_the_debit_that_opens_a_release(self):
        self.prepare({"source": {"path": "in.csv"}, "privacy": {"epsilon": 1.0}})
        self.write("in.csv", counts((0, 5)))
        words = self.words(str(self.job), "--once")
        code, shown = self.on_terminal(words, b"n\n")
        self.assertEqual(code, 2, shown)
        self.assertRegex(shown, r"cost      ε = 1, δ = 0 from the budget of clinic\s+left      \d+\.\d % after this debit")
        self.assertIn("not confirmed, so nothing was debited; --yes debits without a question", shown)
        self.assertEqual((self.history(), self.out.exists()), ([], False))
        code, shown = self.on_terminal(words, b"y\n")
        self.assertEqual((code, len(self.history()), len(self.rows())), (0, 1, 1), shown)
        # What is open already goes on, and nobody is asked.
        self.write("in.csv", counts((0, 5), (1, 6)))
        code, shown = self.on_terminal(words)
        self.assertEqual((code, len(self.history()), len(self.rows())), (0, 1, 2), shown)
        self.assertNotIn("[y/N]", shown)

    def test_a_terminal_is_not_asked_with_yes(self):
        self.prepare({"source": {"path": "in.csv"}})
        self.write("in.csv", counts((0, 5)))
        code, shown = self.on_terminal(self.words(str(self.job), "--once", "--yes"))
        self.assertEqual((code, len(self.history())), (0, 1), shown)
        self.assertIn("% after this debit", shown)
        self.assertNotIn("[y/N]", shown)

    def test_status_from_before_the_opening_to_the_end(self):
        self.prepare()
        self.assertEqual(self.standing(), {"release": "cases", "state": "none", "debit": None})
        self.assertIn("it was never opened", self.assert_succeeds(*self.words("status", str(self.job))))
        self.live(counts((0, 1), (1, 2)))
        text = self.assert_succeeds(*self.words("status", str(self.job)))
        for piece in ("release   cases: open", "debit     clinic:1", "steps     2 of 12 published, the last 2026-01-12",
                      "questions 2 of 12 asked", "guarantee DP, unit user"):
            self.assertIn(piece, text)

    def test_close_ends_it_and_gives_nothing_back(self):
        self.prepare()
        self.assert_fails(2, "no release 'cases'", *self.words("close", str(self.job)))
        self.live(counts((0, 1)))
        whole = self.out.read_bytes()
        (self.folder / "out.json").unlink()
        stands = self.assert_json(*self.words("close", str(self.job)))
        self.assertEqual(stands["state"], "closed")
        self.assertTrue((self.folder / "out.json").exists())
        self.assertEqual([debit["state"] for debit in self.history()], ["released"])
        self.assert_fails(2, "is over already", *self.words("close", str(self.job)))
        self.refuses(counts((1, 2)), 2, "--yes")
        # A new one needs a word, a debit and a file of its own.
        self.refuses(counts((1, 2)), 2, "output.csv", "--yes")
        self.out.rename(self.folder / "first.csv")
        self.live(counts((0, 7), (1, 8)), "--yes")
        self.assertEqual([value for _, value, _ in self.values()], ["7", "8"])
        self.assertEqual((self.folder / "first.csv").read_bytes(), whole)
        self.assertEqual([debit["state"] for debit in self.history()], ["released", "reserved"])

    def test_a_release_that_is_over_is_not_opened_again_by_losing_its_folder(self):
        self.prepare({"slots": {"end": WEEKS[1]}})
        self.live(counts((0, 1)), says="the horizon is over")
        shutil.rmtree(self.state)
        self.out.unlink()
        self.refuses(counts((0, 1)), 2, ["is over", "--yes"])

    def test_usage(self):
        self.prepare()
        self.assert_fails(2, "JOB", "live")
        self.assert_fails(2, "JOB", "live", "status")
        self.assert_fails(5, "nowhere.toml", "live", "nowhere.toml")
        for change, mention in (({"output": {"csv": None}}, "output.csv"), ({"output": {"csv": "-"}}, "output.csv"),
                                ({"output": {"json": "-"}}, "output"), ({"live": {"name": "a/b"}}, "live.name"),
                                ({"live": {"name": ".."}}, "live.name"), ({"live": {"after": "never"}}, "live.after"),
                                ({"live": {"max_gap": 0}}, "live.max_gap"), ({"live": {"nmae": "x"}}, "live.nmae"),
                                ({"mechanism": {"name": "shrink"}, "privacy": {"delta": 1e-6}}, "mechanism.name"),
                                ({"source": {"kind": "sqlite", "path": "a.db", "table": "t"}}, "source.kind")):
            with self.subTest(change=change):
                self.prepare(change)
                done = run(*self.words(str(self.job)), stdin=counts((0, 1)))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(mention, done.stderr)
        self.assertEqual(self.history(), [])


class Rehearsing(LiveTest):
    CASES = [120, 130, 90, 0, 15, 200, 1000, 990, 70, 60, 5, 8]

    def test_a_seed_is_marked_and_touches_no_ledger(self):
        self.prepare({"output": {"report": "out.html"}})
        self.ledger.unlink()
        texts = set()
        for _ in range(2):  # a rehearsal replaces the one before
            done = self.live(counts(*enumerate(self.CASES)), "--seed", "7", says="seeded: not private")
            texts.add(self.out.read_text())
            self.assertEqual(done.stdout, self.out.read_text())
        self.assertEqual(len(texts), 1)
        for row in self.rows():
            self.assertEqual(row["mark"], "seeded: not private")
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["mark"], "seeded: not private")
        self.assertFalse(self.ledger.exists() or self.state.exists())
        # Neither takes the place of the other.
        self.budget()
        self.refuses(counts((0, 1)), 2, "is there already and not of this release")
        self.out.unlink()
        self.live(counts((0, 1)))
        done = run(*self.words(str(self.job), "--seed", "7"), stdin=counts((0, 1)))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("may be of a private release", done.stderr)

    def test_a_tape_gives_what_run_gives(self):
        (self.folder / "cases.csv").write_text(counts(*enumerate(self.CASES)))
        (self.folder / "tape.txt").write_text(" ".join(str((k * 37 % 23 - 11) / 4) for k in range(STEPS)))
        for name, mechanism, delta in (
                ("laplace", {}, 0), ("fixed_rate", {"interval": 3}, 0), ("kalman", {}, 1e-6),
                ("running_total", {}, 1e-6), ("running_total", {}, 0),
                ("fast", {"queries": 6, "integration_time": 2}, 0)):
            with self.subTest(name):
                change = {"source": {"path": "cases.csv"}, "mechanism": {"name": name, **mechanism},
                          "privacy": {"epsilon": 1.0, "delta": delta}}
                self.prepare(change, {"output": {"csv": "live.csv", "json": None, "integers": False}})
                tape = ("--noise-from", str(self.folder / "tape.txt"))
                self.live("", "--once", *tape, says="replayed")
                live = (self.folder / "live.csv").read_text()
                self.prepare(change, {"output": {"csv": "run.csv", "json": None, "integers": False}})
                done = run("run", str(self.job), *tape)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.folder / "run.csv").read_text(), live)
                self.assertEqual(len(self.rows(self.folder / "live.csv")), STEPS)
                self.assertIn("not private: replayed", live)
                (self.folder / "live.csv").unlink()

    def test_a_tape_that_is_too_short_or_two_sources_of_noise_are_refused(self):
        self.prepare()
        (self.folder / "tape.txt").write_text("1 2")
        done = run(*self.words(str(self.job), "--noise-from", str(self.folder / "tape.txt")),
                   stdin=counts((0, 1), (1, 2), (2, 3)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("noise", done.stderr)
        done = run(*self.words(str(self.job), "--seed", "1", "--noise-from", str(self.folder / "tape.txt")))
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()

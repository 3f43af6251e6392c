"""What must not give anybody a second answer about one step: copies, edits, inputs that begin anew. And crashes in
places where a release could get stuck for good."""

import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from live_jobs import VISITS, WEEKS, LiveTest, counts, visits
from program import PROGRAM, run

SHIM = os.environ["CHRONOVEIL_KILL_SHIM"]
MOST_CALLS = 400  # that leave a trace in one short run
STRIDE = 1 if os.environ.get("CHRONOVEIL_TORTURE") == "1" else 5  # from a call that is killed to the next


class CopyTest(LiveTest):
    def killed(self, call, stdin, *arguments):
        """Whether a run was killed before this call that would leave a trace; and what it said before."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "LD_PRELOAD": SHIM,
                       "KILL_AT": str(call)}
        done = subprocess.run([PROGRAM, *self.words(str(self.job), *arguments)], input=stdin, capture_output=True,
                              text=True, env=environment, timeout=120, check=False)
        return done.returncode < 0, done.stdout

    def go_on(self, stdin, *arguments):
        """After a crash, which may have left some of the rows published already."""
        done = run(*self.words(str(self.job), *arguments), stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)

    def every_crash(self, stdin, *arguments):
        """Begins anew from what lies in the folder now, and is killed a little later each time."""
        kept = Path(tempfile.mkdtemp(prefix="chronoveil-kept-"))
        self.addCleanup(shutil.rmtree, kept)
        self.copy(self.folder, kept)
        for call in range(1, MOST_CALLS, STRIDE):
            self.copy(kept, self.folder)
            was_killed, said = self.killed(call, stdin, *arguments)
            yield said
            if not was_killed:
                self.assertGreater(call, 10, "the shim counted nothing")
                return
        self.fail("it never ends")

    @staticmethod
    def copy(source, target):
        for path in target.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(source, target, dirs_exist_ok=True)


class Copies(CopyTest):
    def test_two_who_go_on_from_copies_of_one_state_never_both_answer(self):
        """The other was killed anywhere in its first step; then we publish that step; then the other comes back."""
        self.prepare({"privacy": {"epsilon": 0.5}})
        self.live("")
        other = Path(tempfile.mkdtemp(prefix="chronoveil-other-"))
        self.addCleanup(shutil.rmtree, other)
        refused = 0
        for said in self.every_crash(counts((0, 100))):
            used = self.history()[0]["uses"]["used"]
            if used > 0:
                continue  # the other's use is written down: it was first
            parts = [self.folder / "ledger.db.live", self.out]
            for part in parts:
                place = other / part.name
                shutil.copytree(part, place, dirs_exist_ok=True) if part.is_dir() else shutil.copy(part, place)
            # Ours, as it was before.
            self.state_as_opened()
            ours = self.live(counts((0, 100))).stdout
            for part in parts:
                place = other / part.name
                shutil.rmtree(part) if part.is_dir() else part.unlink()
                shutil.copytree(place, part) if place.is_dir() else shutil.copy(place, part)
            theirs = subprocess.run([PROGRAM, *self.words(str(self.job))], input=counts((0, 100), (1, 100)),
                                    capture_output=True, text=True, check=False)
            self.assertEqual(theirs.returncode, 5, theirs.stderr)
            answers = [line for text in (said, ours, theirs.stdout) for line in text.splitlines() if WEEKS[0] in line]
            self.assertEqual(len(set(answers)), 1, "two answers about one step")
            refused += "another process has resumed" in theirs.stderr
        self.assertGreater(refused, 0, "the case that counts did not come up")

    def test_a_release_does_not_go_on_out_of_a_backup(self):
        """Ledger, folder and output of one night, on a machine that was restored; the first machine has gone on."""
        self.prepare({"privacy": {"epsilon": 0.5}})
        for rows in ((), ((0, 100), (1, 100))):  # with a debit alone, and with steps
            self.live(counts(*rows) if rows else "")
            backup, restored = self.folder / f"backup-{len(rows)}.db", self.folder / f"restored-{len(rows)}.db"
            self.assert_succeeds("budget", "backup", str(backup), "--ledger", str(self.ledger))
            self.assert_succeeds("budget", "restore", str(backup), "--ledger", str(restored))
            original, published = self.ledger, self.out.read_bytes()
            for place in (backup, restored):
                shutil.copytree(f"{original}.live", f"{place}.live")
                self.ledger = place
                self.refuses(counts((2, 100)), 2, ("clinic:1", "came out of a backup", "--yes"))
                stands = self.standing()
                self.assertEqual((stands["state"], stands["steps"]["published"]), ("from backup", len(rows)))
                if place == backup:
                    shutil.rmtree(f"{place}.live")  # nor without a state
                    self.assertIn("came out of a backup", self.assert_succeeds(*self.words("status", str(self.job))))
                    self.refuses(counts((2, 100)), 2, "came out of a backup")
            # What its owner can do: end it, or open another one.
            self.live(counts((2, 100)), "--yes", code=2, says="is there already")
            self.out.rename(self.folder / "kept.csv")
            self.live(counts((2, 100)), "--yes")
            self.assertEqual([debit["state"] for debit in self.history()], ["reserved", "reserved"])
            self.live(counts((3, 100)))
            self.ledger, self.out = backup, self.folder / "out.csv"
            self.assert_succeeds(*self.words("close", str(self.job)))
            self.assertEqual([debit["state"] for debit in self.history()], ["released"])
            self.ledger = original
            self.out.write_bytes(published)
        self.live(counts((2, 100)))  # the first machine goes on
        self.assertEqual(self.history()[0]["uses"]["used"], 3)

    def test_a_span_that_was_over_before_the_backup_is_followed_by_the_next(self):
        self.prepare({"slots": {"end": WEEKS[2]}, "live": {"after": "continue"}, "privacy": {"epsilon": 0.5}})
        self.live(counts((0, 3), (1, 4)))
        backup = self.folder / "backup.db"
        self.assert_succeeds("budget", "backup", str(backup), "--ledger", str(self.ledger))
        self.ledger.unlink()
        self.assert_succeeds("budget", "restore", str(backup), "--ledger", str(self.ledger))
        self.assertEqual(self.standing()["state"], "finished")
        self.live(counts((2, 5)))
        self.assertEqual([debit["uses"]["used"] for debit in self.history()], [2, 1])
        self.assertEqual(len(self.values()), 3)

    def test_a_release_that_cannot_be_opened_anew_still_contradicts_an_older_ledger(self):
        self.prepare({"privacy": {"epsilon": 0.5}})
        older = self.ledger.read_bytes()
        self.live(counts((0, 100), (1, 100)))
        self.assert_succeeds(*self.words("close", str(self.job)))
        self.out.rename(self.folder / "first.csv")
        latest = self.ledger.read_bytes()
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "CHRONOVEIL_WAIT": "1"}
        held = sqlite3.connect(self.ledger, isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        for _ in range(3):  # both files of the state are written anew
            done = subprocess.run([PROGRAM, *self.words(str(self.job), "--yes")], input=counts((0, 100)), text=True,
                                  capture_output=True, env=environment, check=False)
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("for too long", done.stderr)
        held.execute("ROLLBACK")
        held.close()
        self.assertEqual(self.ledger.read_bytes(), latest)
        for path in self.folder.glob("ledger.db-*"):
            path.unlink()
        self.ledger.write_bytes(older)
        self.refuses(counts((0, 100)), 5, "it does not have the debit clinic:1 that this was paid with", "--yes")
        self.assertEqual(run("budget", "verify", "--ledger", str(self.ledger)).returncode, 5)
        self.ledger.write_bytes(latest)
        self.live(counts((0, 100)), "--yes")
        self.assertEqual(len(self.history()), 2)

    def state_as_opened(self):
        """Another copy of the state as it was opened: the first of the two files, without the one that followed."""
        numbered = sorted(self.state.glob("state.*"), key=lambda path: path.read_bytes()[8:16][::-1])
        # Saved at the opening: 1 without its debit, 2 with it; the killed one may have written 3 over 1.
        if int.from_bytes(numbered[-1].read_bytes()[8:16], "little") > 2:
            numbered[-1].write_bytes(b"")
        self.out.write_text("time,value,lower,upper,sampled\n")

    def test_an_edited_plan_draws_nothing(self):
        self.prepare({"privacy": {"epsilon": 0.5}})
        self.live(counts((0, 500)))
        opening = self.state / "opening.json"
        document = json.loads(opening.read_text())
        document["plan"]["scale"] /= 1000
        document["plan"]["sensitivity"] /= 1000
        opening.write_text(json.dumps(document))
        self.refuses(counts((1, 500)), 5, "is not what the debit clinic:1 was made for")

    def test_an_edited_job_beside_an_edited_memory_of_it_is_refused(self):
        self.prepare()
        self.live(counts((0, 5)))
        self.prepare({"privacy": {"max_steps": 3}})
        memory = self.state / "job.json"
        memory.write_text(memory.read_text().replace('["privacy.max_steps","4"]', '["privacy.max_steps","3"]'))
        self.refuses(counts((1, 5)), 5, "is not what the debit clinic:1 was made for")

    def test_an_older_memory_of_people_is_refused(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann")), "--until", WEEKS[1])
        people = next(self.state.glob("people.*.db"))
        older = people.read_bytes()
        self.live(visits((1, "ann"), (1, "ben")), "--until", WEEKS[2])
        for path in self.state.glob(people.name + "-*"):
            path.unlink()
        people.write_bytes(older)
        self.refuses(visits((2, "ben")), 5, "older than the state", "--until", WEEKS[3])

    def test_who_was_there_is_forgotten_when_it_is_over(self):
        self.prepare(VISITS)
        self.live(visits((0, "ann")), "--until", WEEKS[1])
        self.assertEqual(len(list(self.state.glob("people.*.db"))), 1)
        kept = (self.state / "people.1.db").read_bytes()
        self.assert_succeeds(*self.words("close", str(self.job)))
        self.assertEqual(list(self.state.glob("people.*")), [])
        # As a kill leaves it that came before they were forgotten.
        for name in ("people.1.db", "people.1.db-wal"):
            (self.state / name).write_bytes(kept)
        self.refuses(visits((1, "ben")), 2, "is over", "--until", WEEKS[2])
        self.assertEqual(list(self.state.glob("people.*")), [])

    def test_who_was_in_spans_before_is_forgotten_too(self):
        self.prepare(VISITS, {"slots": {"end": WEEKS[2]}, "live": {"after": "continue"}})
        self.live(visits((0, "ann")), "--until", WEEKS[1])
        kept = (self.state / "people.1.db").read_bytes()
        self.live(visits((1, "ann"), (2, "ben")), "--until", WEEKS[3], says="is over; the ")
        names = [path.name for path in self.state.glob("people.*")]
        self.assertEqual((len(names), "people.1.db" in names), (1, False), names)
        (self.state / "people.1.db").write_bytes(kept)
        self.live(visits((3, "cid")), "--until", WEEKS[4])
        self.assertEqual([path.name for path in self.state.glob("people.*")], names)

    def test_rows_of_a_file_that_was_replaced_count_once(self):
        self.prepare({"source": {"path": "in.csv", "duplicates": "sum"}})
        rows = "week,cases\n" + f"{WEEKS[0]},1\n" * 7
        (self.folder / "in.csv").write_text(rows)
        process = self.follow()
        self.next_line(process)
        for more in (8, 9):  # each time the whole file anew, with one more row of the open step
            time.sleep(0.3)
            (self.folder / "new.csv").write_text("week,cases\n" + f"{WEEKS[0]},1\n" * more)
            (self.folder / "new.csv").rename(self.folder / "in.csv")
        time.sleep(0.3)
        with open(self.folder / "in.csv", "a", encoding="utf-8") as file:
            file.write(f"{WEEKS[1]},1\n")
        self.assertTrue(self.next_line(process).startswith(f"{WEEKS[0]},9,"))
        self.terminate(process)


class Stuck(CopyTest):
    def test_records_of_several_steps_survive_every_crash(self):
        self.prepare(VISITS)
        self.live("", "--until", WEEKS[0])
        rows = visits(*[(week, who) for week in range(3) for who in ("ann", f"guest{week}")])
        for _ in self.every_crash(rows, "--until", WEEKS[3]):
            self.assertLessEqual(self.asked(), 3)
            self.go_on(rows, "--until", WEEKS[3])
            self.assertEqual([value for _, value, _ in self.values()], ["2", "1", "1"], "ann counts once")
            self.assertEqual(self.asked(), 3)

    def test_spans_that_the_clock_opens_survive_every_crash(self):
        """Nobody came in the first; each is debited once and each step asked once, however often it was killed."""
        self.prepare(VISITS, {"slots": {"end": WEEKS[1]}, "live": {"after": "continue"}, "output": {"json": None}})
        self.live("", "--until", WEEKS[0])
        rows = visits((1, "ann"))
        for _ in self.every_crash(rows, "--until", WEEKS[2]):
            self.go_on(rows, "--until", WEEKS[2])
            self.assertEqual([value for _, value, _ in self.values()], ["0", "1"])
            self.assertEqual([debit["uses"]["used"] for debit in self.history()], [1, 1])

    def test_a_changed_job_that_is_opened_anew_survives_every_crash(self):
        self.prepare()
        self.live(counts((0, 5)))
        self.assert_succeeds(*self.words("close", str(self.job)))
        self.out.rename(self.folder / "first.csv")
        self.prepare({"privacy": {"max_steps": 3}})
        for _ in self.every_crash(counts((0, 7)), "--yes"):
            if self.standing()["questions"]["used"] == 1 and len(self.history()) == 2:
                continue
            self.go_on(counts((0, 7)), "--yes")
            self.assertEqual([value for _, value, _ in self.values()], ["7"])
            self.assertEqual(len(self.history()), 2, "one more debit, however often it crashed")

    def test_a_span_that_cannot_be_planned_is_found_before_the_first_is_opened(self):
        self.prepare({"slots": {"start": "2026-01-01", "end": "2026-02-01", "length": "1d"}, "live": {"after": "continue"},
                      "mechanism": {"name": "fast", "queries": 30}})
        self.live(counts(), code=2, says=["live.after", "2026-02-01", "28 steps", "mechanism.queries"])
        self.assertEqual(self.history(), [])

    def test_it_continues_after_an_outage_of_whole_spans(self):
        self.prepare({"slots": {"end": WEEKS[2]}, "live": {"after": "continue", "max_gap": 20}})
        self.live(counts((0, 3), (1, 4)))
        self.live(counts((9, 5)), says=f"the next one begins at {WEEKS[8]}")
        # Of the span that begins, its first week is missing; the filter knows nothing yet.
        self.assertEqual(self.values(), [(WEEKS[0], "3", "1"), (WEEKS[1], "4", "1"), (WEEKS[8], "0", "0"),
                                         (WEEKS[9], "5", "1")])
        self.assertEqual([debit["uses"]["used"] for debit in self.history()], [2, 1])

    def test_a_release_that_lost_its_state_can_be_closed(self):
        self.prepare()
        self.live(counts((0, 3)))
        for path in self.state.glob("state.*"):
            path.write_bytes(b"broken")
        self.live(counts((1, 3)), code=5, says="damaged")
        done = self.assert_json(*self.words("close", str(self.job)))
        self.assertEqual(done["state"], "closed")
        self.assertEqual(self.history()[0]["state"], "released")


class Until(CopyTest):
    def test_steps_are_published_by_the_clock_and_not_by_who_came(self):
        for rows in (visits((0, "ann")), visits((0, "ann"), (2, "ben"))):
            self.prepare(VISITS, {"output": {"csv": f"out{len(rows)}.csv", "json": None},
                                  "live": {"name": f"r{len(rows)}"}})
            self.go_on(rows, "--until", WEEKS[2])
            self.assertEqual(len(self.rows(self.folder / f"out{len(rows)}.csv")), 2)

    def test_missing_counts_are_published_as_predicted(self):
        self.prepare()
        self.live(counts((0, 5)), "--until", WEEKS[3])
        self.assertEqual(self.values(), [(WEEKS[0], "5", "1"), (WEEKS[1], "5", "0"), (WEEKS[2], "5", "0")])
        self.live("", "--until", "soon", code=2, says="--until")


if __name__ == "__main__":
    unittest.main()

"""chronoveil live from outside, when files are changed, lost or full, and when it is stopped in the middle."""

import datetime
import os
import resource
import shutil
import signal
import subprocess
import unittest

from live_jobs import STEPS, TOTALS, WARDS, WEEKS, LiveTest, counts, merged, run, toml, wards
from program import PROGRAM


class Tampering(LiveTest):
    def test_a_job_that_changed_is_refused_by_the_key(self):
        changes = [
            ({"source": {"path": "cases.csv"}}, "source.path"),
            ({"source": {"time": "day"}}, "source.time"),
            ({"source": {"value": "deaths"}}, "source.value"),
            ({"source": {"zone": "Europe/Berlin"}}, "source.zone"),
            ({"source": {"delimiter": ";"}}, "source.delimiter"),
            ({"source": {"duplicates": "sum"}}, "source.duplicates"),
            ({"source": {"header": False, "time": "1", "value": "2"}}, "source."),
            ({"slots": {"start": WEEKS[1]}}, "slots.start"),
            ({"slots": {"end": WEEKS[STEPS + 1]}}, "slots.end"),
            ({"slots": {"length": "1d"}}, "slots.length"),
            ({"slots": {"zone": "Europe/Berlin"}}, "slots.zone"),
            ({"series": {"keys": ["south", "north"]}}, "series.keys"),
            ({"series": {"keys": ["north"]}}, "series.keys had 'south'"),
            ({"series": {"keys": ["north", "south", "west"]}}, "series.keys has 'west' now"),
            ({"series": {"disjoint": True}}, "series.disjoint"),
            ({"privacy": {"relation": "replace"}}, "privacy.relation"),
            ({"privacy": {"max_steps": 5}}, "privacy.max_steps was '4' when the release was opened and is '5' now"),
            ({"privacy": {"max_per_slot": 2}}, "privacy.max_per_slot"),
            ({"privacy": {"maximum": 1000}}, "privacy.maximum"),
            ({"privacy": {"epsilon": 999.0}}, "privacy.epsilon"),
            ({"privacy": {"delta": 1e-9}}, "privacy.delta"),
            ({"mechanism": {"name": "kalman"}, "privacy": {"delta": 1e-6}}, "privacy.delta"),
            ({"mechanism": {"name": "fast"}}, "mechanism.name"),
            ({"output": {"csv": "elsewhere.csv"}}, "output.csv"),
            ({"output": {"level": 0.9}}, "output.level"),
            ({"output": {"integers": False}}, "output.integers"),
            ({"output": {"non_negative": False}}, "output.non_negative"),
            ({"live": {"after": "continue"}}, "live.after"),
        ]
        (self.folder / "cases.csv").write_text(wards((1, "north", 5)))
        self.prepare(WARDS)
        self.live(wards((0, "north", 1), (0, "south", 2)))
        before = (self.everything(), sorted(path.name for path in self.folder.iterdir()))
        for change, mention in changes:
            with self.subTest(change=change):
                self.prepare(WARDS, change)
                done = self.live(wards((1, "north", 5)), code=2, says=mention)
                self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1))
        self.assertEqual((self.everything(), sorted(path.name for path in self.folder.iterdir())), before)
        # What says nothing about the values may change: a title, a purpose, another document.
        self.prepare(WARDS, {"output": {"title": "Cases", "json": "other.json"}, "dataset": {"purpose": "to tell"}})
        self.live(wards((1, "north", 5), (1, "south", 6)))
        self.assertEqual(len(self.rows()), 4)
        self.assertEqual(len(self.history()), 1)

    def test_a_renamed_job_goes_on_where_the_release_has_a_name(self):
        self.prepare()
        self.live(counts((0, 1)))
        self.job = self.job.rename(self.folder / "renamed.toml")
        self.live(counts((1, 2)))
        # Without a name of its own the release is named by the file, and another one may not take its output.
        self.job.write_text(toml(merged({"live": {"name": None}})))
        self.refuses(counts((2, 3)), 2, ["output.csv", "is there already and not of this release"])

    def test_an_output_that_was_deleted_or_cut_is_completed(self):
        self.prepare()
        self.live(counts((0, 1), (1, 2)))
        whole = self.out.read_bytes()
        for damage in (self.out.unlink, lambda: self.out.write_bytes(b""), lambda: self.out.write_bytes(whole[:-9])):
            damage()
            self.live("")
            self.assertEqual(self.out.read_bytes(), whole)
        self.assertEqual(self.asked(), 2)

    def test_an_output_that_was_edited_is_left_alone(self):
        self.prepare()
        self.live(counts((0, 1), (1, 2)))
        whole = self.out.read_bytes()
        for other in (whole.replace(b",2,", b",9,"), whole + b"2026-01-19,3,3,3,1\n", b"\n" + whole):
            self.out.write_bytes(other)
            self.refuses(counts((2, 3)), 5, ["output.csv", "differs from what was published"])
            self.assertEqual(self.out.read_bytes(), other)
        self.out.write_bytes(whole)
        self.live(counts((2, 3)))
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2", "3"])

    def test_a_long_output_that_was_cut_must_be_put_back(self):
        days = [str(datetime.date(2026, 1, 1) + datetime.timedelta(days=k)) for k in range(900)]
        self.prepare({"slots": {"start": days[0], "end": days[-1], "length": "1d"}, "output": {"json": None}})
        self.live("week,cases\n" + "".join(f"{day},{k}\n" for k, day in enumerate(days[:600])))
        self.live("week,cases\n" + "".join(f"{day},{k}\n" for k, day in enumerate(days[:700]) if k >= 600))
        whole = self.out.read_bytes()
        self.out.write_bytes(whole[:5000])
        self.refuses(f"week,cases\n{days[700]},7\n", 5, "shorter than what was published")
        self.out.write_bytes(whole)
        self.live(f"week,cases\n{days[700]},700\n")
        self.assertEqual([value for _, value, _ in self.values()], [str(k) for k in range(701)])

    def test_an_output_must_be_a_regular_file_of_its_own(self):
        self.prepare()
        os.mkfifo(self.out)
        self.live("", code=2, says="output.csv")
        self.out.unlink()
        self.out.write_text("somebody else's\n")
        self.refuses(counts((0, 1)), 2, "not of this release")
        self.assertEqual(self.history(), [])

    def test_it_does_not_read_what_it_writes(self):
        (self.folder / "inbox").mkdir()
        for output in ({"csv": "inbox/out.csv"}, {"json": "inbox/../inbox/out.json"}):
            self.prepare({"source": {"path": "inbox"}, "output": output})
            self.refuses("", 2, "lies in the folder that is the source", "--once")
        done = run("live", "-", "--ledger", str(self.ledger), stdin=toml(merged()), cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("source.path: standard input holds the job", done.stderr)
        self.assertEqual(self.history(), [])

    def test_without_its_state_it_does_not_go_on(self):
        self.prepare()
        self.live(counts((0, 1)))
        self.state.rename(self.folder / "kept")
        self.refuses(counts((1, 2)), 5, ["clinic:1 is in use", "is gone"])
        shutil.rmtree(self.state)
        (self.folder / "kept").rename(self.state)
        self.live(counts((1, 2)))
        self.assertEqual(len(self.rows()), 2)

    def test_an_older_copy_of_the_state_would_ask_twice(self):
        self.prepare()
        self.live(counts((0, 1)))
        shutil.copytree(self.state, self.folder / "backup")
        before = self.out.read_bytes()
        self.live(counts((1, 2)))
        after = self.out.read_bytes()
        self.state.rename(self.folder / "latest")
        shutil.copytree(self.folder / "backup", self.state)
        for content in (after, before):  # with the output of today, and with that of then
            self.out.write_bytes(content)
            self.refuses(counts((1, 9)), 5, ["older than the ledger", "2 questions were asked, it knows of 1"])
        self.out.write_bytes(after)
        shutil.rmtree(self.state)
        (self.folder / "latest").rename(self.state)
        self.live(counts((2, 3)))
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2", "3"])

    def test_a_ledger_that_is_behind_is_brought_up_to_date_or_refused(self):
        self.prepare()
        self.live(counts((0, 1)))
        shutil.copy(self.ledger, self.folder / "old.db")
        self.live(counts((1, 2)))
        shutil.copy(self.folder / "old.db", self.ledger)
        # The state knows of more uses than the ledger: they are written down again, and none is asked twice.
        self.live(counts((2, 3)))
        self.assertEqual(self.asked(), 3)
        # It is further behind than a crash could leave it: perhaps somebody else continues from it.
        shutil.copy(self.ledger, self.folder / "latest.db")
        shutil.copy(self.folder / "old.db", self.ledger)
        self.refuses(counts((3, 4)), 5, "clinic:1")
        shutil.copy(self.folder / "latest.db", self.ledger)
        # A ledger from before the debit has never heard of it.
        self.ledger.unlink()
        beside = self.folder / "ledger.db.live"
        beside.rename(self.folder / "aside")  # else not even a dataset is created beside it
        self.budget()
        (self.folder / "aside").rename(beside)
        self.refuses(counts((3, 4)), 5, "it does not have the debit clinic:1")

    def test_a_release_whose_folder_is_lost_can_still_be_ended(self):
        self.prepare()
        self.live(counts((0, 1)))
        whole = self.out.read_bytes()
        shutil.rmtree(self.state)
        self.assert_fails(5, "ledger.db.live", *self.words("status", str(self.job)))
        text = self.assert_succeeds(*self.words("close", str(self.job)))
        self.assertEqual(text, "release   cases: closed\ndebit     clinic:1\nquestions 1 of 12 asked\n")
        self.assertEqual([debit["state"] for debit in self.history()], ["released"])
        self.assertEqual(self.out.read_bytes(), whole)
        self.refuses(counts((1, 2)), 2, "--yes")

    def test_sums_of_counts_are_deleted_whatever_else_is_lost(self):
        for damage in ("opening.json", "job.json", "state.*"):
            with self.subTest(damage):
                self.prepare(TOTALS, {"live": {"name": damage[:3]}, "output": {"csv": f"{damage[:3]}.csv"}})
                self.state = self.folder / "ledger.db.live" / "clinic" / damage[:3]
                for week in range(3):
                    self.live(counts((week, 7)))
                self.assertTrue(all(self.remembered()))
                for path in self.state.glob(damage):
                    path.write_bytes(path.read_bytes()[:-1])
                self.assert_json(*self.words("close", str(self.job)))
                self.assertEqual(self.history()[-1]["state"], "released")
                if damage == "state.*":
                    self.assertEqual([path.read_bytes() for path in self.state.glob(damage)], [b"CVLIVE01"] * 2)
                    (self.state / "state.0").unlink(), (self.state / "state.1").unlink()
                else:
                    self.assertEqual(self.remembered(), [0, 0])

    def test_damaged_state_files(self):
        self.prepare()
        for week in range(3):
            self.live(counts((week, week)))
        newest, oldest = sorted((self.state / "state.0", self.state / "state.1"),
                                key=lambda path: int.from_bytes(path.read_bytes()[8:16], "little"), reverse=True)
        kept = newest.read_bytes()
        # The older of the two is of no importance.
        oldest.write_bytes(b"\x00" * 100)
        self.live("")
        # Without the newer, the release would go back in time.
        oldest.write_bytes(b"")
        newest.write_bytes(kept[:60] + b"?" + kept[61:])
        self.refuses(counts((3, 3)), 5, "damaged")
        newest.write_bytes(kept)
        self.live(counts((3, 3)))
        for path in (newest, oldest):
            path.write_bytes(path.read_bytes()[:-1])
        self.refuses(counts((4, 4)), 5, "damaged")

    def test_a_damaged_opening_is_named(self):
        self.prepare()
        self.live(counts((0, 1)))
        for name in ("job.json", "opening.json"):
            kept = (self.state / name).read_bytes()
            for damage in (b"", b"{", b"[1]", kept[:-20]):
                (self.state / name).write_bytes(damage)
                self.refuses(counts((1, 1)), 5, name)
            (self.state / name).write_bytes(kept)
        self.live(counts((1, 1)))

    def test_a_moved_release_goes_on_with_its_ledger(self):
        self.prepare()
        self.live(counts((0, 1)))
        # Another folder of the same machine is another output file, so the paths must be the same where it goes on.
        other = self.folder / "moved"
        other.mkdir()
        for path in list(self.folder.glob("ledger.db*")):
            path.rename(other / path.name)
        self.ledger = other / "ledger.db"
        self.live(counts((1, 2)))
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2"])


class Breaking(LiveTest):
    def test_two_processes_at_once(self):
        self.prepare()
        process = self.follow()
        self.next_line(process)
        process.stdin.write(counts((0, 1)).encode())
        process.stdin.flush()
        self.next_line(process)
        self.refuses(counts((1, 2)), 2, "another process publishes this release now")
        self.assertEqual(self.standing()["steps"]["published"], 1)  # asking disturbs nobody
        done = run(*self.words("close", str(self.job)))
        self.assertEqual(done.returncode, 2, done.stderr)
        process.stdin.close()
        process.stdin = None
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0)
        self.live(counts((1, 2)))
        self.assertEqual(len(self.rows()), 2)

    def test_an_interrupt_says_what_was_spent(self):
        self.prepare()
        for number, week in ((signal.SIGTERM, 0), (signal.SIGINT, 1)):
            process = self.follow()
            self.next_line(process)
            process.stdin.write(counts((week, 5)).encode())
            process.stdin.flush()
            self.next_line(process)
            process.send_signal(number)
            _, errors = process.communicate(timeout=30)
            self.assertEqual(process.returncode, 130)
            self.assertIn(f"{week + 1} of 12 steps are published and {week + 1} of 12 questions asked", errors.decode())
        self.live(counts((2, 5)))
        self.assertEqual(len(self.rows()), 3)
        self.assertEqual(len(self.history()), 1)

    def test_a_listener_who_goes_away_loses_nothing(self):
        self.prepare()
        process = self.follow()
        self.next_line(process)
        process.stdout.close()
        process.stdout = None
        process.stdin.write(counts((0, 1), (1, 2)).encode())
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 5, errors)
        self.assertIn(b"everything published so far is in output.csv", errors)
        done = run(*self.words(str(self.job)), stdin=counts((0, 1), (1, 2), (2, 3)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2", "3"])
        self.assertEqual(self.asked(), 3)

    def test_no_standard_output_at_all(self):
        self.prepare()
        done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&-', PROGRAM, *self.words(str(self.job))], text=True,
                              capture_output=True, input=counts((0, 1)), timeout=60, check=False,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        self.assertEqual(done.returncode, 5, done.stderr)
        self.live(counts((0, 1)))
        self.assertEqual(len(self.rows()), 1)

    def test_a_file_that_may_not_grow(self):
        self.prepare({"slots": {"start": "2000-01-01", "end": "2020-01-01", "length": "1d"}, "output": {"json": None}})
        first = datetime.date(2000, 1, 1)
        text = "week,cases\n" + "".join(f"{first + datetime.timedelta(days=k)},{k}\n" for k in range(7000))
        self.live("")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        done = subprocess.run([PROGRAM, *self.words(str(self.job))], input=text, capture_output=True, text=True,
                              timeout=60, check=False, env=environment, restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        seen = done.stdout.splitlines()[1:]
        self.assertEqual([row["time"] for row in self.rows()][:len(seen)], [row.split(",")[0] for row in seen])
        again = run(*self.words(str(self.job)), stdin=text)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual([row["value"] for row in self.rows()], [str(k) for k in range(7000)])
        self.assertEqual(self.asked(), 7000)

    def small_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)], capture_output=True,
                               check=False) if shutil.which("mount") and os.geteuid() == 0 else None
        if mount is None or mount.returncode != 0:
            self.skipTest("no small disk can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=False)
        return disk

    def fill(self, disk):
        with (disk / "filler").open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass

    def test_a_full_disk_under_the_output(self):
        disk = self.small_disk()
        self.out = disk / "out.csv"
        days = {"slots": {"start": "2000-01-01", "end": "2004-01-01", "length": "1d"}}
        self.prepare(days, {"output": {"csv": "disk/out.csv", "json": None}})
        first = datetime.date(2000, 1, 1)
        text = "week,cases\n" + "".join(f"{first + datetime.timedelta(days=k)},{k}\n" for k in range(1000))
        self.live("week,cases\n2000-01-01,0\n")
        self.fill(disk)
        done = run(*self.words(str(self.job)), stdin=text)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("output.csv", done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)  # what is not in the file was not told either
        self.assertEqual(run(*self.words(str(self.job)), stdin=text).returncode, 5)
        (disk / "filler").unlink()
        done = run(*self.words(str(self.job)), stdin=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["value"] for row in self.rows()], [str(k) for k in range(1000)])
        self.assertEqual(self.asked(), 1000)

    def test_a_full_disk_under_the_ledger_and_the_state(self):
        disk = self.small_disk()
        self.ledger = disk / "ledger.db"
        self.prepare({"output": {"json": None}})
        self.live(counts((0, 1)))
        self.fill(disk)
        for _ in range(2):
            done = run(*self.words(str(self.job)), stdin=counts((0, 1), (1, 2)))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1), done.stderr)
            self.assertEqual(len(self.rows()), 1)
        (disk / "filler").unlink()
        done = run(*self.words(str(self.job)), stdin=counts((0, 1), (1, 2), (2, 3)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([value for _, value, _ in self.values()], ["1", "2", "3"])
        self.assertEqual(self.asked(), 3)
        self.assert_succeeds("budget", "verify", "--ledger", str(self.ledger))

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        self.prepare()
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.live(counts((0, 1)), code=5, says="cannot be")


if __name__ == "__main__":
    unittest.main()

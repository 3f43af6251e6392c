"""A ledger that is older than what lies beside it is refused, and what shows it is named; a copy of the one file is whole."""

import os
import shutil
import struct
import unittest

from jobs import JobTest
from live_jobs import LiveTest, counts
from program import run

HALF = '{"event":"pure","epsilon":0.5}'


class Beside:
    def keep(self):
        shutil.copy(self.ledger, self.folder / "older.db")

    def put_back(self, name="older.db"):
        for suffix in ("-wal", "-shm"):
            (self.folder / ("ledger.db" + suffix)).unlink(missing_ok=True)
        shutil.copy(self.folder / name, self.ledger)

    def assert_budget_refused(self, name, *words):
        self.assert_fails(5, ["the ledger is older than", name], "budget", *words, "--ledger", str(self.ledger))

    def assert_found(self, name, *words):
        done = run("budget", "verify", *words, "--ledger", str(self.ledger))
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        self.assertIn(name, done.stderr)

    def assert_holds(self):
        self.assertTrue(self.assert_json("budget", "verify", "--ledger", str(self.ledger))["holds"])


class StoredRelease(JobTest, Beside):
    release = "ledger.db.releases/city-1.json"

    def release_beside_an_older_ledger(self):
        self.create()
        self.keep()
        self.assert_succeeds(*self.words("run"))
        shutil.copy(self.ledger, self.folder / "latest.db")
        self.put_back()

    def test_is_held_against_the_ledger_of_before(self):
        self.release_beside_an_older_ledger()
        before = self.outputs()
        for command, flags in (("run", ("--yes",)), ("check", ())):
            self.assert_fails(5, ["the ledger is older than", self.release, "city:1"], *self.words(command, *flags))
        self.assertEqual(self.outputs(), before)
        self.assert_budget_refused(self.release, "debit", "city", HALF)
        self.assert_budget_refused(self.release, "sign", "city")
        for words in (("show", "city"), ("history", "city"), ("list",)):
            done = run("budget", *words, "--ledger", str(self.ledger))
            self.assertEqual(done.returncode, 0)
            self.assertIn("warning: the ledger is older than", done.stderr)
        self.assertEqual(run("budget", "history", "city", "--ledger", str(self.ledger)).stdout, "")
        self.assert_found(self.release)
        self.assert_found(self.release, "city")
        self.put_back("latest.db")
        self.assert_holds()
        self.assert_succeeds(*self.words("run", "--yes"))

    def test_is_held_against_a_ledger_that_has_another_debit_in_its_place(self):
        self.release_beside_an_older_ledger()
        (self.folder / self.release).rename(self.folder / "aside.json")
        self.assert_succeeds("budget", "debit", "city", HALF, "--ledger", str(self.ledger))
        self.assert_holds()
        (self.folder / "aside.json").rename(self.folder / self.release)
        self.assert_found(self.release)
        self.assert_fails(5, self.release, *self.words("run", "--yes"))

    def test_is_held_against_a_ledger_that_does_not_know_that_it_was_drawn(self):
        self.create()
        whole = (self.folder / "trips.csv").read_text(encoding="utf-8")
        self.write("trips.csv", whole + "c1,not a time,north\n")
        self.assert_fails(3, "the budget is reserved, not lost", *self.words("run"))
        self.keep()
        self.write("trips.csv", whole)
        self.assertEqual(run(*self.words("run")).returncode, 0)
        first = self.outputs()
        self.assert_succeeds("budget", "debit", "city", HALF, "--ledger", str(self.ledger))
        self.put_back()
        self.assert_found(self.release)
        self.assert_budget_refused(self.release, "debit", "city", HALF)
        for flags in ((), ("--yes",), ("--again", "city:1")):
            self.assert_fails(5, ["the ledger is older than", self.release], *self.words("run", *flags))
        self.assertEqual(self.outputs(), first)

    def test_is_held_against_a_new_ledger_and_a_new_dataset(self):
        self.release_beside_an_older_ledger()
        self.ledger.unlink()
        self.assert_budget_refused(self.release, "create", "city", "--epsilon", "8")
        self.assert_succeeds("budget", "create", "town", "--epsilon", "8", "--ledger", str(self.ledger))
        self.assert_found(self.release)
        self.assert_succeeds("budget", "verify", "town", "--ledger", str(self.ledger))

    def test_is_found_by_whatever_name_the_ledger_is_reached(self):
        self.create()
        self.keep()
        link = self.folder / "link.db"
        link.symlink_to(self.ledger)
        self.assert_succeeds("run", str(self.job), "--ledger", str(link))
        self.assertTrue((self.folder / self.release).exists())
        self.put_back()
        for path in (self.ledger, link):
            self.assert_fails(5, self.release, "budget", "debit", "city", HALF, "--ledger", str(path))

    def test_is_emitted_anew_by_whatever_name_the_ledger_is_reached(self):
        self.create()
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        link, folder = elsewhere / "link.db", self.folder / "folder"
        link.symlink_to(self.ledger)
        folder.symlink_to(self.folder)
        self.assert_succeeds("run", str(self.job), "--ledger", str(link))
        self.assertEqual(sorted(path.name for path in elsewhere.iterdir()), ["link.db"])
        out = (self.folder / "out.json").read_bytes()
        for path in (link, self.ledger, folder / "ledger.db", folder / "elsewhere" / "link.db"):
            (self.folder / "out.json").unlink()
            self.assert_succeeds("run", str(self.job), "--again", "city:1", "--yes", "--ledger", str(path))
            self.assertEqual((self.folder / "out.json").read_bytes(), out)

    def test_that_an_earlier_version_put_beside_a_link_is_still_found(self):
        self.create()
        self.keep()
        link = self.folder / "link.db"
        link.symlink_to(self.ledger)
        self.assert_succeeds(*self.words("run"))
        (self.folder / "ledger.db.releases").rename(self.folder / "link.db.releases")
        self.assert_succeeds("run", str(self.job), "--again", "city:1", "--yes", "--ledger", str(link))
        self.put_back()
        self.assert_fails(5, "link.db.releases/city-1.json", "budget", "debit", "city", HALF, "--ledger", str(link))

    def test_keeps_an_older_ledger_from_slots_uses_settling_backup_and_move(self):
        ledger = ("--ledger", str(self.ledger))
        self.create()
        self.assert_succeeds("budget", "debit", "city", "laplace", "--noise-multiplier", "20", "--count", "2", "--slots", *ledger)
        self.assert_succeeds("budget", "debit", "city", "laplace", "--noise-multiplier", "20", "--uses", "2", *ledger)
        self.keep()
        self.assert_succeeds(*self.words("run"))
        self.put_back()
        for words in (("slot", "city:1/0", "laplace", "--noise-multiplier", "20"), ("use", "city:2", "--first", "0"),
                      ("settle", "city:2", "--released"), ("backup", str(self.folder / "copy.db")),
                      ("move", str(self.folder / "there.db"))):
            self.assert_budget_refused("ledger.db.releases/city-3.json", *words)

    def test_is_a_plain_file_of_ours_and_nothing_else_is_waited_for(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        releases = self.folder / "ledger.db.releases"
        os.mkfifo(releases / "city-7.json")
        (releases / "city-8.json").symlink_to("/dev/zero")
        (releases / "notes-2026.json").write_text('{"seen": ["by me"]}', encoding="utf-8")
        (releases / "not a name-3.json").write_text("{", encoding="utf-8")
        with open(releases / "city-1.json", "r+b") as file:  # a hole of 64 GiB
            file.truncate(1 << 36)
        trash = self.folder / "ledger.db.training" / ".trash" / "x"
        trash.mkdir(parents=True)
        (trash / "model-7").write_bytes(b"")
        checkpoint = self.folder / "ledger.db.training" / "city" / "0123456789abcdef"
        checkpoint.mkdir(parents=True)
        os.mkfifo(checkpoint / "checkpoint")
        live = self.folder / "ledger.db.live" / "city" / "cases"
        live.mkdir(parents=True)
        os.mkfifo(live / "state.0")
        self.assert_holds()
        self.assert_succeeds("budget", "debit", "city", "laplace", "--noise-multiplier", "20", "--ledger", str(self.ledger))

    def test_lies_where_not_everybody_may_write(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        (self.folder / "ledger.db.releases").chmod(0o777)
        self.assert_fails(5, "may be written by everybody", *self.words("run", "--yes"))
        self.assertEqual(len(self.debits()), 1)

    def test_that_cannot_be_read_still_has_a_name(self):
        self.release_beside_an_older_ledger()
        (self.folder / self.release).write_text('{"debit": {"id": "ci', encoding="utf-8")
        self.assert_found(self.release)
        self.put_back("latest.db")
        self.assert_holds()

    def test_does_not_stand_in_the_way_of_a_move_or_a_restored_backup(self):
        self.create()
        self.assert_succeeds(*self.words("run"))
        backup, there = str(self.folder / "backup.db"), str(self.folder / "there.db")
        self.assert_succeeds("budget", "backup", backup, "--ledger", str(self.ledger))
        self.ledger.unlink()
        self.assert_succeeds("budget", "restore", backup, "--ledger", str(self.ledger))
        self.assert_holds()
        self.assert_succeeds(*self.words("run", "--yes"))
        self.assert_succeeds("budget", "move", there, "--ledger", str(self.ledger))
        self.assert_holds()
        self.assertTrue(self.assert_json("budget", "verify", "--ledger", there)["holds"])


class Training(JobTest, Beside):
    def test_is_held_against_a_ledger_without_its_debit(self):
        self.create()
        folder = self.folder / "ledger.db.training" / "city" / "0123456789abcdef"
        folder.mkdir(parents=True)
        name = b"city:7"
        (folder / "checkpoint").write_bytes(b"chronoveil checkpoint 1\n" + struct.pack("<Q", len(name)) + name + b"...")
        self.assert_found("0123456789abcdef/checkpoint")
        self.assert_fails(5, "0123456789abcdef/checkpoint", *self.words("run"))
        (folder / "checkpoint").unlink()
        self.assert_holds()
        (folder / "model-7").write_bytes(b"")
        self.assert_found("0123456789abcdef/model-7")
        (folder / "model-7").unlink()
        (folder / "model-1").write_bytes(b"")
        uses = ("budget", "debit", "city", HALF, "--uses", "9", "--ledger", str(self.ledger))
        self.assert_fails(5, "0123456789abcdef/model-1", *uses)
        (folder / "model-1").unlink()
        self.assert_succeeds(*uses, "--mechanism", "gru [job 0123456789abcdef]")
        (folder / "model-1").write_bytes(b"")
        self.assert_found("0123456789abcdef/model-1")  # which took at least one step
        (folder / "model-1").unlink()
        self.assert_succeeds("budget", "use", "city:1", "--first", "0", "--count", "3", "--ledger", str(self.ledger))
        (folder / "model-1").write_bytes(b"")
        self.assert_holds()
        (folder / "model-1.json").write_text('{"uses": 4}', encoding="utf-8")
        self.assert_found("0123456789abcdef/model-1")
        for text in ('{"uses": 3}', '{"uses": "many"}', "{}", "[]", "{"):
            (folder / "model-1.json").write_text(text, encoding="utf-8")
            self.assert_holds()

    def test_is_held_against_a_ledger_that_knows_of_fewer_steps(self):
        ledger = ("--ledger", str(self.ledger))
        self.create()
        self.assert_succeeds("budget", "debit", "city", HALF, "--uses", "9", *ledger, "--mechanism",
                             "gru [job 0123456789abcdef]")
        self.assert_succeeds("budget", "use", "city:1", "--first", "0", "--count", "4", *ledger)
        self.keep()
        self.assert_succeeds("budget", "use", "city:1", "--first", "4", "--count", "1", *ledger)
        folder = self.folder / "ledger.db.training" / "city" / "0123456789abcdef"
        folder.mkdir(parents=True)
        blocks = b"".join(struct.pack("<Q", len(block)) + block for block in (b"city:1", b"5", b"..."))
        (folder / "checkpoint").write_bytes(b"chronoveil checkpoint 2\n" + blocks)
        self.assert_holds()
        self.put_back()
        self.assert_found("0123456789abcdef/checkpoint")
        self.assert_budget_refused("0123456789abcdef/checkpoint", "use", "city:1", "--first", "4")

    def test_that_is_damaged_counts_as_one_that_the_ledger_does_not_have(self):
        self.create()
        folder = self.folder / "ledger.db.training" / "city" / "0123456789abcdef"
        folder.mkdir(parents=True)
        name = struct.pack("<Q", 6)
        for damaged in (b"", b"bhronoveil checkpoint 1\n" + name + b"city:1...", b"chronoveil checkpoint 1\n" + name + b"citx:1",
                        b"chronoveil checkpoint 1\n" + name + b"ci"):
            (folder / "checkpoint").write_bytes(damaged)
            says = "0123456789abcdef/checkpoint', which is damaged or cannot be read"
            self.assert_found(says)
            for words in (("debit", "city", HALF), ("backup", str(self.folder / "backup.db"))):
                self.assert_fails(5, says, "budget", *words, "--ledger", str(self.ledger))
        (folder / "checkpoint").unlink()
        self.assert_holds()


class LiveRelease(LiveTest, Beside):
    def test_is_held_against_the_ledger_of_before(self):
        self.prepare()
        self.keep()
        self.live(counts((0, 5), (1, 6), (2, 7)))
        shutil.copy(self.ledger, self.folder / "latest.db")
        self.put_back()
        self.assert_found("ledger.db.live/clinic/cases")
        self.assert_budget_refused("ledger.db.live/clinic/cases", "debit", "clinic", HALF)
        self.live("", code=5, says="ledger.db.live/clinic/cases")
        self.put_back("latest.db")
        self.assert_holds()
        self.live(counts((3, 8)))

    def test_is_held_against_a_ledger_that_knows_of_fewer_answers(self):
        self.prepare()
        self.live(counts((0, 5), (1, 6)))
        self.keep()
        for step in (2, 3, 4):  # one alone may have been cut off by a crash
            self.live(counts((step, 7)))
        shutil.copy(self.ledger, self.folder / "latest.db")
        self.put_back()
        self.assert_found("ledger.db.live/clinic/cases")
        self.assert_budget_refused("ledger.db.live/clinic/cases", "debit", "clinic", HALF)
        self.live("", code=5, says="ledger.db.live/clinic/cases")
        self.put_back("latest.db")
        self.assert_holds()
        self.live(counts((5, 8)))

    def test_that_is_damaged_counts_as_one_that_the_ledger_does_not_have(self):
        def empty(path):
            path.write_bytes(b"")

        def one_bit(path):
            content = bytearray(path.read_bytes())
            content[60] ^= 1
            path.write_bytes(content)

        def no_file(path):
            path.unlink()
            path.mkdir()

        def endless(path):
            path.unlink()
            path.symlink_to(path.name)

        self.prepare()
        self.keep()
        self.live(counts((0, 5), (1, 6)))
        self.put_back()
        says = "ledger.db.live/clinic/cases', which is damaged or cannot be read"
        kept = {path: path.read_bytes() for path in self.state.glob("state.*")}
        for damage in (empty, one_bit, no_file, endless, os.unlink):
            for path in kept:
                damage(path)
            with self.subTest(damage):
                self.assert_found(says)
                self.assert_fails(5, says, "budget", "debit", "clinic", HALF, "--ledger", str(self.ledger))
                self.live(counts((2, 7)), "--yes", code=5, says=says)
            for path, content in kept.items():
                if path.is_dir():
                    path.rmdir()
                path.unlink(missing_ok=True)
                path.write_bytes(content)
        # A kill may leave it so before there is an opening, and so before there is a debit.
        (self.state / "opening.json").unlink()
        for path in kept:
            empty(path)
        self.assert_holds()

    def test_is_not_looked_for_where_no_release_can_lie(self):
        self.prepare()
        self.live(counts((0, 5)))
        (self.state.parent / "lost+found").symlink_to(self.folder / "not mounted")
        self.assert_holds()
        self.live(counts((1, 5)))

    # What a running process has debited is in the one file, so that a copy of it does not lose the debit.
    def test_has_its_debit_in_the_one_file_while_it_runs(self):
        self.prepare()
        process = self.follow()
        process.stdin.write(counts((0, 5), (1, 6), (2, 7)).encode())
        process.stdin.flush()
        for _ in range(2):  # the head, and the first step
            self.next_line(process)
        shutil.copy(self.ledger, self.folder / "copy.db")
        copied = self.assert_json("budget", "history", "clinic", "--ledger", str(self.folder / "copy.db"))["debits"]
        self.assertEqual([(debit["id"], debit["state"]) for debit in copied], [("clinic:1", "reserved")])
        self.assertGreater(copied[0]["uses"]["used"], 0)


if __name__ == "__main__":
    unittest.main()

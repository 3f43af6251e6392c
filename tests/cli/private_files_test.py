"""What is left behind by the program, and who may read it: files, folders, core dumps."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest

from jobs import HEADER, JOB, ROWS, JobTest, run
from live_jobs import VISITS, WEEKS, LiveTest, visits
from perturb_jobs import PerturbTest
from program import PROGRAM, without_spent

PUBLISHED = {"out.csv", "out_totals.csv", "out.json", "out.html"}  # what a guarantee covers, for everybody


class OpenToAll:
    """Under a umask that takes nothing away, modes are what the program asked for."""

    def modes(self, given):
        """Of every file and folder that is not in `given`."""
        return {path.relative_to(self.folder): path.stat().st_mode & 0o777
                for path in self.folder.rglob("*") if path not in given}

    def assert_private(self, given, published=PUBLISHED):
        modes = self.modes(given)
        for path, mode in modes.items():
            folder = (self.folder / path).is_dir()
            expected = 0o700 if folder else 0o644 if path.name in published and len(path.parts) == 1 else 0o600
            self.assertEqual(oct(mode), oct(expected), path)
        return {str(path) for path in modes}

    def done(self, *words, **options):
        done = run(*words, umask=0, **options)
        self.assertEqual(done.returncode, 0, (words, done.stderr))


class Modes(OpenToAll, JobTest):
    def test_of_a_job(self):
        self.ledger = self.folder / "kept" / "here" / "ledger.db"
        given = set(self.folder.iterdir()) | {self.folder / "seeded.toml", self.folder / "replayed.toml"}
        ledger = ("--ledger", str(self.ledger))
        for name in ("seeded", "replayed"):
            self.write(f"{name}.toml", JOB.replace("out.", f"{name}."))
        noise = self.write("noise.txt", "0\n" * 200)
        given.add(noise)
        self.done("budget", "create", "city", "--epsilon", "8", "--delta", "1e-4", *ledger)
        self.done("run", str(self.job), *ledger)
        self.done("run", str(self.job), "--again", "city:1", *ledger)
        self.done("run", str(self.folder / "seeded.toml"), "--seed", "1")
        self.done("run", str(self.folder / "replayed.toml"), "--noise-from", str(noise))
        self.done("check", str(self.job), *ledger)
        self.done("budget", "backup", str(self.folder / "copy.db"), *ledger)
        self.done("evaluate", str(self.job), "--release", str(self.folder / "out.json"), "--report",
                  str(self.folder / "internal.html"))
        left = self.assert_private(given)
        for name in ("kept/here/ledger.db", "kept/here/ledger.db.releases/city-1.json", "seeded.csv", "seeded.json",
                     "seeded.html", "replayed.csv", "internal.html", *PUBLISHED):
            self.assertIn(name, left)

    def test_a_rehearsal_over_something_public_is_private(self):
        self.done("run", str(self.job), "--seed", "1")
        (self.folder / "out.csv").chmod(0o644)
        self.done("run", str(self.job), "--seed", "2")
        self.assertEqual((self.folder / "out.csv").stat().st_mode & 0o777, 0o600)


class PerturbModes(OpenToAll, PerturbTest):
    def test_of_a_series_that_moves(self):
        given = set(self.folder.iterdir()) | {self.folder / "job.toml"}
        self.create()
        for path in self.folder.glob("ledger.db*"):  # made before, under the umask of the test
            path.chmod(0o600)
        self.done(*self.job(('report = "out.html"', 'report = "out.html"\ninternal = "internal.html"')))
        left = self.assert_private(given)
        self.assertIn("internal.html", left)
        for path in (*self.folder.glob("out.*"), self.folder / "internal.html"):
            path.unlink()
        self.done(*self.job(flags=("--seed", "3")))
        self.assert_private(given, published=())


class LiveModes(OpenToAll, LiveTest):
    def test_of_a_live_release_of_people(self):
        self.prepare(VISITS)
        given = {self.job}
        for path in self.folder.glob("ledger.db*"):
            path.chmod(0o600)
        process = subprocess.Popen([PROGRAM, *self.words(str(self.job), "--until", WEEKS[2])], umask=0,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.communicate(visits((0, "ann"), (1, "ben")).encode(), timeout=60)
        self.assertEqual(process.returncode, 0)
        left = self.assert_private(given)
        for name in ("people.1.db", "state.0", "state.1", "job.json", "opening.json", "lock"):
            self.assertIn(f"ledger.db.live/clinic/cases/{name}", left)

    def test_of_a_rehearsal(self):
        self.prepare(VISITS)
        given = {self.job, *self.folder.glob("ledger.db*")}
        for _ in range(2):
            self.done(*self.words(str(self.job), "--seed", "1", "--until", WEEKS[2]),
                      stdin=visits((0, "ann"), (1, "ben")))
            self.assertIn("out.csv", self.assert_private(given, published=()))
            self.out.chmod(0o644)  # as an older version left it


class Memory(JobTest):
    """Of a run that waits for data, after its debit."""

    def end(self, process):
        if process.returncode is None:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()

    def waiting(self, **options):
        self.create()
        (self.folder / "trips.csv").unlink()
        os.mkfifo(self.folder / "trips.csv")
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        process = subprocess.Popen([PROGRAM, *self.words("run")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=environment, cwd=self.folder, **options)
        self.addCleanup(self.end, process)
        self.pipe = open(self.folder / "trips.csv", "w", encoding="utf-8")
        self.addCleanup(self.pipe.close)
        self.pipe.write(HEADER + ROWS)
        self.pipe.flush()
        self.wait_for_debit(process)
        return process

    def test_a_crash_leaves_no_core_dump(self):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]

        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
            signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # a shell lets its background jobs ignore it

        process = self.waiting(preexec_fn=prepare)
        with open(f"/proc/{process.pid}/limits", encoding="utf-8") as limits:
            self.assertRegex(limits.read(), r"Max core file size +0 +0 ")
        process.send_signal(signal.SIGQUIT)
        _, status = os.waitpid(process.pid, 0)
        process.returncode = -signal.SIGQUIT
        self.assertEqual((os.WTERMSIG(status), os.WCOREDUMP(status)), (signal.SIGQUIT, False))
        self.assertEqual(self.outputs(), [])

    @unittest.skipIf(resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] < 65536, "nothing may be locked here")
    def test_the_key_of_the_noise_is_locked_in_memory(self):
        process = self.waiting()
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
            locked = next(line for line in status if line.startswith("VmLck:"))
        self.assertGreater(int(locked.split()[1]), 0, locked)

    @unittest.skipIf(resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] < 65536, "nothing may be locked here")
    def test_the_key_that_signs_is_locked_in_memory(self):
        self.assert_succeeds("key", "create", str(self.folder / "owner"))
        self.create()
        holder = sqlite3.connect(self.ledger, isolation_level=None)
        self.addCleanup(holder.close)
        holder.execute("BEGIN IMMEDIATE")
        words = ("budget", "settle", "city:1", "--released", "--ledger", str(self.ledger))
        for key, locked in ((None, False), (self.folder / "owner.key", True)):
            environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
            if key:
                environment["CHRONOVEIL_KEY"] = str(key)
            process = subprocess.Popen([PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env=environment)
            self.addCleanup(self.end, process)
            self.assertIn("waiting for the ledger", process.stderr.readline())  # after some seconds
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                line = next(line for line in status if line.startswith("VmLck:"))
            self.assertEqual(int(line.split()[1]) > 0, locked, line)

    @unittest.skipUnless(os.geteuid() == 0, "every other test shows it")
    def test_somebody_without_rights_gets_outputs_all_the_same(self):
        """A file without a name gets one through /proc, which is not ours while nobody may look into the process."""
        self.create()
        program = shutil.copy(PROGRAM, self.folder)
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, 65534, 65534)
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        for again in ((), ("--again", "city:1")):  # the second replaces what is there
            done = subprocess.run([program, *self.words("run"), *again], user=65534, group=65534, extra_groups=[],
                                  capture_output=True, text=True, env=environment, timeout=60, check=False)
            self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""))
        self.assertEqual(self.outputs(), [os.path.basename(program), "out.csv", "out.html", "out.json",
                                          "out_totals.csv"])

    def test_a_terminal_that_goes_away_ends_it_like_any_other_wish(self):
        process = self.waiting()
        process.send_signal(signal.SIGHUP)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertEqual(err, "chronoveil: interrupted; the debit city:1 is reserved; run the same job again to use it "
                              "at no further cost\n")
        self.assertEqual((self.debits(), self.outputs()), ([("city:1", "reserved")], []))

    def test_the_end_of_the_processor_time_is_told_with_the_debit(self):
        process = self.waiting()
        process.send_signal(signal.SIGXCPU)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, ""))
        self.assertRegex(err, r"\Achronoveil: interrupted; the debit city:1 is reserved; [^\n]+\n\Z")

    def test_whoever_ignores_that_goes_on(self):
        process = self.waiting(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        self.pipe.close()  # the end of the data
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, err), (0, ""), out)
        self.assertEqual(self.debits(), [("city:1", "released")])


if __name__ == "__main__":
    unittest.main()

"""Requests that would take for ever, hang, or end the program without a word: it answers, or says why not."""

import json
import os
import resource
import sqlite3
import subprocess
import unittest

from budget_test import Rows
from jobs import JobTest
from program import PROGRAM, run

# Of kinds that do not combine, no two alike: composing them takes minutes.
MANY = {"event": "compose", "events": [
    event for n in range(600) for event in (
        {"event": "laplace", "noise_multiplier": 50 + n / 7},
        {"event": "exponential", "epsilon": 0.001 + n * 1e-6},
        {"event": "dp_sgd", "rate": 0.01 + n * 1e-5, "noise_multiplier": 2},
        {"event": "time_subsampling", "participation": 3, "rate": 0.1 + n * 1e-4, "noise_multiplier": 8},
        {"event": "discrete_laplace", "scale": 60 + n / 7, "sensitivity": 1})]}
NARROW, WIDE = (("staswitch", "--window", window, "--stay", "0.5") for window in ("20", "100"))


class Patience(JobTest):
    def test_a_question_that_takes_too_long_is_given_up(self):
        path = str(self.write("many.json", json.dumps(MANY)))
        open_noise = self.write("open.json", json.dumps({**MANY, "events": [*MANY["events"], {"event": "laplace"}]}))
        for words in (("account", "@" + path, "--delta", "1e-6"), ("account", *NARROW, "--epsilon", "1"),
                      ("account", "@" + path, "--epsilon", "1", "--delta", "1e-6", "--max-count"),
                      ("calibrate", "@" + str(open_noise), "--epsilon", "9", "--delta", "1e-6")):
            self.assert_fails(6, ["takes longer than 0.05 s", "--patience"], *words, "--patience", "0.05")
        self.assert_fails(2, "--patience", "account", "gaussian", "--noise-multiplier", "1", "--delta", "1e-6",
                          "--patience", "0")

    def test_on_a_terminal_one_sees_that_it_is_still_pricing(self):
        """Until then the program waits; what is quick says nothing."""
        path = str(self.write("many.json", json.dumps(MANY)))
        for words, shows in (((path, "--patience", "600"), True), ((path, "--patience", "0.05"), False)):
            terminal, end = os.openpty()
            process = subprocess.Popen([PROGRAM, "account", "@" + words[0], "--delta", "1e-6", *words[1:]],
                                       stdout=subprocess.DEVNULL, stderr=end)
            os.close(end)
            seen = b""
            try:
                while b"pricing ... 3 s" not in seen:
                    seen += os.read(terminal, 4096)
            except OSError:  # the program has ended, and the terminal with it
                pass
            process.kill()
            process.wait()
            os.close(terminal)
            self.assertEqual(b"pricing ... 2 s" in seen, shows, seen)

    def test_whoever_does_not_ask_for_more_is_answered_within_seconds(self):
        parts = [{"event": "laplace", "noise_multiplier": 50 + n / 7} for n in range(3000)]
        path = self.write("parts.json", json.dumps({"event": "compose", "events": parts}))
        done = run("account", f"@{path}", "--delta", "1e-6")
        self.assertEqual((done.returncode, done.stdout), (6, ""))
        self.assertIn("takes longer than 4.5 s", done.stderr)

    def test_a_wide_window_is_bounded_at_once_and_measured_only_with_patience(self):
        for words in (("account", *WIDE, "--epsilon", "1"), ("calibrate", *WIDE, "--epsilon", "8", "--delta", "0.9")):
            told = self.assert_json(*words)
            self.assertEqual((told["certificate"], told["measured"]), ("upper bound", False), told)
            self.assertIn("\nNot measured: --patience 60", self.assert_succeeds(*words))

    def test_what_is_quick_needs_no_patience(self):
        quick = self.assert_json("account", "gaussian", "--noise-multiplier", "2", "--delta", "1e-6", "--patience", "1e9")
        self.assertEqual(quick["certificate"], "exact")

    def test_show_composes_only_on_request_and_gives_up_alone(self):
        """With a thousand debits of different events; written as rows, since each debit by itself is a process."""
        self.create("--epsilon", "1000", "--delta", "1e-5")
        shown = ("budget", "show", "city", "--ledger", str(self.ledger))
        run("budget", "debit", "city", json.dumps(MANY["events"][0]), "--ledger", str(self.ledger))
        rows = Rows(self.ledger)
        create, debit = rows.read()
        body = json.loads(debit[5])
        bodies = [json.dumps(dict(body, event=event), separators=(",", ":"), sort_keys=True)
                  for event in MANY["events"][:1000]]
        rows.write([create, *((*debit[:5], text, *debit[6:]) for text in bodies)])
        plain = self.assert_json(*shown)
        self.assertEqual((plain["debits"], "composed" in plain), (1000, False))
        self.assertNotIn("composed", self.assert_succeeds(*shown))
        asked = self.assert_json(*shown, "--composed", "--patience", "0.05")
        self.assertIn("takes longer than 0.05 s", asked.pop("composed")["reason"])
        self.assertEqual(asked, plain)
        self.assertIn("  composed      none (composing: ",
                      self.assert_succeeds(*shown, "--composed", "--patience", "0.05"))


class Files(JobTest):
    def test_a_text_that_never_ends_is_refused(self):
        self.create()
        ledger = ("--ledger", str(self.ledger))
        for words in (("check", "/dev/zero", *ledger), ("account", "@/dev/zero", "--delta", "1e-6"),
                      ("budget", "create", "town", "--epsilon", "1", "--parts", "@/dev/zero", *ledger)):
            done = run(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn("at most 64 MiB", done.stderr)
        self.change(('list = "stops.txt"', 'list = "/dev/zero"'))
        self.assertIn("series.list: '/dev/zero' is too long", run(*self.words("run")).stderr)
        with open("/dev/zero", "rb") as zeros:
            done = subprocess.run([PROGRAM, "account", "-", "--delta", "1e-6"], stdin=zeros, capture_output=True,
                                  timeout=120, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(b"event: '-' is too long", done.stderr)
        self.assertEqual(self.debits(), [])

    def test_a_key_of_very_many_parts_is_refused(self):
        chain = ".".join(["a"] * 200_000)
        quoted = ".".join(['"a"'] * 200_000)
        for text in (f"[{chain}]\n", f"{chain} = 1\n", f"[[{chain}]]\n", f"x = {{{chain} = 1}}\n", f"{quoted} = 1\n",
                     f'x = {{y = """a"""", {chain} = 1}}\n', f"x = 'a' # '\n{chain} = 1\n"):
            self.job.write_text(text, encoding="utf-8")
            self.assert_fails(2, "a key has more than 100 parts", *self.words("check"))
        # Inside a text, or in the comment after it, the same is no key.
        for text in (f"'{chain}'", f'"\\"{chain}"', f'"""\n{chain}"""'):
            self.change(("[dataset]\n", f"[dataset]\npurpose = {text} # {chain}\n"))
            self.assertNotIn("100 parts", run(*self.words("plan")).stderr)

    def test_a_pipe_that_nobody_writes_is_not_waited_for_without_end(self):
        self.create()
        os.mkfifo(self.folder / "pipe")
        self.change(('list = "stops.txt"', 'list = "pipe"'))
        done = self.waiting(1, *self.words("run"))
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertIn("nobody writes to", done.stderr)

    @staticmethod
    def waiting(seconds, *words):
        environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LC_ALL": "C.UTF-8",
                       "CHRONOVEIL_WAIT": str(seconds)}
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, encoding="utf-8", env=environment,
                              timeout=120, check=False)

    def test_a_ledger_that_somebody_holds_is_waited_for_as_long_as_said(self):
        self.create()
        holder = sqlite3.connect(self.ledger, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        words = ("budget", "debit", "city", "pure", "--event-epsilon", "0.1", "--ledger", str(self.ledger))
        done = self.waiting(5, *words)
        self.assertEqual((done.returncode, done.stdout), (5, ""))
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, lines)
        self.assertIn("waiting for the ledger's dataset 'city'", lines[0])
        self.assertIn("CHRONOVEIL_WAIT", lines[1])
        for wrong in ("0", "-1", "soon", "1e3", ""):
            self.assertEqual(self.waiting(wrong, *words).returncode, 2, wrong)
        holder.execute("ROLLBACK")
        self.assertEqual(self.waiting(1, *words).returncode, 0)
        self.assertEqual(len(self.debits()), 1)

    def test_a_limit_on_the_size_of_files_is_an_error_that_is_told(self):
        self.create()
        for most in (0, 1, 100, 4096, 20_000, 60_000, 150_000):
            done = run(*self.words("run", "--yes"),
                       preexec_fn=lambda most=most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            self.assertIn(done.returncode, (0, 5), (most, done.stderr))
            self.assertEqual(done.stderr.count("\n"), 1 if done.returncode else 0, (most, done.stderr))
        self.assertEqual(done.returncode, 0, done.stderr)


class Clock(JobTest):
    """A budget that renews, whose clock is wrong or was."""

    PURE = ("pure", "--event-epsilon", "0.5")

    def setUp(self):
        super().setUp()
        self.create("--epsilon", "1", "--delta", "1e-5", "--renews", "month", "--filter", "sum")

    def budget(self, command, *arguments):
        return ("budget", command, *arguments, "--ledger", str(self.ledger))

    def date_all(self, time):
        """Every row as if written then."""
        def dated(_, body):
            if "period" in body:
                body["period"] = time[:7]
            return time, body
        Rows(self.ledger).edit(dated)

    def test_far_after_the_last_row_a_debit_needs_a_word(self):
        self.assert_succeeds(*self.budget("debit", "city", *self.PURE))
        self.date_all("2020-01-31T23:59:00.000Z")
        self.assert_fails(5, ["clock: it says ", "2020-01-31", "--clock-is-right"],
                          *self.budget("debit", "city", *self.PURE))
        self.change(("epsilon = 1.0", "epsilon = 0.5"))
        for command in ("check", "run"):
            self.assert_fails(5, ["clock: ", "--clock-is-right"], *self.words(command))
        self.assertIn("\n  clock         clock: it says ", self.assert_succeeds(*self.budget("show", "city")))
        # What became of a debit is always told, and moves no date.
        self.assert_succeeds(*self.budget("settle", "city:1", "--released"))
        last = "SELECT recorded_at FROM entries ORDER BY sequence DESC LIMIT 1"
        self.assertEqual(sqlite3.connect(self.ledger).execute(last).fetchone(), ("2020-01-31T23:59:00.000Z",))
        self.assert_succeeds(*self.words("check", "--clock-is-right"))
        self.assert_succeeds(*self.words("run", "--clock-is-right"))
        self.assertEqual(len(self.debits()), 2)
        self.assert_succeeds(*self.budget("debit", "city", *self.PURE))  # not far after the last row any more
        self.assertNotIn("clock", self.assert_json(*self.budget("show", "city")))

    def test_what_got_ahead_stays_in_its_period_and_says_so(self):
        self.assert_succeeds(*self.budget("debit", "city", *self.PURE))
        self.date_all("2096-05-01T00:00:00.000Z")
        shown = self.assert_json(*self.budget("show", "city"))
        self.assertEqual((shown["period"], shown["admitted"]["epsilon"]), ("2096-05", 0.5))
        self.assertIn("stays 2096-05 until the clock passes it", shown["clock"])
        self.assert_succeeds(*self.budget("debit", "city", *self.PURE))
        self.assert_fails(4, "in 2096-05", *self.budget("debit", "city", *self.PURE))
        self.assertTrue(self.assert_json(*self.budget("verify"))["holds"])


if __name__ == "__main__":
    unittest.main()

"""Runs the program from outside, as a user would."""

import json
import os
import pty
import re
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

PROGRAM = os.environ["CHRONOVEIL_PROGRAM"]


def run(*arguments, stdin="", **options):
    """The finished run: returncode, stdout, stderr. Neither the caller's home nor ledger is touched."""
    with tempfile.TemporaryDirectory(prefix="chronoveil-cli-") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}
        return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, encoding="utf-8",
                              env=environment, timeout=120, check=False, **options)


# What a command that debits says of it on stderr, where its output is on standard output.
SPENT = re.compile(r"^guarantee .*\n(?:(?:mechanism|cells|smoothed|rows|moves|noise|debit|budget|written) .*\n)+",
                   re.MULTILINE)


def without_spent(stderr):
    return SPENT.sub("", stderr)


class ProgramTest(unittest.TestCase):
    def assert_succeeds(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, without_spent(done.stderr)), (0, ""), arguments)
        return done.stdout

    def assert_json(self, *arguments, **options):
        """One JSON object, as strict readers take it: no NaN, no Infinity."""
        def refuse(constant):
            self.fail(f"{constant} is not JSON")
        return json.loads(self.assert_succeeds(*arguments, "--json", **options), parse_constant=refuse)

    def assert_fails(self, code, mentions, *arguments, **options):
        """The exit code, one line on stderr that names what is wrong, and nothing on stdout; with --json too."""
        for extra in ((), ("--json",)):
            done = run(*arguments, *extra, **options)
            self.assertEqual(done.returncode, code, (arguments, extra, done.stderr))
            self.assertEqual(done.stdout, "", (arguments, extra))
            self.assertEqual(done.stderr.count("\n"), 1, (arguments, done.stderr))
            self.assertTrue(done.stderr.startswith("chronoveil: "), (arguments, done.stderr))
            for mention in [mentions] if isinstance(mentions, str) else mentions:
                self.assertIn(mention, done.stderr, arguments)


class FolderTest(ProgramTest):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="chronoveil-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def on_terminal(self, words, answer=b""):
        """A run that has a terminal to ask, and what the terminal showed."""
        ours, theirs = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([PROGRAM, *words], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs,
                                   env=environment)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 4096):
                shown += piece
                if answer and b"[y/N]" in shown:
                    os.write(ours, answer)
                    answer = b""
        except OSError:  # the other end is closed
            pass
        process.communicate(timeout=60)
        os.close(ours)
        return process.returncode, shown.decode()

    def wait_for_debit(self, process, before=0):
        """Until a run whose input is a pipe has made one, after those before: then it waits for the pipe for good."""
        deadline = time.monotonic() + 60
        while len(self.debits()) == before:
            self.assertIsNone(process.poll(), "it ended before the debit")
            self.assertLess(time.monotonic(), deadline, "no debit came")
            time.sleep(0.02)
        time.sleep(0.3)  # the note for the interrupt follows the debit at once

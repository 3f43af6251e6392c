"""Runs the program from outside, as a user would."""

import json
import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["CHRONOVEIL_PROGRAM"]


def run(*arguments, stdin="", **options):
    """The finished run: returncode, stdout, stderr. Neither the caller's home nor ledger is touched."""
    with tempfile.TemporaryDirectory(prefix="chronoveil-cli-") as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "LC_ALL": "C.UTF-8", "TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}
        return subprocess.run([PROGRAM, *arguments], input=stdin, capture_output=True, text=True, encoding="utf-8",
                              env=environment, timeout=120, check=False, **options)


class ProgramTest(unittest.TestCase):
    def assert_succeeds(self, *arguments, **options):
        done = run(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
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

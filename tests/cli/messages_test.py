"""What the program says on stderr to another program: with CHRONOVEIL_MESSAGES=json an object a line."""

import json
import os
import subprocess
import unittest

from jobs import JobTest
from program import PROGRAM, run


class Messages(JobTest):

    def said(self, *words):
        """The exit code and the objects."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "CHRONOVEIL_MESSAGES": "json"}
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, encoding="utf-8", env=environment,
                              timeout=120, check=False)
        return done.returncode, [json.loads(line) for line in done.stderr.splitlines()]

    def test_an_error_names_its_parts_with_keys_in_backticks(self):
        self.change(("epsilon = 1.0", "epsilon = -1.0"))
        words = self.words("run")
        code, (message,) = self.said(*words)
        error = message["error"]
        self.assertEqual((code, error["kind"], error["parameter"], error["value"]), (2, 2, "privacy.epsilon", "-1"))
        self.assertIn("greater than 0", error["valid"])
        self.assertIn("`privacy.epsilon`: -1", error["text"])
        self.assertEqual(error["text"].replace("`", ""), run(*words).stderr.removeprefix("chronoveil: ").strip())

    def test_an_option_is_called_by_its_name(self):
        code, (message,) = self.said("budget", "create", "city", "--epsilon", "1", "--relation", "swap", "--ledger",
                                     str(self.ledger))
        self.assertEqual((code, message["error"]["parameter"]), (2, "--window"))

    def test_progress_and_notes_are_told(self):
        code, told = self.said(*self.words("run", "--seed", "3"))
        self.assertEqual(code, 0)
        self.assertIn("reading ...", [one["progress"] for one in told if "progress" in one])
        self.assertEqual([one["note"] for one in told if "note" in one], ["seeded: not private"])


if __name__ == "__main__":
    unittest.main()

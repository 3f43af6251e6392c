"""The full-size run finds the suites that have one, sets the switch for them, and fails when one of them does."""

import io
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import torture  # noqa: E402


class Torture(unittest.TestCase):
    def test_our_own_suites_are_found(self):
        found = {path.name: command for path, command in torture.suites()}
        self.assertIn("rot_test.cc", found)
        self.assertTrue(any(name.endswith(".py") for name in found), found)
        for name, command in found.items():
            self.assertNotIn("--gtest_filter=", command, name)  # it would run nothing

    def run_planted(self, text, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            suite = Path(folder) / "tests/cli/planted_test.py"
            suite.parent.mkdir(parents=True)
            suite.write_text(text, encoding="utf-8")
            with mock.patch.object(torture, "ROOT", Path(folder)), redirect_stdout(io.StringIO()) as printed:
                return torture.main(list(arguments)), printed.getvalue()

    def test_a_suite_runs_with_the_switch_set(self):
        code, printed = self.run_planted("import os\nassert os.environ['CHRONOVEIL_TORTURE'] == '1'\n")
        self.assertEqual(code, 0, printed)
        self.assertIn("planted_test.py: ok", printed)

    def test_a_suite_that_fails_is_told(self):
        code, printed = self.run_planted("raise SystemExit('CHRONOVEIL_TORTURE')\n")
        self.assertEqual(code, 1)
        self.assertIn("planted_test.py: FAILED", printed)

    def test_a_suite_without_the_switch_is_left_to_make_test(self):
        self.assertEqual(self.run_planted("raise SystemExit(1)\n", "--list"), (0, ""))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Misuse must not compile: every *.cc here is compiled alone and must do what its first lines say.

  // layer: MODULE        compiled with only the headers that the layer table lets MODULE include;
                          public: with only those that are installed
  // expect-error: REGEX  the compiler must refuse it, with this among its errors
  // expect-success       a control: the same use made properly, so that a case cannot fail for a silly reason
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

COMPILER = os.environ.get("CHRONOVEIL_COMPILER", "g++")


def directive(text, name):
    match = re.search(rf"^// {name}(?:: *(.*?))?$", text, re.MULTILINE)
    return match and (match.group(1) or True)


def compile_case(path, layer):
    """Whether it compiles, and what the compiler said."""
    with tempfile.TemporaryDirectory() as folder:
        include = [ROOT / "include", ROOT / "src"]
        if layer == "public":
            include = [ROOT / "include"]
        elif layer:
            include = [Path(folder)]
            check_layers.make_include_roots(ROOT, layer, include[0])
        command = [COMPILER, "-std=c++20", "-fsyntax-only", *(f"-I{path}" for path in include), str(path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"})
        return done.returncode == 0, done.stderr


class CompileFail(unittest.TestCase):
    pass


def make_test(path):
    def test(self):
        text = path.read_text(encoding="utf-8")
        expected = directive(text, "expect-error")
        self.assertNotEqual(bool(expected), bool(directive(text, "expect-success")),
                            "a case says either expect-error or expect-success")
        compiled, errors = compile_case(path, directive(text, "layer"))
        if not expected:
            self.assertTrue(compiled, errors)
            return
        self.assertFalse(compiled, "this must not compile")
        self.assertRegex(errors, rf"error: [^\n]*(?:{expected})")
        self.assertEqual(len(re.findall(r"error: ", errors)), 1, "it must fail for one reason only:\n" + errors)

    return test


for case in sorted(HERE.glob("*.cc")):
    setattr(CompileFail, "test_" + case.stem, make_test(case))

if __name__ == "__main__":
    unittest.main()

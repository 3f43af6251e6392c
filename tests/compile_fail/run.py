#!/usr/bin/env python3
"""Misuse must not compile: every *.cc here is compiled and must do what its first lines say.

  // layer: MODULE        compiled with only the headers that the layer table lets MODULE include;
                          public: with only those that are installed
  // expect-error: REGEX  the compiler must refuse it, with this among its errors
  // expect-success       a control: the same use made properly, so that a case cannot fail for a silly reason

Reading headers takes nearly all of the time. So the cases of a layer are compiled together first, each in a namespace of
its own; whatever does not do there what it says is compiled again, alone, and judged by that.
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
ERROR = re.compile(r"^(\S+?):(?:\d+:)* (?:fatal )?error: (.*)$", re.MULTILINE)


class Case:
    def __init__(self, path):
        self.path = path
        text = path.read_text(encoding="utf-8")
        self.layer = self.directive(text, "layer")
        self.error = self.directive(text, "expect-error")
        self.says_one_thing = bool(self.error) != bool(self.directive(text, "expect-success"))
        self.includes = re.findall(r"^#include .*$", text, re.MULTILINE)

    @staticmethod
    def directive(text, name):
        match = re.search(rf"^// {name}(?:: *(.*?))?$", text, re.MULTILINE)
        return match and (match.group(1) or True)

    def does_what_it_says(self, errors):
        """Given the messages of its errors: none for a control, else one, the expected one."""
        if not self.error:
            return not errors
        return len(errors) == 1 and re.search(self.error, errors[0]) is not None


def errors_of(source, layer):
    """[(file, message)] of what the compiler says against a source, and all of its words."""
    with tempfile.TemporaryDirectory() as folder:
        include = [ROOT / "include", ROOT / "src"]
        if layer == "public":
            include = [ROOT / "include"]
        elif layer:
            include = [Path(folder)]
            check_layers.make_include_roots(ROOT, layer, include[0])
        command = [COMPILER, "-std=c++20", "-fsyntax-only", *(f"-I{path}" for path in include), "-x", "c++", "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})
        errors = ERROR.findall(done.stderr)
        assert bool(errors) == (done.returncode != 0), done.stderr
        return errors, done.stderr


def settled_together(cases, layer):
    """Those of the cases of a layer that do what they say when they are compiled together. None if something else is
    wrong, such as a header that is not there: the compiler may then not have looked at all of them."""
    cases = [case for case in cases if not re.search("No such file", str(case.error))]
    lines = dict.fromkeys(line for case in cases for line in case.includes)
    lines = [*lines, *(f'namespace case_{i} {{\n#include "{case.path}"\n}}' for i, case in enumerate(cases))]
    errors, _ = errors_of("\n".join(lines) + "\n", layer)
    if not {file for file, _ in errors} <= {str(case.path) for case in cases}:
        return set()
    return {case for case in cases if case.does_what_it_says([said for file, said in errors if file == str(case.path)])}


class CompileFail(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.settled = set()
        for layer in {case.layer for case in CASES}:
            cls.settled |= settled_together([case for case in CASES if case.layer == layer], layer)


def make_test(case):
    def test(self):
        self.assertTrue(case.says_one_thing, "a case says either expect-error or expect-success")
        if case in self.settled:
            return
        errors, words = errors_of(f'#include "{case.path}"\n', case.layer)
        self.assertTrue(case.does_what_it_says([said for _, said in errors]),
                        f"expected: {case.error or 'no error'}; the compiler says:\n{words}")

    return test


CASES = [Case(path) for path in sorted(HERE.glob("*.cc"))]
for each in CASES:
    setattr(CompileFail, "test_" + each.path.stem, make_test(each))

if __name__ == "__main__":
    unittest.main()

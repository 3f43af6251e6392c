#!/usr/bin/env python3
"""Runs the suites that know CHRONOVEIL_TORTURE at full size: every damaged byte, killed call, cut message, generated case.
`make test` runs the same suites on a sample.

    tools/torture.py [--list] [WORD...]    only suites whose file has one of these words in its name
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("CHRONOVEIL_BUILD", ROOT / "build"))
SWITCH = "CHRONOVEIL_TORTURE"
KNOWS_IT = re.compile(SWITCH + r"|\b(?:in_torture\(|cases\(\d)")  # the latter by tests/support/thoroughness.h


def suites():
    """Test files that read the switch, with the command that runs each."""
    for path in sorted((*ROOT.glob("tests/**/*_test.cc"), *ROOT.glob("tests/**/*_test.py"))):
        text = path.read_text(encoding="utf-8")
        if not KNOWS_IT.search(text) or ROOT / "tests/tools" in path.parents:
            continue
        if path.suffix == ".py":
            yield path, [sys.executable, "-B", str(path), "-v"]
        else:
            names = sorted(set(re.findall(r"^TEST(?:_[FP])?\((\w+),", text, re.MULTILINE)))
            yield path, [folders_of(path), "--gtest_brief=1", "--gtest_filter=" + ":".join(f"*{n}.*" for n in names)]


def folders_of(path):
    """The folders of tests that a test lies in, the outermost first."""
    return path.relative_to(ROOT / "tests").parts[:-1]


def program(folders):
    """The test program with the tests of a folder: its own where it has one, else that of the folder around it."""
    for depth in range(len(folders), 0, -1):
        name = "_".join((*folders[:depth], "tests"))
        if places := [place for place in (BUILD / "tests").glob(f"**/{name}") if place.is_file()]:
            return str(places[0])
    sys.exit(f"no test program of {'/'.join(folders)} was built")


def main(arguments):
    listed = "--list" in arguments
    words = [word for word in arguments if not word.startswith("-")]
    environment = {**os.environ, SWITCH: "1", "CHRONOVEIL_PROGRAM": str(BUILD / "chronoveil"),
                   "CHRONOVEIL_KILL_SHIM": str(BUILD / "tests/libkill_at_write.so"),
                   "CHRONOVEIL_ALLOCATION_SHIM": str(BUILD / "tests/libfail_allocation.so"),
                   "CHRONOVEIL_BUILD": str(BUILD)}
    failed = 0
    for path, command in suites():
        name = str(path.relative_to(ROOT))
        if words and not any(word in path.name for word in words):
            continue
        if listed:
            print(name)
            continue
        print(f"\n== {name}", flush=True)
        if path.suffix != ".py":
            command = [program(command[0]), *command[1:]]
        begun = time.monotonic()
        passed = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0
        print(f"{name}: {'ok' if passed else 'FAILED'} after {time.monotonic() - begun:.0f} s", flush=True)
        failed += not passed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

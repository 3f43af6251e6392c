"""The package is typed, and its stubs are what the engine's tables say."""

import subprocess
import sys

from conftest import ROOT

PACKAGE = ROOT / "bindings" / "python"
RIGHT = """
import chronoveil as cv
job = cv.Counts(cv.Records("rows.csv", user="card", time="ts"), cv.Slots("2026-03-01", "2026-03-02", "1h"), epsilon=1)
share: float = cv.Ledger("ledger.db").create("city", epsilon=1).left
name: str = job.plan().mechanism
least: float = cv.calibrate(cv.Gaussian(count=2), epsilon=1, delta=1e-6).noise
"""
WRONG = {
    'cv.Counts(cv.Records("rows.csv"), cv.Slots("a", "b", "1h"), epsilon="much")': "arg-type",
    'cv.Counts(cv.Records("rows.csv"), cv.Slots("a", "b", "1h"), epsilonn=1)': "call-arg",
    'cv.Means(cv.Records("rows.csv"), cv.Slots("a", "b", "1h"), counts="secret")': "arg-type",
    "cv.Gaussian(noise=1)": "call-arg",
}


def checked(path):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(path.parent), str(path)],
                          capture_output=True, text=True, check=False).stdout


def test_stubs_follow_the_tables():
    done = subprocess.run([sys.executable, str(PACKAGE / "tools" / "make_stubs.py"), "--check", str(PACKAGE / "chronoveil")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_type_checker_accepts_the_package(folder):
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(PACKAGE / "pyproject.toml"), "--cache-dir",
                           str(folder)], capture_output=True, text=True, check=False, cwd=PACKAGE)
    assert done.returncode == 0, done.stdout


def test_a_type_checker_finds_misuse(folder):
    program = folder / "use.py"
    program.write_text(RIGHT, encoding="utf-8")
    assert "Success" in checked(program)
    program.write_text("import chronoveil as cv\n" + "\n".join(WRONG), encoding="utf-8")
    told = checked(program)
    for line, kind in enumerate(WRONG.values(), 2):
        assert f"use.py:{line}: error" in told and f"[{kind}]" in told, told

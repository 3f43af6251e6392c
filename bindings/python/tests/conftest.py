"""What the tests share: an empty working folder, the program, and one small set of rows in every form."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent.parent
PROGRAM = Path(os.environ.get("CHRONOVEIL_PROGRAM", ROOT / "build" / "chronoveil"))


# In an environment that lacks libraries, or the program, tests that need them are left out, if LEAST says how many must
# pass all the same. Everywhere else whatever is missing fails.
LEAST = int(os.environ.get("CHRONOVEIL_LEAST", "0"))
BROUGHT = {"dp_accounting", "duckdb", "h3", "hypothesis", "matplotlib", "mypy", "nanoarrow", "numpy", "pandas", "polars",
           "pyarrow", "sklearn"}
# What whole files need.
collect_ignore = [name for name, needed in (
    ("test_properties.py", ("duckdb", "hypothesis", "pandas", "polars", "pyarrow")),
    ("test_ways_to_csv.py", ("duckdb", "pandas", "polars", "pyarrow")), ("test_types.py", ("mypy",)),
    ("test_documents.py", ("matplotlib", "pandas", "polars")))
    if LEAST and not all(map(importlib.util.find_spec, needed))]


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if LEAST and (error.name or "").partition(".")[0] in BROUGHT:
            pytest.skip(f"it needs {error.name}")
        raise


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    passed = 0 if reporter is None else len(reporter.stats.get("passed", []))
    if reporter is not None and passed < LEAST:
        print(f"\n{passed} tests passed; there must be {LEAST}")
        session.exitstatus = 1


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every test has a working folder and a home of its own, in a zone that is not UTC."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    for name in ("CHRONOVEIL_LEDGER", "CHRONOVEIL_KEY", "CHRONOVEIL_ANCHOR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def program():
    """Calls the program and returns what it printed."""
    if LEAST and not PROGRAM.exists():
        pytest.skip("it needs the program")

    def call(*words, code=0):
        done = subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr
    return call


@pytest.fixture
def city(folder):
    """A dataset with room for a few releases."""
    import chronoveil as cv
    return cv.Ledger("ledger.db").create("city", epsilon=8, delta=1e-5)


def forecast_program():
    """The program that trains, if this build has it."""
    found = PROGRAM.with_name("chronoveil-forecast")
    if found.exists():
        os.environ["CHRONOVEIL_FORECAST"] = str(found)
    return found.exists()

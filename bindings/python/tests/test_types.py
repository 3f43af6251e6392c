"""The package is typed, and its stubs are what the engine's tables say."""

import ast
import re
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


def parameters(function):
    """(name, whether it may be left out) of a function of a stub, without self."""
    given = function.args
    left_out = len(given.args) - len(given.defaults)
    return [(one.arg, place >= left_out) for place, one in enumerate(given.args) if one.arg != "self"]


def stated(stub):
    """Functions, and methods as CLASS.METHOD, of a stub."""
    found = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = parameters(node)
        elif isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.FunctionDef):
                    is_property = any(getattr(mark, "id", "") == "property" for mark in one.decorator_list)
                    found[f"{node.name}.{one.name}"] = None if is_property else parameters(one)
    return found


def there(module):
    """The same of the extension, by the signatures that it carries."""
    def of(function):
        text = re.sub(r"\\(\d+|=)", "...", function.__nb_signature__[0][0])  # defaults stand apart
        return parameters(ast.parse(text.splitlines()[-1] + ": ...").body[0])

    found = {}
    for name, one in vars(module).items():
        if hasattr(one, "__nb_signature__"):
            found[name] = of(one)
        elif isinstance(one, type):
            for part, value in vars(one).items():
                if isinstance(value, property):
                    found[f"{name}.{part}"] = None
                elif hasattr(value, "__nb_signature__") and (part == "__init__" or not part.startswith("__")):
                    found[f"{name}.{part}"] = of(value)
    return found


def test_the_stub_of_the_extension_says_what_it_has():
    from chronoveil import _native
    says, has = stated((PACKAGE / "chronoveil" / "_native.pyi").read_text(encoding="utf-8")), there(_native)
    assert set(says) == {name for name in has if not (name.endswith(".__init__") and name not in says)}
    for name, asked in says.items():
        assert asked == has[name], name


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

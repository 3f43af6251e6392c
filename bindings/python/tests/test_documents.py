"""Examples are tests: those of the docstrings, of docs/python.md, and the notebooks."""

import doctest
import importlib
import pkgutil
import re

import pytest

import chronoveil
from conftest import ROOT, forecast_program

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
MODULES = ["chronoveil", *(f"chronoveil.{module.name}" for module in pkgutil.iter_modules(chronoveil.__path__)
                           if module.name != "_native")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings_run(name, folder):
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = sum(len(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name)))
    assert examples > 20


@pytest.mark.parametrize(("page", "least"), [("docs/python.md", 9), ("README.md", 1)])
def test_a_page_runs(page, least, folder, program):
    if page == "README.md":  # its first command makes the rows
        program("simulate", "traffic", "--people", 20000, "--sensors", 4, "--days", 7, "--output", "trips.csv", "--keys",
                "stations.txt")
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= least
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    said = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=said.append)
    assert runner.failures == 0, "".join(said)


@pytest.mark.parametrize("notebook", sorted((ROOT / "bindings" / "python" / "notebooks").glob("*.py")),
                         ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, folder):
    if notebook.stem == "forecasting" and not forecast_program():
        pytest.skip("chronoveil-forecast is not built")
    if notebook.stem == "nixtla":
        pytest.importorskip("statsforecast")  # make torture installs it
    jupytext, nbclient = pytest.importorskip("jupytext"), pytest.importorskip("nbclient")
    cells = jupytext.read(notebook)
    nbclient.NotebookClient(cells, timeout=300, kernel_name="python3").execute(cwd=str(folder))
    shown = [output for cell in cells.cells for output in cell.get("outputs", [])]
    assert any("text/html" in output.get("data", {}) for output in shown)
    assert sum(len(str(output)) for output in shown) < 400_000

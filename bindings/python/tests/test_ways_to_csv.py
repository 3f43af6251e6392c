"""Files that are no CSV: the command that the refusal shows makes one of a real file, and the program takes it."""

import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pandas
import pyarrow
import pyarrow.feather
import pytest

ROWS = pandas.DataFrame({"card": ["c1", "c2", "c3"], "stop": ["north", "süd, platz", "north"],
                         "at": [datetime(2026, 3, 2, 10, minute) for minute in (0, 20, 40)]})
JOB = """version = 1
[dataset]
name = "city"
[source]
path = "{}"
user = "card"
time = "at"
series = "stop"
[series]
keys = ["north", "süd, platz"]
[slots]
start = "2026-03-02"
end = "2026-03-03"
length = "1h"
[privacy]
max_steps = 2
epsilon = 1.0
[mechanism]
name = "laplace"
[output]
json = "out.json"
"""


def arrow_stream(path):
    with pyarrow.ipc.new_stream(path, pyarrow.Table.from_pandas(ROWS).schema) as stream:
        stream.write_table(pyarrow.Table.from_pandas(ROWS))


@pytest.mark.filterwarnings("ignore:Feather V1")
@pytest.mark.parametrize("name, write", [
    ("in.parquet", ROWS.to_parquet), ("in.arrow", ROWS.to_feather), ("in.arrow", arrow_stream),
    ("in.arrow", lambda path: pyarrow.feather.write_feather(ROWS, path, version=1)),
    ("in.xlsx", lambda path: ROWS.to_excel(path, index=False))], ids=("parquet", "arrow", "stream", "feather", "excel"))
def test_the_command_of_the_refusal_makes_a_csv_that_is_taken(folder, program, name, write):
    write(name)
    (folder / "job.toml").write_text(JOB.format(name), encoding="utf-8")
    program("budget", "create", "city", "--epsilon", "1", "--ledger", "ledger.db")
    refusal = program("run", "job.toml", "--seed", "1", code=3)
    command = re.search(r"this makes one \([^)]*\): (.*)\n", refusal)[1]
    # With what it says to install, which these tests have.
    installed = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-c", command], env=installed, check=True, timeout=300)
    (folder / "job.toml").write_text(JOB.format("out.csv"), encoding="utf-8")
    seen = program("check", "job.toml", "--ledger", "ledger.db")
    for line in ("rows      3: 3 inside the span, 3 count", "keys      2 of 2 listed have rows",
                 "times     2026-03-02T10:00:00+00:00 to 2026-03-02T10:40:00+00:00", "people    3"):
        assert line in seen

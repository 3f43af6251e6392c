"""Whatever the rows, what holds them, and the job: Python and the program agree, on releases and on refusals."""

import os
import subprocess
import tempfile
import warnings
from datetime import datetime
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import chronoveil as cv
from conftest import PROGRAM

EXAMPLES = int(os.environ.get("CHRONOVEIL_EXAMPLES", "15"))
EPSILON = st.sampled_from([-1.0, 0.0, 0.5, 2.0])
TEXT = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string())]
WHOLE = [pyarrow.int8(), pyarrow.uint16(), pyarrow.int64()]
MOMENT = [pyarrow.timestamp("s"), pyarrow.timestamp("us"), pyarrow.timestamp("ns", "UTC"),
          pyarrow.timestamp("ms", "America/New_York")]
REAL = [pyarrow.float64(), pyarrow.string()]
HELD = {
    "pyarrow": lambda table: table,
    "slices": lambda table: pyarrow.concat_tables([table.slice(0, 3), table.slice(3, 0), table.slice(3)]),
    "reader": lambda table: table.to_reader(max_chunksize=4),
    "pandas": lambda table: table.to_pandas(),
    "pandas, typed": lambda table: table.to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas, objects": lambda table: table.to_pandas().astype(object),
    "polars": polars.from_arrow,
    "lazy polars": lambda table: polars.from_arrow(table).lazy(),
    "DuckDB": lambda table: duckdb.connect().from_arrow(table),
    "lists": lambda table: table.to_pydict(),
}


def moment(half, day="2026-03-28"):
    return f"{day}T{half // 2 % 24:02}:{half % 2 * 3}0"


@st.composite
def tables(draw, columns, most=30):
    """The rows as texts of a CSV, and in a frame of some types. `columns`: (name, cells as texts, types)."""
    size = draw(st.integers(0, most))
    texts = {name: draw(st.lists(cells, min_size=size, max_size=size)) for name, cells, _ in columns}
    arrays = {}
    for name, _, types in columns:
        kind = draw(st.sampled_from(types))
        cells = texts[name]
        if pyarrow.types.is_integer(kind):
            cells = [cell and int(cell) for cell in cells]
        elif pyarrow.types.is_floating(kind):
            cells = [cell and float(cell) for cell in cells]
        elif pyarrow.types.is_timestamp(kind):
            cells = [cell and datetime.fromisoformat(cell + "+00:00" if kind.tz else cell) for cell in cells]
        elif pyarrow.types.is_dictionary(kind):
            arrays[name] = pyarrow.array(cells, pyarrow.string()).dictionary_encode().cast(kind)
            continue
        arrays[name] = pyarrow.array(cells, kind)
    held = draw(st.sampled_from(sorted(HELD)))
    return texts, lambda: HELD[held](pyarrow.table(arrays))


def check(texts, frame, make, command, words=(), ask=None):
    """`make(source, **more)` is the job. Both doors must give the same file, or refuse alike."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        csv, theirs, ours = (Path(folder) / name for name in ("rows.csv", "theirs.csv", "ours.csv"))
        rows = zip(*texts.values())
        csv.write_text("\n".join([",".join(texts), *(",".join(cell or "" for cell in row) for row in rows)]) + "\n",
                       encoding="utf-8")
        file = Path(folder) / "job.toml"
        file.write_text(make(str(csv), csv=str(theirs)).to_toml("city"), encoding="utf-8")
        done = subprocess.run([str(PROGRAM), command, str(file), "--seed", "3", *words], capture_output=True, text=True,
                              check=False)
        code = 0
        try:
            if ask is None:
                make(frame(), csv=str(ours)).run(seed=3, allow_empty=True, allow_uninformative=True)
            else:
                ask(make(None, csv=str(ours)), frame())
        except cv.ChronoveilError as error:
            code = error.exit_code
        assert code == done.returncode, (code, done.stderr)
        if code == 0:
            assert ours.read_bytes() == theirs.read_bytes()


def agree(test):
    return settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))(test)


def mostly(cells):
    """A cell in a hundred is missing."""
    return st.integers(0, 99).flatmap(lambda chance: st.none() if chance == 0 else cells)


TIMES = mostly(st.integers(0, 49).map(moment))
ALLOWED = ("--allow-empty", "--allow-uninformative")
NAMES = ["north", "south", "elsewhere"]


@agree
@given(rows=tables([("card", mostly(st.integers(0, 9).map(str)), TEXT + WHOLE), ("time", TIMES, MOMENT + TEXT),
                    ("stop", st.sampled_from(NAMES), TEXT)]),
       max_steps=st.integers(-1, 4), epsilon=EPSILON, delta=st.sampled_from([0.0, 1e-6]),
       mechanism=st.sampled_from(["auto", "laplace", "gaussian", "magic"]))
def test_counts(rows, max_steps, epsilon, delta, mechanism):
    def make(source, **more):
        return cv.Counts(cv.Records(source, user="card", series="stop"),
                         cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "2h"), keys=["north", "south"],
                         max_steps=max_steps, epsilon=epsilon, delta=delta, mechanism=mechanism, **more)

    check(*rows, make, "run", ALLOWED)


@agree
@given(rows=tables([("bus", st.integers(0, 9).map(str), TEXT + WHOLE), ("at", TIMES, MOMENT + TEXT),
                    ("zone", st.sampled_from(NAMES), TEXT),
                    ("speed", mostly(st.integers(-20, 400).map(lambda speed: str(speed / 4))), REAL)]),
       max_cells=st.integers(0, 4), epsilon=EPSILON, upper=st.sampled_from([-1.0, 60.0]),
       mechanism=st.sampled_from(["auto", "laplace", "magic"]))
def test_means(rows, max_cells, epsilon, upper, mechanism):
    def make(source, **more):
        return cv.Means(cv.Records(source, user="bus", time="at", place="zone", value="speed"),
                        cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "6h"), keys=["north", "south"], lower=0,
                        upper=upper, counts="public", max_cells=max_cells, epsilon=epsilon, mechanism=mechanism, **more)

    check(*rows, make, "run", ALLOWED)


@agree
@given(rows=tables([("time", st.integers(0, 47).map(moment), TEXT), ("kwh", mostly(st.integers(0, 99).map(str)), TEXT + WHOLE)],
                   most=48),
       window=st.integers(0, 6), epsilon=EPSILON, mechanism=st.sampled_from(["auto", "noisy_sort", "ranswitch", "magic"]))
def test_perturb(rows, window, epsilon, mechanism):
    def make(source, **more):
        return cv.Perturb(cv.Records(source), window=window, epsilon=epsilon, mechanism=mechanism, **more)

    check(*rows, make, "run", ALLOWED)


@agree
@given(rows=tables([("card", mostly(st.integers(0, 9).map(str)), TEXT + WHOLE), ("time", TIMES, MOMENT + TEXT),
                    ("stop", st.sampled_from(NAMES), TEXT)]),
       hours=st.integers(0, 24), epsilon=EPSILON, mechanism=st.sampled_from(["auto", "laplace", "magic"]))
def test_live(rows, hours, epsilon, mechanism):
    until = f"2026-03-{28 + hours // 24}T{hours % 24:02}:00"

    def make(source, **more):
        return cv.Live(cv.Records(source, user="card", series="stop"), cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "2h"),
                       keys=["north", "south"], max_steps=2, epsilon=epsilon, mechanism=mechanism, name="stops", **more)

    def push(job, frame):
        with job.open("city", seed=3) as session:
            session.push(frame)
            session.publish_until(until)

    check(*rows, make, "live", ("--once", "--until", until), push)

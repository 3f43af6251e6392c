"""Training and forecasts, by the program that this build made."""

import math
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import chronoveil as cv
from conftest import forecast_program

HOURS, METERS = 24 * 14, 20
LOAD = {
    "unique_id": [f"m{meter:02}" for _ in range(HOURS) for meter in range(METERS)],
    "ds": [f"2026-01-{12 + hour // 24:02}T{hour % 24:02}:00" for hour in range(HOURS) for _ in range(METERS)],
    "y": [round(50 + 30 * math.sin(hour / 12 * math.pi)) + meter for hour in range(HOURS) for meter in range(METERS)],
}
KEYS = [f"m{meter:02}" for meter in range(METERS)]
TRAIN = {"unit": "event", "epsilon": 2.0, "delta": 1e-6, "model": "simple_feed_forward", "context_length": 12,
         "forecast_length": 12, "batch_size": 10, "steps": 5}


TRAINS = pytest.mark.skipif(not forecast_program(), reason="this build has no chronoveil-forecast")


def some_forms():
    """Those that come to the program in ways of their own: from Python, by pyarrow, in batches."""
    from rows import lazy_frame, pandas_frame, plain
    return plain, pandas_frame, lazy_frame


@pytest.fixture
def households():
    return cv.Ledger("ledger.db").create("households", epsilon=4, delta=1e-5, unit="event", relation="replace_values")


def forecaster(dataset):
    return cv.Forecaster(dataset, start="2026-01-12T00:00", end="2026-01-26T00:00", length="1h", keys=KEYS, **TRAIN)


def test_a_plan_needs_no_program(households, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHRONOVEIL_FORECAST", raising=False)
    job = cv.Train(cv.Records(LOAD, series="unique_id", time="ds", value="y"),
                   cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"), keys=KEYS, output="load.cvm", **TRAIN)
    assert job.plan().event.kind == "structured_subsampling" and job.plan().parameters["steps"] == 5
    with pytest.raises(cv.StorageError, match="chronoveil-forecast"):
        job.run(households)
    assert households.history() == []


def test_parameters_are_those_of_the_constructor(households):
    clone = pytest.importorskip("sklearn.base").clone
    parameters = forecaster("households").get_params()
    assert parameters["epsilon"] == 2.0 and clone(forecaster("households")).get_params() == parameters
    assert forecaster("households").set_params(epsilon=1.0, length="2h").get_params()["epsilon"] == 1.0


@TRAINS
def test_fit_debits_and_predict_forecasts(households, folder):
    from rows import pandas_frame
    trained = forecaster(households).fit(pandas_frame(LOAD))
    assert [debit.state for debit in households.history()] == ["released"]
    assert trained.model_.debit == "households:1"
    frame = trained.predict(LOAD)
    assert list(frame.columns) == ["unique_id", "ds", "chronoveil", "chronoveil-lo-80", "chronoveil-hi-80",
                                   "chronoveil-lo-90", "chronoveil-hi-90"]
    assert len(frame) == 12 * METERS and str(frame["ds"].min()) == "2026-01-26 00:00:00"
    ends = [frame[f"chronoveil{end}"] for end in ("-lo-90", "-lo-80", "", "-hi-80", "-hi-90")]
    assert all((less <= more).all() for less, more in zip(ends, ends[1:])) and (ends[0] < ends[1]).any()
    with pytest.raises(cv.UsageError, match="households:1"):
        trained.fit(pandas_frame(LOAD))  # the same job: it must be meant


@TRAINS
def test_a_history_may_be_any_frame_and_a_forecast_is_one(households, folder):
    import polars
    from rows import as_csv
    model = cv.Model("model.cvm")
    job = cv.Train(cv.Records(as_csv(LOAD, folder / "load.csv"), series="unique_id", time="ds", value="y"),
                   cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"), keys=KEYS, output="model.cvm", **TRAIN)
    job.run(households)
    names = {"time": "ds", "series": "unique_id", "value": "y", "levels": (80,)}
    expected = model.forecast("load.csv", **names)
    for form in some_forms():  # test_sign_lags.py has all of them
        assert model.forecast(form(LOAD), **names).columns == expected.columns, form.__name__
    typed = polars.DataFrame(LOAD).with_columns(polars.col("ds").str.to_datetime())
    assert model.forecast(typed, **names).columns == expected.columns
    frame = expected.to_polars()
    assert frame["q50"].to_list() == expected.columns["q50"] and len(frame) == len(expected)
    assert frame["time"].min().isoformat() == expected.columns["time"][0]
    with pytest.raises(cv.UsageError, match="levels"):
        expected.interval(90)  # no paths were drawn for it
    import nanoarrow
    import pyarrow
    for stream in (nanoarrow.ArrayStream(pyarrow.table(LOAD)), pyarrow.table(LOAD).to_reader(100)):
        assert model.forecast(stream, **names).columns == expected.columns
    with pytest.raises(cv.UsageError, match="int"):
        model.forecast(5, **names)


def training(source, **more):
    asked = {**TRAIN, "output": "load.cvm", **more}
    return cv.Train(cv.Records(source, series="unique_id", time="ds", value="y"),
                    cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"), keys=KEYS, **asked)


class Watched:
    """A lazy frame that tells what is asked of it when."""

    def __init__(self, city, batches):
        self.city, self.batches = city, batches

    def collect_schema(self):
        return self

    def names(self):
        return list(LOAD)

    def select(self, names):
        return self

    def head(self, rows):
        return self

    def collect(self):
        import polars
        return polars.DataFrame(LOAD).head(0)

    def collect_batches(self, maintain_order):
        import polars
        assert len(self.city.history()) == 1, "a row was asked for before the debit"
        yield polars.DataFrame(LOAD)
        yield from self.batches()


@TRAINS
def test_rows_are_asked_for_after_the_debit_and_give_the_same_model(households, folder):
    from rows import as_csv
    training(as_csv(LOAD, folder / "load.csv"), output="file.cvm").run("households", seed=3)
    for form in some_forms():  # test_sign_lags.py has all of them
        training(form(LOAD)).run("households", seed=3)
        assert (folder / "load.cvm").read_bytes() == (folder / "file.cvm").read_bytes(), form.__name__
    model = training(Watched(households, lambda: [])).run(households)
    assert model.debit == "households:1" and "row" not in " ".join(path.name for path in folder.iterdir())


@TRAINS
def test_rows_that_fail_train_nothing(households, folder):
    def fails():
        raise ValueError("secret")

    with pytest.raises(cv.StorageError, match="households:1") as caught:
        training(Watched(households, fails)).run(households)
    assert "secret" not in str(caught.value) and not (folder / "load.cvm").exists()
    assert training(LOAD).run(households).debit == "households:1"  # it goes on with the same debit


@TRAINS
def test_a_python_that_is_killed_is_not_the_end_of_its_rows(households, folder):
    died = subprocess.run([sys.executable, "-c", textwrap.dedent("""
        import os, signal, sys
        sys.path.insert(0, sys.argv[1])
        import polars
        import chronoveil as cv
        from test_forecasting import LOAD, Watched, training
        def killed():
            yield polars.DataFrame({**LOAD, "ds": [f"2025{time[4:]}" for time in LOAD["ds"]]})  # of the span before
            os.kill(os.getpid(), signal.SIGKILL)
        city = cv.Ledger("ledger.db")["households"]
        training(Watched(city, killed)).run(city)
        """), str(Path(__file__).parent)], capture_output=True, check=False, timeout=300)
    assert died.returncode == -signal.SIGKILL, died.stderr
    until = time.monotonic() + 300
    while at_work_in(folder):  # nobody's child any more
        assert time.monotonic() < until
        time.sleep(0.05)
    assert [debit.state for debit in households.history()] == ["reserved"] and not (folder / "load.cvm").exists()
    assert training(LOAD).run(households).debit == "households:1"


def at_work_in(folder):
    """Whether a program that trains works in this folder."""
    for process in Path("/proc").iterdir():
        try:
            if "chronoveil-forecast" in (process / "cmdline").read_text() and (process / "cwd").resolve() == folder.resolve():
                return True
        except OSError:  # it ended, or is of somebody else, or no process
            continue
    return False


@TRAINS
def test_several_channels_go_by_way_of_a_file_that_is_gone_afterwards(households, folder):
    rows = {**LOAD, "z": [value + 1 for value in LOAD["y"]]}
    job = cv.Train(cv.Records(rows, series="unique_id", time="ds"), cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"),
                   keys=KEYS, channels=["y", "z"], output="load.cvm", **TRAIN)
    job.run(households)
    assert (folder / "load.cvm").exists() and not list(folder.glob("*.rows.csv")) and not list(folder.glob(".chronoveil*"))


@TRAINS
def test_ctrl_c_reaches_the_program_and_says_what_was_spent(households):
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent("""
        import sys
        sys.path.insert(0, sys.argv[1])
        import chronoveil as cv
        from test_forecasting import LOAD, training
        print("ready", flush=True)
        try:
            training(LOAD, steps=100_000).run(cv.Ledger("ledger.db")["households"], progress=True)
        except KeyboardInterrupt as error:
            print(type(error).__name__, error)
        """), str(Path(__file__).parent)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    assert process.stdout.readline() == "ready\n"
    told = ""
    while "step " not in told:  # a bar of what is done
        told += process.stderr.read(1)
    process.send_signal(signal.SIGINT)  # to Python alone
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert out.startswith("Interrupted ") and "households:1" in out, out


@TRAINS
def test_errors_of_the_program_name_arguments(households):
    with pytest.raises(cv.OverBudget) as caught:
        training(LOAD, epsilon=9.0).run(households)
    assert "train." not in str(caught.value)
    rows = {**LOAD, "ds": ["yesterday-secret", *LOAD["ds"][1:]]}
    with pytest.raises(cv.BadData, match="row 1") as caught:
        training(rows).run(households)
    assert "secret" not in str(caught.value) and "time_format" in str(caught.value)
    training(LOAD).run(households)
    with pytest.raises(cv.UsageError) as caught:
        cv.Model("load.cvm").forecast(LOAD, time="ds", series="unique_id", value="y", paths=0, levels=(80,))
    assert (caught.value.parameter, caught.value.value) == ("paths", "0") and "--" not in str(caught.value)


@TRAINS
def test_what_the_program_remarks_is_a_warning(households):
    import warnings
    with pytest.raises(cv.BadData):
        training({**LOAD, "ds": ["?", *LOAD["ds"][1:]]}).run(households)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        training(LOAD).run("households", ledger="ledger.db", seed=3)
    assert any("not private" in str(one.message) for one in said)


@TRAINS
def test_a_forecaster_stands_at_the_end_of_a_pipeline(households, folder):
    from rows import pandas_frame
    pipeline_of = pytest.importorskip("sklearn.pipeline").Pipeline
    shaped = pytest.importorskip("sklearn.preprocessing").FunctionTransformer(
        lambda rows: rows.rename(columns={"meter": "unique_id", "at": "ds", "kwh": "y"}))
    rows = pandas_frame(dict(zip(("meter", "at", "kwh"), LOAD.values())))
    pipeline = pipeline_of([("columns", shaped), ("forecast", forecaster(households))])
    table = pipeline.fit(rows).predict(rows)
    assert len(table) == 12 * METERS and households.history()[0].state == "released"


@TRAINS
def test_a_program_s_error_is_an_exception(households):
    with pytest.raises(cv.ChronoveilError, match="nowhere"):
        cv.Model("nowhere.cvm").forecast(LOAD, time="ds", series="unique_id")

"""Training and forecasts, by the program that this build made."""

import math

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


@pytest.mark.skipif(not forecast_program(), reason="this build has no chronoveil-forecast")
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


@pytest.mark.skipif(not forecast_program(), reason="this build has no chronoveil-forecast")
def test_a_history_may_be_any_frame_and_a_forecast_is_one(households, folder):
    import polars
    from rows import FORMS, as_csv
    model = cv.Model("model.cvm")
    job = cv.Train(cv.Records(as_csv(LOAD, folder / "load.csv"), series="unique_id", time="ds", value="y"),
                   cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"), keys=KEYS, output="model.cvm", **TRAIN)
    job.run(households)
    names = {"time": "ds", "series": "unique_id", "value": "y", "levels": (80,)}
    expected = model.forecast("load.csv", **names)
    for form in FORMS:
        assert model.forecast(form(LOAD), **names).columns == expected.columns, form.__name__
    typed = polars.DataFrame(LOAD).with_columns(polars.col("ds").str.to_datetime())
    assert model.forecast(typed, **names).columns == expected.columns
    frame = expected.to_polars()
    assert frame["q50"].to_list() == expected.columns["q50"] and len(frame) == len(expected)
    assert frame["time"].min().isoformat() == expected.columns["time"][0]
    with pytest.raises(cv.UsageError, match="levels"):
        expected.interval(90)  # no paths were drawn for it
    with pytest.raises(cv.UsageError, match="int"):
        model.forecast(5, **names)


@pytest.mark.skipif(not forecast_program(), reason="this build has no chronoveil-forecast")
def test_a_program_s_error_is_an_exception(households):
    with pytest.raises(cv.ChronoveilError, match="nowhere"):
        cv.Model("nowhere.cvm").forecast(LOAD, time="ds", series="unique_id")

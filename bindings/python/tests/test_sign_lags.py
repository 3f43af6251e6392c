"""sign_lags, which is trained and run in this process: no other program, no pipe, no file of rows."""

import json
import math

import pytest

import chronoveil as cv
from rows import FORMS, as_csv

HOURS, METERS = 24 * 14, 6
LOAD = {
    "unique_id": [f"m{meter}" for _ in range(HOURS) for meter in range(METERS)],
    "ds": [f"2026-01-{12 + hour // 24:02}T{hour % 24:02}:00" for hour in range(HOURS) for _ in range(METERS)],
    "y": [round(50 + 30 * math.sin(hour / 12 * math.pi)) + meter for hour in range(HOURS) for meter in range(METERS)],
}
KEYS = [f"m{meter}" for meter in range(METERS)]
NAMES = {"time": "ds", "series": "unique_id"}


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """No program can be found."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHRONOVEIL_FORECAST", raising=False)


@pytest.fixture
def households():
    return cv.Ledger("ledger.db").create("households", epsilon=9, delta=1e-4, unit="event", relation="replace_values")


def training(source, **more):
    asked = {"value": "y", **more}
    return cv.Train(cv.Records(source, **NAMES, **({} if "channels" in more else {"value": asked.pop("value")})),
                    cv.Slots("2026-01-12T00:00", "2026-01-26T00:00", "1h"), keys=KEYS,
                    **{"unit": "event", "epsilon": 2.0, "delta": 1e-6, "model": "sign_lags", "forecast_length": 12,
                       "output": "load.cvm", **{key: value for key, value in asked.items() if key != "value"}})



def test_a_model_is_trained_after_the_debit_and_forecasts_at_no_cost(households, folder):
    pytest.importorskip("polars")

    class Late:
        """A lazy frame that is asked for rows after the debit."""

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
            assert [debit.state for debit in households.history()] == ["reserved"], "a row was asked for before the debit"
            yield polars.DataFrame(LOAD)

    model = training(Late()).run(households)
    assert model.debit == "households:1" and [one.state for one in households.history()] == ["released"]
    table = model.forecast(LOAD, **NAMES).to_nixtla()
    assert len(table) == 12 * METERS and str(table["ds"].min()) == "2026-01-26 00:00:00"
    assert len(households.history()) == 1
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".csv") == []
    (folder / "load.cvm").unlink()
    assert training(LOAD).again("households:1", households).debit == "households:1" and (folder / "load.cvm").exists()


def test_a_model_is_that_of_the_program_whatever_holds_the_rows(households, folder, program):
    job = training(as_csv(LOAD, folder / "load.csv"))
    (folder / "job.toml").write_text(job.to_toml("households"), encoding="utf-8")
    said = json.loads(program("train", "job.toml", "--json", "--seed", 3))
    expected = (folder / "load.cvm").read_bytes()
    quantiles = program("forecast", "load.cvm", "load.csv", "--time", "ds", "--series", "unique_id")
    for form in FORMS:
        model = training(form(LOAD)).run("households", seed=3)
        assert (folder / "load.cvm").read_bytes() == expected, form.__name__
        assert model.document["model_sha256"] == said["model_sha256"]
        forecast = model.forecast(form(LOAD), **NAMES, levels=(80,), output="next.csv")
        assert (folder / "next.csv").read_text(encoding="utf-8") == quantiles, form.__name__
        assert len(forecast) == 12 * METERS
    from_file = cv.Model("load.cvm").forecast(folder / "load.csv", **NAMES, levels=(80,))
    assert from_file.columns == forecast.columns


def test_several_channels_and_missing_values_are_read_from_a_frame(households, folder):
    pandas = pytest.importorskip("pandas")
    rows = {**LOAD, "z": [float("nan") if row % 7 == 3 else value + 1.0 for row, value in enumerate(LOAD["y"])]}
    written = {**rows, "z": ["" if math.isnan(value) else value for value in rows["z"]]}
    training(as_csv(written, folder / "load.csv"), channels=["y", "z"], output="file.cvm").run("households", seed=3)
    for form in (pandas.DataFrame, dict):
        model = training(form(rows), channels=["y", "z"]).run("households", seed=3)
        assert (folder / "load.cvm").read_bytes() == (folder / "file.cvm").read_bytes(), form.__name__
    forecast = model.forecast(pandas.DataFrame(rows), **NAMES, levels=(80,))
    assert forecast.columns == model.forecast(folder / "load.csv", **NAMES, levels=(80,)).columns
    assert not list(folder.glob("*.rows.csv"))


def test_rows_that_fail_leave_the_debit_for_the_next_try(households, folder):
    polars = pytest.importorskip("polars")
    lazy = polars.LazyFrame(LOAD).map_batches(lambda rows: rows if not len(rows) else 1 / 0, schema=polars.Schema(
        {"unique_id": polars.String, "ds": polars.String, "y": polars.Int64}))
    with pytest.raises(cv.StorageError, match="households:1"):
        training(lazy).run(households)
    assert not (folder / "load.cvm").exists() and households.history()[0].state == "reserved"
    with pytest.warns(UserWarning, match="households:1"):
        assert training(LOAD).run(households).debit == "households:1"
    with pytest.raises(cv.BadData, match="row 1") as caught:
        training({**LOAD, "ds": ["yesterday-secret", *LOAD["ds"][1:]]}, epsilon=1.0).run(households)
    assert "secret" not in str(caught.value)


def test_a_private_history_is_debited_and_says_what_it_needs(households):
    model = training(LOAD).run(households)
    wanted = {"epsilon": 1.0, "delta": 1e-6, "lower": 0.0, "upper": 100.0}
    private = {**NAMES, "private": True, "dataset": households, "keys": KEYS, "levels": (80,)}
    for name in wanted:
        with pytest.raises(cv.UsageError, match=f"{name}: it is missing") as caught:
            model.forecast(LOAD, **private, **{key: value for key, value in wanted.items() if key != name})
        assert caught.value.parameter == name
    assert len(households.history()) == 1
    noised = model.forecast(LOAD, **private, **wanted)
    debit = households.history()[-1]
    assert len(noised) == 12 * METERS and debit.event.kind == "time_subsampling" and debit.state == "released"
    again = model.forecast(LOAD, **private, **wanted, again=debit.id)
    assert again.columns == noised.columns and len(households.history()) == 2
    with pytest.raises(cv.UsageError, match="private"):
        model.forecast(LOAD, **NAMES, epsilon=1.0)
    with pytest.raises(cv.UsageError, match="colour"):
        model.forecast(LOAD, **NAMES, colour="red")
    with pytest.raises(cv.UsageError) as caught:
        model.forecast(LOAD, **NAMES, paths=0)
    assert (caught.value.parameter, caught.value.value) == ("paths", "0")


def test_a_history_without_rows_or_of_no_frame_is_an_error(households):
    model = training(LOAD).run("households", seed=3)
    with pytest.raises(cv.BadData, match="the history has no rows"):
        model.forecast({name: [] for name in LOAD}, **NAMES)
    with pytest.raises(cv.UsageError, match="int"):
        model.forecast(5, **NAMES)
    with pytest.raises(cv.BadData, match="row 1"):
        model.forecast({**LOAD, "ds": ["?", *LOAD["ds"][1:]]}, **NAMES)


def test_a_forecaster_trains_it_too(households):
    forecaster = cv.Forecaster(households, start="2026-01-12T00:00", end="2026-01-26T00:00", keys=KEYS, unit="event",
                               epsilon=2.0, delta=1e-6, model="sign_lags", forecast_length=12)
    table = forecaster.fit(LOAD).predict(LOAD)
    assert len(table) == 12 * METERS and forecaster.model_.debit == "households:1"

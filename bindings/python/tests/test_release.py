"""What a release turns into."""

from datetime import datetime

import pytest

import chronoveil as cv
from rows import SPEEDS, TRIPS


@pytest.fixture
def release():
    return cv.Counts(cv.Records(TRIPS, user="card", time="ts", series="stop", zone="Europe/Berlin"),
                     cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"), keys=["north", "south"], max_steps=2,
                     epsilon=1.0, delta=1e-6).run(seed=1)


def test_frames_hold_the_csv(release):
    frame = release.to_pandas()
    assert list(frame.columns) == ["series", "time", "value", "lower", "upper", "sampled", "mark"]
    assert frame["value"].tolist() == release.columns["value"]
    assert str(frame["time"].dt.tz) == "Europe/Berlin"
    assert list(frame["time"]) == [datetime.fromisoformat(time) for time in release.columns["time"]]


def test_arrow_holds_the_csv(release):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame, table = release.to_polars(), pyarrow.table(release)
    assert frame["value"].to_list() == table["value"].to_pylist() == release.columns["value"]
    assert frame.schema["time"] == polars.Datetime("ms", "Europe/Berlin")
    assert frame["time"].to_list() == [datetime.fromisoformat(time) for time in release.columns["time"]]
    frame.write_parquet("release.parquet")
    assert polars.read_parquet("release.parquet").equals(frame)


def test_nixtla_gets_its_columns(release):
    frame = release.to_nixtla()
    assert list(frame.columns) == ["unique_id", "ds", "y"] and frame["ds"].dt.tz is None
    assert frame["y"].tolist() == release.columns["value"]


def test_means_are_a_table_too():
    job = cv.Means(cv.Records(SPEEDS, user="bus", time="at", place="place", value="speed"),
                   cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "6h"), keys=["centre", "port", "moon"], upper=65,
                   counts="public", max_cells=2, epsilon=2.0)
    release = job.run(seed=1)
    frame = release.to_pandas()
    assert list(frame.columns)[:5] == ["place", "slot", "mean", "lower", "upper"]
    assert frame[frame["place"] == "moon"]["mean"].isna().all() and frame["mean"].notna().any()
    assert "<svg" in release._repr_html_()


@pytest.mark.parametrize(("series", "days", "length"), [(100_000, 1, "1d"), (6, 400, "4h")])
def test_a_notebook_shows_little_of_much(series, days, length):
    keys = [*("&" * 300 + str(number) for number in range(5)), *(f"s{number}" for number in range(1, series - 4))]
    job = cv.Counts(cv.Records({"card": ["a"], "ts": ["2026-03-01T00:30"], "stop": ["s1"]}, user="card", time="ts",
                               series="stop"),
                    cv.Slots("2026-03-01T00:00", f"{2026 + days // 300}-03-02T00:00", length), keys=keys, max_steps=2,
                    epsilon=1.0)
    page = job.run(seed=1, allow_uninformative=True)._repr_html_()
    assert len(page.encode()) < 60_000 and page.count("<svg") == 6


def test_a_plot_has_lines_and_bands(release):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = release.plot()
    assert len(axes.lines) == 2 and len(axes.collections) == 2
    assert len(release.plot(series=["north"]).lines) == 1

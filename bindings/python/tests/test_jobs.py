"""Jobs: one table of keys, one place that checks, one order of a release."""

import json
import warnings
from datetime import date, datetime

import pytest

import chronoveil as cv
from chronoveil import _native
from rows import TRIPS, as_csv, pandas_frame

SLOTS = cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h")


def counts(source=None, **more):
    asked = {"keys": ["north", "south"], "max_steps": 2, "epsilon": 1.0, "delta": 1e-6, **more}
    return cv.Counts(cv.Records(TRIPS if source is None else source, user="card", time="ts", series="stop",
                                zone="Europe/Berlin", name="trips of March"), SLOTS, **asked)


@pytest.mark.parametrize("kind", [cv.Counts, cv.Means, cv.Perturb, cv.Live, cv.Train], ids=lambda kind: kind.__name__)
def test_arguments_are_the_keys_of_the_engine(kind):
    sections = {"source", "slots", "places", "mechanism"}
    keys = [key["key"] for key in _native.job_keys(kind.kind) if key["key"].partition(".")[0] not in sections]
    taken = {spec["key"] for spec in kind._keys.values()}
    assert set(keys) - taken <= {"series.list", "series.keys", "dataset.name"}
    for name, spec in kind._keys.items():
        assert name in kind.__signature__.parameters and spec["meaning"] in kind.__doc__


def test_a_release_is_a_table_with_a_guarantee(city, folder):
    release = counts().run(city)
    assert release.debit == "city:1" and release.mark == ""
    assert release.guarantee.epsilon == pytest.approx(1) and release.guarantee.unit == "user"
    assert ("enforced", "one person counts in at most 2 slots of all series taken together") in release.guarantee.assumptions
    assert len(release) == 2 * 47 and list(release.columns)[:3] == ["series", "time", "value"]
    assert city.history()[0].purpose == "trips of March"
    assert city.ledger.verify_release(release.to_json()) == []
    assert all(path.name.startswith("ledger.db") for path in folder.iterdir())  # no output is required
    release.report("page.html")
    assert "<svg" in (folder / "page.html").read_text(encoding="utf-8")


def test_looking_again_draws_nothing(city):
    job = counts()
    release = job.run(city)
    assert release.to_csv() == release.to_csv() and release.columns is release.columns
    again = job.again(release.debit, city)
    assert again.to_csv() == release.to_csv() and len(city.history()) == 1
    with pytest.raises(cv.UsageError, match="city:1"):
        job.run(city)  # a second debit must be meant
    assert job.run(city, confirmed=True).debit != release.debit


def test_a_job_file_is_the_same_job(city, folder, program):
    job = counts(as_csv(TRIPS, folder / "rows.csv"), csv="out.csv", mechanism=cv.Mechanism("subsample", rate=0.5))
    (folder / "job.toml").write_text(job.to_toml(city), encoding="utf-8")
    again = cv.read_job("job.toml")
    assert type(again) is cv.Counts and again.to_toml() == job.to_toml(city)
    told = json.loads(program("run", "job.toml", "--ledger", "ledger.db", "--json"))
    with pytest.raises(cv.UsageError, match=told["debit"]["id"]):
        again.run(ledger="ledger.db")  # the same job, so the same debit


def every_kind(areas):
    """A job of each kind, with each form that an argument can take, and what a notebook passes for dates."""
    import numpy
    records = cv.Records("rows.csv", user="card", time="ts", zone="Europe/Berlin", delimiter=";", header=True)
    stops = cv.Records("rows.csv", user="card", time="ts", series="stop")
    places = cv.Records("rows.csv", user="bus", time="at", value="speed", longitude="lon", latitude="lat")
    load = cv.Records("load.csv", series="meter", time="time", value="value")
    days = cv.Slots(date(2026, 3, 28), datetime(2026, 3, 30), "1d", zone="Europe/Berlin")
    return [
        cv.Counts(stops, SLOTS, keys=("a", "b\"\\ 'c'", "ß"), max_steps=2, epsilon=1.0, title="quoted: \"x\""),
        cv.Counts(records, days, max_steps="all", epsilon=numpy.float64(0.5), non_negative=False),
        cv.Means(places, SLOTS, places=cv.Grid(8.4, 47.3, 8.6, 47.4, size=500, shape="square"), lower=0, upper=65,
                 counts="public", max_cells=4, epsilon=1),
        cv.Means(places, SLOTS, places=cv.Areas(areas), upper=65, counts="private", registered=9, max_cells=4, epsilon=1),
        cv.Perturb(cv.Records("rows.csv"), columns=["kwh"], window=6, epsilon=2, mechanism="noisy_sort"),
        cv.Live(records, SLOTS, max_steps=2, epsilon=1, name="bus", csv="out.csv", clock="system", wait="5min"),
        cv.Train(load, SLOTS, keys=["m1"], unit="event", epsilon=2, delta=1e-6, model="simple_feed_forward",
                 context_length=4, forecast_length=2, batch_size=1, steps=2, output="load.cvm"),
    ]


def test_every_kind_of_job_survives_a_job_file(folder):
    square = [[8.4, 47.3], [8.6, 47.3], [8.6, 47.4], [8.4, 47.3]]
    (folder / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "properties": {"name": "here"}, "geometry": {"type": "Polygon", "coordinates": [square]}}]}))
    for job in every_kind("areas.geojson"):
        (folder / "job.toml").write_text(job.to_toml("city"), encoding="utf-8")
        again = cv.read_job("job.toml")
        assert type(again) is type(job) and again.to_toml() == job.to_toml("city")
        assert again.digest == _native.Job.read(job.to_toml("city")).digest
        assert job.plan().to_toml("city") == job.to_toml("city")


def test_a_plan_runs_its_job(city):
    release = counts().plan().run(city)
    assert release.debit == "city:1" and len(release) == 2 * 47


def test_a_frame_can_become_a_file_in_a_job(city, folder):
    text = counts(pandas_frame(TRIPS)).to_toml(city, source="rows.csv")
    assert 'path = "rows.csv"' in text and "memory" not in text


def test_a_plan_touches_nothing(folder):
    plan = counts().plan()
    assert plan.mechanism in [one["mechanism"] for one in plan.compare().candidates if one["fits"]]
    assert plan.guarantee.epsilon == pytest.approx(1) and plan.event.kind
    assert "does not fit" in repr(plan.compare()) and "<table>" in plan.compare()._repr_html_()
    assert not any(folder.iterdir())


def test_a_check_reads_and_debits_nothing(city):
    found = counts().check(city)
    assert found.room > 1 and found.earlier is None and city.history() == []
    assert found.seen["rows"] == 60 and found.seen["people"] == 60


@pytest.mark.parametrize(("change", "kind", "parameter"), [
    ({"epsilon": -1.0}, cv.UsageError, "epsilon"),
    ({"max_steps": 0}, cv.UsageError, "max_steps"),
    ({"mechanism": "magic"}, cv.UsageError, "mechanism"),
    ({"keys": []}, cv.UsageError, "keys"),
    ({"keys": "nowhere.txt"}, cv.StorageError, "keys"),
    ({"unit": "planet"}, cv.UsageError, "unit"),
    ({"max_steps": 1.5}, cv.UsageError, "max_steps"),
])
def test_the_engine_refuses_and_names_the_argument(change, kind, parameter):
    with pytest.raises(kind) as caught:
        counts(**change).plan()
    assert caught.value.parameter == parameter and "privacy." not in str(caught.value)
    assert caught.value.exit_code in (2, 5)


def test_an_unknown_argument_is_a_type_error():
    with pytest.raises(TypeError, match="epsilonn"):
        counts(epsilonn=1)


def test_errors_of_a_job_file_name_its_keys(folder):
    (folder / "job.toml").write_text(counts("rows.csv", epsilon=-1.0).to_toml("city"), encoding="utf-8")
    with pytest.raises(cv.UsageError, match=r"privacy\.epsilon"):
        cv.read_job("job.toml")


def test_bad_data_names_the_column_and_no_value(city):
    rows = {**TRIPS, "ts": ["yesterday-secret", *TRIPS["ts"][1:]]}
    with pytest.raises(cv.BadData) as caught:
        counts(rows).run(city)
    assert "secret" not in str(caught.value) and "row 1" in str(caught.value)
    assert "time_format names another form" in caught.value.valid  # as the argument is called, not the key of a job file
    with pytest.raises(cv.ChronoveilError, match="stop"):
        counts({"card": ["a"], "ts": ["2026-03-28T00:30"]}).check(city)


def test_a_failed_run_is_taken_up(city):
    rows = {**TRIPS, "ts": ["?", *TRIPS["ts"][1:]]}
    with pytest.raises(cv.BadData):
        counts(rows).run(city)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert counts().run(city).debit == "city:1"
    assert any("nothing had been drawn" in str(one.message) for one in said)

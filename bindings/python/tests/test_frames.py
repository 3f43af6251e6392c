"""Two rules of frames: no row is looked at before the debit, and no cell decides how another one is read."""

import decimal
import threading
import uuid
import warnings
from datetime import date, datetime, timedelta, timezone

import pytest

import chronoveil as cv
from rows import FORMS as EVERY_FORM

KOLKATA = timezone(timedelta(hours=5, minutes=30))


def counts(rows, **more):
    """Counts of a few hours with next to no noise, which is the same every time."""
    job = cv.Counts(cv.Records(rows, user="who", time="at", zone="Europe/Zurich"),
                    cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h"), max_steps=1, epsilon=30.0,
                    mechanism="laplace", **more)
    return [round(value) for value in job.run(seed=7).columns["value"]]


def one_more(rows, **row):
    """The neighbour with one row more."""
    return {name: [*cells, row[name]] for name, cells in rows.items()}


def objects(rows):
    pandas = pytest.importorskip("pandas")
    return pandas.DataFrame(rows, dtype=object)


def derived(rows):
    """As GeoDataFrame is."""
    pandas = pytest.importorskip("pandas")
    return type("Derived", (pandas.DataFrame,), {})(rows, dtype=object)


FORMS = pytest.mark.parametrize("form", [dict, objects, derived], ids=["lists", "pandas", "derived"])


@FORMS
@pytest.mark.parametrize("place", [0, 1], ids=["first", "last"])
def test_a_time_with_a_zone_moves_nobody_else(form, place):
    rows = {"who": [f"p{n}" for n in range(50)], "at": [datetime(2026, 3, 2, 8, n % 60) for n in range(50)]}
    eve = {"who": "eve", "at": datetime(2026, 3, 2, 8, 30, tzinfo=KOLKATA)}  # 04:00 in Zurich
    more = one_more(rows, **eve) if place else {name: [eve[name], *cells] for name, cells in rows.items()}
    alone, with_eve = counts(form(rows)), counts(form(more))
    assert alone[8] == 50
    assert [b - a for a, b in zip(alone, with_eve)] == [int(hour == 4) for hour in range(24)]


@FORMS
@pytest.mark.parametrize("cell", [1.5, 2**70, "eve", decimal.Decimal("1.25"), uuid.UUID(int=7)], ids=type)
def test_a_cell_of_another_type_merges_nobody_else(form, cell):
    rows = {"who": [10**16 + n for n in range(50)], "at": ["2026-03-02T08:00"] * 50}
    alone, with_eve = counts(form(rows)), counts(form(one_more(rows, who=cell, at="2026-03-02T09:00")))
    assert alone[8] == 50
    assert [b - a for a, b in zip(alone, with_eve)] == [int(hour == 9) for hour in range(24)]


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.__name__)
def test_the_column_of_times_is_called_time_unless_told(form):
    rows = {"who": ["a", "b"], "time": ["2026-03-02T08:10", "2026-03-02T09:10"], "note": ["x", "y"]}
    slots = cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h")
    told, untold = (cv.Counts(records, slots, max_steps=1, epsilon=30.0).run(seed=7).to_csv()
                    for records in (cv.Records(form(rows), user="who", time="time"), cv.Records(form(rows), user="who")))
    assert told == untold
    with cv.Live(cv.Records(user="who"), slots, max_steps=1, epsilon=30.0, mechanism="laplace", name="n",
                 csv="n.csv").open("city", seed=7) as session:
        session.push(form(rows))
        assert [round(step.value) for step in session.publish_until("2026-03-02T10:00")][8:] == [1, 1]


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form.__name__)
def test_wide_columns_are_read_and_others_are_not(form):
    rows = {"time": ["2026-03-02T08:10", "2026-03-02T09:10"], "north": [3, 4], "south": [5, 6]}
    slots = cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h")
    alone, beside = (cv.Counts(cv.Records(columns, wide=True), slots, keys=["north", "south"], max_steps=24, max_per_slot=9,
                               epsilon=300.0).run(seed=7).to_csv()
                     for columns in (rows, form({**rows, "note": [None, "x"]})))
    assert alone == beside


def test_times_of_all_kinds_are_those_of_a_csv():
    moments = ["2026-03-02T08:00", datetime(2026, 3, 2, 8, 59, 59, 999_999), datetime(2026, 3, 2, 7, tzinfo=timezone.utc),
               "2026-03-02T08:30+01:00", date(2026, 3, 2)]
    there = counts({"who": list(range(5)), "at": moments})
    assert there[8] == 4 and there[0] == 1


@pytest.mark.parametrize("untyped", [False, True])
@pytest.mark.parametrize("kind", ["numpy", "pyarrow"])
@pytest.mark.parametrize("zone", [None, "Asia/Kolkata"])
def test_times_of_pandas_are_of_the_zone_of_their_type(untyped, kind, zone):
    pandas = pytest.importorskip("pandas")
    moments = pandas.to_datetime(["2026-03-02T08:00", None, "2026-03-02T08:59:59.999999"], format="ISO8601")
    times = pandas.Series(moments).dt.tz_localize(zone)
    if kind == "pyarrow":
        pyarrow = pytest.importorskip("pyarrow")
        times = times.astype(pandas.ArrowDtype(pyarrow.timestamp("us", tz=zone)))
    who = pandas.Series(["a", "b", "c"], dtype=object if untyped else "string")
    frame = pandas.DataFrame({"who": who, "at": times})
    frame.index = pandas.Index([date(2026, 3, day) for day in (1, 2, 3)], name="who")
    with pytest.raises(cv.BadData, match="row 2: column at"):
        counts(frame)
    expected = [0] * 24
    expected[3 if zone else 8] += 1  # 08:00 and 08:59 in Kolkata are 03:30 and 04:29 in Zurich
    expected[4 if zone else 8] += 1
    assert counts(frame.iloc[[0, 2]]) == expected


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_arrays_of_numpy_have_times_of_any_unit(unit):
    numpy = pytest.importorskip("numpy")
    times = numpy.array(["2026-03-02T08:00", "2026-03-02T09:59:59"], dtype=f"datetime64[{unit}]")
    assert counts({"who": numpy.array([1, 2]), "at": times})[8:10] == [1, 1]
    with pytest.raises(cv.BadData, match="row 2: column at"):
        counts({"who": ["a", "b"], "at": numpy.array(["2026-03-02T08:00", "NaT"], dtype=f"datetime64[{unit}]")})


def test_a_missing_cell_of_an_arrow_array_is_nobody():
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(cv.BadData, match="row 2: column who"):
        counts({"who": pyarrow.chunked_array([["a", None]]), "at": ["2026-03-02T08:00"] * 2})


def test_generators_of_different_lengths_are_no_rows():
    for who in ((), ("a", "b", "c")):
        with pytest.raises(cv.StorageError):
            counts({"who": iter(who), "at": ["2026-03-02T08:00"] * 2})


def test_a_missing_cell_is_an_error_of_its_row():
    for nothing in (None, float("nan")):
        with pytest.raises(cv.BadData, match="row 2: column who"):
            counts({"who": ["a", nothing], "at": ["2026-03-02T08:00"] * 2})
    with pytest.raises(cv.BadData, match="at: the column must have as many cells"):
        counts({"who": ["a", "b"], "at": ["2026-03-02T08:00"]})


def debited(source, city):
    """The error of a run, which may say nothing of the data, and the debits after it."""
    job = cv.Counts(cv.Records(source, user="who", time="at"), cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h"),
                    max_steps=1, epsilon=1.0)
    with pytest.raises(cv.ChronoveilError) as error:
        job.run(city)
    assert "secret" not in str(error.value)
    return city.history()


def test_a_relation_is_computed_after_the_debit(city):
    duckdb = pytest.importorskip("duckdb")
    database = duckdb.connect()
    database.execute("create table t as select 'eve-secret' as who, '2026-03-02T08:00' as seen")
    assert len(debited(database.sql("select cast(who as integer) as who, seen as \"at\" from t"), city)) == 1


def test_an_object_column_is_read_after_the_debit(city):
    rows = objects({"who": ["a", "b"], "at": ["2026-03-02T08:00", "secret"], "note": [1, "secret"]})
    assert len(debited(rows, city)) == 1


def test_a_generator_is_asked_after_the_debit(city):
    def cells():
        assert len(city.history()) == 1
        yield "a"
        raise ValueError("secret")

    assert len(debited({"who": cells(), "at": ["2026-03-02T08:00"]}, city)) == 1


def test_a_frame_that_fails_at_once_is_not_quoted(city):
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ValueError("secret")

    assert debited(Failing(), city) == []


def test_what_can_be_read_once_is_read_once(city):
    pyarrow = pytest.importorskip("pyarrow")
    rows = pyarrow.table({"who": [f"p{n}" for n in range(100)], "at": ["2026-03-02T08:00"] * 100})

    def job(source):  # made anew, as a cell of a notebook that runs again does
        return cv.Counts(cv.Records(source, user="who", time="at"), cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h"),
                         max_steps=1, epsilon=1.0)

    for source in (rows.to_reader(10), {"who": (f"p{n}" for n in range(100)), "at": ["2026-03-02T08:00"] * 100},
                   {"who": map(str, range(100)), "at": ["2026-03-02T08:00"] * 100}):
        assert job(source).check(city).seen
        with pytest.raises(cv.UsageError, match="hand over new"):
            job(source).run(city)
    assert city.history() == []


def live(name):
    return cv.Live(cv.Records(user="who", time="at"), cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h"),
                   max_steps=1, epsilon=30.0, mechanism="laplace", name=name, csv=f"{name}.csv")


@pytest.mark.parametrize("cell", [None, 2**70, "eve", object()], ids=type)
def test_a_pushed_row_that_cannot_be_read_takes_no_other_with_it(cell):
    rows = {"who": list(range(50)), "at": ["2026-03-02T00:10"] * 50}
    values = []
    for name, pushed in (("alone", rows), ("more", one_more(rows, who=cell, at="?"))):
        with live(name).open("city", seed=7) as session, warnings.catch_warnings(record=True):
            session.push(pushed)
            values.append(round(session.publish_until("2026-03-02T01:00")[0].value))
    assert values == [50, 50]


def test_threads_that_share_a_session_publish_each_step_once(city):
    job = cv.Live(cv.Records(user="who", time="at", series="stop"), cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1h"),
                  keys=[f"k{n}" for n in range(2000)], max_steps=1, epsilon=1.0, name="shared", csv="shared.csv")
    seen, failed = [], []

    def publish(session):
        try:
            for hour in range(1, 7):
                seen.extend(session.publish_until(f"2026-03-02T{hour:02}:00"))
        except BaseException as error:  # told to the test, which fails then
            failed.append(error)

    with job.open(city) as session:
        threads = [threading.Thread(target=publish, args=(session,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failed == []
    assert len(seen) == len({(step.series, step.time) for step in seen}) == 6 * 2000
    with open("shared.csv", encoding="utf-8") as file:
        lines = file.read().splitlines()[1:]
    assert len(lines) == len({tuple(line.split(",")[:2]) for line in lines}) == 6 * 2000

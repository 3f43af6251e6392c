"""Columns of every type that a frame may have, and those that nothing can be read from."""

import datetime

import pytest

import chronoveil as cv

pyarrow = pytest.importorskip("pyarrow")

PEOPLE = [f"{number % 7}" for number in range(40)]
TIMES = [f"2026-03-28T{number % 24:02}:30:00" for number in range(40)]
TEXTS = [pyarrow.string(), pyarrow.large_string(), pyarrow.string_view(), pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
         pyarrow.dictionary(pyarrow.int32(), pyarrow.large_string())]
WHOLES = [getattr(pyarrow, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]


def counts(people, times, zone="Europe/Berlin"):
    table = pyarrow.table({"card": people, "ts": times})
    job = cv.Counts(cv.Records(table, user="card", time="ts", zone=zone),
                    cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h", zone="Europe/Berlin"), max_steps=2, epsilon=1.0)
    return job.run(seed=1, allow_uninformative=True).to_csv()


def moments(zone=None):
    return [datetime.datetime.fromisoformat(time).replace(tzinfo=zone) for time in TIMES]


@pytest.fixture(scope="module")
def expected():
    return counts(PEOPLE, TIMES)


@pytest.mark.parametrize("kind", TEXTS + WHOLES, ids=str)
def test_a_person_is_a_text_or_a_whole_number(kind, expected):
    people = pyarrow.array(PEOPLE) if kind in TEXTS else pyarrow.array(map(int, PEOPLE))
    assert counts(people.cast(kind), TIMES) == expected


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_a_time_has_a_zone_or_is_of_the_clock(unit, expected):
    assert counts(PEOPLE, pyarrow.array(moments(), pyarrow.timestamp(unit))) == expected
    from zoneinfo import ZoneInfo
    zoned = pyarrow.array(moments(ZoneInfo("Europe/Berlin")), pyarrow.timestamp(unit, "America/New_York"))
    assert counts(PEOPLE, zoned, zone=None) == expected


def test_a_value_is_a_number(folder):
    def mean(values):
        table = pyarrow.table({"bus": PEOPLE, "at": TIMES, "place": ["here"] * 40, "speed": values})
        job = cv.Means(cv.Records(table, user="bus", time="at", place="place", value="speed"),
                       cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1d"), keys=["here"], upper=65, counts="public",
                       max_cells=2, epsilon=2.0)
        return job.run(seed=1).to_csv()

    whole = pyarrow.array(range(40))
    expected = mean(whole)
    for kind in [*WHOLES, pyarrow.float32(), pyarrow.float64()]:
        assert mean(whole.cast(kind)) == expected, kind


@pytest.mark.parametrize("bad", [
    pyarrow.array([[1]] * 40), pyarrow.array([True] * 40), pyarrow.array([b"a"] * 40), pyarrow.array([{"a": 1}] * 40),
    pyarrow.nulls(40), pyarrow.array([datetime.timedelta(1)] * 40)], ids=lambda bad: str(bad.type))
@pytest.mark.parametrize("column", ["card", "ts"])
def test_a_column_of_a_wrong_kind_names_itself(column, bad):
    people, times = (bad, TIMES) if column == "card" else (PEOPLE, bad)
    with pytest.raises(cv.ChronoveilError, match=column) as caught:
        counts(people, times)
    assert isinstance(caught.value, (cv.BadData, cv.UsageError))


def test_a_missing_cell_names_column_and_row():
    with pytest.raises(cv.BadData, match=r"row 3.*ts|ts.*row 3"):
        counts(PEOPLE, [*TIMES[:2], None, *TIMES[3:]])


def test_nanoarrow_and_slices_are_read(expected):
    nanoarrow = pytest.importorskip("nanoarrow")
    table = pyarrow.table({"card": ["x", *PEOPLE], "ts": ["x", *TIMES]}).slice(1)
    job = cv.Counts(cv.Records(nanoarrow.ArrayStream(table), user="card", time="ts", zone="Europe/Berlin"),
                    cv.Slots("2026-03-28T00:00", "2026-03-29T00:00", "1h", zone="Europe/Berlin"), max_steps=2, epsilon=1.0)
    assert job.run(seed=1, allow_uninformative=True).to_csv() == expected

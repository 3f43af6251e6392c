"""Same seed, same job: what Python releases is what the program releases, byte for byte, from whatever holds the rows."""

import pytest

import chronoveil as cv
from rows import FORMS, METER, SPEEDS, TRIPS, WEEKLY, as_csv

SEED = 7


def counts(source):
    return cv.Counts(cv.Records(source, user="card", time="ts", series="stop", zone="Europe/Berlin"),
                     cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"), keys=["north", "south"], max_steps=2,
                     epsilon=1.0, delta=1e-6, csv="out.csv")


def means(source):
    return cv.Means(cv.Records(source, user="bus", time="at", place="place", value="speed"),
                    cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "6h"), keys=["centre", "port"], upper=65,
                    counts="public", max_cells=2, epsilon=2.0, csv="out.csv")


def perturb(source):
    return cv.Perturb(cv.Records(source, time="time"), window=4, epsilon=2.0, csv="out.csv")


JOBS = [(counts, TRIPS), (means, SPEEDS), (perturb, METER)]


def by_program(make, columns, folder, program):
    (folder / "job.toml").write_text(make(as_csv(columns, folder / "rows.csv")).to_toml("city"), encoding="utf-8")
    program("run", "job.toml", "--seed", SEED)
    text = (folder / "out.csv").read_text(encoding="utf-8")
    (folder / "out.csv").unlink()
    return text


@pytest.mark.parametrize(("make", "columns"), JOBS, ids=lambda one: getattr(one, "__name__", ""))
@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_a_frame_gives_what_the_program_gives_from_a_csv(make, columns, form, folder, program):
    expected = by_program(make, columns, folder, program)
    release = make(form(columns)).run(seed=SEED)
    assert release.to_csv() == expected
    assert (folder / "out.csv").read_text(encoding="utf-8") == expected
    assert release.debit is None and "not private" in release.mark


@pytest.mark.parametrize(("make", "columns"), JOBS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_file_gives_what_the_program_gives(make, columns, folder, program):
    expected = by_program(make, columns, folder, program)
    assert make("rows.csv").run(seed=SEED).to_csv() == expected
    assert cv.read_job("job.toml").run(seed=SEED).to_csv() == expected


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_live_publishes_what_the_program_publishes(form, folder, program):
    def live(source):
        return cv.Live(cv.Records(source, time="time", value="cases"), cv.Slots("2026-03-01", "2026-03-29", "1d"),
                       max_steps=7, epsilon=2.0, name="weekly", csv="out.csv")

    (folder / "job.toml").write_text(live(as_csv(WEEKLY, folder / "rows.csv")).to_toml("city"), encoding="utf-8")
    program("live", "job.toml", "--once", "--seed", SEED)
    expected = (folder / "out.csv").read_text(encoding="utf-8")
    (folder / "out.csv").unlink()
    with pytest.warns(UserWarning, match="all 28 steps"), live(None).open("city", seed=SEED) as session:
        steps = session.push(form(WEEKLY))  # a row closes the steps before it
        steps += session.publish_until("2026-03-29T00:00")
    assert (folder / "out.csv").read_text(encoding="utf-8") == expected
    assert [step.time for step in steps] == WEEKLY["time"]


def test_sources_can_be_databases(folder, program):
    import sqlite3
    as_csv(TRIPS, folder / "rows.csv")
    with sqlite3.connect("rows.db") as database:
        database.execute("create table trips (card, ts, stop)")
        database.executemany("insert into trips values (?, ?, ?)", zip(*TRIPS.values()))
    database.close()
    job = counts("rows.csv")
    database_job = cv.Counts(cv.Records("rows.db", kind="sqlite", table="trips", user="card", time="ts", series="stop",
                                        zone="Europe/Berlin"),
                             cv.Slots("2026-03-28T00:00", "2026-03-30T00:00", "1h"), keys=["north", "south"],
                             max_steps=2, epsilon=1.0, delta=1e-6)
    assert database_job.run(seed=SEED).to_csv() == job.run(seed=SEED).to_csv()

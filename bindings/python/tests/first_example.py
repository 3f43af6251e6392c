"""The first example of docs/python.md, for an environment with one library or none: first_example.py LIBRARY

`bare` is for a machine that has Python and nothing else: no libpq, and no time zones but those of the package tzdata.
"""

import sys
from pathlib import Path

import chronoveil as cv

ROWS = {"who": ["ann", "bob", "ann", "eve"] * 50, "when": ["2026-03-01T08:10", "2026-03-01T08:40", "2026-03-01T11:05",
                                                           "2026-03-01T11:30"] * 50}


def rows_of(library):
    if library == "pandas":
        import pandas
        return pandas.DataFrame(ROWS)
    if library == "polars":
        import polars
        return polars.DataFrame(ROWS)
    if library == "duckdb":
        import duckdb
        values = ", ".join(f"('{who}', '{when}')" for who, when in zip(*ROWS.values()))
        return duckdb.sql(f"select * from (values {values}) as visits(who, when_)").project("who, when_ as \"when\"")
    return ROWS


def try_what_is_missing():
    assert not Path("/usr/share/zoneinfo").exists()
    counts = cv.Counts(cv.Records(ROWS, user="who", time="when"),
                       cv.Slots("2040-03-25T00:00", "2040-03-26T00:00", "1h", zone="Europe/Zurich"), max_steps=4,
                       epsilon=1)
    # The clocks go forward.
    assert len(counts.run(seed=1, allow_empty=True, allow_uninformative=True, progress=False)) == 23
    cv._native.read_zones_from("/nowhere")
    for wanted, asked in (("install tzdata", counts.plan),
                          ("install libpq5", lambda: cv.Ledger("postgresql://h/d")["city"])):
        try:
            asked()
        except cv.StorageError as error:
            assert wanted in str(error), error
        else:
            raise AssertionError(f"it must say: {wanted}")


def main():
    library = sys.argv[1]
    Path("budget.db").unlink(missing_ok=True)
    visits = cv.Ledger("budget.db").create("visits", epsilon=5, unit="user")
    job = cv.Counts(cv.Records(rows_of(library), user="who", time="when", zone="Europe/Zurich"),
                    cv.Slots("2026-03-01T06:00", "2026-03-01T18:00", "1h"), max_steps=4, epsilon=1)
    release = job.run(visits, allow_uninformative=True)
    if library == "pandas":
        assert len(release.to_pandas()) == 12
    if library == "polars":
        assert len(release.to_polars()) == 12
    assert len(release) == 12 and visits.history()[0].id == "visits:1"
    if library == "bare":
        try_what_is_missing()
    print(f"with {library}: {visits!r}")


if __name__ == "__main__":
    main()

"""The first example of docs/python.md, for an environment with one library or none: first_example.py LIBRARY"""

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
    print(f"with {library}: {visits!r}")


if __name__ == "__main__":
    main()

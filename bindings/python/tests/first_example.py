"""The first example of docs/python.md, for an environment with one library or none: first_example.py LIBRARY PAGE

`bare` is for a machine that has Python and nothing else: no libpq, and no time zones but those of the package tzdata.
"""

import doctest
import re
import sys
import time
from pathlib import Path

STARTED = time.monotonic()

import chronoveil as cv  # noqa: E402


def frame_of(library, rows):
    if library == "pandas":
        import pandas
        return pandas.DataFrame(rows)
    if library == "polars":
        import polars
        return polars.DataFrame(rows)
    if library == "duckdb":
        import duckdb
        values = ", ".join(f"('{who}', '{when}')" for who, when in zip(*rows.values()))
        return duckdb.sql(f"select * from (values {values}) as visits(who, when_)").project("who, when_ as \"when\"")
    return rows


def try_what_is_missing(rows):
    assert not Path("/usr/share/zoneinfo").exists()
    counts = cv.Counts(cv.Records(rows, user="who", time="when"),
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


def run(page, library):
    """The names that the first block of the page leaves, with the rows in a frame of the library."""
    block = re.search(r"```python\n(.*?)```", Path(page).read_text(encoding="utf-8"), re.DOTALL)[1]
    first, rest = block.split(">>> visits = ")
    runner, parse = doctest.DocTestRunner(), doctest.DocTestParser().get_doctest

    def names_after(text, names):
        test = parse(text, names, page, page, 0)
        runner.run(test, clear_globs=False)
        return test.globs

    names = names_after(first, {})
    plain = names["rows"]
    names = names_after(">>> visits = " + rest, {**names, "rows": frame_of(library, plain)})
    assert runner.summarize().failed == 0
    return names, plain


def main():
    library, page = sys.argv[1:]
    Path("visits.db").unlink(missing_ok=True)
    names, rows = run(page, library)
    release, visits = names["release"], names["visits"]
    if library == "pandas":
        assert len(release.to_pandas()) == 12
    if library == "polars":
        assert len(release.to_polars()) == 12
    assert len(release) == 12 and visits.history()[0].id == "visits:1"
    seconds = time.monotonic() - STARTED
    if library == "bare":
        try_what_is_missing(rows)
    print(f"with {library}, in {seconds:.2f} s: {visits!r}")


if __name__ == "__main__":
    main()

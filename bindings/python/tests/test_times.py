"""All times of a file that the program writes are read by one call of pandas, as the instants that the JSON has."""

import json

import pytest

from rows import SPEEDS, TRIPS, as_csv

pandas = pytest.importorskip("pandas")

JOB = """version = 1
[dataset]
name = "city"
[source]
path = "rows.csv"
zone = "Europe/Berlin"
{source}
[slots]
start = "{start}"
end = "{end}"
length = "{length}"
{public}
epsilon = 1
[output]
csv = "out.csv"
json = "out.json"
"""
COUNTS = {"source": 'user = "card"\ntime = "ts"\nseries = "stop"',
          "public": '[series]\nkeys = ["north", "south"]\n[privacy]\nmax_steps = 2'}
MEANS = {"source": 'user = "bus"\ntime = "at"\nplace = "place"\nvalue = "speed"',
         "public": '[places]\nkeys = ["centre", "port"]\n[means]\nupper = 65\ncounts = "public"\nmax_cells = 2\n[privacy]'}
SPANS = {"hours in which the clocks go forward": ("2026-03-28T00:00", "2026-03-30T00:00", "30min"),
         "hours in which they go back": ("2026-10-25T00:00", "2026-10-26T00:00", "1h"),
         "hours of one offset": ("2026-03-02T00:00", "2026-03-03T00:00", "1h"),
         "days": ("2026-03-28T00:00", "2026-03-31T00:00", "1d"),
         "weeks": ("2026-03-23T00:00", "2026-04-06T00:00", "1w"),
         "months": ("2026-03-01T00:00", "2026-06-01T00:00", "1mo")}


def instants(times):
    """In milliseconds; a date is the midnight of the job's zone."""
    assert pandas.api.types.is_datetime64_any_dtype(times), times.dtype
    zoned = times.dt.tz_localize("Europe/Berlin") if times.dt.tz is None else times
    return [round(1000 * moment.timestamp()) for moment in zoned]


@pytest.mark.parametrize("span", SPANS)
@pytest.mark.parametrize(("kind", "rows", "column"), [(COUNTS, TRIPS, "time"), (MEANS, SPEEDS, "slot")],
                         ids=("counts", "means"))
def test_one_call_reads_them(kind, rows, column, span, folder, program):
    start, end, length = SPANS[span]
    as_csv(rows, folder / "rows.csv")
    (folder / "job.toml").write_text(JOB.format(start=start, end=end, length=length, **kind), encoding="utf-8")
    program("run", "job.toml", "--seed", 7, "--allow-empty", "--allow-uninformative")
    starts = json.loads((folder / "out.json").read_text(encoding="utf-8"))["boundaries"][:-1]
    assert instants(pandas.read_csv("out.csv", parse_dates=[column])[column]) == 2 * starts

#!/usr/bin/env python3
"""The Python package on a Parquet file: CPU seconds and memory of a release. Needs the wheel and polars.

  python_bench.py make FILE.csv FILE.parquet     the rows of bound_bench, with an `hour` for those who cannot make one
  python_bench.py job FILE.csv JOB.toml          the same release as a job file, for the program
  python_bench.py release FILE.parquet HOW       the same from a lazy frame of polars to a frame of polars (`lazy`) or to a
                                                 CSV (`csv`), or from batches of pyarrow to a frame of polars (`batches`)
  python_bench.py price                          what a price costs beyond the engine's own work

Prints lines of JSON.
"""

import json
import resource
import sys
import timeit

import chronoveil as cv


def counts(source, **more):
    return cv.Counts(cv.Records(source, user="user", time="time", series="sensor"),
                     cv.Slots("2026-03-01T00:00", "2026-04-01T00:00", "1h"),
                     keys=[f"s{number:04}" for number in range(1000)], max_steps=20, epsilon=1, delta=1e-6, **more)


def make(csv, parquet):
    import polars  # pylint: disable=import-outside-toplevel
    rows = polars.scan_csv(csv, schema={name: polars.String for name in ("user", "time", "sensor")})
    rows.with_columns(hour=polars.col("time").str.slice(0, 13)).sink_parquet(parquet)


def release(parquet, how):
    if how == "batches":
        import pyarrow.dataset  # pylint: disable=import-outside-toplevel
        rows = pyarrow.dataset.dataset(parquet).scanner(columns=["user", "time", "sensor"]).to_reader()
    else:
        import polars  # pylint: disable=import-outside-toplevel
        rows = polars.scan_parquet(parquet).select("user", "time", "sensor")
    if how == "csv":
        counts(rows, csv="out.csv").run(seed=1)
    else:
        assert len(counts(rows).run(seed=1).to_polars()) > 0
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"cpu_seconds": used.ru_utime + used.ru_stime, "peak_bytes": used.ru_maxrss * 1024}))


def price():
    event = cv.DpSgd(rate=0.001, noise_multiplier=1.0, count=100_000)
    for name, asked, often in (("100,000 subsampled steps", event, 20), ("nothing to work out", cv.Pure(epsilon=0.1), 2000)):
        cv.epsilon(asked, 1e-6)
        seconds = min(timeit.repeat(lambda e=asked: cv.epsilon(e, 1e-6), number=1, repeat=often))
        print(json.dumps({"name": name, "per_second": 1 / seconds}))


def main():
    what, *rest = sys.argv[1:]
    if what == "make":
        make(*rest)
    elif what == "job":
        with open(rest[1], "w", encoding="utf-8") as file:
            file.write(counts(rest[0], csv="out.csv").to_toml("bench"))
    elif what == "release":
        release(*rest)
    else:
        price()


if __name__ == "__main__":
    main()

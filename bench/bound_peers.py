#!/usr/bin/env python3
"""Rows per second of a plain group-by, count(sensor, hour), of the same file in other engines, with all their threads.

  bound_peers.py FILE [--toy]

Each engine is told the columns and their types, so that it need not guess, and counts in the ways that suit it. They
cap nobody; ours does that besides. Prints lines of JSON: {"peer": "polars 1.0, streaming", "per_second": ...}.
"""

import sys
from importlib import metadata

from peer_timing import best, each_installed, report


def duckdb(path, rows, repetitions):
    import duckdb as engine  # pylint: disable=import-outside-toplevel
    version = "duckdb " + metadata.version("duckdb")
    # Only the sum leaves the engine: handing the groups over to Python would cost more than making them.
    query = ("SELECT sum(n) FROM (SELECT sensor, {hour} AS hour, count(*) AS n FROM read_csv('" + path + "', "
             "header = true, delim = ',', columns = {{'user': 'VARCHAR', 'time': '{type}', 'sensor': 'VARCHAR'}}) "
             "GROUP BY ALL)")
    for name, kind, hour in (("times", "TIMESTAMP", "date_trunc('hour', time)"), ("text", "VARCHAR", "time[:13]")):
        text = query.format(type=kind, hour=hour)
        report(f"{version}, hours by {name}",
               best(rows, repetitions, lambda q=text: int(engine.sql(q).fetchall()[0][0]), counts=True))


def polars(path, rows, repetitions):
    import polars as pl  # pylint: disable=import-outside-toplevel
    version = "polars " + metadata.version("polars")
    frame = pl.scan_csv(path, schema={"user": pl.String, "time": pl.String, "sensor": pl.String})
    times = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%SZ").dt.truncate("1h")
    for name, hour in (("times", times), ("text", pl.col("time").str.slice(0, 13))):
        counted = frame.group_by("sensor", hour.alias("hour")).len()
        for engine in ("streaming", "in-memory"):
            report(f"{version}, hours by {name}, {engine}",
                   best(rows, repetitions, lambda c=counted, e=engine: int(c.collect(engine=e)["len"].sum()),
                        counts=True))


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        rows = sum(1 for _ in file) - 1
    each_installed((duckdb, polars), path, rows, 1 if "--toy" in sys.argv[2:] else 5)


if __name__ == "__main__":
    main()

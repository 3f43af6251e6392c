#!/usr/bin/env python3
"""Rows a second of a plain group-by, count(sensor, hour), of the same file in other engines, with all their threads.

  bound_peers.py FILE [--toy]

Each engine is told the columns and their types, so that it need not guess, and counts in the ways that suit it. Nobody is
capped: that is what ours does besides. Prints lines of JSON: {"peer": "polars 1.0, streaming", "per_second": ...}.
"""

import json
import sys
import time
from importlib import metadata


def best(rows, repetitions, work):
    """The fastest of several repetitions, in rows a second; each must count every row."""
    taken = []
    for _ in range(repetitions):
        start = time.perf_counter()
        counted = work()
        taken.append(time.perf_counter() - start)
        if counted != rows:
            sys.exit(f"bound_peers.py: {counted} of {rows} rows were counted")
    return rows / min(taken)


def report(peer, per_second):
    print(json.dumps({"peer": peer, "per_second": per_second}), flush=True)


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
               best(rows, repetitions, lambda q=text: int(engine.sql(q).fetchall()[0][0])))


def polars(path, rows, repetitions):
    import polars as pl  # pylint: disable=import-outside-toplevel
    version = "polars " + metadata.version("polars")
    frame = pl.scan_csv(path, schema={"user": pl.String, "time": pl.String, "sensor": pl.String})
    times = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%SZ").dt.truncate("1h")
    for name, hour in (("times", times), ("text", pl.col("time").str.slice(0, 13))):
        counted = frame.group_by("sensor", hour.alias("hour")).len()
        for engine in ("streaming", "in-memory"):
            report(f"{version}, hours by {name}, {engine}",
                   best(rows, repetitions, lambda c=counted, e=engine: int(c.collect(engine=e)["len"].sum())))


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        rows = sum(1 for _ in file) - 1
    for engine in (duckdb, polars):
        try:
            engine(path, rows, 1 if "--toy" in sys.argv[2:] else 5)
        except ImportError as missing:
            print(f"{engine.__name__} is left out: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Rows per second of the plain mean of value by (place, hour) of the same file in other engines, with two threads.

  means_peers.py FILE ROWS

Each engine is told the columns and their types, so that it need not guess, and parses the times. They protect nobody;
ours does that besides. Every query runs in a process of its own, so that its peak of memory can be measured. Prints
lines of JSON: {"peer": "polars 1.0, streaming", "per_second": ..., "peak_bytes": ...}.
"""

import os
import resource
import subprocess
import sys
from importlib import metadata

from peer_timing import best, report

THREADS = 2
REPETITIONS = 3
WAYS = ("duckdb", "polars streaming", "polars in-memory")


def duckdb(path):
    import duckdb as engine  # pylint: disable=import-outside-toplevel
    engine.sql(f"SET threads = {THREADS}")
    # Only counts leave the engine: handing the groups over to Python would cost more than making them.
    query = ("SELECT count(*), sum(n), sum(mean) FROM (SELECT place, date_trunc('hour', time) AS hour, "
             "avg(value) AS mean, count(*) AS n FROM read_csv('" + path + "', header = true, delim = ',', columns = "
             "{'user': 'VARCHAR', 'time': 'TIMESTAMP', 'place': 'VARCHAR', 'value': 'DOUBLE'}) GROUP BY ALL)")
    return "duckdb " + metadata.version("duckdb"), lambda: int(engine.sql(query).fetchall()[0][1])


def polars(path, engine):
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)  # before it is loaded
    import polars as pl  # pylint: disable=import-outside-toplevel
    hour = pl.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%SZ").dt.truncate("1h").alias("hour")
    means = pl.scan_csv(path, schema={"user": pl.String, "time": pl.String, "place": pl.String, "value": pl.Float64})
    means = means.group_by("place", hour).agg(pl.col("value").mean().alias("mean"), pl.len().alias("n"))
    return (f"polars {metadata.version('polars')}, {engine}",
            lambda: int(means.collect(engine=engine)["n"].sum()))


def measure(way, path, rows):
    engine, *how = way.split()
    peer, work = duckdb(path) if engine == "duckdb" else polars(path, *how)
    per_second = best(rows, REPETITIONS, work, counts=True)
    report(peer, per_second, peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def main():
    path, rows = sys.argv[1], int(sys.argv[2])
    if len(sys.argv) > 3:
        measure(sys.argv[3], path, rows)
        return
    for way in WAYS:
        subprocess.run([sys.executable, __file__, path, str(rows), way], check=True)


if __name__ == "__main__":
    main()

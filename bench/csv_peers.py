#!/usr/bin/env python3
"""Bytes per second at which other libraries read card, ts (as a timestamp) and stop from a CSV, on one core.

  csv_peers.py FILE

Installs nothing: a library that cannot be imported is left out, and a line on stderr says so. Prints lines of JSON:
{"name": "csv bytes, times in UTC", "peer": "duckdb 2.0.0", "per_second": ...}. Both go through the whole table once and
keep one number, as ours does: building a table would measure memory.
"""

import json
import os
import sys
import time
from importlib import metadata

NAME = "csv bytes, times in UTC"


def duckdb(path):
    import duckdb as module  # pylint: disable=import-outside-toplevel
    connection = module.connect(config={"threads": 1})
    connection.execute("SELECT count(card), max(ts), count(stop) FROM read_csv(?, header = true, parallel = false, "
                       "columns = {'card': 'VARCHAR', 'ts': 'TIMESTAMP', 'stop': 'VARCHAR', 'line': 'VARCHAR', "
                       "'fare': 'VARCHAR'})", [path]).fetchall()


def polars(path, times):
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars as pl  # pylint: disable=import-outside-toplevel
    kind = pl.Datetime("ms") if times == "schema" else pl.String
    frame = pl.scan_csv(path, schema={"card": pl.String, "ts": kind, "stop": pl.String, "line": pl.String,
                                      "fare": pl.String})
    time_column = pl.col("ts") if times == "schema" else pl.col("ts").str.to_datetime("%Y-%m-%dT%H:%M:%S")
    frame.select(pl.col("card").count(), time_column.max(), pl.col("stop").count()).collect()


PEERS = {"duckdb": [duckdb], "polars": [lambda path: polars(path, "schema"), lambda path: polars(path, "format")]}


def main():
    path = sys.argv[1]
    size = os.path.getsize(path)
    for name, ways in PEERS.items():
        try:
            taken = []
            for read in ways * 3:
                start = time.perf_counter()
                read(path)
                taken.append(time.perf_counter() - start)
        except ImportError:
            print(f"csv_peers: {name} is not installed", file=sys.stderr)
            continue
        print(json.dumps({"name": NAME, "peer": f"{name} {metadata.version(name)}", "per_second": size / min(taken)}),
              flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Polars on the Parquet file of python_bench, doing the nearest thing it can: counts per sensor and hour, which cap and
protect nobody. Prints a line of JSON.

  python_peers.py FILE.parquet
"""

import json
import resource
import sys

import polars


def main():
    made = polars.scan_parquet(sys.argv[1]).group_by("sensor", "hour").len().collect(engine="streaming")
    assert len(made) > 0
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"peer": f"polars {polars.__version__}, which caps nobody",
                      "cpu_seconds": used.ru_utime + used.ru_stime, "peak_bytes": used.ru_maxrss * 1024}))


if __name__ == "__main__":
    main()

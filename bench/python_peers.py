#!/usr/bin/env python3
"""OpenDP on the Parquet file of python_bench, doing the nearest thing it can: counts per sensor and hour, of which each
person keeps 20 rows. Prints a line of JSON.

  python_peers.py FILE.parquet
"""

import json
import resource
import sys
from importlib import metadata

import opendp.prelude as dp
import polars as pl


def main():
    dp.enable_features("contrib")
    groups = pl.select(sensor=pl.format("s{}", pl.int_range(1000).cast(pl.String).str.zfill(4))).join(
        pl.select(hour=pl.datetime_range(pl.datetime(2026, 3, 1), pl.datetime(2026, 3, 31, 23), "1h").dt.strftime("%Y-%m-%dT%H")),
        how="cross")
    context = dp.Context.compositor(
        data=pl.scan_parquet(sys.argv[1]), privacy_unit=dp.unit_of(contributions=1, identifier="user"),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-6), split_evenly_over=1)
    made = (context.query().truncate_per_group(20).group_by("sensor", "hour").agg(dp.len())
            .with_keys(groups.lazy()).release().collect())
    assert len(made) == len(groups)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"peer": "opendp " + metadata.version("opendp"), "cpu_seconds": used.ru_utime + used.ru_stime,
                      "peak_bytes": used.ru_maxrss * 1024}))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Peers on the Parquet file of python_bench. Prints a line of JSON.

  python_peers.py FILE.parquet opendp   counts per sensor and hour, of which each person keeps 20 rows, with noise
  python_peers.py FILE.parquet polars   the same counts, which cap and protect nobody
  python_peers.py FILE.parquet reading  the columns read by polars, and nothing made of them
"""

import json
import resource
import sys
from importlib import metadata

import polars as pl


def by_polars(rows):
    return rows.group_by("sensor", "hour").len().collect(engine="streaming"), ", which caps nobody"


def by_reading(rows):
    batches = rows.select("user", "time", "sensor").collect_batches(maintain_order=True)
    return range(sum(len(batch) for batch in batches)), ", which only reads"


def by_opendp(rows):
    import opendp.prelude as dp  # pylint: disable=import-outside-toplevel
    dp.enable_features("contrib")
    hours = pl.datetime_range(pl.datetime(2026, 3, 1), pl.datetime(2026, 3, 31, 23), "1h").dt.strftime("%Y-%m-%dT%H")
    groups = pl.select(sensor=pl.format("s{}", pl.int_range(1000).cast(pl.String).str.zfill(4))).join(
        pl.select(hour=hours), how="cross")
    context = dp.Context.compositor(
        data=rows, privacy_unit=dp.unit_of(contributions=1, identifier="user"),
        privacy_loss=dp.loss_of(epsilon=1.0, delta=1e-6), split_evenly_over=1)
    made = (context.query().truncate_per_group(20).group_by("sensor", "hour").agg(dp.len())
            .with_keys(groups.lazy()).release().collect())
    assert len(made) == len(groups)
    return made, ""


def main():
    path, peer = sys.argv[1:3]
    made, said = {"opendp": by_opendp, "polars": by_polars, "reading": by_reading}[peer](pl.scan_parquet(path))
    assert len(made) > 0
    package = "opendp" if peer == "opendp" else "polars"
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps({"peer": f"{package} {metadata.version(package)}{said}", "cpu_seconds": used.ru_utime + used.ru_stime,
                      "peak_bytes": used.ru_maxrss * 1024}))


if __name__ == "__main__":
    main()

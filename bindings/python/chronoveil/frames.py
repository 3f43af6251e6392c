"""Rows out of whatever holds them, as an Arrow stream.

Frames that speak Arrow (`__arrow_c_stream__`) hand over their batches as they are. The rest of this file is for those
that do not, or that would need pyarrow for it: lazy frames of polars, pandas without pyarrow, plain lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timezone
from typing import Any

from chronoveil import _native

_EPOCH = datetime(1970, 1, 1)


def is_frame(source: object) -> bool:
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "collect_batches") or isinstance(source, Mapping)


def stream_of(source: Any, columns: Iterable[str] | None = None) -> Any:
    """A capsule with an Arrow stream of the rows. `columns`: the ones that are read, if that is known."""
    if hasattr(source, "collect_batches"):  # a lazy frame: computed batch by batch, when rows are read
        empty = source.head(0).collect()
        return _native.chained(empty.__arrow_c_stream__(), lambda: iter(source.collect_batches(maintain_order=True)))
    if hasattr(source, "__arrow_c_stream__"):
        try:
            return source.__arrow_c_stream__()
        except ImportError:  # it would need pyarrow
            pass
    wanted = None if columns is None else set(columns)
    if type(source).__module__.partition(".")[0] == "pandas":
        held = {str(name): _pandas_column(source[name]) for name in source.columns
                if wanted is None or str(name) in wanted}
    elif hasattr(source, "fetchnumpy"):  # a relation of DuckDB
        held = {name: _column(cells.tolist()) for name, cells in source.fetchnumpy().items()
                if wanted is None or name in wanted}
    else:
        held = {str(name): _column(cells) for name, cells in source.items() if wanted is None or str(name) in wanted}
    return _native.stream_of([(name, kind, cells) for name, (kind, cells) in held.items()])


def _instants(cells: list[Any]) -> tuple[str, list[Any]]:
    """Milliseconds since 1970: of a clock where times have no zone, of the world where they have one."""
    aware = any(isinstance(cell, datetime) and cell.tzinfo is not None for cell in cells)
    milliseconds: list[int | None] = []
    for cell in cells:
        if cell is None or cell != cell:
            milliseconds.append(None)
            continue
        moment = cell if isinstance(cell, datetime) else datetime(cell.year, cell.month, cell.day)
        if aware:
            moment = moment.astimezone(timezone.utc).replace(tzinfo=None)
        since = moment - _EPOCH
        milliseconds.append((since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000)
    return ("tsm:UTC" if aware else "tsm:"), milliseconds


def _column(cells: Any) -> tuple[str, list[Any]]:
    held = cells.tolist() if hasattr(cells, "tolist") else list(cells)
    first = next((cell for cell in held if cell is not None and cell == cell), None)
    return _instants(held) if isinstance(first, date) else ("cells", held)


def _pandas_column(series: Any) -> tuple[str, list[Any]]:
    if series.dtype.kind != "M":
        return _column(series.astype(object).where(series.notna(), None).tolist())
    zoned = getattr(series.dtype, "tz", None) is not None
    moments = series.dt.tz_convert("UTC").dt.tz_localize(None) if zoned else series
    cells = moments.astype("datetime64[ms]").astype("int64").where(series.notna(), None).tolist()
    return ("tsm:UTC" if zoned else "tsm:"), [None if cell is None else int(cell) for cell in cells]

"""Rows out of whatever holds them, as an Arrow stream.

Two rules, whatever the source. No row is looked at before the engine asks for the first batch, which is after the debit:
until then names and types of columns must do. And no cell decides how another one is read: a column without a type, such
as a list, goes cell by cell as the text that a CSV would hold.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from chronoveil import _native, errors

_ROWS = 65_536  # per batch
TEXT, NUMBER, LOCAL, INSTANT = "U", "g", "tsm:", "tsm:UTC"  # as Arrow calls them; times are milliseconds


def is_frame(source: object) -> bool:
    return hasattr(source, "__arrow_c_stream__") or hasattr(source, "collect_batches") or isinstance(source, Mapping)


_handed_over: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_kept: dict[int, Any] = {}  # those that cannot be held weakly, such as a `map`


def _references(kept: dict[int, Any], key: int) -> int:
    return sys.getrefcount(kept[key])


_OURS = _references({0: object()}, 0)


def _forget() -> None:
    """Lets go of those that nobody else holds any more, and so nobody can hand over again."""
    for key in list(_kept):
        if _references(_kept, key) <= _OURS:
            del _kept[key]


def _hand_over(source: Any) -> None:
    """What reading uses up is handed over once: whoever read it again would get what is left, as if that were all."""
    if hasattr(source, "collect_batches") or hasattr(source, "fetchnumpy"):
        return  # computed anew
    for one in source.values() if isinstance(source, Mapping) else [source]:
        if hasattr(one, "__len__"):
            continue
        if _handed_over.get(id(one), _kept.get(id(one))) is one:
            raise errors.UsageError("source: these rows can be read once, and a run or a check has read them; hand over new "
                                    "ones", "source")
        try:
            _handed_over[id(one)] = one
        except TypeError:
            _forget()
            _kept[id(one)] = one


def is_pandas(source: object) -> bool:
    """Also a class that is derived from one of pandas, such as GeoDataFrame."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def stream_of(source: Any, columns: Iterable[str] | None = None) -> Any:
    """A capsule with an Arrow stream of the rows. `columns`: the ones that are read, if that is known."""
    wanted = None if columns is None else set(columns)
    _hand_over(source)
    try:
        if hasattr(source, "collect_batches"):
            return _of_lazy(source, wanted)
        if hasattr(source, "fetchnumpy"):
            return _of_relation(source, wanted)
        if is_pandas(source):
            return _of_pandas(source, wanted)
        if hasattr(source, "__arrow_c_stream__"):
            return source.__arrow_c_stream__()
        return _of_mapping(source, wanted)
    except errors.ChronoveilError:
        raise
    except Exception as error:  # a producer's own words may quote data
        raise errors.StorageError(f"source: the rows could not be handed over as an Arrow stream ({type(error).__name__}; "
                                  "its own message is left out, since it may quote data)", "source") from None


class Cells:
    """Columns of stated types, (name, type, cells), as anything else that speaks Arrow."""

    def __init__(self, columns: Sequence[tuple[str, str, list[Any]]]) -> None:
        self._columns = list(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return _native.stream_of(self._columns, text_of)


def is_missing(cell: Any) -> bool:
    """None, what is not a number or not a time, and pandas' NA, which is not even comparable."""
    try:
        return cell is None or bool(cell != cell)
    except TypeError:
        return True


def text_of(cell: Any) -> str | None:
    """The text of a cell that is no text and no number; None if there is none."""
    if is_missing(cell):
        return None
    if not isinstance(cell, datetime):
        return str(cell)
    return (cell if cell.tzinfo is None else cell.astimezone(timezone.utc)).isoformat()


def _later(columns: Sequence[tuple[str, str]], batches: Callable[[], Iterator[Sequence[list[Any]]]]) -> Any:
    """A stream of columns of known names and types, whose cells are asked for batch by batch when rows are wanted."""
    def frames() -> Iterator[Cells]:
        for batch in batches():
            yield Cells([(name, kind, cells) for (name, kind), cells in zip(columns, batch, strict=True)])

    return _native.chained(Cells([(name, kind, []) for name, kind in columns]).__arrow_c_stream__(), frames)


def _is_wanted(name: object, wanted: set[str] | None) -> bool:
    return wanted is None or str(name) in wanted


def _of_lazy(source: Any, wanted: set[str] | None) -> Any:
    chosen = source.select([name for name in source.collect_schema().names() if _is_wanted(name, wanted)])
    return _native.chained(chosen.head(0).collect().__arrow_c_stream__(),
                           lambda: iter(chosen.collect_batches(maintain_order=True)))


def _of_mapping(source: Mapping[Any, Any], wanted: set[str] | None) -> Any:
    held = {str(name): cells for name, cells in source.items() if _is_wanted(name, wanted)}
    lengths = {name: len(cells) for name, cells in held.items() if hasattr(cells, "__len__")}
    for name, length in lengths.items():
        if length != next(iter(lengths.values())):
            raise errors.BadData(f"{name}: the column must have as many cells as the others", name)

    def batches() -> Iterator[list[list[Any]]]:
        yield from _parts([_cells_of(cells) for cells in held.values()])

    return _later([(name, _kind_of(getattr(cells, "dtype", None))) for name, cells in held.items()], batches)


def _cells_of(column: Any) -> list[Any]:
    if hasattr(column, "dt") and hasattr(column.dtype, "kind"):
        return _pandas_cells(column)
    if _kind_of(getattr(column, "dtype", None)) != TEXT:
        return _milliseconds(column)
    for to_list in ("to_pylist", "tolist"):
        if hasattr(column, to_list):
            return list(getattr(column, to_list)())
    return list(column)


def _parts(columns: Sequence[list[Any]]) -> Iterator[list[list[Any]]]:
    if len({len(cells) for cells in columns}) > 1:  # of generators this shows only now
        raise ValueError("columns differ in length")
    for start in range(0, len(columns[0]) if columns else 0, _ROWS):
        yield [cells[start:start + _ROWS] for cells in columns]


def _of_pandas(source: Any, wanted: set[str] | None) -> Any:
    named = [at for at, name in enumerate(source.columns) if _is_wanted(name, wanted)]
    chosen = source.iloc[:, named].reset_index(drop=True)  # an index is no column, though pyarrow makes it one
    empty = chosen.iloc[:0]
    if not any(_is_untyped(kind) for kind in chosen.dtypes):
        try:
            return _native.chained(empty.__arrow_c_stream__(), lambda: iter([chosen]))
        except (AttributeError, ImportError):  # it would need pyarrow
            pass

    def batches() -> Iterator[list[list[Any]]]:
        for start in range(0, len(chosen), _ROWS):
            part = chosen.iloc[start:start + _ROWS]
            yield [_pandas_cells(part.iloc[:, at]) for at in range(part.shape[1])]

    return _later([(str(name), _kind_of(kind)) for name, kind in zip(chosen.columns, chosen.dtypes)], batches)


def _is_untyped(kind: Any) -> bool:
    """Whether cells of a column may be anything, so that a library would guess a type from all of them."""
    held = kind.categories.dtype if hasattr(kind, "categories") else kind
    return bool(held == object)


def _kind_of(kind: Any) -> str:
    if getattr(kind, "kind", None) != "M":
        return TEXT
    arrow = getattr(kind, "pyarrow_dtype", kind)
    return LOCAL if getattr(arrow, "tz", None) is None else INSTANT


def _pandas_cells(series: Any) -> list[Any]:
    if series.dtype.kind != "M":
        return list(series.astype(object).where(series.notna(), None))
    moments = series.dt.tz_convert("UTC").dt.tz_localize(None) if _kind_of(series.dtype) == INSTANT else series
    return _milliseconds(moments.astype("datetime64[ns]").to_numpy())


def _milliseconds(moments: Any) -> list[Any]:
    """Of an array of numpy's times; parts of a millisecond are cut, towards the past."""
    held = moments.astype("datetime64[ms]")
    return [None if missing else cell for missing, cell in zip((held != held).tolist(), held.astype("int64").tolist())]


def _of_relation(source: Any, wanted: set[str] | None) -> Any:
    """A relation of DuckDB, which is computed when rows are wanted. None is computed for its types."""
    types = {name: str(kind) for name, kind in zip(source.columns, source.types) if _is_wanted(name, wanted)}
    chosen = source.project(", ".join(_quoted(name) for name in types)) if types else source
    try:
        return _native.chained(chosen.limit(0).__arrow_c_stream__(), lambda: iter([chosen]))
    except (AttributeError, ImportError):  # it would need pyarrow
        pass
    kinds = {name: _relation_kind(kind) for name, kind in types.items()}

    def batches() -> Iterator[list[list[Any]]]:
        # Numpy has no numbers of 128 bits: they would be rounded.
        held = source.project(", ".join(
            f"cast({_quoted(name)} as varchar) as {_quoted(name)}" if kind.startswith(("HUGEINT", "UHUGEINT", "DECIMAL"))
            else _quoted(name) for name, kind in types.items())).fetchnumpy()
        yield from _parts([held[name].tolist() if kind == TEXT else _unmasked(held[name])
                           for name, kind in kinds.items()])

    return _later(list(kinds.items()), batches)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _relation_kind(kind: str) -> str:
    if not kind.startswith("TIMESTAMP"):
        return TEXT
    return INSTANT if kind.endswith("WITH TIME ZONE") else LOCAL


def _unmasked(moments: Any) -> list[Any]:
    return _milliseconds(moments.filled("NaT") if hasattr(moments, "filled") else moments)

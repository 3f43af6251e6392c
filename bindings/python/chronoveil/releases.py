"""A release: a table that may be published, with what it promises."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from chronoveil import _native
from chronoveil.drawing import lines_svg

__all__ = ["Guarantee", "Release"]

_SHOWN_ROWS = 5
_SHOWN_SERIES = 6


@dataclass(frozen=True)
class Guarantee:
    """What an output promises, to whom, on which assumptions: (basis, text), enforced by us or declared by you."""

    definition: str
    unit: str
    width: int
    window: int
    relation: str
    epsilon: float
    delta: float
    certificate: str
    assumptions: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        unit = f"{self.unit} of width {self.width}" if self.unit == "w-event" else self.unit
        within = f" within {self.window} steps" if self.window else ""
        return (f"{self.definition}, unit {unit}, {self.relation}{within}: ε = {_native.rounded_up(self.epsilon)}, "
                f"δ = {_native.rounded_up(self.delta)} ({self.certificate})")


def guarantee_of(told: Mapping[str, Any]) -> Guarantee:
    return Guarantee(**{**told, "assumptions": tuple(told["assumptions"])})


class Release:
    """Counts, means, or a perturbed series, as a table. It is stored: looking at it again never draws noise again.

    It speaks Arrow (`__arrow_c_stream__`), so `polars.DataFrame(release)` and `pyarrow.table(release)` work, and
    `columns` has its cells as lists for those who have neither.

    >>> import chronoveil as cv
    >>> rows = {"card": ["a", "b"], "ts": ["2026-03-01T08:30", "2026-03-01T09:30"]}
    >>> release = cv.Counts(cv.Records(rows, user="card", time="ts"),
    ...                     cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1d"), max_steps=1, epsilon=1).run(seed=1)
    >>> release.mark
    '...not private...'
    >>> list(release.to_nixtla().columns)
    ['unique_id', 'ds', 'y']
    """

    def __init__(self, native: _native.Release) -> None:
        self._native = native
        self.kind = native.kind
        self.guarantee = guarantee_of(native.guarantee)
        self.mark: str = native.mark
        self.mechanism: str = native.mechanism
        self.not_protected: list[str] = native.not_protected

    @property
    def debit(self) -> str | None:
        """The debit that paid for it, such as "city:1"; none if it is not private."""
        debit = self._native.debit
        return None if debit is None else debit["id"]

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self._native.arrow()

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        """The cells by column, in the order of the CSV: numbers as floats, None where nothing is published."""
        head, *rows = csv.reader(io.StringIO(self.to_csv()), delimiter=",")
        held: dict[str, list[Any]] = {name: list(cells) for name, cells in zip(head, zip(*rows))}
        if self.kind != "perturb":
            for name in held.keys() & {"value", "mean", "lower", "upper", "longitude", "latitude"}:
                held[name] = [float(cell) if cell else None for cell in held[name]]
            if "sampled" in held:
                held["sampled"] = [cell == "1" for cell in held["sampled"]]
        return held

    @property
    def _time(self) -> str:
        return {"counts": "time", "means": "slot"}.get(self.kind, next(iter(self.columns)))

    @property
    def _value(self) -> str:
        return "mean" if self.kind == "means" else "value"

    def _series(self) -> dict[str, list[int]]:
        """The rows of each series or place, in order."""
        key = "place" if self.kind == "means" else "series"
        rows: dict[str, list[int]] = {}
        for row, name in enumerate(self.columns.get(key, [""] * len(self))):
            rows.setdefault(name, []).append(row)
        return rows

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str:
        """The rows as CSV, byte for byte as the program writes them."""
        return _written(path, self._native.csv())

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """The document that is stored, digested and signed."""
        return _written(path, self._native.json())

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page for the public: the series, what is promised and what is not."""
        return _written(path, self._native.html())

    @property
    def document(self) -> dict[str, Any]:
        """`to_json()` as a dictionary."""
        return dict(json.loads(self.to_json()))

    def to_pandas(self) -> Any:
        """A DataFrame of pandas; times are in the zone of the slots. It needs no pyarrow."""
        import pandas
        frame = pandas.DataFrame(self.columns)
        if self.kind != "perturb":
            whole_days = bool(len(frame)) and "T" not in frame[self._time].iloc[0]
            times = pandas.to_datetime(frame[self._time], utc=not whole_days)
            frame[self._time] = times if whole_days else times.dt.tz_convert(self._native.zone)
            for name in frame.columns.intersection(["value", "mean", "lower", "upper"]):
                frame[name] = frame[name].astype(float)
        return frame

    def to_polars(self) -> Any:
        """A DataFrame of polars."""
        import polars
        return polars.DataFrame(self)

    def to_nixtla(self) -> Any:
        """A DataFrame of pandas with the columns unique_id, ds and y, as StatsForecast and its kin take it: times of
        the slots' clock, without a zone. `attrs["mark"]` says so if it is not private."""
        if self.kind == "perturb":
            raise TypeError("a perturbed series has columns of its own; take to_pandas()")
        frame = self.to_pandas()
        key = "place" if self.kind == "means" else "series"
        zone = getattr(frame[self._time].dtype, "tz", None)
        table = type(frame)({"unique_id": frame[key] if key in frame else "",
                             "ds": frame[self._time].dt.tz_localize(None) if zone else frame[self._time],
                             "y": frame[self._value]})
        table.attrs["mark"] = self.mark
        return table

    def plot(self, series: Sequence[str] | None = None, ax: Any = None) -> Any:
        """The series with their intervals, by matplotlib. The first six unless named."""
        import matplotlib.pyplot
        axes = ax if ax is not None else matplotlib.pyplot.subplots()[1]
        times = self.to_pandas()[self._time]
        for name, rows in self._series().items():
            if series is not None and name not in series:
                continue
            if series is None and len(axes.lines) == _SHOWN_SERIES:
                break
            value, lower, upper = (self._numbers(column, rows) for column in (self._value, "lower", "upper"))
            line, = axes.plot(times.iloc[rows], value, label=name or None)
            axes.fill_between(times.iloc[rows], lower, upper, alpha=0.2, color=line.get_color())
        if axes.get_legend_handles_labels()[1]:
            axes.legend()
        axes.set_title(self._native.title or str(self.guarantee), fontsize="small")
        return axes

    def _numbers(self, column: str, rows: Sequence[int]) -> list[float]:
        cells = self.columns[column]
        return [float("nan") if cells[row] is None else cells[row] for row in rows]

    def _head(self) -> str:
        paid = f"debit {self.debit}" if self.debit else self.mark
        return f"{self.kind} by {self.mechanism}, {len(self)} rows; {paid}"

    def __repr__(self) -> str:
        names = list(self.columns)
        rows = [names, *([str(self.columns[name][row]) for name in names] for row in range(min(_SHOWN_ROWS, len(self))))]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([self._head(), str(self.guarantee), *lines, *(["..."] if len(self) > _SHOWN_ROWS else [])])

    def _repr_html_(self) -> str:
        """Of the same size however many series there are."""
        names = list(self.columns)[:12]
        body = "".join(f"<tr>{''.join(f'<td>{escape(str(self.columns[name][row])[:80])}</td>' for name in names)}</tr>"
                       for row in range(min(_SHOWN_ROWS, len(self))))
        drawn = ""
        if self.kind != "perturb":
            for name, rows in list(self._series().items())[:_SHOWN_SERIES]:
                drawn += lines_svg(name[:60], *(self._numbers(column, rows)
                                                for column in (self._value, "lower", "upper")))
        assumptions = "".join(f"<li>{escape(basis)}: {escape(text)}</li>" for basis, text in self.guarantee.assumptions)
        return (f"<div><p><b>{escape(self._head())}</b><br>{escape(str(self.guarantee))}</p><ul>{assumptions}</ul>{drawn}"
                f"<table><thead><tr>{''.join(f'<th>{escape(name[:80])}</th>' for name in names)}</tr></thead>"
                f"<tbody>{body}</tbody></table></div>")


def _written(path: str | os.PathLike[str] | None, text: str) -> str:
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="")
    return text

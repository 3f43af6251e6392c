"""What a model says of the steps after a history."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from chronoveil import errors
from chronoveil.frames import INSTANT, NUMBER, TEXT, Cells

__all__ = ["Forecast"]

STATED = (20, 40, 60, 80)  # the intervals between quantiles that every forecast has


def _table(text: str) -> dict[str, list[str]]:
    head, *rows = csv.reader(io.StringIO(text))
    return {name: list(cells) for name, cells in zip(head, zip(*rows))}


def _quantile(ordered: Sequence[float], share: float) -> float:
    """By linear interpolation between order statistics."""
    place = share * (len(ordered) - 1)
    below = int(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low + (place - below) * (high - low)


class Forecast:
    """Quantiles per series and step, and the ends of intervals. It speaks Arrow (`__arrow_c_stream__`), and `columns`
    has its cells as lists."""

    def __init__(self, text: str, paths: str | None = None, levels: Sequence[int] = (80,)) -> None:
        self.columns: dict[str, list[Any]] = {
            name: [float(cell) for cell in cells] if name.startswith("q") else cells
            for name, cells in _table(text).items()}
        self.levels = tuple(levels)
        self._drawn: dict[tuple[str, str], list[float]] = {}
        if paths is not None:
            drawn = _table(paths)
            for series, time, value in zip(self._series(drawn), drawn["time"], drawn["value"]):
                self._drawn.setdefault((series, time), []).append(float(value))
            for values in self._drawn.values():
                values.sort()

    @staticmethod
    def _series(table: Mapping[str, list[str]]) -> list[str]:
        return table.get("series", [""] * len(table["time"]))

    def __len__(self) -> int:
        return len(self.columns["time"])

    def interval(self, level: int) -> tuple[list[float], list[float]]:
        """The lower and upper ends of the interval that holds `level` percent. Those of 20, 40, 60 and 80 lie between
        stated quantiles; others are read off the sample paths, and never contradict the stated ones."""
        tails = (f"q{(100 - level) // 2}", f"q{(100 + level) // 2}")
        if level in STATED:
            return self.columns[tails[0]], self.columns[tails[1]]
        if not self._drawn or not 0 < level < 100:
            raise errors.UsageError(f"levels: {level}; it must be one of 20, 40, 60, 80, or one that the forecast was made "
                                    "for: forecast(..., levels=(80, 90))", "levels", str(level),
                                    "one that the forecast was made for")
        drawn = [self._drawn[key] for key in zip(self._series(self.columns), self.columns["time"])]
        lower = [_quantile(values, (100 - level) / 200) for values in drawn]
        upper = [_quantile(values, (100 + level) / 200) for values in drawn]
        for stated in STATED:
            inside = self.interval(stated)
            wider, narrower = (min, max) if stated < level else (max, min)
            lower = [wider(ends) for ends in zip(lower, inside[0])]
            upper = [narrower(ends) for ends in zip(upper, inside[1])]
        return lower, upper

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        def column(name: str, cells: list[Any]) -> tuple[str, str, list[Any]]:
            if name == "time":
                return name, INSTANT, [round(datetime.fromisoformat(time).timestamp() * 1000) for time in cells]
            return name, NUMBER if name.startswith("q") else TEXT, cells

        return Cells([column(name, cells) for name, cells in self.columns.items()]).__arrow_c_stream__()

    def to_polars(self) -> Any:
        """A DataFrame of polars; times are in UTC."""
        import polars
        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """A DataFrame of pandas; times are in UTC."""
        import pandas
        frame = pandas.DataFrame(self.columns)
        frame["time"] = pandas.to_datetime(frame["time"], utc=True)
        return frame

    def to_nixtla(self, name: str = "chronoveil", levels: Sequence[int] | None = None) -> Any:
        """unique_id, ds, the median, and for each level the ends of its interval: NAME-lo-90, NAME-hi-90. The levels are
        those that the forecast was made for, unless given."""
        frame = self.to_pandas()
        table = {"unique_id": frame["series"] if "series" in frame else "", "ds": frame["time"].dt.tz_localize(None),
                 name: frame["q50"]}
        for level in self.levels if levels is None else levels:
            table[f"{name}-lo-{level}"], table[f"{name}-hi-{level}"] = self.interval(level)
        return type(frame)(table)

"""A small chart of one series with its intervals, as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

_WIDTH, _HEIGHT, _POINTS = 320, 60, 160


def _thinned(numbers: Sequence[float]) -> list[float]:
    step = max(1, math.ceil(len(numbers) / _POINTS))
    return list(numbers[::step])


def lines_svg(name: str, value: Sequence[float], lower: Sequence[float], upper: Sequence[float]) -> str:
    """At most 160 points, whatever the length of the series."""
    drawn = [_thinned(numbers) for numbers in (value, lower, upper)]
    there = [number for numbers in drawn for number in numbers if math.isfinite(number)]
    if not there:
        return ""
    least, most = min(there), max(there)
    span = most - least or 1

    def points(numbers: Sequence[float]) -> list[str]:
        across = max(1, len(numbers) - 1)
        return [f"{_WIDTH * place / across:.0f},{_HEIGHT * (1 - (number - least) / span):.1f}"
                for place, number in enumerate(numbers) if math.isfinite(number)]

    middle, below, above = (points(numbers) for numbers in drawn)
    return (f'<figure style="display:inline-block;margin:.3em"><figcaption>{escape(name)}</figcaption>'
            f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{escape(name)}, from {least:.4g} to {most:.4g}">'
            f'<polygon points="{" ".join(above + below[::-1])}" fill="#2a7" opacity=".25"/>'
            f'<polyline points="{" ".join(middle)}" fill="none" stroke="#2a7"/></svg></figure>')

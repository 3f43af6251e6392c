"""A live release: rows go in, published steps come out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

from chronoveil import _native
from chronoveil.frames import stream_of
from chronoveil.releases import Guarantee, guarantee_of

__all__ = ["LiveSession", "Standing", "Step"]


class Step(NamedTuple):
    """One slot of one series, as it was published."""

    series: str
    time: str
    value: float
    lower: float
    upper: float
    sampled: bool
    mark: str = ""  # of a rehearsal: that it is not private


@dataclass(frozen=True)
class Standing:
    """How a live release stands."""

    name: str
    stage: str
    debit: str | None
    mechanism: str
    steps: int
    published: int
    last: str
    broken: int
    mark: str
    guarantee: Guarantee | None


def standing_of(told: dict[str, Any]) -> Standing:
    guarantee = told.pop("guarantee")
    return Standing(guarantee=None if guarantee is None else guarantee_of(guarantee), **told)


def warn(text: str) -> None:
    """What the owner of a live release should know while it runs, such as refused rows."""
    warnings.warn(text, stacklevel=3)


class LiveSession:
    """An open live release, and a context manager: at the end of the block the outputs that are written whole are
    written, and the release stays open for the next session. However the block ends, it lets go of the folder of the
    release: whoever runs the block again goes on.

    A step is durable, with what it used of the debit, before anybody sees it. After a crash, open the session again and
    push again the rows of all steps after the last published one: no question is asked twice.
    """

    def __init__(self, native: _native.LiveSession, columns: list[str] | None) -> None:
        self._native = native
        self._columns = columns
        self.standing: Standing | None = None

    @property
    def caught_up(self) -> list[Step]:
        """Steps that were worked out before a crash and that nobody has seen yet."""
        return [Step(*step) for step in self._native.caught_up()]

    def push(self, rows: Any) -> list[Step]:
        """Takes rows: a frame, or anything else that `Records` takes in memory. Where rows are people nothing is
        published by them: say with `publish_until()` which steps are over."""
        return [Step(*step) for step in self._native.push(stream_of(rows, self._columns))]

    def publish_until(self, time: str) -> list[Step]:
        """Publishes the steps that end by this time ("2026-03-01T05:00", by the clock of the slots)."""
        return [Step(*step) for step in self._native.publish_until(time)]

    def publish_due(self) -> list[Step]:
        """The same by the system's clock, for a job with `clock="system"`."""
        return [Step(*step) for step in self._native.publish_due()]

    def end(self) -> Standing:
        """Writes the outputs that are written whole. Nothing can be pushed after it."""
        self.standing = standing_of(self._native.end())
        return self.standing

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if error is None and self.standing is None:
                self.end()
        finally:
            self._native.close()

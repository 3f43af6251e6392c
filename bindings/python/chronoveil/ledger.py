"""Budgets that last: a ledger, its datasets, their debits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from chronoveil import _native
from chronoveil.events import Event, as_event, relation_of

__all__ = ["Dataset", "Debit", "Ledger", "Verification"]

_BAR = 40


def without_password(text: str) -> str:
    """For what is shown, which a notebook keeps: the text, with the passwords of its URLs left out."""
    text = re.sub(r"(\w+://[^\s:/@\"]*):[^\s@\"]*@", r"\1@", text)
    return re.sub(r"([?&]password=)[^\s&\"]*", r"\1...", text)


@dataclass(frozen=True)
class Debit:
    """One debit of a dataset. Whatever became of it, it stays spent."""

    id: str
    recorded_at: str
    recorded_by: str
    purpose: str
    mechanism: str
    state: str
    event: Event
    chain_head: str


@dataclass(frozen=True)
class Verification:
    """What checking every row of a ledger found; it holds if nothing was found."""

    datasets: int
    rows: int
    debits: int
    findings: list[str]

    def __bool__(self) -> bool:
        return not self.findings


class Dataset:
    """A named population with its budget, as it stands whenever you look.

    Its `repr`, and in a notebook its bar, tell how much is left and how many more releases like the last one fit.
    """

    def __init__(self, ledger: Ledger, name: str, part: str | None = None) -> None:
        self.ledger = ledger
        self.name = name
        self.part = part

    def _view(self) -> dict[str, Any]:
        return self.ledger._opened().view(self.name, self.part)

    @property
    def epsilon(self) -> float:
        return float(self._view()["epsilon"])

    @property
    def delta(self) -> float:
        return float(self._view()["delta"])

    @property
    def unit(self) -> str:
        return str(self._view()["unit"])

    @property
    def relation(self) -> str:
        return str(self._view()["relation"])

    @property
    def left(self) -> float:
        """The share of the budget that is left, from 1 to 0."""
        return float(self._view()["share_left"])

    @property
    def room(self) -> int | None:
        """How many more releases like the last one fit; None before the first."""
        room = self.ledger._opened().room(self.name, self.part)
        return None if room is None else int(room["more"])

    def history(self) -> list[Debit]:
        """Every debit, the oldest first."""
        return [Debit(event=Event.from_json(one.pop("event")), **one)
                for one in self.ledger._opened().history(self.name)]

    def debit(self, event: Any, purpose: str = "", *, delta: float | None = None, relation: str | None = None) -> str:
        """Debits an event that happens outside of this library, and returns the id of the debit. `relation`: what its
        noise is for, where that is not the dataset's; noise for a unit added or removed is half of that for a replaced one.

        >>> import chronoveil as cv
        >>> city = cv.Ledger("debit.db").create("city", epsilon=2, delta=1e-6)
        >>> city.debit(cv.Gaussian(noise_multiplier=31, count=52), "weekly counts")
        'city:1'
        """
        return self.ledger._opened().debit(self.name, as_event(event).to_json(), purpose, self.part, delta,
                                           relation or relation_of(event))

    def settle(self, debit: str, state: str = "released") -> None:
        """Says what became of a debit: released or abandoned. Nothing is given back."""
        self.ledger._opened().settle(debit, state)

    def close(self, reason: str) -> None:
        """No more debits, for good."""
        self.ledger._opened().close(self.name, reason)

    def _told(self) -> tuple[dict[str, Any], str, str]:
        view, room = self._view(), self.ledger._opened().room(self.name, self.part)
        promise = f"ε = {_native.rounded_up(view['epsilon'])}"
        promise += f", δ = {_native.rounded_up(view['delta'])}" if view["delta"] else ""
        promise += f" for each {view['renews']}" if view["renews"] else " in total"
        line = f"{self.name}: {promise}, unit {view['unit']}, {view['relation']}, filter {view['filter']}"
        if view["closed"]:
            line += f"; closed: {view['closed']}"
        return view, line, room["text"] if room else "no debit yet"

    def __repr__(self) -> str:
        view, line, room = self._told()
        full = int(view["share_left"] * _BAR)
        return (f"{line}\n  {'█' * full}{'░' * (_BAR - full)} {100 * view['share_left']:.1f} % left\n"
                f"  {room}\n  still admits {view['still_admits']}")

    def _repr_html_(self) -> str:
        view, line, room = self._told()
        left = 100 * view["share_left"]
        return (f'<div style="max-width:40em"><b>{escape(line)}</b>'
                f'<div role="meter" aria-label="budget left" aria-valuemin="0" aria-valuemax="100" '
                f'aria-valuenow="{left:.1f}" style="border:1px solid currentColor;height:1em;margin:.3em 0">'
                f'<div style="background:#2a7;height:100%;width:{left:.1f}%"></div></div>'
                f"{left:.1f} % left; {escape(room)}<br>still admits {escape(view['still_admits'])}</div>")


class Ledger:
    """Budgets at a path or a URL of PostgreSQL; without either, the user's own, as the program takes it.

    >>> import chronoveil as cv
    >>> ledger = cv.Ledger("budget.db")
    >>> city = ledger.create("city", epsilon=2, delta=1e-6, unit="user")
    >>> print(city)
    city: ε = 2, δ = 1e-06 in total, unit user, add_remove, filter union
      ████████████████████████████████████████ 100.0 % left
      no debit yet
      still admits a gaussian with noise_multiplier >= 2.2726..., or a pure event with epsilon <= 2
    >>> [dataset.name for dataset in ledger]
    ['city']

    Threads may share one. A process that was forked must open its own.
    """

    def __init__(self, where: str | os.PathLike[str] = "", *, who: str | None = None) -> None:
        self.where = os.fspath(where)
        self._who = who
        self._native: _native.Ledger | None = None

    def _opened(self, must_exist: bool = True) -> _native.Ledger:
        if self._native is None:
            self._native = _native.Ledger(self.where, must_exist, self._who)
        return self._native

    def create(self, name: str, *, epsilon: float, delta: float = 0, unit: str | None = None, width: int = 1,
               window: int | None = None, relation: str = "add_remove", filter: str | None = None,
               renews: str | None = None, parts: Sequence[str] = (), parts_by: str | None = None,
               straddle: int | None = None) -> Dataset:
        """A new dataset with its budget, which is fixed for good, in a ledger that is created if there is none. `width`
        is of w-event, `window` of swap, which needs it. docs/ledger.md explains them all."""
        _native.create_dataset(self.where, self._who, name, epsilon, delta, unit, width, window, relation, filter, renews,
                               list(parts), parts_by, straddle)
        return Dataset(self, name)

    def dataset(self, name: str, part: str | None = None) -> Dataset:
        """A dataset that is there, or a part of it."""
        self._opened().view(name, part)
        return Dataset(self, name, part)

    __getitem__ = dataset

    def __iter__(self) -> Iterator[Dataset]:
        return iter([Dataset(self, name) for name in self._opened().datasets()])

    def __contains__(self, name: object) -> bool:
        return name in self._opened().datasets()

    def __len__(self) -> int:
        return len(self._opened().datasets())

    def verify(self, *datasets: str, signed_by: str | os.PathLike[str] | None = None) -> Verification:
        """Checks every row, and what lies beside the ledger. True if all is as it was written.

        >>> import chronoveil as cv
        >>> ledger = cv.Ledger("verify.db")
        >>> _ = ledger.create("city", epsilon=2).debit(cv.Pure(epsilon=1))
        >>> bool(ledger.verify()), ledger["city"].room
        (True, 1)
        """
        return Verification(**self._opened().verify(list(datasets), None if signed_by is None else os.fspath(signed_by)))

    def verify_release(self, release_json: str) -> list[str]:
        """What a release says that its debit contradicts, in sentences; empty if it holds."""
        return self._opened().held_against(release_json)

    def remove(self, dataset: str) -> None:
        """Frees the name of a dataset that has no debit."""
        self._opened().remove(dataset)

    def back_up(self, to: str | os.PathLike[str]) -> None:
        """Copies every row to an empty place."""
        self._opened().back_up(os.fspath(to))

    def restore(self, source: str | os.PathLike[str]) -> None:
        """Takes in the datasets of a backup that this ledger does not have."""
        self._opened(must_exist=False).restore(os.fspath(source))

    @property
    def place(self) -> str:
        """Where it is."""
        return self._opened().place

    def __repr__(self) -> str:
        return f"Ledger({without_password(self.where)!r})"

    def _repr_html_(self) -> str:
        return "".join(dataset._repr_html_() for dataset in self)

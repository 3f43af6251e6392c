"""What a plan says, and what a check found. Neither costs anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from chronoveil import _native
from chronoveil.events import Event
from chronoveil.releases import Guarantee, guarantee_of

if TYPE_CHECKING:
    import os

    from chronoveil.jobs import Job
    from chronoveil.ledger import Dataset

__all__ = ["Check", "Comparison", "Plan"]


def _figure(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in ("epsilon", "delta"):
        return _native.rounded_up(value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


class Comparison:
    """Every mechanism for one job: those that fit with their noise, the others with the reason why they do not."""

    def __init__(self, candidates: Sequence[Mapping[str, Any]], recommended: str) -> None:
        self.candidates = list(candidates)
        self.recommended = recommended

    def _table(self) -> list[list[str]]:
        fit = [one for one in self.candidates if one["fits"]]
        names = [name for name in dict.fromkeys(name for one in fit for name in one)
                 if name != "fits" and any(one.get(name) not in (None, "") for one in fit)]
        return [names, *([_figure(name, one.get(name)) for name in names] for one in fit)]

    def _refused(self) -> list[str]:
        return [f"{one['mechanism']} does not fit: {one['why_not']}" for one in self.candidates if not one["fits"]]

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        table = self._table()
        widths = [max(map(len, column)) for column in zip(*table)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
        return "\n".join([*lines, *("  " + line for line in self._refused())])

    def _repr_html_(self) -> str:
        head, *rows = self._table()
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        refused = "".join(f"<li>{escape(line)}</li>" for line in self._refused())
        return (f"<table><thead><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr></thead>"
                f"<tbody>{body}</tbody></table><ul>{refused}</ul>")


class Plan:
    """What would be released by which mechanism, with which noise, at which price: from public facts only.

    >>> import chronoveil as cv
    >>> plan = cv.Counts(cv.Records(user="card", time="ts"),
    ...                  cv.Slots("2026-03-01T00:00", "2026-03-08T00:00", "1h"),
    ...                  max_steps=20, epsilon=1, delta=1e-6).plan()
    >>> plan.mechanism, round(plan.guarantee.epsilon, 6)
    ('shrink', 1.0)
    >>> plan.compare().recommended
    'shrink'
    >>> list(plan.caps())  # for pandas.DataFrame(plan.caps())
    ['max_steps', '1h', '1d']
    """

    def __init__(self, told: Mapping[str, Any], job: Job) -> None:
        self._told = told
        self.job = job
        self.mechanism: str = told["mechanism"]
        self.parameters: dict[str, Any] = dict(told["parameters"])
        self.reason: str = told["reason"]
        self.event: Event = Event.from_json(told["event"])
        self.guarantee: Guarantee = guarantee_of(told["guarantee"])
        self.tells_nothing: str = told.get("tells_nothing", "")

    def compare(self) -> Comparison:
        """The mechanisms side by side."""
        return Comparison(self._told["candidates"], self._told["recommended"])

    def caps(self) -> dict[str, list[Any]] | None:
        """How far off one cell would be, by the cap on a person's slots and the length of a slot: a column for each length.
        Before any smoothing, unless the job has a public sample. None where no such cap is protected."""
        table = self.job._read().caps()
        return None if table is None else {"max_steps": table[0], **table[1]}

    def to_toml(self, dataset: Dataset | str | None = None, *, source: str | os.PathLike[str] | None = None) -> str:
        """The job of this plan as a job file."""
        return self.job.to_toml(dataset, source=source)

    def run(self, dataset: Dataset | str | None = None, **options: Any) -> Any:
        """Runs the job of this plan: what `Job.run` gives, with its options."""
        return self.job.run(dataset, **options)

    def __repr__(self) -> str:
        lines = [f"chosen    {self.mechanism}: ε = {_native.rounded_up(self._told['epsilon'])}, "
                 f"δ = {_native.rounded_up(self._told['delta'])}",
                 f"because   {self.reason}", f"promises  {self.guarantee}"]
        advised = self._told["recommended"]
        if advised and advised != self.mechanism:
            lines.append(f"advised   {advised}: {self._told['advice']}")
        if self.tells_nothing:
            lines.append(f"refused   {self.tells_nothing}")
        return "\n".join(lines)


class Check:
    """What `run()` would do, found without a debit. `seen` is what the rows hold: private, for the owner alone."""

    def __init__(self, told: Mapping[str, Any], job: Job) -> None:
        self.plan = Plan(told["plan"], job)
        self.left: float = told["budget"]["share_left"]
        self.room: int = told["room"]["more"]
        self.share: float = told["room"]["share"]
        self.earlier: str | None = told["earlier"]
        self.seen: dict[str, Any] | None = told["seen"]
        self._text: str = told["room"]["text"]

    def __repr__(self) -> str:
        lines = [repr(self.plan), f"budget    {100 * self.left:.1f} % left; {self._text}"]
        if self.earlier:
            lines.append(f"earlier   the same job was debited as {self.earlier}")
        return "\n".join(lines)

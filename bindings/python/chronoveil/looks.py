"""What a look found: how many slots people fill, with noise, and the job with the caps that follow."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chronoveil.releases import guarantee_of

if TYPE_CHECKING:
    from chronoveil.jobs import Job

__all__ = ["Look"]


class Look:
    """A private look at how many slots people fill; it may be published. `job` has the caps; it is None if too few people
    were seen, or if the look is not private."""

    def __init__(self, told: Mapping[str, Any], job: Job) -> None:
        self.document: dict[str, Any] = json.loads(told["document"])
        self.guarantee = guarantee_of(told["guarantee"])
        self.mark: str = self.document.get("mark", "")
        self.people: float = self.document["people"]
        self.choices: list[dict[str, Any]] = self.document["choices"]
        self.proposal: dict[str, Any] = {one["key"]: _value(one["value"]) for one in self.document["proposal"]}
        values = {key: _value(value) for key, value in told["values"]}
        self.job: Job | None = job._with(values) if values else None

    @property
    def debit(self) -> str | None:
        """The debit that paid for it; none if it is not private."""
        debit = self.document.get("debit")
        return None if debit is None else str(debit["id"])

    def __repr__(self) -> str:
        caps = ", ".join(f"{key.rpartition('.')[2]}={value!r}" for key, value in self.proposal.items())
        return (f"a look at about {max(0.0, self.people):.0f} people; {f'debit {self.debit}' if self.debit else self.mark}\n"
                f"{self.guarantee}\n{caps or 'too few people for this noise: no cap can be proposed'}")


def _value(text: str) -> Any:
    return tomllib.loads(f"value = {text}")["value"]

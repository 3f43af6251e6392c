"""What events cost: certified prices, calibration, and an accountant with the feel of dp_accounting."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from chronoveil import _native
from chronoveil.events import Event, as_event, as_events

__all__ = ["Accountant", "Calibration", "Price", "calibrate", "delta", "epsilon", "max_count", "other_prices"]


@dataclass(frozen=True)
class Price:
    """`epsilon` and `delta` are upper bounds, certified; the lower ones bound the same analysis from below."""

    epsilon: float
    epsilon_lower: float
    delta: float
    delta_lower: float
    certificate: str
    epsilon_attained: float | None = None
    delta_attained: float | None = None
    beta: float = 0
    reason: str = ""


@dataclass(frozen=True)
class Calibration:
    """The least noise within a price."""

    parameter: str
    noise: float
    event: Event
    price: Price


def epsilon(event: Any, delta: float, *, analysis: str = "certified", tolerance: float = 1e-3,
            attained: bool = False) -> Price:
    """The smallest ε at which the event is (ε, δ)-differentially private.

    >>> import chronoveil as cv
    >>> price = cv.epsilon(cv.Gaussian(noise_multiplier=50, count=1000), delta=1e-6)
    >>> round(price.epsilon, 2), price.certificate
    (2.92, 'exact')
    """
    return Price(**_native.epsilon(as_event(event).to_json(), delta, analysis, tolerance, attained))


def delta(event: Any, epsilon: float, *, analysis: str = "certified", tolerance: float = 1e-3,
          attained: bool = False) -> Price:
    """The smallest δ at which the event is (ε, δ)-differentially private.

    >>> import chronoveil as cv
    >>> f"{cv.delta(cv.Gaussian(noise_multiplier=5), epsilon=1).delta:.1e}"
    '1.8e-08'
    """
    return Price(**_native.delta(as_event(event).to_json(), epsilon, analysis, tolerance, attained))


def max_count(event: Any, epsilon: float, delta: float) -> int:
    """How often the event may happen within (ε, δ). Its own `count` is ignored.

    >>> import chronoveil as cv
    >>> cv.max_count(cv.Gaussian(noise_multiplier=20), epsilon=2, delta=1e-6)
    80
    """
    return _native.max_count(as_event(event).to_json(), epsilon, delta)


def calibrate(event: Any, epsilon: float, delta: float) -> Calibration:
    """The event with the least noise within (ε, δ): what is left out of it is chosen.

    >>> import chronoveil as cv
    >>> found = cv.calibrate(cv.Gaussian(count=52), epsilon=1, delta=1e-6)
    >>> found.parameter, round(found.noise, 2), found.price.epsilon <= 1
    ('noise_multiplier', 30.46, True)
    """
    found = _native.calibrate(as_event(event).to_json(), epsilon, delta)
    return Calibration(found["parameter"], found["noise"], Event.from_json(found["event"]), Price(**found["price"]))


def other_prices(event: Any, delta: float) -> dict[str, float | None]:
    """ε at the same δ by other accountants, for comparison.

    >>> import chronoveil as cv
    >>> event = cv.Gaussian(noise_multiplier=5, count=10)
    >>> cv.other_prices(event, delta=1e-6)["renyi"] > cv.epsilon(event, delta=1e-6).epsilon
    True
    """
    return _native.other_prices(as_event(event).to_json(), delta)


class Accountant:
    """Adds up events that are all chosen in advance, and prices them together.

    >>> import chronoveil as cv
    >>> accountant = cv.Accountant().compose(cv.DpSgd(rate=0.01, noise_multiplier=1), 10_000)
    >>> round(accountant.get_epsilon(1e-5), 1)
    6.2

    Requests that are chosen one after another, each in the light of the answers before it, need a filter: that is what
    a `Ledger` has.
    """

    def __init__(self) -> None:
        self._composed: list[tuple[Any, int]] = []

    def compose(self, event: Any, count: int = 1) -> Accountant:
        """Adds the event, `count` times, and returns the accountant itself."""
        as_event(event)  # one that is unknown is refused now
        self._composed.append((event, count))
        return self

    @property
    def event(self) -> Event:
        """Everything so far."""
        events = [event * count for event, (_, count) in zip(as_events([event for event, _ in self._composed]),
                                                             self._composed)]
        if len(events) == 1:
            return events[0]
        return Event.from_json(json.dumps({"event": "compose", "events": [json.loads(one.to_json()) for one in events]}))

    def get_epsilon(self, target_delta: float) -> float:
        return epsilon(self.event, target_delta).epsilon

    def get_delta(self, target_epsilon: float) -> float:
        return delta(self.event, target_epsilon).delta

    def price(self, delta: float) -> Price:
        """ε at δ with both bounds."""
        return epsilon(self.event, delta)

"""Events: what happened, apart from what it cost. One class per kind that the accountant knows.

The classes, their fields and their documentation come from the engine's own list, so there is no second one here.

>>> Gaussian(noise_multiplier=2, count=1000)
Gaussian(noise_multiplier=2, count=1000)
>>> Gaussian(noise_multiplier=2) * 1000 == Gaussian(noise_multiplier=2, count=1000)
True
>>> (Laplace(noise_multiplier=10) + Gaussian(noise_multiplier=20)).to_json()
'{"event": "compose", "events": [{"event": "laplace", "noise_multiplier": 10}, {"event": "gaussian", "noise_multiplier": 20}]}'
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, ClassVar

from chronoveil import _native

_NOISE = "; left out, calibrate() chooses it"


class Event:
    """What a mechanism did, complete enough to price it now and again later."""

    kind: ClassVar[str] = ""
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, **fields: Any) -> None:
        bound = type(self).__signature__.bind(**fields)  # type: ignore[attr-defined]
        self.fields: dict[str, Any] = {name: value for name, value in bound.arguments.items() if value is not None}

    @staticmethod
    def from_json(text: str) -> Event:
        """The event of a JSON object, as the program takes it and ledgers keep it."""
        return _of(json.loads(_native.check_event(text, open=True)))

    def to_json(self) -> str:
        return json.dumps(_plain(self))

    def __getattr__(self, name: str) -> Any:
        if name in type(self)._fields:
            return self.fields.get(name, 1 if name == "count" else None)
        raise AttributeError(f"{type(self).__name__} has no field {name}")

    def __mul__(self, count: int) -> Event:
        return type(self)(**{**self.fields, "count": self.fields.get("count", 1) * count})

    __rmul__ = __mul__

    def __add__(self, other: Event) -> Event:
        return _KINDS["compose"](events=[self, as_event(other)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Event) and _plain(self) == _plain(other)

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


def _plain(value: Any) -> Any:
    if isinstance(value, Event):
        return {"event": value.kind, **{name: _plain(field) for name, field in value.fields.items()}}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def _of(value: Any) -> Any:
    if isinstance(value, list):
        return [_of(one) for one in value]
    if not isinstance(value, Mapping) or "event" not in value:
        return value
    return _KINDS[value["event"]](**{name: _of(field) for name, field in value.items() if name != "event"})


def _class_of(kind: Mapping[str, Any]) -> type[Event]:
    name = "".join(word.capitalize() for word in kind["name"].split("_"))
    parameters = [Parameter(field["name"], Parameter.KEYWORD_ONLY,
                            default=Parameter.empty if field["presence"] == "required" else None)
                  for field in kind["fields"]]
    parameters.append(Parameter("count", Parameter.KEYWORD_ONLY, default=None))
    lines = [f"    {field['name']}: {field['help'] or field['form']}{_NOISE if field['presence'] == 'noise' else ''}"
             for field in kind["fields"]]
    doc = f"The event `{kind['name']}`.\n\n" + "\n".join([*lines, "    count: how often, decided before the first output"])
    return type(name, (Event,), {
        "__doc__": doc, "__module__": __name__, "kind": kind["name"], "__signature__": Signature(parameters),
        "_fields": tuple(parameter.name for parameter in parameters)})


_KINDS: dict[str, type[Event]] = {kind["name"]: _class_of(kind) for kind in _native.event_kinds()}
globals().update({kind.__name__: kind for kind in _KINDS.values()})
__all__ = ["Event", "as_event", *(kind.__name__ for kind in _KINDS.values())]


# ---- Events of dp_accounting, by their names: the library itself is not needed. ----

def _response(event: Any) -> Event:
    # The truth with probability 1 − p, else one of k values at random: ε = log(1 + k (1 − p) / p), rounded up.
    odds = event.num_buckets * (1 - event.noise_parameter) / event.noise_parameter
    return _KINDS["randomized_response"](epsilon=math.log1p(odds) * (1 + 1e-14), values=event.num_buckets)


def _mixture(event: Any) -> Event:
    return _KINDS["mixture"](p={"means": list(event.sensitivities), "weights": list(event.sampling_probs)},
                             q={"means": [0.0], "weights": [1.0]}, noise_multiplier=event.standard_deviation)


# Noise is stated for a unit added or removed there. In a sample of a fixed size one unit takes the place of another, which
# is twice the sensitivity; and then it is so for all that is composed with it.
_REPLACED = {
    "NoOpDpEvent": lambda e: _KINDS["pure"](epsilon=0),
    "GaussianDpEvent": lambda e: _KINDS["gaussian"](noise_multiplier=e.noise_multiplier / 2),
    "LaplaceDpEvent": lambda e: _KINDS["laplace"](noise_multiplier=e.noise_multiplier / 2),
    "DiscreteLaplaceDpEvent": lambda e: _KINDS["discrete_laplace"](
        scale=math.nextafter(1 / e.noise_parameter, 0), sensitivity=2 * e.sensitivity),
}


def _parts(event: Any) -> list[Any]:
    """What an event of dp_accounting is made of."""
    return [*getattr(event, "events", []), *([event.event] if hasattr(event, "event") else [])]


def _has_replacement(event: Any) -> bool:
    if isinstance(event, Event):
        return '"sampled_with' in event.to_json()
    return type(event).__name__.startswith("SampledWith") or any(_has_replacement(part) for part in _parts(event))


def _of_one_replaced(event: Any) -> Event:
    name = type(event).__name__
    if name in _REPLACED:
        return _REPLACED[name](event)
    if name == "SelfComposedDpEvent":
        return _of_one_replaced(event.event) * event.count
    if name == "ComposedDpEvent":
        return _KINDS["compose"](events=[_of_one_replaced(one) for one in event.events])
    if isinstance(event, Event) or name.startswith("SampledWith"):
        return as_event(event)
    raise TypeError(f"{name} beside a sample of a fixed size, or in one, cannot be priced here: what one unit replaced would "
                    "change is not known; take an event of chronoveil")


_FROM_DP_ACCOUNTING = {
    "NoOpDpEvent": lambda e: _KINDS["pure"](epsilon=0),
    "GaussianDpEvent": lambda e: _KINDS["gaussian"](noise_multiplier=e.noise_multiplier),
    "LaplaceDpEvent": lambda e: _KINDS["laplace"](noise_multiplier=e.noise_multiplier),
    "DiscreteLaplaceDpEvent": lambda e: _KINDS["discrete_laplace"](
        scale=math.nextafter(1 / e.noise_parameter, 0), sensitivity=e.sensitivity),
    "RandomizedResponseDpEvent": _response,
    "MixtureOfGaussiansDpEvent": _mixture,
    "SelfComposedDpEvent": lambda e: as_event(e.event) * e.count,
    "ComposedDpEvent": lambda e: _KINDS["compose"](events=[as_event(one) for one in e.events]),
    "PoissonSampledDpEvent": lambda e: _KINDS["poisson_sampled"](rate=e.sampling_probability, inner=as_event(e.event)),
    "SampledWithoutReplacementDpEvent": lambda e: _KINDS["sampled_without_replacement"](
        population=e.source_dataset_size, batch_size=e.sample_size, inner=_of_one_replaced(e.event)),
    "SampledWithReplacementDpEvent": lambda e: _KINDS["sampled_with_replacement"](
        population=e.source_dataset_size, batch_size=e.sample_size, inner=_of_one_replaced(e.event)),
}


def as_events(events: Sequence[Any]) -> list[Event]:
    """The events themselves, or ours for those of dp_accounting, as they are composed; the table is in docs/python.md."""
    if any(_has_replacement(event) for event in events):
        return [event if isinstance(event, Event) else _of_one_replaced(event) for event in events]
    return [_converted(event) for event in events]


def as_event(event: Any) -> Event:
    """The same of one event."""
    name = type(event).__name__
    if name.startswith("SampledWith") and name in _FROM_DP_ACCOUNTING:
        return _FROM_DP_ACCOUNTING[name](event)
    return as_events([event])[0]


def _converted(event: Any) -> Event:
    if isinstance(event, Event):
        return event
    name = type(event).__name__
    if name in _FROM_DP_ACCOUNTING:
        return _FROM_DP_ACCOUNTING[name](event)
    raise TypeError(f"{name} is no event that can be priced here; it must be one of chronoveil's, or of dp_accounting "
                    f"one of {', '.join(_FROM_DP_ACCOUNTING)}")


def relation_of(event: Any) -> str | None:
    """What the noise of an event of dp_accounting is for; ours say so themselves, or leave it to the dataset."""
    return None if isinstance(event, Event) or _has_replacement(event) else "add_remove"

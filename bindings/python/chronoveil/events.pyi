# Written by make_stubs.py from the tables of the engine.
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

class Event:
    kind: ClassVar[str]
    fields: dict[str, Any]
    count: int
    @staticmethod
    def from_json(text: str) -> Event: ...
    def to_json(self) -> str: ...
    def __mul__(self, count: int) -> Event: ...
    def __rmul__(self, count: int) -> Event: ...
    def __add__(self, other: Event) -> Event: ...

def as_event(event: Any) -> Event: ...
def as_events(events: Sequence[Any]) -> list[Event]: ...
def relation_of(event: Any) -> str | None: ...

class Gaussian(Event):
    def __init__(self, *,
                 noise_multiplier: float | None = None,
                 count: int | None = None) -> None: ...

class Laplace(Event):
    def __init__(self, *,
                 noise_multiplier: float | None = None,
                 count: int | None = None) -> None: ...

class DiscreteGaussian(Event):
    def __init__(self, *,
                 scale: float | None = None,
                 sensitivity: int,
                 count: int | None = None) -> None: ...

class DiscreteLaplace(Event):
    def __init__(self, *,
                 scale: float | None = None,
                 sensitivity: int,
                 count: int | None = None) -> None: ...

class Exponential(Event):
    def __init__(self, *,
                 epsilon: float | None = None,
                 count: int | None = None) -> None: ...

class Pure(Event):
    def __init__(self, *,
                 epsilon: float | None = None,
                 count: int | None = None) -> None: ...

class Approximate(Event):
    def __init__(self, *,
                 epsilon: float | None = None,
                 delta: float,
                 count: int | None = None) -> None: ...

class RandomizedResponse(Event):
    def __init__(self, *,
                 epsilon: float | None = None,
                 values: int,
                 count: int | None = None) -> None: ...

class Mixture(Event):
    def __init__(self, *,
                 p: Mapping[str, Sequence[float]],
                 q: Mapping[str, Sequence[float]],
                 noise_multiplier: float | None = None,
                 count: int | None = None) -> None: ...

class TimeSubsampling(Event):
    def __init__(self, *,
                 participation: int,
                 rate: float,
                 noise_multiplier: float | None = None,
                 length: int | None = None,
                 filter: Literal["gaussian"] | None = None,
                 filter_width: float | None = None,
                 count: int | None = None) -> None: ...

class StructuredSubsampling(Event):
    def __init__(self, *,
                 series: int,
                 length: int | Sequence[int],
                 context_length: int,
                 forecast_length: int,
                 batch_size: int,
                 windows_per_series: int | None = None,
                 noise_multiplier: float | None = None,
                 top_level: Literal["iterate", "without_replacement"] | None = None,
                 bottom_level: Literal["with_replacement", "poisson"] | None = None,
                 unit: Literal["event", "user"] | None = None,
                 width: int | None = None,
                 context_noise: float | None = None,
                 label_noise: float | None = None,
                 count: int | None = None) -> None: ...

class Ranswitch(Event):
    def __init__(self, *,
                 window: int,
                 stay: float | None = None,
                 count: int | None = None) -> None: ...

class Staswitch(Event):
    def __init__(self, *,
                 window: int,
                 stay: float | None = None,
                 count: int | None = None) -> None: ...

class NoisySort(Event):
    def __init__(self, *,
                 window: int,
                 epsilon: float | None = None,
                 law: Literal["laplace", "staircase"] | None = None,
                 max_shift: int | None = None,
                 plateau: int | None = None,
                 count: int | None = None) -> None: ...

class Threshold(Event):
    def __init__(self, *,
                 window: int,
                 threshold: int | None = None,
                 count: int | None = None) -> None: ...

class PoissonSampled(Event):
    def __init__(self, *,
                 rate: float,
                 inner: Any,
                 relation: Literal["add_remove", "replace"] | None = None,
                 count: int | None = None) -> None: ...

class SampledWithoutReplacement(Event):
    def __init__(self, *,
                 population: int,
                 batch_size: int,
                 inner: Any,
                 relation: Literal["add_remove", "replace"] | None = None,
                 count: int | None = None) -> None: ...

class SampledWithReplacement(Event):
    def __init__(self, *,
                 population: int,
                 batch_size: int,
                 inner: Any,
                 relation: Literal["add_remove", "replace"] | None = None,
                 count: int | None = None) -> None: ...

class DpSgd(Event):
    def __init__(self, *,
                 rate: float,
                 noise_multiplier: float | None = None,
                 count: int | None = None) -> None: ...

class Compose(Event):
    def __init__(self, *,
                 events: Sequence[Any],
                 count: int | None = None) -> None: ...

__all__ = ["Event", "as_event", "Gaussian", "Laplace", "DiscreteGaussian", "DiscreteLaplace", "Exponential", "Pure", "Approximate", "RandomizedResponse", "Mixture", "TimeSubsampling", "StructuredSubsampling", "Ranswitch", "Staswitch", "NoisySort", "Threshold", "PoissonSampled", "SampledWithoutReplacement", "SampledWithReplacement", "DpSgd", "Compose"]

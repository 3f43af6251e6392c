"""What the jobs of all kinds are made of: rows, the public span, a mechanism."""

from __future__ import annotations

import os
from inspect import Parameter, Signature
from typing import Any

from chronoveil.frames import is_frame
from chronoveil.keys import given, keys_of, positional, signature_of
from chronoveil.ledger import without_password

__all__ = ["Mechanism", "Records", "Slots"]


class Records:
    """Rows, and which column is what.

    `source` is anything that speaks Arrow (a frame of pandas or polars, also a lazy one, a table of pyarrow, a relation
    of DuckDB), a dictionary of columns, the path of a file, or the URL of a database. `name` is what the debit says of a
    frame.

    >>> import chronoveil as cv
    >>> cv.Records("trips.csv.gz", user="card", time="ts", series="stop")
    Records('trips.csv.gz', user='card', time='ts', series='stop')
    """

    _keys = keys_of("counts", wanted=["source"]) | keys_of("means", wanted=["source"]) | keys_of("train", wanted=["source"])
    __signature__ = signature_of(_keys, positional("source", None), Parameter("name", Parameter.KEYWORD_ONLY, default=None))

    def __init__(self, *positional: Any, **keys: Any) -> None:
        bound = self.__signature__.bind(*positional, **keys).arguments
        self.source = bound.pop("source", None)
        self.name: str | None = bound.pop("name", None)
        self.keys = given(bound)

    @property
    def is_frame(self) -> bool:
        return self.source is None or is_frame(self.source)

    def section(self) -> dict[str, Any]:
        """[source] of a job file."""
        if self.is_frame:
            return {"kind": "memory", **self.keys}
        place = os.fspath(self.source)
        if place.startswith(("postgresql://", "postgres://")):
            return {"kind": "postgresql", "url": place, **self.keys}
        return {"path": place, **self.keys}

    def __repr__(self) -> str:
        what = type(self.source).__name__ if self.is_frame else without_password(repr(self.source))
        return f"Records({', '.join([what, *(f'{name}={value!r}' for name, value in self.keys.items())])})"


class Slots:
    """The public span and its slots: half-open, aligned to the zone's own midnight.

    >>> Slots("2026-03-01T00:00", "2026-04-01T00:00", "1h")
    Slots(start='2026-03-01T00:00', end='2026-04-01T00:00', length='1h')
    """

    _keys = keys_of("counts", wanted=["slots"])
    __signature__ = Signature([positional(name, Parameter.empty if name != "zone" else None) for name in _keys])

    def __init__(self, *positional: Any, **keys: Any) -> None:
        self.keys = given(self.__signature__.bind(*positional, **keys).arguments)

    def section(self) -> dict[str, Any]:
        """[slots] of a job file."""
        return self.keys

    def __repr__(self) -> str:
        return f"Slots({', '.join(f'{name}={value!r}' for name, value in self.keys.items())})"


class Mechanism:
    """A mechanism of the catalogue with its parameters.

    >>> import chronoveil as cv
    >>> cv.Counts(cv.Records(user="card", time="ts"), cv.Slots("2026-03-01", "2026-05-01", "1d"), max_steps=60, epsilon=1,
    ...           delta=1e-6, mechanism=cv.Mechanism("subsample", rate=0.1)).plan().parameters["rate"]
    0.1
    """

    def __init__(self, name: str = "auto", **parameters: Any) -> None:
        self.name = name
        self.parameters = parameters

    def section(self) -> dict[str, Any]:
        """[mechanism] of a job file."""
        return {"name": self.name, **self.parameters}

    def __repr__(self) -> str:
        return f"Mechanism({', '.join([repr(self.name), *(f'{n}={v!r}' for n, v in self.parameters.items())])})"

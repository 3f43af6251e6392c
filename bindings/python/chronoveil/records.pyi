# Written by make_stubs.py from the tables of the engine.
import os
from datetime import date
from typing import Any, Literal

class Mechanism:
    name: str
    parameters: dict[str, Any]
    def __init__(self, name: str = "auto", **parameters: str | float | bool) -> None: ...
    def section(self) -> dict[str, Any]: ...

class Records:
    source: Any
    name: str | None
    keys: dict[str, Any]
    @property
    def is_frame(self) -> bool: ...
    def section(self) -> dict[str, Any]: ...
    def __init__(self, source: Any = None, *, name: str | None = None,
                 kind: Literal["csv", "sqlite", "postgresql", "memory"] | None = None,
                 query: str | os.PathLike[str] | None = None,
                 table: str | os.PathLike[str] | None = None,
                 user: str | os.PathLike[str] | None = None,
                 time: str | os.PathLike[str] | None = None,
                 series: str | os.PathLike[str] | None = None,
                 value: str | os.PathLike[str] | None = None,
                 longitude: str | os.PathLike[str] | None = None,
                 latitude: str | os.PathLike[str] | None = None,
                 wide: bool | None = None,
                 time_format: str | os.PathLike[str] | None = None,
                 zone: str | os.PathLike[str] | None = None,
                 delimiter: str | os.PathLike[str] | None = None,
                 header: bool | None = None,
                 duplicates: Literal["refuse", "sum"] | None = None,
                 place: str | os.PathLike[str] | None = None) -> None: ...

class Slots:
    keys: dict[str, Any]
    def section(self) -> dict[str, Any]: ...
    def __init__(self, start: str | date,
                 end: str | date,
                 length: str | date,
                 zone: str | date | None = None) -> None: ...

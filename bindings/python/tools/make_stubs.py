#!/usr/bin/env python3
"""Writes the stubs of the classes that the engine's tables decide: events.pyi, records.pyi and jobs.pyi in chronoveil/.

  make_stubs.py [--check] [FOLDER]   with --check nothing is written, and stubs that differ are an error
"""

import sys
from pathlib import Path

from chronoveil import _native, events, jobs, records

HEAD = "# Written by make_stubs.py from the tables of the engine.\n"
EVENTS = HEAD + '''from collections.abc import Mapping, Sequence
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
'''
JOBS = HEAD + '''import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from chronoveil import _native
from chronoveil.ledger import Dataset
from chronoveil.live import LiveSession, Standing
from chronoveil.looks import Look
from chronoveil.places import H3, Areas, Grid
from chronoveil.plans import Check, Plan
from chronoveil.records import Mechanism, Records, Slots
from chronoveil.releases import Release

def _ledger(dataset: Dataset | str | None, ledger: str) -> str: ...
def read_job(path: str | os.PathLike[str], frame: Any = None) -> Job: ...

class Job:
    kind: ClassVar[str]
    _keys: ClassVar[dict[str, Mapping[str, Any]]]
    records: Records
    sections: dict[str, dict[str, Any]]
    path: str
    def _read(self, dataset: Dataset | str | None = None, rows: bool = False,
              to_look: bool = False) -> _native.Job: ...
    def _text(self, dataset: Dataset | str | None = None, source: str | os.PathLike[str] | None = None) -> str: ...
    def _with(self, values: Mapping[str, Any]) -> Job: ...
    def to_toml(self, dataset: Dataset | str | None = None, *,
                source: str | os.PathLike[str] | None = None) -> str: ...
    def plan(self) -> Plan: ...
    def check(self, dataset: Dataset | str | None = None, *, ledger: str = "", read_data: bool = True) -> Check: ...
    def run(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,
            allow_empty: bool = False, allow_uninformative: bool = False, seed: int | None = None,
            progress: bool | None = None) -> Release: ...
    def look(self, dataset: Dataset | str | None = None, *, epsilon: float = 0.05, delta: float = 0,
             lengths: Sequence[str] = (), ledger: str = "", confirmed: bool = False, allow_empty: bool = False,
             seed: int | None = None, again: str | None = None, progress: bool | None = None) -> Look: ...
    def again(self, debit: str, dataset: Dataset | str | None = None, *, ledger: str = "") -> Release: ...
    @property
    def digest(self) -> str: ...
'''
LIVE = '''    def open(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,
             seed: int | None = None) -> LiveSession: ...
    def publish(self, dataset: Dataset | str | None = None, *, ledger: str = "", until: str | None = None,
                confirmed: bool = False, seed: int | None = None) -> Standing: ...
    def status(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing: ...
    def close(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing: ...
'''
RECORDS = HEAD + '''import os
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
'''
FORMS = {"whole": "int", "number": "float", "wholes": "int | Sequence[int]", "event": "Any", "events": "Sequence[Any]",
         "mixture": "Mapping[str, Sequence[float]]", "flag": "bool", "texts": "Sequence[str]", "text": "str | os.PathLike[str]"}


def literal(words):
    return f"Literal[{', '.join(repr(word).replace(chr(39), chr(34)) for word in words)}]"


def written(first, fields):
    lines = "".join(f",\n                 {field}" for field in fields)
    return f"    def __init__(self, {first}{lines}) -> None: ...\n"


def event_stub(kind):
    name = events._KINDS[kind["name"]].__name__
    fields = []
    for field in kind["fields"]:
        form = literal(field["words"]) if field["form"] == "word" else FORMS[field["form"]]
        fields.append(f"{field['name']}: {form}" if field["presence"] == "required"
                      else f"{field['name']}: {form} | None = None")
    return f"\nclass {name}(Event):\n" + written("*", [*fields, "count: int | None = None"])


def key_stub(name, key):
    form = literal(key["choices"]) if key["choices"] else FORMS[key["shape"]]
    return f"{name}: {form} | None = None"


def job_stub(kind):
    first = "records: Records" + ("" if kind.kind == "perturb" else ", slots: Slots") + ", *"
    fields = [key_stub(name, key) for name, key in kind._keys.items()]
    if kind.kind != "perturb":
        fields = ["keys: Sequence[str] | str | os.PathLike[str] | None = None",
                  "places: Grid | Areas | H3 | None = None", *fields]
    return (f"\nclass {kind.__name__}(Job):\n" +
            written(first, ["mechanism: str | Mechanism | None = None", *fields]) + (LIVE if kind is jobs.Live else ""))


def stubs():
    """The text of each stub by the name of its file."""
    all_events = EVENTS + "".join(event_stub(kind) for kind in _native.event_kinds())
    names = ", ".join(f'"{name}"' for name in events.__all__)
    rows = [key_stub(name, key) for name, key in records.Records._keys.items()]
    slots = [f"{name}: str | date" + (" | None = None" if name == "zone" else "") for name in records.Slots._keys]
    of_jobs = (RECORDS + written("source: Any = None, *, name: str | None = None", rows) +
               "\nclass Slots:\n    keys: dict[str, Any]\n    def section(self) -> dict[str, Any]: ...\n" +
               written(slots[0], slots[1:]))
    kinds = "".join(map(job_stub, [*jobs._KINDS.values(), jobs.TrainJob]))
    return {"events.pyi": all_events + f"\n__all__ = [{names}]\n", "records.pyi": of_jobs, "jobs.pyi": JOBS + kinds}


def main():
    check = "--check" in sys.argv
    given = [word for word in sys.argv[1:] if word != "--check"]
    folder = Path(given[0]) if given else Path(__file__).resolve().parent.parent / "chronoveil"
    for name, text in stubs().items():
        if not check:
            (folder / name).write_text(text, encoding="utf-8")
        elif (folder / name).read_text(encoding="utf-8") != text:
            sys.exit(f"{name} is not what the engine's tables say; run make_stubs.py")


if __name__ == "__main__":
    main()

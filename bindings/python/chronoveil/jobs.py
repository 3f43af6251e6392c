"""Jobs: what to read, what is public, what is protected.

A job here is the same thing as a job file: `to_toml()` writes one, `read_job()` reads one, and the engine checks both.
Arguments are the keys of a job file, from the engine's own table; `help(Counts)` lists them, docs/jobs.md explains them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from copy import copy
from inspect import Parameter
from typing import Any, ClassVar

from chronoveil import _native, toml
from chronoveil.errors import UsageError
from chronoveil.frames import stream_of
from chronoveil.keys import given, keys_of, positional, signature_of, told
from chronoveil.ledger import Dataset, without_password
from chronoveil.live import LiveSession, Standing, standing_of, warn
from chronoveil.looks import Look
from chronoveil.places import Areas, Grid, H3
from chronoveil.plans import Check, Plan
from chronoveil.progress import Teller
from chronoveil.records import Mechanism, Records, Slots
from chronoveil.releases import Release

__all__ = ["Counts", "Job", "Live", "Means", "Perturb", "read_job"]


class Job:
    """What all kinds of jobs share."""

    kind: ClassVar[str] = ""
    _keys: ClassVar[dict[str, Mapping[str, Any]]] = {}

    def __init__(self, *positional: Any, **arguments: Any) -> None:
        bound = type(self).__signature__.bind(*positional, **arguments).arguments  # type: ignore[attr-defined]
        self.records: Records = bound.pop("records")
        slots: Slots | None = bound.pop("slots", None)
        keys, places = bound.pop("keys", None), bound.pop("places", None)
        mechanism = bound.pop("mechanism", None)
        self.path = ""  # of the job file that it was read from
        self.sections: dict[str, dict[str, Any]] = {"dataset": {}, "source": self.records.section()}
        if slots is not None:
            self.sections["slots"] = slots.section()
        if keys is not None:
            listed = isinstance(keys, (str, os.PathLike))
            self.sections["places" if self.kind == "means" else "series"] = {"list" if listed else "keys": keys}
        self._places = places  # it may own the file of its areas
        if places is not None:
            self.sections.setdefault("places", {}).update(places.section(self.records.keys))
        if mechanism is not None:
            named = mechanism if isinstance(mechanism, Mechanism) else Mechanism(mechanism)
            self.sections["mechanism"] = named.section()
        for name, value in given(bound).items():
            section, _, key = self._keys[name]["key"].partition(".")
            self.sections.setdefault(section, {})[key] = value

    def to_toml(self, dataset: Dataset | str | None = None, *, source: str | os.PathLike[str] | None = None) -> str:
        """The same job as a job file. A frame has no place in it: `source` says which file or database to read there.

        >>> import chronoveil as cv
        >>> job = cv.Counts(cv.Records("trips.csv", user="card", time="ts"),
        ...                 cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), max_steps=4, epsilon=1)
        >>> print(job.to_toml("city"), end="")
        version = 1
        [dataset]
        name = "city"
        [source]
        path = "trips.csv"
        user = "card"
        time = "ts"
        [slots]
        start = "2026-03-01T00:00"
        end = "2026-03-02T00:00"
        length = "1h"
        [privacy]
        max_steps = 4
        epsilon = 1
        """
        if isinstance(self._places, H3) and self._places.is_temporary:
            raise UsageError("places: the cells of this H3 are in a temporary file; H3(..., file='cells.geojson') writes them "
                             "where a job file can name them", "places", "", "H3(..., file='cells.geojson')")
        return self._text(dataset, source)

    def _text(self, dataset: Dataset | str | None = None, source: str | os.PathLike[str] | None = None) -> str:
        sections = dict(self.sections)
        name = dataset.name if isinstance(dataset, Dataset) else dataset
        sections["dataset"] = {**({"name": name} if name else {}), **_without(self.sections["dataset"], name)}
        if "purpose" not in sections["dataset"] and self.records.name:
            sections["dataset"]["purpose"] = self.records.name
        if source is not None:
            keys = {name: value for name, value in self.records.keys.items() if (name, value) != ("kind", "memory")}
            sections["source"] = Records(source, **keys).section()
        return toml.dumps(sections)

    def _read(self, dataset: Dataset | str | None = None, rows: bool = False, to_look: bool = False) -> _native.Job:
        name = dataset if dataset is not None else self.sections["dataset"].get("name", "rehearsal")
        job = (_native.read_to_look if to_look else _native.Job.read)(self._text(name), self.path)
        if rows and job.reads_memory and self.records.source is not None:
            job.read_stream(stream_of(self.records.source, job.columns))
        return job

    def plan(self) -> Plan:
        """What would be released by which mechanism, with which noise, at which price. No data is read."""
        return Plan(self._read().plan(), self)

    def check(self, dataset: Dataset | str | None = None, *, ledger: str = "", read_data: bool = True) -> Check:
        """Whether `run()` would succeed: checks the job, the columns, the outputs and the budget, and reads the rows to
        find their errors before they cost anything. No debit. `seen` is private."""
        return Check(self._read(dataset, rows=True).check(_ledger(dataset, ledger), read_data), self)

    def run(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,
            allow_empty: bool = False, allow_uninformative: bool = False, seed: int | None = None,
            progress: bool | None = None) -> Release:
        """Plans, debits the dataset, reads, draws, and returns the release.

        `confirmed`: a second debit for the same job and span is meant. `seed`: for tests and experiments only; the
        release is marked as not private and touches no ledger.
        """
        job = self._read(dataset, rows=True)
        with Teller(progress) as tell:
            return Release(job.run(_ledger(dataset, ledger), confirmed, allow_empty, allow_uninformative, seed, tell))

    def look(self, dataset: Dataset | str | None = None, *, epsilon: float = 0.05, delta: float = 0,
             lengths: Sequence[str] = (), ledger: str = "", confirmed: bool = False, allow_empty: bool = False,
             seed: int | None = None, again: str | None = None, progress: bool | None = None) -> Look:
        """Finds the caps, which this job may lack, by a small debit of its own, and hands back a job with them. `epsilon`
        and `delta` are of the look. `again`: the stored look of a debit, at no cost. Only a look that is private makes a
        job (docs/choosing_caps.md).

        >>> import chronoveil as cv
        >>> rows = {"card": [f"c{row % 3000}" for row in range(9000)],
        ...         "at": [f"2026-03-01T{row * 7 % 24:02}:30" for row in range(9000)]}
        >>> city = cv.Ledger("look.db").create("city", epsilon=2, delta=1e-6)
        >>> job = cv.Counts(cv.Records(rows, user="card", time="at"),
        ...                 cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), epsilon=1, delta=1e-6)
        >>> look = job.look(city, epsilon=0.2, lengths=["1h"])
        >>> look.job.sections["privacy"]["caps_from"], look.job.run(city).guarantee.epsilon <= 1
        ('city:1', True)
        """
        job = self._read(dataset, rows=again is None, to_look=True)
        place, asked = _ledger(dataset, ledger), list(lengths)
        if again is not None:
            return Look(_native.look_again(job, again, epsilon, delta, asked, place), self)
        with Teller(progress) as tell:
            return Look(_native.look(job, epsilon, delta, asked, place, confirmed, allow_empty, seed, tell), self)

    def _with(self, values: Mapping[str, Any]) -> Job:
        """The same job with these keys of a job file."""
        job = copy(self)
        job.sections = {section: dict(keys) for section, keys in self.sections.items()}
        for name, value in values.items():
            section, _, key = name.partition(".")
            job.sections.setdefault(section, {})[key] = value
        return job

    def again(self, debit: str, dataset: Dataset | str | None = None, *, ledger: str = "") -> Release:
        """The stored release of a debit of this job: no debit, no data, no noise."""
        return Release(self._read(dataset).again(debit, _ledger(dataset, ledger)))

    @property
    def digest(self) -> str:
        """The same for jobs that ask the same of the same data; it reveals a second debit."""
        return self._read().digest

    def __repr__(self) -> str:
        return f"<{type(self).__name__} job>\n{without_password(self._text())}"


def _without(section: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    return {key: value for key, value in section.items() if not (name and key == "name")}


def _ledger(dataset: Dataset | str | None, ledger: str) -> str:
    return dataset.ledger.where if isinstance(dataset, Dataset) else ledger


def _kind(cls: type[Job]) -> type[Job]:
    """Gives a kind of job its arguments, from the engine's table."""
    keys = keys_of(cls.kind, unwanted=["source", "slots", "places", "mechanism"])
    first = [positional("records")] + ([positional("slots")] if cls.kind != "perturb" else [])
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None)
            for name in ("keys", "places", "mechanism") if cls.kind != "perturb" or name == "mechanism"]
    cls._keys = keys
    cls.__signature__ = signature_of(keys, *first, *more)  # type: ignore[attr-defined]
    cls.__doc__ = f"{cls.__doc__}\n\n{told(keys)}\n"
    return cls


@_kind
class Counts(Job):
    """Counts per series and slot.

    >>> import chronoveil as cv
    >>> trips = {"card": ["a", "b", "c"], "stop": ["north", "north", "south"], "ts": ["2026-03-01T08:30"] * 3}
    >>> job = cv.Counts(cv.Records(trips, user="card", time="ts", series="stop"),
    ...                 cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"), keys=["north", "south"], max_steps=2,
    ...                 epsilon=1)
    >>> city = cv.Ledger("counts.db").create("city", epsilon=2)
    >>> job.run(city, allow_uninformative=True).debit
    'city:1'

    keys: the public keys of the series, a list, or the path of a file with one per line
    places: a `Grid`, `Areas` or `H3` that makes keys of points
    mechanism: a name, or a `Mechanism` with parameters; the planner's choice unless given
    """

    kind = "counts"


@_kind
class Means(Job):
    """Means of a value per place and slot.

    >>> import chronoveil as cv
    >>> speeds = {"bus": ["b1", "b2"], "at": ["2026-03-02T08:10"] * 2, "zone": ["centre"] * 2, "speed": [31.0, 27.5]}
    >>> job = cv.Means(cv.Records(speeds, user="bus", time="at", place="zone", value="speed"),
    ...                cv.Slots("2026-03-02T00:00", "2026-03-03T00:00", "1d"), keys=["centre", "port"], lower=0, upper=65,
    ...                counts="public", max_cells=2, epsilon=1)
    >>> buses = cv.Ledger("means.db").create("buses", epsilon=2, relation="replace_values")
    >>> job.run(buses).columns["place"]
    ['centre', 'port']

    keys: the public places, a list, or the path of a file with one per line
    places: or a `Grid`, `Areas` or `H3`
    mechanism: a name, or a `Mechanism` with parameters; the planner's choice unless given
    """

    kind = "means"


@_kind
class Perturb(Job):
    """One series of its owner: values stay what they are, and when they were measured is blurred.

    >>> import chronoveil as cv
    >>> load = {"time": [f"2026-03-01T{hour:02}:00" for hour in range(24)], "kwh": list(range(24))}
    >>> meter = cv.Ledger("perturb.db").create("meter", epsilon=3, delta=0.1, relation="swap", window=4)
    >>> blurred = cv.Perturb(cv.Records(load, time="time"), window=4, epsilon=2).run(meter)
    >>> sorted(blurred.columns["kwh"], key=int) == [str(value) for value in load["kwh"]]
    True
    """

    kind = "perturb"


@_kind
class Live(Job):
    """Counts that are published step by step, as rows come. It needs a `name`, under which it resumes, and `csv`, the
    file that grows. `open()` gives a session to push rows to; `publish()` takes what is in a file by now.

    >>> import chronoveil as cv
    >>> city = cv.Ledger("live.db").create("city", epsilon=2)
    >>> job = cv.Live(cv.Records(user="card", time="at"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"),
    ...               max_steps=2, epsilon=2, name="bus", csv="published.csv")
    >>> with job.open(city) as session:
    ...     session.push({"card": [17, 4], "at": ["2026-03-01T00:10", "2026-03-01T00:20"]})
    ...     len(session.publish_until("2026-03-01T02:00"))
    []
    2
    >>> job.status(city).published
    2

    """

    kind = "live"

    def __init__(self, *positional: Any, **arguments: Any) -> None:
        super().__init__(*positional, **arguments)
        self.sections.setdefault("live", {})

    def open(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,
             seed: int | None = None) -> LiveSession:
        """Opens the release, which takes a debit, or resumes it."""
        job = self._read(dataset)
        return LiveSession(_native.LiveSession(job, _ledger(dataset, ledger), confirmed, seed, warn), job.columns)

    def publish(self, dataset: Dataset | str | None = None, *, ledger: str = "", until: str | None = None,
                confirmed: bool = False, seed: int | None = None) -> Standing:
        """Publishes the steps that end by `until` from a file, as `chronoveil live --once` does."""
        return standing_of(_native.run_live(self._read(dataset), _ledger(dataset, ledger), confirmed, seed, until, warn))

    def status(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing:
        """How the release stands."""
        return standing_of(_native.live_status(self._read(dataset), _ledger(dataset, ledger)))

    def close(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing:
        """Ends the release for good: nothing is given back."""
        return standing_of(_native.close_live(self._read(dataset), _ledger(dataset, ledger)))


@_kind
class TrainJob(Job):
    """A model that forecasts, trained on the series; it may be handed on.

    keys: the public keys of the series, a list, or the path of a file with one per line
    """

    kind = "train"


_KINDS: dict[str, type[Job]] = {kind.kind: kind for kind in (Counts, Means, Perturb, Live)}


def read_job(path: str | os.PathLike[str], frame: Any = None) -> Job:
    """The job of a job file, checked by the engine. Where it reads rows in memory, `frame` has them.

    >>> import chronoveil as cv
    >>> job = cv.Counts(cv.Records(user="card", time="ts"), cv.Slots("2026-03-01T00:00", "2026-03-02T00:00", "1h"),
    ...                 max_steps=4, epsilon=1)
    >>> _ = open("job.toml", "w").write(job.to_toml("city"))
    >>> again = cv.read_job("job.toml", {"card": ["a"], "ts": ["2026-03-01T08:30"]})
    >>> again.to_toml() == job.to_toml("city")
    True
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    native = _native.Job.read(text, os.fspath(path))
    if native.kind == "train":
        from chronoveil.forecasting import Train
        kind: type[Job] = Train
    else:
        kind = _KINDS[native.kind]
    job = kind.__new__(kind)
    job.path = os.fspath(path)
    job.sections = {section: keys for section, keys in tomllib.loads(text).items() if isinstance(keys, dict)}
    job._places = None
    source = dict(job.sections.get("source", {}))
    place = frame if source.get("kind") == "memory" else source.pop("url", None) or source.pop("path", None)
    job.records = Records(place, **{name: value for name, value in source.items() if name in Records._keys})
    return job

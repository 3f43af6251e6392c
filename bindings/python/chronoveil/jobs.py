"""Jobs: what to read, what is public, what is protected.

A job here is the same thing as a job file: `to_toml()` writes one, `read_job()` reads one, and the engine checks both.
Arguments are the keys of a job file, from the engine's own table; `help(Counts)` lists them, docs/jobs.md explains them.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any, ClassVar

from chronoveil import _native, toml
from chronoveil.frames import is_frame, stream_of
from chronoveil.ledger import Dataset, without_password
from chronoveil.live import LiveSession, Standing, standing_of, warn
from chronoveil.places import Areas, Grid, H3
from chronoveil.plans import Check, Plan
from chronoveil.progress import Teller
from chronoveil.releases import Release

__all__ = ["Counts", "Job", "Live", "Means", "Mechanism", "Perturb", "Records", "Slots", "read_job"]

# Said in other ways: where rows are, which keys are public, where they lie.
_APART = {"source.path", "source.url", "series.list", "series.keys", "places.list", "places.keys", "dataset.name"}


def _argument(key: str) -> str:
    section, _, name = key.partition(".")
    if key == "output.model":  # the file of a trained model; `model` says which kind it is
        return "output"
    return f"plan_{name}" if section == "plan" else name


def _keys_of(kind: str, wanted: Sequence[str] = (), unwanted: Sequence[str] = ()) -> dict[str, Mapping[str, Any]]:
    """The keys of the engine's table by argument, of some sections only, or of all others."""
    found: dict[str, Mapping[str, Any]] = {}
    for key in _native.job_keys(kind):
        section = key["key"].partition(".")[0]
        if key["key"] in _APART or section in unwanted or (wanted and section not in wanted):
            continue
        assert _argument(key["key"]) not in found, key["key"]
        found[_argument(key["key"])] = key
    return found


def _told(keys: Mapping[str, Mapping[str, Any]]) -> str:
    return "\n".join(f"    {name}: {key['meaning']}" + (f" ({key['standard']})" if key["standard"] else "")
                     for name, key in keys.items())


def _signature(keys: Mapping[str, Any], *first: Parameter) -> Signature:
    return Signature([*first, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in keys)])


def _given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _first(name: str, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)


class Records:
    """Rows, and which column is what.

    `source` is anything that speaks Arrow (a frame of pandas or polars, also a lazy one, a table of pyarrow, a relation
    of DuckDB), a dictionary of columns, the path of a file, or the URL of a database. `name` is what the debit says of a
    frame.

    >>> import chronoveil as cv
    >>> cv.Records("trips.csv.gz", user="card", time="ts", series="stop")
    Records('trips.csv.gz', user='card', time='ts', series='stop')
    """

    _keys = _keys_of("counts", wanted=["source"]) | _keys_of("means", wanted=["source"]) | _keys_of("train", wanted=["source"])
    __signature__ = _signature(_keys, _first("source", None), Parameter("name", Parameter.KEYWORD_ONLY, default=None))

    def __init__(self, *positional: Any, **keys: Any) -> None:
        bound = self.__signature__.bind(*positional, **keys).arguments
        self.source = bound.pop("source", None)
        self.name: str | None = bound.pop("name", None)
        self.keys = _given(bound)

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

    def columns(self) -> list[str]:
        """The columns that are named."""
        return [value for name, value in self.keys.items()
                if name in ("user", "time", "series", "value", "place", "longitude", "latitude")]

    def __repr__(self) -> str:
        what = type(self.source).__name__ if self.is_frame else without_password(repr(self.source))
        return f"Records({', '.join([what, *(f'{name}={value!r}' for name, value in self.keys.items())])})"


class Slots:
    """The public span and its slots: half-open, aligned to the zone's own midnight.

    >>> Slots("2026-03-01T00:00", "2026-04-01T00:00", "1h")
    Slots(start='2026-03-01T00:00', end='2026-04-01T00:00', length='1h')
    """

    _keys = _keys_of("counts", wanted=["slots"])
    __signature__ = Signature([_first(name, Parameter.empty if name != "zone" else None) for name in _keys])

    def __init__(self, *positional: Any, **keys: Any) -> None:
        self.keys = _given(self.__signature__.bind(*positional, **keys).arguments)

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
        for name, value in _given(bound).items():
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
        sections = dict(self.sections)
        name = dataset.name if isinstance(dataset, Dataset) else dataset
        sections["dataset"] = {**({"name": name} if name else {}), **_without(self.sections["dataset"], name)}
        if "purpose" not in sections["dataset"] and self.records.name:
            sections["dataset"]["purpose"] = self.records.name
        if source is not None:
            sections["source"] = Records(source, **self.records.keys).section()
        return toml.dumps(sections)

    def _read(self, dataset: Dataset | str | None = None, rows: bool = False) -> _native.Job:
        name = dataset if dataset is not None else self.sections["dataset"].get("name", "rehearsal")
        job = _native.Job.read(self.to_toml(name), self.path)
        if rows and job.reads_memory and self.records.source is not None:
            named = None if self.kind == "perturb" or "wide" in self.records.keys else self.records.columns()
            job.read_stream(stream_of(self.records.source, named))
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

    def again(self, debit: str, dataset: Dataset | str | None = None, *, ledger: str = "") -> Release:
        """The stored release of a debit of this job: no debit, no data, no noise."""
        return Release(self._read(dataset).again(debit, _ledger(dataset, ledger)))

    @property
    def digest(self) -> str:
        """The same for jobs that ask the same of the same data; it reveals a second debit."""
        return self._read().digest

    def __repr__(self) -> str:
        return f"<{type(self).__name__} job>\n{without_password(self.to_toml())}"


def _without(section: Mapping[str, Any], name: str | None) -> dict[str, Any]:
    return {key: value for key, value in section.items() if not (name and key == "name")}


def _ledger(dataset: Dataset | str | None, ledger: str) -> str:
    return dataset.ledger.where if isinstance(dataset, Dataset) else ledger


def _kind(cls: type[Job]) -> type[Job]:
    """Gives a kind of job its arguments, from the engine's table."""
    keys = _keys_of(cls.kind, unwanted=["source", "slots", "places", "mechanism"])
    first = [_first("records")] + ([_first("slots")] if cls.kind != "perturb" else [])
    more = [Parameter(name, Parameter.KEYWORD_ONLY, default=None)
            for name in ("keys", "places", "mechanism") if cls.kind != "perturb" or name == "mechanism"]
    cls._keys = keys
    cls.__signature__ = _signature(keys, *first, *more)  # type: ignore[attr-defined]
    cls.__doc__ = f"{cls.__doc__}\n\n{_told(keys)}\n"
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
    >>> meter = cv.Ledger("perturb.db").create("meter", epsilon=3, delta=0.1, relation="swap", width=4)
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
        return LiveSession(_native.LiveSession(job, _ledger(dataset, ledger), confirmed, seed, warn), self.records)

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
    source = dict(job.sections.get("source", {}))
    place = frame if source.get("kind") == "memory" else source.pop("url", None) or source.pop("path", None)
    job.records = Records(place, **{name: value for name, value in source.items() if name in Records._keys})
    return job

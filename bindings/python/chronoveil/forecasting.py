"""Models that forecast, trained privately by the program `chronoveil-forecast`.

Training needs libtorch, which is 300 MB; the wheel has 3. So it is a program of its own, and this file calls it: the
one of the variable CHRONOVEIL_FORECAST, or else the one on the PATH.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from chronoveil import errors, toml
from chronoveil.forecasts import STATED, Forecast
from chronoveil.frames import is_missing, is_pandas
from chronoveil.jobs import Records, Slots, TrainJob, _ledger
from chronoveil.ledger import Dataset
from chronoveil.plans import Plan

__all__ = ["Forecaster", "Model", "Train"]


def _program() -> str:
    found = os.environ.get("CHRONOVEIL_FORECAST") or shutil.which("chronoveil-forecast")
    if not found:
        raise errors.StorageError("the program chronoveil-forecast is not on the PATH; make build-forecast builds it, and "
                                  "the variable CHRONOVEIL_FORECAST may name it")
    return found


def _called(*words: str) -> str:
    """What the program prints; its error becomes an exception."""
    with subprocess.Popen([_program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          encoding="utf-8") as process:
        try:
            out, said = process.communicate()
        except KeyboardInterrupt:  # the signal has reached the program too; it says what was spent
            out, said = process.communicate()
    if process.returncode != 0:
        raise errors.of_kind(process.returncode, said.strip().removeprefix("chronoveil: "), "", "", "")
    return out


@contextmanager
def _as_file(rows: Any, beside: str) -> Iterator[str]:
    """The path of a CSV. A frame is written to a file beside the model that only its owner may read, and that is gone
    afterwards. Its name depends on the model's alone, so that a training that was interrupted goes on."""
    if isinstance(rows, (str, os.PathLike)):
        yield os.fspath(rows)
        return
    path = Path(f"{beside}.rows.csv")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise errors.StorageError(f"{path} is there already: another call is at work on this model, or one was killed and "
                                  "left the rows behind; remove the file if no call is at work", "source") from None
    except OSError as error:
        raise errors.StorageError(f"{path}: {error.strerror}", "source") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(map(_cell, row) for row in _rows_of(rows))
        yield str(path)
    finally:
        path.unlink(missing_ok=True)


def _rows_of(frame: Any) -> Iterator[Sequence[Any]]:
    """The names of the columns, then row by row."""
    if isinstance(frame, Mapping):
        yield list(frame)
        columns = [list(cells) for cells in frame.values()]
        if len({len(cells) for cells in columns}) > 1:
            raise errors.BadData("source: every column must have as many cells as the others", "source")
        yield from zip(*columns)
    elif is_pandas(frame):
        yield list(frame.columns)
        yield from frame.itertuples(index=False, name=None)
    elif hasattr(frame, "collect_batches"):  # a lazy frame of polars
        yield frame.collect_schema().names()
        for batch in frame.collect_batches(maintain_order=True):
            yield from batch.iter_rows()
    elif hasattr(frame, "iter_rows"):  # a frame of polars
        yield frame.columns
        yield from frame.iter_rows()
    elif hasattr(frame, "fetchmany"):  # a relation of DuckDB
        yield frame.columns
        while batch := frame.fetchmany(10_000):
            yield from batch
    elif hasattr(frame, "to_batches"):  # a table of pyarrow
        yield frame.schema.names
        for batch in frame.to_batches(10_000):
            yield from zip(*(column.to_pylist() for column in batch.columns))
    else:
        raise errors.UsageError(f"source: training cannot read {type(frame).__name__}; it must be the path of a file, a "
                                "dictionary of columns, or a frame of pandas, polars, pyarrow or DuckDB", "source",
                                type(frame).__name__, "the path of a file, or a frame")


def _cell(value: Any) -> Any:
    if is_missing(value):
        return ""
    return value.isoformat() if isinstance(value, date) else value


class Train(TrainJob):
    __doc__ = TrainJob.__doc__

    def plan(self) -> Plan:
        return Plan(self._read().plan_training(), self)

    def run(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,  # type: ignore[override]
            seed: int | None = None) -> Model:
        """Debits the dataset and trains. Interrupted, the same call goes on from the last checkpoint."""
        output = self.sections.get("output", {}).get("model")
        if not output:
            raise errors.UsageError("output: it is missing; a file for the trained model, such as 'load.cvm'", "output")
        with _as_file(self.records.source, self._place(output)) as source:
            text = self.to_toml(dataset if dataset is not None else self.sections["dataset"].get("name", "rehearsal"),
                                source=source)
            with tempfile.TemporaryDirectory(prefix="chronoveil-") as folder:
                job = Path(folder) / "job.toml"
                job.write_text(self._absolute(text), encoding="utf-8")
                words = ["train", str(job), "--json", *_flags(ledger=_ledger(dataset, ledger), yes=confirmed, seed=seed)]
                return Model(os.path.join(os.path.dirname(self.path), output), json.loads(_called(*words)))

    def _place(self, path: str) -> str:
        """Where a path of the job is: relative to the job file, or to the working directory if there is none."""
        return os.path.abspath(os.path.join(os.path.dirname(self.path), path))

    def _absolute(self, text: str) -> str:
        """The job, as it stands in a file elsewhere."""
        sections = {section: dict(keys) for section, keys in tomllib.loads(text).items() if isinstance(keys, dict)}
        for section, key in (("source", "path"), ("series", "list"), ("output", "model"), ("output", "json"),
                             ("output", "report"), ("output", "csv"), ("train", "spans")):
            if key in sections.get(section, {}):
                sections[section][key] = self._place(sections[section][key])
        return toml.dumps(sections)


def _flags(**given: Any) -> list[str]:
    words: list[str] = []
    for name, value in given.items():
        if value is True:
            words.append(f"--{name.replace('_', '-')}")
        elif value is not None and value is not False and value != "":
            words += [f"--{name.replace('_', '-')}", str(value)]
    return words


class Model:
    """A trained model: a file that may be handed on."""

    def __init__(self, path: str | os.PathLike[str], document: Mapping[str, Any] | None = None) -> None:
        self.path = os.fspath(path)
        self.document = document

    @property
    def debit(self) -> str | None:
        debit = (self.document or {}).get("debit")
        return None if debit is None else str(debit["id"])

    def forecast(self, history: Any, *, time: str = "time", series: str | None = None,
                 value: str | Sequence[str] | None = None, zone: str | None = None, private: bool = False,
                 dataset: Dataset | str | None = None, ledger: str = "", levels: Sequence[int] = (80, 90),
                 **options: Any) -> Forecast:
        """What comes after a history: quantiles from 10 to 90 percent, and intervals of these levels. Levels other than
        20, 40, 60 and 80 are read off sample paths, 200 unless `paths` says how many. A forecast shows the history that
        it was made from, unless `private` adds noise to that first, which is a debit (epsilon, delta, lower, upper,
        rate)."""
        values = value if value is None or isinstance(value, str) else ",".join(value)
        name = dataset.name if isinstance(dataset, Dataset) else dataset
        with (_as_file(history, os.path.abspath(self.path) + ".history") as source,
              tempfile.TemporaryDirectory(prefix="chronoveil-") as folder):
            paths = None if set(levels) <= set(STATED) else Path(folder) / "paths.csv"
            text = _called("forecast", self.path, source, *_flags(
                time=time, series=series, value=values, zone=zone, private=private, dataset=name, paths_output=paths,
                ledger=_ledger(dataset, ledger), **options))
            return Forecast(text, None if paths is None else paths.read_text(encoding="utf-8"), levels)

    def __repr__(self) -> str:
        return f"Model({self.path!r})"


class Forecaster:
    """A forecaster with the manners of scikit-learn: `fit` debits the dataset and trains, `predict` forecasts.

    Frames have the columns of Nixtla (unique_id, ds, y) unless told otherwise. `options` are arguments of `Train`.
    """

    def __init__(self, dataset: Any = None, start: Any = None, end: Any = None, length: str = "1h",
                 output: str = "model.cvm", series: str = "unique_id", time: str = "ds", value: str = "y",
                 keys: Any = None, ledger: str = "", **options: Any) -> None:
        self.dataset, self.start, self.end, self.length, self.output = dataset, start, end, length, output
        self.series, self.time, self.value, self.keys, self.ledger = series, time, value, keys, ledger
        self.options = options

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        named = ("dataset", "start", "end", "length", "output", "series", "time", "value", "keys", "ledger")
        return {**{name: getattr(self, name) for name in named}, **self.options}

    def set_params(self, **parameters: Any) -> Forecaster:
        for name, value in parameters.items():
            if hasattr(self, name) and name != "options":
                setattr(self, name, value)
            else:
                self.options[name] = value
        return self

    def fit(self, X: Any, y: Any = None) -> Forecaster:
        """Debits and trains. The keys of the series and the span are public: they come from here, not from the rows."""
        records = Records(X, series=self.series, time=self.time, value=self.value)
        job = Train(records, Slots(self.start, self.end, self.length), keys=self.keys,
                    output=self.output, **self.options)
        self.model_ = job.run(self.dataset, ledger=self.ledger)
        return self

    def predict(self, X: Any) -> Any:
        """The forecast after a history, in the columns of Nixtla."""
        return self.model_.forecast(X, time=self.time, series=self.series, value=self.value).to_nixtla()

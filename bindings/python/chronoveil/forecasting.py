"""Models that forecast, trained privately: `sign_lags` here, networks by the program `chronoveil-forecast`.

Networks need libtorch, which is 300 MB; the wheel has 4. So it is a program of its own, and this file calls it: the
one of the variable CHRONOVEIL_FORECAST, or else the one on the PATH.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from chronoveil import _native, errors
from chronoveil.forecasts import STATED, Forecast
from chronoveil.frames import is_frame, stream_of
from chronoveil.jobs import TrainJob, _ledger
from chronoveil.keys import given
from chronoveil.ledger import Dataset
from chronoveil.plans import Plan
from chronoveil.programs import call
from chronoveil.progress import Teller
from chronoveil.records import Records, Slots

__all__ = ["Forecaster", "Model", "Train"]


def _stream_of(rows: Any, columns: Sequence[str] | None) -> Any:
    if not is_frame(rows):
        raise errors.UsageError(f"source: rows cannot be read from {type(rows).__name__}; it must be the path of a file, a "
                                "dictionary of columns, or anything that speaks Arrow", "source", type(rows).__name__,
                                "the path of a file, or a frame")
    return stream_of(rows, columns)


def _lines_of(rows: Any, columns: Sequence[str] | None) -> _native.CsvLines:
    return _native.CsvLines(_stream_of(rows, columns), None if columns is None else list(columns))


@contextmanager
def _as_file(rows: Any, beside: str, columns: Sequence[str] | None) -> Iterator[str]:
    """The path of a CSV, for what is read more than once. A frame is written to a file beside the model that only its
    owner may read, and that is gone afterwards. Its name depends on the model's alone, so that a training that was
    interrupted goes on."""
    if isinstance(rows, (str, os.PathLike)):
        yield os.fspath(rows)
        return
    lines = _lines_of(rows, columns)
    path = Path(f"{beside}.rows.csv")
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise errors.StorageError(f"{path} is there already: another call is at work on this model, or one was killed and "
                                  "left the rows behind; remove the file if no call is at work", "source") from None
    except OSError as error:
        raise errors.StorageError(f"{path}: {error.strerror}", "source") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(lines.header())
            while piece := lines.next():
                file.write(piece)
        yield str(path)
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _job_file(text: str, folder: str) -> Iterator[str]:
    """The path of a job file. It lies where the job does, so that its paths mean what they meant."""
    try:
        descriptor, path = tempfile.mkstemp(prefix=".chronoveil-", suffix=".toml", dir=folder)
    except OSError as error:
        raise errors.StorageError(f"{folder}: {error.strerror}; the job for chronoveil-forecast goes there") from None
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        yield path
    finally:
        Path(path).unlink(missing_ok=True)


class Train(TrainJob):
    __doc__ = TrainJob.__doc__

    def plan(self) -> Plan:
        return Plan(self._read().plan_training(), self)

    def run(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,  # type: ignore[override]
            seed: int | None = None, progress: bool | None = None) -> Model:
        """Debits the dataset and trains. A network that was interrupted goes on from its last checkpoint if this is
        called again."""
        path = self._output()
        if not self._read().needs_libtorch:
            job = self._read(dataset, rows=True)
            with Teller(progress) as tell:
                return Model(path, json.loads(_native.train(job, _ledger(dataset, ledger), confirmed, seed, None, tell)))
        return self._run_by_the_program(path, dataset, ledger, confirmed, seed, progress)

    def again(self, debit: str, dataset: Dataset | str | None = None, *, ledger: str = "") -> Model:  # type: ignore[override]
        """The stored model of a debit, written once more: no debit, no data, no noise."""
        path, job = self._output(), self._read(dataset)
        if not job.needs_libtorch:
            with Teller(False) as tell:
                return Model(path, json.loads(_native.train(job, _ledger(dataset, ledger), False, None, debit, tell)))
        with _job_file(self._for_the_program(dataset, self.records.source), self._folder()) as file:
            words = ["train", file, "--json", "--again", debit, *_flags(ledger=_ledger(dataset, ledger))]
            with Teller(False) as tell:
                return Model(path, json.loads(call(words, tell, file=bool(self.path))))

    def _folder(self) -> str:
        return os.path.dirname(os.path.abspath(self.path)) if self.path else os.getcwd()

    def _output(self) -> str:
        output = self.sections.get("output", {}).get("model")
        if not output:
            raise errors.UsageError("output: it is missing; a file for the trained model, such as 'load.cvm'", "output")
        return os.path.join(self._folder(), output)

    def _for_the_program(self, dataset: Dataset | str | None, source: Any) -> str:
        name = dataset if dataset is not None else self.sections["dataset"].get("name", "rehearsal")
        return self.to_toml(name, source="-" if self.records.is_frame and not isinstance(source, str) else source)

    def _run_by_the_program(self, model: str, dataset: Dataset | str | None, ledger: str, confirmed: bool,
                            seed: int | None, progress: bool | None) -> Model:
        plan = self._read(dataset)
        plan.plan_training()  # its errors name arguments
        with ExitStack() as held:
            source, lines = self.records.source, None
            if self.records.is_frame and len(self.sections["train"].get("channels", ())) > 1:  # read once for each
                source = held.enter_context(_as_file(source, model, plan.columns))
            elif self.records.is_frame:
                source, lines = "-", _lines_of(source, plan.columns)
            job = held.enter_context(_job_file(self._for_the_program(dataset, source), self._folder()))
            words = ["train", job, "--json", *_flags(ledger=_ledger(dataset, ledger), yes=confirmed, seed=seed)]
            tell = held.enter_context(Teller(progress))
            return Model(model, json.loads(call(words, tell, lines, file=bool(self.path))))


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
                 progress: bool | None = None, **options: Any) -> Forecast:
        """What comes after a history: quantiles from 10 to 90 percent, and intervals of these levels. Levels other than
        20, 40, 60 and 80 are read off sample paths, 200 unless `paths` says how many. A forecast shows the history that
        it was made from, unless `private` adds noise to that first, which is a debit (epsilon, delta, lower, upper,
        rate)."""
        if not _native.needs_libtorch(self.path):
            return self._forecast_here(history, levels, progress, {
                "time": time, "series": series, "value": [value] if isinstance(value, str) else value, "zone": zone,
                "private": private, "dataset": dataset.name if isinstance(dataset, Dataset) else dataset,
                **options}, _ledger(dataset, ledger))
        values = value if value is None or isinstance(value, str) else ",".join(value)
        name = dataset.name if isinstance(dataset, Dataset) else dataset
        columns = _columns(time, series, value)
        with (_as_file(history, os.path.abspath(self.path) + ".history", columns) as source,
              tempfile.TemporaryDirectory(prefix="chronoveil-") as folder, Teller(progress) as tell):
            paths = None if set(levels) <= set(STATED) else Path(folder) / "paths.csv"
            text = call(["forecast", self.path, source, *_flags(
                time=time, series=series, value=values, zone=zone, private=private, dataset=name, paths_output=paths,
                ledger=_ledger(dataset, ledger), **options)], tell)
            return Forecast(text, None if paths is None else paths.read_text(encoding="utf-8"), levels)

    def _forecast_here(self, history: Any, levels: Sequence[int], progress: bool | None, options: dict[str, Any],
                       ledger: str) -> Forecast:
        for name in options.keys() - _KNOWN - _OF_PRIVATE - _OUTPUTS:
            raise errors.UsageError(f"{name}: a forecast has no such argument", name)
        asked = dict(given(options))
        for name in () if asked.get("private") else sorted(asked.keys() & _OF_PRIVATE):
            raise errors.UsageError(f"{name}: it belongs to a private history, private=True", name)
        for name in ("epsilon", "delta", "lower", "upper") if asked.get("private") else ():
            if name not in asked:
                raise errors.UsageError(f"{name}: it is missing; a private history needs it", name)
        confirmed, seed, again = asked.pop("yes", False), asked.pop("seed", None), asked.pop("again", None)
        outputs = {name: os.fspath(asked.pop(name)) for name in sorted(asked.keys() & _OUTPUTS)}
        asked["keep_paths"] = not set(levels) <= set(STATED) or "paths_output" in outputs
        keys = asked.get("keys")
        if isinstance(keys, (str, os.PathLike)):
            asked["keys"] = _native.key_list(os.fspath(keys))
        elif keys is not None:
            asked["keys"] = [str(key) for key in keys]
        capsule = None
        if isinstance(history, (str, os.PathLike)):
            asked["source"] = os.fspath(history)
        else:
            capsule = _stream_of(history, _columns(asked["time"], asked.get("series"), asked.get("value")))
        with Teller(progress) as tell:
            made = _native.forecast(self.path, capsule, asked, outputs, ledger, confirmed, seed, again, tell)
        return Forecast(made["csv"], made["paths"] or None, levels)

    def __repr__(self) -> str:
        return f"Model({self.path!r})"


# What `forecast` may be told besides its own arguments: of any history, of one that gets noise, and files to write.
_KNOWN = {"time", "series", "value", "zone", "private", "time_format", "keys", "paths", "path_seed", "title"}
_OF_PRIVATE = {"dataset", "epsilon", "delta", "rate", "max_steps", "lower", "upper", "fill", "purpose", "seed", "yes",
               "again"}
_OUTPUTS = {"output", "paths_output", "json_output", "report"}


def _columns(time: str, series: str | None, value: str | Sequence[str] | None) -> list[str] | None:
    """The columns of a history; None if the model says which."""
    if value is None:
        return None
    return [time, *([series] if series else []), *([value] if isinstance(value, str) else value)]


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

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags
        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

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

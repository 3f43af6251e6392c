# Written by make_stubs.py from the tables of the engine.
import os
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

class Counts(Job):
    def __init__(self, records: Records, slots: Slots, *,
                 mechanism: str | Mechanism | None = None,
                 keys: Sequence[str] | str | os.PathLike[str] | None = None,
                 places: Grid | Areas | H3 | None = None,
                 purpose: str | os.PathLike[str] | None = None,
                 groups: str | os.PathLike[str] | None = None,
                 disjoint: bool | None = None,
                 unit: Literal["user", "event", "w-event"] | None = None,
                 relation: str | os.PathLike[str] | None = None,
                 width: int | None = None,
                 max_steps: str | os.PathLike[str] | None = None,
                 max_per_slot: int | None = None,
                 maximum: int | None = None,
                 analysis: Literal["certified", "published"] | None = None,
                 epsilon: float | None = None,
                 delta: float | None = None,
                 plan_users: int | None = None,
                 plan_sample: str | os.PathLike[str] | None = None,
                 csv: str | os.PathLike[str] | None = None,
                 totals: str | os.PathLike[str] | None = None,
                 json: str | os.PathLike[str] | None = None,
                 report: str | os.PathLike[str] | None = None,
                 chart: str | os.PathLike[str] | None = None,
                 geojson: str | os.PathLike[str] | None = None,
                 title: str | os.PathLike[str] | None = None,
                 level: float | None = None,
                 non_negative: bool | None = None,
                 integers: bool | None = None,
                 formulas: str | os.PathLike[str] | None = None) -> None: ...

class Means(Job):
    def __init__(self, records: Records, slots: Slots, *,
                 mechanism: str | Mechanism | None = None,
                 keys: Sequence[str] | str | os.PathLike[str] | None = None,
                 places: Grid | Areas | H3 | None = None,
                 purpose: str | os.PathLike[str] | None = None,
                 analysis: Literal["certified", "published"] | None = None,
                 epsilon: float | None = None,
                 delta: float | None = None,
                 lower: float | None = None,
                 upper: float | None = None,
                 counts: Literal["public", "private"] | None = None,
                 max_cells: int | None = None,
                 max_records: int | None = None,
                 registered: int | None = None,
                 sparse_below: int | None = None,
                 plan_users: int | None = None,
                 plan_counts: str | os.PathLike[str] | None = None,
                 csv: str | os.PathLike[str] | None = None,
                 json: str | os.PathLike[str] | None = None,
                 report: str | os.PathLike[str] | None = None,
                 chart: str | os.PathLike[str] | None = None,
                 geojson: str | os.PathLike[str] | None = None,
                 title: str | os.PathLike[str] | None = None,
                 level: float | None = None,
                 smooth: bool | None = None,
                 formulas: str | os.PathLike[str] | None = None) -> None: ...

class Perturb(Job):
    def __init__(self, records: Records, *,
                 mechanism: str | Mechanism | None = None,
                 purpose: str | os.PathLike[str] | None = None,
                 unit: Literal["user", "event", "w-event"] | None = None,
                 analysis: Literal["certified", "published"] | None = None,
                 epsilon: float | None = None,
                 delta: float | None = None,
                 window: int | None = None,
                 columns: Sequence[str] | None = None,
                 keep: Sequence[str] | None = None,
                 categories: Sequence[str] | None = None,
                 channels: Literal["joint", "independent"] | None = None,
                 move: Literal["values", "times"] | None = None,
                 times: bool | None = None,
                 stream: bool | None = None,
                 length: int | None = None,
                 lower: float | None = None,
                 upper: float | None = None,
                 average: int | None = None,
                 csv: str | os.PathLike[str] | None = None,
                 json: str | os.PathLike[str] | None = None,
                 report: str | os.PathLike[str] | None = None,
                 chart: str | os.PathLike[str] | None = None,
                 title: str | os.PathLike[str] | None = None,
                 internal: str | os.PathLike[str] | None = None,
                 formulas: str | os.PathLike[str] | None = None) -> None: ...

class Live(Job):
    def __init__(self, records: Records, slots: Slots, *,
                 mechanism: str | Mechanism | None = None,
                 keys: Sequence[str] | str | os.PathLike[str] | None = None,
                 places: Grid | Areas | H3 | None = None,
                 purpose: str | os.PathLike[str] | None = None,
                 disjoint: bool | None = None,
                 unit: Literal["user", "event", "w-event"] | None = None,
                 relation: str | os.PathLike[str] | None = None,
                 width: int | None = None,
                 max_steps: str | os.PathLike[str] | None = None,
                 max_per_slot: int | None = None,
                 maximum: int | None = None,
                 analysis: Literal["certified", "published"] | None = None,
                 epsilon: float | None = None,
                 delta: float | None = None,
                 plan_users: int | None = None,
                 plan_sample: str | os.PathLike[str] | None = None,
                 csv: str | os.PathLike[str] | None = None,
                 totals: str | os.PathLike[str] | None = None,
                 json: str | os.PathLike[str] | None = None,
                 report: str | os.PathLike[str] | None = None,
                 chart: str | os.PathLike[str] | None = None,
                 geojson: str | os.PathLike[str] | None = None,
                 title: str | os.PathLike[str] | None = None,
                 level: float | None = None,
                 non_negative: bool | None = None,
                 integers: bool | None = None,
                 formulas: str | os.PathLike[str] | None = None,
                 name: str | os.PathLike[str] | None = None,
                 after: str | os.PathLike[str] | None = None,
                 max_gap: int | None = None,
                 clock: str | os.PathLike[str] | None = None,
                 rejects: str | os.PathLike[str] | None = None,
                 wait: str | os.PathLike[str] | None = None) -> None: ...
    def open(self, dataset: Dataset | str | None = None, *, ledger: str = "", confirmed: bool = False,
             seed: int | None = None) -> LiveSession: ...
    def publish(self, dataset: Dataset | str | None = None, *, ledger: str = "", until: str | None = None,
                confirmed: bool = False, seed: int | None = None) -> Standing: ...
    def status(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing: ...
    def close(self, dataset: Dataset | str | None = None, *, ledger: str = "") -> Standing: ...

class TrainJob(Job):
    def __init__(self, records: Records, slots: Slots, *,
                 mechanism: str | Mechanism | None = None,
                 keys: Sequence[str] | str | os.PathLike[str] | None = None,
                 places: Grid | Areas | H3 | None = None,
                 purpose: str | os.PathLike[str] | None = None,
                 unit: Literal["user", "event", "w-event"] | None = None,
                 width: int | None = None,
                 max_steps: str | os.PathLike[str] | None = None,
                 analysis: Literal["certified", "published"] | None = None,
                 epsilon: float | None = None,
                 delta: float | None = None,
                 model: str | os.PathLike[str] | None = None,
                 context_length: int | None = None,
                 forecast_length: int | None = None,
                 hidden: int | None = None,
                 layers: int | None = None,
                 heads: int | None = None,
                 inner: int | None = None,
                 kernel: int | None = None,
                 head_features: int | None = None,
                 season: int | None = None,
                 spread: float | None = None,
                 lags: str | os.PathLike[str] | None = None,
                 seasons: str | os.PathLike[str] | None = None,
                 channels: Sequence[str] | None = None,
                 top_level: Literal["without_replacement", "iterate"] | None = None,
                 bottom_level: Literal["with_replacement", "poisson"] | None = None,
                 batch_size: int | None = None,
                 windows_per_series: int | None = None,
                 noise_multiplier: float | None = None,
                 steps: int | None = None,
                 clip: float | None = None,
                 optimiser: Literal["adam", "sgd"] | None = None,
                 learning_rate: float | None = None,
                 weight_decay: float | None = None,
                 average: float | None = None,
                 context_noise: float | None = None,
                 label_noise: float | None = None,
                 noise_unit: float | None = None,
                 lower: float | None = None,
                 upper: float | None = None,
                 fill: Literal["window_mean", "zero", "last"] | None = None,
                 calendar: bool | None = None,
                 spare_steps: int | None = None,
                 initial_seed: int | None = None,
                 spans: str | os.PathLike[str] | None = None,
                 checkpoint_every: int | None = None,
                 csv: str | os.PathLike[str] | None = None,
                 json: str | os.PathLike[str] | None = None,
                 report: str | os.PathLike[str] | None = None,
                 title: str | os.PathLike[str] | None = None,
                 level: float | None = None,
                 output: str | os.PathLike[str] | None = None,
                 formulas: str | os.PathLike[str] | None = None) -> None: ...

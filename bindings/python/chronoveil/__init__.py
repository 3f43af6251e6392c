"""Chronoveil: publish time series about people with a privacy guarantee that can be checked.

>>> import chronoveil as cv
>>> ledger = cv.Ledger("budget.db")
>>> visits = ledger.create("visits", epsilon=5, unit="user")     # the budget first, once
>>> rows = {"who": ["ann", "bob", "ann", "eve"],                 # or a frame, a file, a database
...         "when": ["2026-03-01T08:10", "2026-03-01T08:40", "2026-03-01T11:05", "2026-03-01T11:30"]}
>>> job = cv.Counts(cv.Records(rows, user="who", time="when", zone="Europe/Zurich"),
...                 cv.Slots("2026-03-01T06:00", "2026-03-01T18:00", "1h"),
...                 max_steps=4, epsilon=1)                      # a person counts in at most four hours: enforced
>>> release = job.run(visits, allow_uninformative=True)          # debits first, then reads, then draws
>>> len(release), release.debit, round(release.guarantee.epsilon, 6)
(12, 'visits:1', 1.0)
"""

from importlib.util import find_spec

from chronoveil import _native
from chronoveil.accounting import (Accountant, Calibration, Price, calibrate, delta, epsilon, max_count,
                                   other_prices)
from chronoveil.errors import (BadData, ChronoveilError, Interrupted, OverBudget, StorageError, Uncertified,
                               UsageError)
from chronoveil.events import *  # noqa: F403
from chronoveil.events import __all__ as _events
from chronoveil.forecasting import Forecaster, Model, Train
from chronoveil.forecasts import Forecast
from chronoveil.jobs import Counts, Job, Live, Means, Perturb, read_job
from chronoveil.ledger import Dataset, Debit, Ledger, Verification
from chronoveil.live import LiveSession, Standing, Step
from chronoveil.looks import Look
from chronoveil.places import H3, Areas, Grid
from chronoveil.plans import Check, Comparison, Plan
from chronoveil.records import Mechanism, Records, Slots
from chronoveil.releases import Guarantee, Release

# Zones that the system lacks are taken from the package tzdata, where it is installed.
if (_tzdata := find_spec("tzdata")) is not None:
    for _folder in _tzdata.submodule_search_locations or ():
        _native.read_zones_from(f"{_folder}/zoneinfo")

__version__: str = _native.version
__all__ = [
    "Accountant", "Areas", "BadData", "Calibration", "Check", "ChronoveilError", "Comparison", "Counts", "Dataset",
    "Debit", "Forecast", "Forecaster", "Grid", "Guarantee", "H3", "Interrupted", "Job", "Ledger", "Live", "LiveSession", "Look",
    "Means", "Mechanism", "Model", "OverBudget", "Perturb", "Plan", "Price", "Records", "Release", "Slots", "Standing",
    "Step", "StorageError", "Train", "Uncertified", "UsageError", "Verification", "calibrate", "delta", "epsilon",
    "max_count", "other_prices", "read_job", *_events,
]

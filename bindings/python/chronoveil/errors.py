"""What can go wrong: one exception per kind of error of the engine.

Every exception names the parameter that is to blame, its value and what would be valid, where there are such. Its text
never contains a value of the data, so it may be logged.
"""

from __future__ import annotations


class _Told(BaseException):
    """What every exception of the engine says."""

    exit_code = 1

    def __init__(self, text: str, parameter: str = "", value: str = "", valid: str = "") -> None:
        super().__init__(text)
        self.parameter = parameter or None
        self.value = value or None
        self.valid = valid or None


class ChronoveilError(_Told, Exception):
    """An error of the engine. `exit_code` is what the program would have ended with.

    >>> import chronoveil as cv
    >>> try:
    ...     cv.epsilon(cv.Gaussian(noise_multiplier=-1), delta=1e-6)
    ... except cv.ChronoveilError as error:
    ...     print(type(error).__name__, error.parameter, error.value, "|", error.valid)
    UsageError noise_multiplier -1 | a finite number greater than 0
    """


class UsageError(ChronoveilError, ValueError):
    """A parameter is missing, unknown or out of range."""

    exit_code = 2


class BadData(ChronoveilError, ValueError):
    """The data is not as the job says. The message names the column and the row."""

    exit_code = 3


class OverBudget(ChronoveilError):
    """The budget of the dataset has no room for this."""

    exit_code = 4


class StorageError(ChronoveilError, OSError):
    """Something could not be read or written: a file, a database, a ledger."""

    exit_code = 5


class Uncertified(ChronoveilError):
    """What was asked cannot be certified."""

    exit_code = 6


class Interrupted(_Told, KeyboardInterrupt):
    """Ctrl-C. The message says what became of the debit. As for every KeyboardInterrupt, `except Exception` lets it pass,
    and so does `except ChronoveilError`."""

    exit_code = 130


_KINDS: dict[int, type[ChronoveilError] | type[Interrupted]] = {kind.exit_code: kind
          for kind in (UsageError, BadData, OverBudget, StorageError, Uncertified, Interrupted)}


def of_kind(kind: int, text: str, parameter: str, value: str, valid: str) -> ChronoveilError | Interrupted:
    """The exception of a kind of error of the engine."""
    return _KINDS.get(kind, ChronoveilError)(text, parameter, value, valid)

"""What is going on, on a terminal or in a notebook, and nowhere else."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import TracebackType

_BAR = 20


def _watched() -> bool:
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and sys.stderr.isatty()


class Teller:
    """One line that says which stage a release is in, and goes away at its end. What must be known is a warning."""

    def __init__(self, shown: bool | None) -> None:
        self._shown = _watched() if shown is None else shown
        self._width = 0

    def __enter__(self) -> Callable[..., None]:
        return self._tell

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._width:
            self._write("")
            print("\r", end="", file=sys.stderr, flush=True)

    def _tell(self, what: str, text: str, share: float | None = None) -> None:
        if what == "taken_up":
            warnings.warn(f"used the debit {text}, for which nothing had been drawn: at no further cost", stacklevel=4)
        elif what in ("programme", "note"):
            warnings.warn(text, stacklevel=4)
        elif self._shown:
            full = None if share is None else round(share * _BAR)
            self._write(f"{text} ..." if full is None else f"{'█' * full}{'░' * (_BAR - full)} {text}")

    def _write(self, line: str) -> None:
        print("\r" + line.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(line)

"""The program that trains and forecasts, as a child of this process.

What it says comes as one JSON object a line (apps/cli/messages.h). Rows go to its standard input, which it reads after
the debit: until it has taken the line with the names of the columns, no row is asked for. They go as gzip, because that
has an end of its own: where this process is killed, the program must not take the rows that came for all.
"""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import termios
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from typing import IO, Any

from chronoveil import _native, errors

Tell = Callable[..., None]


def program() -> str:
    """Where it is."""
    found = os.environ.get("CHRONOVEIL_FORECAST") or shutil.which("chronoveil-forecast")
    if not found:
        raise errors.StorageError("the program chronoveil-forecast is not on the PATH; make build-forecast builds it, and "
                                  "the variable CHRONOVEIL_FORECAST may name it")
    return found


class _Said:
    """What the program says on its standard error, told as it comes."""

    def __init__(self, tell: Tell, file: bool) -> None:
        self._tell = tell
        self._file = file
        self.error: errors.ChronoveilError | errors.Interrupted | None = None
        self.notes: list[str] = []
        self.text: list[str] = []  # what came as text: a signal, or no memory

    def listen(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            text = line.decode("utf-8", "replace").strip()
            try:
                message = json.loads(text)
                self._take(message)
            except (ValueError, KeyError, TypeError):
                self.text.append(text.removeprefix("chronoveil: "))

    def _take(self, message: dict[str, Any]) -> None:
        if "error" in message:
            told = message["error"]
            parameter = self._named(f"`{told['parameter']}`") if told["parameter"] else ""
            text, valid = self._named(told["text"]), self._named(told["valid"])
            if parameter.startswith("--"):  # an option of `forecast`, which is an argument here
                argument = parameter.removeprefix("--").replace("-", "_")
                text, valid = text.replace(parameter, argument), valid.replace(parameter, argument)
                parameter = argument
            self.error = errors.of_kind(told["kind"], text, parameter, told["value"], valid)
        elif "progress" in message:
            self._tell("progress", message["progress"].removesuffix(" ..."), message.get("share"))
        else:
            note = message["note"].removeprefix("chronoveil: ")
            self._tell("progress", note)
            if not note.startswith("waiting for "):
                self.notes.append(note)

    def _named(self, text: str) -> str:
        return _native.named(text, self._file)

    def error_of(self, code: int) -> errors.ChronoveilError | errors.Interrupted:
        if self.error is not None:
            return self.error
        ended = f"chronoveil-forecast was ended by {signal.Signals(-code).name}" if code < 0 else ""
        return errors.of_kind(code, "; ".join([*self.text, ended]).strip("; "), "", "", "")


class _Rows:
    """Hands rows to a program that reads them when it has debited. If they fail, the program is interrupted, and its
    input never has an end."""

    def __init__(self, lines: _native.CsvLines, process: subprocess.Popen[bytes]) -> None:
        self._lines = lines
        self._process = process
        self.error: BaseException | None = None

    def feed(self) -> None:
        assert self._process.stdin is not None
        packed = zlib.compressobj(level=0, wbits=31)  # not for its size: for its checksum and its end
        with contextlib.suppress(BrokenPipeError), self._process.stdin as pipe:
            try:
                pipe.write(packed.compress(self._lines.header()) + packed.flush(zlib.Z_SYNC_FLUSH))
                pipe.flush()
                while self._process.poll() is None and _waiting_in(pipe):
                    time.sleep(0.01)
                while self._process.poll() is None and (piece := self._lines.next()):
                    pipe.write(packed.compress(piece))
                    pipe.flush()
                pipe.write(packed.flush())
            except BrokenPipeError:  # it has ended, and says why
                raise
            except BaseException as error:
                self.error = error
                self._process.send_signal(signal.SIGINT)
                self._process.wait()


def _waiting_in(pipe: IO[bytes]) -> int:
    """How many bytes of a pipe nobody has read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, count)
    return count[0]


def call(words: Sequence[str], tell: Tell, rows: _native.CsvLines | None = None, *, file: bool = False) -> str:
    """What the program prints. Its error becomes an exception, in the words of arguments, or of a job `file`. Ctrl-C is
    handed on to it, and the exception says what was spent."""
    process = subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL if rows is None else subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "CHRONOVEIL_MESSAGES": "json"})
    assert process.stdout is not None and process.stderr is not None
    out: list[bytes] = []
    said, feeder = _Said(tell, file), None if rows is None else _Rows(rows, process)
    tasks: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        (said.listen, (process.stderr,)), (lambda pipe: out.append(pipe.read()), (process.stdout,))]
    if feeder is not None:
        tasks.append((feeder.feed, ()))
    threads = [threading.Thread(target=work, args=given, daemon=True) for work, given in tasks]
    for thread in threads:
        thread.start()
    interrupted = _waited_for(process)
    for thread in threads:
        thread.join()
    process.stdout.close()
    process.stderr.close()
    for note in said.notes:
        tell("note", note)
    if feeder is not None and feeder.error is not None:
        raise _failed_rows(feeder.error, said)
    if process.returncode != 0:
        raise said.error_of(process.returncode)
    if interrupted:
        raise errors.Interrupted("interrupted when the program was done: what it wrote is there, and what it debited is "
                                 "released")
    return b"".join(out).decode("utf-8")


def _waited_for(process: subprocess.Popen[bytes]) -> bool:
    """Whether the wait was interrupted. A second interrupt kills: the ledger then knows what was spent."""
    try:
        process.wait()
        return False
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
    try:
        process.wait()
    except KeyboardInterrupt:
        process.kill()
        process.wait()
    return True


def _failed_rows(error: BaseException, said: _Said) -> BaseException:
    """The error of the rows, with what the program said of its debit when it was stopped."""
    if not isinstance(error, errors.ChronoveilError):
        return error
    spent = "; ".join(text.removeprefix("interrupted; ") for text in said.text)
    return type(error)(f"{error}; {spent}" if spent else str(error), error.parameter or "", error.value or "",
                       error.valid or "")

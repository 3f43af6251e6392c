"""Job files as text: what `tomllib` reads, written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import PurePath
from typing import Any


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, PurePath)):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, datetime):
        return _written(value.isoformat(timespec="minutes" if not (value.second or value.microsecond) else "auto"))
    if isinstance(value, date):
        return _written(value.isoformat() + "T00:00")
    if hasattr(value, "item"):  # a number of numpy, whose text is not that of a number
        return _written(value.item())
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(_written(one) for one in value) + "]"
    raise TypeError(f"{type(value).__name__} cannot stand in a job file; it must be a text, a number, a truth or a list")


def dumps(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """A job file of these sections.

    >>> print(dumps({"dataset": {"name": "city"}, "privacy": {"epsilon": 1.0}}), end="")
    version = 1
    [dataset]
    name = "city"
    [privacy]
    epsilon = 1.0
    """
    lines = ["version = 1"]
    for section, keys in sections.items():
        if keys:
            lines.append(f"[{section}]")
            lines += [f"{key} = {_written(value)}" for key, value in keys.items()]
    return "\n".join(lines) + "\n"

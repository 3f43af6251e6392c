"""The keys of a job file as arguments of Python, from the engine's own table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

from chronoveil import _native

# Said in other ways: where rows are, which keys are public, where they lie.
_APART = {"source.path", "source.url", "series.list", "series.keys", "places.list", "places.keys", "dataset.name"}


def argument_of(key: str) -> str:
    """What a key of a job file is called as an argument."""
    section, _, name = key.partition(".")
    if key == "output.model":  # the file of a trained model; `model` says which kind it is
        return "output"
    return f"plan_{name}" if section == "plan" else name


def keys_of(kind: str, wanted: Sequence[str] = (), unwanted: Sequence[str] = ()) -> dict[str, Mapping[str, Any]]:
    """The keys of the engine's table by argument, of some sections only, or of all others."""
    found: dict[str, Mapping[str, Any]] = {}
    for key in _native.job_keys(kind):
        section = key["key"].partition(".")[0]
        if key["key"] in _APART or section in unwanted or (wanted and section not in wanted):
            continue
        assert argument_of(key["key"]) not in found, key["key"]
        found[argument_of(key["key"])] = key
    return found


def told(keys: Mapping[str, Mapping[str, Any]]) -> str:
    """What each argument means, for a docstring."""
    return "\n".join(f"    {name}: {key['meaning']}" + (f" ({key['standard']})" if key["standard"] else "")
                     for name, key in keys.items())


def signature_of(keys: Mapping[str, Any], *first: Parameter) -> Signature:
    return Signature([*first, *(Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in keys)])


def given(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those that are not left out."""
    return {name: value for name, value in arguments.items() if value is not None}


def positional(name: str, default: Any = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default)

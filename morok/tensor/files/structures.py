"""Structures of dicts, lists and tuples in a safetensors file: the tensors by the way to each ("state.0.momentum"), the rest as JSON in the file's metadata.

    {"state": {0: {"m": <tensor>}}, "lr": 0.1}   =>   "state.0.m": <tensor>, and "morok.structure":
    {"d": [["state", {"d": [[0, {"d": [["m", {"t": "state.0.m"}]]}]]}], ["lr", {"v": 0.1}]]}
"""
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import DTypeError, FormatError
from ..tensor import Tensor

STRUCTURE = "morok.structure"
"""The name among the metadata."""


def is_flat(value: Any) -> bool:
    """Whether this is tensors by name, which need no structure."""
    return isinstance(value, Mapping) and all(isinstance(n, str) and isinstance(t, (Tensor, np.ndarray)) for n, t in value.items())


def taken_apart(value: Mapping[Any, Any]) -> tuple[dict[str, Any], str]:
    """The tensors by their ways, and the structure that holds them, as text."""
    tensors: dict[str, Any] = {}
    return tensors, json.dumps(_written(value, "", tensors))


def _written(value: Any, way: str, tensors: dict[str, Any]) -> dict[str, Any]:
    def inner(key: Any, part: Any) -> dict[str, Any]:
        return _written(part, f"{way}.{key}" if way else str(key), tensors)

    if isinstance(value, (Tensor, np.ndarray)):
        name = way
        while name in tensors:
            name += "'"
        tensors[name] = value
        return {"t": name}
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, (str, int)):
                raise DTypeError(f"save: names within a structure are texts or integers, not {key!r} at {way or 'its top'}")
        return {"d": [[key, inner(key, part)] for key, part in value.items()]}
    if isinstance(value, (list, tuple)):
        return {"u" if isinstance(value, tuple) else "l": [inner(number, part) for number, part in enumerate(value)]}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"v": value}
    raise DTypeError(f"save: takes Tensors by name, and dicts, lists, numbers and texts round them, not {way!r}: {type(value).__name__}")


def put_together(text: str, tensors: Mapping[str, Any], path: str) -> Any:
    """The structure of that text, with the tensors in it. FormatError where it is none."""
    try:
        return _read(json.loads(text), tensors)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}: the structure among the metadata is damaged: {error!r}") from None


def _read(entry: Any, tensors: Mapping[str, Any]) -> Any:
    ((kind, value),) = entry.items()
    if kind == "t":
        return tensors[value]
    if kind == "d":
        return {key: _read(part, tensors) for key, part in value}
    if kind in ("l", "u"):
        parts = [_read(part, tensors) for part in value]
        return parts if kind == "l" else tuple(parts)
    if kind != "v":
        raise ValueError(f"unknown kind {kind!r}")
    return value

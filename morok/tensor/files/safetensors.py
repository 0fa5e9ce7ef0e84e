"""The safetensors format: https://github.com/huggingface/safetensors#format

    8 bytes: the header's length N      N bytes: JSON, {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}      the data, without gaps
"""
from __future__ import annotations

import json
from collections.abc import Mapping
from math import prod
from typing import Any, BinaryIO

import ml_dtypes
import numpy as np

from ...errors import DTypeError, FormatError
from .replacing import write_array

MAX_HEADER = 100_000_000
METADATA = "__metadata__"
_ALIGNMENT = 64
_CODES = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "uint16": "U16", "int16": "I16", "float16": "F16", "bfloat16": "BF16", "uint32": "U32", "int32": "I32",
          "float32": "F32", "uint64": "U64", "int64": "I64", "float64": "F64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}
"""Codes of dtypes by NumPy's names."""
_DTYPES = {code: np.dtype(getattr(ml_dtypes, name) if name.startswith(("bfloat", "float8")) else name) for name, code in _CODES.items()}


def write(file: BinaryIO, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """The largest elements first, so that each lies at a multiple of its size."""
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    end = 0
    for name in order:
        array = arrays[name]
        if array.dtype.name not in _CODES:
            raise DTypeError(f"save: safetensors has no dtype for {name!r} of {array.dtype}; there are {', '.join(_CODES)}")
        header[name] = {"dtype": _CODES[array.dtype.name], "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise FormatError(f"save: the names and shapes take {len(text)} bytes; safetensors allows {MAX_HEADER}")
    file.write(len(text).to_bytes(8, "little") + text)
    for name in order:
        write_array(file, arrays[name])


def header_of(data: np.ndarray, path: str) -> tuple[dict[str, Any], int]:
    """The header, and where the data begin. FormatError where this is no header."""
    length = int.from_bytes(data[:8].tobytes(), "little")
    if len(data) < 10 or length < 2 or data[8] != ord("{"):
        raise FormatError(f"{path}: is neither safetensors, npz nor npy; it begins with {data[:8].tobytes()!r}")
    if length > min(MAX_HEADER, len(data) - 8):
        raise FormatError(f"{path}: the header should have {length} bytes, but the file has {len(data)} (a header, at most {MAX_HEADER}); it is truncated or "
                          "no safetensors")
    try:
        header = json.loads(data[8:8 + length].tobytes().decode(), object_pairs_hook=_without_doubles)
    except ValueError as error:
        raise FormatError(f"{path}: the header is no JSON: {error}") from None
    if not isinstance(header, dict):
        raise FormatError(f"{path}: the header is no JSON object")
    return header, 8 + length


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the name {next(n for n in names if names.count(n) > 1)!r} occurs twice")
    return found


def read(data: np.ndarray, path: str) -> dict[str, np.ndarray]:
    """The tensors as arrays on the data. FormatError where the header and the data do not agree."""
    header, begin = header_of(data, path)
    header.pop(METADATA, None)
    size = len(data) - begin
    entries = {name: _entry(name, entry, path) for name, entry in header.items()}
    place = 0
    for name, (_, _, first, end) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if first != place:
            raise FormatError(f"{path}: {name!r} begins at byte {first} of the data, and the one before it ends at {place}; there may be no gaps")
        place = end
    if place > size:
        raise FormatError(f"{path}: has {size} bytes of data where the header names {place}: the file is truncated")
    if place < size:
        raise FormatError(f"{path}: has {size} bytes of data where the header names {place}: something follows")
    return {name: data[begin + first:begin + end].view(dtype).reshape(shape) for name, (dtype, shape, first, end) in entries.items()}


def _entry(name: str, entry: Any, path: str) -> tuple[np.dtype, tuple[int, ...], int, int]:
    try:
        code, shape, (first, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        numbers = (*shape, first, end)
    except (TypeError, KeyError, ValueError):
        raise FormatError(f"{path}: {name!r} has no dtype, shape and data_offsets, but {str(entry)[:80]}") from None
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in numbers):
        raise FormatError(f"{path}: {name!r} has shape {shape} and place {first} to {end}; these must be integers from 0")
    dtype = _DTYPES.get(code) if isinstance(code, str) else None
    if dtype is None:
        raise DTypeError(f"{path}: {name!r} is of dtype {code}; morok reads {', '.join(_DTYPES)}")
    if end - first != prod(shape) * dtype.itemsize:
        raise FormatError(f"{path}: {name!r} of {code} and shape {shape} takes {prod(shape) * dtype.itemsize} bytes, and has {end - first}")
    return dtype, shape, first, end

"""What a Tensor can be made of: arrays, numbers and nested lists become NumPy arrays of a dtype that morok has."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..dialect import types as T
from ..errors import ComplexError, DTypeError, ShapeError
from . import dtypes


def array_of(data: Any, dtype: T.DType | None) -> np.ndarray:
    """An array of `data`, of the given dtype or the one that the elements decide.

    Python's ints, floats and bools take the default dtypes; arrays and NumPy scalars keep theirs. ShapeError for ragged lists, DTypeError
    for strings, objects, complex numbers, OverflowError for Python ints that the given dtype does not hold.
    """
    if isinstance(data, np.ndarray):
        found = dtypes.of_array(data)
        return converted(data, found if dtype is None else dtype)
    if isinstance(data, (list, tuple, range)):
        array = _array_of_list(data)
        if dtype is not None and dtype.kind in "iu" and array.dtype.kind in "iu" and not _has_numpy(data):
            _require_fitting(array, dtype)
        if dtype is None:
            dtype = dtypes.of_array(array)
            if array.dtype in (np.float64, np.int64) and not _has_numpy(data):
                dtype = dtypes.default_float() if dtype.is_float else dtypes.default_int()
        return converted(array, dtype)
    array = np.asarray(data)
    if array.dtype.kind in "OSU":
        raise DTypeError(f"Tensor takes a number, a list of numbers, a NumPy array or a Tensor, not {type(data).__name__}")
    return converted(array, dtypes.of_array(array) if dtype is None else dtype)


def converted(array: np.ndarray, dtype: T.DType) -> np.ndarray:
    """The array in the dtype, converted as the `cast` op does."""
    source = dtypes.of_array(array)
    if source is dtype:
        return array.astype(dtype.np, copy=False)  # byte order
    if dtype is T.bool_:
        return array != 0
    if source.is_float and not dtype.is_float:
        wide = np.trunc(array.astype(np.float64))
        with np.errstate(invalid="ignore"):
            whole = np.where(np.abs(wide) < 2.0**63, wide, 0).astype(np.int64)
        whole = np.where(wide >= 2.0**63, np.iinfo(np.int64).max, np.where(wide <= -(2.0**63), np.iinfo(np.int64).min, whole))
        return whole.astype(dtype.np)
    with np.errstate(over="ignore"):
        return (array.astype(np.float32) if dtype is T.bfloat16 else array).astype(dtype.np)


def _array_of_list(data: Any) -> np.ndarray:
    if isinstance(data, range):
        return np.arange(data.start, data.stop, data.step, dtype=np.int64)
    try:
        array = np.array(data)
    except ValueError:
        raise ShapeError("Tensor: the lists are ragged; each list of a nesting level needs as many elements as its siblings: "
                         f"{_excerpt(data)}") from None
    except OverflowError:
        raise OverflowError(f"Tensor: an integer does not fit 64 bits in {_excerpt(data)}") from None
    if array.size == 0 and array.dtype == np.float64:
        return array.astype(np.float64)
    if array.dtype.kind not in "biufV" or array.dtype.kind == "V" and array.dtype != T.bfloat16.np:
        if array.dtype.kind == "c":
            raise ComplexError(f"Tensor: complex numbers are not supported yet ({_excerpt(data)}): give real and imaginary parts to two tensors")
        if array.dtype.kind == "O" and all(isinstance(element, int) for element in array.flat):
            raise OverflowError(f"Tensor: an integer does not fit 64 bits in {_excerpt(data)}; give floats")
        raise DTypeError(f"Tensor takes lists of numbers and bools, not {_excerpt(data)}")
    return array


def _require_fitting(array: np.ndarray, dtype: T.DType) -> None:
    """OverflowError where a Python int is not a value of the dtype that was asked for, as for a number alone; an array's elements wrap."""
    wrong = (array < dtype.min) | (array > dtype.max)
    if wrong.any():
        raise OverflowError(f"Tensor: {array[wrong][0]} does not fit {dtype} (from {dtype.min} to {dtype.max}); give a wider dtype=, or an array, which wraps")


def _excerpt(data: Any) -> str:
    text = repr(data)
    return text if len(text) <= 60 else text[:57] + "..."


def _has_numpy(data: Any) -> bool:
    """Whether NumPy values stand among Python's: their dtype is meant."""
    pending = [data]
    while pending:
        item = pending.pop()
        if isinstance(item, (list, tuple)):
            pending.extend(item)
        elif isinstance(item, (np.ndarray, np.generic)):
            return True
    return False

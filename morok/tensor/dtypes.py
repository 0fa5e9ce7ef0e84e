"""Element types by name, and the rules by which they combine.

    dtypes.float32, dtypes.int64, dtypes.bool, ...
    promote(int8, uint8)  = int16        bool < integers < floats; both signs: the next wider signed type
    promote(int64, float32) = float32    an integer never widens a float
    promote(uint64, int64)  = float64    as NumPy
    promote(float16, bfloat16) = float32; so two kinds of 8-bit floats

Python scalars are weak: they take the tensor's dtype where their kind allows (`int32 + 1` is int32, `int32 + 1.5` is the default float).
NumPy arrays and scalars and 0-d tensors have dtypes of their own and combine by the rules.
"""
from __future__ import annotations

import builtins
from functools import cache
from typing import Any

import numpy as np

from ..dialect.types import (
    DTYPES,
    DType,
    bfloat16,
    dtype_of_numpy,
    float8_e4m3,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..dialect.types import bool_ as bool
from ..errors import ComplexError, DTypeError

__all__ = ["DType", "as_dtype", "bfloat16", "bool", "default_float", "default_int", "double", "float", "float16", "float32", "float64", "float8_e4m3",
           "float8_e4m3fn", "float8_e5m2", "half", "int", "int16", "int32", "int64", "int8", "long", "may_store", "promote", "set_default_float",
           "set_default_int", "short", "uint16", "uint32", "uint64", "uint8"]

half, float, double, short, int, long = float16, float32, float64, int16, int32, int64
"""PyTorch's other names."""


class _Defaults:
    """What Python's ints and floats become."""

    integer = int64
    floating = float32


def default_int() -> DType:
    """What a Python int becomes: int64, unless set otherwise."""
    return _Defaults.integer


def default_float() -> DType:
    """What a Python float becomes, and integers in true division and mathematical functions: float32, unless set otherwise."""
    return _Defaults.floating


def set_default_int(dtype: Any) -> None:
    """Makes Python ints another integer dtype from now on."""
    found = as_dtype(dtype)
    if not found.is_int:
        raise DTypeError(f"set_default_int: takes an integer dtype, not {found}")
    _Defaults.integer = found


def set_default_float(dtype: Any) -> None:
    """Makes Python floats another floating-point dtype from now on."""
    found = as_dtype(dtype)
    if not found.is_float:
        raise DTypeError(f"set_default_float: takes a floating-point dtype, not {found}")
    _Defaults.floating = found


_NAMES = {n: d for n, d in DTYPES.items() if n != "index"}
_ALIASES = {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32, "long": int64, "bool_": bool}


def as_dtype(given: Any) -> DType:
    """A dtype from a DType, a name ("float32", "half"), a Python type (bool, int, float), a NumPy dtype or scalar type."""
    if isinstance(given, DType) and given.name in _NAMES:
        return given
    if given is builtins.bool:
        return bool
    if given is builtins.int:
        return default_int()
    if given is builtins.float:
        return default_float()
    if isinstance(given, str):
        found = _NAMES.get(given) or _ALIASES.get(given)
        if found is not None:
            return found
    elif isinstance(given, (np.dtype, type)):
        try:
            return dtype_of_numpy(given)
        except TypeError:
            pass
    if given is complex or isinstance(given, str) and given in _COMPLEX or isinstance(given, (np.dtype, type)) and _is_complex(given):
        raise ComplexError(f"complex numbers are not supported yet (dtype {given!r}): keep real and imaginary parts in two tensors; there are "
                           f"{', '.join(_NAMES)}")
    raise DTypeError(f"no dtype {given!r}; there are {', '.join(_NAMES)}")


_COMPLEX = ("complex", "complex64", "complex128", "cfloat", "cdouble", "chalf")


def _is_complex(given: Any) -> builtins.bool:
    """Whether NumPy takes this for a complex dtype."""
    try:
        return np.dtype(given).kind == "c"
    except TypeError:
        return False


_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


@cache
def promote(a: DType, b: DType) -> DType:
    """The dtype that both take part in arithmetic as."""
    if a is b:
        return a
    if a.rank > b.rank:
        a, b = b, a
    if b.is_float:
        return float32 if (a, b) == (bfloat16, float16) or a.is_float and b.bits == 8 else b
    if a is bool or a.kind == b.kind:
        return b
    unsigned, signed = (a, b) if a.kind == "u" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return _SIGNED[unsigned.bits * 2] if unsigned.bits < 64 else float64


_KIND_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2}


def may_store(source: DType, target: DType) -> builtins.bool:
    """Whether an in-place operation may store values of `source` in `target`: never from float to integer, nor from a number to bool."""
    return _KIND_ORDER[source.kind] <= _KIND_ORDER[target.kind]


def with_scalar(dtype: DType, scalar: Any) -> DType:
    """The dtype of an operation between a tensor of `dtype` and a Python scalar."""
    if isinstance(scalar, builtins.bool) or dtype.is_float:
        return dtype
    if isinstance(scalar, builtins.int):
        return default_int() if dtype is bool else dtype
    return default_float()


def of_scalar(scalar: Any) -> DType:
    """The dtype of a Python scalar on its own."""
    return bool if isinstance(scalar, builtins.bool) else default_int() if isinstance(scalar, builtins.int) else default_float()


def accumulator(dtype: DType) -> DType:
    """The dtype of a sum or product: integers in 64 bits, as NumPy and PyTorch."""
    if dtype is bool or dtype.kind == "i":
        return int64
    return uint64 if dtype.kind == "u" else dtype


def computing(dtype: DType) -> DType:
    """The dtype in which a function of several steps computes: float32 for shorter floats and the default float for integers."""
    if not dtype.is_float:
        return default_float()
    return float32 if dtype.bits < 32 else dtype


def of_array(array: np.ndarray) -> DType:
    """The dtype of an array's elements in native byte order. DTypeError for complex numbers, strings, objects, dates."""
    try:
        return dtype_of_numpy(array.dtype.newbyteorder("="))
    except TypeError:
        if array.dtype.kind == "c":
            raise ComplexError(f"complex numbers are not supported yet (an array of {array.dtype}): give .real and .imag, two arrays") from None
        raise DTypeError(f"no morok dtype for NumPy's {array.dtype}; there are {', '.join(_NAMES)}") from None

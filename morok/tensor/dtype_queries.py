"""Questions about dtypes, as the array API asks them: their limits, their kinds, and what they combine to."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ..errors import DTypeError
from .core import TensorCore
from .dtypes import DType, as_dtype, of_array, of_scalar, promote, with_scalar

KINDS: dict[str, str] = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "",
                         "numeric": "iuf"}
"""The kinds of `isdtype`, as letters of DType.kind."""


@dataclass(frozen=True)
class FloatLimits:
    """What `finfo` gives: numbers are Python floats, exact in the dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    smallest_subnormal: float
    resolution: float
    dtype: DType

    @property
    def tiny(self) -> float:
        """NumPy's and PyTorch's other name of smallest_normal."""
        return self.smallest_normal


@dataclass(frozen=True)
class IntegerLimits:
    """What `iinfo` gives."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_of(given: Any, what: str) -> DType:
    """The dtype of a tensor or NumPy array, or the dtype that is given."""
    if isinstance(given, TensorCore):
        return given.dtype
    if isinstance(given, (np.ndarray, np.generic)):
        return of_array(np.asarray(given))
    try:
        return as_dtype(given)
    except DTypeError as error:
        raise type(error)(f"{what}: {error}") from None


def finfo(dtype: Any) -> FloatLimits:
    """Limits of a floating-point dtype, or of a tensor's: bits, eps, max, min, smallest_normal, smallest_subnormal, resolution.

    DTypeError for other dtypes.

        morok.finfo(morok.float32).bits  # 32
    """
    found = _dtype_of(dtype, "finfo")
    if not found.is_float:
        raise DTypeError(f"finfo: takes a floating-point dtype, not {found}; iinfo has the limits of integers")
    info = ml_dtypes.finfo(found.np)
    return FloatLimits(found.bits, float(info.eps), float(info.max), float(info.min), float(info.smallest_normal), float(info.smallest_subnormal),
                       float(info.resolution), found)


def iinfo(dtype: Any) -> IntegerLimits:
    """Limits of an integer dtype, or of a tensor's: bits, max, min.

    DTypeError for bool and floating-point dtypes.

        morok.iinfo("int8").max  # 127
    """
    found = _dtype_of(dtype, "iinfo")
    if not found.is_int:
        hint = "; finfo has the limits of floating-point dtypes" if found.is_float else ""
        raise DTypeError(f"iinfo: takes an integer dtype, not {found}{hint}")
    return IntegerLimits(found.bits, found.max, found.min, found)


def can_cast(from_: Any, to: Any) -> bool:
    """Whether promotion alone leads from a dtype (or a tensor's) to another: `result_type(from_, to)` is `to`.

    DTypeError for what is no dtype. Any dtype becomes any other by `astype`.

        morok.can_cast("int16", "int32")  # True
    """
    source, target = _dtype_of(from_, "can_cast"), _dtype_of(to, "can_cast")
    return promote(source, target) is target


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype of an operation among tensors, arrays, dtypes and Python numbers of any shapes. Python's bool, int and float values are weak.

    TypeError without arguments, DTypeError for what has no dtype.

        morok.result_type("int8", "uint8", 3)
    """
    if not arrays_and_dtypes:
        raise TypeError("result_type: takes at least one tensor, array, dtype or number, not none")
    scalars = [a for a in arrays_and_dtypes if type(a) in (bool, int, float)]
    strong = [_dtype_of(a, "result_type") for a in arrays_and_dtypes if type(a) not in (bool, int, float)]
    if not strong:
        return _promoted([of_scalar(s) for s in scalars])
    found = _promoted(strong)
    for scalar in sorted(scalars, key=lambda s: (type(s) is float, type(s) is int)):  # bools first: the order given makes no difference
        found = with_scalar(found, scalar)
    return found


def _promoted(dtypes: list[DType]) -> DType:
    """All together. By kind first, so that the order in which they are given makes no difference."""
    ordered = sorted(dtypes, key=lambda d: d.rank)
    found = ordered[0]
    for dtype in ordered[1:]:
        found = promote(found, dtype)
    return found


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is another, or of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric".

    `kind` may be a tuple of them. DTypeError for what is no dtype, ValueError for a kind that does not exist.

        morok.isdtype(morok.int8, "integral")  # True
    """
    found = _dtype_of(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any([isdtype(found, k) for k in kind])  # a list: each one is checked
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: no kind {kind!r}; there are {', '.join(repr(k) for k in KINDS)}, dtypes, and tuples of them")
        return found.kind in KINDS[kind]
    return found is _dtype_of(kind, "isdtype")



"""What every ALU op and reduction computes, once: the interpreter runs it on arrays, constant folding on single values, so the two agree.

    evaluate("add", T.int8, [x, y])            # arrays of the operands' dtypes; the result has dtype int8
    fold("floordiv", T.int32, [-7, 2])         # -4, a Python value
    reduce("max", T.float32, x, (0, 2))        # over axes 0 and 2; -inf over nothing

Floats: `+ - * /` and sqrt are IEEE 754 in the dtype; other functions are computed in float64 and rounded, so a float32 result is the
nearest float32 in all but a few cases per million. float16 and bfloat16 compute in float32 and round, casts to them too. A float sum is
NumPy's pairwise sum in the dtype (in float32 for 16-bit floats, rounded once at the end): a sum of n elements in another order may differ
from it by a few ulp of the sum of absolute values times log2(n).

On bool, `add` is or, `mul` is and, `sub` is exclusive or.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..dialect import types as T

Function = Callable[..., np.ndarray]

LEAST_INT64, GREATEST_INT64 = -(1 << 63), (1 << 63) - 1


# Floats

def _wide(x: np.ndarray) -> np.ndarray:
    """16-bit floats as float32, in which they compute; others as they are."""
    return x.astype(np.float32) if _is_half(x) else x


def _is_half(x: np.ndarray) -> bool:
    return x.dtype == T.float16.np or x.dtype == T.bfloat16.np


def _round_to(x: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A float64 or float32 result rounded to float32 first where the dtype has 16 bits."""
    return x.astype(np.float32).astype(dtype) if dtype in (T.float16.np, T.bfloat16.np) else x.astype(dtype)


def _arithmetic(function: Callable) -> Function:
    """A function that NumPy computes exactly in each dtype (wrapping integers, IEEE 754 floats)."""
    return lambda *operands: _round_to(np.asarray(function(*map(_wide, operands))), operands[0].dtype)


def _through_float64(function: Callable) -> Function:
    return lambda *operands: _round_to(np.asarray(function(*(x.astype(np.float64) for x in operands)), np.float64), operands[0].dtype)


def _comparison(function: Callable) -> Function:
    return lambda x, y: np.asarray(function(_wide(x), _wide(y)))


def _erf(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.frompyfunc(math.erf, 1, 1)(x), np.float64)


# Integers

def _floor_divide(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Rounds down; 0 where y is 0; the least integer by -1 wraps to itself."""
    return np.where(y == 0, np.zeros_like(x), np.floor_divide(x, np.where(y == 0, np.ones_like(y), y)))


def _modulo(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.where(y == 0, np.zeros_like(x), np.remainder(x, np.where(y == 0, np.ones_like(y), y)))


def _shift_left(x: np.ndarray, distance: np.ndarray) -> np.ndarray:
    inside = (distance >= 0) & (distance < x.dtype.itemsize * 8)
    return np.where(inside, np.left_shift(x, np.where(inside, distance, np.zeros_like(distance))), np.zeros_like(x))


def _shift_right(x: np.ndarray, distance: np.ndarray) -> np.ndarray:
    width = x.dtype.itemsize * 8
    inside = (distance >= 0) & (distance < width)
    shifted = np.right_shift(x, np.where(inside, distance, np.zeros_like(distance)))
    return np.where(inside, shifted, np.right_shift(x, np.full_like(x, width - 1)) if x.dtype.kind == "i" else np.zeros_like(x))


# Fused multiply and add

def _fused_float64(x: float, y: float, z: float) -> float:
    if math.isfinite(x) and math.isfinite(y) and not math.isfinite(z):
        return z
    plain = x * y + z
    if not (math.isfinite(x) and math.isfinite(y)):
        return plain
    exact = Fraction(x) * Fraction(y) + Fraction(z)
    if exact == 0:
        return plain  # the sign of zero
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def _fused_float32(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The product is exact in float64; the sum is rounded to odd there, so that rounding it to float32 is the one rounding that shows."""
    x, y, z = (v.astype(np.float64) for v in (x, y, z))
    product = x * y
    total = product + z
    virtual = total - product
    error = (product - (total - virtual)) + (z - virtual)
    even = (total.view(np.int64) & 1) == 0
    to_odd = np.isfinite(total) & (error != 0) & even
    return np.where(to_odd, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total).astype(np.float32)


def _multiply_add(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    if x.dtype == np.float64:
        return np.asarray(np.frompyfunc(_fused_float64, 3, 1)(x, y, z), np.float64)
    if x.dtype == np.float32 or _is_half(x):
        return _round_to(_fused_float32(x, y, z), x.dtype)
    return np.add(np.multiply(x, y), z)


# Conversions

def cast(x: np.ndarray, dtype: T.DType) -> np.ndarray:
    """The `cast` op."""
    x = np.asarray(x)
    if dtype is T.bool_:
        return np.asarray(_wide(x) != 0)
    is_float = x.dtype.kind == "f" or _is_half(x)
    if is_float and not dtype.is_float:
        return _saturated_int64(x.astype(np.float64)).astype(dtype.np)
    return _round_to(_wide(x), dtype.np) if dtype.is_float else x.astype(dtype.np)


def _saturated_int64(x: np.ndarray) -> np.ndarray:
    whole = np.trunc(x)
    inside = np.asarray(np.where(np.abs(whole) < 2.0**63, whole, 0.0)).astype(np.int64)
    return np.where(whole >= 2.0**63, GREATEST_INT64, np.where(whole <= -2.0**63, LEAST_INT64, inside))


def bitcast(x: np.ndarray, dtype: T.DType) -> np.ndarray:
    """The `bitcast` op; a bool is a byte, true where it is not 0."""
    x = np.ascontiguousarray(x).reshape(np.shape(x))
    return x.view(np.uint8) != 0 if dtype is T.bool_ else x.view(dtype.np)


FUNCTIONS: dict[str, Function] = {
    "neg": _arithmetic(np.negative), "abs": _arithmetic(np.abs), "not": np.invert,
    "add": _arithmetic(np.add), "mul": _arithmetic(np.multiply), "div": _arithmetic(np.divide), "sqrt": _arithmetic(np.sqrt),
    "sub": lambda x, y: np.logical_xor(x, y) if x.dtype == np.bool_ else _arithmetic(np.subtract)(x, y),
    "max": _arithmetic(np.maximum), "min": _arithmetic(np.minimum),
    "floordiv": _floor_divide, "mod": _modulo, "shl": _shift_left, "shr": _shift_right,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "cmplt": _comparison(np.less), "cmple": _comparison(np.less_equal), "cmpeq": _comparison(np.equal), "cmpne": _comparison(np.not_equal),
    "where": np.where, "mulacc": _multiply_add,
    "exp": _through_float64(np.exp), "exp2": _through_float64(np.exp2), "expm1": _through_float64(np.expm1),
    "log": _through_float64(np.log), "log2": _through_float64(np.log2), "log1p": _through_float64(np.log1p),
    "sin": _through_float64(np.sin), "cos": _through_float64(np.cos), "tan": _through_float64(np.tan),
    "asin": _through_float64(np.arcsin), "acos": _through_float64(np.arccos), "atan": _through_float64(np.arctan),
    "sinh": _through_float64(np.sinh), "cosh": _through_float64(np.cosh), "tanh": _through_float64(np.tanh),
    "asinh": _through_float64(np.arcsinh), "acosh": _through_float64(np.arccosh), "atanh": _through_float64(np.arctanh),
    "erf": _through_float64(_erf), "pow": _through_float64(np.power),
    "floor": _arithmetic(np.floor), "ceil": _arithmetic(np.ceil), "trunc": _arithmetic(np.trunc), "round": _arithmetic(np.rint),
}


def evaluate(name: str, dtype: T.DType, operands: Sequence[np.ndarray]) -> np.ndarray:
    """The op on arrays that broadcast against one another; `dtype` is the result's."""
    with np.errstate(all="ignore"):
        if name == "cast":
            return cast(operands[0], dtype)
        if name == "bitcast":
            return bitcast(operands[0], dtype)
        return np.asarray(FUNCTIONS[name](*operands), dtype.np)


def fold(name: str, dtype: T.DType, values: Sequence[Any], operand_dtypes: Sequence[T.DType] | None = None) -> Any:
    """The op on Python values, as a Python value of `dtype`.

    The operands' dtypes must be given for casts, bitcasts and comparisons; elsewhere they are `dtype` (a where's condition: bool).
    """
    if operand_dtypes is None:
        operand_dtypes = [T.bool_ if name == "where" and i == 0 else dtype for i in range(len(values))]
    return to_python(evaluate(name, dtype, [full((), d, v) for v, d in zip(values, operand_dtypes)]), dtype)


def to_python(value: np.ndarray, dtype: T.DType) -> Any:
    """The only element, as bool, int or float."""
    return {"b": bool, "f": float}.get(dtype.kind, int)(value.reshape(())[()])


def full(shape: tuple[int, ...], dtype: T.DType, value: Any) -> np.ndarray:
    """An array of one constant; floats are rounded to the dtype, once."""
    with np.errstate(all="ignore"):
        return np.full(shape, value, np.float64).astype(dtype.np) if dtype.is_float else np.full(shape, value, dtype.np)


# Reductions

def identity(op: str, dtype: T.DType) -> Any:
    """What a reduction gives over nothing, as a Python value."""
    if op in ("add", "or"):
        return {"b": False, "f": 0.0}.get(dtype.kind, 0)
    if op == "mul":
        return {"b": True, "f": 1.0}.get(dtype.kind, 1)
    if op == "and":
        return True if dtype.kind == "b" else dtype.max if dtype.kind == "u" else -1
    return {"max": dtype.min, "min": dtype.max}[op]


_REDUCTIONS: dict[str, np.ufunc] = {
    "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
}


def scan(op: str, dtype: T.DType, x: np.ndarray, axis: int) -> np.ndarray:
    """Each element combined with all before it along an axis, one after the other."""
    moved = np.array(np.moveaxis(x, axis, 0), order="C")
    for i in range(1, len(moved)):
        pair = [moved[i - 1], moved[i]]
        moved[i] = np.logaddexp(*map(_wide, pair)).astype(x.dtype) if op == "logaddexp" else evaluate(op, dtype, pair)
    return np.moveaxis(moved, 0, axis)


def reduce(op: str, dtype: T.DType, x: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Combines the elements along `axes`, which the result lacks; `dtype` is x's and the result's."""
    ufunc = {"add": np.logical_or, "mul": np.logical_and}.get(op, _REDUCTIONS[op]) if dtype is T.bool_ else _REDUCTIONS[op]
    wide = _wide(x)
    with np.errstate(all="ignore"):
        start = np.asarray(identity(op, dtype), wide.dtype)[()]
        combined = ufunc.reduce(wide, axis=axes, dtype=wide.dtype, initial=start)
        return _round_to(np.asarray(combined), x.dtype)

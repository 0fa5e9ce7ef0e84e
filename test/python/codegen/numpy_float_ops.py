"""The `ops` of the float functions in NumPy, with an fma that rounds once, and the measure of errors in units in the last place."""
from __future__ import annotations

from fractions import Fraction

import mpmath as mp
import numpy as np

INTEGERS = {"float32": "uint32", "float64": "uint64"}
FRACTION_BITS = {"float32": 23, "float64": 52}


def fma_float32(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The product is exact in float64; rounding the sum to odd there keeps the second rounding right (Boldo & Melquiond 2008)."""
    product, addend = a.astype(np.float64) * b.astype(np.float64), c.astype(np.float64)
    return odd_sum(product, addend).astype(np.float32)


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    high = a + b
    from_b = high - a
    return high, (a - (high - from_b)) + (b - from_b)


def odd_sum(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a + b in float64, rounded to the neighbour whose last bit is odd if inexact."""
    high, low = two_sum(a, b)
    bits = high.view(np.int64)
    inexact_even = (low != 0) & np.isfinite(low) & (bits & 1 == 0)
    outward = (low > 0) == (high > 0)
    return np.where(inexact_even, bits + np.where(outward, 1, -1), bits).view(np.float64)


def split(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scaled = a * 134217729.0
    high = scaled - (scaled - a)
    return high, a - high


def fma_float64(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Dekker's product and Boldo & Melquiond's sum; lanes near the ends of the range go through fractions."""
    a, b, c = (array.copy() for array in np.broadcast_arrays(a, b, c))
    high = a * b
    (a1, a2), (b1, b2) = split(a), split(b)
    low = ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2
    sum_high, sum_low = two_sum(c, low)
    top, rest = two_sum(high, sum_high)
    result = top + odd_sum(rest, sum_low)
    trivial = ~np.isfinite(a + b + c) | ~np.isfinite(c) | (a == 0) | (b == 0)
    result = np.where(trivial, high + c, result)
    size = np.maximum(np.maximum(abs(a), abs(b)), np.maximum(abs(c), abs(high)))
    for index in np.flatnonzero(~trivial & ((size > 2.0**960) | (abs(high) < 2.0**-900))):
        result.flat[index] = exact_fma(float(a.flat[index]), float(b.flat[index]), float(c.flat[index]))
    return result


def exact_fma(a: float, b: float, c: float) -> float:
    total = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return total.numerator / total.denominator if total else a * b + c
    except OverflowError:
        return float("inf") if total > 0 else -float("inf")


class NumpyOps:
    """Counts its operations: constants, bitcasts and negations are free, and so is the not of a comparison, which is the opposite one."""

    def __init__(self) -> None:
        self.count = 0

    def _counted(self, value: np.ndarray) -> np.ndarray:
        self.count += 1
        return value

    def const(self, value: float, like: np.ndarray) -> np.ndarray:
        return np.full(like.shape, value, like.dtype)

    def add(self, a, b): return self._counted(a + b)
    def sub(self, a, b): return self._counted(a - b)
    def mul(self, a, b): return self._counted(a * b)
    def div(self, a, b): return self._counted(a / b)
    def sqrt(self, a): return self._counted(np.sqrt(a))
    def floor(self, a): return self._counted(np.floor(a))
    def trunc(self, a): return self._counted(np.trunc(a))
    def round_even(self, a): return self._counted(np.rint(a))
    def abs(self, a): return self._counted(abs(a))
    def neg(self, a): return -a
    def shl(self, a, b): return self._counted(a << b)
    def shr(self, a, b): return self._counted(a >> b)
    def and_(self, a, b): return self._counted(a & b)
    def or_(self, a, b): return self._counted(a | b)
    def xor(self, a, b): return self._counted(a ^ b)
    def not_(self, a): return ~a
    def lt(self, a, b): return self._counted(a < b)
    def le(self, a, b): return self._counted(a <= b)
    def eq(self, a, b): return self._counted(a == b)
    def ne(self, a, b): return self._counted(a != b)
    def bitcast(self, a, dtype): return a.view(dtype)
    def cast(self, a, dtype): return self._counted(a.astype(dtype))

    def fma(self, a, b, c):
        assert a.dtype == b.dtype == c.dtype
        return self._counted(fma_float32(a, b, c) if a.dtype == np.float32 else fma_float64(a, b, c))

    def where(self, condition, then, otherwise):
        assert condition.dtype == np.bool_ and then.dtype == otherwise.dtype
        return self._counted(np.where(condition, then, otherwise))


class BranchingOps(NumpyOps):
    """With the hook for rare lanes: it is not asked for the slow path if no lane needs it."""

    def rarely(self, condition, slow, fast):
        if not condition.any():
            return fast
        return tuple(np.where(condition, rare, usual) for rare, usual in zip(slow(), fast))


def exact_values(function, arguments: list[np.ndarray], precision: int = 160) -> tuple[np.ndarray, np.ndarray]:
    """function in mpmath at each lane, as the sum of two float64 (whose first is infinite only if the value is beyond 2**1024)."""
    high, low = np.empty(len(arguments[0])), np.zeros(len(arguments[0]))
    with mp.workprec(precision):
        for i, lane in enumerate(zip(*arguments)):
            value = function(*(mp.mpf(float(x)) for x in lane))
            high[i] = float(value)
            low[i] = float(value - mp.mpf(high[i])) if np.isfinite(high[i]) else 0.0
    return high, low


def ulps(result: np.ndarray, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """|result - (high + low)| in units of the last place of the exact value; infinity counts as the end of the range."""
    name = result.dtype.name
    limits = np.finfo(result.dtype)
    beyond = 2.0**128 if name == "float32" else float(limits.max)
    scale = np.clip(abs(high), float(limits.smallest_normal), float(limits.max))
    unit = 2.0 ** (np.floor(np.log2(scale)) - FRACTION_BITS[name])
    # log2 rounds up just below a power of two.
    unit = np.where(unit > scale * 2.0 ** -FRACTION_BITS[name], unit / 2, unit)
    got = np.clip(result.astype(np.float64), -beyond, beyond)
    wanted = np.clip(high, -beyond, beyond)
    return abs((got - wanted) - np.where(abs(high) < beyond, low, 0.0)) / unit

"""What the float functions are made of: an `ops` object's protocol, formats, polynomials, rounding by a shift, exact sums and products.

Every builder takes `ops` first and knows nothing else of the IR, so one text serves MLIR, NumPy (the tests) and C (the measurements). `ops`
works on scalars and vectors alike and offers

    const(value, like)                         a constant of the shape and dtype of `like`
    add sub mul div fma neg abs sqrt           floats; fma rounds once
    floor trunc round_even                     floats
    add sub mul and_ or_ xor shl shr           integers of one width; shr is arithmetic on int32/int64, logical on uint32/uint64
    lt le eq ne                                comparisons, which give bool; false if an operand is NaN, but for ne
    and_ or_ not_                              bools
    where(condition, then, otherwise)
    bitcast(x, dtype) cast(x, dtype)           to 'float32' 'float64' 'int32' 'int64' 'uint32' 'uint64'

and may offer `rarely(condition, slow, fast)`, see `rarely` below. Values have an attribute `dtype`. No operation may be
reassociated; an `add` or `sub` of a product that has no other use may become an fma. Lanes that a `where` does not take may hold anything:
no operation traps.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Ops = Any
Value = Any


@dataclass(frozen=True)
class Format:
    """An IEEE 754 binary format, and ln 2 as the sum of two of its numbers."""
    name: str
    bits: str           # the signed integer of the same width
    fraction: int       # bits of the significand that are stored
    bias: int
    ln2: tuple[float, float]

    @property
    def shift(self) -> float:
        """1.5 * 2**fraction: adding it rounds to an integer, which then sits in the low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def sign_position(self) -> int:
        return self.fraction + (self.bias + 1).bit_length()

    @property
    def sign_mask(self) -> int:
        return -(1 << self.sign_position)

    @property
    def least_normal(self) -> float:
        return 2.0 ** (1 - self.bias)


FLOAT32 = Format("float32", "int32", 23, 127, (0.69314718, -1.90465421e-09))
FLOAT64 = Format("float64", "int64", 52, 1023, (0.69314718055994531, 2.3190468138462996e-17))
FORMATS = {"float32": FLOAT32, "float64": FLOAT64}
INFINITY = float("inf")
NAN = float("nan")


def format_of(x: Value) -> Format:
    return FORMATS[str(x.dtype)]


def polynomial(ops: Ops, x: Value, coefficients: Sequence[float]) -> Value:
    """The polynomial with these coefficients, lowest power first, by Horner's rule: the fewest operations."""
    result = ops.const(coefficients[-1], x)
    for coefficient in reversed(coefficients[:-1]):
        result = ops.fma(result, x, ops.const(coefficient, x))
    return result


def at_least(ops: Ops, x: Value, low: float) -> Value:
    """x, or low where x < low; NaN stays NaN. One instruction on x86 (max), unlike a NaN-propagating maximum."""
    bound = ops.const(low, x)
    return ops.where(ops.lt(x, bound), bound, x)


def at_most(ops: Ops, x: Value, high: float) -> Value:
    bound = ops.const(high, x)
    return ops.where(ops.lt(bound, x), bound, x)


def shifted_product(ops: Ops, x: Value, factor: float, offset: float = 0.0) -> tuple[Value, Value]:
    """(t, n): n = x * factor rounded to an integer, and t whose low bits, as an integer, hold n + offset.

    |x * factor| + offset below 2**(fraction - 2), or n is not an integer's value, though nothing traps.
    """
    shift = ops.const(format_of(x).shift + offset, x)
    shifted = ops.fma(x, ops.const(factor, x), shift)
    return shifted, ops.sub(shifted, shift)


def power_of_two(ops: Ops, shifted: Value) -> Value:
    """2**n for a t of `shifted_product` with offset = bias, n a normal exponent."""
    form = format_of(shifted)
    pattern = ops.bitcast(shifted, form.bits)
    return ops.bitcast(ops.shl(pattern, ops.const(form.fraction, pattern)), form.name)


def sign_bit(ops: Ops, x: Value) -> Value:
    """The sign bit of x, alone in an integer."""
    form = format_of(x)
    pattern = ops.bitcast(x, form.bits)
    return ops.and_(pattern, ops.const(form.sign_mask, pattern))


def flip_sign(ops: Ops, x: Value, sign: Value) -> Value:
    """x, negated where `sign` (of `sign_bit`) is set."""
    form = format_of(x)
    return ops.bitcast(ops.xor(ops.bitcast(x, form.bits), sign), form.name)


def fast_two_sum(ops: Ops, a: Value, b: Value) -> tuple[Value, Value]:
    """a + b = high + low exactly, if |a| >= |b| (Dekker 1971)."""
    high = ops.add(a, b)
    return high, ops.sub(b, ops.sub(high, a))


def two_sum(ops: Ops, a: Value, b: Value) -> tuple[Value, Value]:
    """a + b = high + low exactly (Knuth)."""
    high = ops.add(a, b)
    from_b = ops.sub(high, a)
    return high, ops.add(ops.sub(a, ops.sub(high, from_b)), ops.sub(b, from_b))


def two_product(ops: Ops, a: Value, b: Value) -> tuple[Value, Value]:
    """a * b = high + low exactly."""
    high = ops.mul(a, b)
    return high, ops.fma(a, b, ops.neg(high))


def rarely(ops: Ops, condition: Value, slow: Callable[[], tuple[Value, ...]], fast: tuple[Value, ...]) -> tuple[Value, ...]:
    """slow() in the lanes where `condition` holds, else `fast`. An `ops.rarely` may branch round slow() when no lane needs it."""
    if hasattr(ops, "rarely"):
        return ops.rarely(condition, slow, fast)
    return tuple(ops.where(condition, rare, usual) for rare, usual in zip(slow(), fast))

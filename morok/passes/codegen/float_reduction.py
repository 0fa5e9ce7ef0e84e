"""Argument reduction of sin, cos and tan: |x| = (k - half) * period + r.

    fast  |x| below FAST_BOUND: r = x - n * (p1 + p2 + p3), three fused steps (Cody & Waite 1980). The first is exact, since n * p1 and x are
          multiples of one unit and their difference is small; the second rounds once, relative to r itself.
    slow  the rest: x times the bits of 1/(2 pi) that matter, modulo 1 (Payne & Hanek 1983), in chunks whose products with x are exact as one
          float64 (float32) or as the sum of two (float64). Integer parts are dropped chunk by chunk.

Both give k as a `shifted` value (see `shifted_product`), whose low bit is k's parity. Infinite and NaN x give NaN.
"""
from __future__ import annotations

from dataclasses import dataclass

from morok.passes.codegen.float_blocks import FORMATS, Ops, Value, fast_two_sum, format_of, rarely, shifted_product, two_product, two_sum

# floor(2**1219 / (2 pi)), which is 23 chunks of 53 bits: the last that a float64 reaches is 18 + 4.
INVERSE_TWO_PI_BITS = 1219
INVERSE_TWO_PI = int(
    "145f306dc9c882a53f84eafa3ea69bb81b6c52b3278872083fca2c757bd778ac36e48dc74849ba5c00c925dd413a32439fc3bd63962534e7dd1046bea5d768909d338e04"
    "d68befc827323ac7306a673e93908bf177bf250763ff12fffbc0b301fde5e2316b414da3eda6cfd9e4f96136e9e8c7ecd3cbfd45aea4f758fd7cbe2f67a0e73ef14a525d"
    "4d7f6bf623f1aba10ac06608df8f6d757", 16)

# pi as a sum of three numbers of the format: mpmath, rounding the rest each time.
PI = {"float32": (3.14159274, -8.74227766e-8, -3.43024902e-15),
      "float64": (3.1415926535897931, 1.2246467991473532e-16, -2.9947698097183397e-33)}
FAST_BOUND = {"float32": 2.0**17, "float64": 2.0**30}


@dataclass(frozen=True)
class Reduced:
    """r = high + low, and `shifted`, whose lowest bit is the parity of k."""
    high: Value
    low: Value
    shifted: Value


def _chunk(first: int, count: int) -> float:
    """The part of 2**first / (2 pi) in the bits of weight 2**-1 to 2**-count."""
    bits = (INVERSE_TWO_PI >> (INVERSE_TWO_PI_BITS - first - count)) & ((1 << count) - 1)
    return bits * 2.0**-count


def _fraction(ops: Ops, x: Value) -> Value:
    """x less the nearest integer, exactly."""
    return ops.sub(x, ops.round_even(x))


def reduce_by_pi(ops: Ops, x: Value, half: float) -> Reduced:
    """x = (k - half) pi + r with half 0 or 1/2, for x >= 0; r.low is left out: `high` alone is right to an ulp."""
    return _reduce(ops, x, 1.0, half)


def reduce_by_half_pi(ops: Ops, x: Value) -> Reduced:
    """x = k pi/2 + r for x >= 0, r as the sum of two."""
    return _reduce(ops, x, 0.5, 0.0)


def _reduce(ops: Ops, x: Value, periods: float, half: float) -> Reduced:
    form = format_of(x)
    slow = {"float32": _slow_float32, "float64": _slow_float64}[form.name]
    huge = ops.le(ops.const(FAST_BOUND[form.name], x), x)
    fast = _fast(ops, x, periods, half)
    return Reduced(*rarely(ops, huge, lambda: slow(ops, x, periods, half), fast))


def _fast(ops: Ops, x: Value, periods: float, half: float) -> tuple[Value, Value, Value]:
    """Of k pi: one number. Of k pi/2, for tan, which magnifies an error of r: its rounding error as well."""
    form = format_of(x)
    first, second, third = (ops.const(-part * periods, x) for part in PI[form.name])
    inverse = 1 / (PI[form.name][0] * periods)
    if half:
        shift = ops.const(form.shift, x)
        shifted = ops.add(ops.fma(x, ops.const(inverse, x), ops.const(half, x)), shift)
        n = ops.sub(ops.sub(shifted, shift), ops.const(half, x))
    else:
        shifted, n = shifted_product(ops, x, inverse)
    rest = ops.fma(n, first, x)
    high = ops.fma(n, second, rest)
    if periods == 1.0:
        high = ops.fma(n, third, high)
        return high, high, shifted
    low = ops.fma(n, third, ops.fma(n, second, ops.sub(rest, high)))
    return high, low, shifted


def _slow_float32(ops: Ops, x: Value, periods: float, half: float) -> tuple[Value, Value, Value]:
    """In float64: 24 bits of x by 29 bits of 1/(2 pi) are exact. Five chunks end at weight 2**-147, the last product needs no more than 53."""
    wide = ops.cast(x, "float64")
    turns = None
    for i in range(5):
        part = _fraction(ops, ops.mul(wide, ops.const(_chunk(2 + 29 * i, 29) * 2.0 ** -(2 + 29 * i), wide)))
        turns = part if turns is None else ops.add(turns, part)
    turns = ops.fma(wide, ops.const(_chunk(147, 53) * 2.0**-147, wide), turns)
    # turns * 2 / periods = k - half + r / period
    quotient = ops.mul(turns, ops.const(2 / periods, wide))
    k = ops.round_even(ops.add(quotient, ops.const(half, wide)) if half else quotient)
    n = ops.sub(k, ops.const(half, wide)) if half else k
    r = ops.mul(ops.sub(quotient, n), ops.const(PI["float64"][0] * periods, wide))
    high = ops.cast(r, "float32")
    shifted = ops.add(ops.cast(k, "float32"), ops.const(FORMATS["float32"].shift, x))
    if periods == 1.0:
        return high, high, shifted
    return high, ops.cast(ops.sub(r, ops.cast(high, "float64")), "float32"), shifted


def _window(ops: Ops, x: Value) -> tuple[Value, list[Value]]:
    """x * 2**-53s and five chunks of 1/(2 pi) from chunk s on, times 2**53s. Chunks before s give whole turns.

    A chunk i gives integers if the last bit of x has weight 2**(53 (i + 1)) or more, so s is the largest with x >= 2**(52 + 53 s): found bit
    by bit.
    """
    chunks = [ops.const(_chunk(53 * i, 53), x) for i in range(23)]
    one = ops.const(1.0, x)
    for step, remaining in ((16, 15), (8, 7), (4, 3), (2, 1), (1, 0)):
        beyond = ops.le(ops.const(2.0 ** (52 + 53 * step), x), x)
        x = ops.mul(x, ops.where(beyond, ops.const(2.0 ** (-53 * step), x), one))
        chunks = [ops.where(beyond, chunks[i + step], chunks[i]) if i + step < len(chunks) else chunks[i] for i in range(5 + remaining)]
    return x, [ops.mul(chunk, ops.const(2.0 ** (-53 * i), x)) if i else chunk for i, chunk in enumerate(chunks)]


def _slow_float64(ops: Ops, x: Value, periods: float, half: float) -> tuple[Value, Value, Value]:
    """x scaled below 2**105, so chunk i's product is below 2**(105 - 53 i): those of chunks 0 and 1 are taken modulo 1, sums are exact pairs.

    Where the leading terms cancel, which leaves 2**-62 at the least, the error terms carry on: the result keeps some 2**-117.
    """
    x, chunks = _window(ops, x)
    products = [two_product(ops, x, chunk) for chunk in chunks[:4]]
    (high0, low0), (high1, low1), (high2, low2), (high3, low3) = products
    turns = ops.add(_fraction(ops, high0), _fraction(ops, low0))
    turns, rest = two_sum(ops, turns, _fraction(ops, high1))
    middle, middle_rest = two_sum(ops, low1, high2)
    turns, lost = two_sum(ops, turns, middle)
    rest = ops.add(rest, ops.add(lost, middle_rest))
    end, end_rest = two_sum(ops, low2, high3)
    turns, lost = two_sum(ops, turns, rest)
    turns, lost_again = two_sum(ops, turns, end)
    tail = ops.add(ops.add(lost, lost_again), ops.add(end_rest, ops.fma(x, chunks[4], low3)))
    turns, tail = fast_two_sum(ops, turns, tail)
    scale = ops.const(2 / periods, x)
    quotient, tail = ops.mul(turns, scale), ops.mul(tail, scale)
    k = ops.round_even(ops.add(quotient, ops.const(half, x)) if half else quotient)
    offset = ops.sub(quotient, ops.sub(k, ops.const(half, x)) if half else k)
    pi, pi_rest = (ops.const(part * periods, x) for part in PI["float64"][:2])
    high, low = two_product(ops, offset, pi)
    high, low = fast_two_sum(ops, high, ops.fma(offset, pi_rest, ops.fma(tail, pi, low)))
    return high, low, ops.add(k, ops.const(FORMATS["float64"].shift, x))

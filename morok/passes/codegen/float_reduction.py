"""Argument reduction of sin, cos and tan: |x| = k pi/2 + r.

    fast  |x| below FAST_BOUND: r = x - k * (p1 + p2 + p3), three fused steps (Cody & Waite 1980). The first is exact, since k * p1 and x
          are multiples of one unit and their difference is small; the second rounds once, relative to r itself.
    slow  the rest: x times the bits of 1/(2 pi) that matter, modulo 1 (Payne & Hanek 1983), in chunks whose products with x are exact as
          one float64 (float32) or as the sum of two (float64). Integer parts are dropped chunk by chunk.

Both give k as a `shifted` value (see `shifted_product`), whose low bits tell the quadrant. Infinite and NaN x give NaN.
"""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from morok.passes.codegen.float_blocks import FLOAT32, FLOAT64, Ops, Value, fast_two_sum, format_of, rarely, shifted_product, two_product, two_sum

# floor(2**1219 / (2 pi)), which is 23 chunks of 53 bits: the last that a float64 reaches is 18 + 4.
INVERSE_TWO_PI_BITS = 1219
INVERSE_TWO_PI = int(
    "145f306dc9c882a53f84eafa3ea69bb81b6c52b3278872083fca2c757bd778ac36e48dc74849ba5c00c925dd413a32439fc3bd63962534e7dd1046bea5d768909d338e04"
    "d68befc827323ac7306a673e93908bf177bf250763ff12fffbc0b301fde5e2316b414da3eda6cfd9e4f96136e9e8c7ecd3cbfd45aea4f758fd7cbe2f67a0e73ef14a525d"
    "4d7f6bf623f1aba10ac06608df8f6d757", 16)

# pi/2 as a sum of three numbers of the format: mpmath, rounding the rest each time.
HALF_PI = {"float32": (1.57079637, -4.37113883e-8, -1.71512451e-15),
           "float64": (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)}
FAST_BOUND = {"float32": 2.0**17, "float64": 2.0**30}


@dataclass(frozen=True)
class Reduced:
    """r = high + low, and `shifted`, whose low bits are those of k + quadrants."""
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


def reduce_by_half_pi(ops: Ops, x: Value, quadrants: int) -> Reduced:
    """For x >= 0. r.low is left out: `high` alone is right to an ulp."""
    def fast() -> tuple[Value, Value]:
        first, second, third = (ops.const(-part, x) for part in HALF_PI[format_of(x).name])
        shifted, k = shifted_product(ops, x, 2 / math.pi, quadrants)
        return ops.fma(k, third, ops.fma(k, second, ops.fma(k, first, x))), shifted

    def slow() -> tuple[Value, Value]:
        high, _, shifted = _slow(ops, x, quadrants)
        return high, shifted

    high, shifted = rarely(ops, _is_huge(ops, x), slow, fast())
    return Reduced(high, None, shifted)


def reduce_by_half_pi_exactly(ops: Ops, x: Value) -> Reduced:
    """For x >= 0. `low` holds the rounding error of `high`, which tan magnifies."""
    def fast() -> tuple[Value, Value, Value]:
        first, second, third = (ops.const(-part, x) for part in HALF_PI[format_of(x).name])
        shifted, k = shifted_product(ops, x, 2 / math.pi)
        rest = ops.fma(k, first, x)
        product, low = two_product(ops, k, second)
        # Where |rest| < |product| this is no exact sum, but where the two cancel it is again.
        high, lost = fast_two_sum(ops, rest, product)
        return high, ops.fma(k, third, ops.add(low, lost)), shifted

    return Reduced(*rarely(ops, _is_huge(ops, x), lambda: _slow(ops, x, 0), fast()))


def _is_huge(ops: Ops, x: Value) -> Value:
    return ops.le(ops.const(FAST_BOUND[format_of(x).name], x), x)


def _slow(ops: Ops, x: Value, quadrants: int) -> tuple[Value, Value, Value]:
    return {"float32": _slow_float32, "float64": _slow_float64}[format_of(x).name](ops, x, quadrants)


def _slow_float32(ops: Ops, x: Value, quadrants: int) -> tuple[Value, Value, Value]:
    """In float64: 24 bits of x by 29 of 1/(2 pi) are exact. Five chunks end at weight 2**-147; of the last product 53 bits are enough.

    The sum is taken twice: its integer part, once known, goes first, so that what cancels does so before anything is rounded.
    """
    wide = ops.cast(x, "float64")
    parts = [_fraction(ops, ops.mul(wide, ops.const(_chunk(2 + 29 * i, 29) * 2.0 ** -(2 + 29 * i), wide))) for i in range(5)]
    k = ops.round_even(ops.mul(functools.reduce(ops.add, parts), ops.const(4.0, wide)))
    turns = functools.reduce(ops.add, parts, ops.mul(k, ops.const(-0.25, wide)))
    turns = ops.fma(wide, ops.const(_chunk(147, 53) * 2.0**-147, wide), turns)
    r = ops.mul(turns, ops.const(4 * HALF_PI["float64"][0], wide))
    high = ops.cast(r, "float32")
    low = ops.cast(ops.sub(r, ops.cast(high, "float64")), "float32")
    return high, low, ops.add(ops.cast(k, "float32"), ops.const(FLOAT32.shift + quadrants, x))


def _window(ops: Ops, x: Value) -> tuple[Value, list[Value]]:
    """x * 2**-53s and five chunks of 1/(2 pi) from chunk s on, times 2**53s. Chunks before s give whole turns.

    A chunk i gives integers if the last bit of x has weight 2**(53 (i + 1)) or more, so s is the largest with x >= 2**(52 + 53 s): found
    bit by bit.
    """
    chunks = [ops.const(_chunk(53 * i, 53), x) for i in range(23)]
    one = ops.const(1.0, x)
    for step, remaining in ((16, 15), (8, 7), (4, 3), (2, 1), (1, 0)):
        beyond = ops.le(ops.const(2.0 ** (52 + 53 * step), x), x)
        x = ops.mul(x, ops.where(beyond, ops.const(2.0 ** (-53 * step), x), one))
        chunks = [ops.where(beyond, chunks[i + step], chunks[i]) if i + step < len(chunks) else chunks[i] for i in range(5 + remaining)]
    return x, [ops.mul(chunk, ops.const(2.0 ** (-53 * i), x)) if i else chunk for i, chunk in enumerate(chunks)]


def _slow_float64(ops: Ops, x: Value, quadrants: int) -> tuple[Value, Value, Value]:
    """x is scaled below 2**105, chunk i's product below 2**(105 - 53 i): those of chunks 0 and 1 are taken modulo 1, sums are exact pairs.

    Where the leading terms cancel, which leaves 2**-62 at the least, the error terms carry on: the result keeps some 2**-117.
    """
    x, chunks = _window(ops, x)
    products = [two_product(ops, x, chunk) for chunk in chunks[:4]]
    (high0, low0), (high1, low1), (high2, low2), (high3, low3) = products
    turns, rest0 = two_sum(ops, _fraction(ops, high0), _fraction(ops, low0))
    turns, rest = two_sum(ops, turns, _fraction(ops, high1))
    middle, middle_rest = two_sum(ops, low1, high2)
    turns, lost = two_sum(ops, turns, middle)
    rest = ops.add(ops.add(rest, rest0), ops.add(lost, middle_rest))
    end, end_rest = two_sum(ops, low2, high3)
    turns, lost = two_sum(ops, turns, rest)
    turns, lost_again = two_sum(ops, turns, end)
    tail = ops.add(ops.add(lost, lost_again), ops.add(end_rest, ops.fma(x, chunks[4], low3)))
    turns, tail = fast_two_sum(ops, turns, tail)
    four = ops.const(4.0, x)
    quarters, tail = ops.mul(turns, four), ops.mul(tail, four)
    k = ops.round_even(quarters)
    offset = ops.sub(quarters, k)
    half_pi, half_pi_rest = (ops.const(part, x) for part in HALF_PI["float64"][:2])
    high, low = two_product(ops, offset, half_pi)
    high, low = fast_two_sum(ops, high, ops.fma(offset, half_pi_rest, ops.fma(tail, half_pi, low)))
    return high, low, ops.add(k, ops.const(FLOAT64.shift + quadrants, x))

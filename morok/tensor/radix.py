"""Rows of keys in order: counting sorts by digits, the least first, each digit three kernels; short rows by counting smaller keys.

    counts = scatter add of 1 at each block's digits        (b, c, 2**digit)
    starts = sums of all counts before, digit by digit, block by block
    rows   = counted_scatter(keys to starts)

Blocks of one row are counted and moved beside one another, by all threads. Keys are unsigned and order as their values do: `keys_of`. What travels with a
key is packed beneath it in one integer where that fits in 64 bits, else beside it.

Source: Knuth, The Art of Computer Programming 3, 5.2.5 (radix exchange by distribution); Zagha and Blelloch, Radix sort for vector multiprocessors, 1991.
"""
from __future__ import annotations

from typing import Any

from ..dialect import types as T
from . import build

ALL_PAIRS = 96
"""Longest row whose elements' places are found by comparing all with all."""
BLOCKS = 8
"""Blocks of a row that is long or alone: whole shares for any usual number of threads."""
LONG = 1 << 15
_UNSIGNED = {8: T.uint8, 16: T.uint16, 32: T.uint32, 64: T.uint64}


def keys_of(x: Any, descending: bool = False, equal_zeros: bool = True) -> Any:
    """Unsigned integers that order as the values do, NaN after all; in descending order, the other way round. With `equal_zeros`, -0.0 is 0.0."""
    dtype = x.dtype
    if dtype is T.bool_:
        keys = x.cast(T.uint8)
    elif dtype.kind == "u":
        keys = x
    else:
        if dtype.is_float and dtype.bits < 16:
            x = x.cast(T.float16)
        bits = x.dtype.bits
        unsigned = _UNSIGNED[bits]
        sign = _number(x, 1 << bits - 1, unsigned)
        pattern = x.bitcast(unsigned)
        if not dtype.is_float:
            keys = pattern ^ sign
        else:
            if equal_zeros:
                pattern = _number(x, 0, unsigned).where(x.eq(0), pattern)
            keys = (pattern ^ _number(x, (1 << bits) - 1, unsigned)).where(pattern >= sign, pattern ^ sign)
            keys = _number(x, (1 << bits) - 1, unsigned).where(x.isnan(), keys)
    return keys ^ _number(x, keys.dtype.max, keys.dtype) if descending else keys


def values_of(keys: Any, dtype: T.DType, descending: bool = False) -> Any:
    """The values that have these keys; of NaNs, one."""
    if descending:
        keys = keys ^ _number(keys, keys.dtype.max, keys.dtype)
    if dtype is T.bool_ or dtype.kind == "u":
        return keys.cast(dtype)
    bits = keys.dtype.bits
    sign = _number(keys, 1 << bits - 1, keys.dtype)
    if not dtype.is_float:
        return (keys ^ sign).bitcast(dtype)
    pattern = (keys ^ sign).where(keys >= sign, keys ^ _number(keys, keys.dtype.max, keys.dtype))
    return pattern.bitcast(dtype) if dtype.bits == bits else pattern.bitcast(T.float16).cast(dtype)


def sorted_keys(keys: Any) -> Any:
    """Each row of keys (b, n) in order."""
    rows = _sorted(keys.unsqueeze(-1), keys.dtype.bits, 0)
    return rows.squeeze(-1)


def order_of(keys: Any) -> Any:
    """Where the elements of each row of keys (b, n) come from when it is in order, as int64; equal keys stay in their order."""
    b, n = keys.shape
    number = keys._new(build.broadcast(build.iota_along((b, n), 1, T.uint64), (b, n)))
    bits = keys.dtype.bits
    beneath = max(n - 1, 1).bit_length()
    if bits + beneath <= 32:
        packed = (keys.cast(T.uint32) << beneath) | number.cast(T.uint32)
    elif bits + beneath <= 64:
        packed = (keys.cast(T.uint64) << beneath) | number
    else:
        pair = keys.unsqueeze(-1).cast(T.uint64).cat(number.unsqueeze(-1), dim=-1)
        return _sorted(pair, bits, 0)[..., 1].cast(T.int64)
    rows = _sorted(packed.unsqueeze(-1), bits, beneath).squeeze(-1)
    return (rows & _number(rows, (1 << beneath) - 1, rows.dtype)).cast(T.int64)


def _sorted(rows: Any, bits: int, low: int) -> Any:
    """Rows (b, n, r) of unsigned integers in the order of the bits [low, low + bits) of their first element (b, n, 0)."""
    b, n, r = rows.shape
    if n <= 1 or 0 in rows.shape:
        return rows
    if n <= ALL_PAIRS:
        return _by_counting_smaller(rows, low)
    blocks = BLOCKS if n >= LONG and b < BLOCKS else 1
    width = 8 if bits <= 16 or n // blocks < 1 << 12 else 11
    rest = -n % blocks
    if rest:  # the greatest keys, which stay behind all others
        rows = rows.cat(_number(rows, rows.dtype.max, rows.dtype).broadcast_to((b, rest, r)), dim=1)
    rows = rows.contiguous()
    spare = rows._new(build.full(rows.shape, 0, rows.dtype))
    for start in range(0, bits, width):  # from one memory to the other
        moved = _by_digit(rows.reshape(b, blocks, (n + rest) // blocks, r), spare, low + start, min(width, bits - start))
        rows, spare = moved, rows
    return rows.shrink((None, (0, n), None)) if rest else rows


def _by_digit(rows: Any, target: Any, low: int, width: int) -> Any:
    """Rows in the order of `width` bits of their first element, from `low` on; in the memory of `target`."""
    b, c, k, r = rows.shape
    first = rows.shrink((None, None, None, (0, 1))).squeeze(-1)
    digit = (first >> low if low else first) & _number(first, (1 << width) - 1, first.dtype)
    digit, size = digit.cast(T.int32), 1 << width
    one = build.full((b * c, k, 1), 1, T.int32)
    counts = rows._new(build.scatter(build.full((b * c, size, 1), 0, T.int32), digit.reshape(b * c, k).uop, one, "add"))
    by_digit = counts.reshape(b, c, size).transpose(1, 2).reshape(b, size * c)
    starts = (by_digit.cumsum(1).cast(T.int32) - by_digit).reshape(b, size, c).transpose(1, 2)
    return rows._new(build.counted_scatter(target.uop, digit.uop, starts.uop, rows.uop))


def _by_counting_smaller(rows: Any, low: int) -> Any:
    b, n, r = rows.shape
    first = rows.shrink((None, None, (0, 1))).squeeze(-1)
    key = (first >> low if low else first).contiguous()
    mine, other = key.unsqueeze(2), key.unsqueeze(1)
    number = rows._new(build.iota(n, T.int64))
    before = other.lt(mine) | other.eq(mine) & number.reshape(1, 1, n).lt(number.reshape(1, n, 1))
    place = before.cast(T.int32).sum(2)
    return rows._new(build.scatter(build.full((b, n, r), 0, rows.dtype), place.uop, rows.uop, "set"))


def _number(x: Any, value: int, dtype: T.DType) -> Any:
    return x._new(build.full((), value, dtype))

"""Jacobi's rotations: which rows meet in a round of a sweep, the angle that makes a pair orthogonal, and when sweeps end."""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ..loops import while_loop
from ..tensor import Tensor
from .common import epsilon, numbers, select

SWEEPS = 60
"""More than any matrix takes: they converge quadratically, in 6 to 12."""


def partners(n: int, turn: Tensor) -> Tensor:
    """The row that each row meets in a round; itself where it rests."""
    i = numbers(n)
    players = n + n % 2  # one of an odd number rests
    other = (2 * turn - i).remainder(players - 1)
    last = select(other == i, players - 1, other)
    met = select(i == players - 1, turn, last)
    return select(met < n, met, i)


def tangent_of(difference: Tensor, product: Tensor, is_lower: Tensor, rests: Tensor) -> Tensor:
    """The tangent of the angle that makes a pair orthogonal, at most 45 degrees; of opposite sign seen from the other of the two."""
    ratio = difference / (2 * product)
    sign = select((ratio > 0) | ((ratio == 0) & is_lower), 1.0, Tensor.full((), -1.0, dtype=difference.dtype))
    tangent = sign / (ratio.abs() + (ratio * ratio + 1).sqrt())
    return select(rests | (product == 0), 0, tangent)


def sine_of(tangent: Tensor) -> tuple[Tensor, Tensor]:
    """Of an angle its sine and the tangent of its half: x - s (y + h x) is cos x - sin y, which rounds no more than a small angle changes x."""
    cosine = 1 / (tangent * tangent + 1).sqrt()
    sine = tangent * cosine
    return sine.contiguous(), (sine / (1 + cosine)).contiguous()


def without_dust(x: Tensor, power: int = 2) -> Tensor:
    """With 0 for what is less than this power of a rounding, beside elements around 1: off the diagonal sweeps square what there is, and would soon compute
    with subnormal numbers, which takes a processor many times as long."""
    least = epsilon(x.dtype) ** power
    return select(x.abs() < least, 0, x)


def sweeps(rounds: int, rotate: Any, state: tuple, size: int, tolerance: float) -> tuple:
    """The state after sweeps of so many rounds `rotate(following, state)`, which give the state and how far from orthogonal the pairs were; `following` is the
    number of the next round.

    They end when no pair was further apart than `tolerance`. Where many values are equal, what is left of their rows is rounding, which rotations make
    smaller only slowly: they also end when it has come down to rounding (of matrices of that size) and not to its half since the sweep before.
    """
    dtype = next(t.dtype for t in state if t.dtype.is_float)
    if not rounds:
        return state
    rounding = size * epsilon(dtype)
    zero = Tensor.zeros((), dtype=dtype)

    def body(carry: Any) -> Any:
        turn, worst, before, _, state = carry
        is_last = turn == rounds - 1
        following = select(is_last, 0, turn + 1)
        state, found = rotate(following, state)
        found = found.max() if found.numel() else zero
        worst = select(turn == 0, found, worst.maximum(found)).contiguous()
        is_done = (worst <= tolerance) | ((worst <= rounding) & (2 * worst > before)) | worst.isnan()
        return following, worst, select(is_last, worst, before), ~is_last | ~is_done, state
    begin = Tensor(0, dtype=T.int64), zero, Tensor.full((), float("inf"), dtype=dtype), Tensor(True), state
    return while_loop(lambda carry: carry[3], body, begin, SWEEPS * rounds)[4]

"""Jacobi's rotations: eigenvalues of symmetric matrices, and one-sided for singular values.

An iteration rotates n/2 disjoint pairs of rows at once. n - 1 of them, a sweep, meet each pair once: row i and row (2 r - i) mod (n - 1) in round r, the
last row with the one that would meet itself. Sweeps go on until none has met a pair to rotate.
"""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ..loops import while_loop
from ..tensor import Tensor
from .common import ascending, column, elements_at, epsilon, identity, numbers, row, rows_at, select, sizes

SWEEPS = 60
"""More than any matrix takes: they converge quadratically, in 6 to 12."""


def _partners(n: int, turn: Tensor) -> Tensor:
    """The row that each row meets in a round; itself where it rests."""
    i = numbers(n)
    players = n + n % 2  # one of an odd number rests
    other = (2 * turn - i).remainder(players - 1)
    last = select(other == i, players - 1, other)
    met = select(i == players - 1, turn, last)
    return select(met < n, met, i)


def _tangent(difference: Tensor, product: Tensor, is_lower: Tensor, rests: Tensor) -> Tensor:
    """The tangent of the angle that makes a pair orthogonal, at most 45 degrees; of opposite sign seen from the other of the two."""
    ratio = difference / (2 * product)
    sign = select((ratio > 0) | ((ratio == 0) & is_lower), 1.0, Tensor.full((), -1.0, dtype=difference.dtype))
    tangent = sign / (ratio.abs() + (ratio * ratio + 1).sqrt())
    return select(rests | (product == 0), 0, tangent)


def _sine(tangent: Tensor) -> tuple[Tensor, Tensor]:
    """Of an angle its sine and the tangent of its half: x - s (y + h x) is cos x - sin y, which rounds no more than a small angle changes x."""
    cosine = 1 / (tangent * tangent + 1).sqrt()
    sine = tangent * cosine
    return sine.contiguous(), (sine / (1 + cosine)).contiguous()


def _sweeps(n: int, rotate: Any, state: tuple, tolerance: float) -> tuple:
    """The state after sweeps of `rotate(other, state)`, which gives the state and how far from orthogonal the worst pair was.

    The rows that meet are carried, computed one round ahead: kernels find them in memory, as places to read from.
    """
    if n < 2:
        return state
    rounds = n - 1 + n % 2
    zero = Tensor.zeros((), dtype=state[0].dtype)

    def body(carry: Any) -> Any:
        turn, other, worst, _, state = carry
        state, found = rotate(other, state)
        found = found.max() if found.numel() else zero
        worst = select(turn == 0, found, worst.maximum(found)).contiguous()
        is_last = turn == rounds - 1
        turn = select(is_last, 0, turn + 1)
        return turn, _partners(n, turn), worst, ~is_last | (worst > tolerance), state
    first = Tensor(0, dtype=T.int64)
    return while_loop(lambda carry: carry[3], body, (first, _partners(n, first), zero, Tensor(True), state), SWEEPS * rounds)[4]


def eigh(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues of symmetric matrices in ascending order, and the eigenvectors as rows (nothing useful without `vectors`)."""
    n = sizes(a)[1]
    i = numbers(n)
    size = a.abs().max((-1, -2), keepdim=True) if 0 not in a.shape else Tensor.zeros(*a.shape[:-2], 1, 1, dtype=a.dtype)
    scale = select((size == 0) | ~size.isfinite(), 1, size)
    a = (a / scale).contiguous()

    def rotate(other: Tensor, state: Any) -> Any:
        a, rows = state
        is_lower = i < other
        own = a[..., i, i]
        met = a[..., i.minimum(other), i.maximum(other)]  # one of the two that should be equal
        t = _tangent(own[..., other] - own, met, is_lower, other == i).contiguous()
        s, h = _sine(t)
        crossed = a[..., other]
        across = a - row(s) * (crossed + row(h) * a)
        below = a[..., other, :]
        turned = across - column(s) * ((below - row(s) * (crossed[..., other, :] + row(h) * below)) + column(h) * across)
        diagonal = (own - t * met).contiguous()
        turned = select(column(i) == i, row(diagonal), select(column(other) == i, 0, turned))
        if vectors:
            rows = rows - column(s) * (rows[..., other, :] + column(h) * rows)
        return (turned, rows), select(other == i, 0, met.abs())
    start = identity(a, n, n) if vectors else Tensor.zeros(*a.shape[:-2], 0, 0, dtype=a.dtype)
    a, rows = _sweeps(n, rotate, (a, start), epsilon(a.dtype) / max(n, 1))
    values = a.diagonal(0, -2, -1)
    order = ascending(values).contiguous()
    values = elements_at(values, order) * scale.squeeze(-1)
    is_known = size.isfinite()
    values = select(is_known.squeeze(-1), values, float("nan"))
    return values, select(is_known, rows_at(rows, order), float("nan")) if vectors else rows


def orthogonal_rows(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Matrices (..., n, m) turned until their rows are orthogonal, in the order of their lengths, the greatest first: the lengths, the rows, and (with
    `vectors`) the turns (..., n, n), which give the rows when multiplied by `a`."""
    n, m = sizes(a)
    i = numbers(n)
    eps = epsilon(a.dtype)
    size = a.abs().max((-1, -2), keepdim=True) if 0 not in a.shape else Tensor.zeros(*a.shape[:-2], 1, 1, dtype=a.dtype)
    scale = select((size == 0) | ~size.isfinite(), 1, size)

    def rotate(other: Tensor, state: Any) -> Any:
        a, turns = state
        crossed = a[..., other, :]
        squares = (a * a).sum(-1).contiguous()
        products = (a * crossed).sum(-1).contiguous()
        others = squares[..., other]
        t = _tangent(others - squares, products, i < other, other == i).contiguous()
        s, h = _sine(t)
        lengths = (squares * others).sqrt()
        # What is nothing but rounding beside the longest row has no direction of its own to be found.
        matters = squares.minimum(others) > (eps * eps) * squares.max(-1, keepdim=True)
        far = select(matters & (other != i), products.abs() / select(lengths == 0, 1, lengths), 0)
        if vectors:
            turns = turns - column(s) * (turns[..., other, :] + column(h) * turns)
        return (a - column(s) * (crossed + column(h) * a), turns), far
    start = identity(a.mT, n, n) if vectors else Tensor.zeros(*a.shape[:-2], 0, 0, dtype=a.dtype)
    a, turns = _sweeps(n, rotate, ((a / scale).contiguous(), start), 4 * eps)
    lengths = (a * a).sum(-1).sqrt()
    order = ascending(-lengths).contiguous()
    lengths = select(size.isfinite().squeeze(-1), elements_at(lengths, order) * scale.squeeze(-1), float("nan"))
    is_known = size.isfinite()
    return lengths, select(is_known, rows_at(a, order), float("nan")), select(is_known, rows_at(turns, order), float("nan")) if vectors else turns

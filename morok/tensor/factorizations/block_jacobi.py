"""Jacobi's method for large matrices, by blocks of rows: what an iteration does to whole matrices is a few products.

Blocks of rows meet in pairs as single rows do (jacobi.py): half as many pairs as there are blocks at once, each block with each other in a sweep. The part of
the matrix that belongs to a pair is turned by a sweep of single rotations, for all pairs in the lanes of the same operations, and the product of these
rotations is then applied to the whole matrix. Blocks change places, so that those that meet lie side by side: the first stays where it is, and the others
go round (R. Brent, F. Luk, "The solution of singular-value and symmetric eigenvalue problems on multiprocessor arrays", 1985).
"""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ..loops import while_loop
from ..tensor import Tensor
from .blocks import multiple, padded
from .common import column, epsilon, identity, numbers, row, select, sizes
from .rotations import partners, sine_of, sweeps, tangent_of

LEAST = 96
"""Smaller matrices take as long with single rotations."""


def _width(size: int) -> int:
    """How many rows a block has."""
    return 16 if size <= 400 else 32


def _places(blocks: int) -> list[int]:
    """The block that comes to each place after a round."""
    tops, bottoms = list(range(0, blocks, 2)), list(range(1, blocks, 2))
    tops, bottoms = [tops[0], bottoms[0], *tops[1:-1]], [*bottoms[1:], tops[-1]]
    return [b for pair in zip(tops, bottoms) for b in pair] if blocks > 2 else [0, 1]


def _meeting(n: int, turn: Tensor, is_first: Tensor) -> Tensor:
    """The row that each of two blocks' rows meets in a round: in the first part of a sweep any other row, else one of the other block."""
    i, half = numbers(n), n // 2
    across = select(i < half, half + (i + turn).remainder(half), (i - turn).remainder(half))
    return select(is_first, partners(n, turn), across)


def _turn_pairs(parts: Tensor, is_first: Tensor, apart: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Symmetric matrices (n, n, count) of two blocks each, after each row of one block has met each of the other (and of its own, in the first part of a
    sweep), the turns (n, n, count), and how far from orthogonal the worst pair was."""
    n, count = parts.shape[0], parts.shape[-1]
    i = numbers(n)

    def rotate(carry: Any) -> Any:
        turn, a, rows, worst = carry
        other = _meeting(n, turn, is_first).contiguous()
        own = a.diagonal(0, 0, 1).mT
        met = a[i.minimum(other), i.maximum(other)]
        others = own[other]
        t = tangent_of(others - own, met, column(i < other), column(other == i)).contiguous()
        s, h = sine_of(t)
        crossed = a[:, other]
        across = a - s * (crossed + h * a)
        below = a[other]
        turned = across - s.unsqueeze(1) * ((below - s * (crossed[other] + h * below)) + h.unsqueeze(1) * across)
        diagonal = (own - t * met).contiguous()
        first, second = column(column(i)), column(i)
        turned = select(first == second, diagonal, select(column(column(other)) == second, 0, turned))
        rows = rows - s.unsqueeze(1) * (rows[other] + h.unsqueeze(1) * rows)
        return turn + 1, turned, rows, worst.maximum(apart(own, others, met).max(0))
    rounds = select(is_first, n - 1, Tensor(n // 2, dtype=T.int64))
    begin = Tensor(0, dtype=T.int64), parts, identity(parts.permute(2, 0, 1)).permute(1, 2, 0).contiguous(), Tensor.zeros(count, dtype=parts.dtype)
    return while_loop(lambda carry: carry[0] < rounds, rotate, begin, n - 1)[1:]


def diagonalized(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor]:
    """Symmetric matrices (..., n, n), whose greatest element is 1, turned until they are diagonal: the diagonals, and the turns, whose rows are the
    eigenvectors (nothing useful without `vectors`)."""
    n, batch = sizes(a)[1], a.shape[:-2]
    width = _width(n)
    size = multiple(n, 2 * width)
    a = padded(a.reshape(-1, n, n), size, size).contiguous()
    count, pairs, blocks = a.shape[0], size // (2 * width), size // width
    places = Tensor(_places(blocks), dtype=T.int64)
    pair = numbers(pairs).reshape(pairs, 1, 1, 1) == numbers(pairs).reshape(pairs, 1)

    def turn(turns: Tensor, x: Tensor) -> Tensor:
        return (turns @ x.reshape(count, pairs, 2 * width, x.shape[-1])).reshape(*x.shape)

    def rotate(following: Tensor, state: Any) -> Any:
        is_first, a, rows = state
        parts = a.reshape(count, pairs, 2 * width, pairs, 2 * width).diagonal(0, 1, 3)
        parts = parts.permute(1, 2, 0, 3).reshape(2 * width, 2 * width, count * pairs).contiguous()
        parts, turns, found = _turn_pairs(parts, is_first, lambda own, others, met: met.abs())
        turns, parts = (x.reshape(2 * width, 2 * width, count, pairs).permute(2, 3, 0, 1).contiguous() for x in (turns, parts))
        turned = turn(turns, turn(turns, a).contiguous().mT).contiguous()
        turned = select(pair, parts.unsqueeze(-2), turned.reshape(count, pairs, 2 * width, pairs, 2 * width))
        turned = turned.reshape(count, blocks, width, blocks, width)[:, places][:, :, :, places].reshape(*a.shape)
        if vectors:
            rows = turn(turns, rows).contiguous().reshape(count, blocks, width, size)[:, places].reshape(*rows.shape)
        return (following == 0, turned, rows), found
    start = identity(a) if vectors else Tensor.zeros(count, 0, 0, dtype=a.dtype)
    _, a, rows = sweeps(blocks - 1, rotate, (Tensor(True), a, start), n, epsilon(a.dtype))
    values = a.diagonal(0, -2, -1)[..., :n].reshape(*batch, n)
    return values, rows[:, :n, :n].reshape(*batch, n, n) if vectors else rows

"""Jacobi's method for large matrices, by blocks of rows: what an iteration does to whole matrices is a few products.

Blocks of rows meet in pairs as single rows do (jacobi.py): half as many pairs as there are blocks at once, each block with each other in a sweep. The part of
the matrix that belongs to a pair is turned by a sweep of single rotations, for all pairs in the lanes of the same operations, and the product of these
rotations is then applied to the whole matrix. Blocks change places, so that those that meet lie side by side: the first stays where it is, and the others
go round (R. Brent, F. Luk, "The solution of singular-value and symmetric eigenvalue problems on multiprocessor arrays", 1985).
"""
from __future__ import annotations

from math import prod
from typing import Any

from ...dialect import types as T
from ..loops import while_loop
from ..tensor import Tensor
from .blocks import multiple, padded
from .common import column, epsilon, identity, numbers, select, sizes
from .rotations import partners, sine_of, sweeps, tangent_of, without_dust

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


def _turn_pairs(parts: Tensor, is_first: Tensor, apart: Any, dust: int) -> tuple[Tensor, Tensor, Tensor]:
    """Symmetric matrices (n, n, count) of two blocks each, after each row of one block has met each of the other (and of its own, in the first part of a
    sweep), the turns (n, n, count), and how far from orthogonal the worst pair was, as `apart` tells of their squares and product."""
    n, _, count = parts._concrete_shape()
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
        rows = without_dust(rows - s.unsqueeze(1) * (rows[other] + h.unsqueeze(1) * rows))
        return turn + 1, without_dust(turned, dust), rows, worst.maximum(apart(own, others, met).max(0))
    rounds = select(is_first, n - 1, Tensor(n // 2, dtype=T.int64))
    begin = Tensor(0, dtype=T.int64), parts, identity(parts.permute(2, 0, 1)).permute(1, 2, 0).contiguous(), Tensor.zeros(count, dtype=parts.dtype)
    return while_loop(lambda carry: carry[0] < rounds, rotate, begin, n - 1)[1:]


class _Blocks:
    """Matrices (count, size, ...) whose rows are taken in pairs of blocks that lie side by side."""

    def __init__(self, count: int, n: int) -> None:
        self.count, self.width = count, _width(n)
        self.size = multiple(n, 2 * self.width)
        self.pairs, self.number = self.size // (2 * self.width), self.size // self.width
        self.places = Tensor(_places(self.number), dtype=T.int64)
        """To be carried by the loop, so that kernels find in memory which places to read from."""

    def pairs_of(self, x: Tensor) -> Tensor:
        return x.reshape(self.count, self.pairs, 2 * self.width, x.shape[-1])

    def in_lanes(self, x: Tensor) -> Tensor:
        """(count, pairs, n, n) as (n, n, count of all)."""
        return x.permute(2, 3, 0, 1).reshape(2 * self.width, 2 * self.width, self.count * self.pairs).contiguous()

    def from_lanes(self, x: Tensor) -> Tensor:
        return x.reshape(2 * self.width, 2 * self.width, self.count, self.pairs).permute(2, 3, 0, 1).contiguous()

    def turned(self, turns: Tensor, x: Tensor) -> Tensor:
        return (turns @ self.pairs_of(x)).reshape(*x.shape).contiguous()

    def moved(self, x: Tensor, places: Tensor) -> Tensor:
        """With each block of rows at its place for the next round."""
        return x.reshape(self.count, self.number, self.width, x.shape[-1])[:, places].reshape(*x.shape)

    def start(self, like: Tensor, vectors: bool) -> Tensor:
        return identity(like, self.size, self.size) if vectors else Tensor.zeros(self.count, 0, 0, dtype=like.dtype)


def diagonalized(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor]:
    """Symmetric matrices (..., n, n), whose greatest element is 1, turned until they are diagonal: the diagonals, and the turns, whose rows are the
    eigenvectors (nothing useful without `vectors`)."""
    n, batch = sizes(a)[1], a._concrete_shape()[:-2]
    blocks = _Blocks(prod(batch), n)
    a = padded(a.reshape(blocks.count, n, n), blocks.size, blocks.size).contiguous()
    four = blocks.pairs, 2 * blocks.width, blocks.pairs, 2 * blocks.width
    is_pair = numbers(blocks.pairs).reshape(-1, 1, 1, 1) == column(numbers(blocks.pairs))

    def rotate(following: Tensor, state: Any) -> Any:
        is_first, places, a, rows = state
        parts = a.reshape(blocks.count, *four).diagonal(0, 1, 3).permute(0, 3, 1, 2)
        parts, turns, found = _turn_pairs(blocks.in_lanes(parts), is_first, lambda own, others, met: met.abs(), 2)
        parts, turns = blocks.from_lanes(parts), blocks.from_lanes(turns)
        turned = blocks.turned(turns, blocks.turned(turns, a).mT).reshape(blocks.count, *four)
        turned = without_dust(select(is_pair, parts.unsqueeze(-2), turned)).reshape(*a.shape)
        by_blocks = turned.reshape(blocks.count, blocks.number, blocks.width, blocks.number, blocks.width)
        turned = by_blocks[:, places][:, :, :, places].reshape(*a.shape)
        if vectors:
            rows = blocks.moved(without_dust(blocks.turned(turns, rows)), places)
        return (following == 0, places, turned, rows), found
    state = Tensor(True), blocks.places, a, blocks.start(a, vectors)
    _, _, a, rows = sweeps(blocks.number - 1, rotate, state, n, epsilon(a.dtype))
    values = a.diagonal(0, -2, -1)[..., :n].reshape(*batch, n)
    return values, rows[:, :n, :n].reshape(*batch, n, n) if vectors else rows


def orthogonalized(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor]:
    """Matrices (..., n, m), whose greatest element is 1, turned until their rows are orthogonal, and the turns (..., n, n) (nothing useful without
    `vectors`). The products of a pair of blocks with itself are what is diagonalised: relative to the rows' lengths, as single rotations are."""
    (n, m), batch, eps = sizes(a), a._concrete_shape()[:-2], epsilon(a.dtype)
    blocks = _Blocks(prod(batch), n)
    a = padded(a.reshape(blocks.count, n, m), blocks.size, m).contiguous()

    def rotate(following: Tensor, state: Any) -> Any:
        is_first, places, a, rows = state
        pairs = blocks.pairs_of(a)
        squares = (pairs @ pairs.mT).contiguous()
        greatest = squares.diagonal(0, -2, -1).max((-1, -2), keepdim=True).expand(blocks.count, blocks.pairs, 1).reshape(-1).contiguous()

        def apart(own: Tensor, others: Tensor, met: Tensor) -> Tensor:
            matters = own.minimum(others) > (eps * eps) * greatest
            return select(matters, met.abs() / select(matters, own * others, 1).sqrt(), 0)
        _, turns, found = _turn_pairs(blocks.in_lanes(squares), is_first, apart, 4)
        turns = blocks.from_lanes(turns)
        if vectors:
            rows = blocks.moved(without_dust(blocks.turned(turns, rows)), places)
        return (following == 0, places, blocks.moved(blocks.turned(turns, a), places), rows), found
    state = Tensor(True), blocks.places, a, blocks.start(a, vectors)
    _, _, a, rows = sweeps(blocks.number - 1, rotate, state, max(n, m), 4 * eps)
    return a[:, :n].reshape(*batch, n, m), rows[:, :n, :n].reshape(*batch, n, n) if vectors else rows

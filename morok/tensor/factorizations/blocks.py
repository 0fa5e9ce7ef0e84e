"""Cholesky's factorisation, elimination and substitution of large matrices by blocks of columns: most of the work is in products.

An iteration of the outer loop takes a block of columns, the panel, through the loop over its columns (triangular.py) and brings the others up to date by one
product. All iterations are of the same shapes, so that they are compiled once: the product goes over the whole matrix, and columns that are done keep what
they have. That is three times (for Cholesky six times) the operations of a loop whose matrix shrinks, at a product's speed. Matrices whose size no block
divides are padded.

Right-looking variants: J. Dongarra, I. Duff, D. Sorensen, H. van der Vorst, "Numerical Linear Algebra for High-Performance Computers" (1998), chapter 5.
"""
from __future__ import annotations

from typing import Any

from ..loops import fori_loop
from ..tensor import Tensor
from . import triangular
from .common import column, numbers, rows_at, select, sizes

LEAST = 128
"""Smaller matrices are in the first caches, where a column at a time is as fast."""


def width_for(size: int) -> int:
    """How many columns a block has: the wider, the fewer passes over the matrix, and the more work is left to the loop over columns."""
    return 32 if size <= 640 else 64


def padded(a: Tensor, rows: int, columns: int) -> Tensor:
    """With rows and columns of zeros behind."""
    m, n = sizes(a)
    return a if (m, n) == (rows, columns) else a.pad((0, columns - n, 0, rows - m))


def multiple(size: int, width: int) -> int:
    """The least multiple of the width that is not smaller."""
    return -(-size // width) * width


def in_columns(a: Tensor, width: int) -> Tensor:
    """(..., m, n) as (..., m, blocks, width)."""
    return a.reshape(*a.shape[:-1], sizes(a)[1] // width, width)


def in_rows(a: Tensor, width: int) -> Tensor:
    """(..., m, n) as (..., blocks, width, n)."""
    return a.reshape(*a.shape[:-2], sizes(a)[0] // width, width, a.shape[-1])


def number_of_column_block(a: Tensor, width: int) -> Tensor:
    """For `in_columns`: which block each element belongs to."""
    return column(numbers(sizes(a)[1] // width))


def number_of_row_block(a: Tensor, width: int) -> Tensor:
    """For `in_rows`: which block each element belongs to."""
    return column(column(numbers(sizes(a)[0] // width)))


def _with_ones(a: Tensor, size: int) -> Tensor:
    """Padded to a square matrix with ones on the diagonal behind."""
    n = sizes(a)[1]
    if n == size:
        return a
    i = numbers(size)
    return select((column(i) == i) & (i >= n), 1, padded(a, size, size))


def cholesky(a: Tensor) -> Tensor:
    """As `triangular.cholesky`."""
    n = sizes(a)[1]
    if n < LEAST:
        return triangular.cholesky(a)
    width = width_for(n)
    a = _with_ones(a, multiple(n, width))
    rows = column(numbers(sizes(a)[0]))

    def step(k: Tensor, a: Tensor) -> Tensor:
        panel = in_columns(a, width)[..., k, :].contiguous()
        corner = triangular.cholesky(in_rows(panel, width)[..., k, :, :].contiguous()).contiguous()
        below = triangular.substitute(corner, panel.mT, True, False)
        below = select(rows.mT >= (k + 1) * width, below, 0).contiguous()
        done = select(number_of_row_block(panel, width) == k, corner.unsqueeze(-3), in_rows(below.mT, width)).reshape(*panel.shape).contiguous()
        rest = in_columns(a - below.mT @ below, width)
        block = number_of_column_block(a, width)
        return select(block == k, done.unsqueeze(-2), select(block > k, rest, in_columns(a, width))).reshape(*a.shape)
    return fori_loop(0, sizes(a)[1] // width, step, a)[..., :n, :n].tril()


def substitute(t: Tensor, b: Tensor, lower: bool, unit: bool) -> Tensor:
    """As `triangular.substitute`."""
    n = sizes(t)[1]
    if n < LEAST:
        return triangular.substitute(t, b, lower, unit)
    width = width_for(n)
    size = multiple(n, width)
    t, blocks = _with_ones(t, size), size // width

    def step(i: Tensor, x: Tensor) -> Tensor:
        k = i if lower else blocks - 1 - i
        panel = in_columns(t, width)[..., k, :].contiguous()
        corner = in_rows(panel, width)[..., k, :, :].contiguous()
        known = triangular.substitute(corner, in_rows(x, width)[..., k, :, :], lower, unit).contiguous()
        block = number_of_row_block(x, width)
        rest = in_rows(x - panel @ known, width)
        return select(block == k, known.unsqueeze(-3), select(block > k if lower else block < k, rest, in_rows(x, width))).reshape(*x.shape)
    return fori_loop(0, blocks, step, padded(b, size, sizes(b)[1]))[..., :n, :]


def eliminate(a: Tensor, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """As `triangular.eliminate`."""
    if steps < LEAST:
        return triangular.eliminate(a, steps)
    m, n = sizes(a)
    width = width_for(steps)
    a = padded(a, multiple(m, width), multiple(n, width))
    rows = column(numbers(sizes(a)[0]))

    def step(k: Tensor, carry: Any) -> Any:
        a, order, sign = carry
        first = k * width
        panel, moved, turns = triangular.eliminate_panel(in_columns(a, width)[..., k, :].contiguous(), width, first, m, steps)
        panel, moved = panel.contiguous(), moved.contiguous()
        factors = select(rows > first + numbers(width), panel, 0).contiguous()
        here = in_rows(column(moved), width)[..., k, :, 0]
        ahead = rows_at(a, here).contiguous()
        ahead = triangular.substitute(in_rows(panel, width)[..., k, :, :].contiguous(), ahead, True, True).contiguous()
        a = rows_at(a, moved)
        block = number_of_column_block(a, width)
        rest = in_columns(a - factors @ ahead, width)
        a = select(block == k, panel.unsqueeze(-2), select(block > k, rest, in_columns(a, width))).reshape(*a.shape)
        return a, order.gather(-1, moved), sign * turns
    a, order, sign = fori_loop(0, multiple(steps, width) // width, step, triangular.in_order(a))
    return a[..., :m, :n], order[..., :m], sign

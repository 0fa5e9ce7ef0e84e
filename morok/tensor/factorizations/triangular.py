"""Cholesky's factorisation, elimination with partial pivoting, substitution: one column of the matrices an iteration, with what it changes in all others."""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ..loops import fori_loop
from ..tensor import Tensor
from .common import column, numbers, row, rows_at, select, sizes


def cholesky(a: Tensor) -> Tensor:
    """The lower factor; NaN from the first pivot on that is not positive. The upper triangle is not looked at."""
    n = sizes(a)[1]
    rows = numbers(n)

    def step(k: Tensor, a: Tensor) -> Tensor:
        x = a[..., k]
        pivot = x[..., k].sqrt().contiguous().unsqueeze(-1)
        x = select(rows == k, pivot, select(rows > k, x / pivot, 0)).contiguous()
        rest = a - column(x) * row(x)
        return select(rows == k, column(x), select(rows > k, rest, a))
    return fori_loop(0, n, step, a).tril()


def substitute(t: Tensor, b: Tensor, lower: bool, unit: bool) -> Tensor:
    """The solution of t x = b for triangular t (..., n, n) and b (..., n, k) of the same batch; `unit` takes the diagonal for ones."""
    n = sizes(t)[1]
    rows = column(numbers(n))

    def step(i: Tensor, x: Tensor) -> Tensor:
        j = i if lower else n - 1 - i
        factors = t[..., j].contiguous()
        known = x[..., j, :]
        known = row((known if unit else known / factors[..., j].unsqueeze(-1)).contiguous())
        ahead = rows > j if lower else rows < j
        return select(rows == j, known, select(ahead, x - column(factors) * known, x))
    return fori_loop(0, n, step, b)


def eliminate(a: Tensor, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """Gaussian elimination of the first `steps` columns with partial pivoting: the factors of the rows below the diagonal and what is left above, which row
    of `a` each row was, and the sign of that permutation. A column without a pivot is left as it is."""
    return eliminate_panel(a, steps, 0, sizes(a)[0], steps)


def in_order(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Matrices, the order of their rows and its sign before any was moved."""
    batch, m = a.shape[:-2], a.shape[-2]
    return a, numbers(m).expand(*batch, m), Tensor.ones(*batch, dtype=a.dtype)


def eliminate_panel(a: Tensor, count: int, first: Tensor | int, height: int, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """As `eliminate`, of `count` columns whose pivots go to the rows `first`, `first` + 1, ...; rows from `height` on are none, and pivots in rows from
    `steps` on are not looked for."""
    rows, columns = numbers(a.shape[-2]), numbers(a.shape[-1])

    def step(j: Tensor, carry: Any) -> Any:
        a, order, sign = carry
        k = j + first
        x = a[..., j].contiguous()
        best = select((rows >= k) & (rows < height), x.abs(), -1).argmax(-1)
        best = select(k < steps, best, k).contiguous().unsqueeze(-1)
        pivots = rows_at(a, best).contiguous()
        swapped = select(column(rows) == k, pivots, select(column(rows) == column(best), row(a[..., k, :]), a))
        pivot = pivots[..., 0, j].contiguous().unsqueeze(-1)
        x = select(rows == best, x[..., k].unsqueeze(-1), x)
        factors = select((rows > k) & (k < steps) & (pivot != 0), x / pivot, 0).contiguous()
        below = column(rows) > k
        a = select(below & (columns > j), swapped - column(factors) * pivots, select(below & (columns == j), column(factors), swapped))
        there, here = order.gather(-1, best), order[..., k].unsqueeze(-1)
        order = select(rows == k, there, select(rows == best, here, order))
        sign = select(best.squeeze(-1) == k, sign, -sign)
        return a, order, sign
    begin = in_order(a)
    return fori_loop(0, count, step, begin) if count else begin


def permutation_matrix(order: Tensor, dtype: T.DType) -> Tensor:
    """P of a = P l u, where row i of l u was row order[i] of a."""
    return (column(numbers(order.shape[-1])) == row(order)).cast(dtype)

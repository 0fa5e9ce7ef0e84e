"""QR by Householder's reflections, with LAPACK's signs: the diagonal of R is negative where the entry that a reflection begins with is not.

Large matrices go by blocks of columns: the reflections of one, I - V T V', are applied to the others by products (R. Schreiber, C. Van Loan, "A
storage-efficient WY representation for products of Householder transformations", 1989).
"""
from __future__ import annotations

from typing import Any

from ..loops import fori_loop
from ..tensor import Tensor
from . import triangular
from .blocks import LEAST, in_columns, multiple, number_of_column_block, padded, width_for
from .common import column, identity, numbers, row, select, sizes


def reflect(a: Tensor, count: int, start: Tensor | int = 0) -> tuple[Tensor, Tensor]:
    """Of `count` columns that begin in the rows `start`, `start` + 1, ...: R above, the reflectors v (without their leading 1) below these, and the factors
    tau of I - tau v v'."""
    m, n = sizes(a)
    rows, columns = numbers(m), numbers(n)

    def step(j: Tensor, carry: Any) -> Any:
        a, taus = carry
        k = j + start
        x = a[..., j].contiguous()
        below = select(rows > k, x, 0)
        first = x[..., k].unsqueeze(-1)
        greatest = select(rows >= k, x.abs(), 0).max(-1, keepdim=True)
        scaled = select(rows >= k, x, 0) / select(greatest == 0, 1, greatest)  # squares neither overflow nor vanish
        size = ((scaled * scaled).sum(-1, keepdim=True).sqrt() * greatest).contiguous()
        is_done = (below == 0).all(-1, keepdim=True)
        corner = select(is_done, first, select(first < 0, size, -size)).contiguous()
        tau = select(is_done, 0, (corner - first) / corner).contiguous()
        v = select(rows == k, 1, select(is_done, 0, below / (first - corner))).contiguous()
        along = ((column(v) * a).sum(-2, keepdim=True) * column(tau)).contiguous()
        kept = column(rows) < k
        new = select(columns > j, a - column(v) * along, select(columns == j, select(column(rows) == k, column(corner), select(kept, a, column(v))), a))
        return new, select(columns[:count] == j, tau, taus)
    begin = a, Tensor.zeros(*a.shape[:-2], count, dtype=a.dtype)
    return fori_loop(0, count, step, begin) if count else begin


def product(reflected: Tensor, taus: Tensor, width: int) -> Tensor:
    """The first columns of the product of all reflections."""
    m, steps = sizes(reflected)[0], sizes(column(taus))[0]
    rows = numbers(m)

    def step(i: Tensor, q: Tensor) -> Tensor:
        k = steps - 1 - i
        v = select(rows == k, 1, select(rows > k, reflected[..., k], 0)).contiguous()
        along = ((column(v) * q).sum(-2, keepdim=True) * taus[..., k].unsqueeze(-1).unsqueeze(-1)).contiguous()
        return q - column(v) * along
    return fori_loop(0, steps, step, identity(reflected, m, width))


def reflect_by_blocks(a: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """As `reflect` of all columns, and T (..., blocks, width, width) for each block of them. The sizes are multiples of the width."""
    m, n = sizes(a)
    count = min(m, n) // width

    def step(k: Tensor, carry: Any) -> Any:
        a, factors = carry
        panel, taus = reflect(in_columns(a, width)[..., k, :].contiguous(), width, k * width)
        panel = panel.contiguous()
        v = _reflectors(panel, k * width)
        t = _joined(v, taus)
        along = (t.mT @ (v.mT @ a).contiguous()).contiguous()
        rest = in_columns(a - v @ along, width)
        block = number_of_column_block(a, width)
        a = select(block == k, panel.unsqueeze(-2), select(block > k, rest, in_columns(a, width))).reshape(*a.shape)
        return a, select(column(column(numbers(count))) == k, t.unsqueeze(-3), factors)
    return fori_loop(0, count, step, (a, Tensor.zeros(*a.shape[:-2], count, width, width, dtype=a.dtype)))


def product_by_blocks(reflected: Tensor, factors: Tensor, columns: int) -> Tensor:
    """As `product`, of what `reflect_by_blocks` gives."""
    count, width = factors._concrete_shape()[-3:-1]

    def step(i: Tensor, q: Tensor) -> Tensor:
        k = count - 1 - i
        v = _reflectors(in_columns(reflected, width)[..., k, :].contiguous(), k * width)
        along = (factors[..., k, :, :] @ (v.mT @ q).contiguous()).contiguous()
        return q - v @ along
    return fori_loop(0, count, step, identity(reflected, sizes(reflected)[0], columns))


def _reflectors(panel: Tensor, start: Tensor) -> Tensor:
    """V of a block of columns that begin in the rows `start`, `start` + 1, ..."""
    rows = column(numbers(sizes(panel)[0]))
    first = start + numbers(sizes(panel)[1])
    return select(rows > first, panel, select(rows == first, Tensor.ones_like(panel), 0)).contiguous()


def _joined(v: Tensor, taus: Tensor) -> Tensor:
    """T of I - V T V', the product of the reflections I - tau v v': T (I + S D) = D for D = diag(taus) and S, what V'V has above its diagonal."""
    both = row(taus) * identity(v, *(taus._concrete_shape()[-1],) * 2)
    crossed = (column(taus) * (v.mT @ v).contiguous().tril(-1)).contiguous()
    return triangular.substitute(crossed, both.contiguous(), True, True).mT.contiguous()


def qr(a: Tensor, complete: bool = False) -> tuple[Tensor, Tensor]:
    """Q with orthonormal columns (all of them, or as many as R has rows) and upper triangular R."""
    m, n = sizes(a)
    steps = min(m, n)
    height = m if complete else steps
    if steps < LEAST:
        reflected, taus = reflect(a, steps)
        return product(reflected, taus, height), reflected[..., :height, :].triu()
    width = width_for(steps)
    reflected, factors = reflect_by_blocks(padded(a, multiple(m, width), multiple(n, width)), width)
    return product_by_blocks(reflected, factors, height)[..., :m, :], reflected[..., :height, :n].triu()

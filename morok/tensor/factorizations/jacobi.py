"""Jacobi's rotations: eigenvalues of symmetric matrices, and one-sided for singular values.

An iteration rotates n/2 disjoint pairs of rows at once. n - 1 of them, a sweep, meet each pair once: row i and row (2 r - i) mod (n - 1) in round r, the
last row with the one that would meet itself. Sweeps go on until none has met a pair to rotate. The rows that meet are carried, computed one round ahead:
kernels find them in memory, as places to read from.
"""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ..tensor import Tensor
from . import block_jacobi
from .common import ascending, column, elements_at, epsilon, identity, numbers, row, rows_at, select, sizes
from .rotations import partners, sine_of, sweeps, tangent_of, without_dust


def _rounds(n: int) -> int:
    """Of a sweep."""
    return n - 1 + n % 2 if n > 1 else 0


def _first(n: int) -> Tensor:
    return partners(n, Tensor(0, dtype=T.int64))


def eigh(a: Tensor, vectors: bool) -> tuple[Tensor, Tensor]:
    """Eigenvalues of symmetric matrices in ascending order, and the eigenvectors as rows (nothing useful without `vectors`)."""
    n = sizes(a)[1]
    i = numbers(n)
    size = a.abs().max((-1, -2), keepdim=True) if 0 not in a.shape else Tensor.zeros(*a.shape[:-2], 1, 1, dtype=a.dtype)
    scale = select((size == 0) | ~size.isfinite(), 1, size)
    a = (a / scale).contiguous()

    def rotate(following: Tensor, state: Any) -> Any:
        other, a, rows = state
        is_lower = i < other
        own = a[..., i, i]
        met = a[..., i.minimum(other), i.maximum(other)]  # one of the two that should be equal
        t = tangent_of(own[..., other] - own, met, is_lower, other == i).contiguous()
        s, h = sine_of(t)
        crossed = a[..., other]
        across = a - row(s) * (crossed + row(h) * a)
        below = a[..., other, :]
        turned = across - column(s) * ((below - row(s) * (crossed[..., other, :] + row(h) * below)) + column(h) * across)
        diagonal = (own - t * met).contiguous()
        turned = select(column(i) == i, row(diagonal), select(column(other) == i, 0, turned))
        if vectors:
            rows = without_dust(rows - column(s) * (rows[..., other, :] + column(h) * rows))
        return (partners(n, following), without_dust(turned), rows), select(other == i, 0, met.abs())
    if n >= block_jacobi.LEAST:
        values, rows = block_jacobi.diagonalized(a, vectors)
    else:
        start = identity(a, n, n) if vectors else Tensor.zeros(*a.shape[:-2], 0, 0, dtype=a.dtype)
        _, a, rows = sweeps(_rounds(n), rotate, (_first(n), a, start), n, epsilon(a.dtype) / max(n, 1))
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

    def rotate(following: Tensor, state: Any) -> Any:
        other, a, turns = state
        crossed = a[..., other, :]
        squares = (a * a).sum(-1).contiguous()
        products = (a * crossed).sum(-1).contiguous()
        others = squares[..., other]
        t = tangent_of(others - squares, products, i < other, other == i).contiguous()
        s, h = sine_of(t)
        lengths = (squares * others).sqrt()
        # What is nothing but rounding beside the longest row has no direction of its own to be found.
        matters = squares.minimum(others) > (eps * eps) * squares.max(-1, keepdim=True)
        far = select(matters & (other != i), products.abs() / select(lengths == 0, 1, lengths), 0)
        if vectors:
            turns = without_dust(turns - column(s) * (turns[..., other, :] + column(h) * turns))
        return (partners(n, following), a - column(s) * (crossed + column(h) * a), turns), far
    a = (a / scale).contiguous()
    if n >= block_jacobi.LEAST:
        a, turns = block_jacobi.orthogonalized(a, vectors)
    else:
        start = identity(a.mT, n, n) if vectors else Tensor.zeros(*a.shape[:-2], 0, 0, dtype=a.dtype)
        _, a, turns = sweeps(_rounds(n), rotate, (_first(n), a, start), n, 4 * eps)
    lengths = (a * a).sum(-1).sqrt()
    order = ascending(-lengths).contiguous()
    lengths = select(size.isfinite().squeeze(-1), elements_at(lengths, order) * scale.squeeze(-1), float("nan"))
    is_known = size.isfinite()
    return lengths, select(is_known, rows_at(a, order), float("nan")), select(is_known, rows_at(turns, order), float("nan")) if vectors else turns

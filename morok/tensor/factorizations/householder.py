"""QR by Householder's reflections, with LAPACK's signs: the diagonal of R is negative where the entry that a reflection begins with is not."""
from __future__ import annotations

from typing import Any

from ..loops import fori_loop
from ..tensor import Tensor
from .common import column, identity, numbers, select, sizes


def reflect(a: Tensor) -> tuple[Tensor, Tensor]:
    """R above, the reflectors v (without their leading 1) below the diagonal, and the factors tau of I - tau v v'."""
    m, n = sizes(a)
    rows, columns = numbers(m), numbers(n)

    def step(k: Tensor, carry: Any) -> Any:
        a, taus = carry
        x = a[..., k].contiguous()
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
        new = select(columns > k, a - column(v) * along, select(columns == k, select(column(rows) == k, column(corner), select(kept, a, column(v))), a))
        return new, select(columns[:taus.shape[-1]] == k, tau, taus)
    steps = min(m, n)
    begin = a, Tensor.zeros(*a.shape[:-2], steps, dtype=a.dtype)
    return fori_loop(0, steps, step, begin) if steps else begin


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


def qr(a: Tensor, complete: bool = False) -> tuple[Tensor, Tensor]:
    """Q with orthonormal columns (all of them, or as many as R has rows) and upper triangular R."""
    m, n = sizes(a)
    reflected, taus = reflect(a)
    height = m if complete else min(m, n)
    return product(reflected, taus, height), reflected[..., :height, :].triu()

"""The factorisations as differentiable functions: loops have no derivative, so each has the known closed form of its own, made of differentiable ops.

Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008); S. Walter and L. Lehmann,
"Algorithmic differentiation of linear algebra functions" (2010) for QR; J. Townsend, "Differentiating the singular value decomposition" (2016).
"""
from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import GradientError
from ...graph.derivation import CUSTOM, Custom
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..tensor import Tensor
from . import blocks, householder, jacobi, triangular
from .common import column, identity, numbers, row, select, sizes

Rule = Callable[[list[Tensor], list["Tensor | None"]], Sequence["Tensor | None"]]


def with_rule(raw: Sequence[Tensor], inputs: Sequence[Tensor], rule: Rule) -> list[Tensor]:
    """The values as a function of the inputs whose derivative is `rule(values, cotangents)`: what reaches each input, where one of the cotangents is given and
    the others are None. The values that the rule is given are differentiable themselves."""
    values = [TensorUOp.stand_alone(t.uop) for t in raw]
    living = [weakref.ref(u) for u in values]  # the rules belong to the values: references would keep both for good
    given = tuple(t.uop for t in inputs)

    def again() -> list[Tensor]:
        found = [ref() for ref in living]
        if all(u is not None for u in found):
            return [t._new(u) for t, u in zip(raw, found)]  # type: ignore[arg-type]
        return with_rule(raw, inputs, rule)

    def reach(number: int) -> Callable[[TensorUOp], tuple[TensorUOp | None, ...]]:
        def cotangents(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
            parts = rule(again(), [raw[number]._new(g) if i == number else None for i in range(len(raw))])
            return tuple(None if p is None else build.cast(p.uop, u.dtype) for p, u in zip(parts, given))
        return cotangents
    for number, u in enumerate(values):
        if raw[number].dtype.is_float:
            CUSTOM[u] = Custom(given, reach(number))
    return [t._new(u) for t, u in zip(raw, values)]


def symmetric(a: Tensor) -> Tensor:
    return (a + a.mT) * 0.5


def halved(a: Tensor) -> Tensor:
    """The lower triangle with half of the diagonal."""
    n = sizes(a)[1]
    i = numbers(n)
    return select(column(i) > row(i), a, select(column(i) == row(i), a * 0.5, 0))


# Triangular

def cholesky(a: Tensor) -> Tensor:
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        lower, = values
        inner = halved(lower.mT @ g[0])
        right = solve_triangular(lower.mT, (inner + inner.mT) * 0.5, False, False)
        return (solve_triangular(lower.mT, right.mT, False, False).mT,)
    return with_rule([blocks.cholesky(a.detach())], [a], rule)[0]


def solve_triangular(t: Tensor, b: Tensor, lower: bool, unit: bool) -> Tensor:
    """t x = b for matrices of the same batch."""
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        back = solve_triangular(t.mT, g[0], not lower, unit)
        outer = -(back @ values[0].mT)
        return (outer.tril(-1 if unit else 0) if lower else outer.triu(1 if unit else 0)), back
    return with_rule([blocks.substitute(t.detach(), b.detach(), lower, unit)], [t, b], rule)[0]


# Elimination

def solve(a: Tensor, b: Tensor) -> Tensor:
    """a x = b for matrices of the same batch: elimination of both at once, then substitution."""
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        back = solve(a.mT, g[0])
        return -(back @ values[0].mT), back
    n = sizes(a)[1]
    reduced, _, _ = blocks.eliminate(a.detach().cat(b.detach(), dim=-1), n)
    return with_rule([blocks.substitute(reduced[..., :n], reduced[..., n:], False, False)], [a, b], rule)[0]


def inverse(a: Tensor) -> Tensor:
    return solve(a, identity(a))


def slogdet(a: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of the determinant (0 of a singular matrix) and the logarithm of its absolute value."""
    pivots, sign = _pivots(a)

    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor | None]:
        return (None if g[1] is None else column(column(g[1])) * inverse(a).mT,)
    signs = sign * pivots.sign().prod(-1)
    found = with_rule([signs, pivots.abs().log().sum(-1)], [a], rule)
    return found[0].detach(), found[1]


def determinant(a: Tensor) -> Tensor:
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        return (column(column(g[0] * values[0])) * inverse(a).mT,)
    pivots, sign = _pivots(a)
    return with_rule([sign * pivots.prod(-1)], [a], rule)[0]


def _pivots(a: Tensor) -> tuple[Tensor, Tensor]:
    reduced, _, sign = blocks.eliminate(a.detach(), sizes(a)[1])
    return reduced.diagonal(0, -2, -1), sign


def lu(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """P, L and U of a = P L U. Only square matrices have a derivative."""
    m, n = sizes(a)
    k = min(m, n)
    reduced, order, _ = blocks.eliminate(a.detach(), k)
    permutation = triangular.permutation_matrix(order, a.dtype)
    eye = (column(numbers(m)) == row(numbers(k))).cast(a.dtype)

    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        if m != n:
            raise GradientError(f"lu: only the factors of square matrices have a derivative here, not those of shape {a.shape}")
        lower, upper = values
        inner = Tensor.zeros_like(a)
        if g[0] is not None:
            inner = inner + (lower.mT @ g[0]).tril(-1)
        if g[1] is not None:
            inner = inner + (g[1] @ upper.mT).triu()
        right = solve_triangular(upper, inner.mT, False, False).mT  # inner U^-T
        return (permutation @ solve_triangular(lower.mT, right, False, True),)
    lower, upper = with_rule([reduced[..., :, :k].tril(-1) + eye, reduced[..., :k, :].triu()], [a], rule)
    return permutation, lower, upper


# Orthogonal

def qr(a: Tensor, complete: bool) -> tuple[Tensor, Tensor]:
    m, n = sizes(a)

    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        if complete and m > n:
            raise GradientError(f"qr: the complete factors of matrices of shape {a.shape}, taller than wide, are not determined by them and have no "
                                "derivative; use mode 'reduced'")
        q, r = values
        on_q, on_r = g
        if m >= n:
            return (_back_through_qr(q, r, on_q, on_r),)
        left, rest = r[..., :m], a[..., m:]  # a = [x y], x = q left, and the right part of r is q' y
        from_rest = None
        if on_r is not None:
            tail = on_r[..., m:]
            on_q, on_r = rest @ tail.mT if on_q is None else on_q + rest @ tail.mT, on_r[..., :m]
            from_rest = q @ tail
        front = _back_through_qr(q, left, on_q, on_r)
        return (front.cat(Tensor.zeros_like(rest) if from_rest is None else from_rest, dim=-1),)
    q, r = with_rule(householder.qr(a.detach(), complete), [a], rule)
    return q, r


def _back_through_qr(q: Tensor, r: Tensor, on_q: Tensor | None, on_r: Tensor | None) -> Tensor:
    n = sizes(r)[1]
    inner = Tensor.zeros(*q.shape[:-2], n, n, dtype=q.dtype)
    if on_r is not None:
        inner = inner + r @ on_r.mT
    if on_q is not None:
        inner = inner - on_q.mT @ q
    total = q @ (inner.tril() + inner.tril(-1).mT)
    if on_q is not None:
        total = total + on_q
    return solve_triangular(r, total.mT, False, False).mT  # total R^-T


def eigh(a: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors (columns) of symmetric matrices."""
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        w, v = values
        inner = Tensor.zeros_like(a)
        if g[0] is not None:
            inner = inner + identity(a) * row(g[0])
        if g[1] is not None:
            inner = inner + _off_diagonal(row(w) - column(w)) * (v.mT @ g[1])
        return (symmetric(v @ inner @ v.mT),)
    values, rows = jacobi.eigh(a.detach(), True)
    w, v = with_rule([values, rows.mT], [a], rule)
    return w, v


def eigvalsh(a: Tensor) -> Tensor:
    """Eigenvalues alone; the derivative needs the eigenvectors too, and computes them."""
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        _, v = eigh(a)
        return ((v * row(g[0])) @ v.mT,)
    return with_rule([jacobi.eigh(a.detach(), False)[0]], [a], rule)[0]


def _off_diagonal(differences: Tensor) -> Tensor:
    """1 / differences, and 0 on the diagonal."""
    i = numbers(differences.shape[-1])
    own = column(i) == row(i)
    return select(own, 0, 1 / select(own, 1, differences))


def svd(a: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """u, s, vh of a = u diag(s) vh."""
    m, n = sizes(a)

    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        u, s, vh = values
        if full and m != n and (g[0] is not None or g[2] is not None):
            raise GradientError(f"svd: the full factors of matrices of shape {a.shape} are not determined by them and have no derivative; "
                                "use full_matrices=False")
        k = min(m, n)
        u, v = u[..., :k], vh[..., :k, :].mT
        inner = Tensor.zeros(*a.shape[:-2], k, k, dtype=a.dtype)
        outer = Tensor.zeros_like(a)
        if g[1] is not None:
            inner = inner + identity(a, k, k) * row(g[1])
        factors = _off_diagonal(row(s * s) - column(s * s))
        if g[0] is not None:
            crossed = u.mT @ g[0]
            inner = inner + factors * (crossed - crossed.mT) * row(s)
            if m > k:
                outer = outer + ((g[0] - u @ crossed) / row(s)) @ v.mT
        if g[2] is not None:
            on_v = g[2].mT
            crossed = v.mT @ on_v
            inner = inner + column(s) * (factors * (crossed - crossed.mT))
            if n > k:
                outer = outer + (u / row(s)) @ (on_v - v @ crossed).mT
        return (u @ inner @ v.mT + outer,)
    u, s, vh = with_rule(_svd(a.detach(), full), [a], rule)
    return u, s, vh


def _svd(a: Tensor, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The side with fewer vectors is turned until its rows are orthogonal; the other side's vectors are these rows' directions, completed by QR where there is
    none."""
    m, n = sizes(a)
    if m < n:
        v, s, uh = _svd(a.mT, full)
        return uh.mT, s, v.mT
    lengths, rows, turns = jacobi.orthogonal_rows(a.mT, True)
    u, r = householder.qr(rows.mT, full)
    signs = select(r.diagonal(0, -2, -1) < 0, -1, Tensor.ones(*lengths.shape, dtype=a.dtype))
    if full and m > n:
        signs = signs.cat(Tensor.ones(*a.shape[:-2], m - n, dtype=a.dtype), dim=-1)
    return u * row(signs), lengths, turns


def svdvals(a: Tensor) -> Tensor:
    """Singular values alone; the derivative needs the vectors too, and computes them."""
    def rule(values: list[Tensor], g: list[Any]) -> Sequence[Tensor]:
        u, _, vh = svd(a, False)
        return ((u * row(g[0])) @ vh,)
    raw = a.detach()
    raw = raw if a.shape[-2] < a.shape[-1] else raw.mT
    return with_rule([jacobi.orthogonal_rows(raw, False)[0]], [a], rule)[0]

"""Linear forms: an integer expression as a sum of terms with constant coefficients, and back.

    (%i * 6 + %j) * 4 + 3     terms ((%i, 24), (%j, 4)), constant 3
    (%i * %n + %j) * %m       terms ((%i * %m * %n, 1), (%j * %m, 1)), constant 0

The rules on sums, divisions and comparisons work on these. Written back, terms stand in a canonical order: by the innermost range that they
reach, outermost first (so that what a loop does not change stands together, to be computed outside of it), then by a digest of their
content; the constant comes last. A form is an identity of unbounded integers: arithmetic that may wrap is a term of its own.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32

from ...dialect import types as T
from ...graph.uop import UOp, const
from ..facts import recall, remember
from .bounds import Interval, bounds, is_exact

MOST_TERMS = 32
"""A longer sum is one term: beyond this, work on sums of sums would become quadratic."""
MOST_FACTORS = 8
"""A longer product is one term: squares of squares would grow without end."""


class Linear(NamedTuple):
    terms: tuple[tuple[UOp, int], ...]
    constant: int = 0

    def scaled(self, factor: int) -> Linear:
        if factor == 1:
            return self
        return Linear(tuple((t, c * factor) for t, c in self.terms) if factor else (), self.constant * factor)

    def plus(self, other: Linear) -> Linear:
        return combined(self.terms + other.terms, self.constant + other.constant)

    def minus(self, other: Linear) -> Linear:
        return self.plus(other.scaled(-1))

    def bounds(self) -> Interval:
        low = high = self.constant
        for term, coefficient in self.terms:
            least, most = bounds(term)
            low += coefficient * (least if coefficient > 0 else most)
            high += coefficient * (most if coefficient > 0 else least)
        return low, high


def combined(terms: Iterable[tuple[UOp, int]], constant: int) -> Linear:
    """The sum with equal terms added together."""
    total: dict[UOp, int] = {}
    for term, coefficient in terms:
        total[term] = total.get(term, 0) + coefficient
    return Linear(tuple((t, c) for t, c in total.items() if c), constant)


def linear(u: UOp) -> Linear:
    """The linear form of an integer scalar (or vector)."""
    return recall(u, "linear", _summands, _form) or Linear(((u, 1),))


_SUMS = frozenset(("add", "sub", "mul", "neg"))


def _summands(u: UOp) -> tuple[UOp, ...]:
    return u.operands if u.name in _SUMS and is_exact(u) else ()


def _form(u: UOp) -> Linear | None:
    """The form, or None for an op that is a term of its own."""
    if u.name == "const":
        return Linear((), u.value)
    if not _summands(u):
        return None
    parts = [o.facts["linear"] or Linear(((o, 1),)) for o in u.operands]  # type: ignore[index]
    if sum(len(p.terms) for p in parts) > MOST_TERMS:
        return None
    if u.name == "add":
        return parts[0].plus(parts[1])
    if u.name == "sub":
        return parts[0].minus(parts[1])
    return parts[0].scaled(-1) if u.name == "neg" else _product_form(u, parts[0], parts[1])


def _product_form(u: UOp, x: Linear, y: Linear) -> Linear | None:
    """Products distribute over sums on index; elsewhere only a single term is scaled."""
    if not x.terms or not y.terms:
        scaled = (y if not x.terms else x).scaled(x.constant if not x.terms else y.constant)
        return scaled if u.dtype is T.index or len(scaled.terms) + bool(scaled.constant) <= 1 else _scaled_operand(u)
    if u.dtype is not T.index or (len(x.terms) + 1) * (len(y.terms) + 1) > MOST_TERMS:
        return None
    if not all(_is_short_product(t) for form in (x, y) for t, _ in form.terms):
        return None
    if len(x.terms) == len(y.terms) == 1 and not x.constant and not y.constant:
        product = product_of(x.terms[0][0], y.terms[0][0])
        coefficient = x.terms[0][1] * y.terms[0][1]
        return None if product is u else Linear(((product, coefficient),))
    return multiplied(x, y)


def multiplied(x: Linear, y: Linear) -> Linear:
    """The product of two sums, multiplied out."""
    terms = [(product_of(s, t), a * b) for s, a in x.terms for t, b in y.terms]
    terms += [(s, a * y.constant) for s, a in x.terms] + [(t, b * x.constant) for t, b in y.terms]
    return combined(terms, x.constant * y.constant)


def _is_short_product(term: UOp) -> bool:
    """Whether products with the term may be multiplied out: its factors are few, and none is a sum that was too long to."""
    parts = factors(term)
    return 2 * len(parts) <= MOST_FACTORS and not any(f.name in _SUMS for f in parts)


def _scaled_operand(u: UOp) -> Linear | None:
    x, y = u.operands
    if y.name == "const":
        return Linear(((x, y.value),)) if y.value else Linear(())
    return Linear(((y, x.value),)) if x.name == "const" and x.value else None


def factors(u: UOp) -> tuple[UOp, ...]:
    """The factors of a product written by `product_of`."""
    found: list[UOp] = []
    while u.name == "mul" and u.dtype is T.index:
        found.append(u.operands[1])
        u = u.operands[0]
    return (u, *reversed(found))


def product_of(*parts: UOp) -> UOp:
    """The product of terms, with the factors in canonical order."""
    ordered = sorted((f for p in parts for f in factors(p)), key=position)
    result = ordered[0]
    for factor in ordered[1:]:
        result = UOp.make("mul", (result, factor))
    if len(ordered) > 1:
        remember(result, "linear", None)
    return result


def build(form: Linear, type: T.Type) -> UOp:
    """The sum written out in canonical order."""
    terms = form.terms if len(form.terms) < 2 else sorted(form.terms, key=lambda t: position(t[0]))
    if T.element_dtype(type) is not T.index:
        return _build_wrapping(terms, form.constant, type)
    result = None
    for i, (term, coefficient) in enumerate(terms):
        scaled = term
        if coefficient != 1:
            scaled = UOp.make("mul", (term, const(coefficient, type)))
            remember(scaled, "linear", Linear(((term, coefficient),)))
        if result is None:
            result = scaled
        else:
            result = UOp.make("add", (result, scaled))
            remember(result, "linear", Linear(tuple(terms[:i + 1])))
    if result is None:
        return const(form.constant, type)
    if form.constant:
        result = UOp.make("add", (result, const(form.constant, type)))
        remember(result, "linear", form)
    return result


def _build_wrapping(terms: Iterable[tuple[UOp, int]], constant: int, type: T.Type) -> UOp:
    """As `build` on other integer dtypes, where part of a sum may wrap although the whole does not; subtracts instead of adding x * -1."""
    ordered = sorted(terms, key=lambda t: t[1] == -1)
    result = None
    for term, coefficient in ordered:
        if result is not None and coefficient == -1:
            result = UOp.make("sub", (result, term))
            continue
        scaled = term if coefficient == 1 else UOp.make("mul", (term, const(coefficient, type)))
        result = scaled if result is None else UOp.make("add", (result, scaled))
    if result is None:
        return const(constant, type)
    return UOp.make("add", (result, const(constant, type))) if constant else result


def position(u: UOp) -> tuple[int, int]:
    """Where a term stands in a sum: (the innermost range that it reaches or -1, a digest of its content). The same in every process."""
    return recall(u, "position", lambda node: node.operands, _position)


def _position(u: UOp) -> tuple[int, int]:
    below = [o.facts["position"] for o in u.operands]  # type: ignore[index]
    innermost = u.attribute("id") if u.name == "range" else max((p[0] for p in below), default=-1)
    return innermost, crc32(f"{u.name}{u.attributes}{u.type}{[p[1] for p in below]}".encode())

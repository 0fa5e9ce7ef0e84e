"""morok-defer-normalization: a sum of products with softmax weights is normalised once, not weight by weight.

    %e = morok.exp %x, %t = sum of %e over keys                    %e, %t as before
    %w = morok.div %e, %t : tensor<8x512xf32>                      %p = morok.mul %e, %v
    %p = morok.mul %w, %v : tensor<8x64x512xf32>              =>   %n = morok.reduce_axis %p {add, axes = [2]}
    %y = morok.reduce_axis %p {add, axes = [2]}                    %y = morok.div %n, %t : tensor<8x64xf32>

Attention's second product: 64 divisions a row instead of 512, and the weights need no memory of their own (Dao et al., FlashAttention, 2022, section 3.1). The
same where the weights are multiplied by 1 / %t. Only weights that are exponentials over their own sum: they are positive, so the sum of the products exceeds
the quotient by no more than the divisor, and cannot overflow where the quotient is far from it. Only where nothing else wants the weights, and there are fewer
results than weights.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from ...dialect import types as T
from ...dialect.ops import MOVEMENT
from ...graph.body import Program
from ...graph.uop import UOp, index_const, substitute, users_of
from ..registry import Pass, morok_pass
from ..symbolic import simplify
from ..symbolic.ranges import make_range, open_ranges
from .movement_indices import Indices, source_indices


@morok_pass("morok-defer-normalization", form="tensor")
class DeferNormalization(Pass):
    """Divides the sum of softmax weights times values, instead of each weight."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            order = body.order()
            if any(u.name == "exp" for u in order):
                users = users_of(order)
                replaced = {u: deferred for u in order if u.name == "reduce_axis" and (deferred := _deferred(u, users, body.roots)) is not None}
                if replaced:
                    program.bodies[name] = body.with_roots(substitute(body.roots, replaced))


def _deferred(u: UOp, users: Mapping[UOp, Sequence[UOp]], roots: tuple[UOp, ...]) -> UOp | None:
    """The sum with its normalisation behind it; None where there is none to defer."""
    product = u.operands[0]
    if u.attribute("op") != "add" or product.name != "mul" or not u.dtype.is_float or _is_shared(product, users, roots):
        return None
    for weights, values in (product.operands, reversed(product.operands)):
        normalised, movements = _source(weights)
        found = _exponentials_and_scale(normalised)
        if found is None or any(_is_shared(v, users, roots) for v in (normalised, *movements)):
            continue
        exponentials, scale = found
        if not _is_constant_along(u.attribute("axes"), weights, [*movements, *_source(scale)[1]]) or prod(_shape(u)) > prod(_shape(normalised)):
            continue
        factors = {weights: _moved(exponentials, movements), values: values}
        summed = u.with_operands((product.with_operands(tuple(factors[f] for f in product.operands)),))
        return UOp.make(normalised.name, (summed, _first_along(u, _moved(scale, movements))), (), u.type, normalised.loc)
    return None


def _exponentials_and_scale(weights: UOp) -> tuple[UOp, UOp] | None:
    """Of exponentials that are divided by their sum, or multiplied by 1 / sum: them, and what they are divided or multiplied by."""
    if weights.name not in ("div", "mul"):
        return None
    for exponentials, scale in (weights.operands, weights.operands[::-1])[:1 if weights.name == "div" else 2]:
        total = _source(scale)[0]
        if weights.name == "mul":
            if total.name != "div" or not _source(total.operands[0])[0].is_const(1.0):
                continue
            total = _source(total.operands[1])[0]
        if exponentials.name == "exp" and total.name == "reduce_axis" and total.attribute("op") == "add" and total.operands[0] is exponentials:
            return exponentials, scale
    return None


def _shape(u: UOp) -> tuple[int, ...]:
    return u.type.shape  # type: ignore[union-attr,return-value]


def _source(u: UOp) -> tuple[UOp, list[UOp]]:
    """What the value is before movement ops of fixed sizes that fill nothing in, and these, the last first."""
    movements = []
    while u.name in MOVEMENT and u.name != "pad" and len(u.operands) == 1 and None not in _shape(u) and None not in _shape(u.operands[0]):
        movements.append(u)
        u = u.operands[0]
    return u, movements


def _moved(u: UOp, movements: Sequence[UOp]) -> UOp:
    """The value under movement ops, the last first."""
    for movement in reversed(movements):
        u = movement.with_operands((u,))
    return u


def _is_shared(u: UOp, users: Mapping[UOp, Sequence[UOp]], roots: tuple[UOp, ...]) -> bool:
    return len(users[u]) > 1 or u in roots


def _is_constant_along(axes: Sequence[int], u: UOp, movements: Sequence[UOp]) -> bool:
    """Whether what lies behind movement ops (the last first) is the same all along some axes of their result `u`."""
    ranges = [make_range(index_const(n), number, "loop") for number, n in enumerate(_shape(u))]
    indices: Indices = tuple(ranges)
    for movement in movements:
        indices = simplify(source_indices(movement, indices)[0])
    return not any(ranges[a] in open_ranges(i) for a in axes for i in indices)


def _first_along(u: UOp, operand: UOp) -> UOp:
    """The operand of a reduction, its first elements along the axes that go."""
    kept = tuple(1 if a in u.attribute("axes") else n for a, n in enumerate(_shape(operand)))
    first = UOp.make("shrink", (operand,), ((0,) * len(kept), kept), T.tensor(kept, u.dtype), u.loc)
    return UOp.make("reshape", (first,), (_shape(u),), u.type, u.loc)

"""Vector-Jacobian products of scatter: what is put at a place and what was there before are the operands of one operation.

    add     each has what reaches the place          set     the last one put has all of it
    max     those that attain the extreme share it   mul     each has it times the product of the others
"""
from __future__ import annotations

from collections.abc import Callable

from ...dialect import types as T
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..rows import picked, put
from .rules import Cotangents, compare, f, like, rule, select


@rule("scatter")
def scattered(u: TensorUOp, g: TensorUOp) -> Cotangents:
    target, positions, value = u.operands
    name = u.attributes[0]
    if not u.dtype.is_float:
        return None, None, None

    def there(v: TensorUOp) -> TensorUOp:
        return picked(v, positions, 1)

    def of_all(t: TensorUOp, v: TensorUOp, op: str = "add") -> TensorUOp:
        return put(t, positions, v, 1, op)

    if name == "add":
        return g, None, there(g)
    if name == "set":
        shape = build.shape_of(positions)
        if shape[1] == 1:
            return of_all(g, like(value, 0.0), "set"), None, there(g)
        number = build.broadcast(build.iota(shape[1], T.int64), shape)
        row = build.reshape(number, (*shape, 1))
        last = of_all(build.full((shape[0], build.shape_of(target)[1], 1), -1, T.int64), row, "set")
        stays = compare("cmpeq", there(last), row)
        return of_all(g, like(value, 0.0), "set"), None, select(build.broadcast(stays, build.shape_of(value)), there(g), like(value, 0.0))
    if name == "mul":
        return _factors(u, g, there, of_all)
    attained = compare("cmpeq", target, u), compare("cmpeq", value, there(u))
    ones = [select(a, like(v, 1.0), like(v, 0.0)) for a, v in zip(attained, (target, value))]
    count = of_all(ones[0], ones[1])
    share = f("div", g, f("max", count, like(count, 1.0)))
    return select(attained[0], share, like(target, 0.0)), None, select(attained[1], there(share), like(value, 0.0))


def _factors(u: TensorUOp, g: TensorUOp, there: Callable[[TensorUOp], TensorUOp], of_all: Callable[..., TensorUOp]) -> Cotangents:
    """Of a product: each factor receives the product of the others, also where one is 0."""
    target, _, value = u.operands
    zero = [compare("cmpeq", v, like(v, 0.0)) for v in (target, value)]
    zeros = of_all(*(select(z, like(v, 1.0), like(v, 0.0)) for z, v in zip(zero, (target, value))))
    rest = of_all(*(select(z, like(v, 1.0), v) for z, v in zip(zero, (target, value))), "mul")

    def part(v: TensorUOp, is_zero: TensorUOp, zeros: TensorUOp, rest: TensorUOp, g: TensorUOp) -> TensorUOp:
        alone = f("div", rest, select(is_zero, like(v, 1.0), v))
        others = select(compare("cmpeq", zeros, like(v, 0.0)), alone,
                        select(f("and", is_zero, compare("cmpeq", zeros, like(v, 1.0))), rest, like(v, 0.0)))
        return f("mul", g, others)
    return part(target, zero[0], zeros, rest, g), None, part(value, zero[1], there(zeros), there(rest), there(g))

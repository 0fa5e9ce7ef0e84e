"""morok-exact-float-products: a sum of products of small integers is computed in float32, where all of it is exact.

    %x = morok.cast %a : tensor<4x8xi8> to i32                      %x = morok.cast %a : tensor<4x8xi8> to f32
    %y = morok.cast %b : tensor<4x8xi8> to i32                      %y = morok.cast %b : tensor<4x8xi8> to f32
    %p = morok.mul %x, %y                                     =>    %p = morok.mul %x, %y
    %s = morok.reduce_axis %p {add, axes = [1]}                     %f = morok.reduce_axis %p {add, axes = [1]}
                                                                    %s = morok.cast %f to i32

Processors multiply and add floats in one instruction, two of them a cycle, but need several for 32-bit integers. Integers up to 2**24 are float32
values, and so are all products and partial sums if the number of terms times the greatest product stays below that: 1,023 terms of 8-bit signed integers.
"""
from __future__ import annotations

from math import prod

from ...dialect import types as T
from ...dialect.ops import MOVEMENT
from ...graph.body import Program
from ...graph.uop import UOp, substitute
from ..registry import Pass, morok_pass

EXACT = 1 << 24
"""All integers to here are float32 values."""


@morok_pass("morok-exact-float-products", form="tensor")
class ExactFloatProducts(Pass):
    """Computes integer sums of products in float32 where that is exact."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            replaced = {u: exact for u in body.order() if u.name == "reduce_axis" and (exact := _in_float(u)) is not None}
            if replaced:
                program.bodies[name] = body.with_roots(substitute(body.roots, replaced))


def _in_float(u: UOp) -> UOp | None:
    product = u.operands[0]
    if u.attribute("op") != "add" or product.name != "mul" or u.dtype.kind not in "iu" or u.dtype.bits < 32 or None in product.type.shape:  # type: ignore[union-attr]
        return None
    factors = [_small_integer(o) for o in product.operands]
    terms = prod(product.type.shape[a] for a in u.attribute("axes"))  # type: ignore[union-attr]
    if any(f is None for f in factors) or terms * prod(greatest for _, greatest in factors) >= EXACT:  # type: ignore[misc]
        return None
    shape = product.type.shape  # type: ignore[union-attr]
    multiplied = UOp.make("mul", tuple(f[0] for f in factors), (), T.tensor(shape, T.float32), product.loc)  # type: ignore[index]
    summed = UOp.make("reduce_axis", (multiplied,), u.attributes, T.tensor(u.type.shape, T.float32), u.loc)  # type: ignore[union-attr]
    return UOp.make("cast", (summed,), (), u.type, u.loc)


def _small_integer(u: UOp) -> tuple[UOp, int] | None:
    """As a float32 tensor, a value that is converted from integers of at most 8 bits, and their greatest magnitude; None for other values."""
    movements = []
    while u.name in MOVEMENT and u.name != "pad" and len(u.operands) == 1:
        movements.append(u)
        u = u.operands[0]
    if u.name != "cast" or u.operands[0].dtype.kind not in "iub" or u.operands[0].dtype.bits > 8:
        return None
    source = u.operands[0]
    value = UOp.make("cast", (source,), (), T.tensor(source.type.shape, T.float32), u.loc)  # type: ignore[union-attr]
    for m in reversed(movements):
        value = UOp.make(m.name, (value,), m.attributes, T.tensor(m.type.shape, T.float32), m.loc)  # type: ignore[union-attr]
    return value, 1 if source.dtype is T.bool_ else 255 if source.dtype.kind == "u" else 128

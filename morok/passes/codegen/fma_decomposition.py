"""morok-fma-decomposition: a product that only a sum or difference uses is computed with it, rounded once.

    %p = morok.mul(%x, %y)
    %s = morok.add(%p, %z)    =>    %s = morok.mulacc(%x, %y, %z)

float32 and float64 only: 16-bit floats round each op's result. A sum that loops carry accumulates its products this way in morok-linearize.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp
from ..registry import KernelPass, morok_pass


@morok_pass("morok-fma-decomposition", form="vector")
class FmaDecomposition(KernelPass):
    """Multiply and add become one op."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(u.name in ("add", "sub") and any(map(is_product, u.operands)) for u in order):
            return body
        uses = count_uses(order)
        new: dict[UOp, UOp] = {}
        for u in order:
            operands = tuple([new[o] for o in u.operands])
            made = _fused(u, operands, uses) if u.name in ("add", "sub") and u.dtype in (T.float32, T.float64) else None
            new[u] = made if made is not None else u.with_operands(operands) if operands else u
        return body.with_roots(tuple([new[r] for r in body.roots]))


def is_product(u: UOp) -> bool:
    return u.name == "mul" and u.dtype in (T.float32, T.float64)


def count_uses(order: Iterable[UOp]) -> Counter[UOp]:
    return Counter(o for u in order for o in u.operands)


def _fused(u: UOp, operands: tuple[UOp, ...], uses: Counter[UOp]) -> UOp | None:
    for side in (0, 1):
        if not is_product(u.operands[side]) or uses[u.operands[side]] != 1:
            continue
        product, rest = operands[side], operands[1 - side]
        if product.name != "mul":
            continue
        x, y = product.operands
        if u.name == "sub":
            if side == 0:
                rest = rest.alu("neg")
            else:
                x = x.alu("neg")
        return UOp.make("mulacc", (x, y, rest), (), None, u.loc)
    return None

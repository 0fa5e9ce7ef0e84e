"""morok-reduce-to-iter-args: a reduction becomes a value that its loops carry from iteration to iteration.

    %s = morok.reduce(%x, %k) {op = "add"}    =>    %z = morok.const() {value = 0.0 : f32}
                                                    %s = morok.carry(%x, %z, %k) {op = "add"}

The carried value starts from the reduction's identity; morok-linearize makes it an iter_arg of the loops, with no accumulator in memory. A
reduction over no range is its value.
"""
from __future__ import annotations

from ...graph.body import Body
from ...graph.uop import UOp, const
from ..registry import KernelPass, morok_pass
from .reduction_order import identity


@morok_pass("morok-reduce-to-iter-args", form="vector")
class ReduceToIterArgs(KernelPass):
    """Reductions become values that loops carry."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(u.name == "reduce" for u in order):
            return body
        new: dict[UOp, UOp] = {}
        for u in order:
            operands = tuple([new[o] for o in u.operands])
            if u.name == "reduce":
                new[u] = _carried(u, operands)
            else:
                new[u] = u if operands == u.operands else u.with_operands(operands)
        return body.with_roots(tuple([new[r] for r in body.roots]))


def _carried(u: UOp, operands: tuple[UOp, ...]) -> UOp:
    value, *ranges = operands
    return UOp.make("carry", (value, const(identity(u), u.type), *ranges), u.attributes, None, u.loc) if ranges else value

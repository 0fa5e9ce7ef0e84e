"""morok-add-loads: a pointer used as a value is loaded.

    %p = morok.index(%b, %i)                  %p = morok.index(%b, %i)
    %y = morok.mul(%p, %x)              =>    %v = morok.load(%p)
                                              %y = morok.mul(%v, %x)
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp
from ..registry import KernelPass, morok_pass


@morok_pass("morok-add-loads", form="kernel")
class AddLoads(KernelPass):
    """Loads pointers that are used as values."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(isinstance(o.type, T.PtrType) and not _takes_pointer(u, i) for u in order for i, o in enumerate(u.operands)):
            return body
        new: dict[UOp, UOp] = {}
        for u in order:
            operands = tuple(UOp.make("load", (new[o],)) if isinstance(o.type, T.PtrType) and not _takes_pointer(u, i) else new[o]
                             for i, o in enumerate(u.operands))
            new[u] = u.with_operands(operands) if operands else u
        return body.with_roots(tuple(new[r] for r in body.roots))


def _takes_pointer(u: UOp, position: int) -> bool:
    return position == 0 and u.name in ("load", "store") or position == 1 and u.name == "prefetch"

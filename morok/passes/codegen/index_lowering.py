"""morok-index-lowering: each index op gets one flat, row-major index over a one-dimensional buffer.

    %p = morok.index(%b : memref<4x6xf32>, %i, %j)    =>    %p = morok.index(%b : memref<24xf32>, %i * 6 + %j)

Arguments and scratch are retyped; the index arithmetic is simplified after it.
"""
from __future__ import annotations

from dataclasses import replace

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, argument
from ..registry import KernelPass, morok_pass
from ..symbolic import row_major, simplify


@morok_pass("morok-index-lowering", form="kernel")
class IndexLowering(KernelPass):
    """One flat index per access, over one-dimensional buffers."""

    simplify: bool = True

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        new: dict[UOp, UOp] = {a: argument(i, flat(a.type)) if isinstance(a.type, T.MemRefType) else a for i, a in enumerate(body.arguments)}
        for u in order:
            if u.name == "index" and len(u.operands[0].type.shape) != 1:  # type: ignore[union-attr]
                place = row_major([new[o] for o in u.operands[1:]], u.operands[0].type.shape)  # type: ignore[union-attr]
                new[u] = UOp.make("index", (new[u.operands[0]], place), (), u.type, u.loc)
            elif u.operands:
                new[u] = u.with_operands(tuple([new[o] for o in u.operands]))
            elif u not in new:
                new[u] = UOp.make(u.name, (), u.attributes, flat(u.type), u.loc) if isinstance(u.type, T.MemRefType) else u
        roots = tuple([new[r] for r in body.roots])
        if self.simplify:
            roots = simplify(roots)
        return replace(body, arguments=[new[a] for a in body.arguments]).with_roots(roots)


def flat(t: T.MemRefType) -> T.MemRefType:
    """The one-dimensional buffer of as many elements (at least one, so that a pointer exists)."""
    return t if len(t.shape) == 1 else T.memref((t.size,), t.dtype, t.space)

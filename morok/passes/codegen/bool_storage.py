"""morok-bool-storage: bools are bytes in memory.

    %v = morok.load(%p : ptr<i1>) : i1          %b = morok.load(%p : ptr<ui8>) : ui8
    morok.store(%q, %v)                   =>    %v = morok.cmpne(%b, 0) : i1
                                                morok.store(%q, morok.cast(%v) : ui8)
"""
from __future__ import annotations

from dataclasses import replace

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, argument
from ..registry import KernelPass, morok_pass


@morok_pass("morok-bool-storage", form="kernel")
class BoolStorage(KernelPass):
    """Bool buffers become byte buffers."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(isinstance(u.type, T.MemRefType) and u.dtype is T.bool_ for u in (*body.arguments, *order)):
            return body
        new: dict[UOp, UOp] = {a: argument(i, _bytes(a.type)) for i, a in enumerate(body.arguments)}
        for u in order:
            if u not in new:
                new[u] = _rewritten(u, tuple([new[o] for o in u.operands]))
        return replace(body, arguments=[new[a] for a in body.arguments]).with_roots(tuple([new[r] for r in body.roots]))


def _bytes(t: T.Type) -> T.Type:
    if isinstance(t, T.MemRefType) and t.dtype is T.bool_:
        return T.memref(t.shape, T.uint8, t.space)
    if isinstance(t, T.PtrType) and t.dtype is T.bool_:
        return T.ptr(T.uint8 if isinstance(t.element, T.DType) else T.vector(t.element.lanes, T.uint8), t.space)
    return t


def _rewritten(u: UOp, operands: tuple[UOp, ...]) -> UOp:
    if u.name == "index":
        return UOp.make("index", operands, (), _bytes(u.type), u.loc)
    if u.name == "load" and u.dtype is T.bool_:
        byte = UOp.make("load", operands[:2] + tuple(o.cast(T.uint8) for o in operands[2:]), (), None, u.loc)
        return byte.cast(T.bool_)
    if u.name == "store" and operands[1].dtype is T.bool_:
        return UOp.make("store", (operands[0], operands[1].cast(T.uint8), *operands[2:]), u.attributes, None, u.loc)
    if not operands:
        return UOp.make(u.name, (), u.attributes, _bytes(u.type), u.loc) if isinstance(u.type, T.MemRefType) else u
    return u.with_operands(operands)

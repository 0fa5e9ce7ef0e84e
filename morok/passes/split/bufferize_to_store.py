"""morok-bufferize-to-store: a bufferize becomes a buffer and the loops that fill it.

    %b = morok.bufferize %v, %i, %j {global}   =>   %d = morok.define_global {id = 0} : memref<2x3xf32>
                                                    %s = morok.store (morok.index %d[%i, %j]), %v
                                                    %e = morok.end %s, %i, %j
                                                    %b = morok.after %d, %e

Space local gives define_local: scratch of the kernel round it, with only the ranges in its indices closed. Buffers are numbered in the order met.
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Program
from ...graph.uop import UOp, rebuild
from ..rangeify.placement import ranges_in
from ..registry import Pass, morok_pass


@morok_pass("morok-bufferize-to-store", form="range")
class BufferizeToStore(Pass):
    """Turns each bufferize into a buffer, a store and the end of its loops."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            roots = body.roots
            if any(u.name == "bufferize" for u in body.order()):
                program.bodies[name] = body.with_roots(rebuild(roots, _Numbering().replace))


class _Numbering:
    def __init__(self) -> None:
        self.next = {"define_global": 0, "define_local": 0}

    def replace(self, u: UOp) -> UOp | None:
        if u.name != "bufferize":
            return None
        name = "define_global" if u.attribute("space") == "global" else "define_local"
        value, indices = u.operands[0], u.operands[1:]
        buffer = UOp.make(name, (), (self.next[name],), u.type, u.loc)
        self.next[name] += 1
        pointer = UOp.make("index", (buffer, *indices), (), T.ptr(u.dtype, "global" if name == "define_global" else "local"))
        store = UOp.make("store", (pointer, value), (), T.token, u.loc)
        ranges = sorted(ranges_in(*indices), key=lambda r: r.attribute("id"))
        return UOp.make("after", (buffer, UOp.make("end", (store, *ranges))))

"""morok-gated-loads: a gate that is one scalar becomes a place that is always inside, and a choice.

    %v = morok.load(%p[%i], %gate, %other)    =>    %w = morok.load(%p[morok.where(%gate, %i, 0)])
                                                    %v = morok.where(%gate, %w, %other)

No branch, and no access outside of the buffer. Gates with a bool for each lane stay: morok-linearize writes masked accesses for them, and
a branch for a gated scalar store. What is loaded from an empty buffer is `other`.
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, index_const
from ..pattern import PatternSet, rewrite
from ..registry import KernelPass, morok_pass
from .devectorize import filled

GATES = PatternSet("gated-loads")


@GATES.rule("load")
def clamp_the_place(u: UOp) -> UOp | None:
    """A load with a scalar gate reads the buffer's start where the gate is closed."""
    if len(u.operands) < 3:
        return None
    pointer, gate, other = u.operands
    buffer, lanes = pointer.operands[0], _lanes(u.type)
    size = buffer.type.size  # type: ignore[union-attr]
    if gate.is_const(True):
        return UOp.make("load", (pointer,), (), None, u.loc)
    if gate.is_const(False) or size == 0:
        return other
    if isinstance(gate.type, T.VectorType) or size < lanes:
        return None
    inside = tuple(gate.where(i, index_const(0)) if i.name != "const" or i.value else i for i in pointer.operands[1:])
    loaded = UOp.make("load", (UOp.make("index", (buffer, *inside), (), pointer.type, pointer.loc),), (), None, u.loc)
    return UOp.make("where", (filled(gate, lanes) if isinstance(u.type, T.VectorType) else gate, loaded, other), (), None, u.loc)


def _lanes(t: T.Type) -> int:
    return t.lanes if isinstance(t, T.VectorType) else 1


@morok_pass("morok-gated-loads", form="vector")
class GatedLoads(KernelPass):
    """Scalar gates of loads become clamped places and choices."""

    def rewrite(self, body: Body) -> Body:
        if not any(u.name == "load" and len(u.operands) > 1 for u in body.order()):
            return body
        return body.with_roots(rewrite(body.roots, [GATES]))

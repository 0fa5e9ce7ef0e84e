"""morok-early-movement-ops: chains of movement ops become short before ranges are assigned.

    %1 = morok.reshape %0 {[2, 6]}                  =>   %2 = morok.reshape %0 {[12]}
    %2 = morok.reshape %1 {[12]}

    %1 = morok.permute %0 {[1, 0]}                  =>   %0
    %2 = morok.permute %1 {[1, 0]}

Two ops of one kind compose into one; an op that changes nothing goes. Each that stays costs index arithmetic in every consumer. Sizes that are
symbolic compose only where the outer op alone decides the result. An assign's target that is a movement op becomes contiguous, which it is made
anyway: the view must stay one of the target, not of what lies behind it.
"""
from __future__ import annotations

from ...dialect.opdef import DYNAMIC
from ...dialect.ops import MOVEMENT
from ...graph.body import Program
from ...graph.uop import UOp
from ..pattern import PatternSet, rewrite
from ..registry import Pass, morok_pass

TARGETS, EARLY_MOVEMENT = PatternSet("assign-targets"), PatternSet("early-movement-ops")


def _source_if(u: UOp, name: str) -> UOp | None:
    return u.operands[0] if u.operands[0].name == name else None


def _static(u: UOp) -> bool:
    return len(u.operands) == 1


@EARLY_MOVEMENT.rule("reshape", "expand", "shrink", "pad", "permute", "flip")
def changes_nothing(u: UOp) -> UOp | None:
    """A movement op whose result is its source, element by element."""
    source = u.operands[0]
    if u.type is not source.type or not _static(u):
        return None
    if u.name in ("reshape", "expand", "shrink"):
        return source if None not in source.type.shape else None  # type: ignore[union-attr]
    if u.name == "pad":
        return source if not any(u.attribute("low")) and not any(u.attribute("high")) else None
    if u.name == "permute":
        return source if list(u.attribute("order")) == sorted(u.attribute("order")) else None
    return source if not u.attribute("axes") else None


@EARLY_MOVEMENT.rule("reshape")
def reshape_of_reshape(u: UOp) -> UOp | None:
    """Only the last shape counts."""
    inner = _source_if(u, "reshape")
    return None if inner is None else UOp.make("reshape", (inner.operands[0], *u.operands[1:]), u.attributes, u.type, u.loc)


@EARLY_MOVEMENT.rule("expand")
def expand_of_expand(u: UOp) -> UOp | None:
    """Only the last shape counts."""
    inner = _source_if(u, "expand")
    return None if inner is None else UOp.make("expand", (inner.operands[0], *u.operands[1:]), u.attributes, u.type, u.loc)


@EARLY_MOVEMENT.rule("permute")
def permute_of_permute(u: UOp) -> UOp | None:
    """Orders compose."""
    inner = _source_if(u, "permute")
    if inner is None:
        return None
    order = tuple(inner.attribute("order")[a] for a in u.attribute("order"))
    return UOp.make("permute", (inner.operands[0],), (order,), u.type, u.loc)


@EARLY_MOVEMENT.rule("flip")
def flip_of_flip(u: UOp) -> UOp | None:
    """An axis flipped twice is not flipped."""
    inner = _source_if(u, "flip")
    if inner is None:
        return None
    axes = tuple(sorted(set(inner.attribute("axes")) ^ set(u.attribute("axes"))))
    return UOp.make("flip", (inner.operands[0],), (axes,), u.type, u.loc)


@EARLY_MOVEMENT.rule("shrink")
def shrink_of_shrink(u: UOp) -> UOp | None:
    """Begins add up."""
    inner = _source_if(u, "shrink")
    if inner is None or not _static(u) or not _static(inner):
        return None
    begin = tuple(a + b for a, b in zip(inner.attribute("begin"), u.attribute("begin")))
    return UOp.make("shrink", (inner.operands[0],), (begin, u.attribute("size")), u.type, u.loc)


@EARLY_MOVEMENT.rule("shrink")
def shrink_of_pad(u: UOp) -> UOp | None:
    """A window that the padding does not reach is a window of the source."""
    inner = _source_if(u, "pad")
    if inner is None or not _static(u) or not _static(inner) or DYNAMIC in u.attribute("begin"):
        return None
    begin = tuple(b - low for b, low in zip(u.attribute("begin"), inner.attribute("low")))
    shape = inner.operands[0].type.shape  # type: ignore[union-attr]
    if any(s is None or b < 0 or b + n > s for b, n, s in zip(begin, u.attribute("size"), shape)):
        return None
    return UOp.make("shrink", (inner.operands[0],), (begin, u.attribute("size")), u.type, u.loc)


@EARLY_MOVEMENT.rule("pad")
def pad_of_pad(u: UOp) -> UOp | None:
    """Paddings with one value add up."""
    inner = _source_if(u, "pad")
    if inner is None or not _static(u) or not _static(inner) or repr(inner.attribute("value")) != repr(u.attribute("value")):
        return None
    low = tuple(a + b for a, b in zip(inner.attribute("low"), u.attribute("low")))
    high = tuple(a + b for a, b in zip(inner.attribute("high"), u.attribute("high")))
    return UOp.make("pad", (inner.operands[0],), (low, high, u.attribute("value")), u.type, u.loc)


@EARLY_MOVEMENT.rule("contiguous")
def contiguous_of_contiguous(u: UOp) -> UOp | None:
    """Asked twice is asked once."""
    return _source_if(u, "contiguous")


@TARGETS.rule("assign")
def moved_target(u: UOp) -> UOp | None:
    """The target as memory of its own."""
    target, view, value = u.operands
    if target.name not in MOVEMENT:
        return None
    own = UOp.make("contiguous", (target,), (), None, target.loc)
    steps = []
    while view is not target and view.name in MOVEMENT:
        steps.append(view)
        view = view.operands[0]
    if view is not target:
        return None
    place = own
    for step in reversed(steps):
        place = step.with_operands((place, *step.operands[1:]))
    return UOp.make("assign", (own, place, value), (), None, u.loc)


@morok_pass("morok-early-movement-ops", form="tensor")
class EarlyMovementOps(Pass):
    """Composes chains of movement ops and drops those that change nothing."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            if any(u.name in EARLY_MOVEMENT.rules for u in body.order()):
                roots = body.roots
                if any(u.name == "assign" for u in body.order()):
                    roots = rewrite(roots, [TARGETS])
                roots = rewrite(roots, [EARLY_MOVEMENT])
                if roots != body.roots:
                    program.bodies[name] = body.with_roots(roots)

"""morok-merge-sibling-ends: stores in separate loops over equal extents share one loop nest.

    %e = morok.end(%s, %i)                      %e = morok.end(%s, %i)
    %f = morok.end(%t, %j)                =>    %f = morok.end(%t', %i)        %t' is %t with %i for %j
    morok.sink(%e, %f)                          morok.sink(%e, %f)

Only for outermost loops of the same extents and kinds, neither of which needs the other's stores, and whose buffers do not meet: none
reads what the other writes.
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp
from ..registry import KernelPass, morok_pass
from ..symbolic.ranges import open_ranges, replace_ranges


@morok_pass("morok-merge-sibling-ends", form="kernel")
class MergeSiblingEnds(KernelPass):
    """Stores over equal loops share them."""

    def rewrite(self, body: Body) -> Body:
        ends = [e for s in body.sinks if s.name == "sink" for e in s.operands if e.name == "end" and len(e.operands) > 1]
        if len(ends) < 2:
            return body
        replaced: dict[UOp, UOp] = {}
        leaders: dict[tuple, list[UOp]] = {}
        for end in ends:
            own = _ranges(end)
            if open_ranges(end) or any(r in replaced for r in own):
                continue
            same = leaders.setdefault(tuple((r.operands[0], r.attributes[1]) for r in own), [])
            leader = next((e for e in same if not set(own) & set(_ranges(e)) and _are_apart(e, end)), None)
            if leader is None or not _only_closed_by(own, end, ends):
                same.append(end)
            else:
                replaced.update(zip(own, _ranges(leader)))
        if not replaced:
            return body
        return body.with_roots(replace_ranges(body.roots, replaced, {r: (new,) for r, new in replaced.items()}))


def _ranges(end: UOp) -> list[UOp]:
    return sorted(end.operands[1:], key=lambda r: r.attributes[0])


def _only_closed_by(ranges: list[UOp], end: UOp, ends: list[UOp]) -> bool:
    return not any(set(ranges) & set(e.operands[1:]) for e in ends if e is not end)


def _are_apart(a: UOp, b: UOp) -> bool:
    """Whether neither needs the other and none reads what the other writes."""
    slices = [e.backward_slice() for e in (a, b)]
    if a in slices[1] or b in slices[0]:
        return False
    written = [{root_buffer(u.operands[0]) for u in s if u.name == "store"} for s in slices]
    read = [{root_buffer(u.operands[0]) for u in s if u.name == "load"} for s in slices]
    local = any(isinstance(x.type, T.MemRefType) and x.type.space for x in written[0] & written[1])
    return not (written[0] & read[1] or written[1] & read[0] or local)

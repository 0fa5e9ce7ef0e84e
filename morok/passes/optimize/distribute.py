"""Distribution: a loop round several stages becomes one loop for each of them, and their scratch gets an element for each iteration.

    for %i in 0..32                                  for %a in 0..32: scores[%a, 0..512] = ..
      scores[0..512] = ..                       =>   for %b in 0..32: exps[%b, 0..512] = exp(scores[%b, ..] - max of scores[%b, ..])
      exps[0..512] = exp(scores[..] - max ..)        for %i in 0..32: out[%i, ..] = sum of exps[%i, ..] * v
      out[%i, ..] = sum of exps[..] * v

Each loop is then a nest of its own, with rows to make a register tile of. Legal for the innermost loop that all stages share, for none of its iterations needs
another's scratch.
"""
from __future__ import annotations

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, toposort
from ..symbolic.flat import row_major
from ..symbolic.ranges import make_range, open_ranges

MOST_BYTES = 2 << 20
"""Of one stage's scratch with all iterations: it should stay in a core's L2."""


def stages_in(order: list[UOp], range_: UOp) -> list[UOp]:
    """The versions of scratch that are filled within an iteration of the range."""
    return [u for u in order if u.name == "after" and u.type.space == "local" and range_ in open_ranges(u)]  # type: ignore[union-attr]


def distribute(roots: tuple[UOp, ...], what: str, range_: UOp) -> tuple[UOp, ...]:
    """The roots with the loop over `range_` distributed over the stages within it."""
    order = toposort(roots)
    stages = stages_in(order, range_)
    if not stages:
        raise ScheduleError(f"{what}: no scratch is filled inside of the loop; there is nothing to distribute it over")
    extent = range_.operands[0].value
    if any(s.operands[0].name != "define_local" for s in stages):
        raise ScheduleError(f"{what}: scratch is filled in several steps")
    if any(u.name == "current" for u in order):
        raise ScheduleError(f"{what}: scratch is added to in an ordered loop")
    if any(s.type.nbytes * extent > MOST_BYTES for s in stages):  # type: ignore[union-attr]
        raise ScheduleError(f"{what}: scratch for all {extent} iterations would take more than {MOST_BYTES} bytes")
    return _Distribution(order, range_, stages).run(roots)


class _Distribution:
    def __init__(self, order: list[UOp], range_: UOp, stages: list[UOp]) -> None:
        self.range, self.extent = range_, range_.operands[0].value
        self.last = max(u.attributes[0] for u in order if u.name == "range")
        self.stages = set(stages)
        self.filled: dict[UOp, UOp] = {}
        """Each stage's new version, which no longer depends on the range."""
        for stage in stages:  # in the order in which they are needed
            self.filled[stage] = self._fill(stage)

    def run(self, roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
        new = self._rewrite(roots, {}, self.range)
        return tuple(new[r] for r in roots)

    def _new_range(self, like: UOp) -> UOp:
        self.last += 1
        return make_range(like.operands[0], self.last, like.attributes[1], like)

    def _fill(self, stage: UOp) -> UOp:
        buffer = stage.operands[0]
        own = self._new_range(self.range)
        inside = [u for u in toposort(stage.operands[1:]) if u.name in ("reduce", "end") and self.range in open_ranges(u)]
        closed = {r: None for u in inside for r in u.operands[1:] if r.name == "range" and not any(r in open_ranges(s) for s in self.stages)}
        fresh = {r: self._new_range(r) for r in sorted(closed, key=lambda r: r.attributes[0])}
        larger = UOp.make("define_local", (), buffer.attributes, T.memref((buffer.type.size * self.extent,), buffer.dtype, "local"),  # type: ignore[union-attr]
                          buffer.loc)
        new = self._rewrite(stage.operands[1:], {**fresh, self.range: own, buffer: larger}, own)
        effects = []
        for effect in stage.operands[1:]:
            done = new[effect]
            ranges = done.operands[1:] if done.name == "end" else ()
            effects.append(UOp.make("end", (done.operands[0] if done.name == "end" else done, own, *ranges)))
        return UOp.make("after", (larger, *effects), (), None, stage.loc)

    def _rewrite(self, roots: tuple[UOp, ...], values: dict[UOp, UOp], own: UOp) -> dict[UOp, UOp]:
        """The ops of one nest, in which the range is `own`; stages that it reads are taken as they are."""
        new: dict[UOp, UOp] = dict(values)
        stack = list(roots)
        while stack:
            u = stack[-1]
            if u in new:
                stack.pop()
                continue
            if u in self.stages:
                new[u] = self.filled[u]
                stack.pop()
                continue
            missing = [o for o in u.operands if o not in new]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            if u.name == "index" and self._is_larger(u.operands[0], new[u.operands[0]]):
                shape = u.operands[0].type.shape  # type: ignore[union-attr]
                place = own * u.operands[0].type.size + row_major([new[position] for position in u.operands[1:]], shape)  # type: ignore[union-attr]
                new[u] = UOp.make("index", (new[u.operands[0]], place), (), u.type, u.loc)
            else:
                new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
        return new

    def _is_larger(self, old: UOp, new: UOp) -> bool:
        return root_buffer(old).name == "define_local" and old.type is not new.type

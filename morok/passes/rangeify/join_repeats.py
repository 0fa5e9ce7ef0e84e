"""morok-join-repeats: repeats that carry the same as one. A derivative repeats a loop that carries something beside: rows that it keeps, tangents.

    repeated(repeat(v) {count = 10})              repeated(repeat(v, w) {count = 10}) {number = 0}
    repeated(repeat(v, w) {count = 10})    =>     repeated(repeat(v, w) {count = 10}) {number = 0}

Repeats that have a `carries` in common, run as often, stand in the same loops and do not need one another, carry together what both do. Without this pass
each runs by itself.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from ...graph.body import Body, Program
from ...graph.repetition import open_carried
from ...graph.uop import UOp, substitute, toposort
from ..registry import Pass, morok_pass


@morok_pass("morok-join-repeats", form="tensor")
class JoinRepeats(Pass):
    """Makes one repeat of those that carry the same values."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            program.bodies[name] = joined_repeats(body)


def joined_repeats(body: Body) -> Body:
    """The body with as few repeats as may be."""
    while True:
        order = body.order()
        loops = [u for u in order if u.name == "repeat"]
        if len(loops) < 2:
            return body
        inside = open_carried(order)
        pair = next(((a, b) for a, b in _alike(loops) if inside[a] == inside[b] and _are_independent(a, b)), None)
        if pair is None:
            return body
        body = replace(body, results=_with_one(body, pair))


def _alike(loops: Sequence[UOp]) -> Iterator[tuple[UOp, UOp]]:
    """Pairs with something carried in common that run as often."""
    for a, b in combinations(loops, 2):
        if not set(a.operands).isdisjoint(b.operands) and _runs(a) == _runs(b):
            yield a, b


def _runs(loop: UOp) -> tuple[int, UOp | None]:
    """How often a loop runs at most, and what says that it goes on."""
    count, *goes_on = loop.attributes
    return count, loop.operands[goes_on[0]] if goes_on else None


def _are_independent(a: UOp, b: UOp) -> bool:
    return a not in toposort((b,)) and b not in toposort((a,))


def _with_one(body: Body, pair: tuple[UOp, UOp]) -> tuple[UOp, ...]:
    """The body's results with one loop in the place of the two."""
    count, goes_on = _runs(pair[0])
    values = tuple(dict.fromkeys((*pair[0].operands, *pair[1].operands)))
    joined = UOp.make("repeat", values, (count,) if goes_on is None else (count, values.index(goes_on)), pair[0].type, pair[0].loc)
    new = {u: UOp.make("repeated", (joined,), (values.index(u.operands[0].operands[u.attribute("number")]),), u.type, u.loc)
           for u in body.order() if u.name == "repeated" and u.operands[0] in pair}
    return substitute(body.results, new)

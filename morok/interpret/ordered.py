"""The ordered loops of a body: what is in each, for an evaluation that goes iteration by iteration.

    end(store(index(b, i), add(load(index(current(b, r), i - 1)), x)), r)     loop r: all from `current` to the store
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..graph.uop import UOp


@dataclass(frozen=True)
class OrderedLoop:
    """`body` is what depends on the range, operands first; `ends` close it."""

    range: UOp
    body: tuple[UOp, ...]
    stores: tuple[UOp, ...]
    ends: tuple[UOp, ...]


class OrderedLoops:
    """`loops` has the loop of each end that closes an ordered range; `inside` all that such loops hold. They do not nest."""

    def __init__(self, order: Iterable[UOp]) -> None:
        order = list(order)
        self.loops: dict[UOp, OrderedLoop] = {}
        self.inside: set[UOp] = set()
        for r in [u for u in order if u.name == "range" and u.attribute("kind") == "ordered"]:
            depends, ends = {r}, []
            for u in order:
                if not depends.isdisjoint(u.operands):
                    if u.name == "end" and r in u.operands[1:]:
                        ends.append(u)
                    elif u.name != "range":
                        depends.add(u)
            stores = tuple(e.operands[0] for e in ends)
            depends.update(stores)
            loop = OrderedLoop(r, tuple(u for u in order if u in depends and u is not r), stores, tuple(ends))
            self.inside.update(loop.body)
            self.loops.update(dict.fromkeys(ends, loop))

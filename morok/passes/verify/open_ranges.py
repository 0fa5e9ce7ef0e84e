"""Which loops an op stands in: the ranges open round it, and those that are closed before it begins.

    %x = load(index(%a, %i, %r))       open: %i %r        closed before: none
    %m = reduce max %x, %r             open: %i           closed before: none
    %d = sub(load(index(%a, %i, %s)), %m)   open: %i %s   closed before: %r
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...graph.uop import UOp
from ..symbolic.ranges import CLOSING

Ranges = frozenset[UOp]
NONE: Ranges = frozenset()


@dataclass(frozen=True)
class Loops:
    """The ranges round an op's operands (`inside`), round its result (`open`), and those closed by what it reaches (`closed`, itself
    excepted)."""

    inside: Ranges
    open: Ranges
    closed: Ranges


def loops(order: Iterable[UOp]) -> dict[UOp, Loops]:
    """For each op of a topological order the loops it stands in."""
    found: dict[UOp, Loops] = {}
    closes: dict[UOp, Ranges] = {}
    for u in order:
        inside = NONE.union(*(found[o].open for o in u.operands))
        closed = NONE.union(*(closes[o] for o in u.operands))
        ending = NONE.union(*(found[o].open for o in u.operands[1:])) if u.name in CLOSING else NONE
        found[u] = Loops(inside, inside - ending | ({u} if u.name == "range" else NONE), closed)
        closes[u] = closed | ending
    return found

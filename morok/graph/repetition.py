"""Repeats of the tensor form: which ops belong to which.

    %c = carried %unique                          an iteration's %c is what the one before it gave as %y
    %y = f(%c, %a)                                once an iteration, for it depends on %c
    %l = repeat(%c, %initial, %y) {count = 10}    closes %c
    %r = repeated %l {number = 0}                 once, after the last
"""
from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..errors import IRError
from .tensor_graph import TensorUOp
from .uop import UOp

ENDS: weakref.WeakKeyDictionary[TensorUOp, weakref.WeakSet[TensorUOp]] = weakref.WeakKeyDictionary()
"""Of each repeat of the lazy graph the repeated values that somebody has: whoever computes one computes all."""
NOTHING: frozenset[UOp] = frozenset()


class Parts(NamedTuple):
    """The operands of a repeat, each in order."""

    carried: tuple[UOp, ...]
    initial: tuple[UOp, ...]
    following: tuple[UOp, ...]


def parts_of(repeat: UOp) -> Parts:
    n = len(repeat.operands) // 3
    return Parts(repeat.operands[:n], repeat.operands[n:2 * n], repeat.operands[2 * n:])


def open_carried(order: Iterable[UOp]) -> dict[UOp, frozenset[UOp]]:
    """For each op of a topological order, the carried values that it depends on and that no repeat has closed. IRError for a repeat whose initial
    values depend on its own carried ones, or that closes what is not carried."""
    found: dict[UOp, frozenset[UOp]] = {}
    for u in order:
        if u.name == "carried":
            found[u] = frozenset((u,))
            continue
        inside = NOTHING
        for o in u.operands:
            below = found.get(o)  # what lies behind a buffer is not in the order
            if below and below is not inside:
                inside = inside | below if inside else below
        if u.name == "repeat":
            carried, initial, _ = parts_of(u)
            if any(c.name != "carried" for c in carried) or any(not found[i].isdisjoint(carried) for i in initial):
                raise IRError(f"{_where(u)} closes values that are not carried, or begins with its own carried values")
            inside = inside.difference(carried)
        found[u] = inside
    return found


def computed_along(order: Sequence[TensorUOp]) -> list[TensorUOp]:
    """The repeated values, whoever has them, of all repeats in a topological order that nothing is round."""
    loops = [u for u in order if u.name == "repeat"]
    if not loops:
        return []
    inside = open_carried(order)
    return [end for loop in loops if not inside[loop] for end in ENDS.get(loop, ())]


def check_closed(results: Iterable[UOp], known: Mapping[UOp, frozenset[UOp]]) -> None:
    """IRError where a result depends on a carried value that no repeat has closed."""
    for r in results:
        if known[r]:
            raise IRError(f"{_where(next(iter(known[r])))} has a value in each iteration of its loop alone; what the loop's body makes of it is to be had "
                          "by what the body returns")


def body_of(repeat: UOp, order: Sequence[UOp], known: Mapping[UOp, frozenset[UOp]]) -> list[UOp]:
    """What each iteration computes, operands first: all that the next values reach and that depends on the carried ones."""
    carried, _, following = parts_of(repeat)
    own = frozenset(carried)
    seen: set[UOp] = set()
    stack = [u for u in following if not known[u].isdisjoint(own)]
    while stack:
        u = stack.pop()
        if u not in seen:
            seen.add(u)
            stack += [o for o in u.operands if not known[o].isdisjoint(own)]
    return [u for u in order if u in seen and u not in own]


def _where(u: UOp) -> str:
    return f"{u.loc[0]}:{u.loc[1]}: morok.{u.name}" if u.loc is not None else f"morok.{u.name}"

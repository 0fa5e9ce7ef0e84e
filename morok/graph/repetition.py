"""Repeats of the tensor form: which ops belong to which.

    %c = carried %unique                          an iteration's %c is what the one before it gave as %y
    %y = f(%c, %a)                                once an iteration, for it depends on %c
    %v = carries(%c, %initial, %y)
    %l = repeat(%v) {count = 10}                  closes %c
    %r = repeated %l {number = 0}                 once, after the last
"""
from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..dialect import types as T
from ..errors import IRError
from .tensor_graph import TensorUOp
from .uop import UOp

ENDS: weakref.WeakKeyDictionary[TensorUOp, weakref.WeakSet[TensorUOp]] = weakref.WeakKeyDictionary()
"""Of each repeat of the lazy graph the repeated values that somebody has: whoever computes one computes all."""
NOTHING: frozenset[UOp] = frozenset()


class Parts(NamedTuple):
    """What a repeat carries, each in order, and which of it says whether to go on."""

    carried: tuple[UOp, ...]
    initial: tuple[UOp, ...]
    following: tuple[UOp, ...]
    times: int
    goes_on: int | None


def parts_of(repeat: UOp) -> Parts:
    """IRError for operands that are no `carries` of carried values, and for a condition that is no bool."""
    if any(v.name != "carries" or v.operands[0].name != "carried" for v in repeat.operands):
        raise IRError(f"{_where(repeat)} takes morok.carries of morok.carried values")
    carried, initial, following = (tuple([v.operands[k] for v in repeat.operands]) for k in range(3))
    goes_on = repeat.attributes[1] if len(repeat.attributes) > 1 else None
    if goes_on is not None and carried[goes_on].type is not T.tensor((), T.bool_):
        raise IRError(f"{_where(repeat)} goes on while a value of type {carried[goes_on].type} is true; it must be a bool without axes")
    return Parts(carried, initial, following, repeat.attributes[0], goes_on)


def open_carried(order: Iterable[UOp]) -> dict[UOp, frozenset[UOp]]:
    """For each op of a topological order, the carried values that it depends on and that no repeat has closed. IRError for a repeat whose initial
    values depend on its own carried ones."""
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
            carried, initial = parts_of(u)[:2]
            if any(not found[i].isdisjoint(carried) for i in initial):
                raise IRError(f"{_where(u)} begins with its own carried values")
            inside = inside.difference(carried)
        found[u] = inside
    return found


def is_of_an_iteration(u: TensorUOp) -> bool:
    """Whether a value is made of carried ones of a loop that is being built, and not only of what loops leave."""
    stack = [u]
    while stack:
        node = stack[-1]
        if _of_an_iteration(node) is not None:
            stack.pop()
            continue
        missing = [o for o in node.operands if _of_an_iteration(o) is None]
        if missing:
            stack += missing
            continue
        stack.pop()
        node.facts = {**(node.facts or {}), "of an iteration": any(_of_an_iteration(o) for o in node.operands)}
    return bool(_of_an_iteration(u))


def _of_an_iteration(u: TensorUOp) -> bool | None:
    if u.name in ("buffer", "const", "iota", "carried", "repeated"):
        return u.name == "carried"
    return u.facts.get("of an iteration") if u.facts else None


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
    carried, _, following = parts_of(repeat)[:3]
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

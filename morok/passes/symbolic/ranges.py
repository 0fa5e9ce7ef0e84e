"""Ranges of a body: which loops an op is in, and rewriting of ranges together with the ops that close them.

An op is in the loops of the ranges that it reaches; `reduce`, `carry`, `end` and `bufferize` close theirs.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...graph.uop import UOp, toposort
from ..facts import remember

CLOSING = frozenset(("reduce", "carry", "end", "bufferize"))
"""Ops that close the ranges of all operands but the first."""


def open_ranges(u: UOp) -> frozenset[UOp]:
    """The ranges whose loops the op is in, kept with it; of a closing op, the ranges that it leaves open."""
    facts = u.facts
    if facts is not None and (known := facts.get("open")) is not None:
        return known
    if u.name == "range":  # not kept: a set within its own member would be a cycle
        extent = u.operands[0]
        return frozenset((u,)) if extent.name == "const" else open_ranges(extent) | {u}
    stack = [u]
    while stack:  # as `recall`, which would take twice as long: no other fact is asked for so often
        node = stack[-1]
        found, complete = _NONE, True
        for operand in node.operands:
            facts = operand.facts
            more = facts.get("open") if facts is not None else None
            if more is None:
                if operand.name != "range":
                    stack.append(operand)
                    complete = False
                    continue
                more = open_ranges(operand)
            if complete and more is not found and not more <= found:
                found = found | more if found else more
        if complete:
            stack.pop()
            if node.name in CLOSING:
                found = open_ranges(node.operands[0]) - closed_ranges(node)
            remember(node, "open", found)
    return found


_NONE: frozenset[UOp] = frozenset()


def open_ranges_of(order: Iterable[UOp]) -> dict[UOp, frozenset[UOp]]:
    """`open_ranges` of each op of a topological order, for one who needs them all once: nothing is kept with the ops, which takes a third of the time."""
    found: dict[UOp, frozenset[UOp]] = {}
    for u in order:
        if u.name in CLOSING:
            live = found[u.operands[0]] - closed_ranges(u)
        else:
            live = _NONE
            for o in u.operands:
                more = found[o]
                if more is not live and not more <= live:
                    live = live | more if live else more
            if u.name == "range":
                live = live | {u}
        found[u] = live
    return found


def closed_ranges(u: UOp) -> frozenset[UOp]:
    """The ranges that a closing op closes: those in its range list or, for bufferize, in its indices."""
    if u.name != "bufferize":
        return frozenset(r for r in u.operands[1:] if r.name == "range")
    found = _NONE
    for operand in u.operands[1:]:
        found |= open_ranges(operand)
    return found


def ranges_of(order: Iterable[UOp]) -> list[UOp]:
    """The ranges among the ops, in loop order."""
    return sorted((u for u in order if u.name == "range"), key=lambda r: r.attributes[0])


def make_range(extent: UOp, id: int, kind: str, like: UOp | None = None) -> UOp:
    return UOp.make("range", (extent,), (id, kind), None, like.loc if like is not None else None)


def replace_ranges(roots: tuple[UOp, ...], values: Mapping[UOp, UOp], loops: Mapping[UOp, Sequence[UOp]]) -> tuple[UOp, ...]:
    """The roots with each range of `values` replaced by an expression; in the lists of reduce and end, by the ranges `loops[range]`.

    A reduce or end whose list becomes empty is its operand. A range in no list twice.
    """
    new: dict[UOp, UOp] = {}
    for node in toposort(roots):
        if node in values:
            new[node] = values[node]
        elif node.name in ("reduce", "end"):
            new[node] = _closed_over(node, new, loops)
        else:
            new[node] = node.with_operands(tuple([new[o] for o in node.operands])) if node.operands else node
    return tuple(new[r] for r in roots)


def _closed_over(node: UOp, new: dict[UOp, UOp], loops: Mapping[UOp, Sequence[UOp]]) -> UOp:
    listed: dict[UOp, None] = {}
    for r in node.operands[1:]:
        for replacement in loops[r] if r in loops else (new[r],):
            if replacement.name == "range":
                listed[replacement] = None
    return node.with_operands((new[node.operands[0]], *listed)) if listed else new[node.operands[0]]


def renumbered(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The roots with ids of ranges dense from 0, in the order that they have."""
    found = ranges_of(toposort(roots))
    if all(r.attributes[0] == i for i, r in enumerate(found)):
        return roots
    values = {r: make_range(r.operands[0], i, r.attributes[1], r) for i, r in enumerate(found)}
    return replace_ranges(roots, values, {r: (values[r],) for r in found})

"""Reverse mode over the lazy graph: cotangents from outputs back to the values that they were made of.

    cotangents([loss], [one], [w, b])      d loss / d w and d loss / d b, as graphs; None for what loss does not depend on

Realised values are walked through by what they were made of (`graph/derivation.py`), so that it does not matter when something is realised. The
results are ordinary values of the graph: they can be differentiated again.
"""
from __future__ import annotations

from collections.abc import Collection, Sequence

from ...errors import GradientError
from ...graph.derivation import CUSTOM, CUT, HOOKS, ORIGINS, RELEASED, before_loop, hooked, predecessors, release
from ...graph.tensor_graph import GRAPH, TensorUOp
from . import scattered as scattered  # its rules
from .checkpointing import Recomputation
from .loops import pulled_through
from .rules import RULES, Cotangents
from .sums import passes_terms, total


def cotangents(outputs: Sequence[TensorUOp], given: Sequence[TensorUOp], targets: Sequence[TensorUOp], ends: Collection[TensorUOp] = (),
               retain: bool = True) -> list[TensorUOp | None]:
    """What reaches each target when `given` reaches the outputs. Nothing is looked for behind `ends`.

    With `retain` False, how the values between were derived is forgotten. GradientError where it has been forgotten, or where an op has no derivative.
    """
    with GRAPH.lock:
        order = between(outputs, targets, ends)
        wanted, stops = set(targets), set(ends)
        reached: dict[TensorUOp, list[TensorUOp]] = {}
        of_loops: dict[TensorUOp, dict[int, TensorUOp]] = {}
        found: dict[TensorUOp, TensorUOp] = {}
        again = Recomputation()
        for u, g in zip(outputs, given):
            reached.setdefault(u, []).append(g)
        for u in reversed(order):
            if u.name == "repeat":
                for behind, reaching in pulled_through(u, of_loops.pop(u), order.members, wanted | stops) if u in of_loops else ():
                    reached.setdefault(behind, []).append(reaching)
                continue
            parts = reached.pop(u, None)
            if parts is None:
                continue
            if u in HOOKS:
                parts = [hooked(HOOKS[u], total(parts))]
            if u in wanted:
                parts = [total(parts)]
                found[u] = parts[0]
            if u in stops:
                continue
            if u in order.loops:
                of_loops.setdefault(order.loops[u], {})[u.attributes[0]] = total(parts)
                continue
            for cotangent in parts if passes_terms(u, parts) else [total(parts)]:
                for operand, part in zip(predecessors(u), vector_jacobian_product(u, cotangent, again)):
                    if part is not None and operand in order.members and operand.dtype.is_float:
                        reached.setdefault(operand, []).append(part)
        if not retain:
            release([u for u in order if u not in stops])
        return [found.get(t) for t in targets]


def values_behind(outputs: Sequence[TensorUOp], ends: Collection[TensorUOp]) -> list[TensorUOp]:
    """Those of `ends` that the outputs were made of, in the order in which they are met."""
    found: dict[TensorUOp, None] = {}
    seen: set[TensorUOp] = set()
    stack = list(reversed(outputs))
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        if u in ends:
            found[u] = None
        else:
            stack += reversed(_before(u))
    return list(found)


def _before(u: TensorUOp) -> tuple[TensorUOp, ...]:
    before = predecessors(u)
    if not before and u in RELEASED:
        raise GradientError("a value on the way was realised, and how it was made has been forgotten by an earlier backward(); give that retain_graph=True")
    if not before and u in CUT:
        raise GradientError("a value on the way was computed by a function that morok.jit captured, which keeps no derivatives: call backward() or morok.grad "
                            "inside of the captured function, or detach() the value")
    return before


def vector_jacobian_product(u: TensorUOp, g: TensorUOp, again: Recomputation) -> Cotangents:
    """What reaches the predecessors of a value."""
    if u in ORIGINS:
        return (g,)
    custom = CUSTOM.get(u)
    if custom is not None:
        return custom.rule(g)
    rule = RULES.get(u.name)
    return (None,) * len(u.operands) if rule is None else rule(again.of(u, g), g)


class Order(list[TensorUOp]):
    """Values, operands first, with the set of them, and the loop of each value that a loop leaves."""

    members: set[TensorUOp]
    loops: dict[TensorUOp, TensorUOp]


def between(outputs: Sequence[TensorUOp], targets: Sequence[TensorUOp], ends: Collection[TensorUOp]) -> Order:
    """The values that the outputs reach and that reach a target, what they are made of first."""
    wanted, stops = set(targets), set(ends)
    depends: dict[TensorUOp, bool] = {}
    found = Order()
    found.loops = {}
    stack = list(outputs)
    while stack:
        u = stack[-1]
        if u in depends:
            stack.pop()
            continue
        if u in stops:
            before: tuple[TensorUOp, ...] = ()
        elif u.name == "repeat":
            before = before_loop(u, wanted | stops)
        else:
            before = predecessors(u) if u in wanted else _before(u)
        missing = [p for p in before if p not in depends]
        if missing:
            stack += missing
            continue
        stack.pop()
        depends[u] = u in wanted or any(depends[p] for p in before)
        if depends[u]:
            found.append(u)
            if before and u.name == "repeated":
                found.loops[u], = before
    found.members = set(found)
    return found

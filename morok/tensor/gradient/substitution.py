"""A graph over again with other values in the places of some: what an iteration's values make of those of another iteration.

    substituted([f(c)], {c: rows[t]})      [f(rows[t])]

Derivatives in closed form go with the values.
"""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...graph.captured_values import dependencies, reads_of
from ...graph.derivation import CUSTOM, Custom
from ...graph.tensor_graph import GRAPH, TensorUOp
from .. import build


def substituted(roots: Sequence[TensorUOp], given: Mapping[TensorUOp, TensorUOp]) -> list[TensorUOp]:
    """The roots, made of the given values instead of those that they stand for."""
    with GRAPH.lock:
        made = dict(given)
        changed = dependencies(given.keys(), roots)
        stack = [u for u in reversed(roots) if u in changed]
        while stack:
            u = stack[-1]
            if u in made:
                stack.pop()
                continue
            if u.name == "repeat" and any(v.operands[0] in given for v in u.operands):
                made[u] = _closing(u, given)
                continue
            missing = [o for o in reads_of(u) if o in changed and o not in made]
            if missing:
                stack += missing
                continue
            stack.pop()
            made[u] = _over_again(u, made, given)
        return [made.get(u, u) for u in roots]


def _closing(loop: TensorUOp, given: Mapping[TensorUOp, TensorUOp]) -> TensorUOp:
    """A loop that carries some of what is replaced, and depends on the rest."""
    own = [v.operands[0] for v in loop.operands]
    others = {u: v for u, v in given.items() if u not in own}
    again = substituted([o for v in loop.operands for o in v.operands[1:]], others)
    values = tuple([build.op("carries", three) for three in zip(own, again[::2], again[1::2])])
    return build.op("repeat", values, loop.attributes)


def _over_again(u: TensorUOp, made: Mapping[TensorUOp, TensorUOp], given: Mapping[TensorUOp, TensorUOp]) -> TensorUOp:
    operands = tuple([made.get(o, o) for o in u.operands])
    if u.name == "repeated":
        return build.end_of_repeat(operands[0], u.attributes[0], u.type)
    again = build.op(u.name, operands, u.attributes, u.type)
    custom = CUSTOM.get(u)
    if custom is None:
        return again
    value = TensorUOp.stand_alone(again) if u.name == "reshape" else again
    CUSTOM[value] = Custom(tuple([made.get(o, o) for o in custom.inputs]), _rule_for(custom, dict(given)))
    return value


def _rule_for(custom: Custom, given: Mapping[TensorUOp, TensorUOp]):  # type: ignore[no-untyped-def]
    def reach(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
        parts = custom.rule(g)
        again = iter(substituted([p for p in parts if p is not None], given))
        return tuple([None if p is None else next(again) for p in parts])
    return reach


def reached_among(values: Collection[TensorUOp], roots: Sequence[TensorUOp]) -> set[TensorUOp]:
    """Those of the values that the roots are made of."""
    behind = dependencies(values, roots)
    return {v for u in roots for v in behind.get(u, ())}

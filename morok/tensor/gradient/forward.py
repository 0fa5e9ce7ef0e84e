"""Forward mode over the lazy graph: tangents of values on to what is made of them.

    tangents_of([y], {x: dx})      the derivative of y along dx, as a graph; None for what does not depend on x

A linear op is applied to tangents as it was to values. What another does is its rule of reverse mode transposed: that is linear in what reaches the op, so
its own derivative takes tangents of operands to the tangent of the result. A loop carries tangents beside its values.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from ...graph.captured_values import captured_by
from ...graph.derivation import CUSTOM, ORIGINS, Custom
from ...graph.repetition import parts_of
from ...graph.tensor_graph import GRAPH, TensorUOp
from .. import build
from .reverse import between, cotangents
from .rules import RULES, Cotangents, like, moved_as
from .sums import PRODUCTS, total

Tangents = dict[TensorUOp, list[TensorUOp]]
"""Of each value the terms of its tangent: those of a product are summed one by one, as products are."""
NOWHERE = Custom((), lambda g: ())
OF_ONE = frozenset(("neg", "cast", "reshape", "permute", "expand", "pad", "shrink", "flip", "contiguous", "copy"))
"""Linear ops of one tensor."""


def tangents_of(outputs: Sequence[TensorUOp], given: Mapping[TensorUOp, TensorUOp], ends: Collection[TensorUOp] = ()) -> list[TensorUOp | None]:
    """The outputs' derivatives along the tangents that values are given. Nothing is looked for behind `ends`."""
    with GRAPH.lock:
        order = between(outputs, list(given), ends)
        found: Tangents = {u: [t] for u, t in given.items()}
        of_loops: dict[TensorUOp, dict[int, TensorUOp]] = {}
        for u in order:
            if u in given:
                continue
            if u.name == "repeat":
                of_loops[u] = _beside(u, found, {*given, *ends})
            elif u in order.loops:
                number = u.attributes[0]
                of_loop = of_loops[order.loops[u]]
                if number in of_loop:
                    found[u] = [of_loop[number]]
            elif u.dtype.is_float and (terms := _pushed(u, found)):
                found[u] = terms
        return [total(found[u]) if u in found else None for u in outputs]


def _pushed(u: TensorUOp, found: Tangents) -> list[TensorUOp]:
    origin = ORIGINS.get(u)
    if origin is not None:
        return found.get(origin, [])
    custom = CUSTOM.get(u)
    if custom is not None:
        return _transposed(u, lambda u, g: custom.rule(g), custom.inputs, found)
    if u.name in OF_ONE or u.name in ("reduce_axis", "scan") and u.attributes[0] == "add":
        terms = found.get(u.operands[0], [])
        if len(terms) > 1 and not any(t.name in PRODUCTS for t in terms):
            terms = [total(terms)]
        terms = [_same_op(u, t) for t in terms]
        return [total(terms)] if len(terms) > 1 and u.name == "reduce_axis" else terms
    linear = LINEAR.get(u.name)
    if linear is not None and (u.name != "scatter" or u.attributes[0] in ("add", "set")):
        parts = [total(found[o]) if o in found else None for o in u.operands]
        return [] if all(p is None for p in parts) else [linear(u, parts)]
    if u.name == "scan" and u.attributes[0] == "logaddexp":
        return [_shares_of_earlier(u, total(found[u.operands[0]]))] if u.operands[0] in found else []
    rule = RULES.get(u.name)
    terms = [] if rule is None else _transposed(u, rule, u.operands, found)
    return terms if u.name == "mul" or len(terms) < 2 else [total(terms)]


def _same_op(u: TensorUOp, t: TensorUOp) -> TensorUOp:
    attributes = (*u.attributes[:2], 0.0) if u.name == "pad" else u.attributes
    return build.op(u.name, (t, *u.operands[1:]), attributes, u.type if u.name == "cast" else None)


def _transposed(u: TensorUOp, rule: Callable[[TensorUOp, TensorUOp], Cotangents], operands: Sequence[TensorUOp], found: Tangents) -> list[TensorUOp]:
    """One term for each operand that has a tangent."""
    moving = [(n, o) for n, o in enumerate(operands) if o in found and o.dtype.is_float]
    if not moving:
        return []
    seed = TensorUOp.stand_alone(like(u, 0.0))
    CUSTOM[seed] = NOWHERE  # movement ops that simplify what they are given do not reach behind it
    parts = rule(u, seed)
    terms = []
    for n, o in moving:
        part = parts[n]
        if part is not None:
            term, = cotangents([part], [total(found[o])], [seed], {seed, u, *operands, *u.operands})
            terms += [] if term is None else [term]
    return terms


# Linear ops of several tensors

def _or_zeros(part: TensorUOp | None, u: TensorUOp) -> TensorUOp:
    return like(u, 0.0) if part is None else part


def _added(u: TensorUOp, parts: Sequence[TensorUOp | None]) -> TensorUOp:
    return total([p for p in parts if p is not None])


def _subtracted(u: TensorUOp, parts: Sequence[TensorUOp | None]) -> TensorUOp:
    x, y = parts
    if y is None:
        assert x is not None
        return x
    return build.alu("neg", y) if x is None else build.alu("sub", x, y)


def _chosen(u: TensorUOp, parts: Sequence[TensorUOp | None]) -> TensorUOp:
    return build.alu("where", u.operands[0], *(_or_zeros(p, u) for p in parts[1:]))


def _scattered(u: TensorUOp, parts: Sequence[TensorUOp | None]) -> TensorUOp:
    target, positions, value = u.operands
    return build.scatter(_or_zeros(parts[0], target), positions, _or_zeros(parts[2], value), u.attributes[0])


def _assigned(u: TensorUOp, parts: Sequence[TensorUOp | None]) -> TensorUOp:
    target, view, value = u.operands
    whole = build.op("contiguous", (_or_zeros(parts[0], target),))
    return build.op("assign", (whole, moved_as(view, target, whole), _or_zeros(parts[2], value)))


LINEAR: dict[str, Callable[[TensorUOp, Sequence[TensorUOp | None]], TensorUOp]] = {
    "add": _added, "sub": _subtracted, "where": _chosen, "scatter": _scattered, "assign": _assigned}


# Cumulative sums in logarithms, whose rule of reverse mode is no op of what reaches them that could be transposed

def _shares_of_earlier(u: TensorUOp, t: TensorUOp) -> TensorUOp:
    """The sums of exp(x) t up to each element, divided by exp(u); in logarithms, of positive and negative tangents apart, so that nothing overflows."""
    x, zero = u.operands[0], like(u, 0.0)
    parts = []
    for h in (t, build.alu("neg", t)):
        positive = build.alu("cmplt", zero, h)
        low = build.alu("where", positive, build.alu("add", x, build.alu("log", build.alu("where", positive, h, like(u, 1.0)))), like(u, -math.inf))
        parts.append(build.alu("exp", build.alu("sub", build.scan(low, *u.attributes), u)))
    return build.alu("sub", *parts)


# Loops

def _beside(loop: TensorUOp, found: Tangents, ends: Collection[TensorUOp]) -> dict[int, TensorUOp]:
    """The tangents of what a loop carries after the last iteration, by number: of the loop that carries them beside its values."""
    parts = parts_of(loop)
    carried, initial, following = ([u for u in uops if isinstance(u, TensorUOp)] for uops in parts[:3])
    outside = captured_by(loop, ends)
    captured = {u: total(found[u]) for u in outside if u in found}
    received = {k: build.carried(c) for k, c in enumerate(carried) if c.dtype.is_float}
    moving = {k for k, i in enumerate(initial) if i in found and k in received}
    while True:
        after = tangents_of(following, captured | {carried[k]: received[k] for k in moving}, {*carried, *outside})
        more = {k for k, t in enumerate(after) if t is not None and k in received} - moving
        if not more:
            break
        moving |= more
    values = list(loop.operands)
    for k in sorted(moving):
        begin = total(found[initial[k]]) if initial[k] in found else like(carried[k], 0.0)
        values.append(build.op("carries", (received[k], begin, _or_zeros(after[k], carried[k]))))
    wider = build.op("repeat", tuple(values), loop.attributes)
    return {k: build.end_of_repeat(wider, len(carried) + n, carried[k].type) for n, k in enumerate(sorted(moving))}

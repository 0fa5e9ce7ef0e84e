"""A graph of one example as the graph of all: each op that depends on a stand-in is made over again by its batching rule.

    batched([y], {x: xs}, 8)      y was made of x; xs has a first axis of 8 examples of x. Gives [ys]; None for what does not depend on x
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...dialect import types as T
from ...errors import VmapError
from ...graph.derivation import CUSTOM
from ...graph.registries import STAND_INS
from ...graph.repetition import parts_of
from ...graph.tensor_graph import GRAPH, TensorUOp, device_of, new_buffer
from ...graph.uop import UOp
from .. import build
from ..closed_form import with_rule
from ..gradient.checkpointing import REGIONS, regions_over_again
from ..sizes import Size
from ..tracing import stand_in
from .rules import BATCHING, repeated


def batched(outputs: Sequence[TensorUOp], sources: Mapping[TensorUOp, TensorUOp], size: Size) -> list[TensorUOp | None]:
    """What the outputs are for all examples. VmapError for an op without a rule."""
    with GRAPH.lock:
        made: dict[TensorUOp, TensorUOp | None] = dict(sources)
        stack = list(reversed(outputs))
        while stack:
            u = stack[-1]
            if u in made:
                stack.pop()
                continue
            before = _before(u)
            missing = [o for o in before if o not in made]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            made[u] = None if all(made[o] is None for o in before) else _over_again(u, made, sources, size)
        if REGIONS:
            regions_over_again(made)
        return [made[u] for u in outputs]


def _before(u: TensorUOp) -> tuple[TensorUOp, ...]:
    custom = CUSTOM.get(u)
    if u.name == "repeat":  # what is carried is a loop's own: `_repeat` makes it over again
        parts = parts_of(u)
        return tuple(_handles((*parts.initial, *parts.following)))
    return u.operands if custom is None else (*u.operands, *custom.inputs)


def _over_again(u: TensorUOp, made: Mapping[TensorUOp, TensorUOp | None], sources: Mapping[TensorUOp, TensorUOp], size: Size) -> TensorUOp:
    if u.name == "repeat":
        return _repeat(u, made, sources, size)
    if u.name == "repeated":
        loop = made[u.operands[0]]
        assert loop is not None
        number = u.attributes[0]
        carried = parts_of(loop).carried[number]
        assert isinstance(carried, TensorUOp)
        return build.end_of_repeat(loop, number, carried.type)
    rule = BATCHING.get(u.name)
    if rule is None:
        raise VmapError(f"vmap: there is no batching rule for morok.{u.name}; call the function on each example, and stack the results")
    operands = tuple(_example_by_example(o, made[o], size) for o in u.operands if isinstance(o.type, T.TensorType))
    result = rule(u, operands, size)
    return result if u not in CUSTOM else _with_custom_derivative(u, result, made, sources, size)


def _example_by_example(u: TensorUOp, all_of_them: TensorUOp | None, size: Size) -> TensorUOp:
    return repeated(u, size) if all_of_them is None else all_of_them


def _repeat(u: TensorUOp, made: Mapping[TensorUOp, TensorUOp | None], sources: Mapping[TensorUOp, TensorUOp], size: Size) -> TensorUOp:
    """A loop that carries all examples. Where a carried bool tells how long it runs, it runs as long as any does; what is done keeps its values."""
    parts = parts_of(u)
    old, initial, following, goes_on = _handles(parts.carried), _handles(parts.initial), _handles(parts.following), parts.goes_on
    begin = [_example_by_example(i, made[i], size) for i in initial]
    carried = [build.carried(i) for i in begin]
    inner = batched(following, {**sources, **dict(zip(old, carried))}, size)
    after = [_example_by_example(f, whole, size) for f, whole in zip(following, inner)]
    if goes_on is not None:
        runs = carried[goes_on]
        after = [build.alu("where", _beside(runs, c), a, c) for a, c in zip(after, carried)]
        begin.append(build.reduce(begin[goes_on], "or", (0,)))
        after.append(build.reduce(after[goes_on], "or", (0,)))
        carried.append(build.carried(begin[-1]))
        goes_on = len(old)
    return build.repeat_of(carried, begin, after, parts.times, goes_on)


def _handles(uops: Sequence[UOp]) -> list[TensorUOp]:
    return [u for u in uops if isinstance(u, TensorUOp)]


def _beside(u: TensorUOp, other: TensorUOp) -> TensorUOp:
    """A number for each example, for each element of the example."""
    shape = build.shape_of(other)
    return build.expand(build.reshape(u, (shape[0], *(1 for _ in shape[1:]))), shape)


def _with_custom_derivative(u: TensorUOp, result: TensorUOp, made: Mapping[TensorUOp, TensorUOp | None], sources: Mapping[TensorUOp, TensorUOp],
                            size: Size) -> TensorUOp:
    """The derivative in closed form goes with the value: its rule is one of one example, too."""
    custom = CUSTOM[u]
    inputs = tuple((made[o] or o) for o in custom.inputs)
    single = [made[o] is None for o in custom.inputs]
    known = dict(sources)

    def reach(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
        one = stand_in_of(g, device_of(g))
        parts = custom.rule(one)
        given = [p for p in parts if p is not None]
        found = iter(zip(given, batched(given, {**known, one: g}, size)))
        result: list[TensorUOp | None] = []
        for part, shared in zip(parts, single):
            if part is None:
                result.append(None)
                continue
            whole = _example_by_example(*next(found), size)
            result.append(build.reduce(whole, "add", (0,)) if shared else whole)
        return tuple(result)
    return with_rule(result, inputs, reach)


def stand_in_of(u: TensorUOp, device: str) -> TensorUOp:
    """A value that stands for any one of the examples along the first axis."""
    t = u.type
    assert isinstance(t, T.TensorType)
    shape = build.shape_of(u)[1:]
    with GRAPH.lock:
        if None not in t.shape[1:]:
            found = buffer = new_buffer(T.tensor(t.shape[1:], t.dtype), device)
        else:
            sample = build.reshape(build.shrink(u, (0,) * (len(shape) + 1), (1, *shape)), shape)
            buffer, view = stand_in(sample, device)
            found = build.op("contiguous", (view,))  # of its own: movements that simplify what they are given do not reach behind it
        STAND_INS.update((found, buffer))
    return found

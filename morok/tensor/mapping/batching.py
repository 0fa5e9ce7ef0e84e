"""A graph of one example as the graph of all: each op that depends on a stand-in is made over again by its batching rule.

    batched([y], {x: xs}, 8)      y was made of x; xs has a first axis of 8 examples of x. Gives [ys]; None for what does not depend on x
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...dialect import types as T
from ...errors import VmapError
from ...graph.derivation import CUSTOM
from ...graph.registries import STAND_INS
from ...graph.repetition import parts_of
from ...graph.tensor_graph import GRAPH, TensorUOp, device_of, new_buffer, new_carried
from ...graph.uop import UOp
from .. import build
from ..closed_form import with_rule
from ..gradient.checkpointing import REGIONS, regions_over_again
from ..sizes import Size
from ..tracing import stand_in
from .rules import BATCHING, repeated

Fresh = dict[tuple[TensorUOp, T.Type], TensorUOp]
"""What loops carry of all examples for what they carry of one: loops that carried the same do so again."""


def batched(outputs: Sequence[TensorUOp], sources: Mapping[TensorUOp, TensorUOp], size: Size, fresh: Fresh | None = None) -> list[TensorUOp | None]:
    """What the outputs are for all examples. VmapError for an op without a rule."""
    with GRAPH.lock:
        fresh = {} if fresh is None else fresh
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
            made[u] = None if all(made[o] is None for o in before) else _over_again(u, made, sources, size, fresh)
        if REGIONS:
            regions_over_again(made)
        return [made[u] for u in outputs]


def _before(u: TensorUOp) -> tuple[TensorUOp, ...]:
    custom = CUSTOM.get(u)
    if u.name == "repeat":  # what is carried is a loop's own: `_repeat` makes it over again
        parts = parts_of(u)
        return tuple(_handles((*parts.initial, *parts.following)))
    return u.operands if custom is None else (*u.operands, *custom.inputs)


def _over_again(u: TensorUOp, made: Mapping[TensorUOp, TensorUOp | None], sources: Mapping[TensorUOp, TensorUOp], size: Size,
                fresh: Fresh) -> TensorUOp:
    if u.name == "repeat":
        return _repeat(u, made, sources, size, fresh)
    if u.name == "repeated":
        return _repeated(u, made[u.operands[0]], size)
    rule = BATCHING.get(u.name)
    if rule is None:
        raise VmapError(f"vmap: there is no batching rule for morok.{u.name}; call the function on each example, and stack the results")
    operands = tuple(_example_by_example(o, made[o], size) for o in u.operands if isinstance(o.type, T.TensorType))
    result = rule(u, operands, size)
    return result if u not in CUSTOM else _with_custom_derivative(u, result, made, sources, size)


def _example_by_example(u: TensorUOp, all_of_them: TensorUOp | None, size: Size) -> TensorUOp:
    return repeated(u, size) if all_of_them is None else all_of_them


def _repeat(u: TensorUOp, made: Mapping[TensorUOp, TensorUOp | None], sources: Mapping[TensorUOp, TensorUOp], size: Size, fresh: Fresh) -> TensorUOp:
    """A loop that carries all examples of what differs from one to another. Where an example's bool tells how long it runs, it runs as long as any does; what
    is done keeps its values."""
    parts = parts_of(u)
    old, initial, following, goes_on = _handles(parts.carried), _handles(parts.initial), _handles(parts.following), parts.goes_on
    differing = {k for k, i in enumerate(initial) if made[i] is not None}
    while True:
        if goes_on in differing:
            differing.update(range(len(old)))
        shapes = {k: _shape_of_all(old[k], following[k], size) for k in differing}
        types = {k: T.tensor(shape, old[k].dtype) for k, shape in shapes.items()}
        for k, t in types.items():
            if (old[k], t) not in fresh:
                fresh[old[k], t] = new_carried(t)
        carried = {k: fresh[old[k], t] for k, t in types.items()}
        whole = {k: build.reshape(c, (size, *build.shape_of(old[k]))) for k, c in carried.items()}
        inner = batched(following, {**sources, **{old[k]: c for k, c in whole.items()}}, size, fresh)
        more = {k for k, f in enumerate(inner) if f is not None} - differing
        if not more:
            break
        differing |= more
    after = {k: _example_by_example(following[k], inner[k], size) for k in differing}
    extra: tuple[TensorUOp, ...] = ()
    if goes_on in differing:
        after = {k: build.alu("where", _beside(whole[goes_on], whole[k]), a, whole[k]) for k, a in after.items()}  # type: ignore[index]
        any_now, any_after = (build.reduce(runs, "or", (0,)) for runs in (_example_by_example(initial[goes_on], made[initial[goes_on]], size),  # type: ignore[index]
                                                                          after[goes_on]))  # type: ignore[index]
        extra = (build.op("carries", (build.carried(any_now), any_now, any_after)),)
        goes_on = len(old)
    values = []
    for k, value in enumerate(u.operands):
        if k in differing:
            begin = build.reshape(_example_by_example(initial[k], made[initial[k]], size), shapes[k])
            value = build.op("carries", (carried[k], begin, build.reshape(after[k], shapes[k])))
        values.append(value)
    return build.op("repeat", (*values, *extra), (parts.times,) if goes_on is None else (parts.times, goes_on))


def _shape_of_all(carried: TensorUOp, following: TensorUOp, size: Size) -> Any:
    """In which shape a loop carries all examples: rows that it puts lie as `scatter` has them, so that they stay in place."""
    shape = build.shape_of(carried)
    if following.name == "scatter" and following.operands[0] is carried:
        return (size * shape[0], *shape[1:])
    return (size, *shape)


def _repeated(u: TensorUOp, loop: TensorUOp | None, size: Size) -> TensorUOp:
    """All examples of what a loop leaves."""
    assert loop is not None
    number = u.attributes[0]
    end = build.end_of_repeat(loop, number, loop.operands[number].operands[0].type)
    if loop.operands[number] is u.operands[0].operands[number]:
        return repeated(end, size)
    return build.reshape(end, (size, *build.shape_of(u)))


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

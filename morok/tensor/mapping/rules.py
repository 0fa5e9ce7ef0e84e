"""The batching rule of each op of the tensor form: the same for all examples at once, which lie along a first axis more.

    BATCHING["reduce_axis"](u, (x,), size)      u = reduce_axis(one example); x: all `size` examples of its operand, in order

Operands that are the same for all examples are given with that axis, too: repeated, which costs no memory.
"""
from __future__ import annotations

from collections.abc import Callable

from ...dialect import types as T
from ...dialect.opdef import TABLE
from ...dialect.ops import ALU
from ...graph.tensor_graph import GRAPH, TensorUOp
from .. import build
from ..sizes import Size

Rule = Callable[[TensorUOp, tuple[TensorUOp, ...], Size], TensorUOp]

BATCHING: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    def enter(f: Rule) -> Rule:
        BATCHING.update(dict.fromkeys(names, f))
        return f
    return enter


def repeated(u: TensorUOp, size: Size) -> TensorUOp:
    """A value that is the same for all examples, along the first axis."""
    return build.broadcast(u, (size, *build.shape_of(u)))


@rule(*(name for name in ALU if "tensor" in TABLE[name].forms))
def elementwise(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    if u.name == "cast":
        return build.cast(operands[0], u.dtype)
    if u.name == "bitcast":
        return build.op("bitcast", operands, (), T.tensor(operands[0].type.shape, u.dtype))  # type: ignore[union-attr]
    return build.alu(u.name, *operands)


# Movement

@rule("reshape")
def reshaped(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.reshape(operands[0], (size, *build.shape_of(u)))


@rule("permute")
def permuted(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.permute(operands[0], (0, *_later(u.attributes[0])))


@rule("expand")
def expanded(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.expand(operands[0], (size, *build.shape_of(u)))


@rule("pad")
def padded(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.pad(operands[0], (0, *build.stated_of(u, "low")), (0, *build.stated_of(u, "high")), u.attributes[2])


@rule("shrink")
def windowed(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.shrink(operands[0], (0, *build.stated_of(u, "begin")), (size, *build.shape_of(u)))


@rule("flip")
def flipped(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.flip(operands[0], _later(u.attributes[0]))


def _later(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a + 1 for a in axes)


# Others

@rule("contiguous", "detach", "copy")
def same(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.op(u.name, operands, u.attributes)


@rule("reduce_axis")
def reduction(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.reduce(operands[0], u.attributes[0], _later(u.attributes[1]))


@rule("scan")
def cumulative(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    return build.scan(operands[0], u.attributes[0], u.attributes[1] + 1)


@rule("scatter", "counted_scatter")
def by_rows(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    """Ops with a first axis of independent rows: examples are more rows."""
    rows = tuple(build.reshape(o, (shape[0] * shape[1], *shape[2:])) for o in operands for shape in (build.shape_of(o),))
    return build.reshape(build.op(u.name, rows, u.attributes), (size, *build.shape_of(u)))


@rule("assign")
def assigned(u: TensorUOp, operands: tuple[TensorUOp, ...], size: Size) -> TensorUOp:
    target, view = u.operands[:2]
    steps = []
    while view is not target and view.name != "contiguous":
        steps.append(view)
        view = view.operands[0]
    if not steps:
        return operands[2]
    with GRAPH.lock:  # until the assign has its place, another thread may realise a value that is equal to it
        place = build.op("contiguous", (operands[0],))
        for step in reversed(steps):
            place = BATCHING[step.name](step, (place,), size)
        return build.op("assign", (operands[0], place, operands[2]))

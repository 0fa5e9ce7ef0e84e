"""Small graphs for the tests of the lazy graph."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from morok.dialect import types as T
from morok.graph.tensor_graph import TensorUOp, new_buffer

MATRIX = T.tensor((2, 3), T.float32)


class Storage:
    """Stands for a device buffer; something that can be watched by weak references."""


class HeldTensor:
    """What the registry of tensors needs of a tensor."""

    def __init__(self, uop: TensorUOp) -> None:
        self.uop = uop


def buffer(type: T.TensorType = MATRIX, device: str = "CPU") -> TensorUOp:
    return new_buffer(type, device, Storage())


def chain(start: TensorUOp, length: int) -> TensorUOp:
    """start + start + ... ; nothing but the end is kept."""
    u = start
    for _ in range(length):
        u = TensorUOp.make("add", (u, start))
    return u


def variable(name: str = "n", low: int = 1, high: int = 8) -> TensorUOp:
    return TensorUOp.make("define_var", (), (name, low, high))


# Random graphs as recipes: a recipe built twice gives the same structure over other buffers.

STEPS = st.one_of(
    st.tuples(st.sampled_from(("add", "mul", "sub", "max")), st.integers(0, 7), st.integers(0, 7)),
    st.tuples(st.sampled_from(("exp", "neg", "flip0", "flip1", "contiguous", "double")), st.integers(0, 7)),
    st.tuples(st.just("constant"), st.sampled_from((0.0, -0.0, 1.0, float("nan"), 0.1))),
    st.tuples(st.just("scaled by n"), st.integers(0, 7), st.integers(1, 8)),
)
RECIPES = st.tuples(st.lists(STEPS, max_size=8), st.lists(st.integers(0, 7), min_size=1, max_size=3))


def build(recipe: tuple[list, list], buffers: list[TensorUOp]) -> list[TensorUOp]:
    """The sinks of a recipe; operands are numbers of earlier values."""
    steps, roots = recipe
    values = list(buffers)
    for kind, *given in steps:
        values.append(_step(kind, given, values))
    return [values[r % len(values)] for r in roots]


def _step(kind: str, given: list, values: list[TensorUOp]) -> Any:
    if kind == "constant":
        return values[0]._other(given[0])
    x = values[given[0] % len(values)]
    if kind in ("add", "mul", "sub", "max"):
        return x.alu(kind, values[given[1] % len(values)])
    if kind == "double":
        return x * 2
    if kind == "contiguous":
        return TensorUOp.make("contiguous", (x,))
    if kind.startswith("flip"):
        return TensorUOp.make("flip", (x,), ((int(kind[-1]),),))
    if kind == "scaled by n":  # shape (2, 3) -> (n, 2, 3) -> (2, 3), through a bound variable
        return _repeated(x, given[1])
    return x.alu(kind)


def _repeated(x: TensorUOp, value: int) -> TensorUOp:
    from morok.dialect.opdef import DYNAMIC
    from morok.graph.tensor_graph import index_value
    n = TensorUOp.make("bind", (variable(), index_value(value)))
    lifted = TensorUOp.make("reshape", (x,), ((1, 2, 3),))
    repeated = TensorUOp.make("expand", (lifted, n), ((DYNAMIC, 2, 3),))
    return TensorUOp.make("reduce_axis", (repeated,), ("add", (0,)))

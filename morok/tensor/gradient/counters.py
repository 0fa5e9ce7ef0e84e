"""Carried values that count iterations, and positions that are another one in each: what is known of a loop's rows without looking at its data.

    n, then n + 1               a counter; at iteration t it is first + t
    [[9 - n]]                   one row each
"""
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ...dialect import types as T
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..sizes import Shape


@dataclass(frozen=True)
class Counter:
    """A carried integer that each iteration adds a constant to."""

    carried: TensorUOp
    first: TensorUOp
    step: int

    @property
    def shape(self) -> Shape:
        return build.shape_of(self.carried)

    def at(self, t: TensorUOp) -> TensorUOp:
        """What iteration t receives, t counting from 0."""
        steps = build.alu("mul", build.cast(t, self.first.dtype), build.constant(self.step, self.first.dtype))
        return build.alu("add", self.first, build.broadcast(steps, self.shape))

    def iteration(self) -> TensorUOp:
        """The number of the iteration that has this counter's value, whose step is 1 or -1."""
        far = build.alu("sub", self.carried, self.first) if self.step == 1 else build.alu("sub", self.first, self.carried)
        return build.cast(far, T.int64)


def counters_of(carried: Sequence[TensorUOp], initial: Sequence[TensorUOp], following: Sequence[TensorUOp]) -> dict[int, Counter]:
    """The counters among carried values, by number."""
    found = {}
    for k, (c, first, f) in enumerate(zip(carried, initial, following)):
        if f.name == "add" and c.dtype is T.int64 and c in f.operands:
            step = constant_of(f.operands[1] if f.operands[0] is c else f.operands[0])
            if step in (1, -1):
                found[k] = Counter(c, first, step)
    return found


def constant_of(u: TensorUOp) -> int | None:
    """The number that all elements are, where that can be seen."""
    while u.name in ("reshape", "expand"):
        u = u.operands[0]
    return u.value if u.name == "const" else None


def one_row_each(positions: TensorUOp, counters: Mapping[int, Counter]) -> bool:
    """Whether positions (b, 1) are another row in each iteration: a counter, moved, or its distance from a constant."""
    if build.shape_of(positions)[1] != 1:
        return False
    return _counts(positions, {c.carried for c in counters.values() if not c.shape})


def _counts(u: TensorUOp, counters: Collection[TensorUOp]) -> bool:
    while u.name in ("reshape", "expand", "neg"):
        u = u.operands[0]
    if u.name in ("add", "sub"):
        x, y = u.operands
        return constant_of(y) is not None and _counts(x, counters) or constant_of(x) is not None and _counts(y, counters)
    return u in counters

"""Tensor form: each op is one NumPy call.

`assign` finds where its view's elements lie in the target by moving an array of the target's positions through the same movement ops.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..dialect import types as T
from ..dialect.ops import ALU, DYNAMIC, MOVEMENT
from ..errors import BoundsError, IRError, ShapeError
from ..graph.body import Body
from ..graph.repetition import body_of, check_closed, open_carried, parts_of
from ..graph.uop import UOp
from . import alu
from .memory import Variables, where

NOWHERE = -1
"""The position of an element of a view that the target does not have: padding."""


def run_tensor_form(body: Body, arguments: Sequence[np.ndarray], variables: Variables) -> list[np.ndarray]:
    """The results of a function over tensors."""
    values: dict[UOp, np.ndarray] = dict(zip(body.arguments, arguments))
    order = body.order()
    inside = open_carried(order)
    check_closed(body.results, inside)
    _run([u for u in order if not inside[u]], _Repeats(order, inside), values, variables)
    return [values[r] for r in body.results]


class _Repeats:
    """The repeats of a function, and their carried values after the last iteration where one has run."""

    def __init__(self, order: list[UOp], inside: dict[UOp, frozenset[UOp]]) -> None:
        self.order, self.inside = order, inside
        self.last: dict[UOp, list[np.ndarray]] = {}


def _run(ops: Sequence[UOp], repeats: _Repeats, values: dict[UOp, np.ndarray], variables: Variables) -> None:
    for u in ops:
        if u.name == "repeat":
            repeats.last[u] = _repeat(u, repeats, values, variables)
        elif u.name == "repeated":
            values[u] = _checked(u, repeats.last[u.operands[0]][u.attribute("number")])
        elif u not in values and u.type is not T.token:
            values[u] = _checked(u, _evaluate(u, values, variables))


def _repeat(u: UOp, repeats: _Repeats, values: dict[UOp, np.ndarray], variables: Variables) -> list[np.ndarray]:
    carried, initial, following, count, goes_on = parts_of(u)
    body = body_of(u, repeats.order, repeats.inside)
    own = repeats.inside[u].union(carried)  # what inner repeats close is theirs to compute
    body = [b for b in body if repeats.inside[b] <= own]
    now = [values[i] for i in initial]
    for _ in range(count):
        if goes_on is not None and not now[goes_on]:
            break
        local = {**values, **dict(zip(carried, now))}
        _run(body, repeats, local, variables)
        now = [local[f] for f in following]
    return now


def _evaluate(u: UOp, values: dict[UOp, np.ndarray], variables: Variables) -> np.ndarray:
    if u.name == "assign":
        return _assign(u, values)
    operands = [values[o] for o in u.operands]
    if u.name in ALU:
        return alu.evaluate(u.name, u.dtype, operands)
    if u.name in MOVEMENT:
        padding = alu.full((), u.dtype, u.attribute("value"))[()] if u.name == "pad" else None
        return move(u, operands[0], [int(o) for o in operands[1:]], padding)
    if u.name == "const":
        return alu.full((), u.dtype, u.value)
    if u.name == "iota":
        size = u.attribute("shape")[0]
        return alu.cast(np.arange(int(operands[0]) if size == DYNAMIC else size), u.dtype)
    if u.name == "define_var":
        return np.asarray(variables[u.attribute("name")], np.int64)
    if u.name == "bind":
        return operands[1]
    if u.name == "reduce_axis":
        return alu.reduce(u.attribute("op"), u.dtype, operands[0], u.attribute("axes"))
    if u.name == "scan":
        return alu.scan(u.attribute("op"), u.dtype, operands[0], u.attribute("axis"))
    if u.name == "scatter":
        return _scatter(u, *operands)
    if u.name == "counted_scatter":
        return _counted_scatter(*operands)
    if u.name in ("contiguous", "detach", "copy"):
        return operands[0]
    if u.name == "buffer":
        raise IRError(f"{where(u)} has no contents here; capture makes it an argument of the function")
    raise IRError(f"{where(u)} has no value in tensor form")


def _checked(u: UOp, value: np.ndarray) -> np.ndarray:
    """The value, which must have the shape that the op's type promises."""
    shape = u.type.shape if isinstance(u.type, T.TensorType) else ()
    if len(shape) != value.ndim or any(size not in (None, actual) for size, actual in zip(shape, value.shape)):
        raise ShapeError(f"{where(u)} gives a value of shape {value.shape}, but its type is {u.type}")
    return value


# Movement

def move(u: UOp, source: np.ndarray, sizes: list[int], padding: Any) -> np.ndarray:
    """A movement op on any array; `sizes` stand for DYNAMIC in its attributes, in order."""
    pending = iter(sizes)
    lists = [tuple(next(pending) if n == DYNAMIC else n for n in attribute) for attribute in u.attributes if isinstance(attribute, tuple)]
    return _MOVES[u.name](u, source, padding, *lists)


def _reshape(u: UOp, x: np.ndarray, padding: Any, shape: tuple) -> np.ndarray:
    if prod(shape) != x.size:
        raise ShapeError(f"{where(u)} cannot make {shape} of {x.shape}")
    return x.reshape(shape)


def _expand(u: UOp, x: np.ndarray, padding: Any, shape: tuple) -> np.ndarray:
    if any(size < 0 or old not in (1, size) for old, size in zip(x.shape, shape)):
        raise ShapeError(f"{where(u)} cannot expand {x.shape} to {shape}")
    return np.broadcast_to(x, shape)


def _pad(u: UOp, x: np.ndarray, padding: Any, low: tuple, high: tuple) -> np.ndarray:
    if any(n < 0 for n in low + high):
        raise BoundsError(f"{where(u)} by a negative number of elements: low {low}, high {high}")
    padded = np.full(tuple(b + n + e for b, n, e in zip(low, x.shape, high)), padding, x.dtype)
    padded[tuple(slice(b, b + n) for b, n in zip(low, x.shape))] = x
    return padded


def _shrink(u: UOp, x: np.ndarray, padding: Any, begin: tuple, size: tuple) -> np.ndarray:
    for axis, (b, s, limit) in enumerate(zip(begin, size, x.shape)):
        if b < 0 or s < 0 or b + s > limit:
            raise BoundsError(f"{where(u)} window [{b}, {b + s}) of axis {axis} exceeds its size {limit}")
    return x[tuple(slice(b, b + s) for b, s in zip(begin, size))]


_MOVES: dict[str, Callable[..., np.ndarray]] = {
    "reshape": _reshape, "expand": _expand, "pad": _pad, "shrink": _shrink,
    "permute": lambda u, x, padding, order: np.transpose(x, order),
    "flip": lambda u, x, padding, axes: np.flip(x, axes),
}


# In order

def _scatter(u: UOp, target: np.ndarray, positions: np.ndarray, value: np.ndarray) -> np.ndarray:
    new, name = np.array(target, order="C"), u.attribute("op")
    for k in range(positions.shape[1]):
        for b in np.flatnonzero((positions[:, k] >= 0) & (positions[:, k] < target.shape[1])):
            place = b, int(positions[b, k])
            new[place] = value[b, k] if name == "set" else alu.evaluate(name, u.dtype, [new[place], value[b, k]])
    return new


def _counted_scatter(target: np.ndarray, keys: np.ndarray, starts: np.ndarray, value: np.ndarray) -> np.ndarray:
    new, next_ = np.array(target, order="C"), starts.astype(np.int64)
    for b, c, k in np.ndindex(keys.shape):
        key = keys[b, c, k]
        if 0 <= key < starts.shape[2]:
            if 0 <= next_[b, c, key] < target.shape[1]:
                new[b, next_[b, c, key]] = value[b, c, k]
            next_[b, c, key] += 1
    return new


# Assign

def _assign(u: UOp, values: dict[UOp, np.ndarray]) -> np.ndarray:
    target, view, value = u.operands
    old = values[target]
    positions = np.arange(old.size).reshape(old.shape)
    for step in reversed(_steps(u, target, view)):
        if step.name in MOVEMENT:
            positions = move(step, positions, [int(values[o]) for o in step.operands[1:]], NOWHERE)
    new = np.array(old, order="C")
    exists = positions != NOWHERE
    new.reshape(-1)[positions[exists]] = values[value][exists]
    return new


def _steps(u: UOp, target: UOp, view: UOp) -> list[UOp]:
    """The ops of the view, last first."""
    steps: list[UOp] = []
    while view is not target:
        if view.name not in MOVEMENT and view.name not in ("detach", "contiguous"):
            raise IRError(f"{where(u)} takes a view made of movement ops over its target; morok.{view.name} is in the way")
        steps.append(view)
        view = view.operands[0]
    return steps

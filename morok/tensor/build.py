"""The one place where tensors meet the graph: movement ops and constants over UOps, which leave out what changes nothing.

    u = reshape(buffer, (2, 1, 3))          # UOps, not Tensors; sizes are ints or SymbolicInts
    u = expand(u, (2, 4, 3))
    alu("add", u, full((2, 4, 3), 1.0, float32))

Callers have checked shapes, axes and dtypes: a mistake here is a fault of morok.
"""
from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from weakref import WeakSet

from ..dialect import types as T
from ..graph import shape as symbolic
from ..graph.derivation import CUSTOM, VARIABLES
from ..graph.repetition import ENDS
from ..graph.tensor_graph import DYNAMIC, TensorUOp, new_carried, tensor_const
from .sizes import Shape, SymbolicInt, as_size

op = TensorUOp.make


def shape_of(u: TensorUOp) -> Shape:
    """The sizes as ints and SymbolicInts."""
    shape = u.type.shape  # type: ignore[union-attr]
    return shape if None not in shape else tuple(as_size(s) for s in symbolic.shape_of(u))


def stated(*lists: Shape) -> tuple[tuple[tuple[int, ...], ...], tuple[TensorUOp, ...]]:
    """Size lists as attributes, and the operands that hold their symbolic sizes."""
    attributes, operands = [], []
    for sizes in lists:
        for s in sizes:
            if not isinstance(s, int):
                attributes.append(tuple(DYNAMIC if isinstance(s, SymbolicInt) else s for s in sizes))
                operands += [s.uop for s in sizes if isinstance(s, SymbolicInt)]
                break
        else:
            attributes.append(sizes)  # type: ignore[arg-type]
    return tuple(attributes), tuple(operands)


# ALU

def alu(name: str, *operands: TensorUOp) -> TensorUOp:
    if name != "where" and operands[0].dtype in T.EIGHT_BIT_FLOATS:  # computed in float32, as 16-bit floats are
        dtype = operands[0].dtype
        found = op(name, tuple([cast(u, T.float32) for u in operands]))
        return cast(found, dtype) if found.dtype.is_float else found
    return op(name, operands)


def cast(u: TensorUOp, dtype: T.DType) -> TensorUOp:
    t: Any = u.type
    if t.dtype is dtype:
        return u
    if dtype in T.EIGHT_BIT_FLOATS or t.dtype in T.EIGHT_BIT_FLOATS:
        from .eight_bit_floats import converted
        return converted(u, dtype)
    if u.name == "const":
        return _cast_constant(u, dtype)
    return op("cast", (u,), (), T.tensor(t.shape, dtype))


def _cast_constant(u: TensorUOp, dtype: T.DType) -> TensorUOp:
    """Exact conversions on the spot; those that round, saturate or wrap stay an op."""
    value, source = u.value, u.dtype
    fits = abs(value) <= 256 if dtype.is_float else dtype.is_int and dtype.min <= value <= dtype.max
    if source.kind == "b" or source.is_int and fits:
        return constant(value, dtype)
    return op("cast", (u,), (), T.tensor((), dtype))


def constant(value: Any, dtype: T.DType) -> TensorUOp:
    return tensor_const(value, dtype)


def full(shape: Shape, value: Any, dtype: T.DType) -> TensorUOp:
    """Every element the value."""
    u = _remembered_full(shape if _is_small(shape) else (1,) * len(shape), dtype, repr(value), value)
    if not _is_constant(u):
        u = tensor_const(value, dtype)
    return broadcast(u, shape)


def _is_small(shape: Shape) -> bool:
    count = 1
    for s in shape:
        if not isinstance(s, int):
            return False
        count *= s
    return count <= 4096


def _is_constant(u: TensorUOp) -> bool:
    """Whether a remembered constant still is one: somebody may have realised it, or the number that it is made of; then it is a buffer, and may be written."""
    while u.name in ("expand", "reshape"):
        u = u.operands[0]
    return u.name == "const"


@lru_cache(maxsize=64)
def _remembered_full(shape: Shape, dtype: T.DType, text: str, value: Any) -> TensorUOp:
    """The last constants, for the same occur again and again; small ones, so that one that is realised keeps little memory. `text` tells apart what
    Python takes for equal: 0.0 and -0.0."""
    return broadcast(tensor_const(value, dtype), shape)


def iota(size: int | SymbolicInt, dtype: T.DType) -> TensorUOp:
    """0, 1, ... size - 1."""
    attributes, operands = stated((size,))
    return op("iota", operands, attributes, T.tensor((None if isinstance(size, SymbolicInt) else size,), dtype))


def iota_along(shape: Shape, axis: int, dtype: T.DType) -> TensorUOp:
    """Each element's index along the axis, with the other axes of size 1."""
    return reshape(iota(shape[axis], dtype), tuple(s if a == axis else 1 for a, s in enumerate(shape)))


# Movement

def reshape(u: TensorUOp, shape: Shape) -> TensorUOp:
    if u.name == "reshape" and not (VARIABLES and u in VARIABLES or CUSTOM and u in CUSTOM):
        u = u.operands[0]
    if shape_of(u) == shape:
        return u
    attributes, operands = stated(shape)
    return op("reshape", (u, *operands), attributes)


def permute(u: TensorUOp, order: tuple[int, ...]) -> TensorUOp:
    if order == tuple(range(len(order))):
        return u
    return op("permute", (u,), (order,))


def expand(u: TensorUOp, shape: Shape) -> TensorUOp:
    if shape_of(u) == shape:
        return u
    attributes, operands = stated(shape)
    return op("expand", (u, *operands), attributes)


def broadcast(u: TensorUOp, shape: Shape) -> TensorUOp:
    """NumPy's broadcasting to a shape that the value is known to fit."""
    old = shape_of(u)
    if old == shape:
        return u
    if len(old) != len(shape):
        u = reshape(u, (1,) * (len(shape) - len(old)) + old)
    return expand(u, shape)


def pad(u: TensorUOp, low: Shape, high: Shape, value: Any = 0) -> TensorUOp:
    if _are_zero(low) and _are_zero(high):
        return u
    attributes, operands = stated(low, high)
    dtype = u.dtype
    return op("pad", (u, *operands), (*attributes, float(value) if dtype.is_float else bool(value) if dtype is T.bool_ else int(value)))


def shrink(u: TensorUOp, begin: Shape, size: Shape) -> TensorUOp:
    if _are_zero(begin) and shape_of(u) == size:
        return u
    attributes, operands = stated(begin, size)
    return op("shrink", (u, *operands), attributes)


def _are_zero(sizes: Shape) -> bool:
    return all(s == 0 for s in sizes)


def flip(u: TensorUOp, axes: tuple[int, ...]) -> TensorUOp:
    return op("flip", (u,), (axes,)) if axes else u


def detach(u: TensorUOp) -> TensorUOp:
    return op("detach", (u,))


# One after the other

def scan(u: TensorUOp, name: str, axis: int) -> TensorUOp:
    """Each element combined with all before it along the axis."""
    if u.dtype in T.EIGHT_BIT_FLOATS:
        return cast(op("scan", (cast(u, T.float32),), (name, axis)), u.dtype)
    return op("scan", (u,), (name, axis))


def scatter(target: TensorUOp, positions: TensorUOp, value: TensorUOp, name: str) -> TensorUOp:
    """target (b, n, r) with the rows of value (b, k, r) put, in order, where positions (b, k) say."""
    return op("scatter", (target, positions, value), (name,))


def counted_scatter(target: TensorUOp, keys: TensorUOp, starts: TensorUOp, value: TensorUOp) -> TensorUOp:
    """target (b, n, r) with the rows of value (b, c, k, r) at starts[b, c, key] for keys (b, c, k), equal ones one after the other."""
    return op("counted_scatter", (target, keys, starts, value))


# Repetition

def carried(u: TensorUOp) -> TensorUOp:
    """What a loop that begins with this value carries from iteration to iteration."""
    t: Any = u.type
    return new_carried(t)


def repeat(carried: Sequence[TensorUOp], initial: Sequence[TensorUOp], following: Sequence[TensorUOp], count: int,
           goes_on: int | None = None) -> list[TensorUOp]:
    """The carried values after the last iteration."""
    loop = repeat_of(carried, initial, following, count, goes_on)
    return [end_of_repeat(loop, i, c.type) for i, c in enumerate(carried)]


def repeat_of(carried: Sequence[TensorUOp], initial: Sequence[TensorUOp], following: Sequence[TensorUOp], count: int, goes_on: int | None) -> TensorUOp:
    """The loop itself."""
    values = tuple([op("carries", three) for three in zip(carried, initial, following)])
    return op("repeat", values, (count,) if goes_on is None else (count, goes_on))


def end_of_repeat(loop: TensorUOp, number: int, type: T.Type) -> TensorUOp:
    """A carried value after the last iteration."""
    found = op("repeated", (loop,), (number,), type)
    ENDS.setdefault(loop, WeakSet()).add(found)
    return found


# Reductions

def reduce(u: TensorUOp, name: str, axes: tuple[int, ...]) -> TensorUOp:
    """Combines over the axes, which the result lacks."""
    if axes and u.dtype in T.EIGHT_BIT_FLOATS:
        return cast(op("reduce_axis", (cast(u, T.float32),), (name, axes)), u.dtype)
    return op("reduce_axis", (u,), (name, axes)) if axes else u


def with_unit_axes(u: TensorUOp, shape: Shape, axes: tuple[int, ...]) -> TensorUOp:
    """A reduction of a value of `shape` over `axes`, with these axes back at size 1."""
    return reshape(u, tuple(1 if a in axes else s for a, s in enumerate(shape)))


def stated_of(u: TensorUOp, name: str) -> Shape:
    """A size list of a movement op as ints and SymbolicInts."""
    return tuple(as_size(s) for s in symbolic.stated_sizes(u, name))

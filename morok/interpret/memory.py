"""What goes into a function: arrays for its arguments, values for its variables; and errors that name the op."""
from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, IRError, ShapeError
from ..graph.body import Body
from ..graph.uop import UOp

Variables = dict[str, int]


def where(u: UOp) -> str:
    """`file:line: morok.name`, the beginning of a message about an op."""
    return f"{u.loc[0]}:{u.loc[1]}: morok.{u.name}" if u.loc is not None else f"morok.{u.name}"


def bind_arguments(body: Body, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A copy of each input, with the dtype and shape of the function's argument."""
    if len(inputs) != len(body.arguments):
        raise IRError(f"@{body.name} takes {len(body.arguments)} arguments, given {len(inputs)}")
    return [view_as(np.array(given, order="C"), argument.type, f"@{body.name}: argument {i}")
            for i, (given, argument) in enumerate(zip(inputs, body.arguments))]


def view_as(array: np.ndarray, t: T.Type, name: str) -> np.ndarray:
    """The same memory with a buffer's type: flattened or folded up, and a bool taken for a byte, where the type wants it."""
    dtype = T.element_dtype(t)
    if array.dtype != dtype.np:
        if not {array.dtype, dtype.np} <= {np.dtype(np.bool_), np.dtype(np.uint8)}:
            raise DTypeError(f"{name} is a {t}, given an array of {array.dtype}")
        array = array.view(dtype.np)
    shape = getattr(t, "shape", ())
    if array.ndim == len(shape) and all(size in (None, given) for size, given in zip(shape, array.shape)):
        return array
    if 1 in (len(shape), array.ndim) and None not in shape and prod(shape) == array.size and array.flags.c_contiguous:
        return array.reshape(shape)
    raise ShapeError(f"{name} is a {t}, given an array of shape {array.shape}")


def unwritten(shape: tuple[int, ...], dtype: T.DType) -> np.ndarray:
    """Memory as the allocator might leave it: NaN, or a number that shows in a wrong result."""
    if dtype.is_float:
        return np.full(shape, np.nan, dtype.np)
    return np.full(shape, True if dtype is T.bool_ else np.frombuffer(b"\xa5" * dtype.itemsize, dtype.np)[0], dtype.np)


def bound_variables(body: Body, variables: Variables) -> Variables:
    """The given values and those that `bind` ops set; each must lie within its variable's bounds."""
    order, bound = body.order(), dict(variables)
    for u in order:
        if u.name == "bind" and u.operands[0].name == "define_var" and u.operands[1].name == "const":
            bound[u.operands[0].attribute("name")] = u.operands[1].value
    for u in order:
        if u.name != "define_var":
            continue
        name, low, high = u.attributes
        if name not in bound:
            raise IRError(f"{where(u)} '{name}' has no value; give interpret() variables={{'{name}': ...}}")
        if not low <= bound[name] <= high:
            raise BoundsError(f"{where(u)} '{name}' is {bound[name]}; it must be from {low} to {high}")
    return bound

"""vmap: a function of one example, mapped over many."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Unpack

import numpy as np

from ...errors import AxisError, ShapeError, VmapError
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..arguments import also_named, require_function
from ..core import TensorCore
from ..other_names import InOutDims
from ..structures import replaced
from ..tensor import Tensor
from .levels import RANDOMNESS, Level
from .rules import repeated

Axes = Any
"""An axis, None, or such in the structure of what they are the axes of."""


@also_named(in_dims="in_axes", out_dims="out_axes")
def vmap(function: Callable, in_axes: Axes = 0, out_axes: Axes = 0, randomness: str = "error", **other: Unpack[InOutDims]) -> Callable:
    """A function that does for all examples along an axis what the given one does for one, in one graph.

    `in_axes` names the axis of each argument's examples: one for all, or one for each, None for an argument that is the same for all; within lists, tuples and
    dicts as these, or one for all within. Keywords are the same for all. `out_axes` says likewise where the examples of each result are. Random numbers are
    refused, or with `randomness` the "same" or "different" for all examples. Errors: ShapeError where no argument is mapped, or sizes differ; AxisError;
    VmapError where the function looks at an example's value (by item(), say) or writes it to a tensor from outside.

        morok.vmap(lambda x, w: (x * w).sum(), in_axes=(0, None))(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 10.0]))    # [21.0, 43.0]
    """
    require_function(function, "vmap")
    if randomness not in RANDOMNESS:
        raise ValueError(f"vmap: randomness is one of {', '.join(RANDOMNESS)}, not {randomness!r}")

    @functools.wraps(function)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
            raise ShapeError(f"vmap: in_axes has {len(in_axes)} entries for {len(args)} arguments; one axis, or None, for each")
        given = list(_with_axes(args, tuple(in_axes) if isinstance(in_axes, list) else in_axes, "in_axes"))
        level = Level(_size(given), randomness)
        with level:
            found = iter(given)
            result = function(*replaced(args, lambda t: _one(next(found), level)), **kwargs)
            tensors = list(_with_axes(result, out_axes, "out_axes"))
            examples = iter(level.results([t.uop for t, _ in tensors]))
        found = iter(tensors)
        return replaced(result, lambda t: _all(next(found), next(examples), level))
    return mapped


def _one(given: tuple[Any, int | None], level: Level) -> Any:
    """One example of an argument."""
    t, axis = given
    return t if axis is None else t._new(level.stand_in(_axis_first(t.uop, axis), t.device))


def _all(given: tuple[Any, int | None], examples: TensorUOp | None, level: Level) -> Any:
    """All examples of a result."""
    t, axis = given
    if axis is None:
        if examples is not None:
            raise VmapError(f"vmap: out_axes is None for a result of shape {t.shape}, but it differs from example to example")
        return t
    u = repeated(t.uop, level.size) if examples is None else examples
    rank = len(build.shape_of(u))
    if not -rank <= axis < rank:
        raise AxisError(f"vmap: out_axes names axis {axis} of a result that has {rank} axes with that of the examples")
    order = list(range(1, rank))
    order.insert(axis % rank, 0)
    return t._new(build.permute(u, tuple(order)))


def _axis_first(u: TensorUOp, axis: int) -> TensorUOp:
    rank = len(build.shape_of(u))
    return build.permute(u, (axis, *(a for a in range(rank) if a != axis)))


def _size(given: list[tuple[Any, int | None]]) -> Any:
    """How many examples all mapped arguments have."""
    sizes = {}
    for i, (t, axis) in enumerate(given):
        if axis is not None:
            if not -t.ndim <= axis < t.ndim:
                raise AxisError(f"vmap: in_axes names axis {axis} of a tensor of shape {t.shape}; there {'are no axes' if not t.ndim else f'are {t.ndim}'}")
            given[i] = t, axis % t.ndim
            sizes[t.shape[axis]] = t.shape
    if not sizes:
        raise ShapeError("vmap: no argument has an axis of examples; give a tensor, and in_axes that are not None for all")
    if len(sizes) > 1:
        raise ShapeError(f"vmap: arguments have different numbers of examples: {', '.join(f'{s} in shape {shape}' for s, shape in sizes.items())}")
    return next(iter(sizes))


# Structures

def _with_axes(value: Any, axes: Axes, what: str) -> Iterator[tuple[Any, int | None]]:
    """Each tensor of a structure, in order, with its axis."""
    if isinstance(value, np.ndarray):
        value = Tensor(value)
    if isinstance(value, TensorCore):
        if axes is not None and (isinstance(axes, bool) or not isinstance(axes, (int, np.integer))):
            raise TypeError(f"vmap: {what} has an axis or None for a tensor, not {axes!r}")
        yield value, None if axes is None else int(axes)
    elif isinstance(value, (list, tuple, dict)):
        parts = list(value.values()) if isinstance(value, dict) else value
        if isinstance(axes, dict) and isinstance(value, dict):
            if axes.keys() != value.keys():
                raise ShapeError(f"vmap: {what} has the keys {list(axes)} for a dict of {list(value)}")
            axes = [axes[k] for k in value]
        if isinstance(axes, (list, tuple)):
            if len(axes) != len(parts):
                raise ShapeError(f"vmap: {what} has {len(axes)} entries for a {type(value).__name__} of {len(parts)}")
        else:
            axes = [axes] * len(parts)
        for part, axis in zip(parts, axes):
            yield from _with_axes(part, axis, what)

"""What stands between the brackets of `t[...]`: movements (ints, slices, None, Ellipsis) and index arrays (lists, arrays, Tensors).

    t[1, ::-2, None]      shrink, flip, pad, reshape, shrink, reshape: a view
    t[[2, 0]], t[mask]    movements for the other axes first, then a gather over the indexed ones
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, ShapeError
from . import build
from .core import Step, TensorCore
from .data_sizes import known, true_places
from .sizes import Shape, Size, SymbolicInt, greatest, least

INSTEAD_OF_MASKS = "keep the shape, as x.where(mask, 0) does, and write single values or masked_scatter, or index outside of the function"


@dataclass
class Key:
    """Movements that give a view, and index arrays for some of the view's axes; `front` says that their result axes come first."""

    steps: tuple[Step, ...]
    arrays: dict[int, Any]
    front: bool = False


def parse_key(key: Any, shape: Shape) -> Key:
    """The key against a shape. BoundsError outside, ShapeError for too many indices, DTypeError for what is no index."""
    items = list(key) if isinstance(key, tuple) else [key]
    items = [_plain(item) for item in items]
    items = _with_whole_axes(items, shape)
    if any(_is_array(item) for item in items):
        return _advanced(items, shape)
    return Key(_basic_steps(items, shape), {})


def _plain(item: Any) -> Any:
    """Lists as arrays, NumPy's ints as ints."""
    if isinstance(item, (list, range)) or isinstance(item, tuple):
        if any(isinstance(i, TensorCore) for i in item):
            raise DTypeError("index: a list of Tensors is no index; stack them first")
        item = np.array(item)
        if item.size == 0:
            item = item.astype(np.int64)
    if isinstance(item, (bool, np.bool_)):
        return np.array(bool(item))
    if isinstance(item, (int, slice, SymbolicInt)) or item is None or item is Ellipsis:
        return item
    if isinstance(item, np.generic) and item.dtype.kind in "iu":
        return int(item)
    if isinstance(item, np.ndarray):
        if item.dtype.kind not in "iub":
            raise DTypeError(f"index: arrays of indices hold integers or bools, not {item.dtype}")
        return item if item.ndim or item.dtype.kind == "b" else int(item)
    if isinstance(item, TensorCore):
        if item.dtype.is_float:
            raise DTypeError(f"index: a Tensor of indices holds integers or bools, not {item.dtype}; cast it")
        return item
    if hasattr(item, "__index__"):
        return item.__index__()
    raise DTypeError(f"index: {item!r} is no index; indices are ints, slices, None, ..., integer and bool arrays")


def _is_array(item: Any) -> bool:
    return isinstance(item, (np.ndarray, TensorCore))


def _axes_taken(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    if _is_array(item) and (item.dtype == np.bool_ if isinstance(item, np.ndarray) else item.dtype is T.bool_):
        return item.ndim
    return 1


def _with_whole_axes(items: list, shape: Shape) -> list:
    """The ellipsis, or the missing end, as whole slices."""
    taken = sum(_axes_taken(i) for i in items)
    if taken > len(shape):
        raise BoundsError(f"index: {taken} indices for a tensor of {len(shape)} axes (shape {shape})")
    whole = [slice(None)] * (len(shape) - taken)
    at = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(at) > 1:
        raise BoundsError("index: only one ellipsis (...) is allowed")
    if not at:
        return items + whole
    return items[:at[0]] + whole + items[at[0] + 1:]


# Ints, slices, None

def _basic_steps(items: list, shape: Shape) -> tuple[Step, ...]:
    begins: list[Size] = []
    extents: list[Size] = []
    flipped: list[int] = []
    strides: list[int] = []
    counts: list[Size] = []
    result: list[Size] = []
    axis = 0
    for item in items:
        if item is None:
            result.append(1)
            continue
        size = shape[axis]
        if isinstance(item, slice):
            begin, extent, stride, reverse, count = _window(item, size, axis, shape)
            if reverse:
                flipped.append(axis)
            result.append(count)
        else:
            begin, extent, stride, count = _position(item, size, axis, shape), 1, 1, 1
        begins.append(begin)
        extents.append(extent)
        strides.append(stride)
        counts.append(count)
        axis += 1
    steps: list[Step] = [(build.shrink, (tuple(begins), tuple(extents)))]
    if flipped:
        steps.append((build.flip, (tuple(flipped),)))
    if any(s != 1 for s in strides):
        steps += _strided(tuple(extents), strides, tuple(counts))
    steps.append((build.reshape, (tuple(result),)))
    return tuple(steps)


def _position(index: Any, size: Size, axis: int, shape: Shape) -> Size:
    if isinstance(index, SymbolicInt):
        if index.bounds[0] < 0 or greatest(index - size) >= 0:
            low, high = index.bounds
            raise BoundsError(f"index {index!r} may be from {low} to {high}, outside axis {axis} of size {size} (shape {shape})")
        return index
    if not -least(size) <= index < least(size):
        raise BoundsError(f"index {index} is out of bounds for axis {axis} of size {size} (shape {shape})")
    return index + size if index < 0 else index


def _window(item: slice, size: Size, axis: int, shape: Shape) -> tuple[Size, Size, int, bool, Size]:
    """(begin, extent, stride, whether reversed, count) of a slice: `extent` elements from `begin`, of which every stride-th counts."""
    step = 1 if item.step is None else item.step
    if isinstance(step, (bool, SymbolicInt)) or not hasattr(step, "__index__"):
        raise DTypeError(f"index: a slice's step is an int, not {step!r}")
    step = step.__index__()
    if step == 0:
        raise BoundsError("index: a slice's step must not be 0")
    limits = [_limit(v) for v in (item.start, item.stop)]
    if isinstance(size, int) and not any(isinstance(v, SymbolicInt) for v in limits):
        picked = range(*slice(limits[0], limits[1], step).indices(size))
        if not picked:
            return 0, 0, 1, False, 0
        extent = (len(picked) - 1) * abs(step) + 1
        return min(picked[0], picked[-1]), extent, abs(step), step < 0, len(picked)
    start, stop = limits
    if step < 0 and not (start is None and stop is None):
        raise ShapeError("index: a symbolic slice with a negative step takes no start or stop; slice first, then reverse")
    begin = _symbolic_limit(start, 0, size, axis, shape)
    end = _symbolic_limit(stop, size, size, axis, shape)
    extent = end - begin
    if least(extent) < 0:
        raise BoundsError(f"index: slice {begin}:{end} of axis {axis} may begin after its end (shape {shape})")
    if abs(step) == 1:
        return begin, extent, 1, step < 0, extent
    return begin, extent, abs(step), step < 0, (extent + (abs(step) - 1)) // abs(step)


def _limit(value: Any) -> Any:
    if value is None or isinstance(value, SymbolicInt):
        return value
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise DTypeError(f"index: a slice's limits are ints, bound Variables or None, not {value!r}")
    return value.__index__()


def _symbolic_limit(value: Any, default: Size, size: Size, axis: int, shape: Shape) -> Size:
    """A slice's limit, which must lie inside the axis for every value of the variables."""
    if value is None:
        return default
    at = size + value if isinstance(value, int) and value < 0 else value
    if isinstance(value, int) and greatest(size) <= value:
        return size
    if least(at) < 0 or greatest(at - size) > 0:
        raise BoundsError(f"index: the limit {value!r}, from {least(at)} to {greatest(at)}, may lie outside axis {axis} of size {size} "
                          f"(shape {shape})")
    return at


def _strided(extents: Shape, strides: list[int], counts: Shape) -> list[Step]:
    """Every stride-th element from the first: rows of that length, of which the first column stays. A flip comes before, so that the first
    element is the slice's own."""
    high = tuple(c * s - e for e, s, c in zip(extents, strides, counts))
    pairs = tuple(x for c, s in zip(counts, strides) for x in (c, s))
    columns = tuple(x for c in counts for x in (c, 1))
    zeros = (0,) * len(extents)
    return [(build.pad, (zeros, high)), (build.reshape, (pairs,)), (build.shrink, ((0,) * len(pairs), columns)), (build.reshape, (counts,))]


# Index arrays

def _advanced(items: list, shape: Shape) -> Key:
    """Ints beside arrays are arrays too. The result's axes stand where the arrays do, or first where other items divide them."""
    basic: list = []
    arrays: dict[int, Any] = {}
    places = []
    axis = 0
    for place, item in enumerate(items):
        taken = _axes_taken(item)
        is_bool = _is_array(item) and taken != 1 or _is_array(item) and _is_bool(item)
        if is_bool:
            wanted = shape[axis:axis + taken]
            if item.shape != wanted:
                raise BoundsError(f"index: a bool mask of shape {item.shape} does not fit {wanted}, from axis {axis} on (shape {shape})")
            if taken == 0:
                basic.append(None)
                arrays[_view_axis(basic)] = np.zeros(int(known(item, "index", INSTEAD_OF_MASKS) if isinstance(item, TensorCore) else item), np.int64)
            for positions in _where_true(item) if taken else ():
                basic.append(slice(None))
                arrays[_view_axis(basic)] = positions
            places.append(place)
        elif isinstance(item, int) or _is_array(item):
            basic.append(slice(None))
            size = shape[axis]
            arrays[_view_axis(basic)] = _position(item, size, axis, shape) if isinstance(item, int) else _checked(item, size, axis, shape)
            places.append(place)
        else:
            basic.append(item)
        axis += taken
    front = any(b - a != 1 for a, b in zip(places, places[1:]))
    return Key(_basic_steps(basic, shape), arrays, front)


def _where_true(mask: Any) -> tuple[Any, ...]:
    return np.nonzero(mask) if isinstance(mask, np.ndarray) else true_places(mask, "index", INSTEAD_OF_MASKS)


def _view_axis(basic: list) -> int:
    """The axis of the view that the last item makes."""
    return sum(not isinstance(i, (int, SymbolicInt)) or i is None for i in basic) - 1


def _is_bool(item: Any) -> bool:
    return item.dtype == np.bool_ if isinstance(item, np.ndarray) else item.dtype is T.bool_


def _checked(item: Any, size: Size, axis: int, shape: Shape) -> Any:
    """Known indices must lie inside; those that are data count from the end if negative, and give 0 outside."""
    if not isinstance(item, np.ndarray):
        return item
    if item.size and not (-least(size) <= int(item.min()) and int(item.max()) < least(size)):
        worst = int(item.min()) if int(item.min()) < -least(size) else int(item.max())
        raise BoundsError(f"index {worst} is out of bounds for axis {axis} of size {size} (shape {shape})")
    return item

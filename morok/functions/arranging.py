"""Elements put in another order or place: repeated, deleted, inserted, partitioned, moved between axes, laid out as blocks."""
from __future__ import annotations

from collections.abc import Callable
from itertools import combinations as chosen
from itertools import combinations_with_replacement
from math import prod
from typing import Any, Unpack

import numpy as np

from ..errors import AxisError, BoundsError, DTypeError, ShapeError
from ..tensor.arguments import also_named, flattened, integer, normal_axis, require_function, shape_argument
from ..tensor.other_names import OneDim
from ..tensor.tensor import Tensor
from .joining import cat
from .operands import tensor_of


@also_named(dim="axis")
def repeat(x: Any, repeats: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """Each element repeated, along an axis or over the flattened tensor: so often, or as often as its own count says. NumPy's; PyTorch's repeat_interleave.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.repeat_interleave.

        morok.repeat([1, 2, 3], [2, 0, 1])  # [1, 1, 3]
    """
    return tensor_of(x).repeat_interleave(repeats, axis)


@also_named(dim="axis")
def rollaxis(x: Any, axis: int, start: int = 0, **other: Unpack[OneDim]) -> Tensor:
    """An axis moved before the one that is at `start`, as NumPy's; moveaxis says it better.

    `x` is a tensor or array-like. AxisError for an axis that is not there.

        morok.rollaxis(morok.zeros(2, 3, 4), 2).shape  # (4, 2, 3)
    """
    t = tensor_of(x)
    source, end = normal_axis(axis, t.ndim, "rollaxis"), integer(start, "rollaxis: start")
    if not -t.ndim <= end <= t.ndim:
        raise AxisError(f"rollaxis: start {end} is not from {-t.ndim} to {t.ndim}")
    end = end + t.ndim if end < 0 else end
    return t.moveaxis(source, end - (source < end))


@also_named(dim="axis")
def partition(x: Any, kth: Any, axis: int | None = -1, **other: Unpack[OneDim]) -> Tensor:
    """In such an order along an axis that the elements at `kth`, a number or several, are where a sort puts them, no greater ones before and no less behind.

    Here all of them are sorted. `x` is a tensor or array-like; the flattened tensor for None. BoundsError for a place that is outside of the axis.

        morok.partition([3, 1, 2], 1)[1]  # 2
    """
    t = tensor_of(x)
    _check_places(t, kth, axis, "partition")
    return t.sort(axis)


@also_named(dim="axis")
def argpartition(x: Any, kth: Any, axis: int | None = -1, **other: Unpack[OneDim]) -> Tensor:
    """Where the elements of `partition` come from, as int64.

    `x` is a tensor or array-like; the flattened tensor for None. BoundsError for a place that is outside of the axis.

        morok.argpartition([3, 1, 2], 1)[1]  # 2
    """
    t = tensor_of(x)
    _check_places(t, kth, axis, "argpartition")
    return t.argsort(axis)


def _check_places(t: Tensor, kth: Any, axis: int | None, what: str) -> None:
    size: Any = t.numel() if axis is None else t.shape[normal_axis(axis, t.ndim, what)]
    for place in flattened((kth,), what):
        if not -size <= integer(place, f"{what}: kth") < size:
            raise BoundsError(f"{what}: kth {place} is out of bounds for an axis of size {size}")


@also_named(dim="axis")
def lexsort(keys: Any, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """The order by several keys, the last one first in rank, as int64: NumPy's.

    `keys` is a list of tensors or array-likes of one shape, or a tensor whose first axis they are. Equal elements stay in their order. ShapeError for none.

        morok.lexsort([[1, 0, 2], [1, 1, 0]])  # [2, 1, 0]
    """
    rows = [tensor_of(k) for k in (keys.unbind(0) if isinstance(keys, Tensor) else keys)]
    if not rows or not rows[0].ndim or any(r.shape != rows[0].shape for r in rows):
        raise ShapeError(f"lexsort: takes keys of one shape and at least one axis, given {[r.shape for r in rows]}")
    order = rows[0].argsort(axis)
    for key in rows[1:]:
        order = order.take_along_axis(key.take_along_axis(order, axis).argsort(axis), axis)
    return order


def msort(x: Any) -> Tensor:
    """The elements in order along the first axis, as `sort(x, 0)`.

    `x` is a tensor or array-like of at least one axis. Errors are those of Tensor.sort.

        morok.msort([[3], [1]])  # [[1], [3]]
    """
    return tensor_of(x).sort(0)


@also_named(dim="axis")
def delete(x: Any, index: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """Without the elements, or slices along an axis, that the index names: an int, a slice, several ints, or bools.

    `x` is a tensor or array-like, flattened without an axis; the index is known, or its values are computed at once. BoundsError for one outside.

        morok.delete([1, 2, 3], 1)  # [1, 3]
    """
    t, along = _along(x, axis, "delete")
    size: Any = t.shape[along]
    keep = np.ones(size, np.bool_)
    try:
        keep[index.numpy() if isinstance(index, Tensor) else index if isinstance(index, slice) else _places(index)] = False
    except IndexError as error:
        raise BoundsError(f"delete: {error}") from None
    return t.take(Tensor(np.flatnonzero(keep), device=t.device), along)


@also_named(dim="axis")
def insert(x: Any, index: Any, values: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """With values before the elements, or slices along an axis, that the index names: an int, a slice, or several ints, counted before the insertion.

    `x` is a tensor or array-like, flattened without an axis. The values broadcast to what is inserted, and take x's dtype. BoundsError for an index outside.

        morok.insert([1, 2, 3], 1, 9)  # [1, 9, 2, 3]
    """
    t, along = _along(x, axis, "insert")
    size: Any = t.shape[along]
    single = isinstance(index, (int, np.integer))
    places = np.arange(size)[index] if isinstance(index, slice) else _places(index.numpy() if isinstance(index, Tensor) else index).reshape(-1)
    if places.size and not (-size <= places.min() and places.max() <= size):
        raise BoundsError(f"insert: index {places.min() if places.min() < -size else places.max()} is out of bounds for an axis of size {size}")
    places = np.where(places < 0, places + size, places)
    given = tensor_of(values).cast(t.dtype)
    if single and given.ndim:  # one place takes all the values of the axis
        given = given.reshape((1,) * (t.ndim - given.ndim) + given.shape) if given.ndim < t.ndim else given
        given = given if along == 0 and given.ndim == t.ndim and tensor_of(values).ndim == t.ndim else given.moveaxis(0, along)
        places = np.repeat(places, given._concrete_shape()[along])
    shape = tuple(len(places) if a == along else s for a, s in enumerate(t.shape))
    order = np.argsort(places, kind="stable")
    where = np.empty(len(places), np.int64)
    where[order] = places[order] + np.arange(len(places))
    source = np.empty(size + len(places), np.int64)
    old = np.ones(size + len(places), np.bool_)
    old[where] = False
    source[old], source[where] = np.arange(size), size + np.arange(len(places))
    return cat([t, given.broadcast_to(shape)], along).take(Tensor(source, device=t.device), along)


def _along(x: Any, axis: int | None, what: str) -> tuple[Tensor, int]:
    t = tensor_of(x)
    return (t.ravel(), 0) if axis is None else (t, normal_axis(axis, t.ndim, what))


def _places(index: Any) -> np.ndarray:
    found = np.asarray(index)
    if found.dtype.kind not in "iub" and found.size:
        raise DTypeError(f"an index is an int, a slice, several ints or bools, not {index!r}")
    return found if found.size else found.astype(np.int64)


def resize(x: Any, new_shape: Any) -> Tensor:
    """The elements, over and over again, in another shape of any number of elements; zeros where there is none.

    `x` is a tensor or array-like of any shape. ShapeError for a negative size.

        morok.resize([1, 2, 3], (2, 2))  # [[1, 2], [3, 1]]
    """
    t, shape = tensor_of(x).ravel(), shape_argument((new_shape,), "resize")
    count, size = prod(integer(s, "resize: a size") for s in shape), t._concrete_shape()[0]
    if not size or not count:
        return Tensor.zeros(shape, dtype=t.dtype, device=t.device)
    return t.repeat(-(-count // size))[:count].reshape(shape)


def apply_along_axis(function: Callable[..., Any], axis: int, x: Any, *arguments: Any, **named: Any) -> Tensor:
    """What the function gives for each vector along an axis, in the place of that axis: `function` takes a vector, and is called once, by vmap.

    `x` is a tensor or array-like of at least one axis; what the function gives has any shape. VmapError where it asks for values.

        morok.apply_along_axis(lambda v: v.max() - v.min(), 1, [[1, 5], [2, 2]])  # [4, 0]
    """
    from ..tensor.mapping.vmap import vmap
    require_function(function, "apply_along_axis")
    t = tensor_of(x)
    along = normal_axis(axis, t.ndim, "apply_along_axis")
    rows = t.moveaxis(along, -1)
    mapped: Any = lambda v: tensor_of(function(v, *arguments, **named))  # noqa: E731
    for _ in range(t.ndim - 1):
        mapped = vmap(mapped)
    found = mapped(rows)
    more = found.ndim - (t.ndim - 1)
    return found.moveaxis(tuple(range(t.ndim - 1, found.ndim)), tuple(range(along, along + more))) if more else found


def block_diag(*tensors: Any) -> Tensor:
    """Matrices down the diagonal of a larger one, zeros elsewhere; vectors and numbers are matrices of one row.

    Tensors or array-likes of at most two axes; dtypes combine. ShapeError for more axes.

        morok.block_diag([[1, 2]], 3)  # [[1, 2, 0], [0, 0, 3]]
    """
    parts = [tensor_of(t) for t in tensors] or [Tensor.zeros(1, 0)]
    if any(p.ndim > 2 for p in parts):
        raise ShapeError(f"block_diag: takes matrices, not shapes {[p.shape for p in parts]}")
    blocks = [p.reshape((1,) * (2 - p.ndim) + p.shape) for p in parts]
    width, rows, left = sum(b._concrete_shape()[1] for b in blocks), [], 0
    for b in blocks:
        here = b._concrete_shape()[1]
        rows.append(b.pad(((0, 0), (left, width - left - here))))
        left += here
    return cat(rows, 0)


def combinations(x: Any, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, in their order, one a row: PyTorch's.

    `x` is a tensor or array-like of one axis. ShapeError for another shape, BoundsError for a negative r.

        morok.combinations([1, 2, 3])  # [[1, 2], [1, 3], [2, 3]]
    """
    t, count = tensor_of(x), integer(r, "combinations: r")
    if t.ndim != 1:
        raise ShapeError(f"combinations: takes a vector, not shape {t.shape}")
    if count < 0:
        raise BoundsError(f"combinations: r must not be negative, given {count}")
    rows = list((combinations_with_replacement if with_replacement else chosen)(range(t._concrete_shape()[0]), count))
    return t.take(Tensor(np.array(rows, np.int64).reshape(len(rows), count), device=t.device))


def array_equiv(x: Any, y: Any) -> Tensor:
    """Whether the shapes broadcast to one of both and all elements are equal: a 0-d bool.

    `x` and `y` are tensors or array-likes.

        morok.array_equiv([1, 2], [[1, 2], [1, 2]]).item()  # True
    """
    first, second = tensor_of(x), tensor_of(y)
    try:
        return first.eq(second).all()
    except ShapeError:
        return Tensor(False)


def fill_diagonal(x: Tensor, value: Any, wrap: bool = False) -> None:
    """Writes a value, or the elements of several over and over, to the diagonal of a tensor, in place; with `wrap` a tall matrix's diagonal begins anew.

    Two axes at least, of equal size if they are more. ShapeError otherwise, DTypeError for other than a Tensor.

        x = morok.zeros(2, 2)
        morok.fill_diagonal(x, 5)
    """
    if not isinstance(x, Tensor):
        raise DTypeError(f"fill_diagonal: writes into a Tensor, not {type(x).__name__}")
    shape = x._concrete_shape()
    if len(shape) < 2 or len(shape) > 2 and len(set(shape)) > 1:
        raise ShapeError(f"fill_diagonal: takes a matrix, or more axes of equal size, not shape {shape}")
    step = shape[1] + 1 if len(shape) == 2 else int(sum(np.cumprod((1, *shape[:-1]))))
    end = prod(shape) if wrap or len(shape) > 2 else min(shape[1] * shape[1], prod(shape))
    places = np.unravel_index(np.arange(0, end, step), shape)
    given = tensor_of(value)
    count = len(places[0])
    if given.numel() != 1:
        given = resize(given, (count,))
    if count:
        x[tuple(Tensor(p) for p in places)] = given.reshape(()) if given.numel() == 1 else given

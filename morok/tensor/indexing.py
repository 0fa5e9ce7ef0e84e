"""`t[key]` and `t[key] = value`. Ints, slices, None and ... give views; integer and bool arrays give new tensors.

Indices that are data count from the end if negative; outside the axis a gather gives 0 and a write is left out. Of several writes to one place the last
stays. A bool mask is computed at once where the size of the result depends on it.
"""
from __future__ import annotations

from typing import Any, Self, Unpack

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, OptionError, ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build
from .arguments import also_named, normal_axis
from .broadcasting import broadcast_shape
from .convolution import ConvolutionMethods
from .core import TensorCore
from .keys import Key, parse_key
from .other_names import OneAxis, OneDim
from .rows import picked, put
from .sizes import Shape, SymbolicInt, numel


class IndexingMethods(ConvolutionMethods):
    __slots__ = ()

    def __getitem__(self, key: Any) -> Self:
        """The elements at `key`, as NumPy indexes: ints, slices, None and `...` give a view; integer and bool arrays or tensors a new tensor.

        BoundsError or DTypeError names an index that does not fit; an index that is data and lies outside of its axis gives 0.

            x[1, ::2]
        """
        parsed = parse_key(key, self.shape)
        view = self._view(*parsed.steps)
        return IndexRows(view, parsed).result() if parsed.arrays else view

    def __setitem__(self, key: Any, value: Any) -> None:
        if _is_mask_of(key, self) and (_count(value) == 1 or _rank(value) <= self.ndim - key.ndim):  # the same whatever the mask holds for
            mask = self._operand(key, "setitem")
            mask = mask.reshape(*mask.shape, *(1,) * (self.ndim - mask.ndim))
            new = self._value_for(value, () if _count(value) == 1 else self.shape[key.ndim:], "setitem")
            self._write(self._new(build.broadcast(new, self.shape)).where(mask, self).uop)
            return
        parsed = parse_key(key, self.shape)
        view = self._view(*parsed.steps)
        if parsed.arrays:
            gather = IndexRows(view, parsed)
            view._write(gather.scattered(self._value_for(value, gather.shape(), "setitem")))
        elif not (isinstance(value, TensorCore) and value._storage is self._storage and value.uop is view.uop):
            # (`t[:3] *= 10` ends with writing the view to itself.)
            view._write(self._value_for(value, view.shape, "setitem"))

    def _value_for(self, value: Any, shape: Shape, what: str) -> TensorUOp:
        """A value to be written to elements of this shape, in this dtype."""
        is_array = isinstance(value, (TensorCore, np.ndarray, np.generic, list, tuple))
        source = self._operand(value, what) if is_array else self._left(value, what)
        given = source.shape
        while len(given) > len(shape) and given[0] == 1:
            given = given[1:]
        aligned = (1,) * (len(shape) - len(given)) + given
        if len(aligned) != len(shape) or any(g != s and g != 1 for g, s in zip(aligned, shape)):
            raise ShapeError(f"{what}: a value of shape {source.shape} does not broadcast to the elements written, of shape {shape}")
        return build.broadcast(build.reshape(build.cast(source.uop, self.dtype), given), shape)

    @also_named(axis="dim")
    def gather(self, dim: int, index: Any, **other: Unpack[OneAxis]) -> Self:
        """PyTorch's: element [i, j, ...] is this at [i, index[i, j, ...], ...] for dim 1, and so on for each dim.

            x.gather(1, index)
        """
        axis = normal_axis(dim, self.ndim, "gather")
        positions = self._positions(index, self.shape[axis], "gather")
        if positions.ndim != self.ndim or any(a != axis and least_not(p, s) for a, (p, s) in enumerate(zip(positions.shape, self.shape))):
            raise ShapeError(f"gather: the index of shape {positions.shape} must have as many axes as the tensor of shape {self.shape}, "
                             f"and sizes no greater but on axis {axis}")
        shape = positions.shape
        source = self.shrink([None if a == axis else (0, s) for a, s in enumerate(shape)])
        places, lead, tail = positions._narrowed(axis, self.shape[axis])
        order = (*lead, axis, *tail)
        found = picked(source.permute(order).uop, places.uop, len(lead))
        return self._new(build.permute(found, tuple(order.index(a) for a in range(len(order)))))

    @also_named(dim="axis")
    def take(self, indices: Any, axis: int | None = None, mode: str = "raise", **other: Unpack[OneDim]) -> Self:
        """Elements at the indices along an axis, or of the flattened tensor. The result has the indices' shape in place of the axis, the dtype stays.

        An index outside raises BoundsError where it is known; mode "wrap" counts it round the axis, "clip" takes the nearest. DTypeError for indices that are
        no integers, OptionError for another mode.

            Tensor([1.0, 2.0, 3.0]).take(Tensor([2, 0]))  # [3.0, 1.0]
        """
        if axis is None:
            return (self if self.ndim == 1 else self.ravel()).take(indices, 0, mode)
        along = normal_axis(axis, self.ndim, "take")
        if mode not in ("raise", "wrap", "clip"):
            raise OptionError(f"take: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
        if mode != "raise":
            size, places = self.shape[along], self._operand(as_array(indices), "take")
            if not places.dtype.is_int:
                raise DTypeError(f"take: indices are integers, not {places.dtype}")
            wide: Any = places.cast(T.int64)
            indices = wide.mod(size) if mode == "wrap" else wide.maximum(0).minimum(size - 1)
        return self[(slice(None),) * along + (indices,)]

    @also_named(dim="axis")
    def take_along_axis(self, indices: Any, axis: int | None = -1, **other: Unpack[OneDim]) -> Self:
        """NumPy's: element [i, j, ...] is this at [i, indices[i, j, ...], ...] for axis 1, and so on; of the flattened tensor for None.

        The indices have as many axes as this; the other axes broadcast. ShapeError, DTypeError or BoundsError for what does not fit.

            Tensor([[10, 20], [30, 40]]).take_along_axis(Tensor([[1], [0]]), 1)  # [[20], [30]]
        """
        if axis is None:
            return self.ravel().take_along_axis(indices, 0)
        along = normal_axis(axis, self.ndim, "take_along_axis")
        picked = self._positions(indices, self.shape[along], "take_along_axis")
        if self.ndim != picked.ndim:
            raise ShapeError(f"take_along_axis: indices of shape {picked.shape} must have as many axes as the tensor of shape {self.shape}")
        around = broadcast_shape("take_along_axis", *(t.shape[:along] + (1,) + t.shape[along + 1:] for t in (self, picked)))
        source, picked = (t.broadcast_to((*around[:along], t.shape[along], *around[along + 1:])) for t in (self, picked))
        return source.gather(along, picked)

    @also_named(axis="dim")
    def take_along_dim(self, indices: Any, dim: int | None = None, **other: Unpack[OneAxis]) -> Self:
        """PyTorch's name of `take_along_axis`; of the flattened tensor by default.

            Tensor([[10, 20], [30, 40]]).take_along_dim(Tensor([[1], [0]]), 1)  # [[20], [30]]
        """
        return self.take_along_axis(indices, dim)

    @also_named(axis="dim")
    def index_select(self, dim: int, index: Any, **other: Unpack[OneAxis]) -> Self:
        """PyTorch's take along an axis. The indices are an integer tensor of one axis.

            Tensor([[1.0, 2.0, 3.0]]).index_select(1, Tensor([2, 0]))  # [[3.0, 1.0]]
        """
        return self.take(index, dim)

    def masked_select(self, mask: Any) -> Self:
        """The elements where the mask holds, on one axis. Computes the mask at once. The same dtype; the mask is bool and broadcasts.

            Tensor([1.0, 2.0]).masked_select(Tensor([False, True]))  # [2.0]
        """
        chosen = self._operand(mask, "masked_select")
        shape = broadcast_shape("masked_select", self.shape, chosen.shape)
        return self.broadcast_to(shape)[chosen.broadcast_to(shape)]

    def _positions(self, index: Any, size: Any, what: str) -> Self:
        """Indices of an axis of this size, none of them negative but for those outside. BoundsError where they are known to be outside."""
        if not isinstance(index, TensorCore):
            known = as_array(index)
            if known.dtype.kind not in "iu":
                raise DTypeError(f"{what}: indices are integers, not {known.dtype}")
            if known.size and isinstance(size, int) and not (-size <= known.min() and known.max() < size):
                worst = known.min() if known.min() < -size else known.max()
                raise BoundsError(f"{what}: index {worst} is out of bounds for an axis of size {size} (shape {self.shape})")
            index = known
        positions = self._operand(index, what)
        if not positions.dtype.is_int:
            raise DTypeError(f"{what}: indices are integers, not {positions.dtype}")
        return positions

    def _narrowed(self, axis: int, size: Any) -> tuple[Self, list[int], list[int]]:
        """These positions on an axis without the axes along which they were expanded: positions (other axes, axis), none of them negative but for those
        outside; the other axes; and those left out, along which they name rows."""
        shape, u = self.shape, self.uop
        narrow = build.shape_of(u.operands[0]) if u.name == "expand" else shape
        tail = [a for a, (n, s) in enumerate(zip(narrow, shape)) if n == 1 and s not in (0, 1) and a != axis]
        lead = [a for a in range(len(shape)) if a not in tail and a != axis]
        places = self.shrink([(0, 1) if a in tail else None for a in range(len(shape))])._wrapped(size)
        return places.permute(*lead, axis, *tail).reshape([shape[a] for a in (*lead, axis)]), lead, tail

    def _wrapped(self, size: Any) -> Self:
        """Indices as int64, the negative ones counted from the end."""
        i = self.cast(T.int64)
        if self.dtype.kind == "u":
            return i
        if isinstance(size, SymbolicInt):
            count = i._new(build.reduce(build.full((size,), 1, T.int64), "add", (0,)))
            return i.where(i >= 0, i + count)
        return i.where(i >= 0, i + size)


def as_array(index: Any) -> Any:
    """A tensor as it is; lists and numbers as arrays."""
    if isinstance(index, TensorCore):
        return index
    array = np.asarray(index)
    return array.astype(np.int64) if not array.size and array.dtype.kind == "f" else array


def least_not(index_size: Any, size: Any) -> bool:
    """Whether an index's size exceeds the tensor's."""
    difference = index_size - size
    return bool(difference.bounds[1] > 0 if isinstance(difference, SymbolicInt) else difference > 0)


class IndexRows:
    """Index arrays applied to some axes of a view: the axes become one, the arrays one array of positions on it."""

    def __init__(self, view: Any, key: Key) -> None:
        self.view, self.axes = view, sorted(key.arrays)
        self.at = 0 if key.front else self.axes[0]
        sizes = [view.shape[a] for a in self.axes]
        arrays = [_as_indices(view, key.arrays[a], size) for a, size in zip(self.axes, sizes)]
        self.index_shape = broadcast_shape("index", *(a.shape for a in arrays))
        flat: Any = None
        for array, size in zip(arrays, sizes):
            inside = (array >= 0) & (array < size) if not isinstance(size, SymbolicInt) else None
            part = array if inside is None or len(arrays) == 1 else array.where(inside, -(1 << 40))  # stays outside, whatever is added
            flat = part if flat is None else flat * int(size) + part
        self.flat = flat.broadcast_to(self.index_shape)
        self.count = numel(sizes)
        self.others = [a for a in range(view.ndim) if a not in self.axes]

    def shape(self) -> Shape:
        """Of the result."""
        rest = tuple(self.view.shape[a] for a in self.others)
        return rest[:self.at] + self.index_shape + rest[self.at:]

    def _axis(self) -> int:
        """How many axes stay before the indexed ones when these become one: those that do, where they are neighbours."""
        first = self.axes[0]
        return first if self.axes == list(range(first, first + len(self.axes))) else 0

    def _rows(self, axis: int) -> Any:
        """The view with the indexed axes as one."""
        before, after = self.others[:axis], self.others[axis:]
        moved = self.view.permute(*before, *self.axes, *after)
        return moved.reshape(*(self.view.shape[a] for a in before), self.count, *(self.view.shape[a] for a in after))

    def result(self) -> Any:
        rows = self._rows(0)
        found = picked(rows.uop, self.flat.ravel().uop, 0)
        rest = rows.shape[1:]
        out = rows._new(build.reshape(found, (*self.index_shape, *rest)))
        rank = len(self.index_shape)
        order = (*range(rank, rank + self.at), *range(rank), *range(rank + self.at, rank + len(rest)))
        return self.view._new(out.permute(order).uop)

    def scattered(self, value: TensorUOp, op: str = "set") -> TensorUOp:
        """The view's new content: at each place the value of the last index that names it, else the old content; or both combined."""
        axis = self._axis()
        rows, rank = self._rows(axis), len(self.index_shape)
        rest = (*range(self.at), *range(self.at + rank, self.at + rank + len(self.others) - self.at))  # the value's axes beside the index's
        values = build.permute(value, (*rest[:axis], *range(self.at, self.at + rank), *rest[axis:]))
        positions = self.flat.ravel()
        lengths = rows.shape
        values = build.reshape(values, (*lengths[:axis], positions.shape[0], *lengths[axis + 1:]))
        new = put(rows.uop, build.reshape(positions.uop, (*(1,) * axis, positions.shape[0])), values, axis, op)
        order = (*self.others[:axis], *self.axes, *self.others[axis:])
        split = build.reshape(new, tuple(self.view.shape[a] for a in order))
        return build.permute(split, tuple(order.index(a) for a in range(self.view.ndim)))


def _as_indices(view: Any, array: Any, size: Any) -> Any:
    if isinstance(array, SymbolicInt):
        raise ShapeError(f"index: {array!r} does not go with index arrays; slice first")
    if isinstance(array, (int, np.ndarray)):
        known = np.asarray(array, np.int64)
        return type(view)(np.where(known < 0, known + size, known) if not isinstance(size, SymbolicInt) else known, device=view.device)
    return array._wrapped(size)


def _is_mask_of(key: Any, t: TensorCore) -> bool:
    """Whether the key is one bool array over the first axes."""
    if isinstance(key, (np.ndarray, TensorCore)) and key.ndim:
        is_bool = key.dtype == np.bool_ if isinstance(key, np.ndarray) else key.dtype is T.bool_
        return is_bool and key.shape == t.shape[:key.ndim]
    return False


def _rank(value: Any) -> int:
    return value.ndim if isinstance(value, (TensorCore, np.ndarray, np.generic)) else np.ndim(value)


def _count(value: Any) -> Any:
    if isinstance(value, (TensorCore, np.ndarray, np.generic)):
        return value.size
    return 1 if isinstance(value, (bool, int, float)) else None

"""Values put where indices say: PyTorch's scatter, index_add and kin, NumPy's put_along_axis. Each costs what it puts, in one ordered loop.

A method without an underscore gives a new tensor, one with it writes in place. Indices that are data count from the end if negative, and what they name
outside of the axis is left out; lists and arrays are looked at at once. Where several name one place, they are taken in their order: the last one put stays.
"""
from __future__ import annotations

from typing import Any, Self, Unpack

import numpy as np

from ..dialect import types as T
from ..errors import DTypeError, OptionError, ShapeError
from ..graph.tensor_graph import TensorUOp
from ..interpret.alu import identity
from . import build, dtypes
from .arguments import also_named, normal_axis
from .broadcasting import broadcast_shape, is_scalar
from .core import TensorCore
from .indexing import IndexRows, as_array, least_not
from .keys import parse_key
from .other_names import AxisValue, OneAxis, OneDim
from .rows import put
from .sizes import Shape
from .special.methods import SpecialMethods

OPS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min", "mean": "mean"}
"""What PyTorch's names of reductions stand for."""
REDUCTIONS = ("sum", "prod", "amax", "amin", "mean")


class ScatteringMethods(SpecialMethods):
    __slots__ = ()

    # Element by element

    @also_named(axis="dim", value="src")
    def scatter(self, dim: int, index: Any, src: Any, reduce: str | None = None, **other: Unpack[AxisValue]) -> Self:
        """This with src[i, j, ...] at [i, index[i, j, ...], ...] for dim 1, and so on for each dim; `reduce` "add" or "multiply" combines instead.

        The index has as many axes as this and integers, with sizes up to those of this (but on `dim`) and of `src`, which is a tensor or a number. The same
        shape and dtype. ShapeError or DTypeError for what does not fit, BoundsError for a known index outside.

            Tensor([0, 0, 0]).scatter(0, Tensor([2, 0]), Tensor([5, 6]))  # [6, 0, 5]
        """
        if reduce not in (None, "add", "multiply"):
            raise OptionError(f'scatter: reduce must be None, "add" or "multiply", not {reduce!r}; scatter_reduce knows more')
        return self._scattered(dim, index, src, OPS[reduce] if reduce else "set", True, "scatter")

    @also_named(axis="dim", value="src")
    def scatter_(self, dim: int, index: Any, src: Any, reduce: str | None = None, **other: Unpack[AxisValue]) -> Self:
        """`scatter` in place.

            Tensor([0, 0, 0]).scatter_(0, Tensor([2]), 5)  # [0, 0, 5]
        """
        return self._replace(self.scatter(dim, index, src, reduce))

    @also_named(axis="dim")
    def scatter_add(self, dim: int, index: Any, src: Any, **other: Unpack[OneAxis]) -> Self:
        """This with src[i, j, ...] added at [i, index[i, j, ...], ...] for dim 1, and so on; 16-bit floats summed in float32.

        Shapes, dtypes and errors as for `scatter`.

            Tensor([1, 1]).scatter_add(0, Tensor([0, 0]), Tensor([5, 6]))  # [12, 1]
        """
        return self._scattered(dim, index, src, "add", True, "scatter_add")

    @also_named(axis="dim")
    def scatter_add_(self, dim: int, index: Any, src: Any, **other: Unpack[OneAxis]) -> Self:
        """`scatter_add` in place.

            Tensor([1, 1]).scatter_add_(0, Tensor([0, 0]), Tensor([5, 6]))  # [12, 1]
        """
        return self._replace(self.scatter_add(dim, index, src))

    @also_named(axis="dim")
    def scatter_reduce(self, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Self:
        """This with src[i, j, ...] combined at [i, index[i, j, ...], ...] for dim 1, and so on: `reduce` is "sum", "prod", "mean", "amax" or "amin".

        Without `include_self` what was there before does not count. A mean of integers is rounded down. Shapes, dtypes and errors as for `scatter`; OptionError
        for another `reduce`.

            Tensor([1, 9]).scatter_reduce(0, Tensor([0, 0]), Tensor([5, 3]), "amax")  # [5, 9]
        """
        return self._scattered(dim, index, src, _reduction(reduce, "scatter_reduce"), include_self, "scatter_reduce")

    @also_named(axis="dim")
    def scatter_reduce_(self, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Self:
        """`scatter_reduce` in place.

            Tensor([1, 9]).scatter_reduce_(0, Tensor([0, 0]), Tensor([5, 3]), "sum")  # [9, 9]
        """
        return self._replace(self.scatter_reduce(dim, index, src, reduce, include_self))

    @also_named(dim="axis")
    def put_along_axis(self, indices: Any, values: Any, axis: int | None, **other: Unpack[OneDim]) -> None:
        """NumPy's: writes, in place, values[i, j, ...] to [i, indices[i, j, ...], ...] for axis 1, and so on; of the flattened tensor for None.

        The indices have as many axes as this, and the other axes broadcast; the values broadcast to the indices. ShapeError or DTypeError for what does not
        fit, BoundsError for a known index outside.

            x = Tensor([[1, 2], [3, 4]])
            x.put_along_axis([[0], [1]], 9, 1)
            x  # [[9, 2], [3, 9]]
        """
        if axis is None:
            self.view(-1).put_along_axis(indices, values, 0)
            return
        along = normal_axis(axis, self.ndim, "put_along_axis")
        positions = self._positions(indices, self.shape[along], "put_along_axis")
        if positions.ndim != self.ndim:
            raise ShapeError(f"put_along_axis: the indices of shape {positions.shape} must have as many axes as the tensor of shape {self.shape}")
        shape = tuple(p if a == along else s for a, (p, s) in enumerate(zip(positions.shape, self.shape)))
        if any(p not in (1, s) for p, s in zip(positions.shape, shape)):
            raise ShapeError(f"put_along_axis: the indices of shape {positions.shape} must broadcast to {shape}, but on axis {along}")
        value = self._value_for(values, shape, "put_along_axis")
        self._write(self._put_elements(along, positions.broadcast_to(shape), value, "set", True))

    # Slices at the indices of an axis

    @also_named(axis="dim")
    def index_add(self, dim: int, index: Any, source: Any, alpha: float = 1, **other: Unpack[OneAxis]) -> Self:
        """This with alpha times the slices of `source` along `dim` added at the indices; 16-bit floats summed in float32.

        The index has one axis, as long as that of `source`, whose other axes are those of this; source may also be a number. ShapeError or DTypeError for what
        does not fit, BoundsError for a known index outside.

            Tensor([1, 1]).index_add(0, Tensor([1, 1]), Tensor([5, 6]))  # [1, 12]
        """
        return self._indexed(dim, index, source if _is_one(alpha) else self._left(source, "index_add") * alpha, "add", True, "index_add")

    @also_named(axis="dim")
    def index_add_(self, dim: int, index: Any, source: Any, alpha: float = 1, **other: Unpack[OneAxis]) -> Self:
        """`index_add` in place.

            Tensor([1, 1]).index_add_(0, Tensor([1]), Tensor([5]), alpha=2)  # [1, 11]
        """
        return self._replace(self.index_add(dim, index, source, alpha))

    @also_named(axis="dim")
    def index_copy(self, dim: int, index: Any, source: Any, **other: Unpack[OneAxis]) -> Self:
        """This with the slices of `source` along `dim` at the indices. Shapes and errors as for `index_add`.

            Tensor([1, 2, 3]).index_copy(0, Tensor([2, 0]), Tensor([8, 9]))  # [9, 2, 8]
        """
        return self._indexed(dim, index, source, "set", True, "index_copy")

    @also_named(axis="dim")
    def index_copy_(self, dim: int, index: Any, source: Any, **other: Unpack[OneAxis]) -> Self:
        """`index_copy` in place.

            Tensor([1, 2, 3]).index_copy_(0, Tensor([2]), Tensor([8]))  # [1, 2, 8]
        """
        return self._replace(self.index_copy(dim, index, source))

    @also_named(axis="dim")
    def index_fill(self, dim: int, index: Any, value: Any, **other: Unpack[OneAxis]) -> Self:
        """This with the number, or tensor of one element, in all slices along `dim` at the indices. Errors as for `index_add`.

            Tensor([1, 2, 3]).index_fill(0, Tensor([0, 2]), 7)  # [7, 2, 7]
        """
        given = self._left(value, "index_fill")
        if given.numel() != 1:
            raise ShapeError(f"index_fill: the value must be a number or have one element, not shape {given.shape}; use index_copy")
        return self._indexed(dim, index, given.reshape(()), "set", True, "index_fill")

    @also_named(axis="dim")
    def index_fill_(self, dim: int, index: Any, value: Any, **other: Unpack[OneAxis]) -> Self:
        """`index_fill` in place.

            Tensor([1, 2, 3]).index_fill_(0, Tensor([-1]), 7)  # [1, 2, 7]
        """
        return self._replace(self.index_fill(dim, index, value))

    @also_named(axis="dim")
    def index_reduce(self, dim: int, index: Any, source: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Self:
        """This with the slices of `source` along `dim` combined at the indices: `reduce` is "sum", "prod", "mean", "amax" or "amin".

        Shapes and errors as for `index_add`; the rest as for `scatter_reduce`.

            Tensor([4, 1]).index_reduce(0, Tensor([0, 0]), Tensor([5, 6]), "mean")  # [5, 1]
        """
        return self._indexed(dim, index, source, _reduction(reduce, "index_reduce"), include_self, "index_reduce")

    @also_named(axis="dim")
    def index_reduce_(self, dim: int, index: Any, source: Any, reduce: str, include_self: bool = True, **other: Unpack[OneAxis]) -> Self:
        """`index_reduce` in place.

            Tensor([4, 1]).index_reduce_(0, Tensor([0, 0]), Tensor([2, 2]), "prod")  # [16, 1]
        """
        return self._replace(self.index_reduce(dim, index, source, reduce, include_self))

    # At index tensors

    def index_put(self, indices: Any, values: Any, accumulate: bool = False) -> Self:
        """This with `values` at self[indices], a tuple of integer or bool tensors (None for a whole axis); `accumulate` adds them, all of equal indices too.

        The values broadcast to the shape that self[indices] has. ShapeError, DTypeError or BoundsError for what does not fit.

            Tensor([1, 1]).index_put((Tensor([0, 0]),), Tensor([5, 6]), accumulate=True)  # [12, 1]
        """
        if not isinstance(indices, (tuple, list)) or all(i is None for i in indices):
            raise DTypeError(f"index_put: indices are a tuple of integer or bool tensors, not {indices!r}")
        arrays = [i if i is None else as_array(i) for i in indices]
        if all(a is None or a.ndim == 0 for a in arrays):
            arrays = [a if a is None else a.reshape(1) for a in arrays]
        parsed = parse_key(tuple(slice(None) if a is None else a for a in arrays), self.shape)
        gather = IndexRows(self._view(*parsed.steps), parsed)
        value = self._value_for(values, gather.shape(), "index_put")
        new = gather.scattered(value, ("or" if self.dtype is T.bool_ else "add") if accumulate else "set")
        return self._new(build.reshape(new, self.shape))

    def index_put_(self, indices: Any, values: Any, accumulate: bool = False) -> Self:
        """`index_put` in place.

            Tensor([1, 1]).index_put_((Tensor([0]),), 5)  # [5, 1]
        """
        return self._replace(self.index_put(indices, values, accumulate))

    def put(self, index: Any, source: Any, accumulate: bool = False) -> Self:
        """This with `source` at the indices into the flattened tensor, as PyTorch's (a new tensor: NumPy's writes in place, as `put_`); `accumulate` adds.

        `source` broadcasts to the shape of the index. Errors as for `index_put`.

            Tensor([[1, 2], [3, 4]]).put(Tensor([0, 3]), Tensor([8, 9]))  # [[8, 2], [3, 9]]
        """
        return self.ravel().index_put((index,), source, accumulate).reshape(self.shape)

    def put_(self, index: Any, source: Any, accumulate: bool = False) -> Self:
        """`put` in place.

            Tensor([[1, 2], [3, 4]]).put_([1], 7)  # [[1, 7], [3, 4]]
        """
        return self._replace(self.put(index, source, accumulate))

    def masked_scatter(self, mask: Any, source: Any) -> Self:
        """This with the elements of `source`, one after the other, where the mask holds; those beyond the end of `source` stay.

        The mask is bool and broadcasts to this; source is converted to its dtype. ShapeError or DTypeError for what does not fit.

            Tensor([1, 2, 3]).masked_scatter(Tensor([True, False, True]), Tensor([8, 9]))  # [8, 2, 9]
        """
        chosen = self._operand(mask, "masked_scatter")
        if chosen.dtype is not T.bool_:
            raise DTypeError(f"masked_scatter: the mask must be bool, not {chosen.dtype}; compare it, or use .bool()")
        if broadcast_shape("masked_scatter", self.shape, chosen.shape) != self.shape:
            raise ShapeError(f"masked_scatter: a mask of shape {chosen.shape} does not broadcast to the tensor of shape {self.shape}")
        chosen = chosen.broadcast_to(self.shape).ravel()
        given = self._stored(source, "masked_scatter").ravel()
        number = chosen.cumsum(0) - 1
        return given.take(number).where(chosen & (number < given.shape[0]), self.ravel()).reshape(self.shape)

    def masked_scatter_(self, mask: Any, source: Any) -> Self:
        """`masked_scatter` in place.

            Tensor([1, 2, 3]).masked_scatter_(Tensor([True, False, True]), Tensor([8, 9]))  # [8, 2, 9]
        """
        return self._replace(self.masked_scatter(mask, source))

    # Windows

    @also_named(axis="dim")
    def select_scatter(self, src: Any, dim: int, index: int, **other: Unpack[OneAxis]) -> Self:
        """This with `src` as the slice at an index of a dim, as PyTorch's.

        `src` broadcasts to the shape without the dim. ShapeError or BoundsError for what does not fit.

            Tensor([[1, 2], [3, 4]]).select_scatter(Tensor([8, 9]), 1, 0)  # [[8, 2], [9, 4]]
        """
        new = self.clone()
        new[(slice(None),) * normal_axis(dim, self.ndim, "select_scatter") + (index,)] = src
        return new

    @also_named(axis="dim")
    def slice_scatter(self, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1, **other: Unpack[OneAxis]) -> Self:
        """This with `src` in a slice along a dim, as PyTorch's.

        `src` broadcasts to the shape of the slice. ShapeError for what does not fit.

            Tensor([1, 2, 3, 4]).slice_scatter(Tensor([8, 9]), 0, 1, None, 2)  # [1, 8, 3, 9]
        """
        new = self.clone()
        new[(slice(None),) * normal_axis(dim, self.ndim, "slice_scatter") + (slice(start, end, step),)] = src
        return new

    # How

    def _replace(self, new: Self) -> Self:
        self._write(new.uop)
        return self

    def _stored(self, value: Any, what: str) -> Self:
        """What is put, in this dtype."""
        given = self._left(value, what)
        if not dtypes.may_store(given.dtype, self.dtype):
            raise DTypeError(f"{what}: values of {given.dtype} do not go into a tensor of {self.dtype}; cast one of them")
        return given.cast(self.dtype)

    def _scattered(self, dim: int, index: Any, src: Any, op: str, include_self: bool, what: str) -> Self:
        if not self.ndim:
            return self.reshape(1)._scattered(dim, _axis_added(index), _axis_added(src), op, include_self, what).reshape(())
        axis = normal_axis(dim, self.ndim, what)
        positions, given = self._positions(index, self.shape[axis], what), self._stored(src, what)
        shape = positions.shape
        if len(shape) != self.ndim or any(a != axis and least_not(p, s) for a, (p, s) in enumerate(zip(shape, self.shape))):
            raise ShapeError(f"{what}: the index of shape {shape} must have as many axes as the tensor of shape {self.shape}, and sizes no greater but on "
                             f"axis {axis}")
        if is_scalar(src):
            given = given.broadcast_to(shape)
        elif given.ndim != len(shape) or any(least_not(p, s) for p, s in zip(shape, given.shape)):
            raise ShapeError(f"{what}: the index of shape {shape} must have as many axes as the values of shape {given.shape}, and sizes no greater")
        value = given.shrink([(0, s) for s in shape]).uop
        return self._new(self._put_elements(axis, positions, value, op, include_self))

    def _put_elements(self, axis: int, positions: Self, value: TensorUOp, op: str, include_self: bool) -> TensorUOp:
        """The new value, from an element of `value` for each position. Axes along which the positions were expanded are the same rows' elements."""
        shape = positions.shape
        places, lead, tail = positions._narrowed(axis, self.shape[axis])
        order = (*lead, axis, *tail)
        window = self.shrink([None if a == axis else (0, s) for a, s in enumerate(shape)])
        new = _combined(window.permute(order).uop, places.uop, build.permute(value, order), len(lead), op, include_self)
        new = build.permute(new, tuple(order.index(a) for a in range(len(shape))))
        if window.shape == self.shape:
            return new
        whole = self.clone()
        whole.shrink([None if a == axis else (0, s) for a, s in enumerate(shape)])._write(new)
        return whole.uop

    def _indexed(self, dim: int, index: Any, source: Any, op: str, include_self: bool, what: str) -> Self:
        if not self.ndim:
            return self.reshape(1)._indexed(dim, index, _axis_added(source), op, include_self, what).reshape(())
        axis = normal_axis(dim, self.ndim, what)
        positions, given = self._positions(index, self.shape[axis], what)._wrapped(self.shape[axis]), self._stored(source, what)
        if positions.ndim > 1:
            raise ShapeError(f"{what}: the index must have one axis, not shape {positions.shape}")
        positions = positions.reshape(positions.numel())
        shape = (*self.shape[:axis], positions.shape[0], *self.shape[axis + 1:])
        if not given.ndim:
            given = given.broadcast_to(shape)
        elif given.shape != shape:
            raise ShapeError(f"{what}: the source of shape {given.shape} must have shape {shape}: as many slices along axis {axis} as there are indices")
        places = build.reshape(positions.uop, (*(1,) * axis, positions.shape[0]))
        return self._new(_combined(self.uop, places, given.uop, axis, op, include_self))


def _combined(rows: TensorUOp, positions: TensorUOp, value: TensorUOp, axis: int, op: str, include_self: bool) -> TensorUOp:
    """As `put`, also for "mean"; 16-bit floats are combined in float32."""
    dtype = rows.dtype
    if dtype is T.bool_ and op not in ("set", "max", "min", "mul"):
        if op == "mean":
            raise DTypeError("scatter_reduce: bools have no mean; cast them")
        op = "max"
    if dtype.is_float and dtype.bits < 32 and op in ("add", "mul", "mean"):
        return build.cast(_combined(build.cast(rows, T.float32), positions, build.cast(value, T.float32), axis, op, include_self), dtype)
    if op == "mean" and dtype.is_int and dtype.bits < 64:  # sums that wrap have another mean
        wide = T.uint64 if dtype.kind == "u" else T.int64
        return build.cast(_combined(build.cast(rows, wide), positions, build.cast(value, wide), axis, op, include_self), dtype)
    kind = "add" if op == "mean" else op
    start = rows
    if not include_self:
        start = put(rows, positions, build.full(build.shape_of(value), identity(kind, dtype), dtype), axis, "set")
    found = put(start, positions, value, axis, kind)
    return build.alu("div" if dtype.is_float else "floordiv", found, _counts(rows, positions, value, axis, include_self)) if op == "mean" else found


def _counts(rows: TensorUOp, positions: TensorUOp, value: TensorUOp, axis: int, include_self: bool) -> TensorUOp:
    """How many values a mean is of, at each place: at least 1."""
    shape, given, dtype = build.shape_of(rows), build.shape_of(value), rows.dtype

    def flat(sizes: Shape) -> Shape:
        return (*sizes[:axis + 1], *(1,) * (len(sizes) - axis - 1))

    counts = put(build.full(flat(shape), int(include_self), T.int64), positions, build.full(flat(given), 1, T.int64), axis, "add")
    counts = build.alu("max", counts, build.full(flat(shape), 1, T.int64))
    return build.expand(build.cast(counts, dtype), shape)


def _reduction(name: Any, what: str) -> str:
    if name not in REDUCTIONS:
        raise OptionError(f"{what}: reduce must be one of {', '.join(REDUCTIONS)}, not {name!r}")
    return OPS[name]


def _is_one(alpha: Any) -> bool:
    return is_scalar(alpha) and alpha == 1


def _axis_added(value: Any) -> Any:
    """What goes with a 0-d tensor, for the same with one axis."""
    if is_scalar(value):
        return value
    given: Any = value if isinstance(value, TensorCore) else np.asarray(value)
    return given.reshape(1) if given.ndim == 0 else given

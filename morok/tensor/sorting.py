"""Order along an axis: sort, argsort, topk, kthvalue, searchsorted. NaN is the greatest value; equal elements stay in their order.

The work is `radix.py`'s. What a sort's elements receive goes back to where they came from.
"""
from __future__ import annotations

from math import prod
from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import BoundsError, ShapeError
from ..graph.derivation import is_derived
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes, radix
from .arguments import also_named, integer, normal_axis
from .closed_form import with_rule
from .cumulative import CumulativeMethods
from .other_names import AxisKeepdims, OneAxis, OneDim
from .rows import picked, put


class SortingMethods(CumulativeMethods):
    __slots__ = ()

    @also_named(dim="axis")
    def sort(self, axis: int | None = -1, descending: bool = False, stable: bool = True, **other: Unpack[OneDim]) -> Self:
        """The elements in order along an axis; of the flattened tensor for None. NaN is greatest; -0.0 comes before 0.0.

        A new tensor of the same shape and dtype (as the array API has it; PyTorch's gives `argsort` beside it). Every sort is stable. AxisError for
        an axis that is not there, ShapeError for symbolic sizes.

            Tensor([3, 1, 2]).sort()  # [1, 2, 3]
        """
        if axis is None:
            return self.ravel().sort(0, descending, stable)
        rows, along = self._as_rows(axis, "sort")
        found = radix.values_of(radix.sorted_keys(radix.keys_of(rows, descending, equal_zeros=False)), self.dtype, descending)
        result = self._from_rows(found, along)
        return self._new(_derived(self, result, along, descending)) if self.dtype.is_float and is_derived(self.uop) else result

    @also_named(dim="axis")
    def argsort(self, axis: int | None = -1, descending: bool = False, stable: bool = True, **other: Unpack[OneDim]) -> Self:
        """Where the elements come from in order along an axis, as int64; of the flattened tensor for None. NaN is greatest, zeros are equal.

        The same shape. Equal elements stay in their order, in descending order too. AxisError for an axis that is not there.

            Tensor([3, 1, 2]).argsort()  # [1, 2, 0]
        """
        if axis is None:
            return self.ravel().argsort(0, descending, stable)
        rows, along = self._as_rows(axis, "argsort")
        return self._from_rows(radix.order_of(radix.keys_of(rows, descending)), along)

    @also_named(axis="dim", keepdims="keepdim")
    def kthvalue(self, k: int, dim: int = -1, keepdim: bool = False, **other: Unpack[AxisKeepdims]) -> tuple[Self, Self]:
        """The k-th least element along an axis, counted from 1, and where it is (int64), without the axis.

        BoundsError for a k that is not in [1, n].

            Tensor([3.0, 1.0, 2.0]).kthvalue(2)[0]  # 2.0
        """
        along = normal_axis(dim, self.ndim, "kthvalue")
        n, number = self.shape[along], integer(k, "kthvalue: k")
        if not 1 <= number <= n:
            raise BoundsError(f"kthvalue: k must lie in [1, {n}], the axis's size, not {number}")
        place = self.argsort(along).shrink([(number - 1, number) if a == along else None for a in range(self.ndim)])
        value = self.gather(along, place)
        return (value, place) if keepdim else (value.squeeze(along), place.squeeze(along))

    @also_named(axis="dim")
    def topk(self, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, **other: Unpack[OneAxis]) -> tuple[Self, Self]:
        """The k greatest elements along an axis (or least, without `largest`), in order, and where they are (int64); NaN is greatest.

        Both of the tensor's shape with k on the axis. BoundsError for a k that is not in [0, n].

            Tensor([3.0, 1.0, 2.0]).topk(2)[1]  # [0, 2]
        """
        along = normal_axis(dim, self.ndim, "topk")
        n, number = self.shape[along], integer(k, "topk: k")
        if not 0 <= number <= n:
            raise BoundsError(f"topk: k must lie in [0, {n}], the axis's size, not {number}")
        places = self.argsort(along, largest).shrink([(0, number) if a == along else None for a in range(self.ndim)]).contiguous()
        return self.gather(along, places), places

    def searchsorted(self, values: Any, side: str = "left", sorter: Any = None, right: bool | None = None) -> Self:
        """Where values would be inserted into this sorted tensor to keep it in order, as int64: before equal elements, or behind them for side "right".

        This has one axis, and values any shape; or several, and values the same but the last (each row searches in its row). `sorter` is the argsort of
        a tensor that isn't sorted. `right=True` is PyTorch's side "right". NaN is greatest. What an unsorted tensor gives is not defined.

            Tensor([1, 3, 5]).searchsorted(Tensor([3, 4]))  # [1, 2]
        """
        if right is not None:
            side = "right" if right else "left"
        if side not in ("left", "right"):
            raise ValueError(f"searchsorted: side must be 'left' or 'right', not {side!r}")
        table, wanted = self, self._left(values, "searchsorted")
        if sorter is not None:
            table = table.gather(-1, self._operand(sorter, "searchsorted: sorter"))
        if table.ndim == 0 or table.ndim > 1 and table.shape[:-1] != wanted.shape[:-1]:
            raise ShapeError(f"searchsorted: values of shape {wanted.shape} do not go with a sorted tensor of shape {table.shape}: "
                             "one axis, or the values' axes but the last")
        common = dtypes.promote(table.dtype, wanted.dtype)
        flat, sought = (x.cast(common) for x in (table.contiguous().ravel(), wanted))
        if not all(isinstance(s, int) for s in table.shape):
            raise ShapeError(f"searchsorted: takes a sorted tensor of static sizes, not {table.shape}")
        n: Any = table.shape[-1]
        if n == 0 or 0 in wanted.shape:
            return self._new(build.full(wanted.shape, 0, T.int64))
        rows = prod(table.shape[:-1])
        row = self._new(build.iota(rows, T.int64)).reshape(*table.shape[:-1], 1) * n if table.ndim > 1 else 0
        found = self._new(build.full(wanted.shape, 0, T.int64))
        step = 1 << n.bit_length() - 1
        while step:
            tried = found + step
            element = _elements(flat, (tried - 1).minimum(n - 1) + row)
            before = _is_before(element, sought) if side == "left" else ~_is_before(sought, element)
            found = tried.where(before & (tried <= n), found)
            step >>= 1
        return found

    def bucketize(self, boundaries: Any, right: bool = False) -> Self:
        """The bucket of each element between sorted boundaries, as int64: bucket i is (boundaries[i - 1], boundaries[i]], or [.., ..) with `right`.

        The tensor's shape; boundaries have one axis.

            Tensor([0.5, 2.0]).bucketize([1.0, 2.0])  # [0, 1]
        """
        edges = self._operand(boundaries, "bucketize")
        if edges.ndim != 1:
            raise ShapeError(f"bucketize: boundaries must have one axis, not the shape {edges.shape}")
        return edges.searchsorted(self, "right" if right else "left")

    def isin(self, elements: Any, invert: bool = False) -> Self:
        """Whether each element is among the elements of another tensor, as bool; NaN is in nothing.

        The tensor's shape, for elements of any shape.

            Tensor([1, 2, 3]).isin([3, 1])  # [True, False, True]
        """
        known = self._left(elements, "isin").ravel()
        n = known.shape[0]
        if n == 0:
            return self._new(build.full(self.shape, invert, T.bool_))
        common = dtypes.promote(self.dtype, known.dtype)
        table, sought = known.cast(common).sort(), self.cast(common)
        place = table.searchsorted(sought).minimum(n - 1)
        found = _elements(table, place).eq(sought)
        return ~found if invert else found

    def _as_rows(self, axis: int, what: str) -> tuple[Self, int]:
        """The tensor as rows (b, n) along an axis, and the axis."""
        along = normal_axis(axis, self.ndim, what)
        if not all(isinstance(s, int) for s in self.shape):
            raise ShapeError(f"{what}: takes static sizes, not {self.shape}; take the greatest size, and slice the result")
        n = self.shape[along]
        return self.moveaxis(along, -1).reshape(prod(s for a, s in enumerate(self.shape) if a != along), n), along

    def _from_rows(self, rows: Self, along: int) -> Self:
        """Rows (b, n) as the tensor's other axes with n along the axis."""
        others = tuple(s for a, s in enumerate(self.shape) if a != along)
        return rows.reshape(*others, rows.shape[1]).moveaxis(-1, along)


def _elements(x: Any, places: Any) -> Any:
    """The elements of a tensor of one axis at places of any shape."""
    return x._new(picked(x.uop, places.ravel().uop, 0)).reshape(*places.shape)


def _is_before(x: Any, y: Any) -> Any:
    """Whether x comes before y in order: NaN after all."""
    return x.lt(y) | y.isnan() & ~x.isnan() if x.dtype.is_float else x.lt(y)


def _derived(x: Any, result: Any, axis: int, descending: bool) -> TensorUOp:
    """The sorted values, whose cotangents go back to where their elements came from."""
    source = x.uop

    def reach(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
        rows, along = x._new(source).detach()._as_rows(axis, "sort")
        order = radix.order_of(radix.keys_of(rows, descending, equal_zeros=False))
        places = x._new(build.full(order.shape, 0, T.int64))
        rank = places._new(put(places.uop, order.uop, build.broadcast(build.iota_along(order.shape, 1, T.int64), order.shape), 1, "set"))
        return (x._new(g).gather(axis, x._from_rows(rank, along)).uop,)
    return with_rule(result.uop, (source,), reach)

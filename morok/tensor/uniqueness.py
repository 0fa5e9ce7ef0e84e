"""Distinct elements: unique with its indices, inverse and counts. Sorted, marked where a new one begins, and put side by side.

How many there are is data: a call computes that at once, unless it is given a size.
"""
from __future__ import annotations

import math
from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import BoundsError, OptionError
from . import build
from .arguments import also_named, integer, normal_axis
from .data_sizes import true_places
from .order_statistics import OrderStatisticsMethods
from .other_names import OneAxis, OneDim
from .rows import picked, put


class UniqueMethods(OrderStatisticsMethods):
    __slots__ = ()

    @also_named(dim="axis")
    def unique(self, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None,
               equal_nan: bool = True, size: int | None = None, fill_value: Any = None, **other: Unpack[OneDim]) -> Any:
        """The distinct elements of the flattened tensor in order; and, as asked, the first index of each, the inverse (each element's index among them, in the
        tensor's shape) and how often each occurs, all int64. With an axis the distinct slices along it, in the order of their elements, and the inverse on one
        axis.

        Computes their number at once. With `size` it doesn't (so that it works inside of `morok.jit`): the result has that many, the first ones if there
        are more; behind the last one come `fill_value` (default: the first element), index and count 0. NaNs are one element, or each its own without
        `equal_nan`. BoundsError for a negative size.

            Tensor([3, 1, 3]).unique()  # [1, 3]
        """
        if axis is not None:
            along = normal_axis(axis, self.ndim, "unique")
            if fill_value is not None:
                raise OptionError("unique: along an axis there is no fill_value; what is behind the last slice is the first one")
            _, index, *more = self._slice_ranks(along, equal_nan).unique(True, return_inverse, return_counts, size=size)
            slices = [self.take(index, along), *([index] if return_index else []), *more]
            return slices[0] if len(slices) == 1 else tuple(slices)
        flat = self.ravel()
        n = flat.shape[0]
        wanted = None if size is None else integer(size, "unique: size")
        if wanted is not None and wanted < 0:
            raise BoundsError(f"unique: size must be at least 0, not {wanted}")
        zeros = self._new(build.full((n,), 0, T.int64))
        order = flat.argsort().contiguous() if n else zeros
        ordered = self._new(picked(flat.uop, order.uop, 0)) if n else flat
        number = (_begins(ordered, equal_nan).cast(T.int64).cumsum(0) - 1).contiguous() if n else zeros
        count = wanted if wanted is not None else int(number[-1].item()) + 1 if n else 0
        first = number.where(_begins(ordered, equal_nan), -1) if n else zeros
        start: Any = 0 if fill_value is None else fill_value
        target = self._new(build.full((count,), start, self.dtype))
        if fill_value is None and wanted is not None and n and wanted:
            target = ordered[:1].expand(count).contiguous()
        found = [self._new(put(target.uop, first.uop, ordered.uop, 0, "set"))]
        none = build.full((count,), 0, T.int64)
        if return_index:
            found.append(self._new(put(none, first.uop, order.uop, 0, "set")))
        if return_inverse:
            found.append(self._new(put(zeros.uop, order.uop, number.uop, 0, "set")).reshape(self.shape))
        if return_counts:
            found.append(self._new(put(none, number.uop, build.full((n,), 1, T.int64), 0, "add")))
        return found[0] if len(found) == 1 else tuple(found)

    def _slice_ranks(self, axis: int, equal_nan: bool) -> Self:
        """A number for each slice along an axis, equal for equal slices, and in their order: ranks of elements, then of pairs of ranks, until there is one."""
        size = self.shape[axis]
        ranks = self.moveaxis(axis, 0).reshape(size, math.prod(s for a, s in enumerate(self.shape) if a != axis))
        if 0 in ranks.shape:
            return self._new(build.full((size,), 0, T.int64))
        ranks = ranks.unique(return_inverse=True, equal_nan=equal_nan, size=0)[1]
        while (width := ranks.shape[1]) > 1:
            if width % 2:
                ranks, width = ranks.pad(((0, 0), (0, 1))), width + 1
            pairs = ranks[:, ::2] * (size * width) + ranks[:, 1::2]
            ranks = pairs.unique(return_inverse=True, size=0)[1]
        return ranks.reshape(size)

    @also_named(axis="dim")
    def unique_consecutive(self, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None, **other: Unpack[OneAxis]) -> Any:
        """Without the elements that are equal to the one before: PyTorch's. Flattened, or slices along an axis; and, as asked, each element's index among those
        that remain, and how often each occurs, int64.

        Their number is computed at once. JitError inside a captured function.

            Tensor([1, 1, 2, 1]).unique_consecutive()  # [1, 2, 1]
        """
        flat = self.ravel() if dim is None else self._slice_ranks(normal_axis(dim, self.ndim, "unique_consecutive"), False)
        begins = _begins(flat, False) if flat.shape[0] else self._new(build.full((0,), False, T.bool_))
        (places,) = true_places(begins, "unique_consecutive", "call it outside")
        found = [flat.take(places) if dim is None else self.take(places, dim)]
        if return_inverse:
            number = begins.cast(T.int64).cumsum(0) - 1
            found.append(number.reshape(self.shape) if dim is None else number)
        if return_counts:
            found.append(self._new(build.pad(places[1:].uop, (0,), (1,), flat.shape[0])) - places if places.shape[0] else places)
        return found[0] if len(found) == 1 else tuple(found)


def _begins(ordered: Any, equal_nan: bool) -> Any:
    """Whether each sorted element is another than the one before it."""
    n = ordered.shape[0]
    earlier, later = ordered[:-1], ordered[1:]
    differ = later.ne(earlier)
    if ordered.dtype.is_float and equal_nan:
        differ = differ & ~(later.isnan() & earlier.isnan())
    return ordered._new(build.pad(differ.uop, (1,), (0,), True)) if n > 1 else ordered._new(build.full((n,), True, T.bool_))

"""Distinct elements: unique with its indices, inverse and counts. Sorted, marked where a new one begins, and put side by side.

How many there are is data: a call computes that at once, unless it is given a size.
"""
from __future__ import annotations

from typing import Any

from ..dialect import types as T
from ..errors import BoundsError
from . import build
from .arguments import integer
from .order_statistics import OrderStatisticsMethods
from .rows import picked, put


class UniqueMethods(OrderStatisticsMethods):
    __slots__ = ()

    def unique(self, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, equal_nan: bool = True,
               size: int | None = None, fill_value: Any = None) -> Any:
        """The distinct elements of the flattened tensor in order; and, as asked, the first index of each, the inverse (each element's index among them, in the
        tensor's shape) and how often each occurs, all int64.

        Computes their number at once. With `size` it doesn't (so that it works inside of `morok.jit`): the result has that many, the first ones if there
        are more; behind the last one come `fill_value` (default: the first element), index and count 0. NaNs are one element, or each its own without
        `equal_nan`. BoundsError for a negative size.

            Tensor([3, 1, 3]).unique()  # [1, 3]
        """
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


def _begins(ordered: Any, equal_nan: bool) -> Any:
    """Whether each sorted element is another than the one before it."""
    n = ordered.shape[0]
    earlier, later = ordered[:-1], ordered[1:]
    differ = later.ne(earlier)
    if ordered.dtype.is_float and equal_nan:
        differ = differ & ~(later.isnan() & earlier.isnan())
    return ordered._new(build.pad(differ.uop, (1,), (0,), True)) if n > 1 else ordered._new(build.full((n,), True, T.bool_))

"""Vectors as sets: what is in both, in one of them, in either. Made of sorts and searches, and sorted themselves.

How many elements there are is data: a call computes that at once.
"""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .joining import cat
from .operands import tensor_of
from .searching import isin


def union1d(x: Any, y: Any) -> Tensor:
    """The distinct elements of either, in order.

    `x` and `y` are tensors or array-likes of any shape; one axis, dtypes combine. JitError inside a captured function, as for `unique`.

        morok.union1d([3, 1], [2, 3])  # [1, 2, 3]
    """
    return cat([tensor_of(x).ravel(), tensor_of(y).ravel()]).unique()


def intersect1d(x: Any, y: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The distinct elements of both, in order; with `return_indices` also where each is first in x and in y, int64.

    `x` and `y` are tensors or array-likes of any shape, flattened; dtypes combine. With `assume_unique` neither has an element twice. NaN is equal to none.

        morok.intersect1d([3, 1, 3, 2], [2, 3])  # [2, 3]
    """
    first, second = _common(x, y)
    mine, places = _distinct(first, assume_unique)
    kept = isin(mine, second)
    found = mine.compress(kept)
    if not return_indices:
        return found
    theirs, others = _distinct(second, assume_unique)
    return found, places.compress(kept), others.take(theirs.searchsorted(found)) if theirs.shape[0] else others


def setdiff1d(x: Any, y: Any, assume_unique: bool = False) -> Tensor:
    """The distinct elements of x that are not in y, in order; with `assume_unique` in x's order, x having none twice.

    `x` and `y` are tensors or array-likes of any shape, flattened. x's dtype.

        morok.setdiff1d([3, 1, 3, 2], [2, 5])  # [1, 3]
    """
    first = tensor_of(x).ravel()
    mine = first if assume_unique else first.unique()
    return mine.compress(~isin(mine, tensor_of(y).ravel()))


def setxor1d(x: Any, y: Any, assume_unique: bool = False) -> Tensor:
    """The distinct elements of one of both that are not in the other, in order. NaN is equal to none.

    `x` and `y` are tensors or array-likes of any shape, flattened; dtypes combine. With `assume_unique` neither has an element twice.

        morok.setxor1d([3, 1], [2, 3])  # [1, 2]
    """
    first, second = _common(x, y)
    both = cat([_distinct(t, assume_unique)[0] for t in (first, second)])
    values, counts = both.unique(return_counts=True, equal_nan=False)
    return values.compress(counts.eq(1))


def _common(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Both on one axis, in their common dtype."""
    first, second = tensor_of(x).ravel(), tensor_of(y).ravel()
    dtype = (first[:0].cat(second[:0])).dtype
    return first.cast(dtype), second.cast(dtype)


def _distinct(t: Tensor, already: bool) -> tuple[Tensor, Tensor]:
    """The distinct elements in order, and where each is first."""
    order = t.argsort() if already else None
    found: tuple[Tensor, Tensor] = (t.take(order), order) if order is not None else t.unique(return_index=True)
    return found

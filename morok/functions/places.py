"""Indices of elements: from places in a flattened tensor to indices along each axis and back, of diagonals and triangles, of grids."""
from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..errors import BoundsError, DTypeError, OptionError, ShapeError
from ..tensor.arguments import integer, shape_argument
from ..tensor.tensor import Tensor
from .grids import tril_indices, triu_indices
from .operands import tensor_of


def unravel_index(indices: Any, shape: Any) -> tuple[Tensor, ...]:
    """The indices along each axis of a shape, of elements given by their place in the flattened tensor.

    One int64 tensor for each axis, of the shape of `indices`, which are integers from 0. BoundsError for one that is known to be outside.

        rows, columns = morok.unravel_index([5, 2], (2, 3))
    """
    sizes = _sizes(shape, "unravel_index")
    places = _integers(indices, prod(sizes), "unravel_index")
    found = []
    for size in reversed(sizes):
        found.append(places.mod(size))
        places = places.floor_divide(size)
    return tuple(reversed(found))


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise") -> Tensor:
    """The places in the flattened tensor, of elements given by their indices along each axis.

    `multi_index` has an integer tensor or array-like for each axis of the shape `dims`; they broadcast, int64. An index outside raises BoundsError where it is
    known; mode "wrap" counts it round the axis, "clip" takes the nearest. ShapeError for another number of them, OptionError for another mode.

        morok.ravel_multi_index(([1, 0], [2, 1]), (2, 3))  # [5, 1]
    """
    sizes = _sizes(dims, "ravel_multi_index")
    given = list(multi_index)
    if mode not in ("raise", "wrap", "clip"):
        raise OptionError(f"ravel_multi_index: mode is 'raise', 'wrap' or 'clip', not {mode!r}")
    if len(given) != len(sizes) or not given:
        raise ShapeError(f"ravel_multi_index: takes indices for each axis of shape {sizes}, given {len(given)}")
    place: Any = 0
    for index, size in zip(given, sizes):
        along = _integers(index, size if mode == "raise" else None, "ravel_multi_index")
        along = along.mod(size) if mode == "wrap" else along.clamp(0, size - 1) if mode == "clip" else along
        place = along + place * size
    return place


def _sizes(shape: Any, what: str) -> tuple[int, ...]:
    return tuple(integer(s, f"{what}: a size") for s in shape_argument((shape,), what))


def _integers(indices: Any, size: int | None, what: str) -> Tensor:
    """Indices as int64; those known are within the size."""
    if not isinstance(indices, Tensor):
        known = np.asarray(indices)
        known = known.astype(np.int64) if not known.size else known
        if size is not None and known.dtype.kind in "iu" and known.size and not (0 <= known.min() and known.max() < size):
            raise BoundsError(f"{what}: index {known.min() if known.min() < 0 else known.max()} is out of bounds; allowed are 0 to {size - 1}")
        indices = Tensor(known)
    if not indices.dtype.is_int:
        raise DTypeError(f"{what}: indices are integers, not {indices.dtype}")
    return indices.long()


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The indices of the diagonal of a tensor of `ndim` axes of size n: `ndim` int64 vectors 0 to n - 1. ShapeError for a negative number.

        rows, columns = morok.diag_indices(3)
    """
    size, axes = integer(n, "diag_indices: n"), integer(ndim, "diag_indices: ndim")
    if min(size, axes) < 0:
        raise ShapeError(f"diag_indices: n and ndim must not be negative, given {n} and {ndim}")
    return (Tensor.arange(size),) * axes


def tril_indices_from(x: Any, k: int = 0) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and below the k-th diagonal of a matrix, a tensor or array-like; as `tril_indices`.

    ShapeError for other than a matrix.

        rows, columns = morok.tril_indices_from([[1, 2], [3, 4]])
    """
    rows, columns = _matrix(x, "tril_indices_from")
    return tril_indices(rows, k, columns)


def triu_indices_from(x: Any, k: int = 0) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and above the k-th diagonal of a matrix, a tensor or array-like; as `triu_indices`.

    ShapeError for other than a matrix.

        rows, columns = morok.triu_indices_from([[1, 2], [3, 4]])
    """
    rows, columns = _matrix(x, "triu_indices_from")
    return triu_indices(rows, k, columns)


def _matrix(x: Any, what: str) -> tuple[int, int]:
    t = tensor_of(x)
    if t.ndim != 2:
        raise ShapeError(f"{what}: takes a matrix, not shape {t.shape}")
    rows, columns = t._concrete_shape()
    return rows, columns


def ix_(*vectors: Any) -> tuple[Tensor, ...]:
    """Indices of a grid: `x[morok.ix_([0, 2], [1, 3])]` are the elements where rows 0 and 2 cross columns 1 and 3.

    A vector for each axis, of integers or bools (where they hold); each is given the axes of all, with size 1 but for its own. ShapeError for other shapes.

        Tensor([[1, 2], [3, 4]])[morok.ix_([1], [0, 1])]  # [[3, 4]]
    """
    found = []
    for axis, vector in enumerate(vectors):
        t = tensor_of(vector)
        if t.ndim != 1:
            raise ShapeError(f"ix_: takes vectors, not shape {t.shape}")
        t = t.flatnonzero() if t.dtype.kind == "b" else t.long() if not t.shape[0] else t
        found.append(t.reshape([-1 if a == axis else 1 for a in range(len(vectors))]) if t.shape[0] else t.reshape(
            [0 if a == axis else 1 for a in range(len(vectors))]))
    return tuple(found)

"""Grids, sequences and index tables of known sizes, as NumPy and PyTorch name them."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import BoundsError, ShapeError
from ..tensor import dtypes
from ..tensor.arguments import integer, number, require_function, shape_argument
from ..tensor.tensor import Tensor
from .operands import tensor_of


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: Any = None, device: str | None = None,
             requires_grad: bool = False) -> Tensor:
    """`num` evenly spaced numbers from start to stop, the last being stop unless endpoint is False.

    Shape (num,), of the default float unless dtype says otherwise. ShapeError for a negative num.

        morok.linspace(0, 1, 5)  # [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    return Tensor.linspace(start, stop, num, endpoint, dtype=dtype, device=device, requires_grad=requires_grad)


def logspace(start: float, stop: float, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None, device: str | None = None) -> Tensor:
    """base ** start to base ** stop, in steps of equal ratio; without the last unless endpoint.

    Shape (num,), of the default float unless dtype says otherwise; computed in float64. ShapeError for a negative num.

        morok.logspace(0, 2, 3)
    """
    exponents = Tensor.linspace(start, stop, num, endpoint, dtype="float64", device=device)
    return Tensor.full((), number(base, "logspace: base"), "float64", device).pow(exponents).cast(dtypes.default_float() if dtype is None else dtype)


def geomspace(start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: Any = None, device: str | None = None) -> Tensor:
    """Numbers from start to stop in steps of equal ratio; without the last unless endpoint.

    Shape (num,), of the default float unless dtype says otherwise; computed in float64. BoundsError unless both have one sign and neither is 0.

        morok.geomspace(1, 100, 3)
    """
    first, last = number(start, "geomspace: start"), number(stop, "geomspace: stop")
    if not first * last > 0:
        raise BoundsError(f"geomspace: start and stop must both be positive or both negative, given {start} and {stop}")
    count = integer(num, "geomspace: num")
    spread = Tensor.linspace(math.log(abs(first)), math.log(abs(last)), count, endpoint, dtype="float64", device=device).exp() * math.copysign(1.0, first)
    place = Tensor.arange(max(count, 0), device=device)
    ends = spread.where(place.ne(0), first)  # the ends as they were given, which exp(log) may miss
    ends = ends.where(place.ne(count - 1), last) if endpoint and count > 1 else ends
    return ends.cast(dtypes.default_float() if dtype is None else dtype)


def empty(*shape: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """A tensor whose content does not matter; it is zeros.

    The shape is ints or one tuple; the default float unless dtype says otherwise. ShapeError for a negative size.

        morok.empty(2, 3)
    """
    return Tensor.empty(*shape, dtype=dtype, device=device, requires_grad=requires_grad)


def meshgrid(*tensors: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinates of a grid: from vectors of sizes m, n, ... as many tensors of shape (n, m, ...), or with indexing "ij" of shape (m, n, ...).

    The vectors are tensors or array-likes, 0-d ones count as of one element; each keeps its dtype. "xy", NumPy's default, lays the first along axis 1.
    ShapeError for more than one axis, ValueError for another indexing.

        rows, columns = morok.meshgrid([1.0, 2.0], [3.0, 4.0, 5.0], indexing="ij")
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) and tensors[0] and isinstance(tensors[0][0], Tensor) else tensors
    vectors = [tensor_of(t) for t in given]
    for t in vectors:
        if t.ndim > 1:
            raise ShapeError(f"meshgrid: takes vectors, not shape {t.shape}")
    rank = len(vectors)
    axes = list(range(rank))
    if indexing == "xy" and rank > 1:
        axes[:2] = 1, 0
    vectors = [t.reshape((1,)) if t.ndim == 0 else t for t in vectors]
    sizes: list[Any] = [0] * rank
    for t, axis in zip(vectors, axes):
        sizes[axis] = t.shape[0]
    return tuple(t.reshape([t.shape[0] if a == axis else 1 for a in range(rank)]).broadcast_to(tuple(sizes)).contiguous() for t, axis in zip(vectors, axes))


def tri(n: int, m: int | None = None, k: int = 0, dtype: Any = None, device: str | None = None) -> Tensor:
    """Ones on and below the k-th diagonal of an n x m matrix (n x n by default), zeros above.

    The default float unless dtype says otherwise. ShapeError for a negative size.

        morok.tri(2)  # [[1.0, 0.0], [1.0, 1.0]]
    """
    return Tensor.ones(n, n if m is None else m, dtype=dtype, device=device).tril(k)


def tril_indices(n: int, k: int = 0, m: int | None = None, device: str | None = None) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and below the k-th diagonal of an n x m matrix (n x n by default), in row-major order.

    Two int64 tensors of one axis, as NumPy's. ShapeError for a negative size.

        rows, columns = morok.tril_indices(3)
    """
    rows, columns = integer(n, "tril_indices: n"), integer(n if m is None else m, "tril_indices: m")
    if min(rows, columns) < 0:
        raise ShapeError(f"tril_indices: sizes must not be negative, given {rows} and {columns}")
    return _pair(np.tril_indices(rows, integer(k, "tril_indices: k"), columns), device)


def triu_indices(n: int, k: int = 0, m: int | None = None, device: str | None = None) -> tuple[Tensor, Tensor]:
    """Rows and columns of the elements on and above the k-th diagonal of an n x m matrix (n x n by default), in row-major order.

    Two int64 tensors of one axis, as NumPy's. ShapeError for a negative size.

        rows, columns = morok.triu_indices(3)
    """
    rows, columns = integer(n, "triu_indices: n"), integer(n if m is None else m, "triu_indices: m")
    if min(rows, columns) < 0:
        raise ShapeError(f"triu_indices: sizes must not be negative, given {rows} and {columns}")
    return _pair(np.triu_indices(rows, integer(k, "triu_indices: k"), columns), device)


def _pair(found: tuple[np.ndarray, ...], device: str | None) -> tuple[Tensor, Tensor]:
    rows, columns = (Tensor(f.astype(np.int64), device=device) for f in found)
    return rows, columns


def indices(dimensions: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """The index of each element of a shape: element [a, i, j, ...] is the index along axis a.

    Shape (number of axes, *dimensions), int64 unless dtype says otherwise. ShapeError for a negative size.

        morok.indices((1, 2))  # [[[0, 0]], [[0, 1]]]
    """
    sizes = shape_argument((dimensions,), "indices")
    kept = dtypes.int64 if dtype is None else dtypes.as_dtype(dtype)
    if not sizes:
        return Tensor.zeros(0, dtype=kept, device=device)
    along = [Tensor.arange(s, dtype=kept, device=device).reshape([s if a == axis else 1 for a in range(len(sizes))]).expand(*sizes)
             for axis, s in enumerate(sizes)]
    return along[0].stack(*along[1:], dim=0)


def fromfunction(function: Callable[..., Any], shape: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """What the function gives for the tensors of the indices along each axis of a shape: function(rows, columns) for two.

    The indices are of the default float unless dtype says otherwise; the result's shape and dtype are the function's.

        morok.fromfunction(lambda i, j: i + j, (2, 2))  # [[0.0, 1.0], [1.0, 2.0]]
    """
    require_function(function, "fromfunction")
    sizes = shape_argument((shape,), "fromfunction")
    coordinates = indices(sizes, dtypes.default_float() if dtype is None else dtype, device)
    return tensor_of(function(*(coordinates[i] for i in range(len(sizes)))))


def vander(x: Any, n: int | None = None, increasing: bool = False) -> Tensor:
    """Powers of a vector's elements as columns: the greatest first, or with `increasing` x ** 0, x ** 1, ...

    Shape (size of x, n), square by default; integers stay integers. ShapeError for other than one axis, BoundsError for a negative n.

        morok.vander([1.0, 2.0, 3.0], increasing=True)  # [[1.0, 1.0, 1.0], [1.0, 2.0, 4.0], [1.0, 3.0, 9.0]]
    """
    t = tensor_of(x)
    if t.ndim != 1:
        raise ShapeError(f"vander: takes a vector, not shape {t.shape}")
    count = t._concrete_shape()[0] if n is None else integer(n, "vander: n")
    if count < 0:
        raise BoundsError(f"vander: n must not be negative, given {n}")
    if count == 0:
        return Tensor.zeros(*t.shape, 0, dtype=t.dtype, device=t.device)
    column = t.unsqueeze(1)
    ones = column.ones_like()
    powers = ones if count == 1 else ones.cat(column.expand(t.shape[0], count - 1), dim=1).cumprod(1).cast(t.dtype)
    return powers if increasing else powers.flip(1)

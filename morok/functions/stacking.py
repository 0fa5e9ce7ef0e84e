"""Tensors put beside, below and behind each other, and made to agree in shape."""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

from ..errors import ShapeError
from ..tensor.arguments import also_named
from ..tensor.broadcasting import broadcast_shape
from ..tensor.other_names import OneDim
from ..tensor.tensor import Tensor
from .joining import cat, stack
from .operands import tensor_of


def atleast_1d(*tensors: Any) -> Any:
    """Tensors or array-likes with one axis at least; a tuple of several. 0-d ones have shape (1,).

        morok.atleast_1d(2.0)  # [2.0]
    """
    return _each(tensors, lambda t: t.reshape((1,)) if t.ndim == 0 else t)


def atleast_2d(*tensors: Any) -> Any:
    """Tensors or array-likes with two axes at least; a tuple of several. A vector of n has shape (1, n).

        morok.atleast_2d([1.0, 2.0])  # [[1.0, 2.0]]
    """
    return _each(tensors, lambda t: t.reshape((1,) * (2 - t.ndim) + t.shape) if t.ndim < 2 else t)


def atleast_3d(*tensors: Any) -> Any:
    """Tensors or array-likes with three axes at least; a tuple of several. A vector of n has shape (1, n, 1), a matrix (m, n, 1).

        morok.atleast_3d([1.0, 2.0])  # [[[1.0], [2.0]]]
    """
    return _each(tensors, lambda t: t.reshape({0: (1, 1, 1), 1: (1, *t.shape, 1), 2: (*t.shape, 1)}[t.ndim]) if t.ndim < 3 else t)


def _each(given: tuple[Any, ...], change: Any) -> Any:
    several = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) and any(isinstance(t, Tensor) for t in given[0]) else given
    found = tuple(change(tensor_of(t)) for t in several)
    return found[0] if several is given and len(given) == 1 else found


def _listed(tensors: Any, what: str) -> list[Tensor]:
    if not isinstance(tensors, Iterable):
        raise TypeError(f"{what}: takes a list of tensors or array-likes, not {type(tensors).__name__}")
    found = [tensor_of(t) for t in tensors]
    if not found:
        raise ShapeError(f"{what}: takes one tensor or more, given none")
    return found


def hstack(tensors: Any) -> Tensor:
    """Tensors side by side: along axis 1, vectors along axis 0. A list of tensors or array-likes; dtypes combine. ShapeError where sizes differ.

        morok.hstack([[1.0, 2.0], [3.0]])  # [1.0, 2.0, 3.0]
    """
    parts = [atleast_1d(t) for t in _listed(tensors, "hstack")]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Tensors one below another: along axis 0, vectors as rows. A list of tensors or array-likes; dtypes combine. ShapeError where sizes differ.

        morok.vstack([[1.0, 2.0], [3.0, 4.0]])  # [[1.0, 2.0], [3.0, 4.0]]
    """
    return cat([atleast_2d(t) for t in _listed(tensors, "vstack")], 0)


def dstack(tensors: Any) -> Tensor:
    """Tensors one behind another: along axis 2, vectors and matrices with new axes. A list of tensors or array-likes; dtypes combine.

    ShapeError where sizes differ.

        morok.dstack([[1.0, 2.0], [3.0, 4.0]])  # [[[1.0, 3.0], [2.0, 4.0]]]
    """
    return cat([atleast_3d(t) for t in _listed(tensors, "dstack")], 2)


def column_stack(tensors: Any) -> Tensor:
    """Vectors as the columns of a matrix, beside those of matrices. A list of tensors or array-likes; dtypes combine. ShapeError where sizes differ.

        morok.column_stack([[1.0, 2.0], [3.0, 4.0]])  # [[1.0, 3.0], [2.0, 4.0]]
    """
    return cat([t.reshape((-1, 1)) if t.ndim < 2 else t for t in _listed(tensors, "column_stack")], 1)


row_stack = vstack


@also_named(dim="axis")
def append(x: Any, values: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Tensor:
    """Values after the elements of x along an axis; with none, both flattened. Tensors or array-likes; dtypes combine. ShapeError where sizes differ.

        morok.append([1.0, 2.0], [3.0])  # [1.0, 2.0, 3.0]
    """
    first, second = tensor_of(x), tensor_of(values)
    return cat([first.ravel(), second.ravel()], 0) if axis is None else cat([first, second], axis)


def block(parts: Any) -> Tensor:
    """Nested lists of tensors as blocks: the innermost side by side along the last axis, those lists along the one before it, ...; dtypes combine.

    ShapeError where sizes differ.

        morok.block([[Tensor.ones(1, 1), Tensor.zeros(1, 1)]])  # [[1.0, 0.0]]
    """
    depth, rank = _depth(parts), _greatest_rank(parts)
    rank = max(depth, rank)

    def joined(part: Any, level: int) -> Tensor:
        if not isinstance(part, list):
            t = tensor_of(part)
            return t.reshape((1,) * (rank - t.ndim) + t.shape)
        return cat([joined(p, level - 1) for p in part], -level)
    return joined(parts, depth)


def _depth(parts: Any) -> int:
    return 1 + max((_depth(p) for p in parts), default=0) if isinstance(parts, list) else 0


def _greatest_rank(parts: Any) -> int:
    return max((_greatest_rank(p) for p in parts), default=0) if isinstance(parts, list) else tensor_of(parts).ndim


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """All tensors or array-likes broadcast to their common shape, each in its dtype. The results cannot be written. ShapeError where shapes do not fit.

        a, b = morok.broadcast_tensors(Tensor([[1.0], [2.0]]), Tensor([3.0, 4.0]))
    """
    found = [tensor_of(t) for t in tensors]
    shape = broadcast_shape("broadcast_tensors", *(t.shape for t in found)) if found else ()
    return tuple(t.broadcast_to(shape) for t in found)


def broadcast_arrays(*tensors: Any) -> tuple[Tensor, ...]:
    """NumPy's name of broadcast_tensors: all tensors or array-likes broadcast to their common shape.

        a, b = morok.broadcast_arrays(Tensor([[1.0], [2.0]]), Tensor([3.0, 4.0]))
    """
    return broadcast_tensors(*tensors)


def broadcast_shapes(*shapes: Any) -> tuple[Any, ...]:
    """The shape to which shapes broadcast: aligned at the last axis, sizes equal or 1. ShapeError where they do not.

        morok.broadcast_shapes((2, 1), (3,))  # (2, 3)
    """
    given = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    return broadcast_shape("broadcast_shapes", *given) if given else ()


def cartesian_prod(*tensors: Any) -> Tensor:
    """All combinations of the elements of vectors, one a row, the last changing fastest; of one vector, itself. Dtypes combine.

    ShapeError for other than vectors.

        morok.cartesian_prod([1, 2], [3, 4])  # [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    vectors = _listed(tensors, "cartesian_prod")
    for t in vectors:
        if t.ndim != 1:
            raise ShapeError(f"cartesian_prod: takes vectors, not shape {t.shape}")
    if len(vectors) == 1:
        return vectors[0]
    rank = len(vectors)
    shape = tuple(t.shape[0] for t in vectors)
    laid = [t.reshape([-1 if a == i else 1 for a in range(rank)]).expand(*shape).reshape((-1,)) for i, t in enumerate(vectors)]
    return stack(laid, 1)


def array_equal(x: Any, y: Any, equal_nan: bool = False) -> Tensor:
    """Whether both have one shape and equal elements, with `equal_nan` also NaN where the other is: a 0-d bool.

        morok.array_equal([1, 2], [1, 2]).item()  # True
    """
    a, b = tensor_of(x), tensor_of(y)
    if a.shape != b.shape:
        return Tensor(False)
    same = a.eq(b)
    return (same | (a.isnan() & b.isnan()) if equal_nan else same).all()


def convolve(x: Any, kernel: Any, mode: str = "full") -> Tensor:
    """The convolution of two vectors: of n and m elements "full" gives n + m - 1, "same" the middle max(n, m), "valid" the max - min + 1 without edges.

    Dtypes combine. ShapeError for other than vectors of one element or more, ValueError for another mode.

        morok.convolve([1.0, 2.0], [1.0, 10.0])  # [1.0, 12.0, 20.0]
    """
    other = tensor_of(kernel)
    return _correlated(tensor_of(x), other.flip(0) if other.ndim == 1 else other, mode, "convolve")


def correlate(x: Any, kernel: Any, mode: str = "valid") -> Tensor:
    """The cross-correlation of two vectors, sums of x[i + k] * kernel[i] for each shift k, with the modes of convolve.

    Dtypes combine. ShapeError for other than vectors of one element or more, ValueError for another mode.

        morok.correlate([1.0, 2.0, 3.0], [1.0, 10.0])  # [21.0, 32.0]
    """
    return _correlated(tensor_of(x), tensor_of(kernel), mode, "correlate")


def _correlated(a: Tensor, b: Tensor, mode: str, what: str) -> Tensor:
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"{what}: mode is 'full', 'same' or 'valid', not {mode!r}")
    if a.ndim != 1 or b.ndim != 1 or 0 in (*a.shape, *b.shape):
        raise ShapeError(f"{what}: takes vectors of one element or more, not shapes {a.shape} and {b.shape}")
    n, m = a._concrete_shape()[0], b._concrete_shape()[0]
    whole = a.pad(((m - 1, m - 1),)).unfold(0, m).mul(b).sum(1).cast((a[:1] * b[:1]).dtype)
    if mode == "full":
        return whole
    size, extra = (max(n, m), (min(n, m) - 1) // 2) if mode == "same" else (max(n, m) - min(n, m) + 1, min(n, m) - 1)
    if mode == "same" and what == "correlate" and n < m:
        extra = n - 1 - extra
    return whole.narrow(0, extra, size)

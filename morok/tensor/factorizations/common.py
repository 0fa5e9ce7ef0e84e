"""What the factorisations share: the matrices that they take, and how a loop looks at rows, columns and places that are data."""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ...errors import DTypeError, ShapeError
from .. import dtypes
from ..tensor import Tensor


def matrices(x: Any, what: str) -> Tensor:
    """The argument as float32 or float64 matrices; integers and bools become the default float. DTypeError for 16-bit floats, ShapeError for fewer than two
    axes and for symbolic sizes."""
    t = x if isinstance(x, Tensor) else Tensor(x)
    if t.ndim < 2:
        raise ShapeError(f"{what}: takes matrices, the last two axes; given shape {t.shape}")
    if not all(isinstance(s, int) for s in t.shape):
        raise ShapeError(f"{what}: takes static sizes, not {t.shape}")
    return floating(t, what)


def floating(t: Tensor, what: str) -> Tensor:
    """In a dtype that is computed in."""
    if not t.dtype.is_float:
        return t.cast(dtypes.default_float())
    if t.dtype.bits < 32:
        raise DTypeError(f"{what}: takes float32 and float64, not {t.dtype}; cast it: x.cast(morok.float32)")
    return t


def square(x: Any, what: str) -> Tensor:
    """As `matrices`; ShapeError for those that are not square."""
    t = matrices(x, what)
    if t.shape[-1] != t.shape[-2]:
        raise ShapeError(f"{what}: takes square matrices, not shape {t.shape}")
    return t


def epsilon(dtype: T.DType) -> float:
    """The distance from 1 to the next number."""
    return 2.0 ** -52 if dtype is T.float64 else 2.0 ** -23


def select(condition: Tensor, x: Any, y: Any) -> Tensor:
    """x where the condition holds, else y; one of them is a tensor."""
    return x.where(condition, y) if isinstance(x, Tensor) else y.where(~condition, x)


def numbers(count: Any) -> Tensor:
    """0, 1, ... count - 1."""
    return Tensor.arange(count, dtype=T.int64)


def column(x: Tensor) -> Tensor:
    """A vector as a matrix of one column."""
    return x.unsqueeze(-1)


def row(x: Tensor) -> Tensor:
    """A vector as a matrix of one row."""
    return x.unsqueeze(-2)


def rows_at(x: Tensor, places: Tensor) -> Tensor:
    """The rows of each matrix at its own places (..., k)."""
    return x.gather(-2, column(places).expand(*places.shape, x.shape[-1]))


def elements_at(x: Tensor, places: Tensor) -> Tensor:
    """The elements of each vector at its own places."""
    return x.gather(-1, places)


def ascending(x: Tensor) -> Tensor:
    """Where the elements of each vector are to be found in ascending order. Vectors are as short as a matrix is wide: each is compared with each."""
    n = x.shape[-1]
    i = numbers(n)
    before = (column(x) > row(x)) | ((column(x) == row(x)) & (column(i) > row(i)))
    rank = before.sum(-1, dtype=T.int64)
    return select(column(i) == row(rank), row(i), 0).sum(-1, dtype=T.int64)


def sizes(x: Tensor) -> tuple[int, int]:
    """Rows and columns of matrices."""
    m, n = x.shape[-2:]
    assert isinstance(m, int) and isinstance(n, int)
    return m, n


def identity(like: Tensor, rows: int | None = None, columns: int | None = None) -> Tensor:
    """Ones on the diagonal, for each matrix of a batch; of the same sizes if none are given."""
    m, n = sizes(like)
    rows, columns = m if rows is None else rows, n if columns is None else columns
    eye = (column(numbers(rows)) == row(numbers(columns))).cast(like.dtype)
    return eye.expand(*like.shape[:-2], rows, columns)

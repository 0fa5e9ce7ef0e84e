"""The standard's functions that make tensors. A shape is an int or a tuple of ints; without a dtype, floats are the default float."""
from __future__ import annotations

from typing import Any

from ..errors import ComplexError, ShapeError
from ..tensor.broadcasting import broadcast_shape
from ..tensor.dtypes import as_dtype
from ..tensor.tensor import Tensor
from .operands import tensor, tensors


def asarray(obj: Any, /, *, dtype: Any = None, device: str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor of numbers, nested lists, arrays or objects with the buffer protocol or DLPack; a tensor as it is, unless dtype, device or copy ask for another.

    ValueError for copy=False where only a copy can be.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, Tensor):
        result = obj.to(*(() if wanted is None else (wanted,)), device=device)
        if result is not obj and copy is False:
            raise ValueError(f"asarray: a tensor of {obj.dtype} on {obj.device} becomes one of {result.dtype} on {result.device} only by a copy; "
                             "leave out copy=False")
        return obj.clone() if result is obj and copy else result
    if isinstance(obj, complex):
        raise ComplexError("asarray: complex numbers are not supported yet; give real and imaginary parts as two tensors")
    if copy is False:
        if not hasattr(obj, "__dlpack__"):
            raise ValueError(f"asarray: {type(obj).__name__} becomes a Tensor only by a copy; leave out copy=False")
        return asarray(Tensor.from_dlpack(obj, device=device, copy=False), dtype=wanted, copy=False)
    return Tensor(obj, dtype=wanted, device=device)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """start, start + step, ... before stop; from 0 where one number is given. Integers if all three are."""
    return Tensor.arange(start, stop, step, dtype=dtype, device=device)


def empty(shape: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """A tensor whose elements are to be written."""
    return Tensor.empty(shape, dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Zeros."""
    return Tensor.zeros(shape, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Ones."""
    return Tensor.ones(shape, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Every element the value, of the value's dtype unless one is given."""
    return Tensor.full(shape, fill_value, dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """A tensor of x's shape, dtype and device whose elements are to be written."""
    return tensor(x, "empty_like").empty_like(dtype).to(device=device)


def zeros_like(x: Any, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Zeros of x's shape, dtype and device."""
    return tensor(x, "zeros_like").zeros_like(dtype).to(device=device)


def ones_like(x: Any, /, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Ones of x's shape, dtype and device."""
    return tensor(x, "ones_like").ones_like(dtype).to(device=device)


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: str | None = None) -> Tensor:
    """Every element the value, of x's shape, dtype and device."""
    return tensor(x, "full_like").full_like(fill_value, dtype).to(device=device)


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: str | None = None) -> Tensor:
    """A matrix with ones on the diagonal that is k above the main one, and zeros beside."""
    columns = n_rows if n_cols is None else n_cols
    if n_rows < 0 or columns < 0:
        raise ShapeError(f"eye: sizes must not be negative, not {n_rows} and {columns}")
    rows = Tensor.arange(n_rows, dtype="int64", device=device).reshape(n_rows, 1)
    return (Tensor.arange(columns, dtype="int64", device=device) - rows).eq(k).cast(as_dtype(float if dtype is None else dtype))


def from_dlpack(x: Any, /, *, device: str | None = None, copy: bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array; see Tensor.from_dlpack."""
    return Tensor.from_dlpack(x, device=device, copy=copy)


def linspace(start: float, stop: float, /, num: int, *, dtype: Any = None, device: str | None = None, endpoint: bool = True) -> Tensor:
    """num numbers at equal distances from start to stop, which is the last of them if endpoint is true."""
    return Tensor.linspace(start, stop, num, endpoint, dtype=dtype, device=device)


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Tensor]:
    """Coordinates of a grid from one-dimensional tensors: the first along axis 1 and the second along axis 0 ("xy"), or each along its own ("ij")."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    if not arrays:
        return []
    found = tensors(arrays, "meshgrid")
    for x in found:
        if x.ndim > 1:
            raise ShapeError(f"meshgrid: takes tensors of one axis, not of shape {x.shape}")
    rank = len(found)
    axes = list(range(rank))
    if indexing == "xy" and rank > 1:
        axes[0], axes[1] = 1, 0
    laid = [x.reshape([1] * a + [-1 if x.ndim and x.shape[0] else int(x.size)] + [1] * (rank - a - 1)) for x, a in zip(found, axes)]
    shape = broadcast_shape("meshgrid", *(x.shape for x in laid))
    return [+x.broadcast_to(shape) for x in laid]


def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements on and below the diagonal that is k above the main one, zeros above."""
    return tensor(x, "tril").tril(k)


def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements on and above the diagonal that is k above the main one, zeros below."""
    return tensor(x, "triu").triu(k)

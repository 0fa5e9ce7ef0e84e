"""The standard's extension `linalg`: matrices in the last two axes. Algorithms, accuracy, and what has no result: docs/linalg.md."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ..errors import DTypeError, ShapeError
from ..functions import linalg
from ..functions.linalg import EighResult, QRResult, SlogdetResult, SVDResult
from ..tensor.arguments import normal_axis
from ..tensor.tensor import Tensor
from .linear_algebra import matmul, matrix_transpose, tensordot, vecdot
from .operands import tensor

__all__ = ["cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose",
           "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"]


def cholesky(x: Any, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of symmetric positive definite matrices; NaN where they are not."""
    return linalg.cholesky(_floats(x, "cholesky"), upper)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """Cross products of vectors of three elements along an axis; the others broadcast."""
    return linalg.cross(tensor(x1, "cross"), tensor(x2, "cross"), axis)


def det(x: Any, /) -> Tensor:
    """Determinants of square matrices."""
    return linalg.det(_floats(x, "det"))


def diagonal(x: Any, /, *, offset: int = 0) -> Tensor:
    """The diagonals of matrices, above (offset > 0) or below the main one."""
    return linalg.diagonal(tensor(x, "diagonal"), offset)


def eigh(x: Any, /) -> EighResult:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return linalg.eigh(_floats(x, "eigh"))


def eigvalsh(x: Any, /) -> Tensor:
    """Eigenvalues of symmetric matrices."""
    return linalg.eigvalsh(_floats(x, "eigvalsh"))


def inv(x: Any, /) -> Tensor:
    """Inverses of square matrices; NaN or infinities for singular ones."""
    return linalg.inv(_floats(x, "inv"))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    """Norms of matrices: "fro", "nuc", 1, -1, 2, -2, inf, -inf."""
    return linalg.matrix_norm(_floats(x, "matrix_norm"), ord, keepdims)


def matrix_power(x: Any, n: int, /) -> Tensor:
    """Powers of square matrices, of the inverse for negative n."""
    return linalg.matrix_power(_floats(x, "matrix_power"), n)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Tensor:
    """How many singular values are greater than rtol (default max(m, n) eps) times the greatest."""
    t = _floats(x, "matrix_rank")
    if t.ndim < 2:
        raise ShapeError(f"matrix_rank: takes matrices, the last two axes; given shape {t.shape}")
    return linalg.matrix_rank(t, rtol=rtol)


def outer(x1: Any, x2: Any, /) -> Tensor:
    """Every product of an element of a vector with one of another."""
    return linalg.outer(tensor(x1, "outer"), tensor(x2, "outer"))


def pinv(x: Any, /, *, rtol: Any = None) -> Tensor:
    """Pseudo-inverses of matrices."""
    return linalg.pinv(_floats(x, "pinv"), rtol=rtol)


def qr(x: Any, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Orthonormal columns and an upper triangle whose product the matrices are."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
    return linalg.qr(_floats(x, "qr"), mode)


def slogdet(x: Any, /) -> SlogdetResult:
    """Sign and logarithm of the absolute value of determinants."""
    return linalg.slogdet(_floats(x, "slogdet"))


def solve(x1: Any, x2: Any, /) -> Tensor:
    """x of x1 x = x2, for a vector or matrices; NaN or infinities for singular matrices."""
    return linalg.solve(_floats(x1, "solve"), _floats(x2, "solve"))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular vectors and values of matrices."""
    return linalg.svd(_floats(x, "svd"), full_matrices)


def svdvals(x: Any, /) -> Tensor:
    """Singular values of matrices, the greatest first."""
    return linalg.svdvals(_floats(x, "svdvals"))


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Sums of the diagonals of matrices; of small integers in 64 bits."""
    return linalg.diagonal(tensor(x, "trace"), offset).sum(-1, dtype=dtype)


def vector_norm(x: Any, /, *, axis: int | Sequence[int] | None = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """Norms of vectors along axes, or of all elements."""
    t = _floats(x, "vector_norm")
    along = None if axis is None else tuple(normal_axis(a, t.ndim, "vector_norm") for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    return linalg.vector_norm(t, axis=along, keepdims=keepdims, ord=ord)


def _floats(x: Any, what: str) -> Tensor:
    t = tensor(x, what)
    if not t.dtype.is_float:
        raise DTypeError(f"{what}: takes real floats, not {t.dtype}; the standard does not convert: astype(x, float64)")
    return t

"""Linear algebra: the names of numpy.linalg and torch.linalg, for float32 and float64 matrices in the last two axes of any batch.

    q, r = morok.linalg.qr(a)
    x = morok.linalg.solve(a, b)

Integers and bools become the default float; 16-bit floats are refused, as NumPy and PyTorch do. Everything is lazy, so that no error can tell of a matrix's
values: where there is no result (a singular matrix, one that is not positive definite, NaN) it is NaN or infinite. Algorithms, accuracy and cost:
docs/linalg.md.
"""
from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import Any, NamedTuple, Unpack

from ..errors import AxisError, ComplexError, ShapeError
from ..tensor.arguments import also_named, integer, normal_axes, normal_axis
from ..tensor.broadcasting import broadcast_shape
from ..tensor.factorizations import derivatives
from ..tensor.factorizations.common import column, epsilon, floating, identity, matrices, row, select, square
from ..tensor.joining import JoiningMethods
from ..tensor.other_names import OneDim
from ..tensor.tensor import Tensor
from .operands import pair, tensor_of

__all__ = ["cholesky", "cond", "cross", "det", "diagonal", "dot", "eigh", "eigvalsh", "inv", "inv_ex", "lstsq", "lu", "matmul", "matrix_norm",
           "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve", "solve_triangular", "svd",
           "svdvals", "tensordot", "tensorinv", "tensorsolve", "trace", "vecdot", "vector_norm"]


class QRResult(NamedTuple):
    Q: Tensor
    R: Tensor


class LUResult(NamedTuple):
    P: Tensor
    L: Tensor
    U: Tensor


class EighResult(NamedTuple):
    eigenvalues: Tensor
    eigenvectors: Tensor


class SVDResult(NamedTuple):
    U: Tensor
    S: Tensor
    Vh: Tensor


class SlogdetResult(NamedTuple):
    sign: Tensor
    logabsdet: Tensor


class LstsqResult(NamedTuple):
    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


# Factorisations

def cholesky(a: Any, upper: bool = False) -> Tensor:
    """The lower triangular L of a = L Lᵀ (with `upper`, Lᵀ) for symmetric positive definite matrices (..., n, n); only the lower triangle is looked at.

    float32 or float64, as `a`. Where a matrix is not positive definite, NaN from that column on (NumPy raises). ShapeError for matrices that are not square.

        morok.linalg.cholesky(Tensor([[4.0, 2.0], [2.0, 5.0]]))  # [[2.0, 0.0], [1.0, 2.0]]
    """
    lower = derivatives.cholesky(square(a, "cholesky"))
    return lower.mT if upper else lower


def qr(a: Any, mode: str = "reduced") -> Any:
    """Q with orthonormal columns and upper triangular R of a = Q R, for matrices (..., m, n), by Householder's reflections, with LAPACK's signs.

    `mode` "reduced": Q (..., m, k), R (..., k, n) with k = min(m, n); "complete": Q (..., m, m), R (..., m, n); "r": only R. ValueError for another mode.

        morok.linalg.qr(Tensor([[3.0], [4.0]])).R  # [[-5.0]]
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode is 'reduced', 'complete' or 'r', not {mode!r}")
    q, r = derivatives.qr(matrices(a, "qr"), mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def lu(a: Any) -> LUResult:
    """P, L and U of a = P L U for matrices (..., m, n): a permutation (..., m, m), L (..., m, k) with ones on its diagonal, upper triangular U (..., k, n),
    k = min(m, n). Partial pivoting. Only the factors of square matrices have a derivative.

        morok.linalg.lu(Tensor([[0.0, 2.0], [4.0, 6.0]])).U  # [[4.0, 6.0], [0.0, 2.0]]
    """
    return LUResult(*derivatives.lu(matrices(a, "lu")))


def eigh(a: Any, UPLO: str = "L") -> EighResult:
    """Eigenvalues (..., n) in ascending order and orthonormal eigenvectors, the columns of (..., n, n), of symmetric matrices, of which one triangle is
    looked at: `UPLO` "L" or "U". Jacobi's method. NaN where a matrix has NaN or infinities.

        morok.linalg.eigh(Tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues  # [1.0, 2.0]
    """
    return EighResult(*derivatives.eigh(_symmetric(a, UPLO, "eigh")))


def eigvalsh(a: Any, UPLO: str = "L") -> Tensor:
    """Eigenvalues of symmetric matrices (..., n, n) in ascending order, as `eigh`.

        morok.linalg.eigvalsh(Tensor([[2.0, 0.0], [0.0, 1.0]]))  # [1.0, 2.0]
    """
    return derivatives.eigvalsh(_symmetric(a, UPLO, "eigvalsh"))


def eig(a: Any) -> Any:
    """Not there: eigenvalues of matrices that are not symmetric are complex numbers, which morok does not have. ComplexError."""
    raise ComplexError("eig: eigenvalues of matrices that are not symmetric may be complex, and morok has no complex numbers; use eigh for symmetric ones, "
                       "or svd")


def eigvals(a: Any) -> Any:
    """Not there, as `eig`. ComplexError."""
    raise ComplexError("eigvals: eigenvalues of matrices that are not symmetric may be complex, and morok has no complex numbers; use eigvalsh for symmetric "
                       "ones")


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """U, the singular values S (..., k) in descending order, and Vh of a = U diag(S) Vh, for matrices (..., m, n), k = min(m, n).

    U (..., m, m) and Vh (..., n, n), or with full_matrices=False (..., m, k) and (..., k, n); only S without `compute_uv`. One-sided Jacobi. NaN where a
    matrix has NaN or infinities.

        morok.linalg.svd(Tensor([[0.0, 3.0], [4.0, 0.0]])).S  # [4.0, 3.0]
    """
    x = matrices(a, "svd")
    if hermitian:
        x = _symmetric(x, "L", "svd")
    return SVDResult(*derivatives.svd(x, full_matrices)) if compute_uv else derivatives.svdvals(x)


def svdvals(a: Any) -> Tensor:
    """Singular values (..., min(m, n)) of matrices (..., m, n) in descending order.

        morok.linalg.svdvals(Tensor([[0.0, 3.0], [4.0, 0.0]]))  # [4.0, 3.0]
    """
    return derivatives.svdvals(matrices(a, "svdvals"))


# Equations

def solve(a: Any, b: Any) -> Tensor:
    """x of a x = b: `a` (..., n, n), `b` a vector (n,) or matrices (..., n, k); batches broadcast. Elimination with partial pivoting.

    A singular matrix gives NaN or infinities (NumPy raises). ShapeError where sizes differ.

        morok.linalg.solve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 2.0]))  # [1.0, 0.5]
    """
    left, right, is_vector = _system(square(a, "solve"), b, "solve")
    x = derivatives.solve(left, right)
    return x.squeeze(-1) if is_vector else x


def solve_triangular(a: Any, b: Any, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Tensor:
    """x of a x = b (of x a = b unless `left`) for triangular `a` (..., n, n), of which the other triangle is not looked at, nor with `unitriangular` the
    diagonal.

    `b` is a vector (n,) or matrices; batches broadcast. A zero on the diagonal gives NaN or infinities.

        morok.linalg.solve_triangular(Tensor([[2.0, 0.0], [1.0, 4.0]]), Tensor([2.0, 5.0]), upper=False)  # [1.0, 1.0]
    """
    t = square(a, "solve_triangular")
    if not left:
        return solve_triangular(t.mT, tensor_of(b).mT, upper=not upper, unitriangular=unitriangular).mT
    first, second, is_vector = _system(t, b, "solve_triangular")
    x = derivatives.solve_triangular(first, second, not upper, unitriangular)
    return x.squeeze(-1) if is_vector else x


def inv(a: Any) -> Tensor:
    """Inverses of matrices (..., n, n). A singular matrix gives NaN or infinities (NumPy raises).

        morok.linalg.inv(Tensor([[2.0, 0.0], [0.0, 4.0]]))  # [[0.5, 0.0], [0.0, 0.25]]
    """
    return derivatives.inverse(square(a, "inv"))


def inv_ex(a: Any) -> tuple[Tensor, Tensor]:
    """Inverses, and for each matrix whether it has none: 0, or 1 where the inverse is not finite.

        morok.linalg.inv_ex(Tensor([[0.0]]))[1]  # 1
    """
    x = inv(a)
    return x, (~x.isfinite().all((-1, -2))).cast("int32") if 0 not in x.shape[-2:] else Tensor.zeros(*x.shape[:-2], dtype="int32")


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    """The pseudo-inverse (..., n, m) of matrices (..., m, n): singular values up to `rtol` (or `rcond`; default max(m, n) eps) times the greatest count as 0.

        morok.linalg.pinv(Tensor([[2.0, 0.0], [0.0, 0.0]]))  # [[0.5, 0.0], [0.0, 0.0]]
    """
    x = matrices(a, "pinv")
    u, s, vh = svd(x, False, hermitian=hermitian)
    inverse = _reciprocal(s, _cut(s, rtol if rtol is not None else rcond, x))
    return (vh.mT * row(inverse)) @ u.mT


def lstsq(a: Any, b: Any, rcond: Any = None) -> LstsqResult:
    """The x of least |a x - b|, and of these the shortest: `a` (..., m, n), `b` a vector (m,) or matrices (..., m, k). By singular values; those up to `rcond`
    (default max(m, n) eps) times the greatest count as 0.

    Also the sums of the squared residuals (..., k), empty unless m > n; the rank (...); the singular values. (NumPy's residuals are empty too where the rank is
    less than n, which only data tell.)

        morok.linalg.lstsq(Tensor([[1.0], [1.0]]), Tensor([1.0, 3.0])).solution  # [2.0]
    """
    x = matrices(a, "lstsq")
    left, right, is_vector = _system(x, b, "lstsq")
    u, s, vh = svd(left, False)
    limit = _cut(s, rcond, x)
    solution = vh.mT @ (column(_reciprocal(s, limit)) * (u.mT @ right))
    m, n = x.shape[-2:]
    difference = left @ solution - right
    residuals = (difference * difference).sum(-2)
    if m <= n:
        residuals = residuals[..., :0]
    return LstsqResult(solution.squeeze(-1) if is_vector else solution, residuals, (s > limit).sum(-1), s)


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Tensor:
    """x of tensordot(a, x, x.ndim) = b, as NumPy's: `a` of shape b.shape + x.shape, as many elements in either; `axes` of `a` go to the end first.

        morok.linalg.tensorsolve(Tensor([[2.0, 0.0], [0.0, 4.0]]), Tensor([2.0, 2.0]))  # [1.0, 0.5]
    """
    x, y = floating(tensor_of(a), "tensorsolve"), floating(tensor_of(b), "tensorsolve")
    if axes is not None:
        moved = [normal_axis(n, x.ndim, "tensorsolve") for n in axes]
        x = x.permute(*(i for i in range(x.ndim) if i not in moved), *moved)
    shape = x.shape[y.ndim:]
    if _count(x.shape[:y.ndim]) != _count(shape) or _count(shape) != y.numel():
        raise ShapeError(f"tensorsolve: a has shape {x.shape} and b {y.shape}; the first {y.ndim} axes of a must hold as many elements as the others, and as b")
    return solve(x.reshape(y.numel(), y.numel()), y.ravel()).reshape(*shape)


def tensorinv(a: Any, ind: int = 2) -> Tensor:
    """The inverse of a tensor whose first `ind` axes are the rows of a square matrix, and the others its columns, as NumPy's.

        morok.linalg.tensorinv(Tensor([[2.0, 0.0], [0.0, 4.0]]), ind=1)  # [[0.5, 0.0], [0.0, 0.25]]
    """
    x, at = floating(tensor_of(a), "tensorinv"), integer(ind, "tensorinv: ind")
    if not 0 < at < x.ndim or _count(x.shape[:at]) != _count(x.shape[at:]):
        raise ShapeError(f"tensorinv: {at} axes of shape {x.shape} must hold as many elements as the others")
    n = _count(x.shape[:at])
    return inv(x.reshape(n, n)).reshape(*x.shape[at:], *x.shape[:at])


# Numbers of a matrix

def det(a: Any) -> Tensor:
    """Determinants (...) of matrices (..., n, n), by elimination; 1 of the empty matrix. The derivative is that of invertible matrices.

        morok.linalg.det(Tensor([[1.0, 2.0], [3.0, 4.0]]))  # -2.0
    """
    return derivatives.determinant(square(a, "det"))


def slogdet(a: Any) -> SlogdetResult:
    """Sign (1, -1, or 0 of a singular matrix) and logarithm of the absolute value of the determinants (...) of matrices (..., n, n).

        morok.linalg.slogdet(Tensor([[-1.0]]))  # [-1.0, 0.0]
    """
    return SlogdetResult(*derivatives.slogdet(square(a, "slogdet")))


def matrix_rank(a: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Tensor:
    """How many singular values of matrices (..., m, n) are greater than `tol`, or than `rtol` (default max(m, n) eps) times the greatest; int64. Of fewer
    than two axes: whether any element is not 0.

        morok.linalg.matrix_rank(Tensor([[1.0, 2.0], [2.0, 4.0]]))  # 1
    """
    t = tensor_of(a)
    if t.ndim < 2:
        return t.ne(0).any().cast("int64")
    x = matrices(t, "matrix_rank")
    s = svdvals(_symmetric(x, "L", "matrix_rank") if hermitian else x)
    return (s > (column(tensor_of(tol)) if tol is not None else _cut(s, rtol, x))).sum(-1)


def matrix_power(a: Any, n: int) -> Tensor:
    """Matrices (..., m, m) multiplied n times by themselves, by repeated squaring; of the inverse for negative n, the identity for 0. Integers stay so for n
    >= 0.

        morok.linalg.matrix_power(Tensor([[1, 1], [1, 0]]), 10)  # [[89, 55], [55, 34]]
    """
    power, x = integer(n, "matrix_power: n"), tensor_of(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError(f"matrix_power: takes square matrices, not shape {x.shape}")
    if power < 0:
        x, power = inv(x), -power
    result: Tensor | None = None
    while power:
        if power & 1:
            result = x if result is None else result @ x
        power >>= 1
        if power:
            x = x @ x
    return identity(x) if result is None else result


def cond(a: Any, p: Any = None) -> Tensor:
    """Condition numbers (...) of matrices: the greatest by the least singular value (`p` None or 2; -2 the other way round), or norm(a, p) norm(inv(a), p);
    infinite for singular matrices.

        morok.linalg.cond(Tensor([[2.0, 0.0], [0.0, 1.0]]))  # 2.0
    """
    x = matrices(a, "cond")
    if 0 in x.shape[-2:]:
        raise ShapeError(f"cond: an empty matrix has no condition number; given shape {x.shape}")
    if p is None or p in (2, -2):
        s = svdvals(x)
        ratio = s[..., 0] / s[..., -1] if p != -2 else s[..., -1] / s[..., 0]
    else:
        ratio = matrix_norm(x, p) * matrix_norm(inv(x), p)
    return select(ratio.isnan() & ~x.isnan().any((-1, -2)), inf, ratio)


# Norms

def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    """NumPy's norm: of all elements (`ord` and `axis` None), of vectors along one axis, of matrices in two axes.

    Errors: ShapeError where there is no one or two axes for the order; ValueError for an order that is none.

        morok.linalg.norm(Tensor([3.0, 4.0]))  # 5.0
    """
    t = floating(tensor_of(x), "norm")
    if axis is None and ord is None:
        return vector_norm(t, keepdims=keepdims)
    axes = tuple(range(t.ndim)) if axis is None else tuple(normal_axis(a, t.ndim, "norm") for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(axes) == 1:
        return vector_norm(t, axis=axes[0], keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ShapeError(f"norm: takes one axis (of vectors) or two (of matrices), not {len(axes)} of shape {t.shape}; give axis")
    found = matrix_norm(t.moveaxis(axes, (-2, -1)), "fro" if ord is None else ord)
    return found.reshape(*(1 if a in axes else s for a, s in enumerate(t.shape))) if keepdims else found


def vector_norm(x: Any, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    """The norms of vectors along one or several axes, or of all elements: `ord` a number, inf, -inf, or 0 (how many are not 0).

        morok.linalg.vector_norm(Tensor([3.0, 4.0]), ord=1)  # 7.0
    """
    t = floating(tensor_of(x), "vector_norm")
    if isinstance(ord, str):
        raise ValueError(f"vector_norm: the order of a vector's norm is a number, not {ord!r}")
    if ord == 2:
        return _length(t, normal_axes(axis, t.ndim, "vector_norm"), keepdims)
    return t.norm(ord, axis, keepdims)


def matrix_norm(x: Any, ord: Any = "fro", keepdims: bool = False) -> Tensor:
    """The norms (...) of matrices (..., m, n): `ord` "fro", "nuc" (sum of singular values), 2 and -2 (the greatest, the least), 1 and -1 (greatest and least
    sum of a column's absolute values), inf and -inf (of a row's).

        morok.linalg.matrix_norm(Tensor([[1.0, -2.0], [3.0, 4.0]]), ord=1)  # 6.0
    """
    t = matrices(x, "matrix_norm")
    if ord == "fro":
        found = _length(t, (t.ndim - 2, t.ndim - 1), False)
    elif ord == "nuc":
        found = svdvals(t).sum(-1)
    elif ord in (2, -2):
        s = svdvals(t)
        found = s.norm(inf, -1) if ord == 2 else s.min(-1)
    elif ord in (1, -1, inf, -inf):
        sums = t.abs().sum(-2 if abs(ord) == 1 else -1)
        found = sums.norm(inf, -1) if ord > 0 else sums.min(-1)
    else:
        raise ValueError(f"matrix_norm: ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, not {ord!r}")
    return column(column(found)) if keepdims else found


# Products

def matmul(x: Any, y: Any) -> Tensor:
    """Matrix product by NumPy's rules, as `morok.matmul`.

        morok.linalg.matmul(Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]))  # [[11.0]]
    """
    first, second = pair(x, y, "matmul")
    return first.matmul(second)


def dot(x: Any, y: Any) -> Tensor:
    """NumPy's dot, as `morok.dot`.

        morok.linalg.dot(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))  # 11.0
    """
    first, second = pair(x, y, "dot")
    return first.dot(second)


def multi_dot(arrays: Sequence[Any]) -> Tensor:
    """The product of two or more matrices, multiplied in the order that takes the fewest operations; the first and the last may be vectors.

        morok.linalg.multi_dot([Tensor([[1.0, 2.0]]), Tensor([[3.0], [4.0]]), Tensor([[2.0]])])  # [[22.0]]
    """
    given = [tensor_of(t) for t in arrays]
    if len(given) < 2:
        raise ShapeError(f"multi_dot: takes two or more matrices, not {len(given)}")
    first, last = given[0].ndim == 1, given[-1].ndim == 1
    given[0] = given[0].unsqueeze(0) if first else given[0]
    given[-1] = given[-1].unsqueeze(1) if last else given[-1]
    for i, t in enumerate(given):
        if t.ndim != 2 or i and given[i - 1].shape[1] != t.shape[0]:
            raise ShapeError(f"multi_dot: matrices whose inner sizes are equal, not shapes {', '.join(str(t.shape) for t in given)}")
    result = _chain(given)
    if first:
        result = result.squeeze(0)
    return result.squeeze(-1) if last else result


def outer(x: Any, y: Any) -> Tensor:
    """Every product of an element of a vector with one of another, as a matrix. ShapeError for other than vectors.

        morok.linalg.outer(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))  # [[3.0, 4.0], [6.0, 8.0]]
    """
    first, second = tensor_of(x), tensor_of(y)
    if first.ndim != 1 or second.ndim != 1:
        raise ShapeError(f"linalg.outer: takes two vectors, given shapes {first.shape} and {second.shape}; morok.outer flattens")
    return first.outer(second)


@also_named(dim="axis")
def cross(x: Any, y: Any, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """Cross products of vectors of three elements along an axis; the rest broadcasts. ShapeError for other sizes.

        morok.linalg.cross(Tensor([1.0, 0.0, 0.0]), Tensor([0.0, 1.0, 0.0]))  # [0.0, 0.0, 1.0]
    """
    first, second = tensor_of(x), tensor_of(y)
    a, b = (t.moveaxis(normal_axis(axis, t.ndim, "cross"), -1) for t in (first, second))
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ShapeError(f"cross: axis {axis} must have size 3, given shapes {first.shape} and {second.shape}")
    parts = [a[..., (i + 1) % 3] * b[..., (i + 2) % 3] - a[..., (i + 2) % 3] * b[..., (i + 1) % 3] for i in range(3)]
    return parts[0].stack(*parts[1:], dim=-1).moveaxis(-1, axis)


@also_named(dim="axis")
def vecdot(x: Any, y: Any, axis: int = -1, **other: Unpack[OneDim]) -> Tensor:
    """Sums of products along an axis, of the same size in both; the rest broadcasts.

        morok.linalg.vecdot(Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 1.0]))  # [3.0, 7.0]
    """
    first, second = tensor_of(x), tensor_of(y)
    a, b = (t.moveaxis(normal_axis(axis, t.ndim, "vecdot"), -1) for t in (first, second))
    if a.shape[-1] != b.shape[-1]:
        raise ShapeError(f"vecdot: sizes along axis {axis} differ: {a.shape[-1]} and {b.shape[-1]} (shapes {first.shape} and {second.shape})")
    return (row(a) @ column(b)).squeeze((-2, -1))


def tensordot(x: Any, y: Any, axes: Any = 2) -> Tensor:
    """Sums of products over pairs of axes, as Tensor.tensordot.

        morok.linalg.tensordot(Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]))  # 11.0
    """
    first, second = pair(x, y, "tensordot")
    return first.tensordot(second, axes)


def matrix_transpose(x: Any) -> Tensor:
    """The last two axes changed over.

        morok.linalg.matrix_transpose(Tensor([[1, 2]]))  # [[1], [2]]
    """
    return _in_two_axes(x, "matrix_transpose").mT


def diagonal(x: Any, offset: int = 0) -> Tensor:
    """The diagonals (..., k) of matrices (..., m, n): above the main one for offset > 0, below for offset < 0.

        morok.linalg.diagonal(Tensor([[1, 2], [3, 4]]))  # [1, 4]
    """
    return _in_two_axes(x, "diagonal").diagonal(offset, -2, -1)


def trace(x: Any, offset: int = 0) -> Tensor:
    """Sums (...) of the diagonals of matrices (..., m, n).

        morok.linalg.trace(Tensor([[1, 2], [3, 4]]))  # 5
    """
    return diagonal(_in_two_axes(x, "trace"), offset).sum(-1)


# Parts

def _in_two_axes(x: Any, what: str) -> Tensor:
    t = tensor_of(x)
    if t.ndim < 2:
        raise AxisError(f"{what}: takes matrices, the last two axes; given shape {t.shape}")
    return t


def _symmetric(a: Any, triangle: str, what: str) -> Tensor:
    """One triangle of square matrices, and its mirror."""
    if str(triangle).upper() not in ("L", "U"):
        raise ValueError(f"{what}: UPLO is 'L' or 'U', not {triangle!r}")
    x = square(a, what)
    return x.tril() + x.tril(-1).mT if str(triangle).upper() == "L" else x.triu() + x.triu(1).mT


def _system(a: Tensor, b: Any, what: str) -> tuple[Tensor, Tensor, bool]:
    """Both sides as matrices of one dtype and batch, and whether the right one is a vector."""
    y = tensor_of(b)
    if y.ndim == 0:
        raise ShapeError(f"{what}: b is a vector or matrices, not a number")
    y = floating(y, what)
    is_vector = y.ndim == 1
    right = column(y) if is_vector else y
    if right.shape[-2] != a.shape[-2]:
        raise ShapeError(f"{what}: a has shape {a.shape}, but b has shape {y.shape}; as many rows in both: {a.shape[-2]}"
                         f"{'; a batch of vectors is b.unsqueeze(-1)' if y.shape[-1] == a.shape[-2] and not is_vector else ''}")
    if a.dtype is not right.dtype:
        a, right = a.cast("float64"), right.cast("float64")
    batch = broadcast_shape(what, a.shape[:-2], right.shape[:-2])
    return a.expand(*batch, *a.shape[-2:]), right.expand(*batch, *right.shape[-2:]), is_vector


def _cut(s: Tensor, relative: Any, a: Tensor) -> Tensor:
    """The singular values up to which they count as 0, for each matrix."""
    ratio = max(a.shape[-2:]) * epsilon(a.dtype) if relative is None else relative
    if isinstance(ratio, JoiningMethods) and ratio.ndim:
        ratio = column(ratio)  # type: ignore[arg-type]
    greatest = s[..., :1] if s.shape[-1] else Tensor.zeros(*s.shape[:-1], 1, dtype=s.dtype)
    return greatest * ratio


def _reciprocal(s: Tensor, limit: Tensor) -> Tensor:
    """1 / s, and 0 where it counts as 0."""
    counts = ~(s <= limit)  # NaN stays
    return select(counts, 1 / select(counts, s, 1), 0)


def _length(t: Tensor, axes: tuple[int, ...], keepdims: bool) -> Tensor:
    """The Euclidean norm: of numbers scaled by the greatest, whose squares neither overflow nor vanish."""
    if 0 in t.shape:
        return t.norm(2, axes, keepdims)
    greatest = t.detach().abs().max(axes, keepdim=True)
    scale = select((greatest == 0) | ~greatest.isfinite(), 1, greatest)
    scaled = t / scale
    found = (scaled * scaled).sum(axes, keepdim=True).sqrt() * scale
    return found if keepdims else found.reshape(*(s for a, s in enumerate(t.shape) if a not in axes))


def _chain(given: list[Tensor]) -> Tensor:
    """The product in the order that takes the fewest multiplications."""
    sizes = [t.shape[0] for t in given] + [given[-1].shape[1]]
    count = len(given)
    cost: dict[tuple[int, int], tuple[Any, int]] = {(i, i): (0, i) for i in range(count)}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j] = min((cost[i, k][0] + cost[k + 1, j][0] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j))

    def multiply(i: int, j: int) -> Tensor:
        if i == j:
            return given[i]
        k = cost[i, j][1]
        return multiply(i, k) @ multiply(k + 1, j)
    return multiply(0, count - 1)


def _count(shape: Sequence[Any]) -> int:
    return prod(shape)

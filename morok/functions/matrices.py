"""PyTorch's names of linear algebra outside of `linalg`."""
from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..tensor.tensor import Tensor
from . import linalg
from .operands import tensor_of

det, slogdet, matrix_power, cholesky = linalg.det, linalg.slogdet, linalg.matrix_power, linalg.cholesky


def inverse(x: Any) -> Tensor:
    """The inverse of square matrices, as `linalg.inv`.

    `x` is a tensor or array-like (..., n, n), and so is the result. Errors are those of linalg.inv.

        morok.inverse([[2.0, 0.0], [0.0, 4.0]])  # [[0.5, 0.0], [0.0, 0.25]]
    """
    return linalg.inv(x)


def pinverse(x: Any, rcond: float = 1e-15) -> Tensor:
    """The pseudo-inverse of matrices: singular values below rcond times the greatest count as 0. As `linalg.pinv`.

    `x` is a tensor or array-like (..., m, n); the result (..., n, m). Errors are those of linalg.pinv.

        morok.pinverse([[2.0, 0.0], [0.0, 4.0]])  # [[0.5, 0.0], [0.0, 0.25]]
    """
    return linalg.pinv(x, rcond)


def logdet(x: Any) -> Tensor:
    """The logarithm of the determinant of square matrices; NaN for one that is negative, -inf of 0.

    `x` is a tensor or array-like (..., n, n); the result (...). Errors are those of linalg.slogdet.

        morok.logdet([[2.0, 0.0], [0.0, 0.5]])  # 0.0
    """
    sign, size = linalg.slogdet(x)
    return size.where(sign >= 0, float("nan"))


def chain_matmul(*matrices: Any) -> Tensor:
    """The product of several matrices, in the order that takes the fewest multiplications. As `linalg.multi_dot`, of one matrix too.

    Tensors or array-likes of two axes. ShapeError for what does not fit.

        morok.chain_matmul([[1.0, 2.0]], [[3.0], [4.0]])  # [[11.0]]
    """
    given = [tensor_of(m) for m in matrices]
    if not given or any(m.ndim != 2 for m in given):
        raise ShapeError(f"chain_matmul: takes one matrix or more, given shapes {[m.shape for m in given]}")
    return given[0] if len(given) == 1 else linalg.multi_dot(given)



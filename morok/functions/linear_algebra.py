"""Products of tensors."""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .operands import pair, tensor_of


def matmul(x: Any, y: Any) -> Tensor:
    """Matrix product by NumPy's rules: the last axis of this with the second to last of the other (the only one of a vector); axes before these are
    batches and broadcast.

    `x` and `y` are tensors or array-likes. Errors are those of Tensor.matmul.

        morok.matmul([1.0, 2.0], [3.0, 4.0])
    """
    first, second = pair(x, y, "matmul")
    return first.matmul(second)


def dot(x: Any, y: Any) -> Tensor:
    """NumPy's dot: the sum over the last axis of this and the second to last of the other, for all combinations of the other axes.

    `x` and `y` are tensors or array-likes. Errors are those of Tensor.dot.

        morok.dot([1.0, 2.0], [3.0, 4.0])
    """
    first, second = pair(x, y, "dot")
    return first.dot(second)


def outer(x: Any, y: Any) -> Tensor:
    """Every product of an element of this with one of the other, as a matrix.

    `x` and `y` are tensors or array-likes. Errors are those of Tensor.outer.

        morok.outer([1.0, 2.0], [3.0, 4.0])
    """
    first, second = pair(x, y, "outer")
    return first.outer(second)


def kron(x: Any, y: Any) -> Tensor:
    """The Kronecker product; the shorter shape gets axes of size 1 in front, sizes are multiplied.

    `x` and `y` are tensors or array-likes. Errors are those of Tensor.kron.

        morok.kron([1.0, 2.0], [3.0, 4.0])
    """
    first, second = pair(x, y, "kron")
    return first.kron(second)


def trace(x: Any, offset: int = 0) -> Tensor:
    """Sum of the diagonal of the first two axes.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.trace.

        morok.trace([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).trace(offset)


def einsum(subscripts: str, *tensors: Any) -> Any:
    """Einstein's sum convention, with ellipses, repeated and summed letters.

    `tensors` are tensors or array-likes. Errors are those of Tensor.einsum.

        morok.einsum('ij,j->i', [[1.0, 2.0], [3.0, 4.0]], [1.0, 2.0])
    """
    return Tensor.einsum(subscripts, *(tensor_of(t) for t in tensors))

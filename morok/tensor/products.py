"""Products that are added to something, PyTorch's addmm and kin, and distances between rows."""
from __future__ import annotations

from typing import Any, Self, Unpack

from ..errors import BoundsError, DTypeError, ShapeError
from . import build
from .arguments import also_named, normal_axis, number, under_its_own_name
from .broadcasting import is_scalar
from .other_names import OneAxis
from .sampling import SamplingMethods


class ProductMethods(SamplingMethods):
    __slots__ = ()

    def mv(self, vec: Any) -> Self:
        """The product of a matrix and a vector. ShapeError for other shapes.

            Tensor([[1.0, 2.0]]).mv(Tensor([3.0, 4.0]))  # [11.0]
        """
        return self._of_ranks(vec, 2, 1, "mv")

    def ger(self, vec2: Any) -> Self:
        """PyTorch's other name of outer: every product of an element of this vector with one of the other. ShapeError for other than vectors.

            Tensor([1.0, 2.0]).ger(Tensor([3.0]))  # [[3.0], [6.0]]
        """
        other = self._left(vec2, "ger")
        if self.ndim != 1 or other.ndim != 1:
            raise ShapeError(f"ger: takes two vectors, not shapes {self.shape} and {other.shape}")
        return self.outer(other)

    def addmm(self, mat1: Any, mat2: Any, beta: Any = 1, alpha: Any = 1) -> Self:
        """beta * x + alpha * (mat1 @ mat2), of matrices; x broadcasts to the product's shape, dtypes combine. With beta 0 x does not count, NaN neither.

        ShapeError for what does not fit.

            Tensor([1.0]).addmm(Tensor([[2.0]]), Tensor([[3.0]]), beta=10)  # [[16.0]]
        """
        return self._added(self._left(mat1, "addmm")._of_ranks(mat2, 2, 2, "addmm"), beta, alpha)

    def addmv(self, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Self:
        """beta * x + alpha * (mat @ vec), of a matrix and a vector; as `addmm` otherwise. ShapeError for what does not fit.

            Tensor([1.0]).addmv(Tensor([[2.0, 1.0]]), Tensor([3.0, 4.0]))  # [11.0]
        """
        return self._added(self._left(mat, "addmv")._of_ranks(vec, 2, 1, "addmv"), beta, alpha)

    def addr(self, vec1: Any, vec2: Any, beta: Any = 1, alpha: Any = 1) -> Self:
        """beta * x + alpha * the outer product of two vectors; as `addmm` otherwise. ShapeError for what does not fit.

            Tensor([[1.0]]).addr(Tensor([2.0]), Tensor([3.0]))  # [[7.0]]
        """
        return self._added(self._left(vec1, "addr").ger(vec2), beta, alpha)

    def baddbmm(self, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Self:
        """beta * x + alpha * (batch1 @ batch2), of batches of matrices; as `addmm` otherwise. ShapeError for what does not fit.

            Tensor([1.0]).baddbmm(Tensor([[[2.0]]]), Tensor([[[3.0]]]))  # [[[7.0]]]
        """
        return self._added(self._left(batch1, "baddbmm")._of_ranks(batch2, 3, 3, "baddbmm"), beta, alpha)

    def addbmm(self, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Self:
        """beta * x + alpha * the sum over a batch of products of matrices; as `addmm` otherwise. ShapeError for what does not fit.

            Tensor([1.0]).addbmm(Tensor([[[2.0]], [[1.0]]]), Tensor([[[3.0]], [[4.0]]]))  # [[11.0]]
        """
        product = self._left(batch1, "addbmm")._of_ranks(batch2, 3, 3, "addbmm")
        return self._added(product.sum(0).cast(product.dtype), beta, alpha)

    def _of_ranks(self, other: Any, first: int, second: int, what: str) -> Self:
        """The matrix product of operands of so many axes."""
        y = self._operand(other, what)
        if self.ndim != first or y.ndim != second or self.shape[-1] != y.shape[-2 if second > 1 else 0] or first == 3 and self.shape[0] != y.shape[0]:
            raise ShapeError(f"{what}: takes factors of {first} and {second} axes that fit, not shapes {self.shape} and {y.shape}")
        return self.matmul(y)

    def _added(self, product: Self, beta: Any, alpha: Any) -> Self:
        """beta * this + alpha * product, in the product's shape."""
        shape = product.shape
        if is_scalar(alpha) and alpha != 1 or not is_scalar(alpha):
            product = product * alpha
        start = self.broadcast_to(shape) if self.shape != shape else self
        if is_scalar(beta) and beta == 0:
            start = start._new(build.full(shape, 0, self.dtype))
        elif not is_scalar(beta) or beta != 1:
            start = start * beta
        return start + product

    @under_its_own_name
    def dist(self, other: Any, p: Any = 2) -> Self:
        """The p-norm of the difference, over all elements: 0-d. Shapes broadcast, dtypes combine; integers become floats.

            Tensor([1.0, 2.0]).dist(Tensor([4.0, 6.0]))  # 5.0
        """
        return (self._floating() - self._left(other, "dist")).norm(p)

    @under_its_own_name
    def cdist(self, other: Any, p: Any = 2.0) -> Self:
        """The p-norm of the difference between each row of this and each of the other: (..., m, n) of (..., m, d) and (..., n, d). Axes before the last two
        broadcast, dtypes combine; integers become floats. ShapeError for rows of other sizes, BoundsError for a negative p.

            Tensor([[0.0, 0.0]]).cdist(Tensor([[3.0, 4.0], [0.0, 1.0]]))  # [[5.0, 1.0]]
        """
        x, y = self._floating(), self._left(other, "cdist")._floating()
        if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
            raise ShapeError(f"cdist: takes rows of one size, (..., m, d) and (..., n, d), not shapes {self.shape} and {y.shape}")
        if number(p, "cdist: p") < 0:
            raise BoundsError(f"cdist: p must not be negative, given {p}")
        return (x.unsqueeze(-2) - y.unsqueeze(-3)).norm(p, -1)

    @also_named(axis="dim")
    def renorm(self, p: Any, dim: int, maxnorm: Any, **other: Unpack[OneAxis]) -> Self:
        """Each slice along an axis that has a p-norm above `maxnorm` scaled down to it; PyTorch's, with its 1e-7 added to the norm that divides.

        The same shape and dtype. AxisError for an axis that is not there, DTypeError for integers.

            Tensor([[3.0, 4.0], [0.0, 1.0]]).renorm(2, 0, 2.5)
        """
        axis = normal_axis(dim, self.ndim, "renorm")
        if not self.dtype.is_float:
            raise DTypeError(f"renorm: takes floats, not {self.dtype}; cast them")
        most = number(maxnorm, "renorm: maxnorm")
        others = tuple(a for a in range(self.ndim) if a != axis)
        size = self.norm(p, others, keepdim=True) if others else self.abs()
        return self * (most / (size + 1e-7)).where(size > most, 1.0).cast(self.dtype)

"""Products of vectors, matrices and batches: matmul, dot, einsum and kin, each a broadcast product summed over shared axes.

Integer products keep their dtype and wrap; bools combine by and, or; 16-bit floats accumulate in float32.
"""
from __future__ import annotations

from typing import Any, Self

from ..dialect import types as T
from ..errors import ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build
from .annotations import Operand
from .arguments import integer, normal_axis, under_its_own_name
from .broadcasting import broadcast_shape, dtype_operands
from .joining import JoiningMethods
from .sizes import Shape, Size
from .subscripts import parse_subscripts


class LinearAlgebraMethods(JoiningMethods):
    __slots__ = ()

    def matmul(self, other: Operand) -> Self:
        """Matrix product by NumPy's rules: the last axis of this with the second to last of the other (the only one of a vector); axes
        before these are batches and broadcast. ShapeError for 0-d operands and inner sizes that differ.

            x.matmul(w), x @ w
        """
        y = self._operand(other, "matmul")
        left, right = self.shape, y.shape
        if not left or not right:
            raise ShapeError(f"matmul: operands need at least one axis, given shapes {left} @ {right}; use * for numbers")
        inner_axis = -2 if len(right) > 1 else -1
        if left[-1] != right[inner_axis]:
            raise ShapeError(f"matmul: inner sizes differ: {left} @ {right}; the first operand's last axis must equal the second's "
                             f"{'second to last' if len(right) > 1 else 'only axis'} ({left[-1]} and {right[inner_axis]})")
        try:
            broadcast_shape("matmul", left[:-2], right[:-2])
        except ShapeError:
            raise ShapeError(f"matmul: batches do not broadcast: {left} @ {right}; all axes but the last two must be equal or 1 in one of both") from None
        a, b = dtype_operands(self, y, "matmul")
        rows = left if len(left) > 1 else (1, *left)
        columns = right if len(right) > 1 else (*right, 1)
        a = build.reshape(a, (*rows[:-1], 1, rows[-1]))
        b = build.reshape(b, columns)
        b = build.permute(b, (*range(len(columns) - 2), len(columns) - 1, len(columns) - 2))
        b = build.reshape(b, (*columns[:-2], 1, columns[-1], columns[-2]))
        product = multiply_and_sum(a, b, 1)
        out = build.shape_of(product)
        if len(left) == 1:
            out = (*out[:-2], out[-1])
        if len(right) == 1:
            out = out[:-1]
        return self._new(build.reshape(product, out))

    def __matmul__(self, other: Operand) -> Self:
        return self.matmul(other)

    def __rmatmul__(self, other: Operand) -> Self:
        return self._operand(other, "matmul").matmul(self)

    def mm(self, other: Operand) -> Self:
        """Matrix product of two matrices. (n, k) with (k, m) gives (n, m). ShapeError for other shapes.

            Tensor([[1.0, 2.0]]).mm(Tensor([[3.0], [4.0]]))  # [[11.0]]
        """
        y = self._operand(other, "mm")
        if self.ndim != 2 or y.ndim != 2:
            raise ShapeError(f"mm: takes two matrices, given shapes {self.shape} and {y.shape}; matmul takes batches")
        return self.matmul(y)

    bmm = matmul

    @under_its_own_name
    def dot(self, other: Operand) -> Self:
        """NumPy's dot: the sum over the last axis of this and the second to last of the other, for all combinations of the other axes. Of vectors a number,
        with a 0-d operand the product. ShapeError where inner sizes differ.

            Tensor([1.0, 2.0]).dot(Tensor([3.0, 4.0]))
        """
        y = self._operand(other, "dot")
        if not self.ndim or not y.ndim:
            return self.mul(y)
        if self.ndim <= 2 and y.ndim <= 2:
            return self.matmul(y)
        return self.tensordot(y, ([-1], [-2 if y.ndim > 1 else -1]))

    @under_its_own_name
    def vdot(self, other: Operand) -> Self:
        """Sum of the products of all elements. A 0-d tensor.

            Tensor([1.0, 2.0]).inner_product(Tensor([3.0, 4.0]))
        """
        return self.ravel().matmul(self._operand(other, "vdot").ravel())

    inner_product = vdot

    @under_its_own_name
    def outer(self, other: Operand) -> Self:
        """Every product of an element of this with one of the other, as a matrix. Operands of any shape are flattened; dtypes combine.

            Tensor([1.0, 2.0]).outer(Tensor([3.0, 4.0]))  # [[3.0, 4.0], [6.0, 8.0]]
        """
        y = self._operand(other, "outer")
        return self.reshape(-1, 1).mul(y.reshape(1, -1))

    def tensordot(self, other: Operand, axes: Any = 2) -> Self:
        """The sum of products over pairs of axes: the last `axes` of this with the first of the other, or two lists of axes. The other axes follow one another;
        dtypes combine. ShapeError where paired sizes differ.

            Tensor([[1.0, 2.0]]).tensordot(Tensor([[3.0], [4.0]]), 1)  # [[11.0]]
        """
        y = self._operand(other, "tensordot")
        if isinstance(axes, int):
            if not 0 <= axes <= min(self.ndim, y.ndim):
                raise ShapeError(f"tensordot: cannot sum over {axes} axes of shapes {self.shape} and {y.shape}; allowed are 0 to {min(self.ndim, y.ndim)}")
            mine, theirs = list(range(self.ndim - axes, self.ndim)), list(range(axes))
        else:
            if not (isinstance(axes, (tuple, list)) and len(axes) == 2):
                raise TypeError(f"tensordot: axes is a number or two lists of axes, such as ([1], [0]), not {axes!r}")
            first, second = (list(a) if isinstance(a, (tuple, list)) else [a] for a in axes)
            mine, theirs = [normal_axis(a, self.ndim, "tensordot") for a in first], [normal_axis(a, y.ndim, "tensordot") for a in second]
        if len(mine) != len(theirs) or any(self.shape[a] != y.shape[b] for a, b in zip(mine, theirs)):
            raise ShapeError(f"tensordot: axes {mine} of shape {self.shape} and {theirs} of shape {y.shape} must have equal sizes")
        kept, other_kept = [a for a in range(self.ndim) if a not in mine], [a for a in range(y.ndim) if a not in theirs]
        a, b = dtype_operands(self, y, "tensordot")
        ones = (1,) * len(other_kept)
        a = build.permute(a, (*kept, *mine))
        b = build.permute(b, (*other_kept, *theirs))
        a = build.reshape(a, (*(self.shape[k] for k in kept), *ones, *(self.shape[m] for m in mine)))
        return self._new(multiply_and_sum(a, b, len(mine)))

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Self:
        """The diagonal of two axes, as a new last axis; above (offset > 0) or below the main one; a view, as PyTorch's: writing to it changes
        this tensor. Of two or more axes, the same dtype. AxisError for an axis that there is not; ShapeError for the same axis twice.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).diagonal()  # [1.0, 4.0]
        """
        a, b = normal_axis(axis1, self.ndim, "diagonal"), normal_axis(axis2, self.ndim, "diagonal")
        if a == b:
            raise ShapeError(f"diagonal: axis1 and axis2 are both {a}")
        order = (*(i for i in range(self.ndim) if i not in (a, b)), a, b)
        return self._view((build.permute, (order,)), (diagonal_of, (integer(offset, "diagonal: offset"),)))

    @under_its_own_name
    def trace(self, offset: int = 0) -> Self:
        """Sum of the diagonal of the first two axes. Of a tensor of two or more axes; dtypes as sum's. ShapeError below two axes.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).trace()
        """
        return self.diagonal(offset).sum(-1)

    @staticmethod
    def einsum(subscripts: str, *tensors: Any) -> Any:
        """Einstein's sum convention, with ellipses, repeated and summed letters.

            Tensor.einsum("bij,bjk->bik", x, y)
        """
        given = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else list(tensors)
        first = next((t for t in given if isinstance(t, LinearAlgebraMethods)), None)
        if first is None:
            raise TypeError("einsum: takes a string of subscripts and at least one Tensor")
        given = [first._operand(t, "einsum") for t in given]
        inputs, output = parse_subscripts(subscripts, [t.ndim for t in given])
        sizes = _sizes_of(subscripts, inputs, [t.shape for t in given])
        value: LinearAlgebraMethods | None = None
        letters: list = []
        for i, (names, t) in enumerate(zip(inputs, given)):
            own, t = _without_repeats(list(names), t)
            needed = set(output).union(*inputs[i + 1:])
            value, letters = (t, own) if value is None else _contracted(value, letters, t, own, needed)
        assert value is not None
        value, letters = _summed(value, letters, set(output))
        shape = tuple(sizes[n] for n in output)
        ordered = build.permute(value.uop, tuple(letters.index(n) for n in output))
        return value._new(build.expand(ordered, shape))


def _sizes_of(subscripts: str, inputs: list, shapes: list[Shape]) -> dict[Any, Size]:
    """The size of each letter; size 1 broadcasts."""
    sizes: dict[Any, Size] = {}
    for names, shape in zip(inputs, shapes):
        for name, size in zip(names, shape):
            known = sizes.setdefault(name, size)
            if known == 1:
                sizes[name] = size
            elif size != known and size != 1:
                raise ShapeError(f"einsum: subscript {name!r} of {subscripts!r} has sizes {known} and {size} (shapes {shapes})")
    return sizes


def multiply_and_sum(a: TensorUOp, b: TensorUOp, over: int | tuple[int, ...]) -> TensorUOp:
    """The product, broadcast, summed over the last axes, so many, or over some, in the operands' dtype."""
    dtype = a.dtype
    if dtype.is_float and dtype.bits < 32:
        a, b = build.cast(a, T.float32), build.cast(b, T.float32)
    shape = broadcast_shape("mul", build.shape_of(a), build.shape_of(b))
    product = build.alu("and" if dtype is T.bool_ else "mul", build.broadcast(a, shape), build.broadcast(b, shape))
    axes = tuple(range(len(shape) - over, len(shape))) if isinstance(over, int) else over
    total = build.reduce(product, "or" if dtype is T.bool_ else "add", axes)
    return build.cast(total, dtype)


def diagonal_of(u: TensorUOp, offset: int) -> TensorUOp:
    """The diagonal of the last two axes as the last axis: with one more element for each row, rows of the flattened matrix begin on it."""
    shape = build.shape_of(u)
    batch: Shape = shape[:-2]
    rows, columns = shape[-2:]
    zero = (0,) * len(batch)
    if offset > 0:
        u, columns = _window(u, (*zero, 0, offset), (*batch, rows, max(columns - offset, 0)))
    elif offset < 0:
        u, columns = _window(u, (*zero, -offset, 0), (*batch, max(rows + offset, 0), columns))
    rows = build.shape_of(u)[-2]
    size = columns if rows == columns else min(rows, columns)
    u = build.shrink(u, (*zero, 0, 0), (*batch, size, size))
    flat = build.reshape(u, (*batch, size * size))
    wide = build.pad(flat, (*zero, 0), (*zero, size))
    return build.reshape(build.shrink(build.reshape(wide, (*batch, size, size + 1)), (*zero, 0, 0), (*batch, size, 1)), (*batch, size))


def _window(u: TensorUOp, begin: Shape, size: Shape) -> tuple[TensorUOp, Size]:
    begin = tuple(min(b, s) if isinstance(s, int) else b for b, s in zip(begin, build.shape_of(u)))
    return build.shrink(u, begin, size), size[-1]


def _without_repeats(names: list, t: Any) -> tuple[list, Any]:
    """Takes the diagonal of each letter that occurs twice."""
    for name in dict.fromkeys(names):
        while names.count(name) > 1:
            a = names.index(name)
            b = names.index(name, a + 1)
            if t.shape[a] != t.shape[b]:
                raise ShapeError(f"einsum: subscript {name!r} names sizes {t.shape[a]} and {t.shape[b]} of an operand of shape {t.shape}")
            t = t.diagonal(0, a, b)
            names = [n for i, n in enumerate(names) if i not in (a, b)] + [name]
    return names, t


def _summed(t: Any, names: list, needed: set) -> tuple[Any, list]:
    """Sums over the letters that nobody needs any more, in the same dtype."""
    axes = tuple(a for a, n in enumerate(names) if n not in needed)
    return (t.sum(axes, dtype=t.dtype), [n for n in names if n in needed]) if axes else (t, names)


def _contracted(x: Any, names: list, y: Any, others: list, needed: set) -> tuple[Any, list]:
    """The product of two operands, summed over the letters that no later operand or the result needs."""
    x, names = _summed(x, names, needed | set(others))
    y, others = _summed(y, others, needed | set(names))
    kept = [n for n in dict.fromkeys(names + others) if n in needed]
    summed = [n for n in dict.fromkeys(names + others) if n not in needed]
    order = kept + summed
    a, b = dtype_operands(x, y, "einsum")
    a, b = _aligned(a, names, order), _aligned(b, others, order)
    return x._new(multiply_and_sum(a, b, len(summed))), kept


def _aligned(u: TensorUOp, names: list, order: list) -> TensorUOp:
    """Axes in the order given, of size 1 where the operand lacks a letter."""
    shape = build.shape_of(u)
    u = build.permute(u, tuple(names.index(n) for n in order if n in names))
    return build.reshape(u, tuple(shape[names.index(n)] if n in names else 1 for n in order))



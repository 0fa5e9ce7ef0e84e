"""Writing: assign and the in-place operators. They change the value of a tensor and of all views that share its memory, as NumPy's."""
from __future__ import annotations

from typing import Any, Self

from ..errors import DTypeError, ShapeError
from . import build, dtypes
from .annotations import Operand
from .core import TensorCore
from .indexing import IndexingMethods


class WritingMethods(IndexingMethods):
    __slots__ = ()

    def __delitem__(self, key: Any) -> None:
        raise TypeError("elements of a tensor cannot be deleted; keep the others: t[mask], or morok.cat of what is before and after")

    def assign(self, value: Any) -> Self:
        """Takes over a value, broadcast to this shape. DTypeError for floats into integers or numbers into bools: cast first.

            a.assign(b + 1)
        """
        return self._take(self._left(value, "assign"), "assign")

    def copy_(self, value: Any) -> Self:
        """PyTorch's assign, which converts any dtype. The value broadcasts to this shape.

            Tensor([1.0, 2.0]).copy_(5)  # [5.0, 5.0]
        """
        self._write(self._value_for(value, self.shape, "copy_"))
        return self

    def fill_(self, value: Any) -> Self:
        """Every element the value. In place: shape and dtype stay.

            Tensor([1.0, 2.0]).fill_(5)  # [5.0, 5.0]
        """
        self._write(self._value_for(value, self.shape, "fill_"))
        return self

    def zero_(self) -> Self:
        """Every element 0. In place: shape and dtype stay.

            Tensor([1.0, 2.0]).zero_()  # [0.0, 0.0]
        """
        return self.fill_(0)

    def _take(self, value: TensorCore, what: str) -> Self:
        """Writes the value, whose shape and dtype this tensor must be able to hold."""
        if not dtypes.may_store(value.dtype, self.dtype):
            raise DTypeError(f"{what}: a result of {value.dtype} does not go into a tensor of {self.dtype}; cast it, or use the operator "
                             "that makes a new tensor")
        shape, given = self.shape, value.shape
        aligned = (1,) * (len(shape) - len(given)) + given
        if len(aligned) != len(shape) or any(g != s and g != 1 for g, s in zip(aligned, shape)):
            raise ShapeError(f"{what}: a value of shape {given} does not fit a tensor of shape {shape}; it must broadcast to it")
        self._write(build.broadcast(build.cast(value.uop, self.dtype), shape))
        return self

    def __iadd__(self, other: Operand) -> Self:
        return self._take(self.add(other), "+=")

    def __isub__(self, other: Operand) -> Self:
        return self._take(self.sub(other), "-=")

    def __imul__(self, other: Operand) -> Self:
        return self._take(self.mul(other), "*=")

    def __itruediv__(self, other: Operand) -> Self:
        return self._take(self.div(other), "/=")

    def __ifloordiv__(self, other: Operand) -> Self:
        return self._take(self.floor_divide(other), "//=")

    def __imod__(self, other: Operand) -> Self:
        return self._take(self.mod(other), "%=")

    def __ipow__(self, other: Operand) -> Self:
        return self._take(self.pow(other), "**=")

    def __imatmul__(self, other: Operand) -> Self:
        return self._take(self.matmul(other), "@=")

    def __iand__(self, other: Operand) -> Self:
        return self._take(self.bitwise_and(other), "&=")

    def __ior__(self, other: Operand) -> Self:
        return self._take(self.bitwise_or(other), "|=")

    def __ixor__(self, other: Operand) -> Self:
        return self._take(self.bitwise_xor(other), "^=")

    def __ilshift__(self, other: Operand) -> Self:
        return self._take(self.lshift(other), "<<=")

    def __irshift__(self, other: Operand) -> Self:
        return self._take(self.rshift(other), ">>=")

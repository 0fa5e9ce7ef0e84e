"""Methods under the other names that NumPy and PyTorch have for them, and PyTorch's small ones that take another tensor's shape or dtype."""
from __future__ import annotations

from typing import Any, Self

from ..dialect import types as T
from ..errors import ShapeError
from .annotations import DTypeLike, ShapeLike
from .arguments import shape_argument, under_its_own_name
from .broadcasting import broadcast_shape
from .products import ProductMethods as Methods


class SpellingMethods(Methods):
    __slots__ = ()

    def short(self) -> Self:
        """The elements as int16. The same shape.

            Tensor([1.5, 0.0]).short()  # [1, 0]
        """
        return self.cast(T.int16)

    def char(self) -> Self:
        """The elements as int8. The same shape.

            Tensor([1.5, 0.0]).char()  # [1, 0]
        """
        return self.cast(T.int8)

    def byte(self) -> Self:
        """The elements as uint8. The same shape.

            Tensor([1.5, 0.0]).byte()  # [1, 0]
        """
        return self.cast(T.uint8)

    def t(self) -> Self:
        """The transpose of a matrix; vectors and 0-d tensors as they are. ShapeError for more axes.

            Tensor([[1.0, 2.0]]).t()  # [[1.0], [2.0]]
        """
        if self.ndim > 2:
            raise ShapeError(f"t: takes at most two axes, not shape {self.shape}; mT exchanges the last two")
        return self.transpose(0, 1) if self.ndim == 2 else self.flip(())

    def element_size(self) -> int:
        """How many bytes an element takes, as `itemsize`.

            Tensor([1.0]).element_size()  # 4
        """
        return self.itemsize

    def type_as(self, other: Any) -> Self:
        """The elements in another tensor's dtype. The same shape.

            Tensor([1.5]).type_as(Tensor([2]))  # [1]
        """
        return self.cast(self._operand(other, "type_as").dtype)

    @under_its_own_name
    def view_as(self, other: Any) -> Self:
        """The elements in another tensor's shape, of as many. ShapeError otherwise.

            Tensor([1.0, 2.0]).view_as(Tensor([[0], [0]]))  # [[1.0], [2.0]]
        """
        return self.reshape(self._operand(other, "view_as").shape)

    reshape_as = view_as

    @under_its_own_name
    def sum_to_size(self, *size: ShapeLike) -> Self:
        """The sum over the axes that broadcasting that size to this shape repeats. ShapeError where it does not broadcast to it.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).sum_to_size(1, 2)  # [[4.0, 6.0]]
        """
        wanted, shape = shape_argument(size, "sum_to_size"), self.shape
        if len(wanted) > len(shape) or broadcast_shape("sum_to_size", shape, wanted) != shape:
            raise ShapeError(f"sum_to_size: size {wanted} does not broadcast to the tensor's shape {shape}")
        aligned = (1,) * (len(shape) - len(wanted)) + wanted
        axes = tuple(a for a, (s, w) in enumerate(zip(shape, aligned)) if w == 1 and s != 1)
        return self.sum(axes, keepdim=True).cast(self.dtype).reshape(wanted) if axes else self.reshape(wanted)

    # New tensors of this dtype and device

    def _filled(self, shape: tuple, value: Any, dtype: DTypeLike, what: str) -> Self:
        return type(self).full(shape_argument(shape, what), value, dtype=self.dtype if dtype is None else dtype, device=self.device)

    def new_zeros(self, *size: ShapeLike, dtype: DTypeLike = None) -> Self:
        """Zeros of a shape, in this tensor's dtype, unless another is given, and on its device.

            Tensor([1, 2]).new_zeros(2, 1)  # [[0], [0]]
        """
        return self._filled(size, 0, dtype, "new_zeros")

    def new_ones(self, *size: ShapeLike, dtype: DTypeLike = None) -> Self:
        """Ones of a shape, in this tensor's dtype, unless another is given, and on its device.

            Tensor([1, 2]).new_ones(2)  # [1, 1]
        """
        return self._filled(size, 1, dtype, "new_ones")

    def new_empty(self, *size: ShapeLike, dtype: DTypeLike = None) -> Self:
        """Zeros too: a tensor of a shape, in this tensor's dtype, unless another is given, and on its device.

            Tensor([1, 2]).new_empty(2, 0).shape  # (2, 0)
        """
        return self._filled(size, 0, dtype, "new_empty")

    def new_full(self, size: Any, fill_value: Any, dtype: DTypeLike = None) -> Self:
        """The value in a shape, in this tensor's dtype, unless another is given, and on its device.

            Tensor([1, 2]).new_full((2,), 7)  # [7, 7]
        """
        return self._filled((size,), fill_value, dtype, "new_full")

    def new_tensor(self, data: Any, dtype: DTypeLike = None) -> Self:
        """A tensor of data of any shape, in this tensor's dtype, unless another is given, and on its device.

            Tensor([1.0]).new_tensor([2, 3])  # [2.0, 3.0]
        """
        return type(self)(data, dtype=self.dtype if dtype is None else dtype, device=self.device)

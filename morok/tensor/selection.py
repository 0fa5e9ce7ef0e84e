"""Where elements are not 0, and the elements there. How many there are is computed at once, the rest is lazy."""
from __future__ import annotations

from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import ShapeError
from . import build
from .arguments import also_named, normal_axis
from .data_sizes import true_places
from .other_names import OneDim
from .scattering import ScatteringMethods

INSTEAD = "keep the shape instead, as x.where(condition, 0) and count_nonzero do, or select outside of the function"


class SelectionMethods(ScatteringMethods):
    __slots__ = ()

    def nonzero(self, as_tuple: bool = True) -> Any:
        """Where the elements are not 0: for each axis their indices, in row-major order, as NumPy's and the array API's; PyTorch's matrix (one row for each
        element) without `as_tuple`, or by `argwhere`.

        A tuple of int64 tensors of one axis. How many elements there are is computed at once. ShapeError for a 0-d tensor, JitError inside a captured function.

            Tensor([[0, 5], [7, 0]]).nonzero()[1]  # [1, 0]
        """
        if not as_tuple:
            return self.argwhere()
        if not self.ndim:
            raise ShapeError("nonzero: a 0-d tensor has no axes to index; use argwhere(), or reshape it to one axis")
        return true_places(self._truth(), "nonzero", INSTEAD)

    def argwhere(self) -> Self:
        """Where the elements are not 0: a row of indices for each, in row-major order.

        int64 of shape (how many, ndim). JitError inside a captured function.

            Tensor([[0, 5], [7, 0]]).argwhere()  # [[0, 1], [1, 0]]
        """
        if not self.ndim:
            count = true_places(self._truth().reshape(1), "argwhere", INSTEAD)[0].shape[0]
            return self._new(build.full((count, 0), 0, T.int64))
        places = true_places(self._truth(), "argwhere", INSTEAD)
        return places[0].stack(*places[1:], dim=-1)

    def flatnonzero(self) -> Self:
        """Where the elements of the flattened tensor are not 0, as int64 on one axis. JitError inside a captured function.

            Tensor([[0, 5], [7, 0]]).flatnonzero()  # [1, 2]
        """
        return true_places(self._truth().ravel(), "flatnonzero", INSTEAD)[0]

    @also_named(dim="axis")
    def compress(self, condition: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """NumPy's: the slices along an axis (elements of the flattened tensor by default) where a condition on one axis holds; it may be shorter than the axis.

        ShapeError for a condition of more axes or that is longer, JitError inside a captured function.

            Tensor([[1, 2], [3, 4]]).compress([False, True], 0)  # [[3, 4]]
        """
        if axis is None:
            return self.ravel().compress(condition, 0)
        along = normal_axis(axis, self.ndim, "compress")
        chosen = self._operand(condition, "compress")
        if chosen.ndim != 1 or chosen.shape[0] > self.shape[along]:
            raise ShapeError(f"compress: the condition must have one axis, of size {self.shape[along]} at most, not shape {chosen.shape}")
        return self.take(chosen.flatnonzero(), along)

    def extract(self, condition: Any) -> Self:
        """The elements where the condition, of as many elements, is not 0, on one axis: NumPy's extract, the other way round.

        ShapeError for a condition that is longer, JitError inside a captured function.

            Tensor([[1, 2], [3, 4]]).extract([[True, False], [False, True]])  # [1, 4]
        """
        return self.ravel().compress(self._operand(condition, "extract").ravel())

    def _truth(self) -> Self:
        return self if self.dtype is T.bool_ else self.ne(0)

"""Cumulative functions: each element with all before it along an axis. One ordered loop; a long axis in blocks that threads share."""
from __future__ import annotations

from typing import Self, Unpack

from ..dialect import types as T
from ..errors import DTypeError, ShapeError
from . import build
from .arguments import also_named, normal_axis
from .numeric import NumericMethods
from .other_names import OneDim
from .scans import scanned


class CumulativeMethods(NumericMethods):
    __slots__ = ()

    @also_named(dim="axis")
    def cumsum(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """Sums of all elements up to each along an axis (of the flattened tensor by default); bool and integers in 64 bits, 16-bit floats summed in float32.

        The same shape. AxisError for an axis that is not there.

            Tensor([1, 2, 3]).cumsum(0)  # [1, 3, 6]
        """
        return self._cumulative("add", axis, "cumsum")

    @also_named(dim="axis")
    def cumprod(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """Products of all elements up to each along an axis (of the flattened tensor by default); bool and integers in 64 bits.

            Tensor([2, 3, 4]).cumprod(0)  # [2, 6, 24]
        """
        return self._cumulative("mul", axis, "cumprod")

    @also_named(dim="axis")
    def cummax(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """The greatest of all elements up to each along an axis (of the flattened tensor by default); NaN from the first NaN on.

            Tensor([1, 3, 2]).cummax(0)  # [1, 3, 3]
        """
        return self._cumulative("max", axis, "cummax")

    @also_named(dim="axis")
    def cummin(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """The least of all elements up to each along an axis (of the flattened tensor by default); NaN from the first NaN on.

            Tensor([2, 3, 1]).cummin(0)  # [2, 2, 1]
        """
        return self._cumulative("min", axis, "cummin")

    @also_named(dim="axis")
    def logcumsumexp(self, axis: int | None = None, **other: Unpack[OneDim]) -> Self:
        """log of the sums of exp of all elements up to each along an axis (of the flattened tensor by default), without overflow; integers become floats.

        The same shape. AxisError for an axis that is not there.

            Tensor([0.0, float("-inf")]).logcumsumexp(0)  # [0.0, 0.0]
        """
        return self._floating()._cumulative("logaddexp", axis, "logcumsumexp")

    def _cumulative(self, op: str, axis: int | None, what: str) -> Self:
        if axis is None:
            return self.ravel()._cumulative(op, 0, what)
        along = normal_axis(axis, self.ndim, what)
        if not all(isinstance(s, int) for s in self.shape):
            raise ShapeError(f"{what}: takes static sizes, not {self.shape}; take the greatest size, and slice the result")
        dtype = self.dtype
        if op in ("add", "mul", "logaddexp"):
            wide = T.float32 if dtype.is_float and dtype.bits < 32 else dtype if dtype.is_float else T.uint64 if dtype.kind == "u" else T.int64
        elif dtype is T.bool_:
            raise DTypeError(f"{what}: bools have no order; cast them, or use cumsum")
        else:
            wide = dtype
        found = self._new(scanned(build.cast(self.uop, wide), op, along))
        return found.cast(dtype) if dtype.is_float else found

"""Elements repeated, each so often, or as often as its own count says: counts are known, or their sum is computed at once unless it is given."""
from __future__ import annotations

from typing import Any, Self, Unpack

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, ShapeError
from . import build
from .arguments import also_named, integer, normal_axis
from .core import TensorCore
from .data_sizes import known
from .other_names import OneAxis
from .rows import picked
from .selection import SelectionMethods
from .sizes import SymbolicInt, countable, numel, require


class RepeatingMethods(SelectionMethods):
    __slots__ = ()

    @also_named(axis="dim")
    def repeat_interleave(self, repeats: Any, dim: int | None = None, output_size: int | None = None, **other: Unpack[OneAxis]) -> Self:
        """Each element, or slice along an axis, repeated so often, or as often as its count in a list or tensor says (NumPy's repeat); flattened for None.

        The sum of counts that are a tensor is computed at once, unless `output_size` says what it is, which a function that morok.jit captures needs. The dtype
        stays. ShapeError for another number of counts, BoundsError for a negative one, DTypeError for floats.

            Tensor([1, 2, 3]).repeat_interleave([2, 0, 1])  # [1, 1, 3]
        """
        u = self.uop if dim is not None else build.reshape(self.uop, (numel(self.shape),))
        shape = build.shape_of(u)
        axis = normal_axis(dim if dim is not None else 0, len(shape), "repeat_interleave")
        if not isinstance(repeats, (TensorCore, list, tuple, np.ndarray)):
            times = require(repeats, "repeat_interleave")
            return self._new(_repeated(u, axis, times))
        counts = self._operand(repeats, "repeat_interleave")
        if counts.dtype.is_float or counts.dtype is T.bool_:
            if counts.numel():
                raise DTypeError(f"repeat_interleave: counts are integers, not {counts.dtype}")
            counts = counts.cast(T.int64)
        size: Any = shape[axis]
        if isinstance(size, SymbolicInt) or counts.ndim > 1 or counts.numel() not in (1, size):
            raise ShapeError(f"repeat_interleave: takes one count, or one for each of the {size} elements of axis {axis}, not shape {counts.shape}")
        counts = counts.reshape(counts.numel()).broadcast_to((size,)).cast(T.int64)
        if output_size is None:
            array = np.asarray(known(counts, "repeat_interleave", "give output_size"))
            if array.size and array.min() < 0:
                raise BoundsError(f"repeat_interleave: a count must not be negative, given {array.min()}")
            places = type(self)(np.repeat(np.arange(size), array), device=self.device)
        else:
            total = countable((integer(output_size, "repeat_interleave: output_size"),), "repeat_interleave")[0]
            places = counts.cumsum(0).searchsorted(self._new(build.iota(total, T.int64)), side="right") if size else self._new(build.full((0,), 0, T.int64))
        return self._new(picked(u, build.reshape(places.uop, (*(1,) * axis, places.shape[0])), axis))


def _repeated(u: Any, axis: int, times: Any) -> Any:
    shape = build.shape_of(u)
    before, size, after = shape[:axis], shape[axis], shape[axis + 1:]
    countable((*before, size * times, *after), "repeat_interleave")
    wide = build.expand(build.reshape(u, (*before, size, 1, *after)), (*before, size, times, *after))
    return build.reshape(wide, (*before, size * times, *after))

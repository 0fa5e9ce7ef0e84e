"""How often values occur: bincount, histogram, histc. Each is a scatter of ones, or of weights, into bins; many values in blocks that threads share."""
from __future__ import annotations

import math
from typing import Any, Self, Unpack

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, ShapeError
from . import build, dtypes
from .arguments import also_named, integer, number
from .core import TensorCore
from .data_sizes import known
from .other_names import OneWeight
from .repeating import RepeatingMethods
from .rows import put
from .sizes import countable

BLOCKS = 16
"""Into how many blocks many values are divided, each with bins of its own that are added up."""
LEAST = 1 << 14
"""Values from which on that pays; there must be twice as many as all these bins, too."""


class CountingMethods(RepeatingMethods):
    __slots__ = ()

    def bincount(self, weights: Any = None, minlength: int = 0, length: int | None = None) -> Self:
        """How often each of 0, 1, 2, ... occurs among non-negative integers on one axis, or the sum of the weights where it does.

        int64 of shape (n,), or with weights their float dtype (64-bit integers for integers). n is the greatest value + 1, which is computed at once, or
        `minlength` if that is more; or just `length`, which leaves out what is beyond, and which a function that morok.jit captures needs. BoundsError for a
        negative value, ShapeError for more axes or other weights, DTypeError for floats, JitError without `length` inside a captured function.

            Tensor([1, 3, 1]).bincount()  # [0, 2, 0, 1]
        """
        if self.ndim != 1:
            raise ShapeError(f"bincount: takes one axis, not shape {self.shape}; flatten it first")
        if self.dtype.is_float:
            raise DTypeError(f"bincount: takes integers, not {self.dtype}; cast them, or use histogram")
        given = None if weights is None else self._operand(weights, "bincount")
        if given is not None and given.shape != self.shape:
            raise ShapeError(f"bincount: weights of shape {given.shape} for values of shape {self.shape}; there must be one for each")
        least = integer(minlength, "bincount: minlength")
        bins = None if length is None else integer(length, "bincount: length")
        if least < 0 or bins is not None and bins < 0:
            raise BoundsError(f"bincount: a number of bins must not be negative, given {least if bins is None else bins}")
        if bins is None:
            bins = max(least, self._greatest_bin("bincount") + 1)
        return self._counted(bins, given)

    @also_named(weight="weights")
    def histogram(self, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None, **other: Unpack[OneWeight]) -> tuple[Self, Self]:
        """NumPy's: how many elements lie in each bin, and the edges of the bins: n + 1 for n bins, each from its edge up to the next, the last with both.

        `bins` is how many of equal width there are in `range`, (low, high), by default from the least element to the greatest; or increasing edges. Elements
        outside, and NaN, are in no bin. The counts are int64; with weights of this shape their sums, in their dtype; with `density` the quotients, in floats,
        whose integral is 1. Nothing is computed at once. ShapeError, DTypeError or BoundsError for what does not fit.

            Tensor([1.0, 2.0, 1.0, 4.0]).histogram(3)[0]  # [2, 1, 1]
        """
        given = None if weights is None else self._operand(weights, "histogram")
        if given is not None and given.shape != self.shape:
            raise ShapeError(f"histogram: weights of shape {given.shape} for a tensor of shape {self.shape}; there must be one for each element")
        x = self._wide()
        if isinstance(bins, (int, np.integer)) and not isinstance(bins, bool):
            edges, places = x._equal_bins(int(bins), _limits(range, "histogram"), 0.5, "histogram")
        else:
            edges = x._given_edges(bins)
            places = x._bins_between(edges)
        counts = places._counted(edges.shape[0] - 1, None if given is None else given.ravel())
        if density:
            counts = counts.cast(x.dtype) / counts.sum().cast(x.dtype) / (edges[1:] - edges[:-1])
        return counts, edges

    def histc(self, bins: int = 100, min: float = 0, max: float = 0) -> Self:
        """PyTorch's: how many elements lie in each of `bins` bins of equal width from min to max, in this dtype (the default float for integers).

        Both 0: from the least element to the greatest. Elements outside, and NaN, are in no bin. BoundsError for limits that are none.

            Tensor([1.0, 2.0, 1.0, 4.0]).histc(4, 0, 4)  # [0.0, 2.0, 1.0, 1.0]
        """
        least, most = number(min, "histc: min"), number(max, "histc: max")
        x = self._wide()
        edges, places = x._equal_bins(integer(bins, "histc: bins"), None if least == most else _limits((least, most), "histc"), 1.0, "histc")
        return places._counted(edges.shape[0] - 1, None).cast(self.dtype if self.dtype.is_float else dtypes.default_float())

    def _greatest_bin(self, what: str) -> int:
        """The greatest of non-negative integers, computed at once; -1 of none."""
        if not self.numel():
            return -1
        wide = self.cast(T.uint64 if self.dtype.kind == "u" else T.int64)
        least, most = (int(v) for v in known(wide.min().stack(wide.max()), what, f"give {what} its length"))
        if least < 0:
            raise BoundsError(f"{what}: the values must not be negative, but {least} is among them")
        return most

    def _counted(self, bins: int, weights: Any) -> Self:
        """For each of so many bins how many of these integers name it, or the sum of the weights."""
        positions, count = self.uop, self.numel()
        dtype, values = T.int64, None
        if weights is not None:
            narrow = weights.dtype
            dtype = (T.float32 if narrow.bits < 32 else narrow) if narrow.is_float else T.uint64 if narrow.kind == "u" else T.int64
            values = build.cast(weights.uop, dtype)
        if not positions.dtype.is_int or positions.dtype.kind == "u":
            positions = build.cast(positions, T.int64)
        blocks = BLOCKS if isinstance(count, int) and count >= LEAST and count >= 2 * BLOCKS * bins else 1
        rest: Any = -count % blocks if blocks > 1 else 0
        each = (count + rest) // blocks if blocks > 1 else count
        positions = build.reshape(build.pad(positions, (0,), (rest,), -1), (blocks, each))
        values = build.full((blocks, each), 1, dtype) if values is None else build.reshape(build.pad(values, (0,), (rest,)), (blocks, each))
        found = put(build.full((blocks, bins), 0, dtype), positions, values, 1, "add")
        total = build.reduce(found, "add", (0,)) if blocks > 1 else build.reshape(found, (bins,))
        return self._new(build.cast(total, weights.dtype) if weights is not None and weights.dtype.is_float else total)

    def _wide(self) -> Self:
        """On one axis, in the floats that bins are computed in."""
        return self.ravel().cast(self.dtype if self.dtype.is_float and self.dtype.bits >= 32 else T.float32 if self.dtype.is_float else T.float64)

    def _equal_bins(self, bins: int, limits: tuple[float, float] | None, margin: float, what: str) -> tuple[Self, Self]:
        """The edges of bins of equal width, and the bin of each of these floats, -1 for none. Limits that are equal are moved apart by the margin."""
        if bins < 1:
            raise BoundsError(f"{what}: there must be at least one bin, given {bins}")
        countable((bins + 1,), what)
        if limits is None and 0 in self.shape:
            limits = 0.0, 1.0
        if limits is None:
            low, high = self.nanmin().cast(T.float64), self.nanmax().cast(T.float64)
        else:
            low, high = (self._new(build.constant(v, T.float64)) for v in limits)
        equal = low.eq(high)
        low, high = (low - margin).where(equal, low), (high + margin).where(equal, high)
        number = self._new(build.iota(bins + 1, T.int64))
        # A quotient, rounded before the sum: 0 is an edge of 10 bins from -0.5 to 0.5.
        edges = high.where(number.eq(bins), low + number.cast(T.float64) * (high - low) / bins).cast(self.dtype).contiguous()
        low, high = edges[0], edges[-1]
        inside = (self >= low) & (self <= high)
        near = ((self - low) / (high - low) * bins).where(inside, 0.0).cast(T.int64).minimum(bins - 1)
        near = near - (self < edges.take(near)).cast(T.int64)  # the quotient is rounded: the edges decide
        near = near + ((self >= edges.take(near + 1)) & near.ne(bins - 1)).cast(T.int64)
        return edges, near.where(inside, -1)

    def _given_edges(self, bins: Any) -> Self:
        if isinstance(bins, str):
            raise DTypeError(f"histogram: bins are a number or edges, not {bins!r}")
        edges = self._operand(bins, "histogram")
        if edges.ndim != 1 or edges.shape[0] < 2:
            raise ShapeError(f"histogram: edges have one axis and at least two elements, not shape {edges.shape}")
        if not isinstance(bins, TensorCore) and (np.diff(np.asarray(bins, np.float64)) < 0).any():
            raise BoundsError(f"histogram: edges must increase, given {bins}")
        return edges.cast(self.dtype) if edges.dtype is not self.dtype else edges

    def _bins_between(self, edges: Self) -> Self:
        """The bin of each of these floats between increasing edges; -1, or as many as there are, for none."""
        passed = edges.searchsorted(self, "right")
        return (passed - 1) - self.eq(edges[-1]).cast(T.int64)


def _limits(given: Any, what: str) -> tuple[float, float] | None:
    if given is None:
        return None
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise ShapeError(f"{what}: the range is (low, high), not {given!r}")
    low, high = (number(v, f"{what}: a limit") for v in given)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise BoundsError(f"{what}: the range must be finite and must not fall, given ({low}, {high})")
    return low, high

"""Values of scalars over iterations: every range gets an array axis of its own, and a scalar op is evaluated at all its iterations at once.

    %i = range 3, %j = range 2           Lanes((%i,), [0 1 2])    Lanes((%j,), [0 1])
    %i * 2 + %j                          Lanes((%i, %j), [[0 1] [2 3] [4 5]])
    reduce add (%i * 2 + %j), %j         Lanes((%i,), [1 5 9])
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import IRError
from ..graph.uop import UOp
from .memory import where


@dataclass(frozen=True)
class Lanes:
    """A value at each iteration of the ranges `axes`: the array's first axes run over these, a vector's or buffer's own follow."""

    axes: tuple[UOp, ...]
    array: np.ndarray


class Iterations:
    """The ranges of a body with their extents, in loop order: the axes of every value stand in this order."""

    def __init__(self, order: Iterable[UOp]) -> None:
        ranges = [u for u in order if u.name == "range"]
        self._rank = {r: i for i, r in enumerate(sorted(ranges, key=lambda r: r.attribute("id")))}
        self._extents: dict[UOp, int] = {}

    def open(self, r: UOp, extent: Lanes) -> Lanes:
        """The counter of a range."""
        if extent.axes:
            raise IRError(f"{where(r)} has an extent that depends on other ranges")
        self._extents[r] = max(0, int(extent.array))
        return Lanes((r,), np.arange(self._extents[r], dtype=np.int64))

    def union(self, *axes: Iterable[UOp]) -> tuple[UOp, ...]:
        """All the ranges, outer first."""
        return tuple(sorted({r for some in axes for r in some}, key=self._rank.__getitem__))

    def extents(self, axes: Sequence[UOp]) -> tuple[int, ...]:
        return tuple(self._extents[r] for r in axes)

    def counter(self, r: UOp, axes: tuple[UOp, ...]) -> np.ndarray:
        """The range's number at each iteration of `axes`, which have it."""
        return self.spread(Lanes((r,), np.arange(self._extents[r], dtype=np.int64)), axes)

    def spread(self, value: Lanes, axes: tuple[UOp, ...], inner: int | None = None) -> np.ndarray:
        """The value's array with an axis for each of `axes`, of size 1 where it does not vary; then its own axes, at least `inner`."""
        own = value.array.shape[len(value.axes):]
        sizes = iter(value.array.shape)
        outer = tuple(next(sizes) if r in value.axes else 1 for r in axes)
        missing = 0 if inner is None else inner - len(own)
        return value.array.reshape(outer + (1,) * missing + own)

    def repeat(self, value: Lanes, axes: tuple[UOp, ...]) -> np.ndarray:
        """The value's array at every iteration of `axes`."""
        spread = self.spread(value, axes)
        return np.broadcast_to(spread, self.extents(axes) + spread.shape[len(axes):])

    def describe(self, axes: tuple[UOp, ...], position: Sequence[int]) -> str:
        """An iteration in words, for messages."""
        counters = ", ".join(f"range {r.attribute('id')} = {n}" for r, n in zip(axes, position))
        return f" at {counters}" if counters else ""

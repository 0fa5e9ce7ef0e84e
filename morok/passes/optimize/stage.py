"""Staging: a factor of a reduction is copied, tile by tile, into a contiguous panel of scratch before the loops that read it again and again.

    for %j (tile of columns)                          for %j
      for %i                                            for %k', %l': panel[%k', %l'] = b[%k', %j * 48 + %l']
        sum over %k of a[%i, %k] * b[%k, %j * 48 + %l]  for %i
                                                   =>     sum over %k of a[%i, %k] * panel[%k, %l]

The factor may be any expression: a transposed or gathered operand, a padded image, a value that is converted or computed first. It is evaluated once
for each iteration of the loops outside and each element of the panel. The panel's axes are those of panel_axes.py, in the order in which the innermost
loops read it: what becomes lanes is last.
"""
from __future__ import annotations

from collections.abc import Callable
from math import prod

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.buffers import ops_to_memory, root_buffer
from ...graph.uop import UOp, index_const, substitute, toposort
from ..codegen.lane_choice import widest_divisor
from ..symbolic.ranges import make_range, open_ranges, replace_ranges
from .panel_axes import PanelAxis, adjacent_axes, memory_step, range_axes, with_flat_indices

MOST_BYTES = 2 << 20
"""Of one panel: it lies on the thread's stack."""
MOST_LANES = 64
BLOCK = 16
"""Elements of a window, or of what lies consecutively in memory, that are filled together: vectors, or rows of a block that is transposed in registers."""
_ORDER = {"thread": 0, "loop": 0, "ordered": 0, "reduce": 1, "unroll": 2, "upcast": 3}


def factors(order: list[UOp]) -> list[UOp]:
    """What can be staged: the two factors of each reduction of a product, else its value; constants and values of scratch excepted."""
    found: dict[UOp, None] = {}
    for u in order:
        if u.name == "reduce":
            value = _without_conversion(u.operands[0])
            parts = value.operands if value.name == "mul" else (u.operands[0],)
            found.update((p, None) for p in parts if p.name != "const" and not _reads_scratch(p))
    return list(found)


def _without_conversion(value: UOp) -> UOp:
    while value.name == "cast":
        value = value.operands[0]
    return value


def _reads_scratch(value: UOp) -> bool:
    return any(u.name == "load" and root_buffer(u.operands[0]).name == "define_local" and not open_ranges(u) for u in ops_to_memory(value))


def panel_ranges(factor: UOp, outside: int) -> list[UOp]:
    """The ranges of a factor whose loops are inside of axis `outside`, in the order of the panel's axes."""
    inner = [r for r in open_ranges(factor) if r.attribute("id") > outside]
    inner.sort(key=lambda r: (_ORDER[r.attribute("kind")], r.attribute("id")))
    unrolled = [r for r in inner if r.attribute("kind") == "unroll"]
    if unrolled and all(_lanes(r) < _lanes(unrolled[-1]) for r in inner if r.attribute("kind") == "upcast"):  # the sum's loop becomes lanes
        inner.append(inner.pop(inner.index(unrolled[-1])))
    return inner


def _lanes(r: UOp) -> int:
    """How many lanes an expanded range may become at most."""
    return widest_divisor(r.operands[0].value, MOST_LANES) if r.operands[0].is_const() else 1


def stage(roots: tuple[UOp, ...], what: str, outside: int, factor: UOp, axes_of: Callable[[UOp, list[UOp]], list[PanelAxis]] = range_axes
          ) -> tuple[UOp, ...]:
    """The roots with the factor in a panel that is filled inside the loop of axis `outside`; `axes_of` gives its axes, `range_axes` or `window_axes`.
    ScheduleError where that is not legal."""
    order = toposort(roots)
    inner = panel_ranges(factor, outside)
    if not inner:
        raise ScheduleError(f"{what}: the factor does not change inside of axis {outside}; there is nothing to stage")
    if any(not r.operands[0].is_const() for r in inner):
        raise ScheduleError(f"{what}: a loop of the factor has a symbolic extent; a panel has a constant size")
    axes = axes_of(factor, inner)
    sizes = [axis.size for axis in axes]
    if prod(sizes) * factor.dtype.bits // 8 > MOST_BYTES:
        raise ScheduleError(f"{what}: the panel would take {prod(sizes) * factor.dtype.bits // 8} bytes; at most {MOST_BYTES} are allowed")
    written = {root_buffer(u.operands[0]) for u in order if u.name == "store"}
    parts = ops_to_memory(factor)
    if any(u.name == "load" and root_buffer(u.operands[0]) in written for u in parts):
        raise ScheduleError(f"{what}: the factor reads memory that the kernel writes")
    if any(u.name == "reduce" for u in parts):
        raise ScheduleError(f"{what}: the factor holds a reduction of its own")
    last = max(u.attribute("id") for u in order if u.name == "range")
    number = 1 + max((u.attribute("id") for u in order if u.name == "define_local"), default=-1)
    dtype = T.uint8 if factor.dtype is T.bool_ else factor.dtype
    panel = UOp.make("define_local", (), (number,), T.memref((prod(sizes),), dtype, "local"), factor.loc)
    filling = Filling(factor, axes, last + 1)
    store = UOp.make("store", (_element(panel, filling.places, filling.sizes), filling.value.cast(dtype)), (), None, factor.loc)
    filled = UOp.make("after", (panel, UOp.make("end", (store, *filling.loops))))
    read = UOp.make("load", (_element(filled, [_place(axis) for axis in axes], sizes),), (), None, factor.loc)
    return substitute(roots, {factor: read.cast(factor.dtype)})


class Filling:
    """The loops that fill a panel, with ids from `first` on. Axes that lie in memory as in the panel are filled by one loop.

    What is read beside the lanes' direction is filled in blocks: BLOCK consecutive elements for each of the lanes, which are transposed in registers.
    """

    def __init__(self, factor: UOp, axes: list[PanelAxis], first: int) -> None:
        self.first = first
        self.loops: list[UOp] = []
        self.places: list[UOp] = []
        """Where in the panel the loops are, and the sizes of what they go through."""
        self.sizes: list[int] = []
        across = any(a.in_registers and memory_step(factor, a) != 1 for a in axes)
        places: dict[UOp, UOp] = {r: index_const(0) for axis in axes for r in axis.steps}
        while axes:
            together = adjacent_axes(factor, axes) if across else axes[:1]
            *others, axis = together
            size = prod(a.size for a in together)
            if axis.in_registers and len(axis.steps) == 1:
                place = self._loop(size, "upcast", axis.unit)
            elif axis.in_registers or across and memory_step(factor, axis) == 1:
                place = self._block(size, axis.unit)
            else:
                place = self._loop(size, "loop", axis.unit)
            if others:
                factor = with_flat_indices(factor, [a.unit for a in together])
            axes = axes[len(together):]
            places[axis.unit] = place
            self.places.append(place)
            self.sizes.append(size)
        self.value = replace_ranges((factor,), places, {})[0]

    def _block(self, size: int, like: UOp) -> UOp:
        """Steps through an axis by blocks of copies or lanes; the last one overlaps the one before."""
        block = min(BLOCK, 1 << size.bit_length() - 1)
        if size == block:
            return self._loop(size, "upcast", like)
        start = self._loop(-(-size // block), "loop", like) * block
        return (start if size % block == 0 else UOp.make("min", (start, index_const(size - block)))) + self._loop(block, "upcast", like)

    def _loop(self, extent: int, kind: str, like: UOp) -> UOp:
        self.loops.append(make_range(index_const(extent), self.first + len(self.loops), kind, like))
        return self.loops[-1]


def _place(axis: PanelAxis) -> UOp:
    """Where along an axis the loops that read the panel are."""
    place, *more = [r * step for r, step in axis.steps.items()]
    for term in more:
        place = place + term
    return place


def _element(panel: UOp, places: list[UOp], sizes: list[int]) -> UOp:
    """A pointer to an element of the panel, which is row-major."""
    flat = places[0]
    for place, size in zip(places[1:], sizes[1:]):
        flat = flat * size + place
    return UOp.make("index", (panel, flat), (), T.ptr(panel.dtype, "local"))

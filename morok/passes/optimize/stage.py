"""Staging: a factor of a reduction is copied, tile by tile, into a contiguous panel of scratch before the loops that read it again and again.

    for %j (tile of columns)                          for %j
      for %i                                            for %k', %l': panel[%k', %l'] = b[%k', %j * 48 + %l']
        sum over %k of a[%i, %k] * b[%k, %j * 48 + %l]  for %i
                                                   =>     sum over %k of a[%i, %k] * panel[%k, %l]

The factor may be any expression: a transposed or gathered operand, a padded image, a value that is converted or computed first. It is evaluated once
for each iteration of the loops outside and of those of its own ranges inside. The panel's axes are in the order in which the innermost loops read
it: what becomes lanes is last.
"""
from __future__ import annotations

from math import prod

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.buffers import ops_to_memory, root_buffer
from ...graph.uop import UOp, substitute, toposort
from ..codegen.lane_choice import widest_divisor
from ..symbolic.ranges import make_range, open_ranges, replace_ranges

MOST_BYTES = 2 << 20
"""Of one panel: it lies on the thread's stack."""
MOST_LANES = 64
_ORDER = {"thread": 0, "loop": 0, "reduce": 1, "unroll": 2, "upcast": 3}


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


def stage(roots: tuple[UOp, ...], what: str, outside: int, factor: UOp) -> tuple[UOp, ...]:
    """The roots with the factor in a panel that is filled inside the loop of axis `outside`. ScheduleError where that is not legal."""
    order = toposort(roots)
    inner = panel_ranges(factor, outside)
    if not inner:
        raise ScheduleError(f"{what}: the factor does not change inside of axis {outside}; there is nothing to stage")
    if any(not r.operands[0].is_const() for r in inner):
        raise ScheduleError(f"{what}: a loop of the factor has a symbolic extent; a panel has a constant size")
    sizes = [r.operands[0].value for r in inner]
    if prod(sizes) * factor.dtype.bits // 8 > MOST_BYTES:
        raise ScheduleError(f"{what}: the panel would take {prod(sizes) * factor.dtype.bits // 8} bytes; at most {MOST_BYTES} are allowed")
    written = {root_buffer(u.operands[0]) for u in order if u.name == "store"}
    parts = ops_to_memory(factor)
    if any(u.name == "load" and root_buffer(u.operands[0]) in written for u in parts):
        raise ScheduleError(f"{what}: the factor reads memory that the kernel writes")
    if any(u.name == "reduce" for u in parts):
        raise ScheduleError(f"{what}: the factor holds a reduction of its own")
    last = max(u.attribute("id") for u in order if u.name == "range")
    copies = {r: make_range(r.operands[0], last + 1 + i, "upcast" if r.attribute("kind") in ("upcast", "unroll") else "loop", r)
              for i, r in enumerate(inner)}
    number = 1 + max((u.attribute("id") for u in order if u.name == "define_local"), default=-1)
    dtype = T.uint8 if factor.dtype is T.bool_ else factor.dtype
    panel = UOp.make("define_local", (), (number,), T.memref((prod(sizes),), dtype, "local"), factor.loc)
    value = replace_ranges((factor,), dict(copies), {})[0]
    store = UOp.make("store", (_element(panel, [copies[r] for r in inner], sizes), value.cast(dtype)), (), None, factor.loc)
    filled = UOp.make("after", (panel, UOp.make("end", (store, *copies.values()))))
    read = UOp.make("load", (_element(filled, inner, sizes),), (), None, factor.loc)
    return substitute(roots, {factor: read.cast(factor.dtype)})


def _element(panel: UOp, places: list[UOp], sizes: list[int]) -> UOp:
    """A pointer to an element of the panel, which is row-major."""
    flat = places[0]
    for place, size in zip(places[1:], sizes[1:]):
        flat = flat * size + place
    return UOp.make("index", (panel, flat), (), T.ptr(panel.dtype, "local"))

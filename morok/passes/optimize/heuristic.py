"""The default schedule of a kernel: lanes on the unit-stride axis, a register tile for products, several partial sums, threads on the outermost loop.

Decisions are made range by range on what the memory accesses say, never on a kernel's name or shape. Each is an opt that stands in the IR.
"""
from __future__ import annotations

from math import prod

from ...graph.body import Body
from ...graph.uop import UOp
from ..symbolic.bounds import bounds
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges
from .machine import Machine
from .opts import Opt
from .products import find_product, schedule_product
from .schedule import NamedLoops, Schedule

THREAD_WORK = 1 << 15
"""Elementary operations below which waking another thread costs more than it saves."""
TILE_ROWS = (6, 4)
"""Rows of a product's register tile; with two vectors of columns, 6 x 2 accumulators keep both FMA units busy within 16 registers and more."""


def default_schedule(body: Body, machine: Machine) -> Schedule | NamedLoops:
    """The heuristic's schedule of a kernel."""
    product = find_product(body)
    if product is not None:
        scheduled = schedule_product(body, product, machine)
        if scheduled is not None:
            return scheduled
    schedule = Schedule(body)
    strides = Accesses(body)
    widths = [u.operands[0].type.dtype.bits for u in body.order() if u.name in ("load", "store")]  # type: ignore[union-attr]
    lanes = max(1, machine.vector_bits // max(widths, default=8))
    threaded = _work(body) >= THREAD_WORK
    _vectorise(schedule, strides, lanes, machine)
    if threaded:
        _thread(schedule)
    return schedule


class Accesses:
    """For each range, how the kernel's loads and stores step along it."""

    def __init__(self, body: Body):
        self.order = body.order()
        self.indices = [u for u in self.order if u.name == "index"]
        self.stores = {u.operands[0] for u in self.order if u.name == "store"}
        self.flat = {u: linear(flat_index(u)) for u in self.indices}

    def stride(self, index: UOp, range_: UOp) -> int | None:
        """Elements per iteration; None where the access is not linear in the range."""
        found = 0
        for term, coefficient in self.flat[index].terms:
            if term is range_:
                found = coefficient
            elif range_ in open_ranges(term):
                return None
        return found

    def vectorisable(self, range_: UOp) -> int:
        """How well the range suits lanes: accesses of unit stride count for it, strided or irregular ones against it."""
        score = 0
        for index in self.indices:
            stride = self.stride(index, range_)
            if stride == 1:
                score += 4 if index in self.stores else 2
            elif stride is None or stride != 0:
                score -= 4 if index in self.stores else 1
        return score


def _work(body: Body) -> int:
    order = body.order()
    return sum(prod(bounds(r)[1] + 1 for r in open_ranges(u)) for u in order if u.name in ("store", "load"))


def _extent(range_: UOp) -> int | None:
    return range_.operands[0].value if range_.operands[0].is_const() else None


def _vectorise(schedule: Schedule, accesses: Accesses, lanes: int, machine: Machine) -> None:
    """Each loop nest (what one op closes) gets lanes on its best axis; axes are taken from the last to the first so that places stay valid."""
    plans: dict[UOp, str] = {}
    for closer in (u for u in accesses.order if u.name == "end"):
        inner = [r for r in closer.operands[1:] if r.attribute("kind") == "loop"]
        best = max(inner, key=accesses.vectorisable, default=None)
        if best is not None and accesses.vectorisable(best) > 0:
            plans[best] = "UPCAST"
    for closer in (u for u in accesses.order if u.name == "reduce"):
        nest = open_ranges(closer.operands[0])
        if any(r in plans and plans[r] == "UPCAST" for r in nest):
            continue
        inner = [r for r in closer.operands[1:] if r.attribute("kind") == "reduce"]
        best = max(inner, key=accesses.vectorisable, default=None)
        if best is not None and accesses.vectorisable(best) > 0:
            plans[best] = "UNROLL"
    tile = _register_tile(accesses, plans)
    for range_ in sorted([*plans, *tile], key=lambda r: -r.attribute("id")):
        axis, extent = range_.attribute("id"), _extent(range_)
        if extent is None:
            continue
        if range_ in tile:
            factor = next((f for f in TILE_ROWS if extent % f == 0), TILE_ROWS[1])
            if extent >= factor and (extent % factor == 0 or extent >= 2 * factor and schedule.apply(Opt("PEEL", axis, factor))):
                schedule.apply(Opt("UPCAST", axis, factor))
        elif extent >= lanes:
            factor = _copies(extent, lanes, 2 if tile else machine.accumulators if plans[range_] == "UNROLL" else 1)
            if extent % factor and not schedule.apply(Opt("PEEL", axis, factor)):
                continue
            schedule.apply(Opt(plans[range_], axis, factor))


def _copies(extent: int, lanes: int, most: int) -> int:
    """Lanes times as many copies as fit the extent without a rest that lanes alone would not leave."""
    for copies in range(most, 1, -1):
        if extent >= copies * lanes and extent // (copies * lanes) * copies * lanes == extent // lanes * lanes:
            return copies * lanes
    return lanes


def _register_tile(accesses: Accesses, plans: dict[UOp, str]) -> dict[UOp, str]:
    """For a reduction whose loads each lack one of the two inner output axes (a product), the outer of these is tiled too: each load serves several results."""
    tile: dict[UOp, str] = {}
    for reduce in (u for u in accesses.order if u.name == "reduce"):
        closed = set(reduce.operands[1:])
        loads = [u for u in accesses.indices if closed & open_ranges(u)]
        nest = sorted((r for r in open_ranges(reduce) if r.attribute("kind") == "loop"), key=lambda r: r.attribute("id"))
        lanes = [r for r in nest if plans.get(r) == "UPCAST"]
        if len(loads) < 2 or not lanes:
            continue
        candidates = [r for r in nest if r not in lanes and any(r not in open_ranges(u) and lanes[0] in open_ranges(u) for u in loads)
                      and any(r in open_ranges(u) and lanes[0] not in open_ranges(u) for u in loads)]
        if candidates:
            tile[candidates[-1]] = "UPCAST"
    return tile


def _thread(schedule: Schedule) -> None:
    """Threads on the outermost loop of the stores, where that is legal."""
    for end in (u for u in schedule.body.order() if u.name == "end"):
        loops = sorted((r for r in end.operands[1:] if r.attribute("kind") == "loop"), key=lambda r: r.attribute("id"))
        if loops and schedule.apply(Opt("THREAD", loops[0].attribute("id"))):
            return

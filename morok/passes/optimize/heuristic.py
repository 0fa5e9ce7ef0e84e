"""The default schedule of a kernel: lanes on the unit-stride axis, several partial sums, blocks for transposes, threads on the outermost
loop. Products have schedules of their own: products.py; those among several stages, nests.py.

Decisions are made range by range on what the memory accesses say, never on a kernel's name or shape. Each is an opt that stands in the IR.
"""
from __future__ import annotations

from math import prod

from ...dialect import types as T
from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import argument_uses, ops_to_memory
from ...graph.uop import UOp
from ..symbolic.bounds import bounds
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges, ranges_of
from .column_sums import read_in_rows
from .crossed import schedule_crossed
from .machine import Machine
from .nests import FusedSchedule, distributed, is_fused_product, nests_of
from .opts import Opt
from .ordered import is_ordered, schedule_ordered
from .prefetch import read_again
from .product_form import find_product
from .products import estimated_cycles, schedule_product
from .schedule import NamedLoops, Schedule
from .work import THREAD_WORK, elements_moved

NEAR = 4
"""Elements between what two lanes load up to which gathering it is faster than to load it one by one: each line serves several."""
REPEATS = 8
"""How much more an access inside a reduction counts than one outside: a guess at how often it runs."""
LEAST_PREFETCH = 1 << 16
"""Bytes below which all that a kernel reads may be in a cache before it begins."""
FIRST_CACHE = 1 << 14
"""Bytes that are sure to stay in a core's first cache until the next iteration reads them."""
STREAMED = 2
"""How many times the second caches of the threads a buffer has to be to be written past them."""
NEST_COLUMNS = 4
"""Vectors of columns that several nests pass over together: whole pairs of lines, and few enough that the nests' code stays small."""
LEAST_LANES = 4
"""Elements of a row shorter than a vector from which on a sum is computed with lanes for all of it, the rest of them idle."""
SUMS_BESIDE = 8
"""Sums along one loop that are computed together: as many as an addition takes cycles, two at a time."""
TILE_STEP = 2
"""Sums' additions that what a step of several sums does but once takes as long as: its loop, and the load of what they share."""
ROW_BLOCK = 16
"""Rows that a transpose copies together: the lines of the source that it reads then serve all of them."""


def default_schedule(body: Body, machine: Machine) -> Schedule | NamedLoops:
    """The heuristic's schedule of a kernel."""
    if is_ordered(body):
        accesses = Accesses(body)
        widths = [u.operands[0].type.dtype.bits for u in body.order() if u.name in ("load", "store")]  # type: ignore[union-attr]
        lanes = max(1, machine.vector_bits // max(widths, default=8))
        return schedule_ordered(body, machine, lanes, accesses.contiguous(), elements_moved(body) >= THREAD_WORK)
    product = find_product(body)
    if product is not None:
        scheduled = schedule_crossed(body, product, machine, estimated_cycles(product, machine)) or schedule_product(body, product, machine)
        if scheduled is not None:
            return scheduled
    if is_fused_product(body):
        fused = _schedule_stages(body, machine)
        if fused is not None:
            return fused
    schedule = Schedule(body)
    strides = Accesses(body)
    widths = [u.operands[0].type.dtype.bits for u in body.order() if u.name in ("load", "store")]  # type: ignore[union-attr]
    lanes = max(1, machine.vector_bits // max(widths, default=8))
    streamed = streamed_buffers(body, machine, strides)
    _vectorise(schedule, strides, lanes, machine, in_line=bool(streamed))
    read_in_rows(schedule, machine)
    _prefetch(schedule, machine)
    if elements_moved(body) >= THREAD_WORK:
        _thread(schedule)
    for slot in streamed:
        schedule.apply(Opt("STREAM", slot))
    return schedule


def streamed_buffers(body: Body, machine: Machine, accesses: Accesses) -> list[int]:
    """The buffers that are written past the caches: they are so large that little of them would be there when it is asked for, and a line that is written
    whole need not be fetched first. What lies behind the cores' own caches is no faster than memory where many machines share it. Written in stripes, a part
    of each row, the lines would be fetched one by one, in the place of what the next nest reads: smaller buffers are too large for that."""
    read, written = argument_uses(body)
    large = machine.cache_bytes if accesses.passes_in_stripes() else STREAMED * machine.cache_bytes * machine.threads
    return [slot for slot in sorted(written - read) if isinstance(t := body.arguments[slot].type, T.MemRefType) and t.nbytes > large]


def _schedule_stages(body: Body, machine: Machine) -> NamedLoops | None:
    """A kernel of several stages with products among them; None where its loops cannot be distributed."""
    blocks = distributed(body, machine)
    if blocks is None:
        return None
    nests = nests_of(blocks.body, machine)
    if not nests:
        return None
    accesses = Accesses(blocks.body)
    plans = _plans(accesses, set(nests))
    loops = FusedSchedule(blocks)
    for nest in {id(nest): nest for nest in nests.values()}.values():
        loops.tile(nest, machine)
    bits = max((u.operands[0].type.dtype.bits for u in accesses.order if u.name in ("load", "store")), default=8)  # type: ignore[union-attr]
    lanes = max(1, machine.vector_bits // bits)
    sums = {r for nest in nests.values() for r in nest.product.sums}
    for range_, opt in plans.items():
        name, size = f"r{range_.attribute('id')}", _extent(range_)
        if size is None or size < lanes or range_ in sums:
            continue
        factor = _copies(size, lanes, machine.accumulators if opt == "UNROLL" else 1)
        try:
            if size % factor and opt == "UNROLL":
                loops.peel(name, factor)
            loops.divide(opt, name, factor, f"{name} lanes")
        except ScheduleError:
            continue
    if elements_moved(body) >= THREAD_WORK:
        try:
            loops.thread(loops.order[0])
        except ScheduleError:  # the outermost loop has become lanes or a register tile: few rows, not worth a second thread
            pass
    return loops


class Accesses:
    """For each range, how the kernel's loads and stores step along it."""

    def __init__(self, body: Body):
        self.order = body.order()
        self.indices = [u for u in self.order if u.name == "index"]
        self.stores = {u.operands[0] for u in self.order if u.name == "store"}
        self.flat = {u: linear(flat_index(u)) for u in self.indices}
        reduced = {r for u in self.order if u.name == "reduce" for r in u.operands[1:]}
        self.repeated = {u for u in self.indices if open_ranges(u) & reduced}
        """Accesses inside a reduction."""

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
        """How well the range suits lanes: accesses of unit stride count for it, strided or irregular ones against it, but for loads of what lies close by."""
        score = 0
        for index in self.indices:
            stride = self.stride(index, range_)
            weight = REPEATS if index in self.repeated else 1
            if stride == 1:
                score += 4 if index in self.stores else 2 * weight
            elif stride is not None and abs(stride) <= NEAR and index not in self.stores:
                continue
            elif stride is None or stride != 0:
                score -= 4 if index in self.stores else weight
        return score

    def contiguous(self) -> list[UOp]:
        """The loops along which each access goes element by element or stays where it is, and some store goes."""
        strides = {r: {u: self.stride(u, r) for u in self.indices} for r in ranges_of(self.order) if r.attribute("kind") == "loop"}
        return [r for r, found in strides.items() if all(s in (0, 1) for s in found.values()) and any(found[u] == 1 for u in self.stores)]

    def is_slid_over(self, range_: UOp) -> bool:
        """Whether a reduction moves by a few elements along memory that the range moves along too: a window's sum."""
        return any(0 < abs(self.stride(u, r) or 0) <= NEAR for s in self.sums_in(range_) for r in s.operands[1:]
                   for u in ops_to_memory(s.operands[0]) if u in self.flat and range_ in open_ranges(u))

    def sums_in(self, range_: UOp) -> list[UOp]:
        """The reductions inside of a loop."""
        return [u for u in self.order if u.name == "reduce" and range_ in open_ranges(u)]

    def holds_nests(self, range_: UOp) -> bool:
        """Whether there are other loops than those of reductions inside of the range."""
        inner = {r for u in self.indices if range_ in open_ranges(u) for r in open_ranges(u) if r.attribute("id") > range_.attribute("id")}
        return any(r.attribute("kind") == "loop" for r in inner)

    def passes_in_stripes(self) -> bool:
        """Whether several nests pass over some columns of a matrix, then over the next."""
        return any(r.attribute("kind") == "loop" and self.is_swept(r) and self.holds_nests(r) for r in ranges_of(self.order))

    def is_swept(self, range_: UOp) -> bool:
        """Whether a reduction reads memory along the range element by element, and far apart along its own: the sum of a matrix's columns."""
        for u in self.order:
            if u.name != "reduce" or range_ not in open_ranges(u):
                continue
            inner = [v for v in ops_to_memory(u.operands[0]) if v in self.flat and range_ in open_ranges(v)]
            if any(self.stride(v, range_) == 1 and any(r in open_ranges(v) for r in u.operands[1:]) for v in inner):
                return True
        return False


def _extent(range_: UOp) -> int | None:
    return range_.operands[0].value if range_.operands[0].is_const() else None


def _plans(accesses: Accesses, without: set[UOp]) -> dict[UOp, str]:
    """Which range of each nest becomes lanes, and by which opt; without the nests that these ops close."""
    plans: dict[UOp, str] = {}
    planned: set[UOp] = set()
    ends = [u for u in accesses.order if u.name == "end" and u not in without]
    for closer in sorted(ends, key=lambda u: -len(u.operands)):  # the deepest first: a store outside of a nest that has lanes gets none
        inner = [r for r in closer.operands[1:] if r.attribute("kind") == "loop"]
        best = max(inner, key=accesses.vectorisable, default=None)
        if best is not None and accesses.vectorisable(best) > 0 and not planned.intersection(inner) and not any(r in plans for r in open_ranges(closer)):
            plans[best] = "UPCAST"
            planned.update(inner)
    for closer in (u for u in accesses.order if u.name == "reduce"):
        nest = open_ranges(closer.operands[0])
        if any(r in plans and plans[r] == "UPCAST" for r in nest):
            continue
        inner = [r for r in closer.operands[1:] if r.attribute("kind") == "reduce"]
        best = max(inner, key=accesses.vectorisable, default=None)
        if best is not None and accesses.vectorisable(best) > 0:
            plans[best] = "UNROLL"
    return plans


def _vectorise(schedule: Schedule, accesses: Accesses, lanes: int, machine: Machine, in_line: bool) -> None:
    """Each loop nest (what one op closes) gets lanes on its best axis; axes are taken from the last to the first so that places stay valid. `in_line`:
    vectors begin where lines do, as far as that is up to the schedule."""
    plans = _plans(accesses, set())
    block = _transposed(schedule, accesses, plans)
    beside = {r: size for lanes_of, opt in plans.items() if opt == "UPCAST" for r, size in _sums_beside(lanes_of, accesses, lanes, machine)}
    for range_ in sorted([*plans, *block, *beside], key=lambda r: -r.attribute("id")):
        axis, extent = range_.attribute("id"), _extent(range_)
        if extent is None:
            continue
        if range_ in beside:
            _divide(schedule, Opt("UPCAST", axis, beside[range_]), extent, in_line=False)
        elif range_ in block:
            if schedule.apply(Opt("TILE" if extent % ROW_BLOCK == 0 else "OVERLAP", axis, ROW_BLOCK)):
                _move_inside(schedule, axis + 1)
        elif extent >= lanes:
            factor = _columns(range_, lanes, accesses, machine) if plans[range_] == "UPCAST" else _copies(extent, lanes, machine.accumulators)
            _divide(schedule, Opt(plans[range_], axis, factor), extent, in_line and len(plans) == len(ranges_of(accesses.order)) == 1)
        elif extent >= LEAST_LANES and plans[range_] == "UPCAST" and accesses.sums_in(range_) and schedule.apply(Opt("PADTO", axis, lanes)):
            schedule.apply(Opt("UPCAST", axis, lanes))


def _sums_beside(range_: UOp, accesses: Accesses, lanes: int, machine: Machine) -> list[tuple[UOp, int]]:
    """The loop beside the one of lanes along which several sums are computed at once, and how many: additions need not wait for one another, and what is the
    same along that loop (a window's weights) is loaded once for all. None where enough columns are summed together already."""
    loop = _loop_beside(range_, accesses, machine)
    together = SUMS_BESIDE * lanes // _columns(range_, lanes, accesses, machine)
    if loop is None or together < 2:
        return []
    size = _extent(loop) or 0
    return [(loop, min(range(min(together, size), 1, -1), key=lambda n: -(-size // n) * (n + TILE_STEP)))]


def _loop_beside(range_: UOp, accesses: Accesses, machine: Machine) -> UOp | None:
    """The innermost loop beside the one of lanes along which some of what a sum loads is the same; something of the outermost is left for each thread."""
    sums = accesses.sums_in(range_)
    if len(sums) != 1 or (_extent(range_) or 0) < LEAST_LANES:
        return None
    inside = [u for u in ops_to_memory(sums[0].operands[0]) if u in accesses.repeated]
    ends = [u for u in accesses.order if u.name == "end" and range_ in u.operands[1:]]
    loops = ranges_of(r for r in ends[0].operands[1:] if r.attribute("kind") == "loop" and all(r in end.operands[1:] for end in ends))
    for loop in reversed([r for r in loops if r is not range_]):
        depends = {loop in open_ranges(u) for u in inside}
        if len(depends) == 2 and (_extent(loop) or 0) >= SUMS_BESIDE * (machine.threads if loop is loops[0] else 1) // 2:
            return loop
    return None


def _divide(schedule: Schedule, opt: Opt, extent: int, in_line: bool) -> None:
    """Applies an UPCAST or UNROLL; where the factor leaves a rest, that is done by an overlapping round (which does not begin with a line), else apart."""
    factor = opt.argument
    assert factor is not None
    if extent % factor == 0:
        schedule.apply(opt)
    elif opt.name == "UPCAST" and not in_line and schedule.apply(Opt("OVERLAP", opt.axis, factor)):
        schedule.apply(Opt("UPCAST", opt.axis + 1, factor))
    elif schedule.apply(Opt("PEEL", opt.axis, factor)):
        schedule.apply(opt)


def _copies(extent: int, lanes: int, most: int) -> int:
    """Lanes times as many copies as fit the extent without a rest that lanes alone would not leave."""
    for copies in range(most, 1, -1):
        if extent >= copies * lanes and extent // (copies * lanes) * copies * lanes == extent // lanes * lanes:
            return copies * lanes
    return lanes


def _columns(range_: UOp, lanes: int, accesses: Accesses, machine: Machine) -> int:
    """Columns that are computed together, in whole vectors: of sums along columns as many as registers can hold, but something for each thread. Where several
    nests pass over them, as many as use up the lines that are read. Windows share more with those of the next row than with those of the same."""
    extent = _extent(range_) or 0
    if not accesses.is_swept(range_) or accesses.is_slid_over(range_) and _loop_beside(range_, accesses, machine) is not None:
        return lanes
    most = NEST_COLUMNS if accesses.holds_nests(range_) else machine.registers // 2
    return _copies(extent, lanes, max(1, min(most, extent // (lanes * machine.threads))))


def _transposed(schedule: Schedule, accesses: Accesses, plans: dict[UOp, str]) -> list[UOp]:
    """The loop of a transpose that the source is contiguous along: blocks of it go inside, so that each line that is read is used up."""
    ends = [u for u in accesses.order if u.name == "end"]
    if len(ends) != 1 or any(u.name == "reduce" for u in accesses.order):
        return []
    loops = [r for r in ends[0].operands[1:] if r.attribute("kind") == "loop" and (_extent(r) or 0) > ROW_BLOCK]
    lanes = [r for r in loops if plans.get(r) == "UPCAST"]
    if len(lanes) != 1:
        return []
    found = [r for r in loops if r is not lanes[0] and any(accesses.stride(u, r) == 1 and abs(accesses.stride(u, lanes[0]) or 0) > 1
                                                          for u in accesses.indices if u not in accesses.stores)]
    return found[:1] if found and found[0].attribute("id") < lanes[0].attribute("id") else []


def _move_inside(schedule: Schedule, axis: int) -> None:
    """Puts a loop inside of all others."""
    for other in [k for k, r in enumerate(ranges_of(schedule.body.order())) if k > axis and r.attribute("kind") == "loop"]:
        if not schedule.apply(Opt("SWAP", axis, other)):
            return
        axis = other


def _prefetch(schedule: Schedule, machine: Machine) -> None:
    """The next iteration's memory is asked for in the innermost loop round several nests that pass over it, where what they read is small enough to stay."""
    order = schedule.body.order()
    for axis, r in reversed(list(enumerate(ranges_of(order)))):
        again = read_again(order, r) if r.attribute("kind") == "loop" else []
        if again:
            size = sum(prod(bounds(i)[1] + 1 for i in open_ranges(u) if i.attribute("id") > r.attribute("id")) * u.dtype.bits // 8 for u in again)
            rows = bounds(r)[1] + 1
            if LEAST_PREFETCH <= size * rows and size <= machine.cache_bytes // 4:
                schedule.apply(Opt("PREFETCH", axis, 1 if size <= FIRST_CACHE else 2))
            return


def _thread(schedule: Schedule) -> None:
    """Threads on the outermost loop of the stores, where that is legal."""
    for end in (u for u in schedule.body.order() if u.name == "end"):
        loops = sorted((r for r in end.operands[1:] if r.attribute("kind") == "loop"), key=lambda r: r.attribute("id"))
        if loops and schedule.apply(Opt("THREAD", loops[0].attribute("id"))):
            return

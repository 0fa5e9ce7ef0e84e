"""Schedules of kernels with an ordered loop: a scan, a scatter, a counted scatter.

    ordered 8192, loop 512      =>      SWAP(0, 1), UPCAST(0, 64), THREAD(0): stripes of columns, each from the first row to the last

The loops round and inside of the ordered one are independent: lanes and threads go there. What order says stays one loop.
"""
from __future__ import annotations

from ...graph.body import Body
from ...graph.uop import UOp
from ..symbolic.bounds import bounds
from ..symbolic.ranges import ranges_of
from .machine import Machine
from .opts import Opt
from .prefetch import scattered
from .schedule import Schedule

STRIPE = 4
"""Vectors of columns that go through the ordered loop together: whole pairs of lines."""


def is_ordered(body: Body) -> bool:
    """Whether the kernel has a loop whose iterations come one after the other."""
    return any(u.name == "range" and u.attribute("kind") == "ordered" for u in body.order())


def schedule_ordered(body: Body, machine: Machine, lanes: int, contiguous: list[UOp], threaded: bool) -> Schedule:
    """`contiguous` are the loops along which every access goes element by element or stays; lanes go on the last of them."""
    schedule = Schedule(body)
    ranges = ranges_of(body.order())
    loops = [k for k, r in enumerate(ranges) if r.attribute("kind") == "loop"]
    if not loops:
        _prefetch(schedule)
        return schedule
    inner = loops[-1]
    extent = bounds(ranges[inner])[1] + 1
    if ranges[inner] in contiguous and ranges[inner].operands[0].is_const() and extent >= lanes:
        if threaded and loops == [1] and extent >= machine.threads * lanes and schedule.apply(Opt("SWAP", 0, 1)):
            inner = 0
        copies = max(1, min(STRIPE, extent // lanes // (machine.threads if inner == 0 else 1)))
        factor = lanes * copies
        if extent % factor and not schedule.apply(Opt("PEEL", inner, factor)):
            return schedule
        schedule.apply(Opt("UPCAST", inner, factor))
    if threaded and loops[0] == 0 or inner == 0:
        schedule.apply(Opt("THREAD", 0))
    _prefetch(schedule)
    return schedule


def _prefetch(schedule: Schedule) -> None:
    """What is written where data says is asked for ahead."""
    order = schedule.body.order()
    for axis, r in enumerate(ranges_of(order)):
        if r.attribute("kind") == "ordered" and scattered(order, r):
            schedule.apply(Opt("PREFETCH", axis, 1))

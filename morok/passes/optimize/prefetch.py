"""PREFETCH: while one iteration of a loop computes, the next one's memory is on its way.

    for row                                                     for row
      m = max over k of x[row, k]                       =>        m = max over k of x[row, k]
      for k: e[k] = exp(x[row, k] - m)                            for k: e[k] = exp(x[row, k] - m), prefetching x[row + 1, k]

Rows that several nests pass over (softmax, normalisations) wait for memory in the first nest, where there is nothing else to do, and hardware
prefetchers stop at the end of a page. The last nest that reads the row asks for the next.

In an ordered loop, what is written where data says is asked for AHEAD iterations before:

    for i in order: t[key[i]] = x[i]                  =>        for i in order: t[key[i]] = x[i], prefetching t[key[i + 24]]
"""
from __future__ import annotations

from math import prod

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, substitute, toposort
from ..symbolic import simplify
from ..symbolic.ranges import open_ranges

LEVELS = (1, 2)
AHEAD = 24
"""Iterations of an ordered loop, some nanoseconds each, in which a line comes from the third cache."""
SPAN = 1 << 15
"""Bytes written where data says that stay in the first cache all the same."""


def prefetched(body: Body, what: str, loop: UOp, level: int) -> Body:
    """The kernel in which what several nests inside of a loop read is prefetched for its next iteration, into the first or second cache."""
    if level not in LEVELS:
        raise ScheduleError(f"{what}: there are prefetches into cache 1 and 2, not {level}")
    if loop.attribute("kind") == "ordered":
        stores = scattered(body.order(), loop)
        if not stores:
            raise ScheduleError(f"{what}: nothing is written where data in memory says, in more than a first cache holds")
        return body.with_roots(substitute(body.roots, {u: _with_later(u, loop, level) for u in stores}))
    found = read_again(body.order(), loop)
    if not found:
        raise ScheduleError(f"{what}: no buffer that moves with the loop is read in two nests inside of it")
    return body.with_roots(substitute(body.roots, {load: _with_next(load, loop, level) for load in found}))


def read_again(order: list[UOp], loop: UOp) -> list[UOp]:
    """Of each buffer that several nests inside of a loop read, the loads of the last nest."""
    closer = {r: u for u in order if u.name in ("reduce", "end") for r in u.operands[1:]}
    place = {u: i for i, u in enumerate(order)}
    nests: dict[UOp, dict[UOp, list[UOp]]] = {}
    for u in order:
        if u.name != "load" or len(u.operands) > 1 or root_buffer(u.operands[0]).name != "arg" or u.dtype.bits < 8:
            continue
        inner = {r for r in open_ranges(u) if r in closer and r.attribute("id") > loop.attribute("id")}
        if loop in open_ranges(u) and inner:
            nest = closer[max(inner, key=lambda r: r.attribute("id"))]
            nests.setdefault(root_buffer(u.operands[0]), {}).setdefault(nest, []).append(u)
    return [load for reads in nests.values() if len(reads) > 1 for load in reads[max(reads, key=place.__getitem__)]]


def _with_next(load: UOp, loop: UOp, level: int) -> UOp:
    pointer = load.operands[0]
    indices = simplify(substitute(pointer.operands[1:], {loop: loop + 1}))
    return UOp.make("prefetch", (load, pointer.with_operands((pointer.operands[0], *indices))), (level,), load.type, load.loc)


def scattered(order: list[UOp], loop: UOp) -> list[UOp]:
    """The stores at places that depend on what is read in an ordered loop, in more memory than the first cache is sure to hold."""
    found = []
    for u in order:
        if u.name == "store" and root_buffer(u.operands[0]).name == "arg":
            place = u.operands[0].operands[1:]
            if _span(u) > SPAN and any(v.name == "load" and loop in open_ranges(v) for v in toposort(place)):
                found.append(u)
    return found


def _span(store: UOp) -> int:
    """Bytes that the store may touch while loops stay where they are that are an index by themselves."""
    buffer = root_buffer(store.operands[0]).type
    free = (size for size, index in zip(buffer.shape, store.operands[0].operands[1:]) if index.name not in ("range", "const"))  # type: ignore[union-attr]
    return prod(free) * buffer.dtype.itemsize  # type: ignore[union-attr]


def _with_later(store: UOp, loop: UOp, level: int) -> UOp:
    """The store, with the place of a later iteration on its way. Memory as it is now (`current`) is read for that as for this one."""
    pointer, value = store.operands[:2]
    later = (loop + AHEAD).alu("min", loop.operands[0] - 1)
    now = {v: v for v in toposort(pointer.operands[1:]) if v.name == "current"}
    indices = simplify(substitute(pointer.operands[1:], {**now, loop: later}))
    hint = UOp.make("prefetch", (value, pointer.with_operands((pointer.operands[0], *indices))), (level,), value.type, store.loc)
    return store.with_operands((pointer, hint, *store.operands[2:]))

"""Padding: a loop over 0..n runs to a multiple of the tile, and what it does past n has no effect.

    store c[%i], (load a[%i * 70 + %k]) * (load b[%k, %i]), %i < 10      =>      %i runs to 12
                                                                        store c[%i], .., %i < 10
                                                                        load a[min(%i, 9) * 70 + %k]
                                                                        load b[%k, %i], %i < 10, 0

Stores get a gate. Loads stay inside their memory: one that steps by single elements gets a gate too (a masked vector load), and one of memory that the kernel
writes, for another thread may just be writing the last row; any other reads the last row again, which costs nothing in the loops inside. What scratch of the
loop holds past n is never stored.
"""
from __future__ import annotations

from ...graph.buffers import root_buffer
from ...graph.uop import UOp, const, index_const, toposort
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import make_range, open_ranges, replace_ranges


def padded(roots: tuple[UOp, ...], range_: UOp, extent: int) -> tuple[UOp, ...]:
    """The roots with the loop over `range_` run to `extent`, without effect past its own."""
    longer = make_range(index_const(extent), range_.attribute("id"), range_.attribute("kind"), range_)
    inside, last = longer.lt(range_.operands[0]), UOp.make("min", (longer, index_const(range_.operands[0].value - 1)))
    order = toposort(roots)
    written = {root_buffer(u.operands[0]) for u in order if u.name == "store"}
    new: dict[UOp, UOp] = {}
    for u in order:
        if u.name == "load" and u.operands[0].name == "index" and range_ in open_ranges(u.operands[0]):
            gated = root_buffer(u.operands[0]) in written or dict(linear(flat_index(u.operands[0])).terms).get(range_) == 1
            new[u] = _load(u, new, range_, inside, None if gated else last)
        elif u.name == "store" and range_ in open_ranges(u) and u.operands[0].type.space == "global":  # type: ignore[union-attr]
            pointer, value, *gate = (new[o] for o in u.operands)
            new[u] = UOp.make("store", (pointer, value, gate[0] & inside if gate else inside), u.attributes, None, u.loc)
        elif u is range_:
            new[u] = longer
        else:
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
    return tuple(new[r] for r in roots)


def _load(u: UOp, new: dict[UOp, UOp], range_: UOp, inside: UOp, last: UOp | None) -> UOp:
    """A load whose address depends on the range: gated, or, given the `last` iteration, of that one past the end."""
    if u.operands[0].type.space != "global":  # type: ignore[union-attr]
        return u.with_operands(tuple(new[o] for o in u.operands))
    if last is not None:
        return replace_ranges((u,), {range_: last}, {})[0]
    place, *gate = (new[o] for o in u.operands)
    return UOp.make("load", (place, *((gate[0] & inside, gate[1]) if gate else (inside, const(0, u.dtype)))), (), None, u.loc)

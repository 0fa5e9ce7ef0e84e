"""Peeling: a loop over 0..n becomes one over 0..m and one over m..n.

    %e = morok.end %store(%i), %i            =>  %e0 = morok.end %store(%i0), %i0             i0 from 0 to m
                                                 %e1 = morok.end %store(m + %i1), %i1         i1 from 0 to n - m
    %s = morok.reduce %v(%k), %k {add}       =>  %s = morok.add (morok.reduce %v(%k0), %k0), (morok.reduce %v(m + %k1), %k1)

What runs inside the peeled loop is there twice. Loops and scratch buffers inside it are renamed in the second copy, for a range is closed by one loop.
"""
from __future__ import annotations

from ...graph.buffers import root_buffer
from ...graph.uop import UOp, index_const, substitute, toposort
from ..symbolic.ranges import make_range, open_ranges, ranges_of, replace_ranges


def peel(roots: tuple[UOp, ...], range_: UOp, at: int) -> tuple[UOp, ...]:
    """The roots with the loop over `range_` divided at `at`. Ids of the new ranges follow the old order; they are not dense."""
    spaced = {r: make_range(r.operands[0], 2 * r.attribute("id"), r.attribute("kind"), r) for r in ranges_of(toposort(roots))}
    roots = replace_ranges(roots, spaced, {r: (v,) for r, v in spaced.items()})
    range_ = spaced[range_]
    extent, id_, kind = range_.operands[0].value, range_.attribute("id"), range_.attribute("kind")
    main, rest = make_range(index_const(at), id_, kind, range_), make_range(index_const(extent - at), id_ + 1, kind, range_)
    new: dict[UOp, tuple[UOp, ...]] = {}
    for u in toposort(roots):
        if u.name in ("reduce", "end") and range_ in u.operands[1:]:
            new[u] = _closed_twice(u, new, range_, main, rest)
        elif u.operands:
            new[u] = _rebuilt(u, new)
        else:
            new[u] = (u,)
    return tuple(new[r][0] for r in roots)


def _rebuilt(u: UOp, new: dict[UOp, tuple[UOp, ...]]) -> tuple[UOp, ...]:
    if u.name in ("sink", "after"):  # effects: all parts
        return (u.with_operands(tuple(part for o in u.operands for part in new[o])),)
    return (u.with_operands(tuple(new[o][0] for o in u.operands)),)


def _closed_twice(u: UOp, new: dict[UOp, tuple[UOp, ...]], range_: UOp, main: UOp, rest: UOp) -> tuple[UOp, ...]:
    rebuilt = u.with_operands((new[u.operands[0]][0], *u.operands[1:]))
    first = replace_ranges((rebuilt,), {range_: main}, {range_: (main,)})[0]
    values, loops = _renamed_inside(rebuilt, range_)
    rebuilt = _with_fresh_scratch(rebuilt, range_)
    second = replace_ranges((rebuilt,), {range_: rest + main.operands[0].value, **values}, {range_: (rest,), **loops})[0]
    if u.name == "end":
        return (first, second)
    return (UOp.make(u.attribute("op"), (first, second)),)


def _inside(u: UOp, range_: UOp) -> tuple[list[UOp], dict[UOp, None]]:
    """The ops that run inside the peeled loop, and the loops inside of it. What fills scratch for the iterations of such a loop is inside as well, though it
    need not depend on the peeled loop itself."""
    order = toposort((u,))
    loops: dict[UOp, None] = {}
    while True:
        known = {range_, *loops}
        inside = [v for v in order if v is u or open_ranges(v) & known and v not in known]
        for v in inside:
            if v.name in ("reduce", "end"):
                loops.update(dict.fromkeys(r for r in v.operands[1:] if r.attribute("id") > range_.attribute("id")))
        if len(loops) + 1 == len(known):
            return inside, loops


def _renamed_inside(u: UOp, range_: UOp) -> tuple[dict[UOp, UOp], dict[UOp, tuple[UOp, ...]]]:
    """Fresh ranges for the loops inside the peeled one; loops outside of it are shared by both parts."""
    values = {r: make_range(r.operands[0], r.attribute("id") + 1, r.attribute("kind"), r) for r in _inside(u, range_)[1]}
    return values, {r: (v,) for r, v in values.items()}


def _with_fresh_scratch(u: UOp, range_: UOp) -> UOp:
    """Other scratch for the local stages that run whole inside the peeled loop; a stage whose own loop is peeled keeps its buffer."""
    locals_ = {buffer for v in _inside(u, range_)[0] if v is not u and v.name == "end" and (buffer := _scratch(v)).name == "define_local"}
    if not locals_:
        return u
    highest = max(v.attribute("id") for v in toposort((u,)) if v.name == "define_local")
    fresh = {v: UOp.make("define_local", (), (highest + 1 + i,), v.type, v.loc) for i, v in enumerate(sorted(locals_, key=lambda v: v.attribute("id")))}
    return substitute((u,), fresh)[0]


def _scratch(end: UOp) -> UOp:
    return root_buffer(end.operands[0].operands[0])

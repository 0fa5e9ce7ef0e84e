"""morok-join-launches: many launches of equal kernels become one, on a row of buffers for each; so do elementwise kernels that differ in their shapes alone.

    %k0 = morok.kernel (param %w {0}), (param %g {1}) {@k0}      // 2x5           %k = morok.kernel (param %w {0}), (param %g {1}),
    %k1 = morok.kernel (param %v {0}), (param %h {1}) {@k1}      // 9       =>                      (param %v {2}), (param %h {3}) {@k0, values = [10, 9]}
    %w1 = morok.after %w, %k0                                                     %w1 = morok.after %w, %k
    %v1 = morok.after %v, %k1                                                     %v1 = morok.after %v, %k

An optimiser's update is a kernel for each weight. Joined, it is one kernel, compiled once, whatever shapes the weights have: what goes through its buffers element
by element, as they lie in memory, takes the number of elements as the variable `morok_size`. It does whole blocks of a line of memory in one loop, and what is left
in another. Kernels with reductions, products or scratch are joined where they are equal; the order of their sums stays as it was.

Joined are those that come after equally many others, so that none needs another, where none writes what another touches. Kernels that move much keep their constant
shapes, which make better code by a little; those that threads divide stay apart from those too small for it, each of which one thread runs. Fewer than `least` stay as they are.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from ...dialect import types as T
from ...graph.body import Body, Program
from ...graph.buffers import root_buffer
from ...graph.launches import given_values, launch_uses
from ...graph.uop import UOp, argument, index_const, substitute
from ..optimize.work import THREAD_WORK, elements_moved
from ..registry import Pass, at_least, morok_pass
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import make_range, open_ranges, ranges_of

MOST_WORK = 1 << 18
"""Elements that a kernel moves above which it keeps its shape: some tens of microseconds."""
LINE = 64
"""Bytes of a block: a vector or several on all machines."""
SIZE = "morok_size"
"""The variable that a joined kernel takes its number of elements from."""
_ANY = 1 << 31
"""Stands for a number of elements that is not known yet."""


@morok_pass("morok-join-launches", form="kernel")
class JoinLaunches(Pass):
    """Makes launches of equal kernels, and of elementwise ones of different shapes, one launch on several rows of buffers."""

    least: int = at_least(2, 4)

    def run(self, program: Program) -> None:
        for body in list(program.bodies.values()):
            if not body.is_kernel:
                launches = [u for u in body.order() if u.name == "kernel"]
                if len(launches) >= self.least:
                    joined = [g for g in _groups(program, body, launches) if len(g) >= self.least]
                    if joined:
                        _join(program, body, joined)


# Which launches are joined

@dataclass(frozen=True)
class Elementwise:
    """A kernel that does the same with each element of its buffers. The effects are over `any_range()`, and buffers of elements have `_ANY` of them."""

    effects: tuple[UOp, ...]
    size: int
    is_divided: bool
    """Whether it moves so much that threads divide it."""


def _groups(program: Program, main: Body, launches: list[UOp]) -> list[list[tuple[UOp, Elementwise | None]]]:
    """The launches that may become one, in groups."""
    level = _levels(main)
    found: list[list[tuple[UOp, Elementwise | None]]] = []
    filling: dict[tuple, tuple[list[tuple[UOp, Elementwise | None]], set[UOp], set[UOp]]] = {}
    known: dict[str, Elementwise | None] = {}
    for launch in launches:
        kernel = program.bodies[launch.attribute("callee")]
        if given_values(launch) is not None or len(launch.operands) != len(kernel.arguments):
            continue
        if kernel.name not in known:
            known[kernel.name] = elementwise(kernel)
        general = known[kernel.name]
        what = (kernel.sinks, _types(kernel), str(kernel.attributes)) if general is None else (general.effects, general.is_divided)
        group, touched, written = filling.get((level[launch], what)) or ([], set(), set())
        roots = {p.attribute("slot"): root_buffer(p) for p in launch.operands}
        own, stored = set(roots.values()), {roots[s] for s in launch_uses(launch, kernel)[1]}
        if own & written or stored & touched or not group:
            group, touched, written = filling[level[launch], what] = [], set(), set()
            found.append(group)
        group.append((launch, general))
        touched |= own
        written |= stored
    return found


def _types(kernel: Body) -> tuple[T.Type, ...]:
    return tuple(a.type for a in kernel.arguments)


def _levels(main: Body) -> dict[UOp, int]:
    """For each op the length of the longest chain of launches that it comes after, itself included: those of equal length do not need each other."""
    level: dict[UOp, int] = {}
    for u in main.order():
        level[u] = max((level[o] for o in u.operands), default=0) + (u.name == "kernel")
    return level


def elementwise(kernel: Body) -> Elementwise | None:
    """The kernel for any number of elements; None for one that is more than elementwise, and for one that moves much."""
    order = kernel.order()
    ranges = ranges_of(order)
    if "morok.opts" in kernel.attributes or not ranges or any(u.name in ("reduce", "define_local", "define_var", "current") for u in order):
        return None
    if any(r.attribute("kind") != "loop" or not r.operands[0].is_const() for r in ranges):
        return None
    if any(e.name != "end" or set(e.operands[1:]) != set(ranges) for e in kernel.sinks[0].operands):
        return None
    size, work = prod(r.operands[0].value for r in ranges), elements_moved(kernel)
    if not 0 < work <= MOST_WORK:
        return None
    new = _over_any_range(kernel, order, ranges, size)
    if new is None:
        return None
    ends = tuple(UOp.make("end", (new[e.operands[0]], _any_range()), (), T.token) for e in kernel.sinks[0].operands)
    return Elementwise(ends, size, work // size * _bound(size) >= THREAD_WORK)


def _over_any_range(kernel: Body, order: Sequence[UOp], ranges: Sequence[UOp], size: int) -> dict[UOp, UOp] | None:
    """The kernel's ops, with one range instead of all; None if an op needs to know where it is, or a buffer is passed through in another order."""
    dense = {r: prod(inner.operands[0].value for inner in ranges[k + 1:]) for k, r in enumerate(ranges) if r.operands[0].value > 1}
    new: dict[UOp, UOp] = {}
    for a in kernel.arguments:
        new[a] = argument(a.attributes[0], T.memref((_ANY,), a.dtype)) if a.type.size == size else a  # type: ignore[union-attr]
    for u in order:
        if u.name == "index":
            place = linear(flat_index(u))
            if u.operands[0] not in new or u.operands[0].name != "arg":
                return None
            if not open_ranges(u):
                new[u] = UOp.make("index", (u.operands[0], index_const(place.constant)), (), u.type, u.loc) if not place.terms else u
                if place.terms or new[u.operands[0]] is not u.operands[0]:
                    return None
            elif new[u.operands[0]] is u.operands[0] or place.constant or dict(place.terms) != dense:
                return None
            else:
                new[u] = UOp.make("index", (new[u.operands[0]], _any_range()), (), u.type, u.loc)
        elif u.name not in ("end", "sink") and u not in new and (u.type is not T.index or u.name == "const"):
            if any(o not in new for o in u.operands):
                return None
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
    return new


def _any_range() -> UOp:
    return make_range(index_const(_ANY), 0, "loop")


def _bound(size: int) -> int:
    """The greatest number of elements of the kernel that is made for so many: one of few, so that other programs find it known."""
    return 1 << max(6, (size - 1).bit_length())


# Joining them

def _join(program: Program, main: Body, groups: list[list[tuple[UOp, Elementwise | None]]]) -> None:
    """The program with each group as one launch, of a kernel that has the name of the first one's. Kernels that nothing launches any more go."""
    group_of = {launch: group for group in groups for launch, _ in group}
    level = _levels(main)
    new: dict[UOp, UOp] = {}
    for u in sorted(main.order(), key=lambda u: (level[u], u.name != "kernel")):  # so that what a group needs comes before the first of it
        if u not in group_of:
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
        elif u not in new:
            new.update(dict.fromkeys((launch for launch, _ in group_of[u]), _joined(program, group_of[u], new)))
    program.bodies[main.name] = replace(main, results=tuple(new[r] for r in main.results))
    launched = {u.attribute("callee") for body in program.bodies.values() if not body.is_kernel for u in body.order() if u.name == "kernel"}
    for launch in group_of:
        if launch.attribute("callee") not in launched:
            program.bodies.pop(launch.attribute("callee"), None)


def _joined(program: Program, group: list[tuple[UOp, Elementwise | None]], new: dict[UOp, UOp]) -> UOp:
    """The launch on all rows, the longest first: each may be one thread's."""
    first = program.bodies[group[0][0].attribute("callee")]
    attributes: tuple = (first.name,)
    exact = {(program.bodies[launch.attribute("callee")].sinks, _types(program.bodies[launch.attribute("callee")])) for launch, _ in group}
    sized = [(launch, general) for launch, general in group if general is not None]
    if len(exact) > 1:
        sized.sort(key=lambda row: -row[1].size)
        group = list(sized)
        sizes = tuple(general.size for _, general in sized)
        program.bodies[first.name] = _of_any_size(first, sized[0][1], sizes)
        attributes = (first.name, sizes)
    versions = [new[p.operands[0]] for launch, _ in group for p in sorted(launch.operands, key=lambda p: p.attribute("slot"))]
    params = tuple(UOp.make("param", (version,), (slot,), T.argument) for slot, version in enumerate(versions))
    return UOp.make("kernel", params, attributes, T.token, group[0][0].loc)


def _of_any_size(kernel: Body, general: Elementwise, sizes: Sequence[int]) -> Body:
    """The kernel for as many elements as a variable says: blocks of a line, and what these sizes leave of them."""
    most = _bound(max(sizes))
    arguments = {a: argument(i, T.memref((most,), a.dtype)) for i, a in enumerate(_arguments(kernel, general))}  # type: ignore[union-attr]
    block = max(1, LINE * 8 // max(a.dtype.bits for a in kernel.arguments))
    size = UOp.make("define_var", (), (SIZE, 0, most))
    effects: list[UOp] = []
    if max(sizes) >= block:
        outer, lane = make_range(size // block, 0, "loop"), make_range(index_const(block), 1, "loop")
        effects += _over(general.effects, outer * block + lane, (outer, lane))
    if any(s % block for s in sizes):
        rest = make_range(size % block, 2 * len(effects[:1]), "loop")
        effects += _over(general.effects, size // block * block + rest, (rest,))
    placed = {a: arguments[a] if a.type.shape == (_ANY,) else a for a in arguments}  # type: ignore[union-attr]
    return replace(kernel, arguments=list(placed.values()), sinks=(UOp.make("sink", substitute(tuple(effects), placed)),))


def _arguments(kernel: Body, general: Elementwise) -> list[UOp]:
    """The kernel's arguments, as they stand in the effects for any number of elements."""
    used = {u.attributes[0]: u for e in general.effects for u in e.backward_slice() if u.name == "arg"}
    return [used.get(i, a) for i, a in enumerate(kernel.arguments)]


def _over(effects: Sequence[UOp], place: UOp, loops: tuple[UOp, ...]) -> list[UOp]:
    """The effects at a place, in these loops."""
    stores = substitute(tuple(e.operands[0] for e in effects), {_any_range(): place})
    return [UOp.make("end", (store, *loops), (), T.token) for store in stores]

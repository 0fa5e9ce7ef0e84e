"""morok-join-launches: many launches of equal kernels become one, on a row of buffers for each; so do elementwise kernels that differ in their shapes alone.

    %k0 = morok.kernel (param %w {0}), (param %g {1}) {@k0}     // 2x5         %k = morok.kernel (param %w {0}), (param %g {1}),
    %k1 = morok.kernel (param %v {0}), (param %h {1}) {@k1}     // 9     =>            (param %v {2}), (param %h {3}) {@k0, values = [10, 9]}
    %w1 = morok.after %w, %k0                                                  %w1 = morok.after %w, %k
    %v1 = morok.after %v, %k1                                                  %v1 = morok.after %v, %k

An optimiser's update is a kernel for each weight. Joined, it is one kernel, compiled once, whatever shapes the weights have: what goes through its buffers
element by element, as they lie in memory, takes the number of elements as the variable `morok_size`. It does whole blocks of a line of memory in one loop, and
what is left in another. Kernels with reductions, products or scratch are joined where they are equal, so that their sums keep their order.

Joined are those that come after equally many others, so that none needs another, where none writes what another touches. Kernels that move much keep their
constant shapes, which make better code by a little. Those that threads divide stay apart from those that are too small for it, each of which one thread runs.
Fewer than `least` stay as they are.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from ..symbolic.ranges import make_range, ranges_of

MOST_WORK = 1 << 18
"""Elements that a kernel moves above which it keeps its shape: some tens of microseconds."""
LEAST_BOUND = 64
LINE = 64
"""Bytes of a block of the widest elements: a vector or several on all machines."""
SIZE = "morok_size"
"""The variable that a joined kernel takes its number of elements from."""
_ANY = 1 << 31
"""Stands for a number of elements that is not known yet."""


@morok_pass("morok-join-launches", form="kernel")
class JoinLaunches(Pass):
    """Makes launches of equal kernels, and of elementwise ones of different shapes, one launch on several rows of buffers."""

    least: int = at_least(2, 4)

    def run(self, program: Program) -> None:
        for main in [body for body in program.bodies.values() if not body.is_kernel]:
            launches = [u for u in main.order() if u.name == "kernel"]
            if len(launches) >= self.least:
                groups = [g for g in _groups(program, main, launches) if len(g.launches) >= self.least]
                if groups:
                    _join(program, main, groups)


# Which launches are joined

@dataclass(frozen=True)
class Elementwise:
    """A kernel that does the same with each element of its buffers, for any number of them: `effects` are over `_any_range()`, of buffers of `_ANY`
    elements."""

    effects: tuple[UOp, ...]
    size: int
    """How many there are."""
    is_divided: bool
    """Whether it moves so much that threads divide it."""


@dataclass(eq=False)
class _Group:
    """Launches that may become one, with their kernels."""

    launches: list[tuple[UOp, Body]] = field(default_factory=list)
    general: list[Elementwise] = field(default_factory=list)
    """The kernels for any number of elements, if they are elementwise."""
    touched: set[UOp] = field(default_factory=set)
    written: set[UOp] = field(default_factory=set)

    def takes(self, launch: UOp, kernel: Body) -> bool:
        """Adds a launch, unless it or another of the group writes what the other touches."""
        buffers = {p.attribute("slot"): root_buffer(p) for p in launch.operands}
        touched, written = set(buffers.values()), {buffers[slot] for slot in launch_uses(launch, kernel)[1]}
        if touched & self.written or written & self.touched:
            return False
        self.launches.append((launch, kernel))
        self.touched |= touched
        self.written |= written
        return True


def _groups(program: Program, main: Body, launches: Sequence[UOp]) -> list[_Group]:
    level = _levels(main)
    found: list[_Group] = []
    filling: dict[tuple, _Group] = {}
    known: dict[str, Elementwise | None] = {}
    for launch in launches:
        kernel = program.bodies[launch.attribute("callee")]
        if given_values(launch) is not None or len(launch.operands) != len(kernel.arguments):
            continue
        if kernel.name not in known:
            known[kernel.name] = elementwise(kernel)
        general = known[kernel.name]
        key = level[launch], *(_content(kernel) if general is None else (general.effects, general.is_divided))
        group = filling.get(key)
        if group is None or not group.takes(launch, kernel):
            group = filling[key] = _Group()
            found.append(group)
            group.takes(launch, kernel)
        if general is not None:
            group.general.append(general)
    return found


def _content(kernel: Body) -> tuple:
    """All of a kernel but its name."""
    return kernel.sinks, tuple(a.type for a in kernel.arguments), str(kernel.attributes)


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
    if "morok.opts" in kernel.attributes or not ranges or any(u.name in ("reduce", "after", "current", "define_var") for u in order):
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
    effects = tuple(UOp.make("end", (new[e.operands[0]], _any_range()), (), T.token) for e in kernel.sinks[0].operands)
    return Elementwise(effects, size, work // size * _bound(size) >= THREAD_WORK)


def _over_any_range(kernel: Body, order: Sequence[UOp], ranges: Sequence[UOp], size: int) -> Mapping[UOp, UOp] | None:
    """The kernel's ops, with one range instead of all; None if an op needs to know where it is, or goes through a buffer in another order than memory's."""
    dense = {r: prod(inner.operands[0].value for inner in ranges[k + 1:]) for k, r in enumerate(ranges) if r.operands[0].value > 1}
    sized = {a: argument(a.attributes[0], T.memref((_ANY,), a.dtype)) for a in kernel.arguments if a.type.size == size > 1}  # type: ignore[union-attr]
    new: dict[UOp, UOp] = {**{a: a for a in kernel.arguments}, **sized}
    for u in order:
        if u.name in ("end", "sink") or u in new or u.type is T.index and not u.is_const():
            continue
        if u.name == "index":
            buffer, place = u.operands[0], linear(flat_index(u))
            if buffer in sized and dict(place.terms) == dense and not place.constant:
                new[u] = UOp.make("index", (sized[buffer], _any_range()), (), u.type, u.loc)
            elif buffer in sized or place.terms:
                return None
            else:
                new[u] = UOp.make("index", (buffer, index_const(place.constant)), (), u.type, u.loc)
        elif any(o not in new for o in u.operands):
            return None
        else:
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
    return new


def _any_range() -> UOp:
    return make_range(index_const(_ANY), 0, "loop")


def _bound(size: int) -> int:
    """The greatest number of elements of the kernel that is made for so many: one of few, so that kernels of other programs are the same."""
    return max(LEAST_BOUND, 1 << (size - 1).bit_length())


# Joining them

def _join(program: Program, main: Body, groups: Sequence[_Group]) -> None:
    """The program with each group as one launch. Kernels that nothing launches any more go."""
    group_of = {launch: group for group in groups for launch, _ in group.launches}
    level = _levels(main)
    new: dict[UOp, UOp] = {}
    for u in sorted(main.order(), key=lambda u: (level[u], u.name != "kernel")):  # so that what a group needs comes before the first of it
        if u not in group_of:
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
        elif u not in new:
            new.update(dict.fromkeys((launch for launch, _ in group_of[u].launches), _joined(program, group_of[u], new)))
    program.bodies[main.name] = replace(main, results=tuple(new[r] for r in main.results))
    launched = {u.attribute("callee") for body in program.bodies.values() if not body.is_kernel for u in body.order() if u.name == "kernel"}
    for name in dict.fromkeys(launch.attribute("callee") for launch in group_of):
        if name not in launched:
            del program.bodies[name]


def _joined(program: Program, group: _Group, new: Mapping[UOp, UOp]) -> UOp:
    """The launch on the rows of all, of the first one's kernel. The longest come first."""
    first, rows = group.launches[0][1], [launch for launch, _ in group.launches]
    attributes: tuple = (first.name,)
    if group.general and any(_content(kernel) != _content(first) for _, kernel in group.launches):
        longest = sorted(range(len(rows)), key=lambda i: -group.general[i].size)
        rows, sizes = [rows[i] for i in longest], tuple(group.general[i].size for i in longest)
        program.bodies[first.name] = _of_any_size(first, group.general[0], sizes)
        attributes = (first.name, sizes)
    versions = [new[p.operands[0]] for launch in rows for p in sorted(launch.operands, key=lambda p: p.attribute("slot"))]
    params = tuple(UOp.make("param", (version,), (slot,), T.argument) for slot, version in enumerate(versions))
    return UOp.make("kernel", params, attributes, T.token, rows[0].loc)


def _of_any_size(kernel: Body, general: Elementwise, sizes: Sequence[int]) -> Body:
    """The kernel for as many elements as a variable says: blocks of a line, and what is left of some of these sizes."""
    most = _bound(max(sizes))
    block = LINE // max(a.dtype.itemsize for a in kernel.arguments)
    size = UOp.make("define_var", (), (SIZE, 0, most))
    effects: list[UOp] = []
    if max(sizes) >= block:
        outer, inner = make_range(size // block, 0, "loop"), make_range(index_const(block), 1, "loop")
        effects += _over(general.effects, outer * block + inner, (outer, inner))
    if any(s % block for s in sizes):
        rest = make_range(size % block, 2 if effects else 0, "loop")
        effects += _over(general.effects, size // block * block + rest, (rest,))
    given = {u.attributes[0]: u for e in general.effects for u in e.backward_slice() if u.name == "arg"}
    sized = {u: argument(i, T.memref((most,), u.dtype)) for i, u in given.items() if u.type.shape == (_ANY,)}  # type: ignore[union-attr]
    arguments = [sized.get(given.get(i, a), a) for i, a in enumerate(kernel.arguments)]
    return replace(kernel, arguments=arguments, sinks=(UOp.make("sink", substitute(tuple(effects), sized)),))


def _over(effects: Sequence[UOp], place: UOp, loops: tuple[UOp, ...]) -> list[UOp]:
    """The effects at a place, in these loops."""
    stores = substitute(tuple(e.operands[0] for e in effects), {_any_range(): place})
    return [UOp.make("end", (store, *loops), (), T.token) for store in stores]

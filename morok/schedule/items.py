"""Schedule items: the launches of a kernel-form `@main` as data, in an order that may be run.

    %0 = morok.define_global {id = 0}                  ScheduleItem(id=0, ast=@k0's sink, buffers=(%0, %a), dependencies=())
    %k = morok.kernel(param(%0), param(%a)) {@k0}  =>
    %1 = morok.after(%0, %k)                           ScheduleItem(id=1, ast=@k1's sink, buffers=(%2, %0), dependencies=(0,))
    %m = morok.kernel(param(%2), param(%1)) {@k1}

Read-after-write is written in the IR: a launch that takes `after(buffer, k)` depends on k. Where two launches touch one buffer and no
chain of `after` orders them, one that only reads sees the value from before, so it goes first (write-after-read); two writers keep the
order of the IR.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from ..errors import IRError
from ..graph.body import Body, Program
from ..graph.buffers import root_buffer
from ..graph.launches import given_values, launch_uses, mismatch, rows_of, variable_bounds
from ..graph.uop import UOp

_MAIN_OPS = frozenset(("arg", "define_global", "buffer", "unique", "device", "after", "param", "sink", "define_var"))


@dataclass(frozen=True)
class ScheduleItem:
    """One launch of a kernel, on one or more rows of buffers."""

    id: int
    kernel: UOp
    """The launch in `@main`: the op `kernel`."""
    body: Body
    """The kernel's function."""
    buffers: tuple[UOp, ...]
    """The memory bound to each slot: an argument of `@main` or a define_global. Those of the first row come first."""
    buffer_ids: tuple[int, ...]
    """The same as numbers in `Schedule.buffers`."""
    source_buffers: Mapping[int, UOp]
    """Slots that the kernel reads, with their memory."""
    written_slots: frozenset[int]
    rows: tuple[Mapping[str, int], ...]
    """For each row the values that the launch gives the kernel's variables."""
    variables: tuple[str, ...]
    """The program's variables that the kernel takes, in the order of its parameters."""
    fixedvars: Mapping[str, int]
    """The values bound to those variables for the next run."""
    bound_ranges: tuple[UOp, ...]
    """Ranges of kind thread: the host function expands them, calling the kernel once on each thread."""
    dependencies: tuple[int, ...]
    """Ids of the items that must be done before this one begins."""
    alias_ids: tuple[int, ...]
    """Buffers that `@main` names anew after this item (`after`): the same memory under another name."""

    def row_buffers(self) -> list[tuple[int, ...]]:
        """The numbers of each row's buffers, in the order of the kernel's parameters."""
        count = len(self.body.arguments)
        return [self.buffer_ids[i * count:(i + 1) * count] for i in range(len(self.rows))]

    @property
    def ast(self) -> UOp:
        """The computation: what the kernel's function does, apart from its name."""
        return self.body.sinks[0]

    @property
    def name(self) -> str:
        return self.body.name

    @property
    def written_ids(self) -> frozenset[int]:
        return frozenset(self.buffer_ids[s] for s in self.written_slots)

    @property
    def read_ids(self) -> frozenset[int]:
        return frozenset(self.buffer_ids[s] for s in self.source_buffers)


@dataclass(frozen=True)
class Schedule:
    """The items in topological order, and the memory that they share. `buffers` begins with the arguments of `@main`."""

    items: tuple[ScheduleItem, ...]
    buffers: tuple[UOp, ...]
    argument_count: int
    results: tuple[int, ...]
    """The buffer of each result of `@main`; an argument where it was written in place."""
    variables: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Inclusive bounds of every variable that a kernel takes."""

    @property
    def intermediates(self) -> tuple[int, ...]:
        """Buffers that only the kernels see."""
        return tuple(i for i in range(self.argument_count, len(self.buffers)) if i not in self.results)


def create_schedule(program: Program, values: Mapping[str, int] | None = None, function: str = "main") -> Schedule:
    """The schedule of a program in kernel form; `values` are the bound values of its variables."""
    main = program.bodies.get(function)
    if main is None:
        raise IRError(f"the program has no function @{function} in kernel form")
    order = main.order()
    numbers = _number_buffers(main, order)
    launches = [_Launch(op, *_callee(program, op), tuple(root_buffer(p) for p in _by_slot(op))) for op in _launches(order)]
    needs = _order_launches(launches, order)
    renamed = _renamed_buffers(order)
    place = {old: new for new, old in enumerate(needs)}
    items = []
    for old, new in place.items():
        op, body, reads, writes, bounds, buffers = launches[old]
        items.append(ScheduleItem(
            id=new, kernel=op, body=body, buffers=buffers, buffer_ids=tuple(numbers[b] for b in buffers),
            source_buffers={s: buffers[s] for s in sorted(reads)}, written_slots=frozenset(writes), rows=tuple(row.values for row in rows_of(op, body)),
            variables=tuple(bounds), fixedvars={n: values[n] for n in bounds if values and n in values},
            bound_ranges=tuple(u for u in body.order() if u.name == "range" and u.attribute("kind") == "thread"),
            dependencies=tuple(sorted(place[d] for d in needs[old])),
            alias_ids=tuple(sorted({numbers[b] for b in renamed.get(op, ())}))))
    results = tuple(numbers[root_buffer(r)] for r in main.results)
    variables = {n: pair for launch in launches for n, pair in launch.variables.items()}
    return Schedule(tuple(items), tuple(numbers), len(main.arguments), results, dict(sorted(variables.items())))


class _Launch(NamedTuple):
    """A launch, and what it does to the buffers of its slots."""

    op: UOp
    kernel: Body
    reads: set[int]
    writes: set[int]
    variables: dict[str, tuple[int, int]]
    """Those that the program gives."""
    buffers: tuple[UOp, ...]

    def written(self) -> set[UOp]:
        return {self.buffers[s] for s in self.writes}

    def read(self) -> set[UOp]:
        return {self.buffers[s] for s in self.reads}


def _launches(order: list[UOp]) -> list[UOp]:
    found = []
    for u in order:
        if u.name == "kernel":
            found.append(u)
        elif u.name not in _MAIN_OPS:
            raise IRError(f"{_where(u)} does not belong in a function that launches kernels")
    return found


def _number_buffers(main: Body, order: list[UOp]) -> dict[UOp, int]:
    """The arguments, then what the plan allocates, in the order in which the split numbered it."""
    allocated = [u for u in order if u.name in ("define_global", "buffer")]
    allocated.sort(key=lambda u: u.attribute("id") if u.name == "define_global" else -1)
    return {u: i for i, u in enumerate((*main.arguments, *allocated))}


def _renamed_buffers(order: list[UOp]) -> dict[UOp, list[UOp]]:
    """For each launch, the buffers that an `after` names anew once it is done."""
    renamed: dict[UOp, list[UOp]] = {}
    for u in order:
        if u.name == "after":
            for launch in u.operands[1:]:
                renamed.setdefault(launch, []).append(root_buffer(u))
    return renamed


def _callee(program: Program, launch: UOp) -> tuple[Body, set[int], set[int], dict[str, tuple[int, int]]]:
    name = launch.attribute("callee")
    body = program.bodies.get(name)
    if body is None:
        raise IRError(f"{_where(launch)} names @{name}, which the module does not have")
    if not body.sinks:
        raise IRError(f"{_where(launch)} names @{name}, which stores nothing")
    wrong = mismatch(launch, body)
    if wrong is not None:
        raise IRError(f"{_where(launch)} {wrong}")
    return body, *launch_uses(launch, body), variable_bounds(body) if given_values(launch) is None else {}


def _by_slot(launch: UOp) -> list[UOp]:
    return sorted(launch.operands, key=lambda p: p.attribute("slot"))


def _order_launches(found: list[_Launch], order: list[UOp]) -> dict[int, set[int]]:
    """What each launch (by its place in `found`) must wait for; the keys stand in topological order, as near the IR's as may be."""
    needs: list[set[int]] = [set() for _ in found]
    reached = _reached_launches(found, order, needs)
    for first, second in _conflicts(found):
        if not (reached[first] >> second & 1 or reached[second] >> first & 1):
            _order_pair(found[first], found[second], first, second, needs)
    return _topological(found, needs)


def _conflicts(found: list[_Launch]) -> list[tuple[int, int]]:
    """Pairs of launches that touch one buffer, one of them writing it."""
    touched: dict[UOp, list[int]] = {}
    for i, launch in enumerate(found):
        for buffer in set(launch.buffers):
            touched.setdefault(buffer, []).append(i)
    pairs = {(min(i, j), max(i, j)) for i, launch in enumerate(found) for b in launch.written() for j in touched[b] if i != j}
    return sorted(pairs)


def _reached_launches(found: list[_Launch], order: list[UOp], needs: list[set[int]]) -> list[int]:
    """For each launch the set (as bits) of those that `after` orders before it; fills `needs` with the nearest."""
    place = {launch.op: i for i, launch in enumerate(found)}
    nearest: dict[UOp, frozenset[int]] = {}
    reached = [0] * len(found)
    for u in order:
        below = frozenset().union(*(nearest[o] for o in u.operands)) if u.operands else frozenset()
        if u.name == "kernel":
            i = place[u]
            needs[i].update(below)
            for j in below:
                reached[i] |= reached[j] | 1 << j
            below = frozenset((i,))
        nearest[u] = below
    return reached


def _order_pair(a: _Launch, b: _Launch, first: int, second: int, needs: list[set[int]]) -> None:
    """An edge between two launches that conflict and that nothing orders; the IR has `a` first."""
    if b.written() & (a.written() | a.read()):
        needs[second].add(first)
    if a.written() & b.read() - b.written():
        needs[first].add(second)


def _topological(found: list[_Launch], needs: list[set[int]]) -> dict[int, set[int]]:
    users: list[list[int]] = [[] for _ in found]
    waiting = [len(n) for n in needs]
    for i, n in enumerate(needs):
        for j in n:
            users[j].append(i)
    ready = [i for i, n in enumerate(waiting) if n == 0]
    heapify(ready)
    done: dict[int, set[int]] = {}
    while ready:
        i = heappop(ready)
        done[i] = needs[i]
        for user in users[i]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heappush(ready, user)
    if len(done) < len(found):
        names = ", ".join(f"@{found[i].kernel.name}" for i in range(len(found)) if i not in done)
        raise IRError(f"the launches of {names} wait for each other: each overwrites what another still reads; "
                      "copy one of the buffers first")
    return done


def _where(u: UOp) -> str:
    return f"{u.loc[0]}:{u.loc[1]}: morok.{u.name}" if u.loc is not None else f"morok.{u.name}"

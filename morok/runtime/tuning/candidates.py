"""Schedules to try for a kernel: where a search begins, and what a schedule may become next.

    seeds(body, machine)                        the heuristic's, for this machine and for others; none; threads alone
    neighbours(body, opts)                      one opt left out, changed in its number, put in, or exchanged for another

Whether a schedule is legal is `apply_opt`'s word. A candidate is known by the computation that results: two lists of opts may mean the same.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import argument_uses, root_buffer
from ...graph.uop import UOp
from ...passes.optimize.heuristic import default_schedule
from ...passes.optimize.machine import Machine
from ...passes.optimize.opts import Opt, apply_opt
from ...passes.optimize.stage import factors
from ...passes.symbolic.ranges import open_ranges, ranges_of

LANES = (4, 8, 16, 32, 64)
COPIES = (2, 4, 8, 16, 32, 64)
TILES = (4, 8, 16, 32, 64, 128, 256)
MOST_AT_ONCE = 4096
"""Copies of a loop's body that its upcast and unrolled ranges may make together."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A kernel with opts applied. `order`: what the opts do to the order of float sums, empty where they leave it alone."""

    opts: tuple[Opt, ...]
    body: Body
    order: tuple[tuple[str, int, int], ...]

    @property
    def identity(self) -> tuple[UOp, ...]:
        return self.body.sinks


def candidate(body: Body, opts: Iterable[Opt]) -> Candidate | None:
    """The kernel under these opts; None where one is not legal, or would make too many copies."""
    found = _applied(body, tuple(opts))
    return found if found is not None and (copies(found.body) <= MOST_AT_ONCE or found.body is body) else None


def _applied(body: Body, opts: tuple[Opt, ...]) -> Candidate | None:
    order: list[tuple[str, int, int]] = []
    has_sums = any(u.name == "reduce" and u.dtype.is_float for u in body.order())
    for opt in opts:
        if has_sums:
            order += _effect_on_sums(body, opt)
        try:
            body = apply_opt(body, opt)
        except ScheduleError:
            return None
    return Candidate(opts, body, tuple(order))


def _effect_on_sums(body: Body, opt: Opt) -> list[tuple[str, int, int]]:
    """What the opt does to the order in which reductions take their terms: (opt, which loop of a reduction, argument). Opts on other loops do nothing to it."""
    summed = [r.attribute("id") for r in ranges_of(body.order()) if r.attribute("kind") in ("reduce", "unroll")]
    if opt.name not in ("UNROLL", "PEEL", "SWAP", "TILE") or opt.axis not in summed:
        return []
    argument = opt.argument or 0
    return [(opt.name, summed.index(opt.axis), summed.index(argument) if opt.name == "SWAP" and argument in summed else argument)]


def keeps_order(body: Body, opts: Iterable[Opt], machine: Machine) -> bool:
    """Whether a kernel's float sums have the same order, and so the same bits, under these opts as under the heuristic's."""
    found, heuristic = _applied(body, tuple(opts)), heuristic_candidate(body, machine)
    return found is not None and found.order == heuristic.order


def copies(body: Body) -> int:
    """The most copies that upcast and unrolled ranges make of one op."""
    order = body.order()
    expanded = {r: max(1, r.operands[0].value) for r in ranges_of(order) if r.attribute("kind") in ("upcast", "unroll") and r.operands[0].is_const()}
    return max((prod(expanded.get(r, 1) for r in open_ranges(u)) for u in order), default=1) if expanded else 1


def heuristic_candidate(body: Body, machine: Machine) -> Candidate:
    """The heuristic's schedule, whatever its size."""
    found = _applied(body, tuple(default_schedule(body, machine).opts))
    assert found is not None
    return found


def seeds(body: Body, machine: Machine) -> Iterator[Candidate]:
    """Where a search begins, each once: first the heuristic's schedule, then others."""
    seen: set[tuple[UOp, ...]] = set()
    lists = [[Opt("THREAD", 0)], []]
    found: list[Candidate | None] = [heuristic_candidate(body, machine)]
    for other in _other_machines(machine):
        try:
            lists.insert(0, default_schedule(body, other).opts)
        except ScheduleError:
            continue
    found += [candidate(body, opts) for opts in reversed(lists)]
    for one in found:
        if one is not None and one.identity not in seen:
            seen.add(one.identity)
            yield one


def _other_machines(machine: Machine) -> list[Machine]:
    """Machines for which the heuristic might choose what is best on this one."""
    return [replace(machine, cache_bytes=max(1, machine.cache_bytes // 4)), replace(machine, cache_bytes=4 * machine.cache_bytes),
            replace(machine, registers=max(8, machine.registers // 2)), replace(machine, registers=2 * machine.registers),
            replace(machine, accumulators=1), replace(machine, accumulators=2 * machine.accumulators),
            replace(machine, vector_bits=max(128, machine.vector_bits // 2)), replace(machine, vector_bits=2 * machine.vector_bits)]


def neighbours(body: Body, opts: Sequence[Opt]) -> Iterator[tuple[Opt, ...]]:
    """Lists of opts one step away, legal or not. `body` is the kernel without opts."""
    opts = tuple(opts)
    for i, opt in enumerate(opts):
        yield (*opts[:i], *opts[i + 1:])
        if opt.argument is not None:
            for argument in _near(opt):
                changed = replace(opt, argument=argument)
                yield (*opts[:i], changed, *opts[i + 1:])
                yield tuple(replace(o, argument=argument) if o.argument == opt.argument and o.name not in ("SWAP", "STAGE", "WINDOW") else o for o in opts)
        if opt.name in ("UPCAST", "UNROLL", "TILE", "STAGE", "WINDOW", "SWAP"):
            for axis in (opt.axis - 1, opt.axis + 1):
                if axis >= 0:
                    yield (*opts[:i], replace(opt, axis=axis), *opts[i + 1:])
    before = opts[:-1] if opts and opts[-1].name == "THREAD" else opts
    applied = body
    try:
        for opt in before:
            applied = apply_opt(applied, opt)
    except ScheduleError:
        return
    for more in extensions(applied):
        yield (*before, *more, *opts[len(before):])
    if before is opts:
        yield (*opts, Opt("THREAD", 0))


def _near(opt: Opt) -> list[int]:
    value = opt.argument or 0
    if opt.name in ("SWAP", "STAGE", "WINDOW"):
        return [v for v in (value - 1, value + 1) if v >= 0]
    return sorted({v for v in (value // 2, value * 2, value - 1, value + 1, value // 4, value * 4, value * 3 // 2, value * 3 // 4) if v > 1 and v != value})


def extensions(body: Body) -> Iterator[tuple[Opt, ...]]:
    """What may be done next to a kernel, most of it legal."""
    order = body.order()
    ranges = ranges_of(order)
    parallel = [r for r in ranges if r.attribute("kind") in ("loop", "reduce")]
    for r in parallel:
        axis = r.attribute("id")
        size = r.operands[0].value if r.operands[0].is_const() else 0
        if size < 2:
            continue
        name = "UPCAST" if r.attribute("kind") == "loop" else "UNROLL"
        for factor in dict.fromkeys((*COPIES, *([size] if size <= 64 else []))):
            if factor > size:
                continue
            if size % factor == 0:
                yield (Opt(name, axis, factor),)
            elif name == "UPCAST":
                yield (Opt("OVERLAP", axis, factor), Opt("UPCAST", axis + 1, factor))
                yield (Opt("PADTO", axis, factor), Opt("UPCAST", axis, factor))
                yield (Opt("PEEL", axis, factor), Opt("UPCAST", axis, factor))
            else:
                yield (Opt("PEEL", axis, factor), Opt("UNROLL", axis, factor))
        for factor in TILES:
            if factor < size:
                yield (Opt("TILE" if size % factor == 0 else "OVERLAP", axis, factor),)
    for i, first in enumerate(parallel):
        for second in parallel[i + 1:]:
            if first.attribute("kind") == second.attribute("kind"):
                yield (Opt("SWAP", first.attribute("id"), second.attribute("id")),)
    read, written = argument_uses(body)
    streamed = {root_buffer(u.operands[0]) for u in order if u.name == "store" and u.attributes}
    for slot in sorted(written - read):
        if body.arguments[slot] not in streamed:
            yield (Opt("STREAM", slot),)
    staged = range(len(factors(order)))
    for r in parallel:
        for factor in staged:
            yield (Opt("STAGE", r.attribute("id"), factor),)
            yield (Opt("WINDOW", r.attribute("id"), factor),)
        if r.attribute("kind") == "loop" and any(u.name == "define_local" for u in order):
            yield (Opt("DISTRIBUTE", r.attribute("id")),)

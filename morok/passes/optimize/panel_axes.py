"""The axes of a panel: one for each range of the staged factor (STAGE), or, where ranges only ever step through memory together, one for the window they
span (WINDOW).

    image[%c, %y + %i, 2 * %x + %j] with %x in 0..14, %j in 0..3      axes %c, %i, and 2 * %x + %j in 0..29: 29 elements, not 14 * 3

So the panel of a convolution's image is a piece of that image, with the padding filled in: each element is read and stored once, by consecutive elements
whatever the stride, and not once for each place of the kernel over it.
"""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import gcd, prod

from ...dialect import types as T
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp, rebuild, toposort
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges

_INTERIOR = frozenset(("add", "sub", "mul", "neg"))


@dataclass(frozen=True)
class PanelAxis:
    """The values of a sum of ranges, each times its step."""

    steps: dict[UOp, int]
    size: int

    @property
    def unit(self) -> UOp:
        """The range that steps by one."""
        return next(r for r, step in self.steps.items() if step == 1)


    @property
    def in_registers(self) -> bool:
        """Whether register tiles or lanes read along it."""
        return any(r.attribute("kind") in ("upcast", "unroll") for r in self.steps)


def memory_step(factor: UOp, axis: PanelAxis) -> int | None:
    """Elements from one place of the axis to the next in the memory that the factor reads; None where its loads differ in that, or it is no constant."""
    found = {_step(u, axis.unit) for u in ops_to_memory(factor) if u.name == "load" and axis.unit in open_ranges(u.operands[0])}
    return found.pop() if len(found) == 1 else None


def adjacent_axes(factor: UOp, axes: list[PanelAxis]) -> list[PanelAxis]:
    """The first of these axes, which are of a panel in its order, and those behind it that lie so in memory, too: one loop can go through all of them."""
    together = axes[:1]
    for axis in axes[1:]:
        step = memory_step(factor, axis)
        if axis.in_registers or not step or memory_step(factor, together[-1]) != step * axis.size or not _only_in_places(factor, (*together, axis)):
            break
        together.append(axis)
    return together


def _only_in_places(factor: UOp, axes: Iterable[PanelAxis]) -> bool:
    """Whether the axes decide where the factor is read, and nothing else of it."""
    ranges = {r for axis in axes for r in axis.steps}
    users = (u for u in toposort((factor,)) if u.name != "index" and u.type is not T.index)
    return not any(o.type is T.index and open_ranges(o) & ranges for u in users for o in u.operands)


def with_flat_indices(factor: UOp, ranges: list[UOp]) -> UOp:
    """The factor with its places in memory that depend on these ranges as one sum each."""
    def flattened(u: UOp) -> UOp | None:
        return UOp.make("index", (u.operands[0], flat_index(u)), (), u.type, u.loc) if u.name == "index" and open_ranges(u).intersection(ranges) else None
    return rebuild((factor,), flattened)[0]


def _step(load: UOp, r: UOp) -> int | None:
    form = linear(flat_index(load.operands[0]))
    return None if any(r in open_ranges(term) for term, _ in form.terms if term is not r) else dict(form.terms).get(r, 0)


def range_axes(factor: UOp, ranges: list[UOp]) -> list[PanelAxis]:
    """An axis for each of these ranges, in their order."""
    return [PanelAxis({r: 1}, _extent(r)) for r in ranges]


def window_axes(factor: UOp, ranges: list[UOp]) -> list[PanelAxis]:
    """The axes of the factor's panel over these ranges, which have constant extents; in the order of the last range of each."""
    axes: list[PanelAxis] = []
    for group, steps in _groups(factor, ranges).items():
        size = 1 + sum(step * (_extent(r) - 1) for r, step in steps.items()) if steps else 0
        if steps and 1 in steps.values() and size <= prod(_extent(r) for r in group):
            axes.append(PanelAxis(steps, size))
        else:
            axes += [PanelAxis({r: 1}, _extent(r)) for r in group]
    return sorted(axes, key=lambda axis: max(ranges.index(r) for r in axis.steps))


def _extent(r: UOp) -> int:
    return r.operands[0].value


def _groups(factor: UOp, ranges: list[UOp]) -> dict[tuple[UOp, ...], dict[UOp, int]]:
    """The ranges by what they occur with, and their steps if those are in the same proportion wherever they occur; no steps if they are not."""
    group_of = {r: [r] for r in ranges}
    forms = []
    for expression in _expressions(factor):
        form = linear(expression)
        forms.append(form)
        present = [r for r in ranges if r in open_ranges(expression)]
        for r in present[1:]:
            if group_of[r] is not group_of[present[0]]:
                joined = group_of[present[0]] + group_of[r]
                group_of.update(dict.fromkeys(joined, joined))
    groups: dict[tuple[UOp, ...], dict[UOp, int]] = {}
    for members in group_of.values():
        group = tuple(members)
        if group not in groups:
            found = {steps for form in forms if (steps := _steps(form.terms, group)) is not None}
            steps = found.pop() if len(found) == 1 else ()
            groups[group] = dict(zip(group, steps)) if all(step > 0 for step in steps) else {}
    return groups


def _expressions(factor: UOp) -> Iterator[UOp]:
    """The index expressions of a value that are used for anything but the sum in a larger one."""
    for u in toposort((factor,)):
        if u.type is T.index and u.name in _INTERIOR:
            continue
        yield from (o for o in u.operands if o.type is T.index and open_ranges(o))
    if factor.type is T.index:
        yield factor


def _steps(terms: tuple[tuple[UOp, int], ...], group: tuple[UOp, ...]) -> tuple[int, ...] | None:
    """By how much the ranges of a group move a linear form, in lowest terms; None for a form that none of them moves. Zeros where one of them does so in
    another way than by a constant step."""
    coefficients = dict(terms)
    if any(term not in group and open_ranges(term) & set(group) for term in coefficients):
        return (0,) * len(group)
    steps = [coefficients.get(r, 0) for r in group]
    common = gcd(*steps)
    return tuple(step // common for step in steps) if common else None

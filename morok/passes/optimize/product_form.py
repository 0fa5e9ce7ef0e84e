"""What a product is: a kernel's sum of x * y where each factor lacks some of the loops round the sum, so that what is loaded serves several results.

    rows      loops that only x depends on            for i, j: out[i, j] = sum over k of x[i, k] * y[k, j]      rows i, columns j, sums k
    columns   loops that only y does
    batches   loops that both do
"""
from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, prod
from typing import Any

from ...errors import ScheduleError
from ...graph.body import Body
from ...graph.buffers import ops_to_memory
from ...graph.uop import UOp
from ..symbolic.flat import flat_index
from ..symbolic.linear import linear
from ..symbolic.ranges import open_ranges, ranges_of
from .schedule import NamedLoops
from .stage import factors

PAGE = 4096
"""Bytes."""
LINE = 16
"""Elements from which on the next one is on another cache line."""


@dataclass
class Product:
    """A kernel's sum of products and its loops by what depends on them. `lanes` is the column that steps through memory by single elements."""

    rows: list[UOp]
    columns: list[UOp]
    batches: list[UOp]
    sums: list[UOp]
    row_factor: UOp
    column_factor: UOp
    lanes: UOp
    bits: int
    contiguous: bool
    """Whether the column factor's loads step by single elements along the lanes."""
    scattered: bool
    """Whether the row factor's loads step far from one term of the sum to the next."""
    computed: bool
    """Whether the row factor is more than a load."""

    partial: bool = True
    """Whether the sum may be stored in parts: its dtype is what it is computed in."""
    columns_scattered: bool = False
    """Whether the column factor's loads step far from one term of the sum to the next."""
    row_pages: int = 1
    """As `column_pages`, of one row."""
    column_pages: int = 1
    """On about how many pages of memory the terms of one column lie; each on its own where they are not just loaded."""
    choices: dict[Any, list[Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By machine, the schedules that `products.choices` found."""

    @property
    def column_bytes(self) -> int:
        """Of all that the column factor is."""
        return prod(extent(r) for r in open_ranges(self.column_factor)) * self.bits // 8

    @cached_property
    def depth(self) -> int:
        return prod(extent(r) for r in self.sums)


def extent(r: UOp) -> int:
    return r.operands[0].value


def find_product(body: Body) -> Product | None:
    """The product that a kernel with a single nest of loops computes, whatever it stores of it; None for other kernels."""
    order = body.order()
    ends = [u for u in order if u.name == "end"]
    reduces = [u for u in order if u.name == "reduce"]
    if not ends or any(set(e.operands[1:]) != set(ends[0].operands[1:]) for e in ends):
        return None
    if not reduces or any(not r.operands[0].is_const() or not extent(r) for r in ranges_of(order)):
        return None
    loops = [r for r in ends[0].operands[1:]]
    if any(r.attribute("kind") != "loop" for r in loops):
        return None
    found = [p for u in reduces if (p := product_of(u, loops, order)) is not None]
    return max(found, key=lambda p: p.depth, default=None)


def product_of(reduce: UOp, loops: list[UOp], order: list[UOp]) -> Product | None:
    """The product that a reduction is with regard to these loops round it; None if it is none."""
    value = reduce.operands[0]
    while value.name == "cast":
        value = value.operands[0]
    if value.name != "mul" or reduce.attribute("op") != "add":
        return None
    sums = [r for r in reduce.operands[1:] if r.name == "range"]
    x, y = value.operands
    if not all(any(r in open_ranges(f) for r in sums) for f in (x, y)) or any(u.name == "reduce" for u in (*ops_to_memory(x), *ops_to_memory(y))):
        return None
    in_x, in_y = open_ranges(x), open_ranges(y)
    only_x = [r for r in loops if r in in_x and r not in in_y]
    only_y = [r for r in loops if r in in_y and r not in in_x]
    if not only_x or not only_y:
        return None
    lanes = _lanes(only_x + only_y, order)
    if lanes is None:
        return None
    if lanes in only_x:
        x, y, only_x, only_y = y, x, only_y, only_x
    bits = reduce.dtype.bits if reduce.dtype.bits >= 32 or not reduce.dtype.is_float else 32
    batches = [r for r in loops if r not in only_x and r not in only_y]
    if lanes not in only_y:
        return None
    return Product(only_x, only_y, batches, sums, x, y, lanes, bits, is_contiguous(y, lanes), _is_scattered(x, sums), x.name != "load" or len(x.operands) > 1,
                   not reduce.dtype.is_float or reduce.dtype.bits >= 32, _is_scattered(y, sums), _pages(x, sums), _pages(y, sums))


def _pages(factor: UOp, sums: list[UOp]) -> int:
    """On about how many pages a plain load's elements for all terms of the sum lie; the number of terms where it is no plain load."""
    depth = prod(extent(r) for r in sums)
    steps = [elements_per_iteration(factor, r) for r in sums] if factor.name == "load" and len(factor.operands) == 1 else [None]
    if None in steps:
        return depth
    bytes_of = factor.dtype.bits // 8
    return prod(extent(r) if (span := abs(step or 0) * bytes_of) >= PAGE else ceil(extent(r) * span / PAGE) or 1 for r, step in zip(sums, steps))


def elements_per_iteration(u: UOp, r: UOp) -> int | None:
    """Elements that an access moves by from one iteration to the next; None where that is no constant."""
    step = 0
    for term, coefficient in linear(flat_index(u.operands[0])).terms:
        if term is r:
            step = coefficient
        elif r in open_ranges(term):
            return None
    return step


def _lanes(candidates: list[UOp], order: list[UOp]) -> UOp | None:
    """The loop along which the result is stored element by element; else one along which the operands are read so."""
    for kind in ("store", "load"):
        accesses = [u for u in order if u.name == kind]
        steps = [r for r in candidates if any(elements_per_iteration(u, r) == 1 for u in accesses)]
        if steps:
            return max(steps, key=extent)
    return None


def is_contiguous(factor: UOp, lanes: UOp) -> bool:
    loads = [u for u in ops_to_memory(factor) if u.name == "load" and lanes in open_ranges(u)]
    return all(elements_per_iteration(u, lanes) == 1 for u in loads)


def _is_scattered(factor: UOp, sums: list[UOp]) -> bool:
    """Whether none of the sum's loops steps through the factor's memory by a few elements."""
    inner = ranges_of(sums)[-1]
    return any(u.name == "load" and inner in open_ranges(u) and not 0 <= (elements_per_iteration(u, inner) or LINE) < LINE for u in ops_to_memory(factor))


def named_loops(body: Body, p: Product) -> tuple[NamedLoops, dict[UOp, str]]:
    """The kernel's loops, and the names of its ranges: batch, row, column or sum and a number."""
    names = {r: f"{group}{i}" for group, members in (("batch", p.batches), ("row", p.rows), ("column", p.columns), ("sum", p.sums))
             for i, r in enumerate(members)}
    for r in ranges_of(body.order()):
        names.setdefault(r, f"other{r.attribute('id')}")
    return NamedLoops(body, names), names


def number_of_factor(loops: NamedLoops, name: str) -> int:
    """Which factor of the sums depends on that loop's range."""
    order = loops.body.order()
    range_ = ranges_of(order)[loops.axis(name)]
    for number, factor in enumerate(factors(order)):
        if range_ in open_ranges(factor):
            return number
    raise ScheduleError(f"no factor depends on the loop {name}")

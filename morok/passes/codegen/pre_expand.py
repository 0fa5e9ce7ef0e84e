"""morok-pre-expand: ranges of kind upcast and unroll become vector lanes and copies of the ops in them.

    %j = morok.range(32) {kind = "upcast"}                  %l = morok.unroll : vector<16xindex>
    %v = morok.load(morok.index(%a, %i * 32 + %j))    =>    %v0 = morok.load(morok.index(%a, vectorize(%i * 32) + %l))
    %e = morok.end(morok.store(.., %v), %j)                 %v1 = morok.load(morok.index(%a, vectorize(%i * 32) + %l + 16))

Lanes: the range is the vector of lane numbers, what depends on it becomes vectors, and scalars that meet them fill all lanes. Copies: the
range is replaced by each number of its extent. An extent that several native vectors make up becomes copies of lanes. A reduce over copies
becomes one reduce (an accumulator) for each, combined after the loops in a tree; one over lanes accumulates vectors, then contracts. If
that takes more accumulators than there are registers, the copies stay a loop instead. Scratch that is written inside an expanded range
gets room for each of its iterations.
"""
from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from ...dialect import types as T
from ...dialect.ops import ALU
from ...errors import InternalError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, const, index_const, toposort
from ..registry import KernelPass, at_least, morok_pass
from ..symbolic.ranges import closed_ranges, make_range, open_ranges, replace_ranges
from .effects import WAITING, closed, waiting
from .lane_choice import choose_lanes
from .lane_form import scalar_op
from .reduction_order import tree

EXPANDED = ("upcast", "unroll")
Roots = tuple[UOp, ...]
Axes = tuple[UOp, ...]


@morok_pass("morok-pre-expand", form="optimised")
class PreExpand(KernelPass):
    """Upcast and unroll ranges become lanes and copies."""

    vector_bits: int = at_least(8, 256)
    accumulators: int = at_least(1, 32)
    """Above this many for one reduce, unrolled iterations share accumulators, one after the other."""
    ops: int = at_least(1, 400)
    """Above this many in all copies of a range, its copies are a loop: more would not run faster."""

    def rewrite(self, body: Body) -> Body:
        if not any(u.name == "range" and u.attributes[1] in EXPANDED for u in body.order()):
            return body
        roots = without_trivial_ranges(body.roots)
        order = toposort(roots)
        ranges = [u for u in order if u.name == "range" and u.attributes[1] in EXPANDED]
        lanes = choose_lanes(order, ranges, self.vector_bits)
        roots, order = with_private_scratch(roots, order, ranges, lanes)
        loops = self._left_as_loops(order, ranges, lanes)
        return body.with_roots(Expansion(ranges, lanes, loops).run(order, roots))

    def _left_as_loops(self, order: Sequence[UOp], ranges: Sequence[UOp], lanes: dict[UOp, int]) -> dict[UOp, str]:
        """Ranges whose copies would take too many accumulators or too much code, and the kinds of loops that they become instead."""
        copies = {r: r.operands[0].value // lanes.get(r, 1) for r in ranges}
        found: dict[UOp, str] = {}
        work = dict.fromkeys((r for r in ranges if copies[r] > 1), 0)
        for u in order:
            live = open_ranges(u)
            if u.name in ALU and u.type is not T.index:
                for r in live:
                    if r in work:
                        work[r] += 1
            if u.name != "reduce":
                continue
            own = [r for r in u.operands[1:] if copies.get(r, 1) > 1]
            for r in live:  # as a loop it would have the reduction's loops inside
                work.pop(r, None)
            if all(r in copies for r in u.operands[1:]):
                continue
            count = prod(copies[r] for r in own) * prod(copies[r] for r in live if r in copies)
            if own and count > self.accumulators:
                found.update((r, "reduce") for r in own if r.attributes[1] == "unroll")
        closed_by_reduce = {r for u in order if u.name == "reduce" for r in u.operands[1:]}
        found.update((r, "reduce" if r in closed_by_reduce else "loop") for r, n in work.items() if n * copies[r] > self.ops)
        return found


def without_trivial_ranges(roots: Roots) -> Roots:
    """Expanded ranges of extent 1 are 0; those of unknown extent (or 0) become loops."""
    values: dict[UOp, UOp] = {}
    loops: dict[UOp, Sequence[UOp]] = {}
    for u in toposort(roots):
        if u.name == "range" and u.attributes[1] in EXPANDED:
            extent = u.operands[0]
            if extent.is_const(1):
                values[u], loops[u] = index_const(0), ()
            elif extent.name != "const" or extent.value == 0:
                values[u] = make_range(extent, u.attributes[0], "loop" if u.attributes[1] == "upcast" else "reduce", u)
                loops[u] = (values[u],)
    return replace_ranges(roots, values, loops) if values else roots


def with_private_scratch(roots: Roots, order: list[UOp], ranges: Sequence[UOp], lanes: dict[UOp, int]) -> tuple[Roots, list[UOp]]:
    """Scratch that is live inside expanded ranges gets their iterations as inner axes, lanes innermost."""
    wanted = frozenset(ranges)
    open_round: dict[UOp, frozenset[UOp]] = {}
    for u in order:
        if u.name == "after":
            live = open_ranges(u) & wanted
            if live:
                root = root_buffer(u)
                open_round[root] = open_round.get(root, frozenset()) | live
    if not open_round:
        return roots, order
    new: dict[UOp, UOp] = {}
    axes: dict[UOp, list[UOp]] = {}
    for u in order:
        if u in open_round:
            inner = sorted(open_round[u], key=lambda r: (r in lanes, r.attributes[0]))
            size = u.type.size * prod(r.operands[0].value for r in inner)  # type: ignore[union-attr]
            new[u] = UOp.make(u.name, (), u.attributes, T.memref((size,), u.dtype, u.type.space), u.loc)  # type: ignore[union-attr]
            axes[new[u]] = inner
            continue
        new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
        if u.name in ("after", "current") and new[u.operands[0]] in axes:
            axes[new[u]] = axes[new[u.operands[0]]]
        elif u.name == "index" and new[u].operands[0] in axes:
            place = new[u].operands[1]
            for r in axes[new[u].operands[0]]:
                place = place * r.operands[0].value + r
            new[u] = UOp.make("index", (new[u].operands[0], place), (), u.type, u.loc)
    replaced = tuple(new[r] for r in roots)
    return replaced, toposort(replaced)


class Expansion:
    """One sweep: each op becomes one op for each combination of the copies that it depends on, in row-major order of their ranges."""

    def __init__(self, ranges: Sequence[UOp], lanes: dict[UOp, int], loops: dict[UOp, str]) -> None:
        self.lanes = lanes
        self.counts: dict[UOp, int] = {}
        """Copies of each range."""
        self.numbers: dict[UOp, list[UOp]] = {}
        """What a range is in each copy."""
        self.loops: dict[UOp, UOp] = {}
        for r in ranges:
            self._prepare(r, loops.get(r))
        self.axes: dict[UOp, Axes] = {}
        self.copies: dict[UOp, list] = {}
        """Of an op that is a value, its copies; of one that is an effect, a tuple of effects for each copy."""
        self._unions: dict[tuple[Axes, Axes], Axes] = {}
        self._places: dict[tuple[Axes, Axes], list[int]] = {}
        self._filled: dict[tuple[UOp, int], UOp] = {}

    def _prepare(self, r: UOp, as_loop: str | None) -> None:
        width = self.lanes.get(r, 1)
        count = r.operands[0].value // width
        lane = UOp.make("unroll", (), (), T.vector(width, T.index)) if width > 1 else None
        if as_loop is not None and count > 1:
            outer = self.loops[r] = make_range(index_const(count), r.attributes[0], as_loop, r)
            self.counts[r] = 1
            start = outer * width
            self.numbers[r] = [start if lane is None else self.fill(start, width).alu("add", lane)]
            return
        self.counts[r] = count
        if lane is None:
            self.numbers[r] = [index_const(k) for k in range(count)]
        else:
            self.numbers[r] = [lane if k == 0 else lane.alu("add", const(k * width, lane.type)) for k in range(count)]

    def run(self, order: Sequence[UOp], roots: Roots) -> Roots:
        for u in order:
            self._expand(u)
        return tuple(self.copies[r][0] for r in roots)

    # Axes

    def union(self, a: Axes, b: Axes) -> Axes:
        if a is b or not b:
            return a
        if not a:
            return b
        found = self._unions.get((a, b))
        if found is None:
            found = self._unions[a, b] = tuple(sorted({*a, *b}, key=lambda r: r.attributes[0]))
        return found

    def places(self, of: Axes, within: Axes) -> list[int]:
        """For each combination of `within`, the number of the combination of `of` that it agrees with."""
        found = self._places.get((of, within))
        if found is None:
            strides, stride = {}, 1
            for r in reversed(of):
                strides[r] = stride
                stride *= self.counts[r]
            found = [0]
            for r in within:
                s = strides.get(r, 0)
                found = [p + k * s for p in found for k in range(self.counts[r])]
            self._places[of, within] = found
        return found

    # Ops

    def _expand(self, u: UOp) -> None:
        if u in self.numbers:
            self.axes[u] = (u,) if self.counts[u] > 1 else ()
            self.copies[u] = self.numbers[u]
            return
        axes: Axes = ()
        for o in u.operands:
            axes = self.union(axes, self.axes[o])
        if u.name == "reduce":
            self._reduce(u, axes)
        elif u.name == "end":
            self._end(u, axes)
        elif u.name in WAITING:
            self._wait(u)
        else:
            self.axes[u] = axes
            if not axes and not u.operands:
                self.copies[u] = [u]
                return
            built = self._build(u, [self._column(o, axes) for o in u.operands])
            self.copies[u] = [(b,) for b in built] if u.name == "store" else built

    def _column(self, o: UOp, axes: Axes) -> list:
        own = self.axes[o]
        copies = self.copies[o]
        return copies if own == axes else [copies[p] for p in self.places(own, axes)]

    def _build(self, u: UOp, columns: list[list[UOp]]) -> list[UOp]:
        """The op's copies, over the copies of each operand. Those of one op have the same lanes."""
        width = max(_width(column[0]) for column in columns)
        if not width:
            if u.type is T.index and u.name in ALU:
                return [scalar_op(u, x) if x != u.operands else u for x in zip(*columns)]
            return [u.with_operands(x) for x in zip(*columns)]
        if u.name in ("index", "load", "store", "prefetch"):
            return [self._access(u, x, width) for x in zip(*columns)]
        if u.name not in ALU and u.name not in ("cast", "bitcast"):
            raise InternalError(f"morok-pre-expand: morok.{u.name} depends on lanes of another range")
        filled = [column if _width(column[0]) == width else [self.fill(x, width) for x in column] for column in columns]
        result = T.vector(width, u.dtype)
        return [UOp.make(u.name, x, u.attributes, result, u.loc) for x in zip(*filled)]

    def _access(self, u: UOp, operands: tuple[UOp, ...], width: int) -> UOp:
        if u.name == "index":
            return self._index(u, operands, width)
        if u.name == "prefetch":
            pointer = operands[1] if _width(operands[1]) else self._index(u, operands[1].operands, width)
            return UOp.make(u.name, (self.fill(operands[0], width), pointer), u.attributes, None, u.loc)
        pointer, rest = operands[0], operands[1:]
        if not _width(pointer):
            pointer = self._index(u, pointer.operands, width)
        gate = 0 if u.name == "load" else 1
        rest = tuple(x if i == gate else self.fill(x, width) for i, x in enumerate(rest))
        return UOp.make(u.name, (pointer, *rest), u.attributes, None, u.loc)

    def _index(self, u: UOp, operands: tuple[UOp, ...], width: int) -> UOp:
        buffer = operands[0]
        space = getattr(buffer.type, "space", None) or "global"
        places = [self.fill(o, width) for o in operands[1:]]
        return UOp.make("index", (buffer, *places), (), T.ptr(T.vector(width, buffer.dtype), space), u.loc)

    def fill(self, x: UOp, width: int) -> UOp:
        """The vector with x in all lanes; a vector as it is."""
        if isinstance(x.type, T.VectorType):
            if x.type.lanes != width:
                raise InternalError(f"morok-pre-expand: vectors of {x.type.lanes} and {width} lanes meet")
            return x
        if x.name == "const":
            return const(x.value, T.vector(width, x.dtype))
        return UOp.make("vectorize", (x,), (), T.vector(width, x.dtype))

    def _outer_ranges(self, u: UOp) -> list[UOp]:
        """The loops that the op still closes."""
        kept = [self.loops.get(r, r) for r in u.operands[1:] if r not in self.numbers or r in self.loops]
        found = []
        for r in kept:
            if r in self.copies:
                if len(self.copies[r]) > 1:
                    raise InternalError(f"morok-pre-expand: the extent of range {r.attributes[0]} depends on an expanded range")
                r = self.copies[r][0]
            found.append(r)
        return found

    def _split_axes(self, u: UOp, axes: Axes) -> tuple[Axes, list[list[int]]]:
        """The axes that stay open, and for each of their combinations the numbers of the combinations (in `axes`) that it closes over."""
        gone = closed_ranges(u)
        inner = tuple(r for r in axes if r in gone)
        outer = tuple(r for r in axes if r not in gone)
        strides, stride = {}, 1
        for r in reversed(axes):
            strides[r] = stride
            stride *= self.counts[r]
        starts = [sum(k * strides[r] for k, r in zip(ks, outer)) for ks in product(*(range(self.counts[r]) for r in outer))]
        steps = [sum(k * strides[r] for k, r in zip(ks, inner)) for ks in product(*(range(self.counts[r]) for r in inner))]
        return outer, [[s + d for d in steps] for s in starts]

    def _reduce(self, u: UOp, axes: Axes) -> None:
        value, op, gone = u.operands[0], u.attribute("op"), closed_ranges(u)
        for r in gone:  # a value that a closed range does not reach counts once for each of its iterations
            if r in self.numbers and self.counts[r] > 1:
                axes = self.union(axes, (r,))
        lane = next((r for r in gone if r in self.lanes), None)
        loops = self._outer_ranges(u)
        column = self._column(value, axes)
        if lane is not None:
            column = [self.fill(v, self.lanes[lane]) for v in column]
        self.axes[u], groups = self._split_axes(u, axes)
        self.copies[u] = []
        for group in groups:
            parts = [UOp.make("reduce", (column[k], *loops), (op,), None, u.loc) if loops else column[k] for k in group]
            total = tree(op, parts)
            self.copies[u].append(UOp.make("contract", (total,), (op,)) if lane is not None else total)

    def _end(self, u: UOp, axes: Axes) -> None:
        column, loops = self._column(u.operands[0], axes), self._outer_ranges(u)
        self.axes[u], groups = self._split_axes(u, axes)
        self.copies[u] = [closed((t for k in group for t in column[k]), loops) for group in groups]

    def _wait(self, u: UOp) -> None:
        """Waits for the effects of all copies: they are in the same loops, and each has its own part of the memory."""
        has_buffer = u.name == "after"
        effects = u.operands[1:] if has_buffer else u.operands
        leading = (self.copies[u.operands[0]][0],) if has_buffer else ()
        made = waiting(u, leading, (t for o in effects for copy in self.copies[o] for t in copy))
        self.axes[u] = ()
        self.copies[u] = [(made,) if u.name == "barrier" else made]


def _width(u: UOp) -> int:
    """Lanes of a vector or of a pointer to one, else 0."""
    t = u.type.element if isinstance(u.type, T.PtrType) else u.type
    return t.lanes if isinstance(t, T.VectorType) else 0

"""morok-fuse-outputs: stores over one iteration space share their loops, and so become one kernel.

    %s = morok.reduce (morok.load %x[%i, %k]), %k             %s = morok.reduce (morok.load %x[%i, %k]), %k
    %b = morok.bufferize (%s / n)[%i]                         %b = morok.bufferize (%s / n)[%i]
    %m = morok.load %b[%j]                              =>
    %t = morok.reduce (morok.load %x[%j, %l] - %m), %l        %t = morok.reduce (morok.load %x[%i, %l] - (%s / n)), %l
    %c = morok.bufferize %t[%j]                               %c = morok.bufferize %t[%i]

The outer loops of two stores become one where they have the same extents. What one stores and the other reads at the same iteration is passed on as a value;
what it reads at other iterations of the inner loops (a row's exponentials, to be summed) is kept in scratch. A buffer that nothing else reads is gone then.
Which loops are shared is told by what one store reads of the other; these move outwards, so that the statistics of columns, or of the channels of images, share
the loop over columns or channels with what is computed from them.

Legal where no path of other stores leads from one to the other, where all that is read of what is stored is of the same iteration of the shared loops, and
where memory that is written in place is read at the very element that the iteration writes. Whether it pays is `fusion_cost.py`'s to say.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from ...dialect import types as T
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp, substitute
from ..registry import KernelPass, morok_pass
from ..symbolic.ranges import make_range, open_ranges, ranges_of, renumbered, replace_ranges
from .fusion_cost import Candidate, Stripe, Touched, pays, pays_in_stripes, stripe_of
from .placement import LOCAL_ELEMENTS
from .stored_values import StoredValue, is_version, slice_of, store_of, stored_values, trips, version_of

Mapping = dict[UOp, UOp]


@morok_pass("morok-fuse-outputs", form="range")
class FuseOutputs(KernelPass):
    """Makes stores over one iteration space one kernel, where that saves memory traffic."""

    def rewrite(self, body: Body) -> Body:
        if body.is_kernel:
            return body
        order = body.order()
        found = stored_values(order)
        if len(found) < 2:
            return body
        groups = _grouped(found, set(body.results))
        if all(len(g.members) == 1 for g in groups):
            return body
        return body.with_roots(renumbered(_Rewriting(order, groups).run(body.roots)))


@dataclass(eq=False)
class Group:
    """Stores that share loops. `ranges` are those of the deepest, outer first; `place` says for the ranges of all which loop they are."""

    members: list[StoredValue]
    ranges: list[UOp]
    place: Mapping
    scratch: dict[StoredValue, int]
    """Those kept in scratch, with the number of loops round it."""
    stripe: Stripe | None = None
    """What the shared loops pass over at once, where that is a part of many rows."""
    bits: int = 0
    """Its members as bits, once asked for."""
    loops: dict[StoredValue, list[UOp]] = field(default_factory=dict)
    """The loops of each, outer first: those shared stand as in `ranges`, the others behind them."""

    def __post_init__(self) -> None:
        position = {r: k for k, r in enumerate(self.ranges)}
        self.loops = {m: sorted(m.ranges, key=lambda r: position.get(self.place[r], len(position))) for m in self.members}

    @cached_property
    def touched(self) -> Touched:
        return Touched(self.members)

    def all_run_in(self, shared: Iterable[UOp]) -> bool:
        """Whether these loops are loops of every member."""
        return all({self.place[r] for r in m.ranges}.issuperset(shared) for m in self.members)


def _grouped(found: list[StoredValue], results: set[UOp]) -> list[Group]:
    """The stores in groups. Those that pass over memory in stripes must save enough by it, all in all: some of what they join does not pay by itself."""
    groups = _Grouping(found, set()).run()
    if all(g.stripe is None for g in groups):
        return groups
    plain = [g.members for g in _Grouping(found, set(found)).run()]
    poor = {m for g in groups if g.stripe is not None and not pays_in_stripes(g.members, g.stripe, plain, results) for m in g.members}
    return _Grouping(found, poor).run() if poor else groups


def _needed_first(found: list[StoredValue]) -> list[StoredValue]:
    """The stores, each behind all that it needs."""
    order: dict[StoredValue, None] = {}
    stack = list(reversed(found))
    while stack:
        s = stack[-1]
        missing = [] if s in order else [n for n in s.needs if n not in order]
        if missing:
            stack += missing
        else:
            order[stack.pop()] = None
    return list(order)


class _Grouping:
    """`in_rows` are stores that stay in groups of which none passes over memory in stripes."""

    def __init__(self, found: list[StoredValue], in_rows: set[StoredValue]) -> None:
        self.in_rows = in_rows
        self.groups = {s: Group([s], s.ranges, {r: r for r in s.ranges}, {}) for s in found}
        self.bit = {s: 1 << i for i, s in enumerate(found)}
        self.behind: dict[Group, int] = {}
        """The stores that a group needs, directly or by way of other groups, as bits: whether groups are neighbours is asked of very many pairs."""
        for s in _needed_first(found):
            self.behind[self.groups[s]] = self._behind([s])
        self.apart: set[tuple[Group, Group]] = set()
        """Pairs that were found not to be one. They stay so: what the others become only adds paths."""
        self.touching: dict[UOp, list[StoredValue]] = {}
        """Who reads a version, or writes it in place."""
        for s in found:
            for version in dict.fromkeys([version_of(load) for load in s.loads] + ([s.op.operands[0]] if s.in_place else [])):
                self.touching.setdefault(version, []).append(s)

    def run(self) -> list[Group]:
        for s in list(self.groups):
            while self._join(s):
                pass
        return list(dict.fromkeys(self.groups.values()))

    def _join(self, s: StoredValue) -> bool:
        """Merges the store's group with another that it reads from or shares memory with, if one fits."""
        own = self.groups[s]
        near: dict[Group, None] = {}
        for m in own.members:
            near.update((self.groups[n], None) for n in m.needs)
        for m in own.members:
            for version in dict.fromkeys(version_of(load) for load in m.loads):
                near.update((self.groups[t], None) for t in self.touching[version])
        near.pop(own, None)
        for other in near:
            if (other, own) in self.apart:
                continue
            merged = self._merged(other, own) if self._are_neighbours(other, own) and own.touched.may_pay_with(other.touched) else None
            if merged is not None:
                self._enter(merged, (other, own))
                return True
            self.apart.add((other, own))
        return False

    def _enter(self, merged: Group, parts: tuple[Group, Group]) -> None:
        """The merged group takes the place of its parts; what needs one of them needs all that it needs."""
        for part in parts:
            del self.behind[part]
        self.groups.update((m, merged) for m in merged.members)
        own = self._bits(merged.members)
        needed = self._behind(merged.members) & ~own
        for group, bits in self.behind.items():
            if bits & own:
                self.behind[group] = bits | own | needed
        self.behind[merged] = needed

    def _bits(self, members: Iterable[StoredValue]) -> int:
        bits = 0
        for m in members:
            bits |= self.bit[m]
        return bits

    def _behind(self, members: list[StoredValue]) -> int:
        bits = 0
        for group in {self.groups[n] for m in members for n in m.needs}:
            bits |= self._bits_of(group) | self.behind.get(group, 0)
        return bits

    def _merged(self, first: Group, second: Group) -> Group | None:
        """The two groups as one; None where that is not legal or does not pay."""
        if any(m.by_itself for m in (*first.members, *second.members)):
            return None
        renamed = _alignment(first, second)
        if not renamed and (first.ranges or second.ranges):
            return None
        shared = list(renamed.values())
        place = {**first.place, **{r: renamed.get(p, p) for r, p in second.place.items()}}
        rest = [r for r in first.ranges if r not in shared] or [r for r in second.ranges if r not in renamed]
        merged = Group([*first.members, *second.members], [*shared, *rest], place, {})
        if len({m.root for m in merged.members}) < len(merged.members) or not self._reads_fit(merged) or not _overwrites_what_it_reads(merged):
            return None
        moved = shared != first.ranges[:len(shared)] or list(renamed) != second.ranges[:len(shared)]
        candidate = Candidate(first.members, second.members, shared, place, merged.loops, merged.scratch, moved)
        merged.stripe = stripe_of(candidate) or first.stripe or second.stripe
        if merged.stripe is not None and not self.in_rows.isdisjoint(merged.members):
            return None
        return merged if pays(candidate) else None

    def _are_neighbours(self, first: Group, second: Group) -> bool:
        """Whether no path of needs leaves the two and comes back."""
        both = self._bits_of(first) | self._bits_of(second)
        groups, behind = self.groups, self.behind
        for g in (first, second):
            for m in g.members:
                for n in m.needs:
                    between = groups[n]
                    if between is not first and between is not second and behind[between] & both:
                        return False
        return True

    def _bits_of(self, group: Group) -> int:
        if group.bits == 0:
            group.bits = self._bits(group.members)
        return group.bits

    def _reads_fit(self, group: Group) -> bool:
        """Whether all that members read of one another is of the same iteration of some loops at least; finds what must be kept in scratch for that."""
        inside = {m.op: m for m in group.members}
        for m in group.members:
            for load in m.loads:
                source = inside.get(version_of(load))
                if source is None:
                    continue
                depth = same_iterations(source, substitute(load.operands[0].operands[1:], group.place), group)
                if depth == len(source.ranges):
                    continue
                if depth <= 0 or not _fits_scratch(source, group.loops[source][depth:]):
                    return False
                group.scratch[source] = min(depth, group.scratch.get(source, depth))
        return True


def _alignment(first: Group, second: Group) -> Mapping:
    """For loops of the second group, outer first, the loop of the first group that each may share: what one reads of the other tells, where it reads anything
    at the iteration of a loop; loops that no read tells of are shared in order, as long as their extents are the same."""
    pairs, apart = _paired_by_reads(first, second)
    rest = [[r for r in g.ranges if r not in told and r not in apart] for g, told in ((first, pairs.values()), (second, pairs))]
    for a, b in zip(*rest):
        if a.operands[0] is not b.operands[0]:
            break
        pairs[b] = a
    in_order = [r for r in first.ranges if r in pairs.values()]
    position = {a: k for k, a in enumerate(in_order)}
    found = dict(sorted(pairs.items(), key=lambda pair: position[pair[1]]))
    if in_order == first.ranges[:len(found)] and list(found) == second.ranges[:len(found)]:
        return found
    return {b: a for b, a in found.items() if first.all_run_in([a]) and second.all_run_in([b])}  # what moves outwards must be a loop of all


def _paired_by_reads(first: Group, second: Group) -> tuple[Mapping, set[UOp]]:
    """The loops of the second group that run with loops of the first where one group reads of the other; and the loops for which the reads differ in that."""
    pairs: Mapping = {}
    back: Mapping = {}
    apart: set[UOp] = set()
    for sources, readers in ((first, second), (second, first)):
        made = {m.op: m for m in sources.members}
        for load in dict.fromkeys(load for m in readers.members for load in m.loads):
            source = made.get(version_of(load))
            if source is None:
                continue
            for own, read in zip(substitute(source.indices, sources.place), substitute(load.operands[0].operands[1:], readers.place)):
                a, b = (own, read) if sources is first else (read, own)
                if a in first.ranges and b in second.ranges and a.operands[0] is b.operands[0]:
                    if pairs.setdefault(b, a) is not a or back.setdefault(a, b) is not b:
                        apart.update((a, b, pairs[b], back.get(a, b)))
    return {b: a for b, a in pairs.items() if a not in apart and b not in apart}, apart


def same_iterations(source: StoredValue, indices: tuple[UOp, ...], group: Group) -> int:
    """How many of the outer loops of a store are at the iteration that a read at these indices is of; -1 where it may be of another element in any case."""
    own = substitute(source.indices, group.place)
    if indices == own:
        return len(source.ranges)
    if source.in_place or any(i.name not in ("range", "const") for i in own):
        return -1
    for depth, r in enumerate(group.loops[source]):
        axis = own.index(group.place[r])
        if indices[axis] is not group.place[r]:
            return depth
    return len(source.ranges) if all(a is b for a, b in zip(own, indices) if a.name == "const") else -1


def _fits_scratch(source: StoredValue, inner: list[UOp]) -> bool:
    if any(not r.operands[0].is_const() for r in inner) or trips(inner) > LOCAL_ELEMENTS:
        return False
    return not any(u.name == "bufferize" and open_ranges(u) & set(inner) for u in source.order)


def _overwrites_what_it_reads(group: Group) -> bool:
    """Whether memory that the group writes in place is read at the very element that the same iteration writes, and not in a reduction."""
    for writer in group.members:
        if not writer.in_place:
            continue
        element = substitute(writer.indices, group.place)
        for reader in group.members:
            for load in reader.loads:
                version = version_of(load)
                if version is writer.op or root_buffer(version) is not writer.root:
                    continue
                if version is not writer.op.operands[0] or load in reader.inside or substitute(load.operands[0].operands[1:], group.place) != element:
                    return False
        if set(writer.ranges) - {r for i in writer.indices for r in open_ranges(i)}:
            return False
    return True


class _Rewriting:
    """The body over again, with the groups' loops shared."""

    def __init__(self, order: list[UOp], groups: list[Group]) -> None:
        self.group_of = {m.op: (g, m) for g in groups for m in g.members}
        shared = {p: None for g in groups if len(g.members) > 1 for p in (*g.ranges, *g.place.values())}
        old = ranges_of(order)
        outside = {r: i for i, r in enumerate(shared)}  # loops that are shared come first: all others may be inside of them
        self.ranges = {r: make_range(r.operands[0], outside[r] if r in outside else len(outside) + r.attributes[0], r.attributes[1], r) for r in old}
        for g in groups:
            self.ranges.update((r, self.ranges[p]) for r, p in g.place.items() if r is not p)
        self.last_range = len(outside) + max((r.attributes[0] for r in old), default=-1)
        self.last_buffer = max((u.attribute("id") for u in order if u.name == "bufferize"), default=-1)
        self.versions: dict[UOp, UOp] = {}
        self.values: dict[UOp, UOp] = {}
        self.scratch: dict[UOp, UOp] = {}
        self.memos: dict[Group, dict[UOp, UOp]] = {}
        self.order = order

    def run(self, roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
        for u in self.order:
            if u in self.group_of:
                self.versions[u] = self._store(*self.group_of[u])
            elif is_version(u):
                self.versions[u] = u.with_operands(tuple(self.versions[o] for o in u.operands)) if u.operands else u
        return tuple(self.versions[r] if r in self.versions else r for r in roots)

    def _store(self, group: Group, m: StoredValue) -> UOp:
        memo = self.memos.setdefault(group, {})
        if m.by_itself:
            return self._stores_in_order(group, m, memo)
        for u in (*m.order, *(v for i in m.indices for v in slice_of(i))):
            if u not in memo:
                memo[u] = self._rebuilt(u, group, memo)
        value, indices = memo[m.value], tuple(memo[i] for i in m.indices)
        if m in group.scratch:
            value = self._in_scratch(m, value, group)
        self.values[m.op] = value
        if m.op.name == "bufferize":
            return UOp.make("bufferize", (value, *indices), m.op.attributes, m.op.type, m.op.loc)
        store = store_of(m.op)
        assert store is not None
        target = self.versions[m.op.operands[0]]
        pointer = UOp.make("index", (target, *indices), (), store.operands[0].type, store.operands[0].loc)
        done = UOp.make("store", (pointer, value), (), T.token, store.loc)
        if m.op.operands[1].name == "end":
            done = UOp.make("end", (done, *(self.ranges[r] for r in m.ranges)), (), T.token, m.op.operands[1].loc)
        return UOp.make("after", (target, done), (), m.op.type, m.op.loc)

    def _stores_in_order(self, group: Group, m: StoredValue, memo: dict[UOp, UOp]) -> UOp:
        """Ordered loops are shared with nothing: their effects as they are, over the new versions."""
        for u in dict.fromkeys(u for effect in m.op.operands[1:] for u in slice_of(effect)):
            if u not in memo:
                memo[u] = self._rebuilt(u, group, memo)
        return m.op.with_operands((self.versions[m.op.operands[0]], *(memo[e] for e in m.op.operands[1:])))

    def _rebuilt(self, u: UOp, group: Group, memo: dict[UOp, UOp]) -> UOp:
        if u.name == "range":
            return self.ranges[u]
        if u.name == "index" and is_version(u.operands[0]):
            source = u.operands[0]
            if source in self.group_of and self.group_of[source][0] is group:
                return self._value_of(self.group_of[source][1], group, tuple(memo[i] for i in u.operands[1:]))
            return u.with_operands((self.versions[source], *(memo[i] for i in u.operands[1:])))
        operands = tuple([self.versions[o] if is_version(o) else memo[o] for o in u.operands])
        if u.name == "load" and operands[0].name != "index":  # a value passed on
            return _gated(*operands)
        return u.with_operands(operands) if operands else u

    def _value_of(self, source: StoredValue, group: Group, indices: tuple[UOp, ...]) -> UOp:
        """What a member stores, read at some indices of the same iteration of the shared loops."""
        if source not in group.scratch:
            return self.values[source.op]
        return _load(self.scratch[source.op], [indices[a] for a in _inner_axes(source, group)])

    def _in_scratch(self, m: StoredValue, value: UOp, group: Group) -> UOp:
        """Keeps the value in scratch, in loops of its own inside of the shared ones; what there is to store is loaded from it."""
        inner = [self.ranges[r] for r in group.loops[m][group.scratch[m]:]]
        within = set(inner)
        closed = [r for u in slice_of(value) if u.name in ("reduce", "bufferize") and within & open_ranges(u.operands[0]) for r in u.operands[1:]]
        fresh: dict[UOp, UOp] = {}
        for r in (*inner, *ranges_of(dict.fromkeys(closed))):
            self.last_range += 1
            fresh[r] = make_range(r.operands[0], self.last_range, r.attributes[1], r)
        moved = replace_ranges((value,), fresh, {r: (f,) for r, f in fresh.items()})[0]
        self.last_buffer += 1
        places = [self.ranges[m.indices[a]] for a in _inner_axes(m, group)]
        type_ = T.memref(tuple(p.operands[0].value for p in places), value.dtype, "local")
        self.scratch[m.op] = UOp.make("bufferize", (moved, *(fresh[p] for p in places)), (self.last_buffer, "local"), type_, m.op.loc)
        return _load(self.scratch[m.op], places)


def _inner_axes(m: StoredValue, group: Group) -> list[int]:
    """The axes of a buffer in scratch that the loops inside of the shared ones run along."""
    inner = set(group.loops[m][group.scratch[m]:])
    return [a for a, i in enumerate(m.indices) if i in inner]


def _gated(value: UOp, gate: UOp | None = None, other: UOp | None = None) -> UOp:
    """The value where the gate holds. Where it does not, a place in scratch may lie outside of it: the load itself is gated."""
    if gate is None or other is None:
        return value
    if value.name == "load" and len(value.operands) == 1 and value.operands[0].type.space == "local":  # type: ignore[union-attr]
        return value.with_operands((value.operands[0], gate, other))
    return gate.where(value, other)


def _load(scratch: UOp, places: Iterable[UOp]) -> UOp:
    pointer = UOp.make("index", (scratch, *places), (), T.ptr(scratch.dtype, "local"))
    return UOp.make("load", (pointer,), (), scratch.dtype)

"""morok-mega-pass: symbolic rules, reduction rules, buffer folding and buffer removal in one fixpoint, each making work for the others.

    %b = morok.bufferize %c[%i, %j]                       a constant, or cheap arithmetic on counters
    morok.load %b[%k, 2]                             =>   %c                                     at %i = %k, %j = 2

    %b = morok.bufferize (morok.load %a[%i])[%i]          a plain copy of another buffer
    morok.load %b[%k + 1]                            =>   morok.load %a[%k + 1]

    %b = morok.bufferize %v[%i]                           a value read once, element by element
    morok.bufferize (exp (morok.load %b[%k]))[%k]    =>   morok.bufferize (exp %v)[%k]           at %i = %k

    reduce (reduce %v, %k), %l                       =>   reduce %v, %l, %k

What a buffer holds is found from its flat place, so it does not matter whether ranges were merged or split. Kept are: buffers that the
function returns; scratch (space local); buffers whose value has a reduction, unless each element of them is computed exactly once all the
same; and buffers whose value was read from memory that the function also writes, for they may be the only copy of it.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from ...dialect.ops import ALU, UNARY_FLOAT
from ...graph.body import Body
from ...graph.buffers import ops_to_memory, root_buffer
from ...graph.uop import UOp, toposort, users_of
from ..pattern import PatternSet
from ..registry import KernelPass, morok_pass
from ..symbolic import row_major, simplify, symbolic_rewriter
from ..symbolic.gates import all_of, conjuncts
from ..symbolic.linear import linear
from ..symbolic.ranges import CLOSING, closed_ranges, make_range, open_ranges, ranges_of
from .load_collapse import LOAD_COLLAPSE, at_values

MOST_OPS = 8
"""A value of at most so many ops on counters and constants is computed again rather than loaded."""
Memory = tuple[str, int]


def memory_of(buffer: UOp) -> Memory:
    """What tells a buffer from others while its value is being rewritten: the op and number that it comes from."""
    buffer = root_buffer(buffer)
    return buffer.name, (buffer.attributes[0] if buffer.attributes else 0)


@dataclass
class Uses:
    """How a body uses its buffers and reductions, before a round of rewriting."""

    written: set[Memory] = field(default_factory=set)
    """What stores write to."""
    read_once: set[Memory] = field(default_factory=set)
    """Buffers of which each element is read once, in the loops that its reader needs anyway."""
    inner_reductions: set[tuple] = field(default_factory=set)
    """Ranges of the reductions that one other reduction alone uses."""
    last_id: int = -1

    @classmethod
    def of(cls, roots: tuple[UOp, ...]) -> Uses:
        order = toposort(roots)
        users, found = users_of(order), cls()
        for u in order:
            if u.name == "store":
                found.written.add(memory_of(u.operands[0].operands[0]))
            elif u.name == "bufferize" and u.attribute("space") == "global" and u not in roots and _is_read_once(u, users):
                found.read_once.add(memory_of(u))
            elif u.name == "reduce" and [v.name for v in users[u]] == ["reduce"]:
                found.inner_reductions.add(u.operands[1:])
            elif u.name == "range":
                found.last_id = max(found.last_id, u.attributes[0])
        return found


def _is_read_once(buffer: UOp, users: dict[UOp, list[UOp]]) -> bool:
    """Whether one load reads it, at as many iterations as it has elements, in no other loop."""
    if [u.name for u in users[buffer]] != ["index"] or [u.name for u in users[users[buffer][0]]] != ["load"]:
        return False
    load = users[users[buffer][0]][0]
    values = counters_at(buffer, load.operands[0].operands[1:])
    if values is None or len(set(values.values())) != len(values):
        return False
    if not all(v.name == "range" and v.operands[0] is r.operands[0] for r, v in values.items()):
        return False
    return _stays_in_loops(load, frozenset(values.values()), users)


def _stays_in_loops(load: UOp, loops: frozenset[UOp], users: dict[UOp, list[UOp]]) -> bool:
    """Whether all that is computed from the load, up to where a loop closes, is in just these loops, and none of it an address."""
    seen, pending = {load}, [load]
    while pending:
        node = pending.pop()
        if open_ranges(node) != loops:
            return False
        for user in users[node]:
            if user in seen or user.name in CLOSING:
                if user.name in CLOSING and user.operands[0] is not node:
                    return False
                continue
            if user.name not in ALU and not (user.name == "store" and user.operands[1] is node):
                return False
            seen.add(user)
            pending.append(user)
    return True


def counters_at(buffer: UOp, indices: tuple[UOp, ...]) -> dict[UOp, UOp] | None:
    """The iteration of a bufferize op that writes the element at some indices: a value for each range that the op closes."""
    own = buffer.operands[1:]
    if all(r.name in ("range", "const") for r in own) and len({r for r in own if r.name == "range"}) == sum(r.name == "range" for r in own):
        return {r: i for r, i in zip(own, indices) if r.name == "range"}
    place, target = simplify((_place(buffer, own), _place(buffer, indices)))
    form = linear(place)
    if form.constant or {t for t, _ in form.terms} != closed_ranges(buffer):
        return None
    strides = sorted(form.terms, key=lambda t: t[1])
    values, expected = {}, 1
    for position, (r, stride) in enumerate(strides):
        if stride != expected or r.operands[0].name != "const":
            return None
        expected = stride * r.operands[0].value
        values[r] = target // stride if position + 1 == len(strides) else (target // stride) % r.operands[0].value
    return dict(zip(values, simplify(tuple(values.values()))))


def _place(buffer: UOp, indices: tuple[UOp, ...]) -> UOp:
    return row_major(indices, buffer.type.shape)  # type: ignore[union-attr]


def is_cheap_arithmetic(value: UOp) -> bool:
    """A constant, or little arithmetic on counters and constants."""
    computed = 0
    for u in ops_to_memory(value):
        if u.name in ALU:
            computed += 1
        elif u.name not in ("const", "range", "define_var"):
            return False
        if computed > MOST_OPS or u.name in UNARY_FLOAT or u.name == "pow":
            return False
    return True


def is_copy(buffer: UOp) -> bool:
    """Whether a buffer holds the elements of another in the same order (perhaps of a part of it)."""
    value = buffer.operands[0]
    if value.name != "load" or len(value.operands) != 1 or closed_ranges(buffer) != open_ranges(value):
        return False
    source = value.operands[0]
    own, other = simplify((_place(buffer, buffer.operands[1:]), _place(source.operands[0], source.operands[1:])))
    return not linear(other).minus(linear(own)).terms


def buffer_rules(uses: Uses) -> PatternSet:
    """The rules on loads from buffers, for a body of these uses."""
    rules = PatternSet("buffers")

    @rules.rule("load")
    def fold_buffer(u: UOp) -> UOp | None:
        """A load from a buffer is the buffered value at that place, if it is cheap to have."""
        if u.operands[0].name != "index" or u.operands[0].operands[0].name != "bufferize":
            return None
        buffer = u.operands[0].operands[0]
        value = buffer.operands[0]
        ops = ops_to_memory(value)
        sources = [o.operands[0].operands[0] for o in ops if o.name == "load"]
        if any(s.type.space is not None or memory_of(s) in uses.written for s in (buffer, *sources)):  # type: ignore[union-attr]
            return None
        if memory_of(buffer) not in uses.read_once and not is_cheap_arithmetic(value):
            if not is_copy(buffer) or memory_of(sources[0]) in uses.read_once:
                return None
        values = counters_at(buffer, u.operands[0].operands[1:])
        return None if values is None else _value_at(u, value, values, ops, uses)

    @rules.rule("reduce")
    def nested_reductions(u: UOp) -> UOp | None:
        """add over %l of add over %k = add over %l and %k"""
        inner = u.operands[0]
        if inner.name != "reduce" or inner.attributes != u.attributes or inner.operands[1:] not in uses.inner_reductions:
            return None
        return u.with_operands((inner.operands[0], *u.operands[1:], *inner.operands[1:]))

    return rules


def _value_at(load: UOp, value: UOp, values: dict[UOp, UOp], ops: list[UOp], uses: Uses) -> UOp:
    """The buffered value at an iteration, behind the load's gate."""
    fresh = _below(ops, values, uses)
    gate = conjuncts(load.operands[1]) if len(load.operands) == 3 else []
    found = at_values(value, {**values, **fresh}, gate) if values or fresh else value
    return all_of(gate).where(found, load.operands[2]) if gate else found


def _below(ops: list[UOp], values: dict[UOp, UOp], uses: Uses) -> dict[UOp, UOp]:
    """New ranges for the loops inside a value where these would else be outside of the loops that it moves to."""
    inner = [r for r in ranges_of(ops) if r not in values]
    outside = max((r.attributes[0] for v in values.values() for r in open_ranges(v)), default=-1)
    if not inner or inner[0].attributes[0] > outside:
        return {}
    fresh = {}
    for r in inner:
        uses.last_id += 1
        fresh[r] = make_range(r.operands[0], uses.last_id, r.attributes[1], r)
    return fresh


@morok_pass("morok-mega-pass", form="range")
class MegaPass(KernelPass):
    """Symbolic and reduction rules, buffer folding and buffer removal, in one fixpoint."""

    def rewrite(self, body: Body) -> Body:
        roots = body.roots
        while True:
            changed = symbolic_rewriter(LOAD_COLLAPSE, buffer_rules(Uses.of(roots))).rewrite(roots)
            if changed == roots:
                return body if roots == body.roots else body.with_roots(roots)
            roots = changed

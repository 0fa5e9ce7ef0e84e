"""morok-range-assignment: tensors become scalars inside explicit loops; movement ops become index arithmetic.

    func.func @main(%a: tensor<2x3xf32>) -> tensor<3xf32> {
      %e = morok.expand (morok.reshape %a) : tensor<4x2x3xf32>
      %s = morok.reduce_axis %e {axes = [0]} : tensor<2x3xf32>
    =>
    func.func @main(%a: memref<2x3xf32>) -> memref<2x3xf32> {
      %i = morok.range 2 {loop}, %j = morok.range 3 {loop}, %k = morok.range 4 {reduce}
      %v = morok.load (morok.index %a[%i, %j])
      %s = morok.reduce %v, %k {add}
      %b = morok.bufferize %s, %i, %j {global}
      return %b

Backwards, each op collects the sites at which it is asked for (`placement.py` decides which ops are stored); forwards, each op is built once per
distinct request. A reduction asked for at indices that use only outer loops is built once there: hoisting needs no pass of its own.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod

from ...dialect import types as T
from ...dialect.ops import ALU, MOVEMENT
from ...errors import IRError
from ...graph.body import Body, Program
from ...graph.shape import shape_of
from ...graph.uop import UOp, argument, as_index, const, index_const, toposort, toposort_to
from ...interpret.alu import identity
from ..registry import Pass, morok_pass
from ..symbolic import bounds, simplify
from . import ordered_stores
from .movement_indices import Indices, flatten, source_indices
from .placement import OVERWRITING, STORED_OPS, Request, Sites, Stored, costs, decide, elements, extent, loops_round, product_depths


@morok_pass("morok-range-assignment", form="tensor")
class RangeAssignment(Pass):
    """Gives every tensor axis a range; movement ops become index arithmetic, dear shared values buffers."""

    def run(self, program: Program) -> None:
        for name, body in list(program.bodies.items()):
            if any(isinstance(u.type, T.TensorType) for u in (*body.arguments, *body.results)):
                program.bodies[name] = _Assignment(body).run()


class _Assignment:
    """The state of one function's conversion."""

    def __init__(self, body: Body):
        self.body = body
        self.order = toposort(body.results)
        self.sites: dict[UOp, Sites] = {u: Sites() for u in self.order}
        self.stored: dict[UOp, Stored] = {}
        self.own: dict[UOp, tuple[UOp, ...]] = {}
        self.reduced: dict[tuple[UOp, Request], tuple[UOp, ...]] = {}
        self.scalars: dict[tuple[UOp, Request], UOp] = {}
        self.buffers: dict[UOp, UOp] = {}
        self.next_range = 0
        self.next_buffer = 0
        self.arguments = {a: argument(a.attributes[0], T.memref(a.type.shape, a.dtype)) if isinstance(a.type, T.TensorType) else a for a in body.arguments}
        self.overwritten: set[UOp] = set()
        self.scattered: dict[UOp, UOp] = {}
        """The scatter that an assign writes, where it can be done in the target's memory."""
        self.kept: set[UOp] = set()
        """What is read of such a target for its scatter: stored, so that the target need not be."""
        self.in_place = {a for a, given in zip(body.arguments, body.argument_attributes) if "morok.in_place" in given}

    def run(self) -> Body:
        self._find_scattered()
        self._collect_sites()
        self._build()
        results = tuple(self.buffers.get(r, r) for r in self.body.results)  # what is no tensor stays
        return replace(self.body, arguments=[self.arguments[a] for a in self.body.arguments], results=results)

    # What is scattered into a target needs no memory of its own.

    def _find_scattered(self) -> None:
        assigns = [u for u in self.order if u.name == "assign"]
        if not assigns:
            return
        uses = Counter(o for u in self.order for o in u.operands)
        for u in assigns:
            found = _scatter_behind(u.operands[2])
            if found is None or any(uses[step] > 1 or step in self.body.results for step in found):
                continue
            if self._same_places(u, found):
                self.scattered[u] = found[-1]
                target = u.operands[0]
                self.kept.update(o for o in found[-1].operands[1:] if elements(o) <= elements(target) and _reads(o, target))

    def _same_places(self, u: UOp, found: list[UOp]) -> bool:
        """Whether each element of the scatter lies where the assign writes it."""
        target, view, value = u.operands
        own = tuple(self._new_index(size, "loop") for size in shape_of(value))
        written, scattered = _through_chain(view, target, own), _through_chain(value, found[-1], own)
        moved = _through_chain(found[-1].operands[0], target, scattered) if scattered is not None else None
        return written is not None and written == moved

    # Backwards: who is asked for where.

    def _new_index(self, size: int | UOp, kind: str, loc: object = None) -> UOp:
        """Where one goes along an axis: a new range, or 0 where the axis cannot have more than one element."""
        # An extent in normal form: simplifying an index that uses the range then leaves the range what it is.
        normal = simplify((size,)) if isinstance(size, UOp) else (as_index(size),)
        if bounds(normal[0]) == (1, 1):  # a range that simplifies to 0 in some indices would be closed in those alone
            return index_const(0)
        self.next_range += 1
        return UOp.make("range", normal, (self.next_range - 1, kind), T.index, loc)  # type: ignore[arg-type]

    def _must_store(self, u: UOp) -> bool:
        return u in self._roots or u.name in STORED_OPS

    def _collect_sites(self) -> None:
        self._roots = set(self.body.results)
        elsewhere = set(self.scattered.values())
        self._targets = {t for u in self.order if u.name in OVERWRITING and u not in elsewhere for t in ordered_stores.targets(u)}
        cost, depth = costs(self.order), product_depths(self.order)
        for u in reversed(self.order):
            if u.type is T.index or not isinstance(u.type, T.TensorType):
                continue
            sites = self.sites[u]
            if u in elsewhere:
                continue
            if self._must_store(u) or u in self.kept or u in self._targets and u.name != "arg":
                decision: Stored | None = Stored("global", tuple(range(len(u.type.shape))))
            else:
                decision = decide(u, sites, cost[u], depth[u]) if sites.loops else None
            if decision is None:
                for request, loops in sites.loops.items():
                    self._ask_operands(u, request, loops)
            else:
                self._ask_stored(u, decision)

    def _ask_stored(self, u: UOp, decision: Stored) -> None:
        self.stored[u] = decision
        ordered = self.scattered.get(u, u)
        if ordered.name in ordered_stores.OPS:
            own = self.own[u] = tuple(self._new_index(size, kind, u.loc) for size, kind in ordered_stores.loops_of(ordered))
            for operand, indices in ordered_stores.requests(ordered, own):
                self.sites[operand].add(Request(indices, None), tuple(r for r in own if r.name == "range"))
            return
        shape = shape_of(u.operands[1]) if u.name == "assign" else shape_of(u)
        axes = range(len(shape)) if u.name == "assign" else decision.axes
        own = tuple(self._new_index(shape[a], "loop", u.loc) for a in axes)
        self.own[u] = own
        loops = decision.loops + tuple(r for r in own if r.name == "range")
        if u.name == "assign":
            self.sites[u.operands[2]].add(Request(own, None), loops)
            return
        by_axis = {**decision.shared, **dict(zip(decision.axes, own))}
        request = Request(tuple(by_axis[a] for a in range(len(shape))), None)
        if u.name in ("contiguous", "copy"):
            self.sites[u.operands[0]].add(request, loops)
        else:
            self._ask_operands(u, request, loops)

    def _ask_operands(self, u: UOp, request: Request, loops: tuple[UOp, ...]) -> None:
        if u.name in ALU or u.name == "detach":
            for operand in u.operands:
                self.sites[operand].add(request, loops)
        elif u.name in MOVEMENT:
            self.sites[u.operands[0]].add(self._through(u, request), loops)
        elif u.name == "reduce_axis":
            source, axes = u.operands[0], u.attribute("axes")
            shape = shape_of(source)
            ranges = tuple(self._new_index(shape[a], "reduce", u.loc) for a in sorted(axes))
            self.reduced[u, request] = ranges
            inner = loops_round(request, loops) + tuple(r for r in ranges if r.name == "range")
            self.sites[source].add(self._inside_reduction(u, request), inner)

    def _through(self, u: UOp, request: Request) -> Request:
        indices, inside = source_indices(u, request.indices)
        gate = request.gate
        if inside is not None:
            gate = inside if gate is None else gate & inside
        return Request(_simplified(indices), _simplified((gate,))[0] if gate is not None else None)

    def _inside_reduction(self, u: UOp, request: Request) -> Request:
        ranges, axes = iter(self.reduced[u, request]), set(u.attribute("axes"))
        kept = iter(request.indices)
        rank = len(u.operands[0].type.shape)  # type: ignore[union-attr]
        return Request(tuple(next(ranges) if a in axes else next(kept) for a in range(rank)), request.gate)

    # Forwards: each op once per request.

    def _build(self) -> None:
        for u in self.order:
            if u.name in ("arg",) or not isinstance(u.type, T.TensorType):
                if u.name == "arg" and isinstance(u.type, T.TensorType):
                    self._build_argument(u)
                continue
            if u in self.stored:
                self.buffers[u] = self._build_overwriting(u) if u.name in OVERWRITING else self._build_buffer(u)
                self._read_buffer(u)
            else:
                for request in self.sites[u].loops:
                    self.scalars[u, request] = self._scalar(u, request)

    def _build_argument(self, u: UOp) -> None:
        source = self.arguments[u]
        if u in self.stored:  # returned: a copy
            self.buffers[u] = self._copy(u, source, self.own[u])
        for request in self.sites[u].loops:
            self.scalars[u, request] = const(0, u.dtype) if _is_empty(u) else _load(source, request.indices, request.gate)

    def _copy(self, u: UOp, source: UOp, own: Indices) -> UOp:
        value = const(0, u.dtype) if _is_empty(u) else _load(source, self._layout(u, Stored("global", tuple(range(len(own)))), own)[1], None)
        return self._bufferize(u, value, own)

    def _target_memory(self, target: UOp) -> UOp:
        """The buffer that an assign writes. It overwrites the target only where nothing else is to be found there afterwards: not an argument that the
        caller keeps, nor a result, nor the target of another assign."""
        source = self.arguments[target] if target.name == "arg" else self.buffers[target]
        free = target in self.in_place if target.name == "arg" else target not in self._roots
        if free and target not in self.overwritten:
            self.overwritten.add(target)
            return source
        own = tuple(self._new_index(size, "loop", target.loc) for size in shape_of(target))
        return self._copy(target, source, own)

    def _build_buffer(self, u: UOp) -> UOp:
        decision, own = self.stored[u], self.own[u]
        by_axis = {**decision.shared, **dict(zip(decision.axes, own))}
        request = Request(tuple(by_axis[a] for a in range(len(u.type.shape))), None)  # type: ignore[union-attr]
        value = self.scalars[u.operands[0], request] if u.name in ("contiguous", "copy") else self._scalar(u, request)
        return self._bufferize(u, value, own)

    def _bufferize(self, u: UOp, value: UOp, own: Indices) -> UOp:
        decision = self.stored.get(u) or Stored("global", tuple(range(len(own))))
        self.next_buffer += 1
        type_, indices = self._layout(u, decision, own)
        return UOp.make("bufferize", (value, *indices), (self.next_buffer - 1, decision.space), type_, u.loc)

    def _layout(self, u: UOp, decision: Stored, indices: Indices) -> tuple[T.MemRefType, Indices]:
        """The buffer's type and an element's place in it. A symbolic shape lies densely in a one-dimensional buffer of the greatest size."""
        shape = shape_of(u)
        sizes = tuple(shape[a] for a in decision.axes)
        space = None if decision.space == "global" else "local"
        if all(isinstance(s, int) for s in sizes):
            return T.memref(sizes, u.dtype, space), indices
        return T.memref((prod(extent(s) for s in sizes),), u.dtype, space), _simplified((flatten(indices, sizes),))

    def _read_buffer(self, u: UOp) -> None:
        decision, buffer = self.stored[u], self.buffers[u]
        for request in self.sites[u].loops:
            indices = self._layout(u, decision, tuple(request.indices[a] for a in decision.axes))[1]
            self.scalars[u, request] = const(0, u.dtype) if _is_empty(u) else _load(buffer, indices, request.gate)

    def _build_overwriting(self, u: UOp) -> UOp:
        if u in self.scattered:
            return self._build_scattered(u, self.scattered[u])
        if u.name == "assign":
            return self._build_assign(u)
        memory = [self._target_memory(t) for t in ordered_stores.targets(u)]
        values = [self.scalars[operand, Request(indices, None)] for operand, indices in ordered_stores.requests(u, self.own[u])]
        return ordered_stores.build(u, self.own[u], memory, values)

    def _build_scattered(self, u: UOp, scatter: UOp) -> UOp:
        target, own = u.operands[0], self.own[u]
        memory = self._target_memory(target)
        values = [self.scalars[operand, Request(indices, None)] for operand, indices in ordered_stores.requests(scatter, own)]

        def place(indices: Indices) -> Indices:
            found = _through_chain(scatter.operands[0], target, indices)
            assert found is not None
            return found if len(found) == len(memory.type.shape) else _simplified((flatten(found, shape_of(target)),))  # type: ignore[union-attr]
        return ordered_stores.build(scatter, own, [memory], values, place)

    def _build_assign(self, u: UOp) -> UOp:
        """Stores the value through the view into the target's buffer: `after(target, end(store))`."""
        target, view, value = u.operands
        own = self.own[u]
        if view is target and (target.name == "arg" and target not in self.in_place or target in self._roots or target in self.overwritten):
            return self._bufferize(u, self.scalars[value, Request(own, None)], own)
        buffer = self._target_memory(target)
        if _is_empty(view):
            return buffer  # nothing is written: an `after` of nothing would be one version of memory under two names
        indices = own
        chain = view
        while chain is not target:
            indices = _simplified(source_indices(chain, indices)[0])
            chain = chain.operands[0]
        if len(buffer.type.shape) != len(indices):  # type: ignore[union-attr]
            indices = _simplified((flatten(indices, shape_of(target)),))
        store = UOp.make("store", (_index(buffer, indices), self.scalars[value, Request(own, None)]), (), T.token, u.loc)
        end = UOp.make("end", (store, *(r for r in own if r.name == "range")), (), T.token, u.loc)
        return UOp.make("after", (buffer, end), (), buffer.type, u.loc)

    def _scalar(self, u: UOp, request: Request) -> UOp:
        """The op's value at a request, in place. A value without elements is never computed: no load may be left that has nothing to read."""
        if _is_empty(u):
            return const(0, u.dtype, u.loc)
        if u.name == "const":
            return const(u.value, u.dtype, u.loc)
        if u.name in ALU:
            operands = tuple(self.scalars[o, request] for o in u.operands)
            return UOp.make(u.name, operands, u.attributes, u.dtype, u.loc)
        if u.name == "detach":
            return self.scalars[u.operands[0], request]
        if u.name == "pad":
            value = self.scalars[u.operands[0], self._through(u, request)]
            inside = source_indices(u, request.indices)[1]
            if inside is None:
                return value
            inside = _simplified((inside,))[0]
            return inside.where(value, const(u.attribute("value"), u.dtype))
        if u.name in MOVEMENT:
            return self.scalars[u.operands[0], self._through(u, request)]
        if u.name == "reduce_axis":
            value = self.scalars[u.operands[0], self._inside_reduction(u, request)]
            ranges = tuple(r for r in self.reduced[u, request] if r.name == "range")
            if _is_empty(u.operands[0]):
                return const(identity(u.attribute("op"), u.dtype), u.dtype, u.loc)
            return UOp.make("reduce", (value, *ranges), (u.attribute("op"),), u.dtype, u.loc) if ranges else value
        if u.name == "iota":
            return request.indices[0].cast(u.dtype)
        if u.name == "repeated":
            raise IRError("morok-range-assignment: a program with morok.repeat is cut into programs of their own first: morok-outline-repeats")
        raise TypeError(f"morok-range-assignment: no range form for morok.{u.name}")


def _scatter_behind(u: UOp) -> list[UOp] | None:
    """The movements of a scatter, last first, and it."""
    found = [u]
    while found[-1].name in ("reshape", "permute"):
        found.append(found[-1].operands[0])
    return found if found[-1].name == "scatter" else None


def _reads(u: UOp, target: UOp) -> bool:
    """Whether computing a value, down to memory, reads the target."""
    return any(o is target for o in toposort_to((u,), lambda v: v is target or v.name in STORED_OPS))


def _through_chain(u: UOp, source: UOp, indices: Indices) -> Indices | None:
    """Where the element at these indices of movements of a source lies in it; None for other ops, and where it may lie outside."""
    while u is not source:
        if u.name not in MOVEMENT:
            return None
        indices, inside = source_indices(u, indices)
        if inside is not None:
            return None
        u = u.operands[0]
    return _simplified(indices)


def _is_empty(u: UOp) -> bool:
    return 0 in u.type.shape  # type: ignore[union-attr]


def _index(buffer: UOp, indices: Indices) -> UOp:
    space = getattr(buffer.type, "space", None) or "global"
    return UOp.make("index", (buffer, *indices), (), T.ptr(buffer.dtype, space))


def _load(buffer: UOp, indices: Indices, gate: UOp | None) -> UOp:
    pointer = _index(buffer, indices)
    if gate is None or gate.is_const(True):
        return UOp.make("load", (pointer,), (), buffer.dtype)
    return UOp.make("load", (pointer, gate, const(0, buffer.dtype)), (), buffer.dtype)


def _simplified(indices: Indices) -> Indices:
    """The expressions simplified, where there is anything to simplify."""
    if all(i.name in ("range", "const") for i in indices):
        return indices
    return simplify(indices)

"""Range form and kernels: every op at all iterations of its ranges at once (see `iterations.py`).

Memory has versions. `after(buffer, effects)` is the buffer with the stores applied that the effects reach; a load from `buffer` itself
sees it without them. Scratch memory inside open loops gets the axes of these loops: each iteration has its own. An access outside a
buffer where no gate forbids it is an error, and so are two stores of different values to one element. `races.py` looks for loads and
stores whose order this hides.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..dialect import types as T
from ..dialect.ops import ALU
from ..errors import BoundsError, IRError
from ..graph.body import Body
from ..graph.buffers import root_buffer
from ..graph.uop import UOp
from . import alu
from .iterations import Iterations, Lanes
from .memory import Variables, unwritten, where
from .ordered import OrderedLoops


@dataclass(frozen=True)
class Buffer:
    """A version of memory: `root` is the op that it comes from, `stores` those applied to it, in order."""

    root: UOp
    stores: tuple[UOp, ...]
    content: Lanes


@dataclass(frozen=True)
class Pointer:
    """Places in a buffer: an array per buffer axis."""

    buffer: Buffer
    axes: tuple[UOp, ...]
    indices: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Access:
    """What a load or store touches: the places where its gate holds."""

    op: UOp
    buffer: Buffer
    axes: tuple[UOp, ...]
    indices: tuple[np.ndarray, ...]
    active: np.ndarray
    values: np.ndarray | None = None


@dataclass(frozen=True)
class Effect:
    """A token: the ranges that are still open round it, and the stores that it reaches."""

    axes: tuple[UOp, ...]


Value = Lanes | Buffer | Pointer | Effect


class RangeForm:
    """One evaluation of a body. `run()` computes everything; `content(argument)` is memory as it is at the end."""

    def __init__(self, body: Body, arguments: Sequence[np.ndarray], variables: Variables) -> None:
        self.body, self.variables = body, variables
        self.order = body.order()
        self.iterations = Iterations(self.order)
        self.values: dict[UOp, Value] = {}
        self.reach: dict[UOp, frozenset[UOp]] = {}
        """The loads and stores that an op reaches, itself included."""
        self.in_order: dict[UOp, tuple[Lanes, Lanes]] = {}
        """Of the stores in ordered loops: which elements they wrote, and what the loops left in memory."""
        self.accesses: dict[UOp, Access] = {}
        self.ordered = OrderedLoops(self.order)
        self._position = {u: i for i, u in enumerate(self.order)}
        for u, array in zip(body.arguments, arguments):
            lanes = Lanes((), array)
            self.values[u] = Buffer(u, (), lanes) if isinstance(u.type, T.MemRefType) else lanes
            self.reach[u] = frozenset()

    def run(self) -> list[np.ndarray]:
        """The results, if the body has any."""
        for u in self.order:
            if u not in self.values:
                reached = frozenset().union(*(self.reach[o] for o in u.operands))
                self.reach[u] = reached | {u} if u.name in ("load", "store") else reached
                if u not in self.ordered.inside:
                    self.values[u] = self._evaluate(u)
        return [self._result(r) for r in self.body.results]

    def _result(self, u: UOp) -> np.ndarray:
        value = self.values[u]
        lanes = value.content if isinstance(value, Buffer) else value
        assert isinstance(lanes, Lanes)
        if lanes.axes:
            raise IRError(f"{where(u)} is a result, but range {lanes.axes[0].attribute('id')} is not closed")
        return np.array(lanes.array)

    def content(self, argument: UOp) -> np.ndarray:
        """An argument's memory after everything that the sinks and results reach."""
        buffer = self.values[argument]
        assert isinstance(buffer, Buffer)
        return self._apply(buffer, set().union(*(self.reach[r] for r in self.body.roots)), ()).content.array

    # Ops

    def _evaluate(self, u: UOp) -> Value:
        if u.name in ALU:
            axes, arrays = self._aligned(u.operands)
            return Lanes(axes, alu.evaluate(u.name, u.dtype, arrays))
        method: Callable[[UOp], Value] | None = getattr(self, f"_{u.name}", None)
        if method is None:
            raise IRError(f"{where(u)} has no value in range form")
        return method(u)

    def _const(self, u: UOp) -> Lanes:
        return Lanes((), alu.full(_own_shape(u.type), u.dtype, u.value))

    def _define_var(self, u: UOp) -> Lanes:
        return Lanes((), np.asarray(self.variables[u.attribute("name")], np.int64))

    def _bind(self, u: UOp) -> Lanes:
        return self._lanes(u.operands[1])

    def _special(self, u: UOp) -> Lanes:
        return Lanes((), np.asarray(0, np.int64))  # one thread

    def _range(self, u: UOp) -> Lanes:
        return self.iterations.open(u, self._lanes(u.operands[0]))

    def _reduce(self, u: UOp) -> Lanes:
        value = self._lanes(u.operands[0])
        closed = self._ranges(u.operands[1:])
        axes = self.iterations.union(value.axes, closed)
        array = self.iterations.repeat(value, axes)
        combined = alu.reduce(u.attribute("op"), u.dtype, array, tuple(axes.index(r) for r in closed))
        return Lanes(tuple(r for r in axes if r not in closed), combined)

    def _carry(self, u: UOp) -> Lanes:
        value, initial = self._lanes(u.operands[0]), self._lanes(u.operands[1])
        closed = self._ranges(u.operands[2:])
        axes = self.iterations.union(value.axes, closed)
        array = self.iterations.repeat(value, axes)
        combined = alu.reduce(u.attribute("op"), u.dtype, array, tuple(axes.index(r) for r in closed))
        both = np.stack(np.broadcast_arrays(initial.array, combined))
        return Lanes(tuple(r for r in axes if r not in closed), alu.reduce(u.attribute("op"), u.dtype, both, (0,)))

    # Vectors: the lanes are the last axis

    def _unroll(self, u: UOp) -> Lanes:
        assert isinstance(u.type, T.VectorType)
        return Lanes((), np.arange(u.type.lanes).astype(u.dtype.np))

    def _contract(self, u: UOp) -> Lanes:
        source = self._lanes(u.operands[0])
        return Lanes(source.axes, alu.reduce(u.attribute("op"), u.dtype, source.array, (source.array.ndim - 1,)))

    def _vectorize(self, u: UOp) -> Lanes:
        assert isinstance(u.type, T.VectorType)
        axes, arrays = self._aligned(u.operands)
        lanes = np.stack(np.broadcast_arrays(*arrays), axis=-1)
        return Lanes(axes, np.broadcast_to(lanes, (*lanes.shape[:-1], u.type.lanes)))

    def _gep(self, u: UOp) -> Lanes:
        source = self._lanes(u.operands[0])
        return Lanes(source.axes, source.array[..., u.attribute("lane")])

    def _shuffle(self, u: UOp) -> Lanes:
        axes, arrays = self._aligned(u.operands)
        return Lanes(axes, np.concatenate(np.broadcast_arrays(*arrays), axis=-1)[..., list(u.attribute("lanes"))])

    def _cat(self, u: UOp) -> Lanes:
        parts = [self._lanes(o) for o in u.operands]
        axes = self.iterations.union(*(p.axes for p in parts))
        return Lanes(axes, np.concatenate([self.iterations.repeat(p, axes) for p in parts], axis=-1))

    # Memory

    def _new_buffer(self, u: UOp) -> Buffer:
        assert isinstance(u.type, T.MemRefType)
        return Buffer(u, (), Lanes((), unwritten(u.type.shape, u.dtype)))

    _buffer = _define_global = _define_local = _define_reg = _new_buffer

    def _index(self, u: UOp) -> Pointer:
        buffer = self.values[u.operands[0]]
        assert isinstance(buffer, Buffer)
        element = u.type.element if isinstance(u.type, T.PtrType) else None
        parts = [self._lanes(o) for o in u.operands[1:]]
        axes = self.iterations.union(buffer.content.axes, *(p.axes for p in parts))
        inner = 1 if isinstance(element, T.VectorType) else 0
        indices = [self.iterations.spread(p, axes, inner) for p in parts]
        if isinstance(element, T.VectorType) and not any(isinstance(o.type, T.VectorType) for o in u.operands[1:]):
            indices[-1] = indices[-1] + np.arange(element.lanes)  # consecutive elements
        sizes = buffer.content.array.shape[len(buffer.content.axes):]
        return Pointer(buffer, axes, tuple(indices if len(indices) == len(sizes) else _unflattened(indices[0], sizes)))

    def _prefetch(self, u: UOp) -> Lanes:
        return self._lanes(u.operands[0])

    def _load(self, u: UOp) -> Lanes:
        pointer = self.values[u.operands[0]]
        gate, other = (u.operands[1], u.operands[2]) if len(u.operands) > 1 else (None, None)
        access = self._access(u, pointer, gate, other)
        axes, content = access.axes, access.buffer.content
        outer = tuple(self._inside(self.iterations.counter(r, axes), access, axes) for r in content.axes)
        places = tuple(np.where(access.active, i, 0) for i in access.indices)
        if content.array.size == 0:
            loaded = np.zeros(access.active.shape, u.dtype.np)
        else:
            loaded = np.broadcast_to(content.array[outer + places], access.active.shape)
        return Lanes(axes, loaded if access.values is None else np.where(access.active, loaded, access.values))

    def _store(self, u: UOp) -> Effect:
        pointer = self.values[u.operands[0]]
        gate = u.operands[2] if len(u.operands) > 2 else None
        return Effect(self._access(u, pointer, gate, u.operands[1]).axes)

    @staticmethod
    def _inside(counter: np.ndarray, access: Access, axes: tuple[UOp, ...]) -> np.ndarray:
        return counter.reshape(counter.shape + (1,) * (access.active.ndim - len(axes)))

    def _access(self, u: UOp, pointer: Value, gate: UOp | None, value: UOp | None) -> Access:
        """The places that the op touches, which must lie in the buffer."""
        assert isinstance(pointer, Pointer)
        others = [self._lanes(o) for o in (gate, value) if o is not None]
        axes = self.iterations.union(pointer.axes, *(o.axes for o in others))
        element = u.operands[0].type.element  # type: ignore[union-attr]
        inner = 1 if isinstance(element, T.VectorType) else 0
        shape = self.iterations.extents(axes) + _own_shape(element)

        def spread(axes_of: tuple[UOp, ...], array: np.ndarray) -> np.ndarray:
            return np.broadcast_to(self.iterations.spread(Lanes(axes_of, array), axes, inner), shape)

        active = spread(others[0].axes, others[0].array) if gate is not None else np.ones(shape, np.bool_)
        indices = tuple(spread(pointer.axes, i) for i in pointer.indices)
        values = spread(others[-1].axes, others[-1].array) if value is not None else None
        access = Access(u, pointer.buffer, axes, indices, active, values)
        self._check_bounds(access)
        self.accesses[u] = access
        return access

    def _check_bounds(self, access: Access) -> None:
        buffer = access.buffer
        sizes = buffer.content.array.shape[len(buffer.content.axes):]
        for axis, (index, size) in enumerate(zip(access.indices, sizes)):
            outside = np.argwhere(access.active & ((index < 0) | (index >= size)))
            if len(outside):
                first = tuple(outside[0])
                place = ", ".join(str(i[first]) for i in access.indices)
                raise BoundsError(f"{where(access.op)} touches element ({place}) of a {buffer.root.type}; "
                                  f"index {index[first]} of axis {axis} is outside [0, {size})"
                                  f"{self.iterations.describe(access.axes, first)}, and no gate forbids it")

    def _bufferize(self, u: UOp) -> Buffer:
        value, indices = self._lanes(u.operands[0]), [self._lanes(o) for o in u.operands[1:]]
        closed = self.iterations.union(*(i.axes for i in indices))
        axes = self.iterations.union(value.axes, closed)
        opened = tuple(r for r in axes if r not in closed)
        if opened and u.attribute("space") == "global":
            raise IRError(f"{where(u)} of space global must close range {opened[0].attribute('id')}, on which its value depends")
        assert isinstance(u.type, T.MemRefType)
        shape = tuple(self._size_of(i) if s is None else s for s, i in zip(u.type.shape, indices))
        extents = self.iterations.extents(axes)
        buffer = Buffer(u, (), Lanes((), unwritten(shape, u.dtype)))
        access = Access(u, buffer, axes, tuple(np.broadcast_to(self.iterations.spread(i, axes), extents) for i in indices),
                        np.ones(extents, np.bool_), self.iterations.repeat(value, axes))
        self._check_bounds(access)
        return Buffer(u, (), self._written(buffer.content, access, opened))

    def _size_of(self, index: Lanes) -> int:
        return int(index.array.max()) + 1 if index.array.size else 0

    # Effects

    def _effects(self, u: UOp) -> Effect:
        return Effect(self.iterations.union(*(self._axes(o) for o in u.operands)))

    _barrier = _sink = _effects

    def _end(self, u: UOp) -> Effect:
        """An effect runs in the loops that its end closes, though it reach none of their ranges: not at all, if one has no iteration."""
        if u in self.ordered.loops:
            return self._in_order(u)
        closed = self._ranges(u.operands[1:])
        if 0 in self.iterations.extents(closed):
            for store in _stores_of(u):
                access = self.accesses[store]
                self.accesses[store] = replace(access, active=np.zeros_like(access.active))
        return Effect(tuple(r for r in self._axes(u.operands[0]) if r not in closed))

    def _in_order(self, end: UOp) -> Effect:
        """Runs the ordered loop that this closes, iteration by iteration, with all that else it closes."""
        loop = self.ordered.loops[end]
        if loop.ends[-1] is not end:
            return Effect(())
        versions = {s: self.values[s.operands[0].operands[0]] for s in loop.stores}
        memory = {b.root: b for b in versions.values() if isinstance(b, Buffer)}
        written = {s: Lanes(b.content.axes, np.zeros(b.content.array.shape, np.bool_)) for s, b in versions.items() if isinstance(b, Buffer)}
        closed = {e.operands[0]: self._ranges(e.operands[1:]) for e in loop.ends}
        for number in range(self.iterations.extents((loop.range,))[0]):
            self.values[loop.range] = Lanes((), np.asarray(number, np.int64))
            for u in loop.body:
                if u.name == "current":
                    self.values[u] = memory[root_buffer(u)]
                else:
                    self.values[u] = self._evaluate(u)
            for s in loop.stores:
                root = root_buffer(s.operands[0])
                access = self.accesses[s]
                opened = tuple(r for r in access.axes if r not in closed[s])
                content = self._written(memory[root].content, access, opened)
                written[s] = self._written(written[s], replace(access, values=np.ones(access.active.shape, np.bool_)), opened)
                memory[root] = replace(memory[root], content=content)
        for s in loop.stores:
            self.in_order[s] = written[s], memory[root_buffer(s.operands[0])].content
        return Effect(())

    def _after(self, u: UOp) -> Buffer:
        buffer = self.values[u.operands[0]]
        assert isinstance(buffer, Buffer)
        axes = self.iterations.union(buffer.content.axes, *(self._axes(o) for o in u.operands[1:]))
        return self._apply(buffer, self.reach[u], axes)

    def _apply(self, buffer: Buffer, reached: frozenset[UOp] | set[UOp], axes: tuple[UOp, ...]) -> Buffer:
        """The buffer after the stores among `reached` that it does not have yet."""
        stores = [s for s in reached if s.name == "store" and self.accesses[s].buffer.root is buffer.root and s not in buffer.stores]
        stores.sort(key=self._position.__getitem__)
        content = buffer.content
        for s in stores:
            if s in self.in_order:
                content = self._replaced(content, *self.in_order[s])
            else:
                content = self._written(content, self.accesses[s], axes)
        return Buffer(buffer.root, (*buffer.stores, *stores), content)

    def _replaced(self, content: Lanes, written: Lanes, left: Lanes) -> Lanes:
        """The content with what an ordered loop left where it wrote."""
        axes = self.iterations.union(content.axes, written.axes, left.axes)
        return Lanes(axes, np.where(*(self.iterations.repeat(lanes, axes) for lanes in (written, left, content))))

    def _written(self, content: Lanes, access: Access, axes: tuple[UOp, ...]) -> Lanes:
        """The content with the access's values in their places, at each iteration of `axes`; its other ranges are closed."""
        own = content.array.shape[len(content.axes):]
        axes = self.iterations.union(axes, content.axes)
        new = np.array(np.broadcast_to(self.iterations.spread(content, axes), self.iterations.extents(axes) + own), order="C")
        everywhere = self.iterations.union(axes, access.axes)
        vector = access.active.shape[len(access.axes):]
        shape = self.iterations.extents(everywhere) + vector

        def spread(array: np.ndarray, axes_of: tuple[UOp, ...]) -> np.ndarray:
            return np.broadcast_to(self.iterations.spread(Lanes(axes_of, array), everywhere, len(vector)), shape)

        active = spread(access.active, access.axes)
        counters = [spread(np.arange(n), (r,)) for r, n in zip(axes, self.iterations.extents(axes))]
        places = tuple(p[active] for p in (*counters, *(spread(i, access.axes) for i in access.indices)))
        assert access.values is not None
        values = spread(access.values, access.axes)[active]
        if new.ndim == 0:
            if values.size:
                self._check_agreement(access, np.zeros(values.size, np.int64), values)
                new[()] = values[-1]
        elif values.size:
            flat = np.ravel_multi_index(places, new.shape)
            self._check_agreement(access, flat, values)
            new.reshape(-1)[flat] = values
        return Lanes(axes, new)

    def _check_agreement(self, access: Access, places: np.ndarray, values: np.ndarray) -> None:
        """Two iterations may store to one element only if they store the same."""
        order = np.argsort(places, kind="stable")
        places, values = places[order], np.ascontiguousarray(values[order])
        same_place = places[1:] == places[:-1]
        bits = values.view(f"V{values.itemsize}") if values.dtype.kind == "V" else values
        differ = same_place & (bits[1:] != bits[:-1]) & ~((values[1:] != values[1:]) & (values[:-1] != values[:-1]))
        if differ.any():
            at = int(np.argmax(differ))
            raise IRError(f"{where(access.op)} writes one element twice with different values, {values[at]} and {values[at + 1]}")

    # Operands

    def _lanes(self, u: UOp) -> Lanes:
        value = self.values[u]
        if not isinstance(value, Lanes):
            raise IRError(f"{where(u)} is not a number")
        return value

    def _axes(self, u: UOp) -> tuple[UOp, ...]:
        value = self.values[u]
        return value.content.axes if isinstance(value, Buffer) else value.axes

    def _ranges(self, operands: Sequence[UOp]) -> tuple[UOp, ...]:
        """The ranges that the operands stand for: themselves, or those in an expression that took a range's place."""
        return self.iterations.union(*(self._lanes(o).axes for o in operands))

    def _aligned(self, operands: Sequence[UOp]) -> tuple[tuple[UOp, ...], list[np.ndarray]]:
        lanes = [self._lanes(o) for o in operands]
        axes = self.iterations.union(*(v.axes for v in lanes))
        return axes, [self.iterations.spread(v, axes) for v in lanes]


def _stores_of(effect: UOp) -> list[UOp]:
    """The stores that an effect is made of."""
    found, pending = [], [effect]
    while pending:
        u = pending.pop()
        if u.name == "store":
            found.append(u)
        elif u.name == "end":
            pending.append(u.operands[0])
        elif u.name in ("barrier", "sink"):
            pending += u.operands
    return found


def _own_shape(t: T.Type) -> tuple[int, ...]:
    return (t.lanes,) if isinstance(t, T.VectorType) else ()


def _unflattened(place: np.ndarray, sizes: tuple[int, ...]) -> list[np.ndarray]:
    """The indices of a row-major place; the first is out of bounds where the place is."""
    indices: list[np.ndarray] = []
    for size in reversed(sizes[1:]):
        indices.insert(0, place % size if size else place)
        place = place // size if size else place
    return [place, *indices]

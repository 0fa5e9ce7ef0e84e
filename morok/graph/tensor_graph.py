"""The lazy graph: UOps whose every handle owns an MLIR operation in one block of the process's context.

    a = new_buffer(T.tensor((2, 3), T.float32), "CPU", storage)
    x = a + a                    # an morok.add in GRAPH.module; the same handle when built again
    substitute(x, storage)       # after realize: x becomes a buffer in place, for all who use it

A handle holds its operands. When the last reference to it goes, its operation is erased, users first. Finalisers run at any place of any
thread, so they only append to a queue; the next change of the graph (or `GRAPH.drain()`) empties it. Changes and walks of the graph hold
`GRAPH.lock`.
"""
from __future__ import annotations

import threading
import weakref
from collections import deque
from math import prod
from operator import attrgetter
from sys import getrefcount
from typing import Any

from mlir import ir

from ..dialect import types as T
from ..dialect.attributes import attribute_to_mlir
from ..dialect.context import shared_context
from ..dialect.opdef import DYNAMIC, TABLE, Instance, verify_instance
from ..dialect.ops import MOVEMENT
from ..errors import IRError
from ..fork_safety import awaited_by_fork
from . import derivation
from . import shape as symbolic
from .registries import BUFFERS, KERNELS, TENSORS
from .source_location import user_location
from .uop import NUMBERED, Location, UOp, exact_attributes, infer_type, number_of, toposort, type_of


class _Handle(weakref.ref):
    """What stays of a handle after its death until its operation is erased. The key holds the operands."""

    __slots__ = ("key", "operation", "result")
    key: tuple
    operation: ir.Operation
    result: ir.Value


_dead: deque[_Handle] = deque()


class _Probe:
    result = object()


_ALONE = getrefcount(_Probe.result)
"""What getrefcount says of a result that only its holder has; interpreters differ in what they count for the call."""


class _Signature:
    """What ops of one name, attributes and operand types have in common: verified once, translated to MLIR once."""

    __slots__ = ("name", "attributes", "exact", "type", "key_type", "content", "mlir_name", "mlir_results", "mlir_attributes")

    def __init__(self, name: str, attributes: tuple, type: T.Type) -> None:
        d, dialect = TABLE[name], shared_context()
        result = dialect.types.to_mlir(type)
        self.name, self.attributes, self.type = name, attributes, type
        self.exact = attributes if name not in NUMBERED else exact_attributes(attributes)
        self.key_type = type if d.infer is None else None
        self.content = (name, self.exact, type)
        self.mlir_name, self.mlir_results = f"morok.{name}", [result]
        self.mlir_attributes = {a.name: attribute_to_mlir(a.kind, v, result, dialect.context)
                                for a, v in zip(d.attributes, attributes) if v is not None} or None

    def key(self, operands: tuple) -> tuple:
        return self.name, operands, self.exact, self.key_type


_result_of = attrgetter("result")


class TensorUOp(UOp):
    """An op of the lazy graph. `result` is its MLIR value, `content` what it is but for its operands, `storage` a buffer's memory."""

    __slots__ = ("content", "result", "storage", "_handle")

    operands: tuple[TensorUOp, ...]  # type: ignore[assignment]
    content: tuple[str, tuple, T.Type]
    result: ir.Value
    storage: Any
    _handle: _Handle

    @classmethod
    def make(cls, name: str, operands: tuple = (), attributes: tuple = (), type: T.Type | None = None,  # type: ignore[override]
             loc: Location | None = None) -> TensorUOp:
        """The op of this content; IRError for one that does not verify."""
        if name == "assign":
            operands = GRAPH.with_place(operands)
        exact = attributes if name not in NUMBERED else exact_attributes(attributes)
        key = (name, operands, exact, type)
        ref = GRAPH.interned.get(key)
        if ref is not None:
            found = ref()
            if found is not None:
                return found
        signature = GRAPH.signatures.get((name, exact, type, *map(type_of, operands)))
        if signature is None:
            signature = GRAPH.new_signature(name, operands, attributes, exact, type)
        if signature.key_type is not type or signature.exact is not exact:
            key = (name, operands, signature.exact, signature.key_type)
        return GRAPH.create(signature, operands, key, loc or user_location())

    @staticmethod
    def copy_of(u: TensorUOp) -> TensorUOp:
        """Another handle of the same content, which `u` itself is about to lose; built anew, the content is this handle."""
        name, exact, type = u.content
        given = type if TABLE[name].infer is None else None
        signature = GRAPH.signatures.get((name, exact, given, *map(type_of, u.operands))) or GRAPH.new_signature(
            name, u.operands, u.attributes, exact, given)
        with GRAPH.lock:
            GRAPH.interned.pop(u._handle.key, None)
            return GRAPH.create(signature, u.operands, u._handle.key, u.loc)

    @staticmethod
    def stand_alone(u: TensorUOp) -> TensorUOp:
        """The value as an op that nothing else is equal to: `reshape` to the shape that it has."""
        shape = symbolic.shape_of(u)
        operands, attributes = (u, *symbolic_sizes(shape)), (stated(shape),)
        signature = GRAPH.signatures.get(("reshape", attributes, None, *map(type_of, operands))) or GRAPH.new_signature(
            "reshape", operands, attributes, attributes, None)
        return GRAPH.create(signature, operands, (*signature.key(operands), object()), u.loc)

    def _other(self, value: Any) -> UOp:
        if isinstance(value, UOp):
            return value
        if isinstance(self.type, T.TensorType):
            return full(symbolic.shape_of(self), value, self.type.dtype)
        return self.constant(value, self.type)

    @property
    def operation(self) -> ir.Operation:
        return self._handle.operation


class TensorGraph:
    """The block of operations and the table of handles. One per process: `GRAPH`."""

    SIGNATURE_LIMIT = 1 << 13

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.interned: dict[tuple, _Handle] = {}
        self.signatures: dict[tuple, _Signature] = {}
        self._uniques: list[_Signature] = []
        self._free_numbers: list[int] = []
        self._devices: dict[str, TensorUOp] = {}
        self._locations: dict[Location | None, ir.Location] = {}
        self._module: ir.Module | None = None
        self._end: ir.InsertionPoint | None = None

    @property
    def module(self) -> ir.Module:
        """The module that holds the graph, to look at: `print(GRAPH.module)`."""
        if self._module is None:
            with self.lock:
                if self._module is None:
                    module = ir.Module.create(shared_context().unknown)
                    self._end = ir.InsertionPoint(module.body)
                    self._module = module
        return self._module

    # Making ops

    def new_signature(self, name: str, operands: tuple, attributes: tuple, exact: tuple, type: T.Type | None) -> _Signature:
        """Infers the type, verifies and translates; remembers the outcome for all ops alike."""
        d = TABLE.get(name)
        if d is None or d.result is None or "tensor" not in d.forms:
            raise IRError(f"{_place()}morok.{name} is no op of the tensor form")
        for operand in operands:
            if not isinstance(operand, TensorUOp):
                raise TypeError(f"morok.{name} of the lazy graph takes TensorUOps, not {operand!r}")
        types = tuple(o.type for o in operands)
        try:
            inferred = infer_type(name, operands, attributes) if type is None else type
            if name == "pad":
                attributes = (*attributes[:2], number_of(attributes[2], T.element_dtype(inferred)))
            wrong = verify_instance(Instance(d, types, dict(zip(d.index_of, attributes)), inferred))
        except (TypeError, ValueError, IndexError) as error:
            wrong = str(error)
        if wrong is not None:
            raise IRError(f"{_place()}morok.{name}: {wrong}")
        signature = _Signature(name, attributes, inferred)
        if len(self.signatures) >= self.SIGNATURE_LIMIT:
            self.signatures.clear()
        self.signatures[name, exact, type, *types] = signature
        return signature

    def create(self, signature: _Signature, operands: tuple, key: tuple, loc: Location | None) -> TensorUOp:
        """The handle of this key, which the table lacked a moment ago."""
        with self.lock:
            if _dead:
                self.drain()
            ref = self.interned.get(key)
            found = ref() if ref is not None else None
            return self._new(signature, operands, key, loc, self._end) if found is None else found

    def with_place(self, operands: tuple) -> tuple:
        """An assign's operands with the movement ops from its target to its view as ops of its own. A value of the same content may become a
        buffer (`become`); where the assign writes does not follow it. The view may be one of `contiguous(target)`: movement ops that simplify
        what they are given do not reach behind that."""
        if len(operands) < 2:
            return operands
        target, u = operands[:2]
        steps = []
        while u is not target and u.name in MOVEMENT:
            steps.append(u)
            u = u.operands[0]
        if u is not target and not (u.name == "contiguous" and u.operands[0] is target):
            return operands
        place = target
        for step in reversed(steps):
            moved = (place, *step.operands[1:])
            name, exact, _ = step.content
            signature = self.signatures.get((name, exact, None, *map(type_of, moved))) or self.new_signature(name, moved, step.attributes, exact, None)
            place = self.create(signature, moved, (*signature.key(moved), "place"), step.loc)
        return target, place, *operands[2:]

    def _new(self, signature: _Signature, operands: tuple, key: tuple, loc: Location | None, at: ir.InsertionPoint | None) -> TensorUOp:
        u = object.__new__(TensorUOp)
        u.loc, u.facts, u.storage = loc, None, None
        u._handle = _Handle(u, _dead.append)
        self._fill(u, signature, operands, key, at)
        return u

    def _fill(self, u: TensorUOp, signature: _Signature, operands: tuple, key: tuple, at: ir.InsertionPoint | None) -> None:
        """Gives a handle its content and an operation at the insertion point."""
        location = self._locations.get(u.loc)
        if location is None:
            location = self._new_location(u.loc)
        if at is None:
            at = ir.InsertionPoint(self.module.body)
        values = list(map(_result_of, operands))
        operation = ir.Operation.create(signature.mlir_name, signature.mlir_results, values, signature.mlir_attributes, None, 0, location,
                                        at)
        handle = u._handle
        u.name, u.operands, u.attributes, u.type = signature.name, operands, signature.attributes, signature.type
        u.content = signature.content
        handle.key, handle.operation = key, operation
        u.result = handle.result = operation.result
        self.interned[key] = handle

    def _new_location(self, loc: Location | None) -> ir.Location:
        dialect = shared_context()
        found = dialect.unknown if loc is None else ir.Location.file(loc[0], loc[1], 1, dialect.context)
        self._locations[loc] = found
        return found

    def device(self, name: str) -> TensorUOp:
        """The op that names a device; it stands at the head of the block, before all that may use it."""
        found = self._devices.get(name)
        if found is None:
            with self.lock:
                signature = self.new_signature("device", (), (name,), (name,), None)
                at = ir.InsertionPoint.at_block_begin(self.module.body)
                found = self._devices.setdefault(name, self._new(signature, (), signature.key(()), None, at))
        return found

    def _unique(self, loc: Location | None, at: ir.InsertionPoint | None) -> TensorUOp:
        """A number that no live buffer has. Numbers are used again, because MLIR keeps each attribute for good."""
        if not self._free_numbers:
            self._free_numbers.append(len(self._uniques))
            self._uniques.append(_Signature("unique", (len(self._uniques),), T.token))
        signature = self._uniques[self._free_numbers.pop()]
        return self._new(signature, (), signature.key(()), loc, at)

    def new_buffer(self, type: T.TensorType, device: str, loc: Location | None, at: ir.InsertionPoint | None = None) -> TensorUOp:
        with self.lock:
            if _dead:
                self.drain()
            operands = (self._unique(loc, at), self.device(device))
            signature = self.buffer_signature(type, operands)
            return self._new(signature, operands, signature.key(operands), loc, at if at is not None else self._end)

    def buffer_signature(self, type: T.TensorType, operands: tuple) -> _Signature:
        found = self.signatures.get(("buffer", (), type, T.token, T.token))
        if found is None:
            if None in type.shape:
                raise IRError(f"{_place()}a buffer has a static shape, not {type}")
            found = self.new_signature("buffer", operands, (), (), type)
        return found

    # Dropping ops

    def drain(self) -> None:
        """Erases the operations of dead handles. A key holds operands, so that a long chain dies link by link here, not by recursion."""
        with self.lock:
            progress = True
            while _dead and progress:
                progress, in_use = False, []
                while _dead:
                    handle = _dead.popleft()
                    if getrefcount(handle.result) > _ALONE:
                        # The garbage collector clears weak references before it runs `__del__` methods; one of them uses the op still.
                        in_use.append(handle)
                        continue
                    if self.interned.get(handle.key) is handle:
                        del self.interned[handle.key]
                    handle.operation.erase()
                    if handle.key[0] == "unique":
                        self._free_numbers.append(handle.key[2][0])
                    progress = True
                    del handle  # and with it the key: the operands may die now, and join the queue
                _dead.extend(in_use)

    # Replacing ops

    def become(self, u: TensorUOp, signature: _Signature, operands: tuple) -> None:
        """Makes the handle another op of the same type over operands that stand before it in the block (see `hoist`).

        Those who use it, in Python and in MLIR, read the new value from now on.
        """
        old, old_key, old_result = u.operation, u._handle.key, u.result
        u.facts = {"shape": u.facts["shape"]} if u.facts and "shape" in u.facts else None  # what else is known was about the old op
        self._fill(u, signature, operands, signature.key(operands), ir.InsertionPoint(old))
        if self.interned.get(old_key) is u._handle:
            del self.interned[old_key]
        old_result.replace_all_uses_with(u.result)
        old.erase()

    def hoist(self, operands: tuple, before: ir.Operation) -> None:
        """Moves what the operands need to a place before the operation, keeping definitions before uses."""
        for node in toposort(operands):
            operation = node.operation  # type: ignore[attr-defined]
            if not operation.is_before_in_block(before):
                operation.move_before(before)


GRAPH = TensorGraph()
awaited_by_fork(GRAPH, "lock", threading.RLock, 1)


def _place() -> str:
    loc = user_location()
    return f"{loc[0]}:{loc[1]}: " if loc is not None else ""


# Sources

def new_buffer(type: T.TensorType, device: str = "CPU", storage: Any = None, loc: Location | None = None) -> TensorUOp:
    """A buffer unlike any other, with its memory."""
    u = GRAPH.new_buffer(type, device, loc or user_location())
    if storage is not None:
        BUFFERS.attach(u, storage)
    return u


def new_carried(type: T.TensorType) -> TensorUOp:
    """A carried value unlike any other."""
    with GRAPH.lock:
        loc = user_location()
        return TensorUOp.make("carried", (GRAPH._unique(loc, GRAPH._end),), (), type, loc)


def tensor_const(value: Any, dtype: T.DType) -> TensorUOp:
    """A constant tensor without axes."""
    return TensorUOp.constant(value, T.tensor((), dtype))  # type: ignore[return-value]


def index_value(value: int) -> TensorUOp:
    """A constant size or index."""
    return TensorUOp.constant(value, T.index)  # type: ignore[return-value]


def full(shape: symbolic.Shape, value: Any, dtype: T.DType) -> TensorUOp:
    """A tensor of any shape, every element the value."""
    u = tensor_const(value, dtype)
    if not shape:
        return u
    ones = TensorUOp.make("reshape", (u,), ((1,) * len(shape),))
    return TensorUOp.make("expand", (ones, *symbolic_sizes(shape)), (stated(shape),))


def stated(shape: symbolic.Shape) -> tuple[int, ...]:
    """A shape as a size attribute: DYNAMIC where symbolic."""
    return tuple(DYNAMIC if isinstance(s, UOp) else s for s in shape)


def symbolic_sizes(shape: symbolic.Shape) -> tuple[UOp, ...]:
    """The symbolic sizes of a shape, as the operands that follow a size attribute."""
    return tuple(s for s in shape if isinstance(s, UOp))


# Substitution

def substitute(u: TensorUOp, storage: Any, device: str = "CPU") -> TensorUOp:
    """After realize: the value `u` becomes a buffer with this memory, in place, for every tensor and op that uses it. Gives the buffer.

    A value of symbolic shape becomes a view of a one-dimensional buffer of the greatest size: reshape(shrink(buffer)). What is a buffer
    already (another thread was faster) stays as it is.
    """
    if not isinstance(u.type, T.TensorType):
        raise ValueError(f"only a tensor can become a buffer, not morok.{u.name} of type {u.type}")
    with GRAPH.lock:
        if u.name == "buffer":
            return u
        origin = TensorUOp.copy_of(u) if derivation.origin_to_keep(u) else None
        if None in u.type.shape:
            base = _become_view(u, storage, device)
        else:
            at = ir.InsertionPoint(u.operation)
            operands = (GRAPH._unique(u.loc, at), GRAPH.device(device))
            base, u.storage = u, storage
            GRAPH.become(u, GRAPH.buffer_signature(u.type, operands), operands)
            BUFFERS.add(u)
        if origin is not None:
            derivation.ORIGINS[u] = origin
        GRAPH.drain()  # what only the old op needed goes now, memory as well
    return base


def _become_view(u: TensorUOp, storage: Any, device: str) -> TensorUOp:
    shape = symbolic.shape_of(u)
    count = symbolic.numel(shape)
    greatest = prod(symbolic.max_shape(u))
    base = GRAPH.new_buffer(T.tensor((greatest,), u.dtype), device, u.loc)
    BUFFERS.attach(base, storage)
    flat = TensorUOp.make("shrink", (base, *symbolic_sizes((count,))), ((0,), stated((count,))), None, u.loc)
    operands, attributes = (flat, *symbolic_sizes(shape)), (stated(shape),)
    GRAPH.hoist(operands, u.operation)
    GRAPH.become(u, GRAPH.new_signature("reshape", operands, attributes, attributes, u.type), operands)
    return base


def graph_statistics() -> dict[str, int]:
    """How much of everything is alive."""
    with GRAPH.lock:
        GRAPH.drain()
        return {"operations": len(GRAPH.module.body.operations), "handles": len(GRAPH.interned),
                "signatures": len(GRAPH.signatures), "tensors": len(TENSORS), "buffers": len(BUFFERS), "kernels": len(KERNELS)}


def device_of(u: TensorUOp) -> str:
    """The device of a value: that of any buffer, or of the last copy, that it is made of; "CPU" of constants."""
    stack, seen = [u], set()
    while stack:
        node = stack.pop()
        if node.name == "copy":
            return node.attributes[0]
        if node.name == "buffer":
            return node.operands[1].attributes[0]
        if node not in seen:
            seen.add(node)
            stack += reversed(node.operands)
    return "CPU"

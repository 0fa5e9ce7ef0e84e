"""Writes one kernel as a func.func in upstream dialects: what morok-linearize does, op by op. See `linearize.py` for the form of the
result."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mlir import ir

from ...dialect import types as T
from ...dialect.context import DialectContext
from ...dialect.ops import ALU
from ...errors import InternalError, IRError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp
from ..symbolic.linear import linear
from .conversions import Conversions
from .emission import Value
from .loop_tree import HOISTED, Loop, LoopTree, describe, place
from .parameters import parameters_of
from .rare_branches import RareWork

ALIGNMENT = 64
MAX_SCRATCH = 2 << 20
"""Bytes of scratch that a kernel may keep on its stack."""


class KernelWriter(Conversions):
    """Writes one kernel as a func.func."""

    def __init__(self, body: Body, dialect: DialectContext, fuse: bool) -> None:
        super().__init__(dialect)
        self.body = body
        self.tree = LoopTree(body)
        self.parameters = parameters_of(body, self.tree.order)
        self.accumulators: dict[UOp, Value] = {}
        self.fused = self._products_to_fuse() if fuse else {}
        self.has_streamed = False
        """Whether a store went past the caches."""
        self._locations: dict[Any, ir.Location] = {None: dialect.unknown}

    def write(self, ip: ir.InsertionPoint) -> None:
        context, unknown = self.dialect.context, self.dialect.unknown
        i32 = self.names.type(T.int32)
        inputs = [self.names.type(p.type) if p.type is not None else i32 for p in self.parameters]
        with context:
            # what is only read may be memory of others (arrays, mapped files), of which no more is known than that an element's place suits it
            read = ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()})
            written = ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get(), "llvm.align": ir.IntegerAttr.get(self.names.i64, ALIGNMENT)})
            plain = ir.DictAttr.get({})
            attributes = {"sym_name": ir.StringAttr.get(self.body.name), "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, [])),
                          "arg_attrs": ir.ArrayAttr.get([plain if p.type is None else written if p.is_written else read for p in self.parameters])}
        func = ir.Operation.create("func.func", attributes=attributes, regions=1, loc=unknown, ip=ip)
        block = func.regions[0].blocks.append(*inputs, arg_locs=[unknown] * len(inputs))
        self.ip = ir.InsertionPoint(block)
        self.entry = self.ip
        zero = self.constant(0, T.index)
        self.entry = ir.InsertionPoint(zero.owner)
        self._enter(block.arguments)
        self._items(self.tree.root)
        if self.has_streamed:  # such stores are not ordered with others: whoever is told that the kernel is done must find them
            ir.Operation.create("llvm.fence", attributes={"ordering": self.names.sequentially_consistent}, loc=unknown, ip=self.ip)
        ir.Operation.create("func.return", loc=unknown, ip=self.ip)

    # Entry

    def _enter(self, arguments: Sequence[Value]) -> None:
        """What stands before the loops: parameters as index values, scratch memory."""
        self.thread: dict[str, Value] = {}
        variables = {}
        for parameter, value in zip(self.parameters, arguments):
            if parameter.kind == "buffer":
                self.values[self.body.arguments[parameter.slot]] = value
                continue
            number = self.create("arith.index_cast", T.index, (value,))
            if parameter.kind == "variable":
                variables[parameter.name] = number
            else:
                self.thread[parameter.kind] = number
        for u in self.tree.order:
            if u.name == "const":
                self.values[u] = self.constant(u.value, u.type)
            elif u.name == "define_var":
                self.values[u] = variables[u.attribute("name")]
            elif u.name == "special":
                self.values[u] = self.thread["thread_id"]
            elif u.name in ("define_local", "define_reg"):
                self.values[u] = self._scratch(u)

    def _scratch(self, u: UOp) -> Value:
        assert isinstance(u.type, T.MemRefType)
        if u.type.nbytes > MAX_SCRATCH:
            raise InternalError(f"morok-linearize: {describe(u)} needs {u.type.nbytes} bytes of scratch memory; "
                                f"at most {MAX_SCRATCH} fit a thread's stack")
        segments = ir.DenseI32ArrayAttr.get([0, 0], self.dialect.context)
        alignment = ir.IntegerAttr.get(self.names.i64, ALIGNMENT)
        return self.create("memref.alloca", u.type, (), {"alignment": alignment, "operandSegmentSizes": segments})

    # Blocks

    def _items(self, block: Loop) -> None:
        for item in block.items:
            if isinstance(item, UOp):
                self._op(item)
            elif item.rare is not None:
                self._rare(item, item.rare)
            elif block is self.tree.root and self.thread and not is_divided(item) and self._is_only_effect(item):
                self._on_first_thread(item)
            else:
                self._loop(item)

    def _is_only_effect(self, loop: Loop) -> bool:
        """Whether a loop does nothing but write the caller's memory."""
        inside = [loop]
        for block in inside:
            inside += [item for item in block.items if isinstance(item, Loop)]
        stores = [u for block in inside for u in block.items if isinstance(u, UOp) and u.name == "store"]
        return bool(stores) and not loop.reductions and all(root_buffer(u.operands[0]).name == "arg" for u in stores)

    def _on_first_thread(self, loop: Loop) -> None:
        """What is not divided among the threads is done by one."""
        first = self.compare(0, self.thread["thread_id"], self.constant(0, T.index), T.index)
        op = ir.Operation.create("scf.if", operands=[first], regions=2, loc=self.dialect.unknown, ip=self.ip)
        outside, self.ip = self.ip, ir.InsertionPoint(op.regions[0].blocks.append())
        self._loop(loop)
        ir.Operation.create("scf.yield", loc=self.dialect.unknown, ip=self.ip)
        self.ip = outside

    def _rare(self, block: Loop, rare: RareWork) -> None:
        """A branch that is taken if any lane needs what it computes; otherwise its results are zeros that no lane takes."""
        condition, unknown = self.values[rare.condition], self.dialect.unknown
        if isinstance(rare.condition.type, T.VectorType):
            condition = self.create("vector.reduction", T.bool_, (condition,), {"kind": self.names.any_lane})
        types = [self.names.type(u.type) for u in rare.outputs]
        op = ir.Operation.create("scf.if", results=types, operands=[condition], regions=2, loc=unknown, ip=self.ip)
        outside, self.ip = self.ip, ir.InsertionPoint(op.regions[0].blocks.append())
        self._items(block)
        ir.Operation.create("scf.yield", operands=[self.values[u] for u in rare.outputs], loc=unknown, ip=self.ip)
        self.ip = ir.InsertionPoint(op.regions[1].blocks.append())
        zeros = [self.constant(0.0 if u.dtype.is_float else 0, u.type) for u in rare.outputs]
        ir.Operation.create("scf.yield", operands=zeros, loc=unknown, ip=self.ip)
        self.ip = outside
        for u, result in zip(rare.outputs, op.results):
            self.values[u] = result

    def _loop(self, loop: Loop) -> None:
        r, carried, unknown = loop.range, loop.reductions, self.dialect.unknown
        assert r is not None
        low, high = self._limits(r)
        initial = [self.accumulators[u] if self.tree.outermost[u] is not r else self.values[u.operands[1]] for u in carried]
        types = [self.names.type(u.type) for u in carried]
        op = self._make_loop(loop, low, high, initial, types)
        index = self.names.type(T.index)
        block = op.regions[0].blocks.append(index, *types, arg_locs=[unknown] * (1 + len(types)))
        outside, self.ip = self.ip, ir.InsertionPoint(block)
        self.values[r] = block.arguments[0]
        for u, argument in zip(carried, list(block.arguments)[1:]):
            self.accumulators[u] = argument
        self._items(loop)
        ends = [self._combine(u) if self.tree.innermost[u] is r else self.accumulators[u] for u in carried]
        ir.Operation.create(f"{op.name.partition('.')[0]}.yield", operands=ends, loc=unknown, ip=self.ip)
        self.ip = outside
        for u, result in zip(carried, op.results):
            self.accumulators[u] = self.values[u] = result

    def _make_loop(self, loop: Loop, low: Value, high: Value, initial: Sequence[Value], types: Sequence[ir.Type]) -> ir.Operation:
        operands = [low, high, self.constant(1, T.index), *initial]
        return ir.Operation.create("scf.for", results=types, operands=operands, regions=1, loc=self.dialect.unknown, ip=self.ip)

    def _limits(self, r: UOp) -> tuple[Value, Value]:
        extent = self.values[r.operands[0]]
        if r.attribute("kind") != "thread" or self.tree.parents[self.tree.loops[r]] is not self.tree.root:
            return self.constant(0, T.index), extent
        count, one = self.thread["thread_count"], self.constant(1, T.index)
        padded = self.create("arith.subi", T.index, (self.create("arith.addi", T.index, (extent, count)), one))
        share = self.create("arith.divui", T.index, (padded, count))
        low = self.create("arith.minsi", T.index, (self.create("arith.muli", T.index, (self.thread["thread_id"], share)), extent))
        return low, self.create("arith.minsi", T.index, (self.create("arith.addi", T.index, (low, share)), extent))

    def _combine(self, u: UOp) -> Value:
        """The accumulator after one more value."""
        accumulator, value, op = self.accumulators[u], u.operands[0], u.attribute("op")
        if value in self.fused:
            return self.create("math.fma", u.type, (*(self.values[o] for o in value.operands), accumulator))
        return self.binary(op, u.type, (self.values[value], accumulator) if op in ("max", "min") else (accumulator, self.values[value]))

    def _products_to_fuse(self) -> dict[UOp, UOp]:
        """Products whose only use is a float sum in the same loop."""
        sums = [u for u in self.tree.innermost if u.name == "carry" and u.attribute("op") == "add" and u.dtype in (T.float32, T.float64)
                and u.operands[0].name == "mul"]
        if not sums:
            return {}
        products = {u.operands[0] for u in sums}
        uses = Counter(o for u in self.tree.order for o in u.operands if o in products)
        return {u.operands[0]: u for u in sums if uses[u.operands[0]] == 1 and self.tree.blocks[u.operands[0]] is self.tree.inside[u]}

    # Ops

    def _op(self, u: UOp) -> None:
        if u in self.fused or u.name in HOISTED:
            return
        self.loc = self._location(u)
        if u.name in ALU:
            self.values[u] = self.alu(u, [self.values[o] for o in u.operands])
            return
        method = _WRITERS.get(u.name)
        if method is None:
            raise InternalError(f"morok-linearize: no upstream op for {describe(u)}")
        method(self, u)

    def _location(self, u: UOp) -> ir.Location:
        found = self._locations.get(u.loc)
        if found is None:
            assert u.loc is not None
            found = self._locations[u.loc] = ir.Location.file(u.loc[0], u.loc[1], 1, self.dialect.context)
        return found

    def _nothing(self, u: UOp) -> None:
        """index, end, sink: nothing of their own."""

    def _after(self, u: UOp) -> None:
        self.values[u] = self.values[u.operands[0]]

    def _barrier(self, u: UOp) -> None:
        if "thread_id" in self.thread:
            raise InternalError(f"morok-linearize: {describe(u)}: threads cannot wait for one another inside a kernel")

    def _place(self, pointer: UOp) -> list[Value]:
        """The buffer and the indices of an index op."""
        return [self.values[o] for o in pointer.operands]

    def _load(self, u: UOp) -> None:
        pointer = u.operands[0]
        element = pointer.type.element  # type: ignore[union-attr]
        if isinstance(element, T.VectorType):
            _contiguous(pointer)
            if len(u.operands) == 1:
                self.values[u] = self._read(pointer, _stored(u.type))
                return
            gate, other = self._lanes(u.operands[1], u.type), self.values[u.operands[2]]
            self.values[u] = self.create("vector.maskedload", _stored(u.type), (*self._place(pointer), gate, other))
            return
        if len(u.operands) == 1:
            self.values[u] = self._from_memory(u)
            return
        self.values[u] = self._branch(u, lambda: self._from_memory(u), self.values[u.operands[2]])

    def _prefetch(self, u: UOp) -> None:
        value, pointer = u.operands
        self.values[u] = self.values[value]
        locality = ir.IntegerAttr.get(self.names.type(T.int32), 4 - u.attribute("level"))
        yes, no = (ir.BoolAttr.get(b, self.dialect.context) for b in (True, False))
        self.create("memref.prefetch", None, self._place(pointer), {"isWrite": no, "localityHint": locality, "isDataCache": yes})

    def _from_memory(self, u: UOp) -> Value:
        x = self._read(u.operands[0], _stored(u.type))
        return self.cast(x, T.uint8, T.bool_) if u.dtype is T.bool_ else x

    def _read(self, pointer: UOp, t: T.Type) -> Value:
        """An access that no gate guards."""
        return self.create("vector.load" if isinstance(t, T.VectorType) else "memref.load", t, self._place(pointer))

    def _write(self, pointer: UOp, x: Value, is_vector: bool) -> None:
        self.create("vector.store" if is_vector else "memref.store", None, (x, *self._place(pointer)))

    def _streams(self, u: UOp, pointer: UOp) -> bool:
        """Writes a vector past the caches, if its place is known to be aligned: the hardware has no such store for others."""
        t = u.operands[1].type
        alignment = min(ALIGNMENT, t.lanes * T.element_dtype(t).itemsize)  # type: ignore[union-attr]
        elements = alignment // T.element_dtype(t).itemsize
        place = linear(pointer.operands[-1])
        if alignment & alignment - 1 or place.constant % elements or any(step % elements for _, step in place.terms):
            return False
        attributes = {"nontemporal": ir.BoolAttr.get(True, self.dialect.context), "alignment": ir.IntegerAttr.get(self.names.i64, alignment)}
        self.create("vector.store", None, (self.values[u.operands[1]], *self._place(pointer)), attributes)
        self.has_streamed = True
        return True

    def _branch(self, u: UOp, then: Any, other: Value) -> Value:
        types = [self.names.type(u.type)]
        op = ir.Operation.create("scf.if", results=types, operands=[self.values[u.operands[1]]], regions=2, loc=self.loc, ip=self.ip)
        outside = self.ip
        for region, value in zip(op.regions, (then, lambda: other)):
            self.ip = ir.InsertionPoint(region.blocks.append())
            ir.Operation.create("scf.yield", operands=[value()], loc=self.loc, ip=self.ip)
        self.ip = outside
        return op.results[0]

    def _lanes(self, gate: UOp, t: T.Type) -> Value:
        """A gate as a mask for type t."""
        if isinstance(gate.type, T.VectorType):
            return self.values[gate]
        return self.create("vector.broadcast", T.like(t, T.bool_), (self.values[gate],))

    def _store(self, u: UOp) -> None:
        pointer, value = u.operands[0], u.operands[1]
        x = self.values[value]
        is_vector = isinstance(value.type, T.VectorType)
        if is_vector:
            _contiguous(pointer)
        gate = u.operands[2] if len(u.operands) > 2 else None
        if gate is not None and isinstance(gate.type, T.VectorType):
            self.create("vector.maskedstore", None, (*self._place(pointer), self.values[gate], x))
            return
        if is_vector and gate is None and u.attributes == ("streaming",) and value.dtype is not T.bool_ and self._streams(u, pointer):
            return
        outside = self.ip
        if gate is not None:
            op = ir.Operation.create("scf.if", operands=[self.values[gate]], regions=2, loc=self.loc, ip=self.ip)
            self.ip = ir.InsertionPoint(op.regions[0].blocks.append())
        if value.dtype is T.bool_:
            x = self.cast(x, T.bool_, _stored(value.type))
        self._write(pointer, x, is_vector)
        if gate is not None:
            ir.Operation.create("scf.yield", loc=self.loc, ip=self.ip)
            self.ip = outside

    # Vectors

    def _unroll(self, u: UOp) -> None:
        assert isinstance(u.type, T.VectorType)
        with self.dialect.context:
            lanes = [ir.IntegerAttr.get(self.names.type(T.index), lane) for lane in range(u.type.lanes)]
            numbers = ir.DenseElementsAttr.get(lanes, self.names.type(u.type))
        self.values[u] = self.create("arith.constant", u.type, (), {"value": numbers})

    def _vectorize(self, u: UOp) -> None:
        assert isinstance(u.type, T.VectorType)
        source = u.operands[0].operands[0] if u.operands[0].name == "gep" else None
        if source is not None and len(u.operands) > 1 and all(o.name == "gep" and o.operands[0] is source for o in u.operands):
            self.values[u] = self._shuffle(self.values[source], [o.attribute("lane") for o in u.operands], u.dtype)
            return
        x = [self.values[o] for o in u.operands]
        self.values[u] = self.create("vector.broadcast" if len(x) == 1 else "vector.from_elements", u.type, x)

    def _shuffle(self, source: Value, lanes: Sequence[int], dtype: T.DType, second: Value | None = None) -> Value:
        """The given lanes of a vector, or of two as if they were one, as a vector."""
        mask = ir.DenseI64ArrayAttr.get(list(lanes), self.dialect.context)
        return self.create("vector.shuffle", T.vector(len(lanes), dtype), (source, source if second is None else second), {"mask": mask})

    def _shuffle_two(self, u: UOp) -> None:
        first, second = (self.values[o] for o in u.operands)
        self.values[u] = self._shuffle(first, u.attribute("lanes"), u.dtype, second)

    def _gep(self, u: UOp) -> None:
        self.values[u] = self._lane(self.values[u.operands[0]], u.attribute("lane"), u.dtype)

    def _cat(self, u: UOp) -> None:
        assert isinstance(u.type, T.VectorType)
        result, at = self.constant(0.0 if u.dtype.is_float else 0, u.type), 0
        for part in u.operands:
            offsets = ir.ArrayAttr.get([ir.IntegerAttr.get(self.names.i64, at)], self.dialect.context)
            strides = ir.ArrayAttr.get([ir.IntegerAttr.get(self.names.i64, 1)], self.dialect.context)
            attributes = {"offsets": offsets, "strides": strides}
            result = self.create("vector.insert_strided_slice", u.type, (self.values[part], result), attributes)
            at += part.type.lanes  # type: ignore[union-attr]
        self.values[u] = result

    def _contract(self, u: UOp) -> None:
        """Floats by halves, whatever the target; others as it likes."""
        dtype, op, source = u.dtype, u.attribute("op"), self.values[u.operands[0]]
        width = u.operands[0].type.lanes  # type: ignore[union-attr]
        if dtype.is_float:
            while width > 1 and width % 2 == 0:
                width //= 2
                low, high = (self._shuffle(source, range(at, at + width), dtype) for at in (0, width))
                source = self.binary(op, T.vector(width, dtype), (low, high))
            total = self._lane(source, 0, dtype)
            for k in range(1, width):
                total = self.binary(op, dtype, (total, self._lane(source, k, dtype)))
            self.values[u] = total
            return
        kind = BOOL_KINDS[op] if dtype is T.bool_ else op if op not in ("max", "min") else f"{op}{'u' if dtype.kind == 'u' else 's'}i"
        attributes = {"kind": ir.Attribute.parse(f"#vector.kind<{kind}>", self.dialect.context)}
        self.values[u] = self.create("vector.reduction", dtype, (source,), attributes)

    def _lane(self, source: Value, lane: int, dtype: T.DType) -> Value:
        return self.create("vector.extract", dtype, (source,), {"static_position": ir.DenseI64ArrayAttr.get([lane], self.dialect.context)})


BOOL_KINDS = {"add": "or", "max": "or", "or": "or", "mul": "and", "min": "and", "and": "and"}


def is_divided(loop: Loop) -> bool:
    """Whether each thread runs its part of the iterations."""
    return loop.range is not None and loop.range.attribute("kind") == "thread"


def _stored(t: T.Type) -> T.Type:
    """How a value of the type is held in memory."""
    return T.like(t, T.uint8) if T.element_dtype(t) is T.bool_ else t


def _contiguous(pointer: UOp) -> None:
    if any(isinstance(o.type, T.VectorType) for o in pointer.operands[1:]):
        raise IRError(f"{place(pointer)}morok-linearize: morok.{pointer.name} has a place for each lane; morok-devectorize comes first")


_WRITERS: dict[str, Any] = {
    "index": KernelWriter._nothing, "end": KernelWriter._nothing, "sink": KernelWriter._nothing, "after": KernelWriter._after, "current": KernelWriter._after,
    "barrier": KernelWriter._barrier, "load": KernelWriter._load, "store": KernelWriter._store, "prefetch": KernelWriter._prefetch,
    "unroll": KernelWriter._unroll, "vectorize": KernelWriter._vectorize, "gep": KernelWriter._gep, "shuffle": KernelWriter._shuffle_two,
    "cat": KernelWriter._cat,
    "contract": KernelWriter._contract,
}

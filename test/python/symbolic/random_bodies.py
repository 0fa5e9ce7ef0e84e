"""Random small range-form functions: loops with loads through div/mod indices and gates, reductions of several kinds, buffers read by
others."""

from __future__ import annotations

from math import prod
from random import Random

import numpy as np
from random_expressions import make_range, variable

from morok.dialect import types as T
from morok.dialect.context import shared_context
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument, const, index_const
from morok.interpret.alu import identity

SHAPES = ((4, 6), (24,), (2, 3, 4), (6, 4), (12,), (1, 6))
N = variable("n", 1, 4)


class Bodies:
    """Builds one function; the random choices are those of a seed."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.next_range = self.next_buffer = 0
        self.dtype = self.random.choice((T.int32, T.int32, T.float32))
        self.arguments = [
            argument(0, T.memref((24,), self.dtype)),
            argument(1, T.memref((4, 6), self.dtype)),
            argument(2, T.memref((6,), T.int32)),
        ]
        self.readable = self.arguments[:2]

    def range(self, extent: int | UOp, kind: str = "loop") -> UOp:
        self.next_range += 1
        return make_range(extent, self.next_range - 1, kind)

    def choose(self, *options):
        return self.random.choice(options)

    # Indices

    def place(self, loops: list[UOp]) -> UOp:
        """An index that is not negative, made of some loops."""
        place = index_const(0)
        for r in self.random.sample(loops, min(len(loops), self.random.randint(1, 3))):
            place = place * self.choose(1, 2, 3, 4, 6) + r
        return self.choose(place, place, place + self.random.randint(0, 5), place // self.choose(2, 3, 4), place % self.choose(2, 4, 6))

    def pointer(self, buffer: UOp, loops: list[UOp]) -> UOp:
        shape = buffer.type.shape
        if self.random.random() < 0.6:  # one flat place, as reshapes make it
            flat, indices, stride = self.place(loops), [], prod(shape)
            for size in shape:
                stride //= size
                indices.append(flat // stride % size)
        else:
            indices = [self.place(loops) % size for size in shape]
        return UOp.make("index", (buffer, *indices), (), T.ptr(buffer.dtype, "global"))

    def load(self, buffer: UOp, loops: list[UOp]) -> UOp:
        pointer = self.pointer(buffer, loops)
        if self.random.random() < 0.3:
            return UOp.make("load", (pointer, self.gate(loops), const(0, buffer.dtype)))
        return UOp.make("load", (pointer,))

    def gate(self, loops: list[UOp]) -> UOp:
        gate = self.choose(
            self.place(loops).lt(self.random.randint(0, 9)), UOp.make("cmplt", (index_const(self.random.randint(-1, 4)), self.place(loops)))
        )
        return gate & self.gate(loops) if self.random.random() < 0.3 else gate

    # Values

    def value(self, loops: list[UOp], depth: int = 2) -> UOp:
        kind = (
            self.choose("load", "load", "load", "add", "mul", "where", "counter", "constant") if depth else self.choose("load", "constant")
        )
        if kind == "load":
            return self.load(self.random.choice(self.readable), loops)
        if kind == "constant":
            return const(self.choose(0, 1, 2, -1), self.dtype)
        if kind == "counter":
            return self.place(loops).cast(self.dtype)
        if kind == "where":
            return self.gate(loops).where(self.value(loops, depth - 1), self.value(loops, depth - 1))
        return UOp.make(kind, (self.value(loops, depth - 1), self.value(loops, depth - 1)))

    def reduction(self, loops: list[UOp]) -> UOp:
        """A reduction of a value that may or may not need its loops."""
        ranges = [self.range(self.choose(1, 2, 4, 6, 12, N), "reduce") for _ in range(self.random.randint(1, 2))]
        op = (
            self.choose("add", "add", "add", "max", "min")
            if self.dtype.is_float
            else self.choose("add", "add", "add", "max", "min", "mul", "and", "or")
        )
        kind = self.choose("plain", "plain", "idle", "select", "select", "count", "count", "differ")
        nothing = const(identity(op, self.dtype), self.dtype)
        if kind == "idle":
            value = self.value(loops + ranges[1:])
        elif kind in ("select", "differ"):
            wanted = self.choose(UOp.make("load", (self.pointer(self.arguments[2], loops),)), self.place(loops).cast(T.int32))
            counter = (
                ranges[0]
                if len(ranges) == 1 or self.random.random() < 0.5 or ranges[1].operands[0].name != "const"
                else ranges[0] * ranges[1].operands[0].value + ranges[1]
            )
            condition = (counter * self.choose(1, 1, 1, 2, -1) + self.choose(0, 0, 1, -2)).cast(T.int32).eq(wanted)
            if self.random.random() < 0.3:
                condition = condition & self.gate(loops + ranges)
            value = (
                condition.where(self.value(loops + ranges), nothing) if kind == "select" else condition.where(nothing, const(2, self.dtype))
            )
        elif kind == "count":
            condition = self.choose(
                ranges[0].lt(self.place(loops) - self.choose(0, 2)),
                UOp.make("cmplt", (self.place(loops), ranges[0] * self.choose(1, 2) + 1)),
            )
            if self.random.random() < 0.4:
                condition = condition & UOp.make("cmplt", (index_const(1), ranges[0] + self.place(loops)))
            value = condition.where(const(3, self.dtype), self.choose(nothing, const(2, self.dtype)))
        else:
            value = self.value(loops + ranges)
        return UOp.make("reduce", (value, *ranges), (op,))

    # Buffers

    def buffer(self, value_of) -> UOp:
        shape = self.random.choice(SHAPES)
        if self.random.random() < 0.3:
            flat = self.range(prod(shape))
            loops, indices, stride = [flat], [], prod(shape)
            for size in shape:
                stride //= size
                indices.append(flat // stride % size)
        else:
            loops = indices = [self.range(size) for size in shape]
        value = value_of(loops)
        self.next_buffer += 1
        return UOp.make("bufferize", (value, *indices), (self.next_buffer - 1, "global"), T.memref(shape, self.dtype))

    def body(self) -> Body:
        results = []
        for _ in range(self.random.randint(1, 3)):

            def value_of(loops):
                value = self.choose(self.value, self.reduction, self.reduction)(loops)
                return UOp.make("add", (value, self.choose(self.value, self.reduction)(loops))) if self.random.random() < 0.3 else value

            made = self.buffer(value_of)
            self.readable.append(made)
            results.append(made)
        kept = [r for r in results[:-1] if self.random.random() < 0.3]
        return Body("main", self.arguments, (results[-1], *kept), (), {}, [{} for _ in self.arguments])


def program_of(body: Body) -> Program:
    program = Program(shared_context())
    program.bodies["main"] = body
    return program


def inputs_for(body: Body, seed: int) -> list[np.ndarray]:
    """Small whole numbers, so that sums of floats are exact in any order."""
    generator = np.random.default_rng(seed)
    return [generator.integers(-3, 8, a.type.shape).astype(a.dtype.np) for a in body.arguments]

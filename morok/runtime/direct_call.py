"""Running a compiled plan on memory given at each call, by one call into machine code: what a jitted function does.

    call = DirectCall.of(plan)                     None where stages are checked one by one
    results = call.run(leaves, values)             new memory for each result, or the leaf's that it is assigned to

Each frame is an array of all addresses and numbers that the plan's stages take, with the memory between them. A call takes a frame that waits, so
that calls of several threads do not meet, and puts in what is its own: the leaves' and results' addresses, the variables' values.
"""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

from ..dialect import types as T
from .buffer import Buffer, Layout
from .compiler import CompiledProgram
from .devices import device
from .host import HOSTS, Host
from .plan import BoundPlan, CompiledPlan, CompiledStage

ENTRY = 3
"""Words of a step in the table that a plan of several steps begins with: function, arguments, threads."""


class Frame:
    """An array of words, a pointer to it, and the memory whose addresses are in it."""

    __slots__ = ("array", "pointer", "_memory")

    def __init__(self, array: ctypes.Array, memory: list[Buffer]) -> None:
        self.array, self._memory = array, memory
        self.pointer = ctypes.byref(array)


class DirectCall:
    """A plan laid out as a frame: the table, if there are several steps, then the words of each step. A step is a stage's program or a copy."""

    __slots__ = ("host", "number", "leaf_places", "result_places", "repeats", "layouts", "plan", "stages", "_words", "_addresses", "_own", "_arena", "_varying",
                 "_outputs", "_waiting", "_functions", "_steps")

    @staticmethod
    def of(plan: CompiledPlan) -> DirectCall | None:
        stages = [stage for stage in plan.stages if isinstance(stage, CompiledStage)]
        if len(stages) < len(plan.stages):  # repeats
            return None
        if any(stage.program is not None and stage.program.config.check for stage in stages):
            return None
        if any(source < plan.leaf_count and to < plan.leaf_count for stage in stages for source, to in stage.copies):
            return None
        return DirectCall(plan, stages)

    def __init__(self, plan: CompiledPlan, stages: list[CompiledStage]) -> None:
        self.plan, self.stages = plan, stages
        self._steps = sum((stage.program is not None) + len(stage.copies) for stage in stages)
        self._words: list[int] = [0] * (0 if self._steps == 1 and stages[0].program is not None else ENTRY * self._steps)
        self._addresses: list[tuple[int, int]] = []
        """Words that hold the address of a place in the same array."""
        self._arena: list[tuple[int, int]] = []
        """Words that hold the address of an intermediate: its offset in the arena, which one stage after the other uses."""
        self._varying: list[tuple[CompiledProgram, int, int]] = []
        """Programs with variables: their number among the steps, and where the values belong."""
        self._functions: list[Host] = []
        self.host, self.number = self._entry(plan)
        places: dict[int, list[int]] = {}
        step = 0
        for stage in stages:
            if stage.program is not None:
                self._add_program(stage, stage.program, step, places)
                step += 1
            for source, to in stage.copies:
                self._add_copy(self._size(source, to), step)
                places.setdefault(to, []).append(len(self._words) - 3)
                places.setdefault(source, []).append(len(self._words) - 2)
                step += 1
        results = [slot for slot in dict.fromkeys(plan.outputs) if slot >= plan.leaf_count]
        self.leaf_places = tuple(places.get(slot, [-1])[0] for slot in range(plan.leaf_count))
        """Where in the array each leaf's address belongs; -1 for one that no step takes."""
        self.result_places = tuple(places[slot][0] for slot in results)
        self.layouts = tuple(self._layout(slot) for slot in results)
        self.repeats = tuple((other, first) for slot, (first, *others) in places.items() if slot < plan.leaf_count or slot in results for other in others)
        """Words that are the same as those before."""
        self._own = [(self._layout(slot), found) for slot, found in places.items() if slot >= plan.leaf_count and slot not in results]
        self._outputs = tuple((slot < plan.leaf_count, slot if slot < plan.leaf_count else results.index(slot)) for slot in plan.outputs)
        self._waiting: list[Frame] = []

    # Layout

    def _entry(self, plan: CompiledPlan) -> tuple[Host, int]:
        """What a call calls: a single stage's host function with its number of threads, or that which goes through the table."""
        program = self.stages[0].program if self._steps == 1 else None
        if program is None:
            return HOSTS.sequence()[0], self._steps
        threads = program.threads_for(tuple(high for _, high in program.schedule.variables.values()))
        return program.host(threads), threads

    def _add_program(self, stage: CompiledStage, program: CompiledProgram, step: int, places: dict[int, list[int]]) -> None:
        begin = len(self._words)
        first = begin + len(program.functions)
        self._words += [*program.functions, *[0] * (len(stage.slots) + len(program.variables)), *program.constants]
        for i, slot in enumerate(stage.slots):
            if slot >= 0:
                places.setdefault(slot, []).append(first + i)
            elif i in program.memory.offsets:
                self._arena.append((first + i, program.memory.offsets[i]))
        if program.variables:
            self._varying.append((program, step, first + len(stage.slots)))
        elif self._steps > 1:
            self._enter(step, program.host(program.threads_for(())), program.threads_for(()))
        if self._steps > 1:
            self._addresses.append((ENTRY * step + 1, begin))

    def _add_copy(self, nbytes: int, step: int) -> None:
        begin = len(self._words)
        self._words += [0, 0, nbytes]
        self._words[ENTRY * step] = HOSTS.sequence()[1]
        self._addresses.append((ENTRY * step + 1, begin))

    def _enter(self, step: int, function: Host, threads: int) -> None:
        self._functions.append(function)
        self._words[ENTRY * step], self._words[ENTRY * step + 2] = function.address, threads  # type: ignore[attr-defined]

    def _size(self, *slots: int) -> int:
        return next(self.plan.types[slot - self.plan.leaf_count].nbytes for slot in slots if slot >= self.plan.leaf_count)

    def _layout(self, slot: int) -> Layout:
        t = self.plan.types[slot - self.plan.leaf_count]
        return Layout(t.shape, t.dtype, device(self.plan.devices[slot]))

    # Calls

    def take_frame(self) -> Frame:
        """A frame that nobody else uses; `give_back` it after the call."""
        try:
            return self._waiting.pop()
        except IndexError:
            return self._new_frame()

    def give_back(self, frame: Frame) -> None:
        self._waiting.append(frame)

    def _new_frame(self) -> Frame:
        array = (ctypes.c_int64 * len(self._words))(*self._words)
        memory = []
        for layout, places in self._own:
            memory.append(Buffer.of_layout(layout))
            for place in places:
                array[place] = memory[-1].address
        nbytes = max((stage.program.memory.nbytes for stage in self.stages if stage.program is not None), default=0)
        if nbytes:
            memory.append(Buffer((nbytes,), T.uint8))
            for place, offset in self._arena:
                array[place] = memory[-1].address + offset
        for place, at in self._addresses:
            array[place] = ctypes.addressof(array) + 8 * at
        return Frame(array, memory)

    def run(self, leaves: Sequence[Buffer], values: Mapping[str, int]) -> list[Buffer]:
        """Runs on these leaves at these values of the variables; gives each output's memory: new, or the leaf's that is assigned in place."""
        if self.plan.variables:
            self.plan.check_values(values)
        frame = self.take_frame()
        array = frame.array
        for place, buffer in zip(self.leaf_places, leaves):
            if place >= 0:
                array[place] = buffer.address
        results = [Buffer.of_layout(layout) for layout in self.layouts]
        for place, buffer in zip(self.result_places, results):
            array[place] = buffer.address
        for to, source in self.repeats:
            array[to] = array[source]
        host, number = self._at(array, values) if self._varying else (self.host, self.number)
        host(frame.pointer, number)
        self._waiting.append(frame)
        return [leaves[n] if is_leaf else results[n] for is_leaf, n in self._outputs]

    def _at(self, array: Any, values: Mapping[str, int]) -> tuple[Host, int]:
        """Puts in the values of the variables; gives what to call."""
        for program, step, place in self._varying:
            given = tuple([values[name] for name in program.variables])
            array[place:place + len(given)] = given
            threads = program.threads_for(given)
            function = program.host(threads)
            if self._steps == 1:
                return function, threads
            array[ENTRY * step], array[ENTRY * step + 2] = function.address, threads  # type: ignore[attr-defined]
        return self.host, self.number


def run_plan(plan: CompiledPlan, leaves: Sequence[Buffer], values: Mapping[str, int]) -> list[Buffer]:
    """Runs any plan on these leaves, stage by stage; gives each output's memory: new, or the leaf's that is assigned in place."""
    plan.check_values(values)
    bound = BoundPlan(plan, leaves)
    bound.run(values)
    return [bound.output(i) for i in range(len(plan.outputs))]

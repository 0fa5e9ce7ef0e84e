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
from .plan import BoundPlan, CompiledPlan, CompiledRepeat, CompiledStage, single_stages

ENTRY = 3
"""Words of a step in the table that a plan of several steps begins with: function, arguments, threads."""


class Frame:
    """An array of words, a pointer to it, and the memory whose addresses are in it."""

    __slots__ = ("array", "pointer", "_memory")

    def __init__(self, array: ctypes.Array, memory: list[Buffer]) -> None:
        self.array, self._memory = array, memory
        self.pointer = ctypes.byref(array)


class DirectCall:
    """A plan laid out as a frame: the table, if there are several steps, then the words of each step. A step is a stage's program, a
    copy, or a repeat, which has tables of its own."""

    __slots__ = ("host", "number", "leaf_places", "result_places", "repeats", "layouts", "plan", "_single", "_words", "_addresses", "_own", "_arena",
                 "_varying", "_outputs", "_waiting", "_functions", "_steps")

    @staticmethod
    def of(plan: CompiledPlan) -> DirectCall | None:
        stages = list(single_stages(plan.stages))
        if any(stage.program is not None and stage.program.config.check for stage in stages):
            return None
        if any(source < plan.leaf_count and to < plan.leaf_count for stage in stages for source, to in stage.copies):
            return None
        return DirectCall(plan)

    def __init__(self, plan: CompiledPlan) -> None:
        self.plan = plan
        self._single = _only_program(plan)
        self._steps = _entries(plan.stages)
        self._words: list[int] = [0] * (0 if self._single is not None else ENTRY * self._steps)
        self._addresses: list[tuple[int, int]] = []
        """Words that hold the address of a place in the same array."""
        self._arena: list[tuple[int, int]] = []
        """Words that hold the address of an intermediate: its offset in the arena, which one stage after the other uses."""
        self._varying: list[tuple[CompiledProgram, int, int]] = []
        """Programs with variables: the words of their entry in a table, and where the values belong."""
        self._functions: list[Host] = []
        self.host, self.number = self._entry()
        places: dict[int, list[int]] = {}
        self._add_table(plan.stages, 0, places, {})
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

    def _entry(self) -> tuple[Host, int]:
        """What a call calls: a single stage's host function with its number of threads, or that which goes through the table."""
        program = self._single
        if program is None:
            return HOSTS.sequence()[0], self._steps
        threads = program.threads_for(tuple(high for _, high in program.schedule.variables.values()))
        return program.host(threads), threads

    def _add_table(self, stages: Sequence[CompiledStage | CompiledRepeat], entry: int, places: dict[int, list[int]], exchanged: Mapping[int, int]) -> None:
        """The words of stages, of which each step has an entry in a table that begins at a word. `exchanged` slots are others in this iteration of a repeat."""
        for stage in stages:
            if isinstance(stage, CompiledRepeat):
                self._add_repeat(stage, entry, places, exchanged)
                entry += ENTRY
                continue
            if stage.program is not None:
                self._add_program(stage, stage.program, entry, places, exchanged)
                entry += ENTRY
            for source, to in stage.copies:
                self._add_copy(exchanged.get(source, source), exchanged.get(to, to), entry, places)
                entry += ENTRY

    def _add_repeat(self, stage: CompiledRepeat, entry: int, places: dict[int, list[int]], exchanged: Mapping[int, int]) -> None:
        """The arguments of the function that repeats (see `HostCache.repeat`), then its tables."""
        begin = len(self._words)
        carried, following = ([exchanged.get(s, s) for s in slots] for slots in (stage.carried, stage.following))
        other = {**exchanged, **dict(zip(stage.carried, following)), **dict(zip(stage.following, carried))}
        self._enter(entry, HOSTS.repeat(), 0)
        self._addresses.append((entry + 1, begin))
        count = _entries(stage.stages)
        back = [(to, source) for to, source in zip(carried, following) if to != source]  # what is written in place is there already
        self._words += [stage.count, 0, 0, 0, count, 0, count, 0, len(back)]
        if stage.goes_on is not None:
            places.setdefault(carried[stage.goes_on], []).append(begin + 1)
            places.setdefault(following[stage.goes_on], []).append(begin + 2)
        for word, slots in ((begin + 3, exchanged), (begin + 5, other)):
            table = self._new_table(word, count)
            self._add_table(stage.stages, table, places, slots)
        table = self._new_table(begin + 7, len(back))
        for number, (to, source) in enumerate(back):
            self._add_copy(source, to, table + ENTRY * number, places)

    def _new_table(self, word: int, count: int) -> int:
        """Where a table begins, whose address belongs in the word."""
        self._addresses.append((word, len(self._words)))
        self._words += [0] * (ENTRY * count)
        return len(self._words) - ENTRY * count

    def _add_program(self, stage: CompiledStage, program: CompiledProgram, entry: int, places: dict[int, list[int]], exchanged: Mapping[int, int]) -> None:
        begin = len(self._words)
        first = begin + len(program.functions)
        self._words += [*program.functions, *[0] * (len(stage.slots) + len(program.variables)), *program.constants]
        for i, slot in enumerate(stage.slots):
            if slot >= 0:
                places.setdefault(exchanged.get(slot, slot), []).append(first + i)
            elif i in program.memory.offsets:
                self._arena.append((first + i, program.memory.offsets[i]))
        if program.variables:
            self._varying.append((program, entry, first + len(stage.slots)))
        elif self._single is None:
            self._enter(entry, program.host(program.threads_for(())), program.threads_for(()))
        if self._single is None:
            self._addresses.append((entry + 1, begin))

    def _add_copy(self, source: int, to: int, entry: int, places: dict[int, list[int]]) -> None:
        begin = len(self._words)
        self._words += [0, 0, self._size(source, to)]
        self._words[entry] = HOSTS.sequence()[1]
        self._addresses.append((entry + 1, begin))
        places.setdefault(to, []).append(begin)
        places.setdefault(source, []).append(begin + 1)

    def _enter(self, entry: int, function: Host, threads: int) -> None:
        self._functions.append(function)
        self._words[entry], self._words[entry + 2] = function.address, threads  # type: ignore[attr-defined]

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
        nbytes = max((stage.program.memory.nbytes for stage in single_stages(self.plan.stages) if stage.program is not None), default=0)
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
        for program, entry, place in self._varying:
            given = tuple([values[name] for name in program.variables])
            array[place:place + len(given)] = given
            threads = program.threads_for(given)
            function = program.host(threads)
            if self._single is not None:
                return function, threads
            array[entry], array[entry + 2] = function.address, threads  # type: ignore[attr-defined]
        return self.host, self.number


def _entries(stages: Sequence[CompiledStage | CompiledRepeat]) -> int:
    """How many entries a table of the stages has."""
    return sum(1 if isinstance(s, CompiledRepeat) else (s.program is not None) + len(s.copies) for s in stages)


def _only_program(plan: CompiledPlan) -> CompiledProgram | None:
    """The program of a plan that runs nothing else."""
    first = plan.stages[0] if _entries(plan.stages) == 1 else None
    return first.program if isinstance(first, CompiledStage) else None


def run_plan(plan: CompiledPlan, leaves: Sequence[Buffer], values: Mapping[str, int]) -> list[Buffer]:
    """Runs any plan on these leaves, stage by stage; gives each output's memory: new, or the leaf's that is assigned in place."""
    plan.check_values(values)
    bound = BoundPlan(plan, leaves)
    bound.run(values)
    return [bound.output(i) for i in range(len(plan.outputs))]

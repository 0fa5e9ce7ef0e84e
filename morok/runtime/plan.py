"""Execution plans: compiled programs bound to memory, ready to run any number of times.

    plan = y.prepare()
    plan.execute()                             one call into machine code
    plan.execute_with_vars({"n": 9})           again, at another value of a symbolic size
    plan.output_buffer_at(0).numpy()
    print(plan.report())                       what runs, and under which schedules
    print(plan.profile())                      what each kernel takes

`CompiledPlan` is what the plan cache keeps: code and layout. `BoundPlan` has memory too; realize() makes one, runs it once and keeps its
outputs.
"""
from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..dialect import types as T
from ..errors import BoundsError
from ..fork_safety import renewed_after_fork
from ..graph.shape import Shape, evaluate_index
from .buffer import Buffer
from .compiler import CompiledProgram
from .host import HOSTS
from .place_parameters import is_place
from .report import plan_report, profile_report


@dataclass(frozen=True)
class CompiledStage:
    """A program (None where only memory is copied), the slot of each of its buffers (-1 for intermediates), and the copies after it."""

    program: CompiledProgram | None
    slots: tuple[int, ...]
    copies: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CompiledRepeat:
    """Stages that run again and again: see `RepeatStage`."""

    stages: tuple[CompiledStage | CompiledRepeat, ...]
    carried: tuple[int, ...]
    following: tuple[int, ...]
    count: int
    goes_on: int | None

    def exchanged(self, slots: Sequence[Buffer]) -> list[Buffer]:
        """The memory of every second iteration."""
        other = list(slots)
        for a, b in zip(self.carried, self.following):
            other[a], other[b] = slots[b], slots[a]
        return other


def single_stages(stages: Sequence[CompiledStage | CompiledRepeat]) -> Iterator[CompiledStage]:
    """All stages, those of repeats once."""
    for stage in stages:
        if isinstance(stage, CompiledRepeat):
            yield from single_stages(stage.stages)
        else:
            yield stage


@dataclass(frozen=True)
class CompiledPlan:
    """Stages over numbered slots of memory. The first slots are the leaves, in the order of the captured program's arguments."""

    stages: tuple[CompiledStage | CompiledRepeat, ...]
    leaf_count: int
    types: tuple[T.MemRefType, ...]
    """Of the slots after the leaves."""
    devices: tuple[str, ...]
    """Of all slots."""
    outputs: tuple[int, ...]
    """The slot of each result: a leaf's where it is assigned in place."""
    shapes: tuple[Shape, ...]
    """Of each result, in terms of the variables."""
    variables: Mapping[str, tuple[int, int]]

    def check_values(self, values: Mapping[str, int]) -> None:
        """BoundsError for a variable that has no value, or one outside its bounds."""
        for name, (low, high) in self.variables.items():
            if name not in values:
                raise BoundsError(f"variable {name!r} has no value; bind it, or give execute_with_vars one from {low} to {high}")
            if not low <= values[name] <= high:
                raise BoundsError(f"variable {name!r} has bounds {low} to {high}, given {values[name]}")


class BoundPlan:
    """A compiled plan with memory: the leaves given, all else allocated here (MemoryError before anything runs)."""

    def __init__(self, compiled: CompiledPlan, leaves: Sequence[Buffer]) -> None:
        self.compiled = compiled
        self.slots: list[Buffer] = list(leaves)
        for slot, t in enumerate(compiled.types, compiled.leaf_count):
            self.slots.append(Buffer(t.shape, t.dtype, compiled.devices[slot]))
        self.steps = _steps(compiled.stages, self.slots, compiled.devices)

    def give(self, memory: Mapping[int, Buffer]) -> None:
        """Other memory for some leaves, by slot."""
        changed = {slot: buffer for slot, buffer in memory.items() if self.slots[slot] is not buffer}
        if changed:
            self.slots = [changed.get(slot, buffer) for slot, buffer in enumerate(self.slots)]
            self.steps = _steps(self.compiled.stages, self.slots, self.compiled.devices)

    def run(self, values: Mapping[str, int]) -> None:
        """Runs all stages, on this thread and the pool's."""
        for step in self.steps:
            step.run(values)

    def run_timed(self, values: Mapping[str, int]) -> list[float]:
        """Runs all stages, kernel after kernel; the seconds that each launch takes, in a repeat all iterations of it."""
        return [seconds for step in self.steps for seconds in step.run_timed(values)]

    def output(self, i: int) -> Buffer:
        return self.slots[self.compiled.outputs[i]]


def _steps(stages: Sequence[CompiledStage | CompiledRepeat], slots: Sequence[Buffer], devices: Sequence[str]) -> list[_Step | _RepeatStep]:
    return [_Step(s, slots, devices) if isinstance(s, CompiledStage) else _RepeatStep(s, slots, devices) for s in stages]


class _Step:
    """A stage bound to memory: its argument array, its scratch, its copies as addresses."""

    def __init__(self, stage: CompiledStage, slots: Sequence[Buffer], devices: Sequence[str]) -> None:
        self.program = program = stage.program
        self.copies = [(slots[to].address, slots[source].address, slots[to].nbytes) for source, to in stage.copies]
        if program is None:
            return
        self.arena = arena = None if program.memory.nbytes == 0 else Buffer((program.memory.nbytes,), T.uint8, _device_of(stage, devices))
        base, offsets = arena.address if arena is not None else 0, program.memory.offsets
        addresses = [base + offsets[b] if slot < 0 else slots[slot].address for b, slot in enumerate(stage.slots)]
        self.variables_at = len(program.functions) + len(addresses)
        self.array = (ctypes.c_int64 * (self.variables_at + len(program.variables) + len(program.constants)))(
            *program.functions, *addresses, *[0] * len(program.variables), *program.constants)
        self.address = ctypes.byref(self.array)
        self.written = [slots[stage.slots[b]] for b in program.schedule.results if b >= program.schedule.argument_count]

    def run(self, values: Mapping[str, int]) -> None:
        program = self.program
        if program is not None:
            threads = self._begin(program, values)
            program.host(threads)(self.address, threads)
        self._copy()

    def run_timed(self, values: Mapping[str, int]) -> list[float]:
        program, seconds = self.program, []
        if program is not None:
            threads = self._begin(program, values)
            for item in (item for group in program.groups for item in group):
                host = program.host_of(item, threads)
                began = time.perf_counter()
                host(self.address, threads)
                seconds.append(time.perf_counter() - began)
        self._copy()
        return seconds

    def entries(self, values: Mapping[str, int]) -> list[tuple[int, int, int]]:
        """The step as words of a table (see `host.py`), for a run with these values."""
        found = []
        if self.program is not None:
            threads = self._begin(self.program, values)
            found.append((self.program.host(threads).address, ctypes.addressof(self.array), threads))  # type: ignore[attr-defined]
        copy = HOSTS.sequence()[1] if self.copies else 0
        self._words = [(ctypes.c_int64 * 3)(*words) for words in self.copies]
        return [*found, *((copy, ctypes.addressof(words), 0) for words in self._words)]

    def _begin(self, program: CompiledProgram, values: Mapping[str, int]) -> int:
        """Puts the variables' values in; the number of threads to run on."""
        given = tuple([values[n] for n in program.variables]) if program.variables else ()
        if given:
            self.array[self.variables_at:self.variables_at + len(given)] = list(given)
        if program.config.check:
            self._poison()
        return program.threads_for(given)

    def _copy(self) -> None:
        for to, source, nbytes in self.copies:
            ctypes.memmove(to, source, nbytes)

    def _poison(self) -> None:
        """Fills what the stage is to write, and its scratch, with NaN bits: a kernel that reads what none wrote shows."""
        for buffer in (*self.written, *([self.arena] if self.arena is not None else [])):
            buffer.fill_bytes(0xFF)


class _RepeatStep:
    """A repeat bound to memory: its steps, and the same with the carried memory exchanged for every second iteration."""

    def __init__(self, stage: CompiledRepeat, slots: Sequence[Buffer], devices: Sequence[str]) -> None:
        self.count = stage.count
        other = stage.exchanged(slots)
        self.steps = [_steps(stage.stages, s, devices) for s in (slots, other)]
        self.flags = [0, 0] if stage.goes_on is None else [s[stage.carried[stage.goes_on]].address for s in (slots, other)]
        self.back = [(slots[a].address, slots[b].address, slots[a].nbytes) for a, b in zip(stage.carried, stage.following) if a != b]
        self.launches = sum(len(s.program.schedule.items) for s in single_stages(stage.stages) if s.program is not None)
        self.is_checked = any(s.program is not None and s.program.config.check for s in single_stages(stage.stages))

    def run(self, values: Mapping[str, int]) -> None:
        if self.is_checked:  # each step is prepared before each of its runs
            for steps in self._iterations():
                for step in steps:
                    step.run(values)
            return
        self.entries(values)
        HOSTS.repeat()(ctypes.byref(self._arguments), 0)

    def run_timed(self, values: Mapping[str, int]) -> list[float]:
        total = [0.0] * self.launches
        for steps in self._iterations():
            total = [a + b for a, b in zip(total, (seconds for step in steps for seconds in step.run_timed(values)), strict=True)]
        return total

    def _iterations(self) -> Iterator[list[_Step | _RepeatStep]]:
        """The steps of one iteration after the other."""
        done = 0
        while done < self.count and (not self.flags[0] or ctypes.c_uint8.from_address(self.flags[done % 2]).value):
            yield self.steps[done % 2]
            done += 1
        if done % 2:
            for to, source, nbytes in self.back:
                ctypes.memmove(to, source, nbytes)

    def entries(self, values: Mapping[str, int]) -> list[tuple[int, int, int]]:
        """The step as words of a table, for a run with these values."""
        tables = [[e for step in steps for e in step.entries(values)] for steps in self.steps]
        copy = HOSTS.sequence()[1]
        self._copies = [(ctypes.c_int64 * 3)(*words) for words in self.back]
        tables.append([(copy, ctypes.addressof(words), 0) for words in self._copies])
        self._tables = [(ctypes.c_int64 * (3 * len(t)))(*(word for entry in t for word in entry)) for t in tables]
        places = [w for t, array in zip(tables, self._tables) for w in (ctypes.addressof(array), len(t))]
        self._arguments = (ctypes.c_int64 * 9)(self.count, *self.flags, *places)
        return [(HOSTS.repeat().address, ctypes.addressof(self._arguments), 0)]  # type: ignore[attr-defined]


def _device_of(stage: CompiledStage, devices: Sequence[str]) -> str:
    """Where the scratch of a stage lies: with the first of its buffers."""
    return next((devices[s] for s in stage.slots if s >= 0), "CPU")


class PlanOutput:
    """One output of a plan: its memory, in the shape that it has at the plan's current variable values."""

    def __init__(self, plan: ExecutionPlan, index: int) -> None:
        self._plan, self._index = plan, index

    @property
    def buffer(self) -> Buffer:
        return self._plan._bound.output(self._index)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(evaluate_index(s, self._plan.values) for s in self._plan.compiled.shapes[self._index])

    @property
    def dtype(self) -> T.DType:
        return self.buffer.dtype

    @property
    def device(self) -> str:
        return self.buffer.device.name

    def numpy(self) -> np.ndarray:
        """A copy of what the last run wrote."""
        return self.buffer.numpy(self.shape)

    def view(self) -> np.ndarray:
        """The memory itself; the next run writes it again."""
        return self.buffer.view(self.shape)

    def __repr__(self) -> str:
        return f"PlanOutput({self.shape}, {self.dtype}, {self.device!r})"


class FirstRun(Protocol):
    """What is to be done around a plan's first run."""

    def before(self, plan: ExecutionPlan, values: Mapping[str, int]) -> None: ...

    def after(self, plan: ExecutionPlan) -> None: ...


class Targets(Protocol):
    """The tensors that a plan assigns to in place."""

    def writing(self) -> AbstractContextManager[Mapping[int, Buffer]]:
        """Round each run after the first: gives by slot the memory to write, which nobody else reads; afterwards all know that it was written."""


class ExecutionPlan:
    """Compiled kernels in order with their buffers. A plan owns the memory of its outputs; each run writes them anew. An output that is
    assigned in place is the memory of the tensor assigned to, which each run updates. Safe under threads: runs of one plan follow each
    other.
    """

    def __init__(self, compiled: CompiledPlan, leaves: Sequence[Buffer], values: Mapping[str, int],
                 first_run: FirstRun | None = None) -> None:
        self.compiled = compiled
        self.values: dict[str, int] = dict(values)
        """The variables' values of the last run (before the first: as bound)."""
        self._bound = BoundPlan(compiled, leaves)
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._first_run = first_run
        self.targets: Targets | None = None

    def execute(self) -> None:
        """Runs the plan at the values last given to its variables. BoundsError where one has none."""
        with self._lock:
            self._run(self.values)

    def execute_with_vars(self, values: Mapping[str, int]) -> None:
        """Runs the plan at these values of its variables, without compiling; a variable left out keeps its last value.

        BoundsError for a name that the plan does not have and for a value outside the variable's bounds; nothing runs then.
        """
        with self._lock:
            given = [n for n in self.compiled.variables if not is_place(n)]
            unknown = [n for n in values if n not in given]
            if unknown:
                known = ", ".join(map(repr, given)) or "none"
                raise BoundsError(f"the plan has no variable {unknown[0]!r}; it has {known}")
            self._run({**self.values, **{n: _integer(n, v) for n, v in values.items()}})

    def _run(self, values: dict[str, int]) -> None:
        self.compiled.check_values(values)
        first = self._first_run
        if first is not None:
            first.before(self, values)
        self.values = values
        with self._writing():
            self._bound.run(values)
        if first is not None:
            self._first_run = None
            first.after(self)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.targets is None or self._first_run is not None:
            yield
            return
        with self.targets.writing() as memory:
            self._bound.give(memory)
            yield

    def num_kernels(self) -> int:
        """How many kernels one run launches; those of a repeat count once."""
        return sum(len(stage.program.schedule.items) for stage in single_stages(self.compiled.stages) if stage.program is not None)

    def num_outputs(self) -> int:
        return len(self.compiled.outputs)

    def output_buffer_at(self, i: int) -> PlanOutput:
        """The i-th output, in the order in which the tensors were given."""
        if not 0 <= i < self.num_outputs():
            raise IndexError(f"output {i} of a plan that has {self.num_outputs()}")
        return PlanOutput(self, i)

    def report(self) -> str:
        """Kernels, groups, buffers, opts and code sizes, as a table."""
        return plan_report(self.compiled, self.values)

    def profile(self, rounds: int = 5) -> str:
        """What each kernel takes, as a table: the least of the rounds, each of which is a run of the plan, but kernel after kernel."""
        if rounds < 1:
            raise ValueError(f"profile: rounds is {rounds}; it takes a whole number from 1")
        self.execute()
        with self._lock, self._writing():
            times = [self._bound.run_timed(self.values) for _ in range(rounds)]
        return profile_report(self.compiled, self.values, [min(taken) for taken in zip(*times)])

    def __repr__(self) -> str:
        return f"ExecutionPlan({self.num_kernels()} kernels, {self.num_outputs()} outputs)"


def _integer(name: str, value: object) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"variable {name!r} takes an integer, not {value!r}")
    return value.__index__()

"""The compile path: a program in tensor form becomes a `CompiledProgram`, which needs nothing but addresses to run.

    tensor form --morok-rangeify--> range form --morok-split--> kernel form --morok-apply-opts, renderer, LLVM--> machine code
                                                                     |
                                                        schedule, groups, memory plan --> host function

With `MOROK_CHECK=1` the program is evaluated after every pass and compared with the pass before (check.py).
"""
from __future__ import annotations

import pkgutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module

import numpy as np

from .. import passes
from ..dialect import types as T
from ..errors import ScheduleError
from ..graph.body import Body, Program
from ..passes.pipeline import Instrumentation, run_passes
from ..schedule import MemoryPlan, Schedule, ScheduleItem, create_schedule, parallel_groups, plan_memory
from ..schedule.work import row_works
from .config import Config
from .host import HOSTS, Call, Host, Phase, phases_of
from .kernels import CompiledKernel, compile_kernels
from .openmp import OPENMP
from .place_parameters import is_place
from .tuning.schedules import scheduled

for _module in pkgutil.walk_packages(passes.__path__, passes.__name__ + "."):  # now, so that a process's first kernel need not wait
    import_module(_module.name)

PIPELINE = "morok-rangeify,morok-split"
"""From tensor form to kernel form."""
PARALLEL_SECONDS = 30e-6
"""Work in kernels that several threads can share below which waking them costs more than it saves; a wake-up takes 15 to 20 us."""


@dataclass
class CompiledProgram:
    """Machine code of a whole program. `arguments` of its host functions: kernels, buffers, variables, constants, in that order, 8 bytes each."""

    schedule: Schedule
    groups: list[list[ScheduleItem]]
    memory: MemoryPlan
    kernels: dict[str, CompiledKernel]
    calls: dict[int, tuple[Call, ...]]
    """Of each launch, by its id: one for each row."""
    phases: tuple[Phase, ...]
    functions: tuple[int, ...]
    """Addresses of the distinct kernels."""
    constants: tuple[int, ...]
    """Offsets and sizes that kernels are called with."""
    config: Config
    bodies: dict[str, Body]
    """`@main` and the kernels after their opts."""
    seconds: _Seconds
    compile_seconds: float = 0.0
    _works: dict[tuple[int, ...], bool] = field(default_factory=dict)
    _serial: Host | None = None
    _parallel: Host | None = None

    @property
    def variables(self) -> tuple[str, ...]:
        """Those whose values stand in the argument array, after the buffers."""
        return tuple(self.schedule.variables)

    def threads_for(self, values: tuple[int, ...]) -> int:
        """How many threads a run with these values of the variables is worth."""
        if self.config.num_threads == 1:
            return 1
        sizes = tuple([v for v, name in zip(values, self.schedule.variables) if not is_place(name)]) if values else ()
        worth = self._works.get(sizes)
        if worth is None:
            seconds = self.seconds if not sizes else _Seconds({n: v for n, v in zip(self.schedule.variables, values) if not is_place(n)})
            worth = self._works[sizes] = shared_seconds(self.groups, seconds) >= PARALLEL_SECONDS
            if len(self._works) > 4096:
                self._works.clear()
        return self.config.num_threads if worth else 1

    def counts(self) -> str:
        """How many launches, kernels and groups."""
        launches, kernels, groups = len(self.schedule.items), len(self.functions), len(self.groups)
        return f"{_count(launches, 'launch', 'launches')} of {_count(kernels, 'kernel', 'kernels')} in {_count(groups, 'group', 'groups')}"

    def host(self, threads: int) -> Host:
        """The host function for that many threads."""
        if threads <= 1:
            if self._serial is None:
                self._serial = HOSTS.get(self.phases, False, self.config)
            return self._serial
        if self._parallel is None:
            OPENMP.load(self.config.block_time)
            self._parallel = HOSTS.get(self.phases, True, self.config)
        return self._parallel


    def host_of(self, item: ScheduleItem, threads: int) -> Host:
        """The host function that makes one launch alone, on the same arguments as the others."""
        calls = self.calls[item.id]
        if threads > 1 and (calls[0].threaded or len(calls) > 1):
            return HOSTS.get(phases_of([calls]), True, self.config)
        return HOSTS.get((Phase(sequence=calls),), False, self.config)


class _Seconds(dict[str, list[float]]):
    """Estimated seconds of launches on each of their rows, by their kernels' names, at some values of the variables (the greatest where none is given)."""

    def __init__(self, values: Mapping[str, int], known: Mapping[str, list[float]] | None = None) -> None:
        super().__init__(known or {})
        self._values = values

    def of(self, item: ScheduleItem) -> list[float]:
        found = self.get(item.name)
        if found is None or len(found) != len(item.rows):
            found = self[item.name] = [work.seconds for work in row_works(item, self._values)]
        return found


def shared_seconds(groups: Sequence[Sequence[ScheduleItem]], seconds: _Seconds) -> float:
    """Estimated seconds of the work that more than one thread can take part in."""
    return sum(sum(seconds.of(item)) for group in groups for item in group if len(group) > 1 or len(item.rows) > 1 or item.bound_ranges)


def compile_program(program: Program, config: Config, inputs: Sequence[np.ndarray] | None = None,
                    values: Mapping[str, int] | None = None) -> CompiledProgram:
    """Compiles `@main` of a program in tensor form, which is in kernel form afterwards. `inputs` and `values` are what `MOROK_CHECK=1`
    evaluates it on."""
    began = time.perf_counter()
    instrumentation = _check(program, inputs, values) if config.check else None
    run_passes(program, PIPELINE, instrumentation)
    compiled = compile_kernel_form(program, config, values, instrumentation)
    compiled.compile_seconds = time.perf_counter() - began
    if config.debug:
        _report(compiled)
    return compiled


def compile_kernel_form(program: Program, config: Config, values: Mapping[str, int] | None = None,
                        instrumentation: Instrumentation | None = None) -> CompiledProgram:
    """Compiles `@main` of a program in kernel form. The kernels get their opts."""
    if config.opts:
        give_opts(program, config.opts)
        config = replace(config, opts=())  # the kernels have them; the others are the same as in other plans
    return link_program(program, compile_kernels(program, config, values or {}, instrumentation), config, values)


def link_program(program: Program, kernels: dict[str, CompiledKernel], config: Config, values: Mapping[str, int] | None = None,
                 estimates: Mapping[str, list[float]] | None = None) -> CompiledProgram:
    """A program in kernel form whose kernels have been compiled, as something to run. `estimates` of the kernels' seconds save some time."""
    seconds = _Seconds({}, estimates)
    schedule = create_schedule(program, values)
    groups = parallel_groups(schedule.items)
    places: dict[int, int] = {}
    for kernel in kernels.values():
        places.setdefault(kernel.address, len(places))
    given = [values.values() for item in schedule.items for values in item.rows]
    constants = tuple(dict.fromkeys(v for values in (*(kernel.offsets.values() for kernel in kernels.values()), *given) for v in values))
    calls = _calls(schedule, kernels, places, constants)
    phases = phases_of([_longest_first(group, calls, seconds) for group in groups])
    compiled = CompiledProgram(schedule, groups, plan_memory(schedule, groups), kernels, calls, phases, tuple(places), constants, config,
                               dict(program.bodies), seconds)
    compiled.host(compiled.threads_for(tuple(high for _, high in schedule.variables.values())))
    return compiled


def give_opts(program: Program, opts: Sequence[tuple[str, str]]) -> None:
    """Applies schedules that a caller gives by kernel, "" for all. ScheduleError for a kernel that is not there and for an opt that is not legal."""
    names = [kernel.name for kernel in program.kernels()]
    for name, given in opts:
        if name and name not in names:
            raise ScheduleError(f"opts for the kernel '{name}': the plan's kernels are {', '.join(names)}")
        for kernel in [name] if name else names:
            program.bodies[kernel] = scheduled(program.bodies[kernel], given, "given")


def _check(program: Program, inputs: Sequence[np.ndarray] | None, values: Mapping[str, int] | None) -> Instrumentation:
    from .check import CheckStages
    return CheckStages(program, inputs, values)


def _calls(schedule: Schedule, kernels: Mapping[str, CompiledKernel], places: Mapping[int, int], constants: Sequence[int]) -> dict[int, tuple[Call, ...]]:
    """The launches as calls, by their ids."""
    buffers = len(places)
    variables = {name: buffers + len(schedule.buffers) + i for i, name in enumerate(schedule.variables)}
    fixed = {value: buffers + len(schedule.buffers) + len(variables) + i for i, value in enumerate(constants)}

    def call(kernel: CompiledKernel, row: tuple[int, ...], values: Mapping[str, int]) -> Call:
        own = {**kernel.offsets, **values}
        given = tuple(fixed[own[v]] if v in own else variables[v] for v in kernel.rendered.variables)
        return Call(places[kernel.address], tuple(buffers + b for b in row), given, kernel.rendered.uses_threads)

    return {item.id: tuple(call(kernels[item.name], row, values) for row, values in zip(item.row_buffers(), item.rows)) for item in schedule.items}


def _longest_first(group: Sequence[ScheduleItem], calls: Mapping[int, Sequence[Call]], seconds: _Seconds) -> list[Call]:
    """The calls of a group. Where there are several, the longest come first, so that those that one thread makes by itself are divided well."""
    found = [(call, taken) for item in group for call, taken in zip(calls[item.id], seconds.of(item) if len(group) > 1 or len(item.rows) > 1 else [0.0])]
    return [call for call, _ in sorted(found, key=lambda pair: -pair[1])]


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"


def output_types(compiled: CompiledProgram) -> list[T.MemRefType]:
    """The memory of each result."""
    return [compiled.schedule.buffers[r].type for r in compiled.schedule.results]  # type: ignore[misc]


def _report(compiled: CompiledProgram) -> None:
    print(f"morok: {compiled.counts()}, compiled in {compiled.compile_seconds * 1e3:.1f} ms", file=sys.stderr)
    for name, kernel in compiled.kernels.items():
        print(f"morok:   {name}: {kernel.code_size} bytes{', ' + kernel.opts if kernel.opts else ''}", file=sys.stderr)
        if compiled.config.debug > 1:
            print(kernel.rendered.source, file=sys.stderr)

"""A plan as tables: what runs, in which group, on which memory, with which opts, and how large the code is."""
from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialect import types as T
from ..schedule.items import ScheduleItem
from ..schedule.work import launch_work
from .compiler import CompiledProgram

if TYPE_CHECKING:
    from rich.table import Table

    from .plan import CompiledPlan, CompiledRepeat, CompiledStage

WIDTH = 140


def plan_report(plan: CompiledPlan, values: Mapping[str, int]) -> str:
    """The text of a plan's tables at these values of its variables."""
    from rich.console import Console  # imported late: programs that ask for no report need not wait for it
    console = Console(file=io.StringIO(), width=WIDTH, force_terminal=False, highlight=False)
    for title, stage in _titled(plan.stages):
        if stage.program is not None:
            console.print(_kernels(stage.program, values, title if len(plan.stages) > 1 else ""))
            console.print(_summary(stage.program, values), soft_wrap=True)
        for source, to in stage.copies:
            console.print(f"copy: slot {source} on {plan.devices[source]} to slot {to} on {plan.devices[to]}", soft_wrap=True)
    for name, (low, high) in plan.variables.items():
        console.print(f"variable {name}: {values.get(name, 'unbound')}, from {low} to {high}")
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


def _titled(stages: Sequence[CompiledStage | CompiledRepeat], around: str = "") -> Iterator[tuple[str, CompiledStage]]:
    """All stages, with what is said above their tables."""
    from .plan import CompiledRepeat
    for number, stage in enumerate(stages):
        title = f"{around}stage {number}"
        if isinstance(stage, CompiledRepeat):
            times = f"at most {stage.count} times" if stage.goes_on is not None else f"{stage.count} times"
            yield from _titled(stage.stages, f"{title}, {times}: ")
        else:
            yield title, stage


def profile_report(plan: CompiledPlan, values: Mapping[str, int], seconds: Sequence[float]) -> str:
    """The text of a table of what each launch took, in the order in which they ran."""
    from rich.console import Console
    from rich.table import Table
    console = Console(file=io.StringIO(), width=WIDTH, force_terminal=False, highlight=False)
    table = Table()
    for column in ("kernel", "us", "share", "Gop/s", "GB/s", "schedule", "opts"):
        table.add_column(column, justify="left" if column in ("kernel", "schedule", "opts") else "right", overflow="fold")
    launches = [(stage.program, item) for _, stage in _titled(plan.stages) if stage.program is not None for group in stage.program.groups for item in group]
    for (program, item), taken in zip(launches, seconds, strict=True):
        kernel, work = program.kernels[item.name], launch_work(item, values)
        rates = [f"{amount / taken / 1e9:.3g}" for amount in (work.operations, work.nbytes)]
        table.add_row(_name(item), f"{1e6 * taken:.1f}", f"{100 * taken / sum(seconds):.0f}%", *rates, kernel.schedule_source, kernel.opts or "-")
    console.print(table)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"  # type: ignore[attr-defined]


def _kernels(program: CompiledProgram, values: Mapping[str, int], title: str) -> Table:
    from rich.table import Table
    table = Table(title=title or None, title_justify="left")
    for column in ("group", "kernel", "writes", "reads", "work", "schedule", "opts", "code"):
        table.add_column(column, justify="right" if column in ("group", "work", "code") else "left", overflow="fold")
    for number, group in enumerate(program.groups):
        for item in group:
            kernel = program.kernels[item.name]
            work = launch_work(item, values)
            table.add_row(str(number), _name(item), _buffers(program, item, item.written_slots), _buffers(program, item, item.source_buffers),
                          f"{_short(work.operations)} op, {_short(work.nbytes)}B", kernel.schedule_source, kernel.opts or "-", f"{kernel.code_size} B")
    return table


def _name(item: ScheduleItem) -> str:
    """The kernel's, and on how many rows of buffers it is launched."""
    return item.name if len(item.rows) == 1 else f"{item.name} ×{len(item.rows)}"


def _buffers(program: CompiledProgram, item: ScheduleItem, slots: Iterable[int]) -> str:
    """The buffers of these slots, of the first row."""
    ids = sorted({item.buffer_ids[s] for s in slots if s < len(item.body.arguments)})
    return ", ".join([*(f"{buffer_name(program, i)}:{_type(program, i)}" for i in ids), *(["..."] if len(item.rows) > 1 else [])]) or "-"


def buffer_name(program: CompiledProgram, i: int) -> str:
    """in0 for arguments, out1 for results, tmp2@64 for an intermediate at byte 64 of the arena."""
    schedule = program.schedule
    if i < schedule.argument_count:
        return f"in{i}"
    return f"out{i}" if i in schedule.results else f"tmp{i}@{program.memory.offsets.get(i, 0)}"


def _type(program: CompiledProgram, i: int) -> str:
    t = program.schedule.buffers[i].type
    assert isinstance(t, T.MemRefType)
    return "x".join([*map(str, t.shape), t.dtype.name])


def _summary(program: CompiledProgram, values: Mapping[str, int]) -> str:
    given = tuple(values.get(n, high) for n, (_, high) in program.schedule.variables.items())
    memory, threads = program.memory, program.threads_for(given)
    return (f"{program.counts()}; "
            f"intermediates {memory.nbytes} bytes (unshared {memory.unshared_nbytes}), at most {_peak(program)} bytes with arguments and results; "
            f"{sum(k.code_size for k in _distinct(program))} bytes of code; "
            f"{threads} {'thread' if threads == 1 else 'threads'}; compiled in {program.compile_seconds * 1e3:.1f} ms")


def _peak(program: CompiledProgram) -> int:
    """Bytes of all memory that a run holds: arguments, results, and the arena of the intermediates."""
    schedule = program.schedule
    kept = [b.type for i, b in enumerate(schedule.buffers) if i < schedule.argument_count or i in schedule.results]
    return sum(t.nbytes for t in kept if isinstance(t, T.MemRefType)) + program.memory.nbytes


def _distinct(program: CompiledProgram) -> list:
    return list({k.address: k for k in program.kernels.values()}.values())


def _short(n: int) -> str:
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if n >= size:
            return f"{n / size:.3g}{unit}"
    return str(n)

"""Kernel form: `@main` is run launch by launch on real memory, each kernel as `range_form.py` evaluates it.

Launches that touch one buffer, one of them writing, must be ordered by `after`; otherwise a scheduler might run them in either order, and
that is an error.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..dialect import types as T
from ..errors import IRError
from ..graph.body import Body, Program
from ..graph.buffers import root_buffer
from ..graph.launches import launch_uses, mismatch, rows_of
from ..graph.uop import UOp
from .memory import Variables, bound_variables, unwritten, view_as, where
from .races import check_races
from .range_form import RangeForm


def run_kernel_form(program: Program, main: Body, arguments: Sequence[np.ndarray], variables: Variables) -> list[np.ndarray]:
    """The results of a function that launches kernels."""
    for launch, message in launch_conflicts(program, main):
        raise IRError(f"{where(launch)} {message}")
    memory: dict[UOp, np.ndarray] = dict(zip(main.arguments, arguments))
    for u in main.order():
        if u.name in ("define_global", "buffer"):
            assert isinstance(u.type, T.MemRefType)
            memory[u] = unwritten(u.type.shape, u.dtype)
        elif u.name in ("after", "param"):
            memory[u] = memory[u.operands[0]]
        elif u.name == "kernel":
            _launch(program, u, memory, variables)
        elif u.name not in ("arg", "sink", "define_var", "unique", "device"):
            raise IRError(f"{where(u)} does not belong in a function that launches kernels")
    return [np.array(memory[r]) for r in main.results]


def run_kernel(kernel: Body, arguments: Sequence[np.ndarray], variables: Variables) -> None:
    """Runs a kernel on its arguments, in place."""
    evaluated = RangeForm(kernel, arguments, bound_variables(kernel, variables))
    evaluated.run()
    check_races(evaluated)
    for argument, array in zip(kernel.arguments, arguments):
        if isinstance(argument.type, T.MemRefType):
            array[...] = evaluated.content(argument)


def _launch(program: Program, launch: UOp, memory: dict[UOp, np.ndarray], variables: Variables) -> None:
    kernel = _callee(program, launch)
    wrong = mismatch(launch, kernel)
    if wrong is not None:
        raise IRError(f"{where(launch)} {wrong}")
    rows = rows_of(launch, kernel)
    roots = [root_buffer(version) for row in rows for version in row.buffers]
    for slot in sorted(launch_uses(launch, kernel)[1]):
        if roots.count(roots[slot]) > 1:
            raise IRError(f"{where(launch)} passes one buffer to @{kernel.name} twice, and the kernel writes it as slot {slot}")
    for row in rows:
        arrays = [_view(memory[version], argument.type, f"@{kernel.name}: slot {slot}", bool(row.values))
                  for slot, (version, argument) in enumerate(zip(row.buffers, kernel.arguments))]
        run_kernel(kernel, arrays, {**variables, **row.values})


def _view(array: np.ndarray, t: T.Type, name: str, shorter: bool) -> np.ndarray:
    """The memory as a kernel's argument; of a row with a size of its own, perhaps fewer elements than the argument has at most."""
    if shorter and isinstance(t, T.MemRefType) and len(t.shape) == 1 and array.size < t.size:
        t = T.memref((array.size,), t.dtype, t.space)
    return view_as(array, t, name)


def _callee(program: Program, launch: UOp) -> Body:
    kernel = program.bodies.get(launch.attribute("callee"))
    if kernel is None:
        raise IRError(f"{where(launch)} names @{launch.attribute('callee')}, which the module does not have")
    return kernel


# The order of launches

@dataclass(frozen=True)
class Launch:
    op: UOp
    reads: frozenset[UOp]
    writes: frozenset[UOp]
    before: frozenset[UOp]
    """The launches that are done when this one begins."""

    @property
    def callee(self) -> str:
        return self.op.attribute("callee")


def launches(program: Program, main: Body) -> list[Launch]:
    """The launches of a function, with the buffers that they touch, in an order that respects their dependencies."""
    found: list[Launch] = []
    before: dict[UOp, frozenset[UOp]] = {}
    for u in main.order():
        done = frozenset().union(*(before[o] for o in u.operands))
        before[u] = done | {u} if u.name == "kernel" else done
        if u.name == "kernel":
            kernel = _callee(program, u)
            roots = {p.attribute("slot"): root_buffer(p) for p in u.operands}
            reads, writes = (frozenset(roots[s] for s in slots if s in roots) for slots in launch_uses(u, kernel))
            found.append(Launch(u, reads, writes, done))
    return found


def launch_conflicts(program: Program, main: Body) -> Iterator[tuple[UOp, str]]:
    """Launches that touch one buffer, one of them writing, with nothing to order them; and launches that overwrite a result. With what is
    wrong."""
    found = launches(program, main)
    for i, later in enumerate(found):
        for earlier in found[:i]:
            shared = (earlier.writes & (later.reads | later.writes)) | (later.writes & earlier.reads)
            if shared and earlier.op not in later.before:
                yield later.op, (f"of @{later.callee} and that of @{earlier.callee} both touch {_name(next(iter(shared)))}, one writes it, "
                                 "and no `after` orders them")
    for r in main.results:
        reached = {u for u in r.backward_slice() if u.name == "kernel"}
        for launch in found:
            if launch.op not in reached and root_buffer(r) in launch.writes:
                yield launch.op, f"of @{launch.callee} overwrites {_name(root_buffer(r))}, which is a result as it was before"


def _name(buffer: UOp) -> str:
    if buffer.name == "arg":
        return f"argument {buffer.attributes[0]}"
    return " ".join([buffer.name, *(str(a) for a in buffer.attributes), f"of type {buffer.type}"])

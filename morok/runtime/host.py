"""The host function: a plan as code. One call of `host(arguments, threads)` runs all kernels of a plan.

    groups [k0 threaded], [k1, k2]      =>      void host(void **arguments, int threads) {
                                                  if (threads <= 1) { phase_0(arguments, 0, 1); phase_1(arguments, 0, 1); return; }
                                                  #pragma omp parallel num_threads(threads)
                                                  { phase_0(arguments, tid, n); #pragma omp barrier
                                                    phase_1(arguments, tid, n); }
                                                }

A phase is a parallel group: each thread calls the kernels that divide their own iterations, and its share of the others. Consecutive
groups of a single kernel that is not threaded are one phase of the first thread, without barriers between them. `arguments` holds the
addresses of the kernels, then of the buffers, then the variables' values; so the code depends on the plan's structure alone and is compiled
once for all plans of the same structure.

A plan of several stages is a table of host functions, which one call runs in turn:

    sequence([[host_0, arguments_0, threads_0], [copy, places, 0], [host_1, arguments_1, threads_1]], 3)

An entry of it may be a repeat, which has tables of its own: of the iterations of even and of odd number, and of what is to be done after an odd count.

    repeat([count, flag, other flag, even, 3, odd, 3, last, 1], 0)
"""
from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir._mlir_libs import _mlirDialectsLLVM as mlir_llvm

from ..codegen.jit import load_object
from ..dialect.context import shared_context
from ..fork_safety import renewed_after_fork
from .config import Config, current_config
from .stored_code import stored_object

HOST_LIMIT = 4096

Host = Callable[[Any, int], None]
"""host(ctypes.byref(argument array), threads)"""


def prototype(address: int) -> Any:
    """A function of a pointer and an i32. Without a declaration of its arguments ctypes passes them as they come, in half of the time."""
    return _PROTOTYPE(address)


_PROTOTYPE = ctypes.CFUNCTYPE(None)


@dataclass(frozen=True)
class Call:
    """One kernel call: places in the argument array, and whether the kernel takes a thread id and count."""

    function: int
    buffers: tuple[int, ...]
    variables: tuple[int, ...]
    threaded: bool


@dataclass(frozen=True)
class Phase:
    """What runs between two barriers: calls on every thread, calls divided among threads, or a sequence on the first thread."""

    threaded: tuple[Call, ...] = ()
    divided: tuple[Call, ...] = ()
    sequence: tuple[Call, ...] = ()


def phases_of(groups: Sequence[Sequence[Call]]) -> tuple[Phase, ...]:
    """The phases of parallel groups. Calls that are divided among threads come in the order given: put the longest first."""
    phases: list[Phase] = []
    for group in groups:
        threaded = tuple(c for c in group if c.threaded)
        others = tuple(c for c in group if not c.threaded)
        if threaded or len(others) > 1:
            phases.append(Phase(threaded, others))
        elif phases and phases[-1].sequence:
            phases[-1] = Phase(sequence=phases[-1].sequence + others)
        else:
            phases.append(Phase(sequence=others))
    return tuple(phases)


class HostCache:
    """Host functions by structure, compiled once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._known: dict[tuple[tuple[Phase, ...], bool], Host] = {}
        self._sequence: tuple[Host, int] | None = None
        self._repeat: Host | None = None

    def get(self, phases: tuple[Phase, ...], parallel: bool, config: Config | None = None) -> Host:
        """The host function of these phases; one that is not parallel runs on the calling thread and needs no OpenMP."""
        key = (phases, parallel)
        found = self._known.get(key)
        if found is None:
            with self._lock:
                found = self._known.get(key)
                if found is None:
                    if len(self._known) >= HOST_LIMIT:
                        self._known.clear()  # plans keep the functions that they use
                    found = self._known[key] = self._compile(phases, parallel, config or current_config())
        return found

    def clear(self) -> None:
        """Forgets all; plans keep the functions that they use."""
        with self._lock:
            self._known.clear()

    def _compile(self, phases: tuple[Phase, ...], parallel: bool, config: Config) -> Host:
        module = load_object(stored_object(host_text(phases, parallel), llvm_text, config), ("host",))
        function = prototype(module.address("host"))
        function.code, function.address = module, module.address("host")  # the code lives as long as the function
        return function

    def sequence(self, config: Config | None = None) -> tuple[Host, int]:
        """The function that runs a table of `(function, arguments, threads)` in turn, and the address of the one that copies memory:
        `arguments` are where to, where from, and the number of bytes."""
        with self._lock:
            if self._sequence is None:
                module = load_object(stored_object(SEQUENCE, llvm_text, config or current_config()), ("sequence", "copy", "repeat"))
                function, repeat = prototype(module.address("sequence")), prototype(module.address("repeat"))
                function.code = repeat.code = module
                repeat.address = module.address("repeat")
                self._sequence, self._repeat = (function, module.address("copy")), repeat
            return self._sequence

    def repeat(self) -> Host:
        """The function that runs tables again and again. Its arguments: how often at most, the addresses of the bool to look at before iterations of even and
        of odd number (0: none), then address and length of three tables: iterations of even number, of odd number, what follows an odd count."""
        self.sequence()
        assert self._repeat is not None
        return self._repeat


SEQUENCE = """
llvm.func @sequence(%table: !llvm.ptr, %count: i32) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  llvm.br ^next(%zero : i32)
^next(%i: i32):
  %more = llvm.icmp "slt" %i, %count : i32
  llvm.cond_br %more, ^run, ^done
^run:
  %entry = llvm.getelementptr %table[%i] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<3 x i64>
  %function = llvm.load %entry : !llvm.ptr -> !llvm.ptr
  %arguments_at = llvm.getelementptr %entry[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %arguments = llvm.load %arguments_at : !llvm.ptr -> !llvm.ptr
  %threads_at = llvm.getelementptr %entry[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %threads = llvm.load %threads_at : !llvm.ptr -> i64
  %narrow = llvm.trunc %threads : i64 to i32
  llvm.call %function(%arguments, %narrow) : !llvm.ptr, (!llvm.ptr, i32) -> ()
  %j = llvm.add %i, %one : i32
  llvm.br ^next(%j : i32)
^done:
  llvm.return
}
llvm.func @repeat(%arguments: !llvm.ptr, %threads: i32) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %two = llvm.mlir.constant(2 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %seven = llvm.mlir.constant(7 : i64) : i64
  %none = llvm.mlir.constant(0 : i8) : i8
  %times = llvm.load %arguments : !llvm.ptr -> i64
  llvm.br ^next(%zero : i64)
^next(%i: i64):
  %odd = llvm.and %i, %one : i64
  %more = llvm.icmp "slt" %i, %times : i64
  llvm.cond_br %more, ^look, ^done
^look:
  %flag_word = llvm.add %odd, %one : i64
  %flag_at = llvm.getelementptr %arguments[%flag_word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %flag_address = llvm.load %flag_at : !llvm.ptr -> i64
  %always = llvm.icmp "eq" %flag_address, %zero : i64
  llvm.cond_br %always, ^run, ^ask
^ask:
  %flag = llvm.inttoptr %flag_address : i64 to !llvm.ptr
  %value = llvm.load %flag : !llvm.ptr -> i8
  %goes_on = llvm.icmp "ne" %value, %none : i8
  llvm.cond_br %goes_on, ^run, ^done
^run:
  %two_words = llvm.mul %odd, %two : i64
  %word = llvm.add %two_words, %three : i64
  llvm.call @run_table(%arguments, %word) : (!llvm.ptr, i64) -> ()
  %j = llvm.add %i, %one : i64
  llvm.br ^next(%j : i64)
^done:
  %is_odd = llvm.icmp "eq" %odd, %one : i64
  llvm.cond_br %is_odd, ^back, ^end
^back:
  llvm.call @run_table(%arguments, %seven) : (!llvm.ptr, i64) -> ()
  llvm.br ^end
^end:
  llvm.return
}
llvm.func internal @run_table(%arguments: !llvm.ptr, %word: i64) {
  %table_at = llvm.getelementptr %arguments[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %table = llvm.load %table_at : !llvm.ptr -> !llvm.ptr
  %count_at = llvm.getelementptr %table_at[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  %narrow = llvm.trunc %count : i64 to i32
  llvm.call @sequence(%table, %narrow) : (!llvm.ptr, i32) -> ()
  llvm.return
}
llvm.func @copy(%arguments: !llvm.ptr, %threads: i32) {
  %to = llvm.load %arguments : !llvm.ptr -> !llvm.ptr
  %from_at = llvm.getelementptr %arguments[1] : (!llvm.ptr) -> !llvm.ptr, i64
  %from = llvm.load %from_at : !llvm.ptr -> !llvm.ptr
  %count_at = llvm.getelementptr %arguments[2] : (!llvm.ptr) -> !llvm.ptr, i64
  %count = llvm.load %count_at : !llvm.ptr -> i64
  "llvm.intr.memmove"(%to, %from, %count) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
}
"""

HOSTS = HostCache()


def llvm_text(text: str) -> str:
    """LLVM IR of a module in the llvm and omp dialects."""
    return mlir_llvm.translate_module_to_llvmir(ir.Module.parse(text, shared_context().context).operation)


def host_text(phases: Sequence[Phase], parallel: bool) -> str:
    """The host function in the llvm and omp dialects."""
    functions = [_phase_function(i, phase) for i, phase in enumerate(phases)]
    lines = ["llvm.func @host(%arguments: !llvm.ptr, %threads: i32) {", _constant("%one", 1), _constant("%zero", 0)]
    if parallel:
        functions += ["llvm.func @omp_get_thread_num() -> i32", "llvm.func @omp_get_num_threads() -> i32"]
        lines += [
            '%alone = llvm.icmp "sle" %threads, %one : i32', "llvm.cond_br %alone, ^serial, ^parallel", "^parallel:",
            "omp.parallel num_threads(%threads : i32) {", "%thread = llvm.call @omp_get_thread_num() : () -> i32",
            "%count = llvm.call @omp_get_num_threads() : () -> i32",
            "\nomp.barrier\n".join(_phase_calls(phases, "%thread", "%count")), "omp.terminator", "}", "llvm.return", "^serial:"]
    return "\n".join([*functions, *lines, *_phase_calls(phases, "%zero", "%one"), "llvm.return", "}"])


def _phase_calls(phases: Sequence[Phase], thread: str, count: str) -> list[str]:
    return [f"llvm.call @phase_{i}(%arguments, {thread}, {count}) : (!llvm.ptr, i32, i32) -> ()" for i in range(len(phases))]


def _constant(name: str, value: int) -> str:
    return f"{name} = llvm.mlir.constant({value} : i32) : i32"


def _phase_function(number: int, phase: Phase) -> str:
    lines = [f"llvm.func internal @phase_{number}(%arguments: !llvm.ptr, %thread: i32, %count: i32) {{"]
    for i, call in enumerate(phase.threaded):
        lines += _call(call, f"t{i}")
    if phase.sequence:
        calls = [line for i, call in enumerate(phase.sequence) for line in _call(call, f"s{i}")]
        lines += [_constant("%zero", 0), *_only_if("%zero", "sequence", calls)]
    for i, call in enumerate(phase.divided):
        lines += [_constant(f"%number{i}", i), f"%turn{i} = llvm.urem %number{i}, %count : i32",
                  *_only_if(f"%turn{i}", f"d{i}", _call(call, f"d{i}"))]
    return "\n".join([*lines, "llvm.return", "}"])


def _only_if(thread: str, label: str, lines: list[str]) -> list[str]:
    """The lines on the thread of that number alone."""
    return [f'%is_{label} = llvm.icmp "eq" {thread}, %thread : i32', f"llvm.cond_br %is_{label}, ^run_{label}, ^past_{label}",
            f"^run_{label}:", *lines, f"llvm.br ^past_{label}", f"^past_{label}:"]


def _call(call: Call, label: str) -> list[str]:
    lines: list[str] = []
    values: list[str] = []

    def load(place: int, kind: str) -> str:
        name = f"%{label}_{len(lines)}"
        lines.append(f"{name}_at = llvm.getelementptr %arguments[{place}] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr")
        lines.append(f"{name} = llvm.load {name}_at : !llvm.ptr -> {kind}")
        return name

    function = load(call.function, "!llvm.ptr")
    values += [load(b, "!llvm.ptr") for b in call.buffers]
    values += [load(v, "i32") for v in call.variables]
    types = ["!llvm.ptr"] * len(call.buffers) + ["i32"] * len(call.variables)
    if call.threaded:
        values, types = [*values, "%thread", "%count"], [*types, "i32", "i32"]
    lines.append(f"llvm.call {function}({', '.join(values)}) : !llvm.ptr, ({', '.join(types)}) -> ()")
    return lines

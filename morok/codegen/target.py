"""The machine that code is generated for: its name and features as LLVM spells them, vector width, caches."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

from ..passes.optimize.machine import Machine


@dataclass(frozen=True)
class Target:
    triple: str
    cpu: str
    features: str
    """As LLVM takes them: "+avx2,-avx512f,...". """
    vector_bits: int
    """Width of the native vectors: 512, 256 or 128."""
    vector_registers: int
    cache_bytes: tuple[int, ...]
    """Data caches of one core, nearest first."""

    def lanes(self, bits: int) -> int:
        """Elements of that width in a native vector."""
        return max(1, self.vector_bits // bits)

    def machine(self, threads: int) -> Machine:
        """What the heuristic is told of it; `threads` share a kernel."""
        return Machine(self.vector_bits, self.vector_registers, cache_bytes=self.cache_bytes[min(1, len(self.cache_bytes) - 1)], threads=threads)

    def schedule_options(self, threads: int) -> dict[str, str]:
        """The same as options of morok-apply-opts."""
        machine = self.machine(threads)
        return {"vector-bits": str(machine.vector_bits), "registers": str(machine.registers), "cache-bytes": str(machine.cache_bytes),
                "threads": str(machine.threads)}

    @classmethod
    @cache
    def host(cls) -> Target:
        """The machine that this process runs on."""
        initialise()
        features = llvm.get_host_cpu_features()
        present = {name for name, on in features.items() if on}
        bits = 512 if {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= present else 256 if "avx2" in present else 128
        triple = llvm.get_process_triple()
        registers = 32 if bits == 512 or triple.startswith(("aarch64", "arm64")) else 16
        return cls(triple, llvm.get_host_cpu_name(), features.flatten(), bits, registers, _cache_sizes())


@cache
def initialise() -> None:
    """LLVM's native target, once per process."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _cache_sizes() -> tuple[int, ...]:
    """From Linux's description of the first core; typical sizes elsewhere."""
    found: dict[int, int] = {}
    for entry in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            kind, level, size = ((entry / name).read_text().strip() for name in ("type", "level", "size"))
        except OSError:
            continue
        unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(size[-1:])
        if kind != "Instruction" and unit:
            found[int(level)] = int(size[:-1]) * unit
    return tuple(found[level] for level in sorted(found)) or (32 << 10, 1 << 20)

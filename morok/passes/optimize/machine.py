"""What the heuristic knows of the machine that a kernel is for."""
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """`vector_bits` is a vector register's width, `registers` their number; `accumulators` hide the latency of an addition; `cache_bytes` is a core's second
    cache; `threads` share a kernel. Results depend on none of them but `vector_bits`."""

    vector_bits: int = 256
    registers: int = 16
    accumulators: int = 4
    cache_bytes: int = 1 << 20
    threads: int = 1

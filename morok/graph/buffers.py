"""Which memory an op touches: the buffer behind its versions, and what a kernel does to its parameters.

    root_buffer(morok.index(morok.after(%d, %e), %i))     %d
    argument_uses(kernel)                                 ({slots read}, {slots written})
"""
from __future__ import annotations

from ..dialect import types as T
from .body import Body
from .uop import UOp, toposort_to

_NAMES_OF_MEMORY = frozenset(("after", "current", "param", "index"))


def root_buffer(u: UOp) -> UOp:
    """The memory behind a param, an index, or versions of it."""
    while u.name in _NAMES_OF_MEMORY:
        u = u.operands[0]
    return u


def argument_uses(kernel: Body) -> tuple[set[int], set[int]]:
    """The slots that a kernel reads and those that it writes."""
    reads: set[int] = set()
    writes: set[int] = set()
    for u in kernel.order():
        if u.name in ("load", "store"):
            root = root_buffer(u.operands[0])
            if root.name == "arg":
                (reads if u.name == "load" else writes).add(root.attributes[0])
    return reads, writes


def ops_to_memory(value: UOp) -> list[UOp]:
    """The ops that computing a value takes, operands first, down to the memory that it reads: not what filled that memory."""
    return [u for u in toposort_to((value,), _is_memory) if not _is_memory(u)]


def _is_memory(u: UOp) -> bool:
    return isinstance(u.type, T.MemRefType)

"""The parameters of a kernel's machine code, in order: buffers, variables by name, then thread id and thread count."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...dialect import types as T
from ...errors import IRError
from ...graph.body import Body
from ...graph.buffers import root_buffer
from ...graph.uop import UOp


@dataclass(frozen=True)
class Parameter:
    """`kind` is buffer (a pointer), variable, thread_id or thread_count (an i32 each)."""

    kind: str
    slot: int = -1
    """Of a buffer: which argument of the kernel it is."""
    name: str = ""
    type: T.MemRefType | None = None
    is_read: bool = False
    is_written: bool = False
    least: int = 0
    greatest: int = 0
    """Of a variable: its bounds, both inclusive."""


def parameters_of(body: Body, order: Iterable[UOp]) -> list[Parameter]:
    variables: dict[str, UOp] = {}
    loaded: set[UOp] = set()
    stored: set[UOp] = set()
    threads = False
    for u in order:
        if u.name == "define_var":
            variables[u.attribute("name")] = u
        elif u.name == "load":
            loaded.add(root_buffer(u.operands[0]))
        elif u.name == "store":
            stored.add(root_buffer(u.operands[0]))
        elif u.name == "special" or u.name == "range" and u.attributes[1] == "thread":
            threads = True
    for i, a in enumerate(body.arguments):
        if not isinstance(a.type, T.MemRefType):
            raise IRError(f"argument {i} of @{body.name} is {a.type}; a kernel takes buffers (memref), and variables by morok.define_var")
    found = [Parameter("buffer", i, "", a.type, a in loaded, a in stored) for i, a in enumerate(body.arguments)]  # type: ignore[arg-type]
    for name, u in sorted(variables.items()):
        found.append(Parameter("variable", name=name, least=u.attribute("min"), greatest=u.attribute("max")))
    if threads:
        found += [Parameter("thread_id"), Parameter("thread_count")]
    return found

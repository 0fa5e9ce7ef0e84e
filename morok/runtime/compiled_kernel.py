"""A kernel as machine code."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlir import ir

from ..codegen.renderer import MachineCode, RenderedKernel
from ..graph.body import Body

SOURCE = "morok.schedule"
"""The attribute that says where a schedule is from, if it is not the heuristic's."""
SYMBOL = "kernel"
"""What each kernel is called in its object: the code does not depend on the name that a program gives it."""


@dataclass(frozen=True)
class CompiledKernel:
    """Machine code of a kernel."""

    body: Body
    """The function after its opts."""
    rendered: RenderedKernel
    module: MachineCode
    stored: str = ""
    """Its key on disk, if it is there."""
    offsets: Mapping[str, int] = field(default_factory=dict)
    """Values of parameters that are the same at every launch: what tells it from others that share the code."""

    @property
    def address(self) -> int:
        return self.module.address(SYMBOL)

    @property
    def opts(self) -> str:
        """The schedule, as morok-apply-opts takes it."""
        given = self.body.attributes.get("morok.opts")
        return ir.StringAttr(given).value if given is not None else ""

    @property
    def schedule_source(self) -> str:
        """Where the schedule is from: heuristic, tuned (a search found it), given; - for a kernel without one."""
        given = self.body.attributes.get(SOURCE)
        if given is not None:
            return ir.StringAttr(given).value
        return "heuristic" if "morok.opts" in self.body.attributes else "-"

    @property
    def code_size(self) -> int:
        """Bytes of the object that holds the code."""
        return self.module.object_size

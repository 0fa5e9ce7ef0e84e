"""What every back end offers: a kernel in optimised form becomes source text with a known parameter list, and that becomes machine code.

    rendered = renderer.render(kernel, "k0")        rendered.source, rendered.parameters
    code = renderer.compile(rendered)               code.address("k0"), for a call through a C function pointer
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from ..graph.body import Body
from ..passes.codegen.parameters import Parameter
from ..passes.pattern import PatternSet
from ..passes.registry import Pass
from .target import Target


@dataclass(frozen=True)
class RenderedKernel:
    """Source of one function. `parameters` are in the order in which the function takes them."""

    name: str
    source: str
    parameters: tuple[Parameter, ...]

    @property
    def uses_threads(self) -> bool:
        """Whether the function takes a thread id and a thread count."""
        return any(p.kind == "thread_id" for p in self.parameters)

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.parameters if p.kind == "variable")


class MachineCode(Protocol):
    """Code in this process's memory, freed by `close` or when the object goes."""

    @property
    def object_size(self) -> int:
        """Bytes of the object file."""

    def address(self, name: str) -> int:
        """Where the function of that name starts; KeyError for another or after `close`."""

    def close(self) -> None:
        """Frees the code; its addresses are no longer valid."""


class Renderer(ABC):
    """Turns kernels into source for one back end, and the source into machine code."""

    backend_name: ClassVar[str]
    target: Target
    passes: Sequence[Pass]
    """From the optimised form to what the source is printed from."""

    @property
    def decompositor(self) -> Sequence[PatternSet]:
        """Patterns for what the back end lacks, run before its own passes."""
        return ()

    @abstractmethod
    def render(self, kernel: Body, name: str) -> RenderedKernel:
        """The kernel as source that defines a function of that name."""

    @abstractmethod
    def compile(self, rendered: RenderedKernel) -> MachineCode:
        """Machine code of the source, in this process. Any number of threads may call this at once."""

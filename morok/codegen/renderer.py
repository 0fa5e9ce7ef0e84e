"""What every back end offers: a kernel in optimised form becomes source text with a known parameter list."""
from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..graph.body import Body
from ..passes.codegen.parameters import Parameter
from ..passes.pattern import PatternSet


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


class Renderer(ABC):
    """Turns kernels into source for one back end."""

    backend_name: ClassVar[str]

    @property
    def decompositor(self) -> Sequence[PatternSet]:
        """Patterns for what the back end lacks, run before its own passes."""
        return ()

    @abstractmethod
    def render(self, kernel: Body, name: str) -> RenderedKernel:
        """The kernel as source that defines a function of that name."""

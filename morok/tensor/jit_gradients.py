"""What a captured function does to the gradients of variables: which it found, and which it leaves."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph.tensor_graph import TensorUOp
from .core import Leaf
from .tracing import Trace


class CapturedGradients:
    """The gradients that were read, which must be the same tensors at a later call, and the outputs that become gradients."""

    __slots__ = ("_found", "_left")

    def __init__(self, trace: Trace, made: dict[TensorUOp, int]) -> None:
        """Within the trace: enters the new gradients among the values that are to be computed."""
        self._found: list[tuple[Leaf, Any]] = list(trace.gradients_read.items())
        self._left: list[tuple[Leaf, int | None, str]] = []
        for leaf, tensor in trace.gradients.items():
            if tensor is None:
                self._left.append((leaf, None, ""))
            elif tensor is not trace.gradients_read.get(leaf):
                self._left.append((leaf, made.setdefault(tensor.uop, len(made)), tensor.device))

    def __bool__(self) -> bool:
        return bool(self._found or self._left)

    def fit(self) -> bool:
        """Whether the gradients that there are now are those that were found."""
        return all(leaf.gradient is tensor for leaf, tensor in self._found)

    def set(self, tensor: Callable[[int, str], Any]) -> None:
        """Gives each variable its gradient: the tensor of an output on a device, or none."""
        for leaf, output, device in self._left:
            leaf.gradient = None if output is None else tensor(output, device)

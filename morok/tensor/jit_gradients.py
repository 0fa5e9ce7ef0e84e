"""What a captured function does to the gradients of variables: which it found, and which it leaves."""
from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ..graph.registries import TENSORS
from ..graph.tensor_graph import TensorUOp
from .core import Leaf, Storage
from .tracing import Trace


class CapturedGradients:
    """The gradients that were read, which must be the same tensors at a later call, and the outputs that become gradients."""

    __slots__ = ("_found", "_left")

    def __init__(self, trace: Trace, made: dict[TensorUOp, int], inputs: Collection[Storage]) -> None:
        """Within the trace: enters the new gradients among the values that are to be computed. Variables that the function makes of its inputs or of what
        it computes, and drops, are made anew at each call."""
        passing = {s.leaf for s in (*trace.own_storages(), *inputs) if s.leaf is not None}
        if passing:
            passing -= {storage.leaf for t in TENSORS.live() if (storage := getattr(t, "_storage", None)) is not None and storage not in inputs}
        self._found: list[tuple[Leaf, Any]] = [(leaf, tensor) for leaf, tensor in trace.gradients_read.items() if leaf not in passing]
        self._left: list[tuple[Leaf, int | None, str]] = []
        for leaf, tensor in trace.gradients.items():
            if leaf in passing:
                continue
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

"""What a captured function does to the gradients of variables: which it found, and which it leaves.

A gradient that was there is an argument like others: the function is run with the one that the variable has at each call. Only where a tensor of the program is
the gradient, too, or shares its memory, must it be the same one at each call: the function may have read it by that name.
"""
from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..graph.registries import TENSORS
from ..graph.tensor_graph import TensorUOp
from .core import Leaf, Storage
from .tracing import Trace


class CapturedGradients:
    """The gradients that were read, and the outputs that become gradients. `places` says for storages of gradients whose they were."""

    __slots__ = ("places", "_others", "_fixed", "_left")

    def __init__(self, trace: Trace, made: dict[TensorUOp, int], inputs: Collection[Storage],
                 of_variables: bool = False) -> None:
        """Within the trace: enters the new gradients among the values that are to be computed. Variables that the function makes of its inputs or of what
        it computes, and drops, are made anew at each call."""
        passing = {s.leaf for s in (*trace.own_storages(), *inputs) if s.leaf is not None}
        if passing:
            passing -= {storage.leaf for t in TENSORS.live() if (storage := getattr(t, "_storage", None)) is not None and storage not in inputs}
        apart = _with_memory_of_their_own(trace.gradients_read) if of_variables else _unknown_elsewhere(trace.gradients_read)
        found = {leaf: tensor for leaf, tensor in trace.gradients_read.items() if leaf not in passing}
        self.places: dict[Storage, Leaf] = {t._storage: leaf for leaf, t in found.items() if leaf in apart and t._storage not in inputs}
        self._others = frozenset(s for s in trace.stand_ins if s not in self.places)
        self._fixed: list[tuple[Leaf, Any]] = [(leaf, t) for leaf, t in found.items() if t is None or t._storage not in self.places]
        self._left: list[tuple[Leaf, int | None, str]] = []
        for leaf, tensor in trace.gradients.items():
            if leaf in passing:
                continue
            if tensor is None:
                self._left.append((leaf, None, ""))
            elif tensor is not trace.gradients_read.get(leaf):
                self._left.append((leaf, made.setdefault(tensor.uop, len(made)), tensor.device))

    def __bool__(self) -> bool:
        return bool(self.places or self._fixed or self._left)

    def fit(self) -> bool:
        """Whether the gradients that there are now can take the places of those that were found: each has memory of its own, which nothing else that the
        function reads has."""
        if any(leaf.gradient is not tensor for leaf, tensor in self._fixed):
            return False
        if not self.places:
            return True
        storages = set()
        for leaf in self.places.values():
            t = leaf.gradient
            if t is None or t._chain is not None or t._storage in self._others:
                return False
            storages.add(t._storage)
        return len(storages) == len(self.places)

    def holds(self, storage: Storage) -> bool:
        """Whether a gradient that the function reads has this storage now."""
        return any(t is not None and t._storage is storage for t in (leaf.gradient for leaf in self.places.values()))

    def set(self, tensor: Callable[[int, str], Any]) -> None:
        """Gives each variable its gradient: the tensor of an output on a device, or none."""
        for leaf, output, device in self._left:
            leaf.gradient = None if output is None else tensor(output, device)


def _unknown_elsewhere(found: Mapping[Leaf, Any]) -> set[Leaf]:
    """The variables whose gradients nobody else knows: neither the tensor nor a view of it."""
    sharing = Counter(id(storage) for t in TENSORS.live() if (storage := getattr(t, "_storage", None)) is not None)
    counts = zip(found, found.values(), _references(found))
    return {leaf for leaf, t, count in counts if t is not None and count <= _ALONE and t._chain is None and sharing[id(t._storage)] == 1}


def _with_memory_of_their_own(found: Mapping[Leaf, Any]) -> set[Leaf]:
    sharing = Counter(id(t._storage) for t in found.values() if t is not None)
    return {leaf for leaf, t in found.items() if t is not None and t._chain is None and sharing[id(t._storage)] == 1}


def _references(found: Mapping[Leaf, Any]) -> list[int]:
    return [sys.getrefcount(tensor) for tensor in found.values()]


def _count_alone() -> int:
    probe = Leaf()
    probe.gradient = object()  # type: ignore[assignment]
    return _references({probe: probe.gradient})[0]


_ALONE = _count_alone()
"""What `_references` counts for a gradient that only its variable and the trace have."""

"""Plans of tensors that are assigned to: each run writes the tensor's own memory, and whoever made something of the old value keeps it.

    t.assign(t + 1)
    plan = t.prepare()
    plan.execute()                      # t is written
    v, y = t[1:], t * 2                 # v is a view of t, y what it is now
    plan.execute()                      # v follows; y is computed of the value that t had

A plan goes about its targets as a captured function does (storage_memory.py). A target that was given another value meanwhile is written from there.
"""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import realize
from .core import Storage, TensorCore

if TYPE_CHECKING:
    from ..runtime.buffer import Buffer


def prepared(tensors: Sequence[TensorCore], beam: int | None, opts: str | Mapping[str, str] | None) -> Any:
    """An ExecutionPlan that computes the tensors, in this order."""
    targets = {i: t._storage for i, t in enumerate(tensors) if t._chain is None and t.uop.name == "assign"}
    plan = realize.prepare([t.uop for t in tensors], beam, opts)
    written = {slot: storage for i, storage in targets.items() if (slot := plan.compiled.outputs[i]) < plan.compiled.leaf_count}
    if written:
        plan.targets = _Targets(written)
    return plan


class _Targets:
    """Storages by the slot of the plan that is their memory."""

    def __init__(self, written: Mapping[int, Storage]) -> None:
        self._written = dict(written)

    @contextmanager
    def writing(self) -> Iterator[Mapping[int, Buffer]]:
        from ..runtime.realize import RUNTIME
        from .storage_memory import own_memory
        with RUNTIME.lock:
            yield {slot: own_memory(storage) for slot, storage in self._written.items() if None not in storage.value.type.shape}  # type: ignore[union-attr]
            for storage in self._written.values():
                storage.was_written()

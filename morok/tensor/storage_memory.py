"""The memory of storages that captured functions and plans read and write."""
from __future__ import annotations

import sys

from ..graph.tensor_graph import GRAPH, new_buffer
from ..runtime.buffer import Buffer
from ..runtime.realize import memory_of, memory_view, realize_uops
from .core import Storage


def storage_memory(storage: Storage) -> Buffer:
    """The memory of a storage's value, which is computed if need be."""
    u = storage.value
    if memory_view(u) is None:
        realize_uops([u])
    return memory_of(memory_view(u))  # type: ignore[arg-type]


class _Probe:
    def __init__(self) -> None:
        self._uop = object()


def _references(owner: object) -> int:
    return sys.getrefcount(owner._uop)  # type: ignore[attr-defined]


_ALONE = _references(_Probe())
"""What `_references` counts for a value that only its storage holds."""


def own_memory(storage: Storage) -> Buffer:
    """The memory of a storage's value, to write to. Where others may ask for the value too (unrealised tensors made of it, clones, whoever lent the
    memory or reads it as an array), they keep it, and the storage gets a copy."""
    memory = storage_memory(storage)
    if storage._uop.name == "buffer" and not memory.is_shared:
        if _references(storage) == _ALONE:
            return memory
        for ref in storage.views:  # they derive their values anew
            view = ref()
            if view is not None:
                view._derived = None
        view = None
        GRAPH.drain()
        if _references(storage) == _ALONE:
            return memory
    own = Buffer(memory.shape, memory.dtype, memory.device)
    own.copy_from(memory)
    storage.write(new_buffer(storage._uop.type, storage.device, own))  # type: ignore[arg-type]
    return own

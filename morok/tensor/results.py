"""Tensors of memory that is there already: the results of jitted functions.

Such a tensor enters the graph when something first asks for its UOp. Until then its storage holds the memory alone, which costs a tenth.
"""
from __future__ import annotations

import weakref
from collections.abc import Mapping
from math import prod
from typing import Any

from ..dialect import types as T
from ..graph.derivation import CUT
from ..graph.registries import TENSORS
from ..graph.shape import Shape
from ..graph.tensor_graph import GRAPH, TensorUOp, index_value, new_buffer
from ..graph.uop import UOp, toposort
from ..runtime.buffer import Buffer
from . import build
from .core import Storage
from .sizes import as_size, numel
from .tracing import TRACING


class ResultStorage(Storage):
    """A storage whose `_uop` is a Buffer still, and whose `views` name the tensor. It becomes a plain Storage with its first use in the graph."""

    __slots__ = ()

    @property
    def uop(self) -> TensorUOp:
        self._enter_graph()
        return Storage.uop.fget(self)  # type: ignore[attr-defined]

    @property
    def value(self) -> TensorUOp:
        if TRACING.count and (trace := TRACING.current) is not None:
            return trace.value(self)
        self._enter_graph()
        return self._uop

    def _enter_graph(self) -> None:
        with GRAPH.lock:
            memory: Any = self._uop
            if isinstance(memory, Buffer):
                self._uop = new_buffer(T.tensor(memory.shape, memory.dtype), self.device, memory)
                for ref in self.views:
                    tensor = ref()
                    if tensor is not None:
                        TENSORS.add(tensor)
                self.__class__ = Storage  # type: ignore[assignment]


class CutStorage(ResultStorage):
    """Of a result that depends on variables in a way that only the captured function knew: derivatives do not go through it."""

    __slots__ = ()

    def _enter_graph(self) -> None:
        super()._enter_graph()
        CUT.add(self._uop)


_new, _ref = object.__new__, weakref.ref


def result_tensor(cls: type, memory: Buffer, device: str, kind: type[ResultStorage] = ResultStorage) -> Any:
    """A tensor of that memory."""
    storage: Any = _new(kind)
    tensor: Any = _new(cls)
    storage._uop, storage.device, storage.version, storage.limit, storage.leaf = memory, device, 0, 16, None
    storage.views = [_ref(tensor)]
    tensor._storage, tensor._chain, tensor._derived, tensor._seen = storage, None, None, 0
    return tensor


def symbolic_result(cls: Any, memory: Buffer, shape: Shape, values: Mapping[str, int], device: str) -> Any:
    """A tensor whose sizes are those of a plan's output, its variables bound to these values."""
    sizes = tuple(s if isinstance(s, int) else as_size(_bound(s, values)) for s in shape)
    base = new_buffer(T.tensor((prod(memory.shape),), memory.dtype), device, memory)
    return cls._from_uop(build.reshape(build.shrink(base, (0,), (numel(sizes),)), sizes), device)


def _bound(size: UOp, values: Mapping[str, int]) -> TensorUOp:
    """An index expression of a program as one of the lazy graph."""
    new: dict[UOp, TensorUOp] = {}
    for u in toposort((size,)):
        made = TensorUOp.make(u.name, tuple(new[o] for o in u.operands), u.attributes, u.type if u.name == "const" else None)
        if u.name == "define_var":
            made = TensorUOp.make("bind", (made, index_value(values[u.attribute("name")])))
        new[u] = made
    return new[size]

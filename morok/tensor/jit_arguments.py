"""The arguments of a jitted function: tensors anywhere in lists, tuples and dicts; sizes; everything else, which is static.

    a = Arguments(((x, [y, x]), {"scale": 2.0}))
    a.tensors                      (x, y): each once
    call = a.bind()                realised; call.key is the signature, call.values the values of Variables
    a.rebuild([p, q])              ((p, [q, p]), {"scale": 2.0})
"""
from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Awaitable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import JitError
from ..graph import shape as symbolic
from ..graph.capture import structural_key
from ..graph.shape import add_bound_value
from ..graph.tensor_graph import TensorUOp, new_buffer
from ..graph.uop import UOp
from ..runtime.buffer import Buffer
from ..runtime.realize import memory_of, memory_view, realize_uops
from .core import Storage, TensorCore
from .sizes import SymbolicInt
from .storage_memory import own_memory, storage_memory


class _Place:
    """Where a tensor stands in a structure: its number."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


class Arguments:
    """A structure taken apart."""

    def __init__(self, value: Any) -> None:
        self.tensors: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._statics: list[Any] = []
        self._sizes: list[SymbolicInt] = []
        self._structure: list[Any] = []
        self._template = self._take(value)

    @property
    def is_single(self) -> bool:
        """Whether the structure is just a tensor."""
        return isinstance(self._template, _Place)

    def _take(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            from .tensor import Tensor
            value = Tensor(value)
        if isinstance(value, TensorCore):
            number = self._numbers.setdefault(id(value), len(self.tensors))
            if number == len(self.tensors):
                self.tensors.append(value)
            self._structure.append(number)
            return _Place(number)
        kind = type(value)
        if isinstance(value, (list, tuple)):
            self._structure += (kind, len(value))
            items = [self._take(v) for v in value]
            return items if kind is list else tuple(items) if kind is tuple else kind(*items) if hasattr(value, "_fields") else kind(items)
        if isinstance(value, dict):
            self._structure += (kind, len(value), *[k if k.__class__ is str else _static_key(k) for k in value])
            taken = {} if kind is dict else copy.copy(value)
            taken.update({k: self._take(v) for k, v in value.items()})
            return taken
        if isinstance(value, SymbolicInt):
            self._sizes.append(value)
            self._structure.append(SymbolicInt)
        else:
            self._statics.append(value)
            self._structure.append(kind)
        return value

    def rebuild(self, tensors: Sequence[Any]) -> Any:
        """The structure with other tensors in the places of its own."""
        return _rebuilt(self._template, tensors)

    def check_lasting(self, function: str) -> None:
        """JitError where the structure is the result of a function and holds what only one caller can use."""
        for value in self._statics:
            if isinstance(value, (Iterator, Awaitable, AsyncIterator)):
                raise JitError(f"{function} returns a {type(value).__name__}, which all calls of the captured function would share and the first would use up; "
                               "return a list, tuple or dict")

    def bind(self) -> Call:
        """Realises the tensors and finds the signature. JitError for a static value that cannot be a key."""
        slots: list[Slot] = []
        places: list[Any] = []
        by_storage: dict[Storage, list[Any]] = {}
        for t in self.tensors:
            by_storage.setdefault(t._storage, []).append(t)
        numbers = {}
        for storage, sharing in by_storage.items():
            numbers[storage] = len(slots)
            slots.append(Slot(storage, None if len(sharing) > 1 or sharing[0]._chain is None else sharing[0]))
        for t in self.tensors:
            steps = () if t._chain is None or len(by_storage[t._storage]) == 1 else tuple((f.__name__, *given) for f, given in t._steps())
            places.append((numbers[t._storage], steps))
        realize_uops([slot.value for slot in slots if memory_view(slot.value) is None])
        values: dict[str, int] = {}
        kinds = [(slot.value.type, slot.device, _size_key(slot.value, values)) for slot in slots]
        sizes = [_sizes_key([s.uop], values) for s in self._sizes]
        key = (tuple(self._structure), tuple(places), tuple(kinds), tuple(sizes), tuple(map(_static_key, self._statics)))
        return Call(key, slots, self.tensors, [numbers[t._storage] for t in self.tensors], values)

    def traced(self, call: Call, storages: Sequence[Storage]) -> list[Any]:
        """The tensors with other storages, those of the call's slots, in the places of theirs."""
        found = []
        for t, number in zip(self.tensors, call.numbers):
            fresh = type(t)._from_uop(storages[number]._uop, storages[number].device)
            fresh._storage = storages[number]
            if t._chain is not None and call.slots[number].tensor is None:
                fresh._chain = t._chain
            found.append(fresh)
        return found


class Slot:
    """The memory behind one argument: a storage, or the copy that a view's own elements are."""

    __slots__ = ("storage", "tensor")

    def __init__(self, storage: Storage, tensor: Any) -> None:
        self.storage = storage
        self.tensor = tensor
        """A view that is taken as a copy; None where all of the storage is given."""

    @property
    def value(self) -> TensorUOp:
        return self.storage.uop if self.tensor is None else self.tensor.uop

    @property
    def device(self) -> str:
        return self.storage.device

    def memory(self) -> Buffer:
        if self.tensor is None:
            return storage_memory(self.storage)
        value = self.tensor.uop
        realize_uops([value])
        return memory_of(memory_view(value))  # type: ignore[arg-type]

    def own_memory(self) -> Buffer:
        """Memory with the value, to write to."""
        if self.tensor is None:
            return own_memory(self.storage)
        source = self.memory()
        own = Buffer(source.shape, source.dtype, source.device)
        own.copy_from(source)
        return own

    def written(self, memory: Buffer) -> None:
        """The memory that `own_memory` gave has a new value."""
        if self.tensor is not None:
            self.tensor._write(new_buffer(self.tensor.uop.type, self.device, memory))
            realize_uops([self.storage.uop])
        else:
            self.storage.was_written()


class Call:
    """A signature and what is bound to it."""

    __slots__ = ("key", "slots", "tensors", "numbers", "values")

    def __init__(self, key: Hashable, slots: list[Slot], tensors: list[Any], numbers: list[int], values: dict[str, int]) -> None:
        self.key, self.slots, self.tensors, self.values = key, slots, tensors, values
        self.numbers = numbers
        """The slot of each tensor."""


def _rebuilt(template: Any, tensors: Sequence[Any]) -> Any:
    if isinstance(template, _Place):
        return tensors[template.number]
    kind = type(template)
    if isinstance(template, (list, tuple)):
        items = [_rebuilt(v, tensors) for v in template]
        return items if kind is list else tuple(items) if kind is tuple else kind(*items) if hasattr(template, "_fields") else kind(items)
    if isinstance(template, dict):
        made = {} if kind is dict else copy.copy(template)
        made.update({k: _rebuilt(v, tensors) for k, v in template.items()})
        return made
    return template


def _static_key(value: Any) -> Hashable:
    """What tells values apart that Python calls equal: 1, True and 1.0."""
    if isinstance(value, (float, complex, np.inexact)):
        return type(value), repr(value)  # tells 0.0 from -0.0, and finds nan
    if type(value) in (tuple, frozenset):  # a key of a dict, a set
        return type(value), type(value)(map(_static_key, value))
    try:
        hash(value)
    except TypeError:
        raise JitError(f"an argument of type {type(value).__name__} cannot be part of a signature, as it has no hash; give its tensors in a list, tuple "
                       "or dict, and the rest as numbers and strings") from None
    return type(value), value


def _size_key(value: TensorUOp, values: dict[str, int]) -> Hashable:
    if None not in value.type.shape:  # type: ignore[union-attr]
        return None
    return _sizes_key([s for s in symbolic.shape_of(value) if isinstance(s, UOp)], values)


def _sizes_key(sizes: Sequence[Any], values: dict[str, int]) -> Hashable:
    key, _, bound = structural_key(sizes)
    for name, value in bound.items():
        add_bound_value(values, name, value)
    return key

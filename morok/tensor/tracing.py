"""Traces: how `morok.jit` sees what a function does to tensors, without doing it.

    with Trace() as trace:
        y = w * 2                    reads w as a stand-in, a buffer without memory
        w.assign(y)                  w's new value is the trace's alone; other threads, and this one afterwards, see the old
    trace.stand_ins, trace.written

A trace holds in the thread that began it. Inside it nothing that depends on a stand-in or on a write can be computed.
"""
from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..dialect import types as T
from ..errors import JitError
from ..fork_safety import renewed_after_fork
from ..graph import shape as symbolic
from ..graph.capture import reachable
from ..graph.tensor_graph import TensorUOp, new_buffer, stated, symbolic_sizes

if TYPE_CHECKING:
    from .core import Storage
    from .mapping.levels import Level


class _Current(threading.local):
    trace: Trace | None = None
    unrecorded: int = 0
    level: Level | None = None


class Tracing:
    """The traces of this process: how many there are, and each thread's own. Without any, tensors pay one look at `count`."""

    __slots__ = ("count", "_current", "_lock", "__weakref__")

    def __init__(self) -> None:
        self.count = 0
        self._current, self._lock = _Current(), threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)

    @property
    def current(self) -> Trace | None:
        """This thread's trace."""
        return self._current.trace

    @property
    def alters(self) -> bool:
        """Whether this thread sees other values than the tensors' own: within a trace, or where gradients are not recorded."""
        return self._current.trace is not None or self._current.unrecorded > 0

    @property
    def unrecorded(self) -> bool:
        """Whether this thread is in a `no_grad()`: what it reads is cut off from gradients."""
        return self._current.unrecorded > 0

    def set_unrecorded(self, value: bool) -> bool:
        """Begins or ends that, and says what was before."""
        before = self._current.unrecorded > 0
        if value != before:
            self._current.unrecorded = int(value)
            with self._lock:
                self.count += 1 if value else -1
        return before

    @property
    def level(self) -> Level | None:
        """The innermost `vmap` that this thread is within the function of."""
        return self._current.level

    def set_level(self, level: Level | None) -> Level | None:
        """Goes to a level, and says which was before."""
        before = self._current.level
        self._current.level = level
        with self._lock:
            self.count += (level is not None) - (before is not None)
        return before

    def enter(self, trace: Trace) -> None:
        with self._lock:
            self.count += 1
        self._current.trace = trace

    def leave(self) -> None:
        self._current.trace = None
        with self._lock:
            self.count -= 1


TRACING = Tracing()
renewed_after_fork(TRACING, "count", lambda: int(TRACING.current is not None))  # the other threads' traces are not in the child


class Trace:
    """What one call of a function reads and writes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stand_ins: dict[Storage, TensorUOp] = {}
        """For each storage from outside that was read, the buffer that stands for it."""
        self.written: dict[Storage, None] = {}
        """The storages with a stand-in that have another value now."""
        self.gradients: dict[Any, Any] = {}
        """The gradients of leaves that were set."""
        self.gradients_read: dict[Any, Any] = {}
        """The gradients of leaves that were read before they were set, as they were outside."""
        self._values: dict[Storage, TensorUOp] = {}
        self._buffers: set[TensorUOp] = set()

    def __enter__(self) -> Trace:
        TRACING.enter(self)
        return self

    def __exit__(self, *_: Any) -> None:
        TRACING.leave()

    def value(self, storage: Storage) -> TensorUOp:
        """The storage's value within the trace."""
        found = self._values.get(storage)
        if found is None:
            TRACING.leave()
            try:
                outside = storage.value
            finally:
                TRACING.enter(self)
            base, found = stand_in(outside, storage.device)
            self.add_stand_in(storage, base, found)
        return found

    def add_stand_in(self, storage: Storage, buffer: TensorUOp, value: TensorUOp) -> None:
        self.stand_ins[storage] = buffer
        self._buffers.add(buffer)
        self._values[storage] = value
        if storage.leaf is not None:
            storage.leaf.add_value(value)

    def own(self, storage: Storage, value: TensorUOp) -> None:
        """A storage that the function made."""
        self._values[storage] = value

    def own_storages(self) -> list[Storage]:
        """The storages that the function made."""
        return [s for s in self._values if s not in self.stand_ins]

    def write(self, storage: Storage, value: TensorUOp) -> None:
        self._values[storage] = value
        if storage.leaf is not None:
            storage.leaf.add_value(value)
        if storage in self.stand_ins:
            self.written[storage] = None

    def known(self, uops: Iterable[TensorUOp]) -> list[TensorUOp]:
        """Those of the values that can be computed inside the trace."""
        return [u for u in uops if all(node not in self._buffers and node.name != "assign" for node in reachable([u]))]

    def refuse(self, what: str) -> None:
        raise JitError(f"{self.name}: {what} inside a function that morok.jit captures needs a value that only a call has; return the tensor and "
                       "look at it outside, or give the value as a Python number")


def stand_in(u: TensorUOp, device: str) -> tuple[TensorUOp, TensorUOp]:
    """A buffer without memory in the place of a value, and the value that it then has: a view of it where the shape is symbolic."""
    t = u.type
    assert isinstance(t, T.TensorType)
    if None not in t.shape:
        buffer = new_buffer(t, device)
        return buffer, buffer
    shape = symbolic.shape_of(u)
    count = (symbolic.numel(shape),)
    greatest = 1
    for size in symbolic.max_shape(u):
        greatest *= size
    buffer = new_buffer(T.tensor((greatest,), t.dtype), device)
    flat = TensorUOp.make("shrink", (buffer, *symbolic_sizes(count)), ((0,), stated(count)))
    return buffer, TensorUOp.make("reshape", (flat, *symbolic_sizes(shape)), (stated(shape),))

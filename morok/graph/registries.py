"""The process's three registries: live tensors, the memory of buffers, compiled kernels.

Tensors and buffers are held weakly: what nobody else holds leaves the registry. All calls are safe from any thread; no finaliser locks.
"""
from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

from .uop import UOp

Entry = TypeVar("Entry")


class _NumberedRef(weakref.ref):
    __slots__ = ("number",)
    number: int


class _WeakTable(Generic[Entry]):
    """Objects by id, as long as they live."""

    def __init__(self) -> None:
        self._refs: dict[int, _NumberedRef] = {}

    def add(self, entry: Entry) -> None:
        ref = _NumberedRef(entry, self._forget)
        ref.number = id(entry)
        self._refs[ref.number] = ref

    def _forget(self, ref: _NumberedRef) -> None:
        self._refs.pop(ref.number, None)

    def live(self) -> list[Entry]:
        # copy() is one step: a plain loop could meet a finaliser's change
        return [entry for ref in self._refs.copy().values() if (entry := ref()) is not None]

    def __len__(self) -> int:
        return len(self._refs)


class TensorRegistry(_WeakTable[Any]):
    """Every live tensor: an object with an attribute `uop`, and `base_uop` where it is a view of another value."""

    def uops(self) -> set[UOp]:
        """What the live tensors stand for, and the values that they are views of: these are asked for again after a write."""
        found = set()
        for tensor in self.live():
            for u in (getattr(tensor, "uop", None), getattr(tensor, "base_uop", None)):
                if u is not None:  # one may be under construction
                    found.add(u)
        return found


class BufferRegistry(_WeakTable[Any]):
    """The memory of `buffer` ops. The op's handle owns it, so that memory dies with the handle."""

    def attach(self, u: Any, storage: Any) -> None:
        """Gives a buffer op its memory (any object; the runtime's Buffer)."""
        if u.name != "buffer":
            raise ValueError(f"only a buffer has memory of its own, not morok.{u.name}; realize it first")
        u.storage = storage
        self.add(u)

    def get(self, u: Any) -> Any:
        """The memory of a buffer op; None for other ops and for a buffer without memory."""
        return u.storage


class KernelRegistry:
    """Compiled kernels by (key, device). Held until `clear()`."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[Any, str], Any] = {}

    def get(self, key: Any, device: str) -> Any:
        """The compiled kernel or None."""
        return self._kernels.get((key, device))

    def add(self, key: Any, device: str, kernel: Any) -> Any:
        """Enters a kernel and gives the one that stands: the first, where two threads compiled the same."""
        return self._kernels.setdefault((key, device), kernel)

    def clear(self) -> None:
        self._kernels.clear()

    def __len__(self) -> int:
        return len(self._kernels)


TENSORS, BUFFERS, KERNELS = TensorRegistry(), BufferRegistry(), KernelRegistry()

STAND_INS: weakref.WeakSet[UOp] = weakref.WeakSet()
"""Values that stand for any one of many examples while a function is mapped over them, and their buffers, which never have memory."""

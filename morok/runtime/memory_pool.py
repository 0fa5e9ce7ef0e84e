"""A pool of host memory: blocks aligned to 64 bytes, kept after use for the next buffer of their size.

First touches of fresh pages cost more than most kernels, so a dropped buffer's block waits in a free list of its size bucket; the blocks
that have waited longest are given back to the system when more than `limit` bytes wait. Buckets are powers of two and three steps between
them.
"""
from __future__ import annotations

import itertools
import os
import threading
from dataclasses import dataclass

import numpy as np

from ..fork_safety import renewed_after_fork

ALIGNMENT = 64
_SMALLEST = 256


@dataclass(frozen=True)
class PoolStatistics:
    """How many blocks the system was asked for, the bytes of those that buffers hold, and of those that wait."""

    allocated: int
    live_bytes: int
    cached_bytes: int


class Block:
    """Memory: `raw` holds it, `address` is the first aligned byte of `nbytes`. `shelf` is where blocks of this size wait."""

    __slots__ = ("raw", "address", "nbytes", "shelf", "returned")

    def __init__(self, nbytes: int, shelf: list[Block]) -> None:
        self.raw = np.empty(nbytes + ALIGNMENT, np.uint8)
        self.address = -(-self.raw.ctypes.data // ALIGNMENT) * ALIGNMENT
        self.nbytes, self.shelf = nbytes, shelf
        self.returned = 0
        """When it was last given back, as a running number."""


class MemoryPool:
    """Waiting blocks by size; the last one given back is the first used. Taking and giving back a block are single steps of a list, so they
    need no lock, and a finaliser may give back at any place."""

    LARGE = 1 << 16
    """Blocks whose return may carry the pool over its limit. (A module's names are gone when the last finalisers run.)"""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = total_memory() // 4 if limit is None else limit
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._waiting: dict[int, list[Block]] = {}
        self._clock = itertools.count()
        self._blocks = self._bytes = 0

    def take(self, nbytes: int) -> Block:
        """A block of at least that many bytes, their content undefined; MemoryError if the machine has not so many."""
        size = bucket(nbytes)
        try:
            return self.shelf(size).pop()
        except IndexError:
            return self.allocate(size)

    def shelf(self, size: int) -> list[Block]:
        """The blocks of that size (a bucket's) that wait; `pop` takes one. It stays the same list."""
        found = self._waiting.get(size)
        return self._waiting.setdefault(size, []) if found is None else found

    def give_back(self, block: Block) -> None:
        """The block waits for its next user. Safe wherever a finaliser may run."""
        block.returned = next(self._clock)
        block.shelf.append(block)
        if block.nbytes >= self.LARGE and self._lock.acquire(blocking=False):
            try:
                self._trim()
            finally:
                self._lock.release()

    def clear(self) -> None:
        """Gives all waiting blocks back to the system."""
        with self._lock:
            for waiting in list(self._waiting.values()):
                while waiting:
                    self._bytes -= waiting.pop().nbytes

    @property
    def statistics(self) -> PoolStatistics:
        cached = self._cached_bytes()
        return PoolStatistics(self._blocks, self._bytes - cached, cached)

    def allocate(self, size: int) -> Block:
        """A new block of that size."""
        if size > total_memory():
            raise MemoryError(f"a buffer of {size:,} bytes is asked for; this machine has {total_memory():,}")
        with self._lock:
            self._trim()
            self._blocks += 1
            self._bytes += size
        try:
            return Block(size, self.shelf(size))
        except MemoryError:
            self.clear()
        try:
            return Block(size, self.shelf(size))
        except MemoryError:
            with self._lock:
                self._bytes -= size
            raise MemoryError(f"a buffer of {size:,} bytes is asked for, more than is free") from None

    def _cached_bytes(self) -> int:
        return sum(size * len(waiting) for size, waiting in list(self._waiting.items()))

    def _trim(self) -> None:
        """Drops the blocks that have waited longest until those that wait keep within the limit."""
        excess = self._cached_bytes() - self.limit
        while excess > 0:
            try:
                oldest = min((w[0] for w in list(self._waiting.values()) if w), key=_when_returned)
                self._waiting[oldest.nbytes].remove(oldest)
            except (IndexError, ValueError):  # none waits, or another thread took it meanwhile
                return
            self._bytes -= oldest.nbytes
            excess -= oldest.nbytes


def _when_returned(block: Block) -> int:
    return block.returned


def bucket(nbytes: int) -> int:
    """The block size for a request: 256, 320, 384, 448, 512, 640, ..."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << (nbytes - 1).bit_length() - 3
    return -(-nbytes // step) * step


def total_memory() -> int:
    """Bytes of memory that this machine has."""
    return _TOTAL


_TOTAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

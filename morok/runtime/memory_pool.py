"""A pool of host memory: blocks aligned to 64 bytes, kept after use for the next buffer of their size.

First touches of fresh pages cost more than most kernels, so a dropped buffer's block waits in a free list of its size bucket; the blocks
that waited longest are given back to the system when more than `limit` bytes wait. Buckets are powers of two and three steps between
them.
"""
from __future__ import annotations

import os
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

import numpy as np

ALIGNMENT = 64
_SMALLEST = 256


@dataclass
class PoolStatistics:
    """Bytes in use by buffers and waiting for one, and how many allocations were served by each."""

    live_bytes: int = 0
    cached_bytes: int = 0
    allocated: int = 0
    reused: int = 0


class Block:
    """Memory: `raw` holds it, `address` is the first aligned byte of `nbytes`."""

    __slots__ = ("raw", "address", "nbytes")

    def __init__(self, nbytes: int) -> None:
        self.raw = np.empty(nbytes + ALIGNMENT, np.uint8)
        self.address = -(-self.raw.ctypes.data // ALIGNMENT) * ALIGNMENT
        self.nbytes = nbytes


class MemoryPool:
    """Blocks by size, least recently used first. `give_back` may be called from a finaliser: it takes no lock."""

    def __init__(self, limit: int | None = None) -> None:
        self.limit = total_memory() // 4 if limit is None else limit
        self.statistics = PoolStatistics()
        self._lock = threading.Lock()
        self._returned: deque[Block] = deque()
        self._waiting: OrderedDict[int, Block] = OrderedDict()
        self._by_size: dict[int, list[int]] = {}

    def take(self, nbytes: int) -> Block:
        """A block of at least that many bytes, their content undefined; MemoryError if the machine has not so many."""
        size = bucket(nbytes)
        if size > total_memory():
            raise MemoryError(f"a buffer of {nbytes:,} bytes is asked for; this process may use {total_memory():,}")
        with self._lock:
            self._collect()
            keys = self._by_size.get(size)
            if keys:
                block = self._waiting.pop(keys.pop())
                self.statistics.cached_bytes -= size
                self.statistics.reused += 1
                self.statistics.live_bytes += size
                return block
        try:
            block = Block(size)
        except MemoryError:
            self.clear()
            try:
                block = Block(size)
            except MemoryError:
                raise MemoryError(f"a buffer of {nbytes:,} bytes is asked for; buffers hold {self.statistics.live_bytes:,} bytes") from None
        with self._lock:
            self.statistics.allocated += 1
            self.statistics.live_bytes += size
        return block

    def give_back(self, block: Block) -> None:
        """The block waits for its next user. Safe wherever a finaliser may run."""
        self._returned.append(block)
        if len(self._returned) > 64 and self._lock.acquire(blocking=False):
            try:
                self._collect()
            finally:
                self._lock.release()

    def clear(self) -> None:
        """Gives all waiting blocks back to the system."""
        with self._lock:
            self._collect()
            self._waiting.clear()
            self._by_size.clear()
            self.statistics.cached_bytes = 0

    def _collect(self) -> None:
        while self._returned:
            block = self._returned.popleft()
            self._waiting[block.address] = block
            self._by_size.setdefault(block.nbytes, []).append(block.address)
            self.statistics.live_bytes -= block.nbytes
            self.statistics.cached_bytes += block.nbytes
        while self.statistics.cached_bytes > self.limit:
            address, block = self._waiting.popitem(last=False)
            self._by_size[block.nbytes].remove(address)
            self.statistics.cached_bytes -= block.nbytes


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

"""Buffers: typed memory of a device.

    b = Buffer.from_numpy(array)       a copy in memory of our own
    b = Buffer.borrow(array)           the array's own memory where kernels can use it, else a copy
    b.numpy()                          a copy out
    b.view()                           the memory itself as an array, which keeps the buffer alive
    b.shared_view()                    the same for others to read: while they do, nothing is written there
"""
from __future__ import annotations

import ctypes
import weakref
from math import prod
from typing import Any

import numpy as np

from ..dialect import types as T
from .devices import Device, device
from .memory_pool import Block, bucket

_SMALL = 1024


_new = object.__new__


class Layout:
    """What buffers of one kind have in common, for those who make many."""

    __slots__ = ("shape", "dtype", "device", "nbytes", "size", "shelf")

    def __init__(self, shape: tuple[int, ...], dtype: T.DType, where: Device) -> None:
        self.shape, self.dtype, self.device = shape, dtype, where
        self.nbytes = prod(shape) * dtype.itemsize
        self.size = bucket(self.nbytes)
        self.shelf = where.pool.shelf(self.size)


class Buffer:
    """`nbytes` bytes at `address`, to hold row-major elements of `dtype` in `shape`. Memory of its own is 64-byte aligned; borrowed memory as its elements
    need it."""

    __slots__ = ("shape", "dtype", "device", "address", "nbytes", "_block", "_owner", "__weakref__")

    def __init__(self, shape: tuple[int, ...], dtype: T.DType, where: Device | str = "CPU") -> None:
        """New memory, its content undefined. MemoryError where there is not enough."""
        self._block: Block | None = None
        self.device = where if isinstance(where, Device) else device(where)
        self.shape, self.dtype = shape, dtype
        self.nbytes = prod(shape) * dtype.itemsize
        self._owner: Any = None
        self._block = self.device.pool.take(self.nbytes)
        self.address = self._block.address

    @classmethod
    def of_layout(cls, layout: Layout) -> Buffer:
        """New memory, its content undefined. MemoryError where there is not enough."""
        try:
            block = layout.shelf.pop()
        except IndexError:
            block = layout.device.pool.allocate(layout.size)
        self = _new(cls)
        self._block, self._owner, self.device, self.address = block, None, layout.device, block.address
        self.shape, self.dtype, self.nbytes = layout.shape, layout.dtype, layout.nbytes
        return self

    def __del__(self) -> None:
        block = self._block
        if block is not None:
            self.device.pool.give_back(block)

    @staticmethod
    def from_numpy(array: np.ndarray, where: Device | str = "CPU") -> Buffer:
        """A copy of the array. TypeError for a dtype that morok does not have."""
        buffer = Buffer(array.shape, _dtype(array), where)
        if buffer.nbytes <= _SMALL and array.dtype.isnative:
            ctypes.memmove(buffer.address, array.tobytes(), buffer.nbytes)  # cheaper than a view
        else:
            buffer.view()[...] = array
        return buffer

    @staticmethod
    def borrow(array: np.ndarray, where: Device | str = "CPU") -> Buffer:
        """The array's own memory, if it is row-major, of native byte order and each element at a multiple of its size, else a copy. It is never written."""
        if not (array.flags.c_contiguous and array.ctypes.data % array.itemsize == 0 and array.dtype.isnative):
            return Buffer.from_numpy(array, where)
        self = object.__new__(Buffer)
        self._block, self._owner = None, array
        self.device = where if isinstance(where, Device) else device(where)
        self.shape, self.dtype, self.nbytes, self.address = array.shape, _dtype(array), array.nbytes, array.ctypes.data
        return self

    @property
    def is_borrowed(self) -> bool:
        """Whether the memory is an array's."""
        return self._owner is not None and type(self._owner) is not _Readers

    @property
    def is_shared(self) -> bool:
        """Whether others rely on the contents: the memory is borrowed, or a shared view lives. Then it is not to be written."""
        owner = self._owner
        return owner is not None and (type(owner) is not _Readers or owner() is not None)

    @property
    def size(self) -> int:
        """Elements."""
        return prod(self.shape)

    def view(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """The memory as an array, without a copy; the first elements of it where `shape` is smaller."""
        shape = self.shape if shape is None else shape
        count = prod(shape)
        if count > self.size:
            raise ValueError(f"shape {shape} has {count} elements, but the buffer has {self.size}")
        if count == 0:
            return np.empty(shape, self.dtype.np)
        return np.asarray(_Memory(self, count * self.dtype.itemsize)).view(self.dtype.np).reshape(shape)

    def shared_view(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """The memory as a read-only array, without a copy. As long as it lives, `is_shared` keeps writers away."""
        shape = self.shape if shape is None else shape
        memory = self._owner() if type(self._owner) is _Readers else None
        if memory is None:
            memory = _Memory(self, self.nbytes, read_only=True)
            if not self.is_borrowed:
                self._owner = _Readers(memory)
        count = prod(shape)
        if count == 0:
            array = np.empty(shape, self.dtype.np)
            array.flags.writeable = False
            return array
        return np.asarray(memory)[:count * self.dtype.itemsize].view(self.dtype.np).reshape(shape)

    def numpy(self, shape: tuple[int, ...] | None = None) -> np.ndarray:
        """A copy of the elements (the first ones, where `shape` is smaller)."""
        return self.view(shape).copy()

    def copy_from(self, other: Buffer) -> None:
        """Takes over another buffer's bytes, from whatever device."""
        if other.nbytes != self.nbytes:
            raise ValueError(f"a buffer of {other.nbytes} bytes cannot be copied into one of {self.nbytes}")
        ctypes.memmove(self.address, other.address, self.nbytes)

    def fill_bytes(self, byte: int) -> None:
        ctypes.memset(self.address, byte, self.nbytes)

    def __repr__(self) -> str:
        return f"Buffer({self.shape}, {self.dtype}, {self.device.name!r})"


class _Memory:
    """Bytes of a buffer, for NumPy, which keeps this object and so the buffer for as long as an array on them lives."""

    def __init__(self, buffer: Buffer, nbytes: int, read_only: bool = False) -> None:
        self.buffer = buffer
        lender = buffer._owner
        read_only = read_only or isinstance(lender, np.ndarray) and not lender.flags.writeable
        self.__array_interface__ = {"shape": (nbytes,), "typestr": "|u1", "data": (buffer.address, read_only), "version": 3}


class _Readers(weakref.ref):
    """What the shared views of a buffer are made of."""

    __slots__ = ()


def _dtype(array: np.ndarray) -> T.DType:
    dtype = array.dtype
    return T.dtype_of_numpy(dtype if dtype.isnative else dtype.newbyteorder("="))

"""Tensors of memory, files and other libraries' arrays."""
from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..errors import BoundsError, FormatError
from ..tensor import dtypes
from ..tensor.arguments import integer
from ..tensor.tensor import Tensor


def frombuffer(buffer: Any, dtype: Any = None, count: int = -1, offset: int = 0, device: str | None = None) -> Tensor:
    """The bytes of an object with the buffer protocol (bytes, bytearray, array, mmap) as numbers, from `offset` bytes on, `count` of them or all.

    One axis, of the default float unless dtype says otherwise. Writable memory on the first device is shared where its address is aligned; bytes are
    copied. BoundsError where the bytes are no whole numbers, or too few. TypeError for what has no buffer.

        morok.frombuffer(b"\\x01\\x02", "uint8")  # [1, 2]
    """
    wanted = dtypes.default_float() if dtype is None else dtypes.as_dtype(dtype)
    view = memoryview(buffer).cast("B")
    start, size = integer(offset, "frombuffer: offset"), integer(count, "frombuffer: count")
    width = wanted.np.itemsize
    if not 0 <= start <= len(view):
        raise BoundsError(f"frombuffer: offset {start} is not within the {len(view)} bytes of the buffer")
    left = len(view) - start
    if size < 0 and left % width:
        raise BoundsError(f"frombuffer: {left} bytes are no whole number of {wanted} elements of {width} bytes; give count")
    size = left // width if size < 0 else size
    if size * width > left:
        raise BoundsError(f"frombuffer: {size} elements of {wanted} need {size * width} bytes, but there are {left} after the offset")
    array = np.frombuffer(view[start:start + size * width], wanted.np)
    return Tensor(array, device=device, borrow=not view.readonly)


def fromfile(path: str | os.PathLike, dtype: Any = None, count: int = -1, offset: int = 0, device: str | None = None) -> Tensor:
    """The bytes of a file as numbers, from `offset` bytes on, `count` of them or all that are whole.

    One axis, of the default float unless dtype says otherwise. Read at once. FormatError where there are fewer than `count`; FileNotFoundError.

        morok.fromfile("numbers.bin", "int16")
    """
    wanted = dtypes.default_float() if dtype is None else dtypes.as_dtype(dtype)
    size, start = integer(count, "fromfile: count"), integer(offset, "fromfile: offset")
    if start < 0:
        raise BoundsError(f"fromfile: offset must not be negative, given {start}")
    with open(path, "rb") as file:
        file.seek(start)
        data = bytearray(file.read(-1 if size < 0 else size * wanted.np.itemsize))
    found = len(data) // wanted.np.itemsize
    if size > found:
        raise FormatError(f"fromfile: {os.fspath(path)!r} has {found} elements of {wanted} after {start} bytes, not {size}")
    return frombuffer(data, wanted, found, device=device)


def asarray(x: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """A tensor as it is where dtype and device are the ones wanted, else converted; of an array-like of any shape, a new one.

    DTypeError for what has no dtype of ours.

        morok.asarray([1.0, 2.0])
    """
    if not isinstance(x, Tensor):
        return Tensor(x, dtype=dtype, device=device)
    found = x if device is None else x.to_device(device)
    return found if dtype is None else found.cast(dtype)


def as_tensor(x: Any, dtype: Any = None, device: str | None = None) -> Tensor:
    """PyTorch's name of asarray: a tensor of any shape as it is, or converted; of an array-like, a new one.

        morok.as_tensor([1.0, 2.0])
    """
    return asarray(x, dtype, device)


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor on a NumPy array's memory, where that is aligned and writable; do not change the array meanwhile. Its shape and dtype.

    TypeError for other than a NumPy array.

        morok.from_numpy(array)
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"from_numpy: takes a NumPy array, not {type(array).__name__}; asarray takes other kinds")
    return Tensor(array, borrow=array.flags.writeable)

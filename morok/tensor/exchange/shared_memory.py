"""Memory shared with NumPy arrays, both ways: a tensor's elements as a read-only array, and an array's memory as a tensor.

    readable_array(t)           no copy where t is realised, or a movement of what is
    tensor_of_memory(array)     no copy where the array's elements fill its memory, in whatever order of axes

Nobody's memory is written: morok copies what others lent or read before it writes there.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import build, dtypes, realize
from ..core import TensorCore

_MOVEMENTS: dict[Callable[..., Any], Callable[..., np.ndarray]] = {
    build.reshape: lambda a, shape: a.reshape(shape),
    build.permute: lambda a, order: a.transpose(order),
    build.expand: lambda a, shape: np.broadcast_to(a, shape),
    build.shrink: lambda a, begin, size: a[(*(slice(b, b + s) for b, s in zip(begin, size)), ...)],
    build.flip: lambda a, axes: np.flip(a, axes),
    build.detach: lambda a: a,
}


def readable_array(t: TensorCore) -> np.ndarray:
    """The elements as a read-only array, which stays as it is whatever is written to the tensor. Computes them if need be."""
    found = _moved_memory(t)
    if found is None:
        realize.realize([t.stored_uop])
        found = realize.known_memory(t.stored_uop).shared_view(t._concrete_shape())
    found.flags.writeable = False
    return found


def _moved_memory(t: TensorCore) -> np.ndarray | None:
    """A view of the memory of what the tensor is a view of; None where that is not realised, or the view is none of NumPy's."""
    if t._chain is None or t._storage.value.name != "buffer":
        return None
    steps = t._steps()
    if any(function not in _MOVEMENTS or not _is_static(arguments) for function, arguments in steps):
        return None
    whole = t._storage.value
    array: np.ndarray = realize.known_memory(whole).shared_view(whole.type.shape)  # type: ignore[union-attr]
    for function, arguments in steps:
        array = _MOVEMENTS[function](array, *arguments)
    return array


def _is_static(arguments: tuple) -> bool:
    return all(isinstance(size, int) for argument in arguments for size in argument)


def tensor_of_memory(cls: type, array: np.ndarray, copy: bool | None, device: str | None, what: str) -> Any:
    """A tensor on the array's memory; a copy with copy=True, or where the memory cannot be read in place and copy is None. BufferError with copy=False."""
    dtypes.of_array(array)
    where = realize.canonical_device(device)
    if copy:
        return cls(array, device=where)
    back = tuple(axis for axis, step in enumerate(array.strides) if step < 0 and array.shape[axis] > 1)
    shape = array.shape
    forward = np.flip(array, back) if back else array
    repeated = tuple(slice(0, 1) if step == 0 and size > 1 else slice(None) for step, size in zip(array.strides, shape))
    once = forward[(*repeated, ...)]
    order = tuple(sorted(range(once.ndim), key=lambda axis: -once.strides[axis])) if not once.flags.c_contiguous else tuple(range(once.ndim))
    dense = once.transpose(order)
    borrowable = dense.flags.c_contiguous and dense.ctypes.data % dense.itemsize == 0 and dense.dtype.isnative
    if not borrowable:
        if copy is False:
            raise BufferError(f"{what}: memory of shape {shape} and strides {array.strides} has gaps or is not aligned, and can only be copied; leave out "
                              "copy=False")
        return cls(array, device=where)
    result = cls(dense, device=where, borrow=True)
    if order != tuple(range(len(order))):
        result = result.permute(*np.argsort(order).tolist())
    if result.shape != shape:
        result = result.expand(*shape)
    return result.flip(*back) if back else result

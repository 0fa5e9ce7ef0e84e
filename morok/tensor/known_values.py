"""What is known of a value without computing: memory, movements of memory, constants. What a repr shows."""
from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..graph.tensor_graph import GRAPH, TensorUOp
from . import realize
from .core import TensorCore

_COPIED = 1 << 16
"""Elements that a pad, which no view of memory can be, may copy."""


def known_array(t: TensorCore) -> np.ndarray | None:
    """The elements as a read-only array; None where something would have to be computed."""
    with GRAPH.lock:
        u = t.stored_uop
        memory = realize.memory(u)
        if memory is not None:
            found = memory.shared_view(t._concrete_shape())
        else:
            found = _moved(u)
            if found is None:
                return None
            found = found.view()
    found.flags.writeable = False
    return found


def _moved(u: TensorUOp) -> np.ndarray | None:
    """The value, if it is movements of static sizes of memory or of a constant."""
    movements = []
    while u.name in ("reshape", "expand", "permute", "shrink", "flip", "detach", "pad"):
        if not _is_static(u):
            return None
        movements.append(u)
        u = u.operands[0]
    if u.name == "const":
        array = np.asarray(u.attribute("value")).astype(u.type.dtype.np)  # type: ignore[union-attr]
    else:
        memory = realize.memory(u)
        if memory is None or not _is_static(u):
            return None
        array = memory.shared_view(u.type.shape)  # type: ignore[union-attr]
    for movement in reversed(movements):
        if movement.name == "pad" and prod(movement.type.shape) > _COPIED:  # type: ignore[union-attr]
            return None
        array = _move(array, movement)
    return array


def _is_static(u: TensorUOp) -> bool:
    return all(isinstance(s, int) and s >= 0 for s in u.type.shape) and len(u.operands) == (2 if u.name == "buffer" else 1)  # type: ignore[union-attr]


def _move(array: np.ndarray, movement: TensorUOp) -> np.ndarray:
    name, shape = movement.name, movement.type.shape  # type: ignore[union-attr]
    if name == "reshape":
        return array.reshape(shape)
    if name == "expand":
        return np.broadcast_to(array, shape)
    if name == "permute":
        return array.transpose(movement.attribute("order"))
    if name == "flip":
        return np.flip(array, movement.attribute("axes"))
    if name == "shrink":
        window: tuple[Any, ...] = tuple(slice(b, b + s) for b, s in zip(movement.attribute("begin"), shape))
        return array[(*window, ...)]
    if name == "pad":
        widths = list(zip(movement.attribute("low"), movement.attribute("high")))
        return np.pad(array, widths, constant_values=np.asarray(movement.attribute("value")).astype(array.dtype))
    return array

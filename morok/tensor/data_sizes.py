"""Sizes that are data: how many elements a mask holds for, how many bins numbers need. They are computed at once; what they are sizes of stays lazy.

    true_places(mask)       where a mask holds: the running count of its elements says where each index goes, so that one scatter compacts them
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..dialect import types as T
from ..errors import JitError, ShapeError, VmapError
from . import build
from .scans import scanned


def known(t: Any, what: str, instead: str) -> np.ndarray:
    """The values, computed at once. JitError inside a captured function, where only a call has them, VmapError inside a mapped one."""
    try:
        return t.numpy()
    except JitError as error:
        raise JitError(f"{what}: the size of the result depends on values, which inside a function that morok.jit captures only a call has; "
                       f"{instead}") from error
    except VmapError as error:
        raise VmapError(f"{what}: the size of the result depends on values, which may differ between the examples of vmap; {instead}") from error


def true_places(mask: Any, what: str, instead: str) -> tuple[Any, ...]:
    """For each axis of a bool mask the indices of the elements that are true, in row-major order, as int64."""
    shape = mask.shape
    if not all(isinstance(s, int) for s in shape):
        raise ShapeError(f"{what}: takes static sizes, not {shape}")
    count = int(np.prod(shape))
    flat = build.reshape(mask.uop, (count,))
    wide = T.int32 if count <= T.int32.max else T.int64
    if not count:
        return tuple(mask._new(build.full((0,), 0, T.int64)) for _ in shape)
    running = mask._new(scanned(build.cast(flat, wide), "add", 0)).realize()
    found = int(known(running[-1:], what, instead)[0])
    if not found:
        return tuple(mask._new(build.full((0,), 0, T.int64)) for _ in shape)
    # Every index goes to where the next element that is true belongs, and that one's own comes last: no branch that would be guessed wrong half of the time.
    to = build.alu("sub", running.uop, build.cast(flat, wide))
    indices = build.reshape(build.iota(count, T.int64), (1, count, 1))
    rest = build.reshape(build.scatter(build.full((1, found, 1), 0, T.int64), build.reshape(to, (1, count)), indices, "set"), (found,))
    places: list[Any] = []
    for size in reversed(shape):
        length = build.full((found,), size, T.int64)
        places.append(mask._new(build.alu("mod", rest, length) if len(places) < len(shape) - 1 else rest))
        rest = build.alu("floordiv", rest, length)
    return tuple(reversed(places))

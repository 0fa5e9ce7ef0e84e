"""Loads and stores of a kernel whose order nothing fixes.

`range_form.py` gives each load the version of memory that it names, whatever the loops do; machine code has one memory. The two agree if
no element is stored by one iteration and touched by another that is not ordered with it. Within the loops that two accesses share, the
one that the other depends on comes first in each iteration; so they may meet in an element only at the same iteration of these loops.
"""
from __future__ import annotations

import numpy as np

from ..errors import IRError
from ..graph.uop import UOp
from .memory import where
from .range_form import Access, RangeForm


def check_races(evaluated: RangeForm) -> None:
    """Raises IRError on the first pair of accesses to one element of an argument that may come in either order."""
    arguments = set(evaluated.body.arguments)
    accesses = [a for a in evaluated.accesses.values() if a.buffer.root in arguments]
    stores = [a for a in accesses if a.op.name == "store"]
    for store in stores:
        for other in accesses:
            if other is not store and other.buffer.root is store.buffer.root and not _applied(store, other):
                _check(evaluated, store, other)


def _applied(store: Access, other: Access) -> bool:
    """Whether the other access names a version of memory with the store in it."""
    return store.op in other.buffer.stores


def _check(evaluated: RangeForm, store: Access, other: Access) -> None:
    ordered = other.op in evaluated.reach[store.op]
    if other.op.name == "store":
        ordered = ordered or store.op in evaluated.reach[other.op]
    shared = tuple(r for r in store.axes if r in other.axes) if ordered else ()
    size = max(1, store.buffer.content.array.size)
    first, last = np.full(size, np.iinfo(np.int64).max), np.full(size, -1, np.int64)
    places, iterations = _touched(evaluated, store, shared)
    np.minimum.at(first, places, iterations)
    np.maximum.at(last, places, iterations)
    places, iterations = _touched(evaluated, other, shared)
    meet = last[places] >= 0
    if ordered:
        meet &= (first[places] != iterations) | (last[places] != iterations)
    if meet.any():
        at = int(places[int(np.argmax(meet))])
        reason = "in different iterations of the loops that they share" if ordered else "and neither is ordered after the other"
        does = "writes" if other.op.name == "store" else "reads"
        raise IRError(f"{where(store.op)} writes element {_element(store, at)} of argument {store.buffer.root.attributes[0]}, "
                      f"which {where(other.op)} {does} too, {reason}")


def _touched(evaluated: RangeForm, access: Access, shared: tuple[UOp, ...]) -> tuple[np.ndarray, np.ndarray]:
    """The elements (flat) that an access touches, and for each the iteration of the shared loops (flat)."""
    iteration = np.zeros((1,) * access.active.ndim, np.int64)
    for r in shared:
        counter = evaluated.iterations.counter(r, access.axes)
        counter = counter.reshape(counter.shape + (1,) * (access.active.ndim - counter.ndim))
        iteration = iteration * evaluated.iterations.extents((r,))[0] + counter
    iterations = np.broadcast_to(iteration, access.active.shape)[access.active]
    shape = access.buffer.content.array.shape[len(access.buffer.content.axes):]
    if not shape:
        return np.zeros(len(iterations), np.int64), iterations
    return np.ravel_multi_index(tuple(i[access.active] for i in access.indices), shape), iterations


def _element(access: Access, flat: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, access.buffer.content.array.shape))

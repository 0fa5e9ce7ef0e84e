"""Loads and stores of a kernel whose order nothing fixes.

`range_form.py` gives each load the version of memory that it names, whatever the loops do; machine code has one memory. The two agree if
no element is stored by one iteration and touched by another that is not ordered with it (but to store the same value again). Within the
loops that two accesses share, the one that the other depends on comes first in each iteration; so they may meet in an element only at the same
iteration of these loops.
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
    accesses = [a for a in accesses if a.op not in evaluated.ordered.inside]  # these come in the loops' order
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
    if meet.any() and other.op.name == "store":
        meet &= ~_same_values(store, other, places)
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
    places, _ = _flat(access, access.buffer.content.array.shape[len(access.buffer.content.axes):])
    return places, iterations


def _flat(access: Access, shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """The elements that an access touches as row-major places, and their number."""
    count = int(np.count_nonzero(access.active))
    if not shape:
        return np.zeros(count, np.int64), count
    return np.ravel_multi_index(tuple(i[access.active] for i in access.indices), shape), count


def _same_values(store: Access, other: Access, places: np.ndarray) -> np.ndarray:
    """For each element that the other store touches, whether the first stores nothing but that very value there: their order does not matter then (an
    overlapping round does iterations twice)."""
    if store.values is None or other.values is None:
        return np.zeros(len(places), bool)
    shape = store.buffer.content.array.shape
    own, _ = _flat(store, shape[len(store.buffer.content.axes):])
    written = np.broadcast_to(store.values, store.active.shape)[store.active]
    bits = np.dtype(f"u{written.dtype.itemsize}")
    low, high = np.full(max(1, store.buffer.content.array.size), np.iinfo(bits).max, bits), np.zeros(max(1, store.buffer.content.array.size), bits)
    np.minimum.at(low, own, np.ascontiguousarray(written).view(bits))
    np.maximum.at(high, own, np.ascontiguousarray(written).view(bits))
    others = np.ascontiguousarray(np.broadcast_to(other.values, other.active.shape)[other.active]).view(bits)
    return (low[places] == others) & (high[places] == others)


def _element(access: Access, flat: int) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(flat, access.buffer.content.array.shape))

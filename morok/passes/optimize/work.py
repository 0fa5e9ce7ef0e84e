"""How much a kernel does, in elements that it loads and stores: what decides whether other threads are woken for it, and which kernels are joined."""
from __future__ import annotations

from math import prod

from ...dialect.ops import TRANSCENDENTAL
from ...graph.body import Body
from ..symbolic.bounds import bounds
from ..symbolic.ranges import open_ranges

THREAD_WORK = 1 << 15
"""Elements to load and store below which waking another thread costs more than it saves."""
TRANSCENDENTAL_WORK = 8
"""Loads and stores from the first cache that a vectorised exponential takes as long as."""


def elements_moved(body: Body) -> int:
    """Elements that are loaded and stored, and what else takes long as so many."""
    weights = {"store": 1, "load": 1, **dict.fromkeys(TRANSCENDENTAL, TRANSCENDENTAL_WORK)}
    return sum(weights[u.name] * prod(bounds(r)[1] + 1 for r in open_ranges(u)) for u in body.order() if u.name in weights)

"""Effects that become several: a store that turns into n stores takes its `end` and whatever waits for that with it."""
from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...graph.uop import UOp

Tokens = tuple[UOp, ...]
WAITING = frozenset(("after", "sink", "barrier"))
"""Ops that take any number of effects."""


def closed(tokens: Iterable[UOp], ranges: Sequence[UOp]) -> Tokens:
    """Each effect with the ranges closed round it."""
    distinct = dict.fromkeys(tokens)
    return tuple(UOp.make("end", (t, *ranges)) for t in distinct) if ranges else tuple(distinct)


def waiting(u: UOp, leading: tuple[UOp, ...], tokens: Iterable[UOp]) -> UOp:
    """The op over other effects; `leading` is the buffer of an after, else empty."""
    distinct = tuple(dict.fromkeys(tokens))
    if u.name == "after" and not distinct:
        return leading[0]
    return u.with_operands(leading + distinct)

"""Loads whose lanes lie apart in memory, but one copy's lanes beside the next one's: a square block is loaded by rows and transposed in registers.

    %v0 = load(%a[%i + %l * 64])              %r0 = load(%a[%i + 0 .. %i + 3])         %h0 = r0[0], r2[0], ...      %v0 = h0[0], h1[0], ...
    ...                                =>     ...                                =>    ...                    =>
    %v3 = load(%a[%i + 3 + %l * 64])          %r3 = load(%a[%i + 192 .. %i + 195])     n/2 log2(n) shuffles of two vectors, not n * n scalar loads

A part of morok-devectorize. The loads have no gate, and together they read just what the rows hold.
"""
from __future__ import annotations

from collections.abc import Iterable

from ...dialect import types as T
from ...graph.uop import UOp
from ..symbolic.linear import linear
from .lane_form import LaneForms


def transposed_loads(order: Iterable[UOp], forms: LaneForms) -> dict[UOp, UOp]:
    """For each load of such a block, the vector that it is."""
    columns: dict[tuple[object, ...], dict[int, list[UOp]]] = {}
    for u in order:
        if u.name != "load" or len(u.operands) > 1 or not isinstance(u.operands[0].operands[-1].type, T.VectorType):
            continue
        buffer, place = u.operands[0].operands
        sequence = forms.sequence(place)
        if sequence is None or sequence.step < place.type.lanes:  # type: ignore[union-attr]
            continue
        form = linear(sequence.base)
        key = (buffer, place.type, sequence.step, frozenset(form.terms))
        columns.setdefault(key, {}).setdefault(form.constant, []).append(u)
    found: dict[UOp, UOp] = {}
    for (_, type_, step, _), by_place in columns.items():
        lanes = type_.lanes  # type: ignore[attr-defined]
        places = sorted(by_place)
        while len(places) >= lanes:
            block, places = (places[:lanes], places[lanes:]) if places[lanes - 1] == places[0] + lanes - 1 else ((), places[1:])
            if block:
                first = by_place[block[0]][0]
                vectors = transposed(_rows(first, forms, step, lanes))  # type: ignore[arg-type]
                found.update((load, vector) for at, vector in zip(block, vectors) for load in by_place[at])
    return found


def _rows(first: UOp, forms: LaneForms, step: int, lanes: int) -> list[UOp]:
    """The rows of the block that begins with the lanes of its first load."""
    buffer, place = first.operands[0].operands
    sequence = forms.sequence(place)
    assert sequence is not None
    pointer = T.ptr(T.vector(lanes, buffer.dtype), first.operands[0].type.space)  # type: ignore[union-attr]
    return [UOp.make("load", (UOp.make("index", (buffer, sequence.base + k * step), (), pointer),), (), None, first.loc) for k in range(lanes)]


def transposed(rows: list[UOp]) -> list[UOp]:
    """The columns of a square of lanes, its side a power of two: quarters change places, then the quarters of quarters."""
    lanes = distance = len(rows)
    while distance > 1:
        distance //= 2
        for i in range(lanes):
            if not i & distance:
                low, high = rows[i], rows[i + distance]
                rows[i] = UOp.make("shuffle", (low, high), (tuple(k if not k & distance else lanes + k - distance for k in range(lanes)),))
                rows[i + distance] = UOp.make("shuffle", (low, high), (tuple(k + distance if not k & distance else lanes + k for k in range(lanes)),))
    return rows

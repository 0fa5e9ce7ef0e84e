"""Constants in which the repetitions of one part of a graph differ: they become arguments at once, so that the parts share one compilation.

    stack([x0 * 0.1, x1 * 0.2, x2 * 0.3, ...])      =>      stack([x0 * c0, x1 * c1, x2 * c2, ...])

Two ops are of one kind if they are the same but for which buffers they read and for the values of constants. A constant varies where many ops of one kind
have as many others in its place.
"""
from __future__ import annotations

from collections.abc import Collection, Sequence

from ..dialect.ops import MOVEMENT

VARYING_FROM = 128
"""Different constants in the same place from which they are arguments: fewer are compiled faster than their parts are told apart."""
_CARRYING = frozenset((*MOVEMENT, "cast"))


def varying(entries: Sequence[tuple], constants: Collection[int]) -> set[int]:
    """Those of the constants, which are entries of a structural key, that vary."""
    if len(constants) < VARYING_FROM:
        return set()
    numbers: dict[tuple, int] = {}
    kinds: list[int] = []
    value: dict[int, int] = {i: i for i in constants}
    places: dict[tuple[int, int], set[int]] = {}
    for i, (content, *operands) in enumerate(entries):
        if not isinstance(content, tuple):  # a buffer
            kinds.append(numbers.setdefault(entries[i][1:], len(numbers)))
            continue
        key = ("constant", content[2]) if i in value else (content, *[kinds[o] for o in operands])
        kind = numbers.setdefault(key, len(numbers))
        kinds.append(kind)
        if content[0] in _CARRYING and operands and operands[0] in value:
            value[i] = value[operands[0]]
            continue
        for position, o in enumerate(operands):
            if o in value:
                places.setdefault((kind, position), set()).add(value[o])
    return set().union(*(found for found in places.values() if len(found) >= VARYING_FROM))

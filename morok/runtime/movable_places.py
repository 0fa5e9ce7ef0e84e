"""Which windows of a graph may be at any place without a change of any bit.

    x[i:i+64].sum(1)                        yes: the same loop over another part of memory
    x.pad(...)[i:i+64] * 2                  yes: each element is computed alone
    x.pad(...)[i:i+64].sum(0)               no: with i known the loop leaves the padding out, and its parts of the sum are others
    x.T.reshape(-1)[i:i+64].sum()           no: with i known the loop may become two, by the quotient of i + r

A place is *felt* along an axis whose index a condition, a quotient or a counter uses further down. Where it is felt, code made for one place may differ in
more than an offset from code made for another; that shows in the bits only where a sum is taken in between or above.
"""
from __future__ import annotations

from collections.abc import Sequence

from ..dialect import types as T
from ..dialect.ops import ALU
from ..passes.rangeify.movement_indices import axis_groups

Axes = frozenset[int]
_NONE: Axes = frozenset()
_STORED = frozenset(("contiguous", "copy"))
"""Ops whose result lies in memory before it is read."""
_ELEMENTWISE = frozenset((*ALU, "cast", "bitcast"))


def unmovable(entries: Sequence[tuple], types: Sequence[T.Type]) -> set[tuple[int, int]]:
    """The windows and paddings among a structural key's entries that are to stay where they are: entries and axes. `types` are those of the entries."""
    walk = _Walk(types)
    for i, (content, *operands) in enumerate(entries):
        if isinstance(content, tuple):
            walk.visit(i, content, [o for o in operands if isinstance(types[o], T.TensorType)])
        else:  # a buffer
            walk.add(_NONE, False, _NONE_HELD)
    return walk.fixed


_NONE_HELD: frozenset[tuple[int, int]] = frozenset()


class _Walk:
    """For each entry: the axes along which a place is felt, whether a sum is taken in it, and the places that it has felt."""

    def __init__(self, types: Sequence[T.Type]) -> None:
        self.types = types
        self.felt: list[Axes] = []
        self.sums: list[bool] = []
        self.held: list[frozenset[tuple[int, int]]] = []
        self.fixed: set[tuple[int, int]] = set()

    def add(self, felt: Axes, sums: bool, held: frozenset[tuple[int, int]]) -> None:
        self.felt.append(felt)
        self.sums.append(sums)
        self.held.append(held)

    def visit(self, i: int, content: tuple, operands: Sequence[int]) -> None:
        name, attributes, t = content
        if name in _STORED or not operands:
            every = frozenset(range(len(t.shape))) if name == "iota" else _NONE
            self.add(every, False, _NONE_HELD)
            return
        felt = _NONE.union(*(self.felt[o] for o in operands))
        sums = any(self.sums[o] for o in operands)
        held = _NONE_HELD.union(*(self.held[o] for o in operands))
        if name == "reduce_axis":
            self.fixed |= held
            (axes,) = [a for a in attributes if isinstance(a, tuple)]
            kept = [a for a in range(len(self.types[operands[0]].shape)) if a not in axes]  # type: ignore[union-attr]
            self.add(frozenset(n for n, a in enumerate(kept) if a in felt), True, _NONE_HELD)
            return
        if name == "pad":
            felt |= {a for a, (low, high) in enumerate(zip(*attributes[:2])) if low or high}
        if name in ("pad", "shrink"):
            places = {(i, a) for a in felt}
            if sums:
                self.fixed |= places
            held |= places
        self.add(self._moved(name, attributes, t, felt, operands[0]), sums, held)

    def _moved(self, name: str, attributes: tuple, t: T.Type, felt: Axes, source: int) -> Axes:
        """The axes of the result, from those of the operands."""
        if name in _ELEMENTWISE or name in ("pad", "shrink", "flip"):
            return felt
        shape, old = getattr(t, "shape", ()), self.types[source].shape  # type: ignore[union-attr]
        if name == "permute":
            return frozenset(n for n, a in enumerate(attributes[0]) if a in felt)
        if name == "expand":
            return frozenset(a for a in felt if not (old[a] == 1 and shape[a] != 1))
        if name == "reshape" and None not in (*shape, *old):
            return _reshaped(old, shape, felt)
        return frozenset(range(len(shape)))


def _reshaped(old: tuple, new: tuple, felt: Axes) -> Axes:
    """Axes that are joined or divided are felt: their elements are found by quotients."""
    found: set[int] = set()
    for before, after in axis_groups(old, new):
        one, other = [a for a in before if old[a] != 1], [a for a in after if new[a] != 1]
        if [old[a] for a in one] == [new[a] for a in other]:
            found.update(b for a, b in zip(one, other) if a in felt)
        else:
            found.update(other)
    return frozenset(found)

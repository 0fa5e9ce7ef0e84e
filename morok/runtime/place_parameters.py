"""Places of windows that change from graph to graph become variables: a loop over the slices of a tensor compiles once for all of them.

    x[0:64] * 2        compiled as it is
    x[64:128] * 2      the same skeleton with another begin: compiled once more, as shrink(x, begin = place_0) with the variable place_0
    x[128:192] * 2     the same code

A place is where a `shrink` begins along an axis, or how much of the padding a `pad` has before an axis, all sizes being equal. A pad of which the
place changes is a window of a longer one: pad(x, low, high) = shrink(pad(x, n, n), begin = n - low) with n = low + high.

Places that move together are one variable and fixed distances from it, so that what reads x[i - 1] and x[i] is known not to meet. Which do is
found by looking: those that have moved by the same distance in every graph of the skeleton so far.
"""
from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..dialect import types as T
from ..dialect.opdef import DYNAMIC
from ..graph.body import Program
from ..graph.capture import Captured
from ..graph.uop import UOp, index_const, toposort
from .movable_places import unmovable

PREFIX = "morok_place_"
"""Names of the variables begin with it."""
GREATEST = (1 << 31) - 1
"""A kernel takes variables of 32 bits."""
VARIABLE_LIMIT = 16
"""Graphs with more windows that move on their own are compiled as they are: many kernels with one constant each share code better than they share
variables (see shared_kernels.py)."""


def is_place(variable: str) -> bool:
    """Whether the variable of this name says where something lies; no size depends on it, and no work."""
    return variable.startswith(PREFIX)


class Place(NamedTuple):
    """One that may change: of which entry of a structural key, along which axis, and the greatest that it can be."""

    entry: int
    axis: int
    limit: int


def take_places(entries: Sequence[tuple], skeleton: list) -> tuple[list[Place], list[int]]:
    """The places of a structural key's entries, and their values, which are then missing from the skeleton's."""
    if not any(entry[0][0] in _PLACED for entry in entries if isinstance(entry[0], tuple)):
        return [], []
    types = [entry[0][2] if isinstance(entry[0], tuple) else entry[1] for entry in entries]
    fixed = unmovable(entries, types)
    places: list[Place] = []
    values: list[int] = []
    for i, (content, *operands) in enumerate(entries):
        if not isinstance(content, tuple) or len(operands) != 1 or content[0] not in _PLACED:
            continue
        name, (first, second, *rest), t = content
        limits, kept = _limits(name, types[operands[0]], first, second)
        axes = [a for a, limit in enumerate(limits) if limit and limit <= GREATEST and (i, a) not in fixed]
        if axes:
            places += [Place(i, a, limits[a]) for a in axes]  # type: ignore[arg-type]
            values += [first[a] for a in axes]
            skeleton[i] = ((name, (tuple(None if a in axes else n for a, n in enumerate(first)), kept, *rest), t), *operands)
    return places, values


_PLACED = frozenset(("shrink", "pad"))


def _limits(name: str, source: T.TensorType, first: Sequence[int], second: Sequence[int]) -> tuple[list[int | None], tuple]:
    """The greatest that the place along each axis can be, and what beside the source says how large the result is."""
    if name == "shrink":
        return [None if n is None else n - size for n, size in zip(source.shape, second)], tuple(second)
    total = [None if n is None else low + high for n, low, high in zip(source.shape, first, second)]
    return total, tuple(total)


class Movement:
    """How the places of one skeleton have moved so far: in classes that moved by the same distances."""

    __slots__ = ("first", "classes")

    def __init__(self, first: Sequence[int]) -> None:
        self.first = tuple(first)
        self.classes = (-1,) * len(first)
        """The class of each place; -1 for those that have stayed where they were."""

    def add(self, values: Sequence[int]) -> None:
        """Takes down where the places are in one more graph."""
        numbers: dict[tuple[int, int], int] = {}
        moved = [(c, v - f) for c, v, f in zip(self.classes, values, self.first)]
        self.classes = tuple(-1 if key == (-1, 0) else numbers.setdefault(key, len(numbers)) for key in moved)


@dataclass(frozen=True)
class MovingPlaces:
    """The places of a graph that are variables."""

    key: Hashable
    """The same for all graphs that share the code, along with the skeleton."""
    values: Mapping[str, int]
    """Of the variables."""
    bounds: Mapping[str, tuple[int, int]]
    at: Mapping[int, tuple[tuple[int, str, int], ...]]
    """For each entry of the key: axes, and the variable and the distance from it that are the place there."""

    def as_variables(self, captured: Captured) -> Captured:
        """The program with the places as variables."""
        variables = {name: UOp.make("define_var", (), (name, *pair)) for name, pair in self.bounds.items()}
        moving = {captured.nodes[i]: {axis: variables[name] + distance for axis, name, distance in found} for i, found in self.at.items()}
        main = captured.program.bodies["main"]
        new: dict[UOp, UOp] = {}
        for u in toposort(main.roots):
            found = u.with_operands(tuple(new[o] for o in u.operands)) if u.operands else u
            new[u] = found if u not in moving else (_moving_window if u.name == "shrink" else _moving_pad)(found, moving[u])
        program = Program(captured.program.dialect)
        program.bodies["main"] = main.with_roots(tuple(new[r] for r in main.roots))
        return replace(captured, program=program, variables={**captured.variables, **self.bounds}, values={**captured.values, **self.values})


NONE = MovingPlaces((), {}, {}, {})


def moving_places(places: Sequence[Place], values: Sequence[int], movement: Movement) -> MovingPlaces | None:
    """The variables of a graph whose movement has been added; None where there are too many."""
    members: dict[int, list[int]] = {}
    for i, c in enumerate(movement.classes):
        if c >= 0:
            members.setdefault(c, []).append(i)
    if len(members) > VARIABLE_LIMIT:
        return None
    given: dict[str, int] = {}
    bounds: dict[str, tuple[int, int]] = {}
    at: dict[int, list[tuple[int, str, int]]] = {}
    for number, found in enumerate(members.values()):
        name, least = f"{PREFIX}{number}", min(values[i] for i in found)
        given[name] = least
        bounds[name] = (0, min(places[i].limit - (values[i] - least) for i in found))
        for i in found:
            at.setdefault(places[i].entry, []).append((places[i].axis, name, values[i] - least))
    fixed = tuple([v if c < 0 else None for v, c in zip(values, movement.classes)])
    moving = tuple((i, *found) for i, found in at.items())
    return MovingPlaces((fixed, moving), given, bounds, {i: tuple(found) for i, found in at.items()})


def _moving_window(u: UOp, begins: Mapping[int, UOp]) -> UOp:
    begin, size = u.attributes
    stated = tuple(DYNAMIC if a in begins else n for a, n in enumerate(begin))
    return UOp.make("shrink", (u.operands[0], *[begins[a] for a in sorted(begins)]), (stated, size), None, u.loc)


def _moving_pad(u: UOp, lows: Mapping[int, UOp]) -> UOp:
    low, high, value = u.attributes
    total = {a: low[a] + high[a] for a in lows}
    longer = tuple(tuple(total.get(a, n) for a, n in enumerate(side)) for side in (low, high))
    source = UOp.make("pad", (u.operands[0],), (*longer, value), None, u.loc)
    begins = {a: index_const(total[a]) - at for a, at in lows.items()}
    begin = UOp.make("shrink", (source,), ((0,) * len(low), u.type.shape), None, u.loc)  # type: ignore[union-attr]
    return _moving_window(begin, begins)

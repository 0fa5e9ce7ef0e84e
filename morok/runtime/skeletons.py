"""Graphs seen before, but for what may change between them: with a new value of it, the code is compiled once more, and then serves all values.

    step(x[0:64], 0.1)         compiled as it is
    step(x[64:128], 0.09)      the same skeleton: compiled with the place and the constant as parameters
    step(x[128:192], 0.08)     the same code

Constants in which the parts of one graph differ are parameters from the first graph on (varying_constants.py).

What may change are scalar constants (scalar_parameters.py) and the places of windows (place_parameters.py). What never did stays in the code, where it
can be folded.
"""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..graph.capture import Captured
from ..graph.tensor_graph import TensorUOp
from .place_parameters import NONE, Movement, MovingPlaces, Place, moving_places, take_places
from .scalar_parameters import Constant, ScalarArguments, is_special, take_constants

LIMIT = 1024
"""Skeletons that are remembered: the ones used last."""


@dataclass(frozen=True)
class Parameters:
    """What of a graph is given when its code runs."""

    key: Hashable
    """The same for all graphs that share the code."""
    scalars: ScalarArguments
    places: MovingPlaces

    @property
    def values(self) -> Mapping[str, int]:
        """Of the variables."""
        return self.places.values

    def leaves(self, devices: Sequence[str]) -> list[TensorUOp]:
        """Buffers with the constants, on the one device that graphs with such have; constants alone are computed on the CPU."""
        return self.scalars.leaves(devices[0] if devices else "CPU") if self.scalars.constants else []

    def apply(self, captured: Captured, leaves: Sequence[TensorUOp]) -> Captured:
        """The program with parameters; `leaves` are the last arguments."""
        return self.scalars.as_arguments(self.places.as_variables(captured), leaves)


class Skeleton(NamedTuple):
    """A structural key without what may change, and that."""

    key: Hashable
    constants: tuple[Constant, ...]
    varying: frozenset[int]
    """Those of the constants that repetitions of one part differ in."""
    places: list[Place]
    begins: list[int]


def split(key: tuple, devices: Sequence[str]) -> Skeleton:
    """The skeleton of a structural key. A graph on several devices has no one device to put constants on: they stay."""
    entries, *rest = key
    skeleton = list(entries)
    constants, varying = take_constants(entries, skeleton) if len(set(devices)) <= 1 else ((), frozenset())
    places, begins = take_places(entries, skeleton)
    return Skeleton((tuple(skeleton), *rest), constants, varying, places, begins)


class Skeletons:
    """The skeletons seen so far. Calls hold the runtime's lock."""

    def __init__(self) -> None:
        self._seen: OrderedDict[Hashable, _Seen] = OrderedDict()

    def parameters(self, key: tuple, devices: Sequence[str]) -> Parameters | None:
        """For a structural key whose plan is not known: what differs from graphs seen before; None where it has to be compiled as it is."""
        found = split(key, devices)
        if not found.constants and not found.places:
            return None
        seen = self._seen.get(found.key)
        if seen is None:
            self._seen[found.key] = _Seen(found)
            if len(self._seen) > LIMIT:
                self._seen.popitem(last=False)
            return self._seen[found.key].parameters(found) if found.varying else None
        self._seen.move_to_end(found.key)
        return seen.parameters(found)

    def clear(self) -> None:
        self._seen.clear()


class _Seen:
    """What has changed between the graphs of one skeleton."""

    __slots__ = ("constants", "changing", "movement")

    def __init__(self, first: Skeleton) -> None:
        self.constants, self.changing = first.constants, frozenset[int]()
        self.movement = Movement(first.begins)

    def parameters(self, found: Skeleton) -> Parameters | None:
        """What is to be given for one more graph."""
        constants = found.constants
        changing = self.changing | {i for i, (a, b) in enumerate(zip(self.constants, constants)) if a != b}
        if any(is_special(constants[i]) for i in changing):
            changing = frozenset()
        else:
            self.changing = changing
        changing |= {i for i in found.varying if not is_special(constants[i])}
        self.movement.add(found.begins)
        places = moving_places(found.places, found.begins, self.movement) or NONE
        if not changing and not places.at:
            return None
        fixed = tuple(None if i in changing else c for i, c in enumerate(constants))
        moved = places.key if places.at else tuple(found.begins)
        return Parameters(("parameters", found.key, fixed, moved), ScalarArguments(tuple(constants[i] for i in sorted(changing))), places)

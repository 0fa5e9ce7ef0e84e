"""A program as stages that run one after the other, over numbered slots of memory."""
from __future__ import annotations

from dataclasses import dataclass

from ..dialect import types as T
from .body import Body


@dataclass
class Stage:
    """A function to compile (None where there is nothing to compute), the slots of its arguments and results, and the copies after it."""

    body: Body | None
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    copies: tuple[tuple[int, int], ...] = ()
    """(from slot, to slot)"""


@dataclass(frozen=True)
class RepeatStage:
    """Stages that run `count` times, or as long as a bool in the carried slot of number `goes_on` is true; they read the slots `carried` and write `following`,
    which are exchanged in every second iteration. After the last one the values are in `carried`."""

    stages: tuple[Stage | RepeatStage, ...]
    carried: tuple[int, ...]
    following: tuple[int, ...]
    types: tuple[T.MemRefType, ...]
    count: int
    goes_on: int | None

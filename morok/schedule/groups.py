"""Parallel groups: an item is in the first group after those of all that it depends on.

    k0 -> k2, k1 -> k2, k2 -> k3      =>      [k0, k1], [k2], [k3]

Items of a group run in parallel; between groups all threads wait for each other.
"""
from __future__ import annotations

from collections.abc import Sequence

from .items import ScheduleItem


def parallel_groups(items: Sequence[ScheduleItem]) -> list[list[ScheduleItem]]:
    """The items, which stand in topological order, by group."""
    groups: list[list[ScheduleItem]] = []
    level: dict[int, int] = {}
    for item in items:
        level[item.id] = place = 1 + max((level[d] for d in item.dependencies), default=-1)
        if place == len(groups):
            groups.append([])
        groups[place].append(item)
    return groups

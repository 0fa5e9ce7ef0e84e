"""Locks and forks: a forked child has one thread, and no lock that another thread of the parent held may stay locked in it.

    awaited_by_fork(GRAPH, "lock", threading.RLock, 1)           a fork waits until no other thread is within: what it guards is whole
    renewed_after_fork(POOL, "_lock", threading.Lock)            what it guards is whole at any time: the child has a new lock

A fork takes the awaited locks in the order of their ranks, in which everybody takes them, each within `WAIT` seconds; parent and child release
what it took. A lock that was not to be had is a new one in the child.
"""
from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

WAIT = 5.0
"""Seconds that a fork waits for one lock. Whoever holds it longer, or waits for the forking thread meanwhile, is not waited for."""

_renewed: WeakKeyDictionary[Any, dict[str, Callable[[], Any]]] = WeakKeyDictionary()
_awaited: list[tuple[int, Any, str, Callable[[], Any]]] = []


class _Taken(threading.local):
    """Whether the fork that a thread is about to do holds each awaited lock. Threads may fork at once."""

    locks: tuple[Any, ...] = ()


_taken = _Taken()


def renewed_after_fork(owner: Any, attribute: str, factory: Callable[[], Any]) -> None:
    """A forked child gives the owner (a module, class or object, held weakly) a new lock."""
    _renewed.setdefault(owner, {})[attribute] = factory


def awaited_by_fork(owner: Any, attribute: str, factory: Callable[[], Any], rank: int) -> None:
    """A fork waits for the owner's lock, after those of lower rank. The owner lives as long as the process."""
    _awaited.append((rank, owner, attribute, factory))
    _awaited.sort(key=lambda entry: entry[0])


def renewed_properties(owner: type) -> None:
    """A forked child gives the class's cached properties new locks: before Python 3.12 they have some."""
    for value in vars(owner).values():
        if isinstance(value, cached_property) and hasattr(value, "lock"):
            renewed_after_fork(value, "lock", threading.RLock)


def _before() -> None:
    for _, owner, attribute, _ in _awaited.copy():
        lock = getattr(owner, attribute)
        if lock.acquire(timeout=WAIT):
            _taken.locks += (lock,)


def _release() -> None:
    locks, _taken.locks = _taken.locks, ()
    for lock in reversed(locks):
        lock.release()


def _in_child() -> None:
    for _, owner, attribute, factory in _awaited:
        if not any(lock is getattr(owner, attribute) for lock in _taken.locks):
            setattr(owner, attribute, factory())
    _release()
    for owner, factories in list(_renewed.items()):
        for attribute, factory in factories.items():
            setattr(owner, attribute, factory())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_release, after_in_child=_in_child)

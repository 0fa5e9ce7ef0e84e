"""Which kernels have a schedule from a search: looked up in the database, or searched for now.

    tuned_opts({key: body}, config, values)     {key: "TILE(0,8) THREAD(0)"}, without those that the heuristic is to schedule
"""
from __future__ import annotations

import hashlib
from collections.abc import Hashable, Mapping
from functools import cache

import llvmlite.binding as llvm

from ... import __version__
from ...codegen.backends import renderer
from ...dialect import types as T
from ...errors import OptionError, ScheduleError
from ...graph.body import Body
from ...graph.buffers import argument_uses
from ...passes.optimize.opts import parse_opts
from ..config import Config
from ..encoding import NotEncodable
from ..stored_code import kernel_text
from .candidates import keeps_order
from .database import Entry, database_path, tuning_database
from .schedules import machine_for

KEPT = 4096
"""Schedules that the process remembers."""


class TunedSchedules:
    """What this process has found or read, by database and key: on a disk that takes nothing, a search is not repeated."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str] = {}

    def get(self, config: Config, key: str) -> str | None:
        place = (str(database_path(config)), key)
        found = self._known.get(place)
        database = tuning_database(config)
        if found is None and database is not None:
            entry = database.get(key)
            if entry is not None:
                self._remember(place, entry.opts)
                found = entry.opts
        return found

    def put(self, config: Config, entry: Entry) -> None:
        self._remember((str(database_path(config)), entry.key), entry.opts)
        database = tuning_database(config)
        if database is not None:
            database.put(entry)

    def clear(self) -> None:
        """Forgets all; the database stays."""
        self._known.clear()

    def _remember(self, place: tuple[str, str], opts: str) -> None:
        if len(self._known) >= KEPT:
            self._known.clear()
        self._known[place] = opts


TUNED = TunedSchedules()


def tuned_opts(kernels: Mapping[Hashable, Body], config: Config, values: Mapping[str, int]) -> dict[Hashable, str]:
    """The opts of the kernels that have tuned ones. Kernels with opts of their own, and all at level 0, are left alone."""
    database = tuning_database(config)
    if config.opt_level == 0 or not config.beam and (database is None or not database.exists):
        return {}
    found: dict[Hashable, str] = {}
    untuned: dict[Hashable, str] = {}
    for key, body in kernels.items():
        name = tuning_key(body, config) if "morok.opts" not in body.attributes else None
        if name is None:
            continue
        opts = TUNED.get(config, name)
        if opts is not None and _fits(body, opts, config):
            found[key] = opts
        else:
            untuned[key] = name
    if config.beam and untuned:
        from .search import search_all
        for key, result in search_all({key: kernels[key] for key in untuned}, config, values).items():
            found[key] = result.opts
            TUNED.put(config, Entry(untuned[key], kernel_summary(kernels[key]), renderer(config.backend).target.cpu, config.num_threads, config.backend,
                                    versions(), result.opts, result.seconds, result.heuristic_seconds, result.candidates))
    return found


def _fits(body: Body, opts: str, config: Config) -> bool:
    """Whether the opts are legal, and leave float sums in the order of the heuristic's schedule, which no thread count and no search may change."""
    try:
        return keeps_order(body, parse_opts(opts), machine_for(config))
    except (ScheduleError, OptionError):
        return False


def tuning_key(body: Body, config: Config) -> str | None:
    """What a kernel's schedule depends on, as a digest; None for a kernel that has no spelling."""
    target = renderer(config.backend).target
    try:
        text = kernel_text(body)
    except NotEncodable:
        return None
    parts = (text, target.triple, target.cpu, target.features, str(config.num_threads), config.backend, versions())
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@cache
def versions() -> str:
    return f"morok {__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}"


def kernel_summary(body: Body) -> str:
    """A kernel in a few words: `512x512xf32 = sum(512x64xf32, 64x512xf32)`."""
    order = body.order()
    _, written = argument_uses(body)

    def shapes(slots: list[int]) -> str:
        return ", ".join("x".join(map(str, [*a.type.shape, a.type.dtype.name])) for i in slots  # type: ignore[union-attr]
                         if isinstance((a := body.arguments[i]).type, T.MemRefType))

    kinds = dict.fromkeys(f"reduce {u.attribute('op')}" for u in order if u.name == "reduce")
    count = sum(u.name not in ("const", "range", "index", "load", "store", "end", "sink", "arg") for u in order)
    read = [i for i in range(len(body.arguments)) if i not in written]
    return f"{shapes(sorted(written))} = {', '.join(kinds) or 'elementwise'} of {count} ops({shapes(read)})"

"""Options: one immutable `Config`, read once from the environment, passed down, and part of every cache key.

| variable | field | allowed | default |
|---|---|---|---|
| MOROK_NUM_THREADS | num_threads | 1 and up | the CPUs that this process may use |
| MOROK_OPT | opt_level | 0 (kernels as the split left them), 1 (heuristic opts) | 1 |
| MOROK_CHECK | check | 0, 1: compare every stage with the one before; poison scratch memory | 0 |
| MOROK_DEBUG | debug | 0, 1 (each compilation), 2 (each kernel's IR) | 0 |
| MOROK_BLOCKTIME | block_time | microseconds that idle threads spin before they sleep | 200 |
| MOROK_BACKEND | backend | llvm, c, mlir (morok/codegen/backends.py) | llvm |
| MOROK_CACHE | cache | 0, 1: keep machine code and plans on disk | 1 |
| MOROK_CACHE_DIR | cache_dir | a directory, made where it is missing | ~/.cache/morok |
| MOROK_CACHE_LIMIT | cache_limit | MiB that the directory may take | 1024 |
| MOROK_BEAM | beam | schedules kept per round of the search for a kernel's (docs/tuning.md); 0: no search | 0 |
| MOROK_BEAM_BUDGET | beam_budget | seconds that the search may take for each kernel | 10 |
| MOROK_TUNING | tuning | 0, 1: use the schedules that searches have found, and keep new ones | 1 |

    with configured(num_threads=1):
        y.realize()                     # on the calling thread alone
"""
from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from ..codegen.backends import BACKENDS
from ..errors import OptionError


@dataclass(frozen=True)
class Config:
    num_threads: int
    opt_level: int = 1
    check: bool = False
    debug: int = 0
    block_time: int = 200
    backend: str = "llvm"
    beam: int = 0
    tuning: bool = True
    opts: tuple[tuple[str, str], ...] = ()
    """Schedules that kernels are given, by name, or for all under the name "". No variable sets it: it belongs to one plan."""
    cache: bool = field(default=False, compare=False)
    """This and the following change where code comes from, not the code: they are no part of keys."""
    cache_dir: str = field(default="", compare=False)
    cache_limit: int = field(default=1024, compare=False)
    beam_budget: int = field(default=10, compare=False)

    @staticmethod
    def from_environment(environment: Mapping[str, str]) -> Config:
        """The options that the variables give; OptionError names one whose value is not allowed."""
        available = available_cpus()
        return Config(
            num_threads=min(available, _number(environment, "MOROK_NUM_THREADS", 1, None, available)),
            opt_level=_number(environment, "MOROK_OPT", 0, 1, 1),
            check=bool(_number(environment, "MOROK_CHECK", 0, 1, 0)),
            debug=_number(environment, "MOROK_DEBUG", 0, 2, 0),
            block_time=_number(environment, "MOROK_BLOCKTIME", 0, None, 200),
            backend=_backend("MOROK_BACKEND", environment.get("MOROK_BACKEND") or "llvm"),
            cache=bool(_number(environment, "MOROK_CACHE", 0, 1, 1)),
            cache_dir=environment.get("MOROK_CACHE_DIR") or _default_cache_dir(environment),
            cache_limit=_number(environment, "MOROK_CACHE_LIMIT", 1, None, 1024),
            beam=_number(environment, "MOROK_BEAM", 0, None, 0),
            beam_budget=_number(environment, "MOROK_BEAM_BUDGET", 1, None, 10),
            tuning=bool(_number(environment, "MOROK_TUNING", 0, 1, 1)))


@cache
def environment_config() -> Config:
    """The process's options, as the environment stood when they were first needed."""
    return Config.from_environment(os.environ)


class _Process:
    """What the program has set for all of its threads."""

    config: Config | None = None


_process = _Process()
_given: ContextVar[Config | None] = ContextVar("morok_config", default=None)


def current_config() -> Config:
    """The options that hold here: the same object until somebody changes them."""
    return _given.get() or _process.config or environment_config()


def get_num_threads() -> int:
    """How many threads a plan that is made here may run on, the calling one among them.

        morok.get_num_threads()
    """
    return current_config().num_threads


def set_num_threads(count: int) -> None:
    """The number of threads of all plans made from now on, in all threads of this process; no more than the CPUs that it may use are taken. Results do not
    depend on it. OptionError for less than 1.

        morok.set_num_threads(2)
    """
    if isinstance(count, bool) or not hasattr(count, "__index__") or count.__index__() < 1:
        raise OptionError(f"set_num_threads: the number of threads is a whole number from 1, not {count!r}")
    _process.config = replace(environment_config(), num_threads=min(count.__index__(), available_cpus()))


def num_threads(count: int) -> AbstractContextManager[Config]:
    """That many threads within a `with` block, in this thread (or task) only.

        with morok.num_threads(1):
            y.realize()
    """
    if isinstance(count, bool) or not hasattr(count, "__index__") or count.__index__() < 1:
        raise OptionError(f"num_threads: the number of threads is a whole number from 1, not {count!r}")
    return configured(num_threads=min(count.__index__(), available_cpus()))


@contextmanager
def configured(**changes: int | bool | str | tuple) -> Iterator[Config]:
    """Other options within a `with` block, in this thread (or task) only."""
    config = replace(current_config(), **changes)  # type: ignore[arg-type]
    if config.num_threads < 1:
        raise OptionError(f"num_threads is {config.num_threads}; it must be at least 1")
    if config.beam.__class__ is not int or config.beam < 0:
        raise OptionError(f"beam is {config.beam!r}; it takes a whole number of at least 0")
    _backend("backend", config.backend)
    reset = _given.set(config)
    try:
        yield config
    finally:
        _given.reset(reset)


def available_cpus() -> int:
    """The CPUs that this process may use: the least of its affinity mask and its control groups' quotas."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = cgroup_cpus(Path("/sys/fs/cgroup"), Path("/proc/self/cgroup"))
    return max(1, affinity if quota is None else min(affinity, math.ceil(quota)))


def cgroup_cpus(root: Path, membership: Path) -> float | None:
    """The CPU quota of this process's control group and of those above it (version 2 or 1), in CPUs; None without one."""
    quotas = []
    for line in _text(membership).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            quotas += [_quota_v2(d) for d in _upwards(root, path)]
        elif "cpu" in controllers.split(","):
            quotas += [_quota_v1(d) for d in _upwards(root / "cpu", path)]
    return min((q for q in quotas if q is not None), default=None)


def _upwards(root: Path, path: str) -> list[Path]:
    inside = root / path.lstrip("/")
    return [inside, *(p for p in inside.parents if p == root or root in p.parents)]


def _quota_v2(directory: Path) -> float | None:
    quota, _, period = _text(directory / "cpu.max").strip().partition(" ")
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _quota_v1(directory: Path) -> float | None:
    quota, period = (_text(directory / name).strip() for name in ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _default_cache_dir(environment: Mapping[str, str]) -> str:
    return os.path.join(environment.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "morok")


def _backend(name: str, value: str) -> str:
    if value not in BACKENDS:
        raise OptionError(f"{name} is '{value}'; it takes one of {', '.join(BACKENDS)}")
    return value


def _number(environment: Mapping[str, str], name: str, least: int, greatest: int | None, default: int) -> int:
    text = environment.get(name)
    if text is None or text == "":
        return default
    allowed = f"from {least} to {greatest}" if greatest is not None else f"of at least {least}"
    number = int(text) if re.fullmatch("[0-9]{1,18}", text) else -1
    if not least <= number <= (number if greatest is None else greatest):
        raise OptionError(f"{name} is '{text}'; it takes a whole number {allowed}")
    return number

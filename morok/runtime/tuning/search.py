"""Beam search for the fastest schedule of a kernel on this machine.

    search_all({key: body}, config, values)     {key: Found("TILE(0,8) THREAD(0)", seconds, heuristic_seconds, candidates)}

Round by round the `beam` fastest schedules are varied (candidates.py) and measured in another process (worker.py); the search ends when two
rounds in a row gain nothing, or `beam_budget` seconds are over. At last the fastest are timed again beside the heuristic's schedule, in turns.
"""
from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ...graph.body import Body
from ..config import Config
from ..encoding import NotEncodable
from .candidates import Candidate, candidate, heuristic_candidate, neighbours, seeds
from .schedules import machine_for, spelled
from .worker import Worker

CANDIDATE_SECONDS = 2.0
"""Hard limit for compiling, checking and timing one candidate."""
REFERENCE_SECONDS = 3.0
"""For the kernel without opts; a slower one is replaced by the heuristic's as what results are compared with."""
PER_ROUND = 12
"""Candidates for each schedule in the beam."""
GAIN = 0.02
"""Of the time: what counts as faster."""
FINALISTS, FINAL_ROUNDS = 3, 3
"""Schedules that are timed again beside the heuristic's, and how often."""
HOPELESS = 2.0
"""Times the fastest: a first run this slow is not repeated."""

Progress = Callable[[str, float], None]
"""What is told during a search: a few words, and the share of the budget that is spent."""


@dataclass(frozen=True)
class Found:
    """The fastest schedule, and the seconds of one run under it and under the heuristic's."""

    opts: str
    seconds: float
    heuristic_seconds: float
    candidates: int


def search_all(kernels: Mapping[Hashable, Body], config: Config, values: Mapping[str, int]) -> dict[Hashable, Found]:
    """A schedule for each kernel; none for those where not even the heuristic's could be measured."""
    found: dict[Hashable, Found] = {}
    with progress_bar() as show, Worker(config) as worker:
        for number, (key, body) in enumerate(kernels.items(), 1):
            title = f"tuning kernel {number} of {len(kernels)}"
            result = search(body, config, values, worker, lambda text, share, title=title: show(f"{title}: {text}", share))  # type: ignore[misc]
            if result is not None:
                found[key] = result
    if _is_watched():
        print(outcome(list(found.values()), len(kernels)), file=sys.stderr)
    return found


def outcome(found: Sequence[Found], count: int) -> str:
    """In a line, what the searches for so many kernels have led to."""
    faster = sum(one.seconds < one.heuristic_seconds for one in found)
    before, after = (1e6 * sum(times) for times in ([one.heuristic_seconds for one in found], [one.seconds for one in found]))
    failed = f", {count - len(found)} could not be measured" if len(found) < count else ""
    kernels = f"{count} {'kernel' if count == 1 else 'kernels'}"
    return f"morok: tuned {kernels}, {faster} faster than by the heuristic{failed}; {before:.1f} us before, {after:.1f} us now"


def _is_watched() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def search(body: Body, config: Config, values: Mapping[str, int], worker: Worker, show: Progress = lambda text, share: None) -> Found | None:
    """The fastest schedule of one kernel."""
    return _Search(body, config, values, worker, show).run()


class _Search:
    def __init__(self, body: Body, config: Config, values: Mapping[str, int], worker: Worker, show: Progress) -> None:
        self.body, self.config, self.values, self.worker, self.show = body, config, values, worker, show
        self.began = time.monotonic()
        self.measured: dict[Candidate, float] = {}
        self.seen: set = set()
        self.order = random.Random(0)

    @property
    def left(self) -> float:
        return self.config.beam_budget - (time.monotonic() - self.began)

    def run(self) -> Found | None:
        machine = machine_for(self.config)
        heuristic = self.heuristic = heuristic_candidate(self.body, machine)
        if not self._prepare(heuristic):
            return None
        self._measure_all(seeds(self.body, machine))
        idle = 0
        while idle < 2 and self.left > 0:
            before = min(self.measured.values())
            best = sorted(self.measured, key=self.measured.__getitem__)[:self.config.beam]
            if not self._round(best):
                break
            idle = 0 if min(self.measured.values()) < before * (1 - GAIN) else idle + 1
        return self._decided(heuristic)

    def _prepare(self, heuristic: Candidate) -> bool:
        """Gives the worker the kernel, and the bits that each candidate has to compute: those of the heuristic's schedule, once they have been compared
        with the kernel without opts."""
        try:
            if not self.worker.take(self.body, self.values, 30.0):
                return False
        except NotEncodable:
            return False
        self.began = time.monotonic()  # the process's start is no part of the budget
        self.worker.reference("", min(REFERENCE_SECONDS, max(1.0, self.left / 2)))
        self.seen.add(heuristic.identity)
        self._measure(heuristic, is_reference=True)
        return heuristic in self.measured and self.worker.reference(spelled(heuristic.opts), max(CANDIDATE_SECONDS, self.left))

    def _round(self, best: list[Candidate]) -> bool:
        """Measures some neighbours of each; whether there were any left."""
        some = False
        for parent in best:
            lists = list(dict.fromkeys(neighbours(self.body, parent.opts)))
            self.order.shuffle(lists)
            tried = 0
            for opts in lists:
                if tried >= PER_ROUND or self.left <= 0:
                    break
                child = candidate(self.body, opts)
                if child is not None and child.identity not in self.seen and child.order == self.heuristic.order:
                    self._measure_all(iter([child]))
                    tried += 1
            some |= tried > 0
        return some

    def _measure_all(self, candidates: Iterator[Candidate]) -> None:
        for one in candidates:
            if self.left <= 0:
                return
            if one.identity not in self.seen and one.order == self.heuristic.order:
                self.seen.add(one.identity)
                self._measure(one)

    def _measure(self, one: Candidate, is_reference: bool = False) -> None:
        fastest = min(self.measured.values(), default=float("inf"))
        limit = min(HOPELESS * fastest, 1e6)
        seconds = CANDIDATE_SECONDS + max(0.0, self.left) if is_reference else max(0.2, min(CANDIDATE_SECONDS, self.left))
        answer = self.worker.measure(spelled(one.opts), not is_reference, limit, seconds)
        if answer is not None and "seconds" in answer:
            self.measured[one] = answer["seconds"]
        self.show(f"{len(self.seen)} schedules, {min(self.measured.values(), default=0.0) * 1e6:.1f} us", min(1.0, 1 - self.left / self.config.beam_budget))

    def _decided(self, heuristic: Candidate) -> Found:
        """The winner, after more runs of the fastest and of the heuristic's schedule in turns."""
        finalists = sorted(self.measured, key=self.measured.__getitem__)[:FINALISTS]
        times: dict[Candidate, list[float]] = {one: [] for one in dict.fromkeys((*finalists, heuristic))}
        for _ in range(FINAL_ROUNDS if finalists != [heuristic] else 0):
            for one, taken in times.items():
                answer = self.worker.measure(spelled(one.opts), True, 1e6, CANDIDATE_SECONDS)
                if answer is not None and "seconds" in answer:
                    taken.append(answer["seconds"])
        seconds = {one: min(taken) for one, taken in times.items() if taken} or {heuristic: self.measured[heuristic]}
        base = seconds.get(heuristic, self.measured[heuristic])
        best = min(seconds, key=seconds.__getitem__)
        if seconds[best] > base * (1 - GAIN):
            best = heuristic
        return Found(spelled(best.opts), seconds.get(best, base), base, len(self.seen))


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on standard error while that is a terminal; else nothing."""
    if not _is_watched():
        yield lambda text, share: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    with Progress(TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("tuning", total=1.0)
        yield lambda text, share: bar.update(task, description=text, completed=share)

"""Generators: a key and a counter, in memory that plans can read and write."""
from __future__ import annotations

import os
import sys
import threading
from typing import Any

import numpy as np

from ...dialect import types as T
from ...errors import BoundsError
from ...fork_safety import renewed_after_fork
from .. import build, realize
from ..arguments import integer
from ..sizes import Shape
from ..tensor import Tensor
from ..tracing import TRACING
from .threefry import threefry

_WORD = 1 << 64


class Generator:
    """A stream of random numbers. Draws take blocks of it one after another, from any thread.

        g = Generator(7); g.split(2)[0]
    """

    def __init__(self, seed: int | None = None, device: str | None = None) -> None:
        """The stream of a seed (any integer, taken modulo 2**64); without one, of a seed that the system chooses."""
        self.device = realize.canonical_device(device)
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._state = Tensor(np.zeros(2, np.uint64), device=self.device)
        self._seed = 0
        self.manual_seed(seed if seed is not None else int.from_bytes(os.urandom(8), "little"))

    def __repr__(self) -> str:
        return f"Generator(seed={self._seed}, device={self.device!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "seed": self._seed, "state": self._state.tolist()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["seed"], state["device"])  # type: ignore[misc]
        self.set_state(state["state"])

    def manual_seed(self, seed: int) -> Generator:
        """Begins the stream of a seed."""
        self._seed = integer(seed, "manual_seed: the seed") % _WORD
        self.set_state([self._seed, 0])
        return self

    def seed(self) -> int:
        """Begins the stream of a seed that the system chooses, and gives that."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed that was set last."""
        return self._seed

    def get_state(self) -> Tensor:
        """Key and counter, uint64 of shape (2,)."""
        return self._state.clone()

    def set_state(self, state: Any) -> None:
        """Goes to where `get_state` was."""
        if not isinstance(state, Tensor):
            state = Tensor(np.array([int(s) % _WORD for s in state], np.uint64), device=self.device)
        if state.shape != (2,) or state.dtype is not T.uint64:
            raise BoundsError(f"set_state: a state is uint64 of shape (2,), not {state.dtype} of shape {state.shape}")
        self._state.assign(state)
        if not (TRACING.count and TRACING.current is not None):
            self._state.realize()

    def split(self, count: int = 2) -> list[Generator]:
        """Generators of other keys, drawn from this stream, whose numbers do not depend on those of each other."""
        words = self.blocks((integer(count, "split: count"),))
        keys = ((words[0].cast(T.uint64) << 32) | words[1].cast(T.uint64)).tolist()
        return [Generator(k, self.device) for k in keys]

    def blocks(self, shape: Shape) -> tuple[Tensor, Tensor]:
        """Two words of random bits (uint32) for each element of the shape; the stream moves on by as many blocks."""
        count = 1
        for size in shape:
            if not isinstance(size, int):
                raise BoundsError(f"random numbers have static shapes, not {shape}; draw the greatest size, and slice")
            count *= size
        with self._lock:
            state = self._taken(count)
        numbers = Tensor._from_uop(build.reshape(build.cast(build.iota(count, T.int64), T.uint64), shape), realize.DEFAULT_DEVICE).to(self.device)
        counter = numbers + state[1]
        words = tuple((word & 0xFFFFFFFF).cast(T.uint32) for word in (counter, counter >> 32, state[0], state[0] >> 32))
        return threefry((words[2], words[3]), (words[0], words[1]))

    def _taken(self, count: int) -> Tensor:
        """The state as it is, of which nobody sees later writes; the state itself moves on."""
        if TRACING.count and TRACING.current is not None:
            before = self._state.clone()
            self._state.assign(before + Tensor(np.array([0, count], np.uint64), device=self.device))
            return before
        key, counter = self._state.tolist()
        before, self._state._storage._uop = self._state.clone(), realize.new_buffer(np.array([key, (counter + count) % _WORD], np.uint64), self.device)
        return before


_generators: dict[str, Generator] = {}
_lock = threading.Lock()
renewed_after_fork(sys.modules[__name__], "_lock", threading.Lock)


def default_generator(device: str | None = None) -> Generator:
    """The generator that draws take when they are given none."""
    where = realize.canonical_device(device)
    found = _generators.get(where)
    if found is None:
        with _lock:
            found = _generators.get(where) or _generators.setdefault(where, Generator(None, where))
    return found


def manual_seed(seed: int) -> Generator:
    """Begins the default generators' streams of a seed."""
    for generator in list(_generators.values()):
        generator.manual_seed(seed)
    return default_generator().manual_seed(seed)


def seed() -> int:
    """Begins the default generator's stream of a seed that the system chooses, and gives that."""
    return default_generator().seed()


def initial_seed() -> int:
    """The default generator's seed."""
    return default_generator().initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state."""
    return default_generator().get_state()


def set_rng_state(state: Any) -> None:
    """Takes the default generator to a state."""
    default_generator().set_state(state)

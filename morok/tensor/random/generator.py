"""Generators: a key and a counter, in memory that plans can read and write."""
from __future__ import annotations

import os
import sys
import threading
from typing import Any

import numpy as np

from ...dialect import types as T
from ...errors import BoundsError, JitError
from ...fork_safety import renewed_after_fork
from .. import build, realize
from ..arguments import integer
from ..sizes import Shape
from ..tensor import Tensor
from ..tracing import TRACING
from .threefry import threefry

_WORD = 1 << 64


class Generator:
    """A stream of random numbers: a key, and how many blocks have been taken. Draws take blocks one after another, from any thread.

        g = morok.Generator(7)
        morok.random.normal(3, generator=g).shape      # (3,)
    """

    def __init__(self, seed: int | None = None, device: str | None = None) -> None:
        """The stream of a seed (any integer, taken modulo 2**64); without one, of a seed that the system chooses.

        TypeError for a seed that is no integer; DeviceError for an unknown device.
        """
        self.device = realize.canonical_device(device)
        self._lock = threading.Lock()
        renewed_after_fork(self, "_lock", threading.Lock)
        self._state = Tensor(np.zeros(2, np.uint64), device=self.device)
        self._seed: int | None = 0
        self.manual_seed(seed if seed is not None else int.from_bytes(os.urandom(8), "little"))

    def __repr__(self) -> str:
        seed = "of a stream" if self._seed is None else self._seed
        return f"Generator(seed={seed}, device={self.device!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {"device": self.device, "seed": self._seed, "state": self._state.tolist()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["seed"] or 0, state["device"])  # type: ignore[misc]
        self.set_state(state["state"])

    def manual_seed(self, seed: int) -> Generator:
        """Begins the stream of a seed, and gives the generator. TypeError for a seed that is no integer.

            morok.Generator().manual_seed(3).initial_seed()      # 3
        """
        self._seed = integer(seed, "manual_seed: the seed") % _WORD
        self.set_state([self._seed, 0])
        return self

    def seed(self) -> int:
        """Begins the stream of a seed that the system chooses, and gives that."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed that was set last. JitError for a generator that `split` made within a captured function: its key is drawn anew by each call."""
        if self._seed is None:
            raise JitError("initial_seed: the key of a generator that was split within a captured function is drawn by each call; split it outside")
        return self._seed

    def get_state(self) -> Tensor:
        """Key and counter, uint64 of shape (2,)."""
        return self._state.clone()

    def set_state(self, state: Any) -> None:
        """Goes to where `get_state` was: a tensor, or two integers. BoundsError for anything of another dtype or shape."""
        if not isinstance(state, Tensor):
            if not isinstance(state, (list, tuple, np.ndarray)):
                raise TypeError(f"set_state: a state is two whole numbers, as get_state gives, not {state!r}")
            state = Tensor(np.array([int(s) % _WORD for s in state], np.uint64), device=self.device)
        if state.shape != (2,) or state.dtype is not T.uint64:
            raise BoundsError(f"set_state: a state is uint64 of shape (2,), not {state.dtype} of shape {state.shape}")
        self._state.assign(state)
        if not (TRACING.count and TRACING.current is not None):
            self._state.realize()

    def split(self, count: int = 2) -> list[Generator]:
        """Generators of other keys, drawn from this stream, whose numbers do not depend on those of each other nor on what is drawn from this one later.

        Within a function that `morok.jit` captured, each call splits off other keys. BoundsError for a negative count.

            first, second = morok.Generator(7).split()
            morok.random.uniform(2, generator=first).shape      # (2,)
        """
        if integer(count, "split: count") < 0:
            raise BoundsError(f"split: count must not be negative, given {count}")
        words = self.blocks((count,))
        keys = (words[0].cast(T.uint64) << 32) | words[1].cast(T.uint64)
        if not (TRACING.count and TRACING.current is not None):
            return [Generator(k, self.device) for k in keys.tolist()]
        found = [Generator(0, self.device) for _ in range(count)]
        for i, generator in enumerate(found):
            generator._seed = None
            generator._state[0] = keys[i]
        return found

    def blocks(self, shape: Shape) -> tuple[Tensor, Tensor]:
        """Two words of random bits (uint32) for each element of the shape; the stream moves on by as many blocks."""
        count = 1
        for size in shape:
            if not isinstance(size, int):
                raise BoundsError(f"random numbers have static shapes, not {shape}; draw the greatest size, and slice")
            count *= size
        if TRACING.count and (level := TRACING.level) is not None:
            return level.drawn(self.blocks, shape)
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
    """The generator that draws take when they are given none: one for each device, all of one seed, which the system chooses until `manual_seed`.

        morok.random.default_generator()
    """
    where = realize.canonical_device(device)
    found = _generators.get(where)
    if found is None:
        seed = None if where == realize.DEFAULT_DEVICE else default_generator().initial_seed()
        with _lock:
            found = _generators.get(where) or _generators.setdefault(where, Generator(seed, where))
    return found


def manual_seed(seed: int) -> Generator:
    """Begins the default generators' streams of a seed, on all devices, and gives the first device's. TypeError for a seed that is no integer.

        morok.manual_seed(0).initial_seed()      # 0
    """
    for generator in list(_generators.values()):
        generator.manual_seed(seed)
    return default_generator().manual_seed(seed)


def seed() -> int:
    """Begins the default generators' streams of a seed that the system chooses, and gives that.

        morok.random.seed()
    """
    chosen = int.from_bytes(os.urandom(8), "little")
    manual_seed(chosen)
    return chosen


def initial_seed() -> int:
    """The default generator's seed.

        morok.random.initial_seed()
    """
    return default_generator().initial_seed()


def get_rng_state() -> Tensor:
    """The default generator's state: key and counter, uint64 of shape (2,).

        morok.random.get_rng_state().shape      # (2,)
    """
    return default_generator().get_state()


def set_rng_state(state: Any) -> None:
    """Takes the default generator to a state that `get_rng_state` gave. BoundsError for anything of another dtype or shape.

        morok.random.set_rng_state(morok.random.get_rng_state())
    """
    default_generator().set_state(state)

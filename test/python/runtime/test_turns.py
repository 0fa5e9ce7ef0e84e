"""Threads take short turns while kernels compile side by side, and only then."""
import sys
import threading

import numpy as np

from morok import Tensor
from morok.runtime import kernels
from morok.runtime.config import configured
from morok.runtime.turns import TURN_SECONDS, Turns


def test_they_are_as_long_as_before_when_the_last_one_is_done():
    before, turns = sys.getswitchinterval(), Turns()
    inside, done = threading.Event(), threading.Event()

    def other():
        with turns.short():
            inside.set()
            done.wait()

    thread = threading.Thread(target=other)
    with turns.short():
        thread.start()
        inside.wait()
        assert np.isclose(sys.getswitchinterval(), TURN_SECONDS)
    assert np.isclose(sys.getswitchinterval(), TURN_SECONDS)
    done.set()
    thread.join()
    assert sys.getswitchinterval() == before


def test_short_while_kernels_compile(monkeypatch):
    before, seen, optimise = sys.getswitchinterval(), [], kernels.optimise

    def noted(*arguments):
        seen.append(sys.getswitchinterval())
        return optimise(*arguments)

    monkeypatch.setattr(kernels, "optimise", noted)
    x = Tensor(np.arange(13 * 17, dtype=np.float32).reshape(13, 17))
    with configured(cache=False):
        Tensor.prepare_batch([x.sin() + 3, x.sum(0)])
    assert len(seen) == 2 and max(seen) < before == sys.getswitchinterval()

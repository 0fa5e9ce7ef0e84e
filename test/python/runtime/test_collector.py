"""Python's cyclic collector waits while something compiles, and only then."""
import gc
import threading

import numpy as np

from morok import Tensor
from morok.runtime import realize
from morok.runtime.collector import Collector
from morok.runtime.config import configured
from morok.runtime.realize import compile_plan


def test_it_is_on_again_when_the_last_one_is_done():
    collector = Collector()
    inside, done = threading.Event(), threading.Event()

    def other():
        with collector.paused():
            inside.set()
            done.wait()

    thread = threading.Thread(target=other)
    with collector.paused():
        thread.start()
        inside.wait()
        assert not gc.isenabled()
    assert not gc.isenabled()
    done.set()
    thread.join()
    assert gc.isenabled()


def test_it_stays_off_for_a_user_who_turned_it_off():
    gc.disable()
    try:
        with Collector().paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_is_off_while_a_graph_compiles(monkeypatch):
    seen = []
    monkeypatch.setattr(realize, "compile_plan", lambda *given: seen.append(gc.isenabled()) or compile_plan(*given))
    with configured(cache=False):
        (Tensor(np.ones((3, 53), np.float32)) * 37).prepare()
    assert seen == [False] and gc.isenabled()

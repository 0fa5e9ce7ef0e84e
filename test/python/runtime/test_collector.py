"""Python's cyclic collector waits while something compiles, and only then."""
import gc
import threading

import numpy as np

from morok import Tensor
from morok.runtime.collector import Collector


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


def test_nothing_is_collected_while_a_graph_compiles():
    began = []
    x = Tensor(np.ones((3, 5), np.float32)).realize()
    y = x
    for _ in range(40):
        y = (y + x).contiguous() * 3
    watch = lambda phase, info: began.append(info["generation"])  # noqa: E731
    gc.collect()
    gc.callbacks.append(watch)
    try:
        y.prepare()
    finally:
        gc.callbacks.remove(watch)
    assert gc.isenabled() and len(began) <= 2  # before and after it

"""What a forked child finds: no lock that another thread of the parent held, and nothing that such a thread was about to undo."""

import gc
import os
import sys
import threading

import numpy as np
import pytest

import morok
from morok import Tensor, fork_safety
from morok.runtime import configured
from morok.runtime.disk_cache import disk_cache
from morok.tensor.tracing import TRACING

LOCKS = (type(threading.Lock()), type(threading.RLock()))
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def attributes(owner):
    names = [*getattr(owner, "__dict__", ()), *(n for c in type(owner).__mro__ for n in getattr(c, "__slots__", ()))]
    return {name: getattr(owner, name, None) for name in names}


def is_of_morok(owner):
    name = owner.__name__ if isinstance(owner, type(sys)) else owner.__module__ if isinstance(owner, type) else type(owner).__module__
    return isinstance(name, str) and name.partition(".")[0] == "morok"


def in_child(work):
    """The exit code of a child that does this."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_every_lock_is_known_to_forks(tmp_path):
    with configured(cache=True, cache_dir=str(tmp_path), num_threads=2):
        f = morok.jit(lambda x: (x @ x).exp().sum())
        f(Tensor(np.ones((300, 300), np.float32)))
        Tensor([1.0, 2.0]).prepare()
    known = {(id(owner), name) for owner, names in fork_safety._renewed.items() for name in names}
    known |= {(id(owner), name) for _, owner, name, _ in fork_safety._awaited}
    owners = [o for o in gc.get_objects() if is_of_morok(o)]
    locks = [(o, name) for o in owners for name, value in attributes(o).items() if isinstance(value, LOCKS)]
    assert len(locks) > 10
    assert [f"{type(o).__name__}.{name}" for o, name in locks if (id(o), name) not in known] == []


def test_a_child_enters_code_though_another_thread_was_making_room(tmp_path):
    with configured(cache=True, cache_dir=str(tmp_path)):
        cache = disk_cache(morok.runtime.config.current_config())
        with cache._lock:  # as the other thread would
            assert in_child(lambda: cache.put("key", b"content") or cache.get("key") == b"content") == 0


def test_a_trace_of_another_thread_is_none_of_the_child():
    entered, leave = threading.Event(), threading.Event()
    traced = morok.jit(lambda x: (entered.set(), leave.wait(), x + 1)[2])
    thread = threading.Thread(target=lambda: traced(Tensor([1.0])))
    thread.start()
    entered.wait()
    try:
        assert in_child(lambda: TRACING.count == 0 and morok.jit(lambda x: x + 1)(Tensor([1.0])).item() == 2) == 0
    finally:
        leave.set()
        thread.join()
    assert TRACING.count == 0

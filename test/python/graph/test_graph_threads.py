"""The graph under threads: one object for one expression, no operation lost, no deadlock with the collector."""
import gc
import os
import random
import sys
import threading

import pytest
from graph_building import Storage, buffer

from morok import fork_safety
from morok.graph.capture import capture, structural_key
from morok.graph.tensor_graph import GRAPH, TensorUOp, graph_statistics, substitute

THREADS = 8


@pytest.fixture(autouse=True)
def switch_often():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def in_threads(work, count=THREADS):
    """Runs work(number) in threads that start together; what one raises is raised here."""
    start, errors = threading.Barrier(count), []

    def run(number):
        start.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "deadlock"
    if errors:
        raise errors[0]


def test_an_expression_built_in_many_threads_is_one_object():
    a, b = buffer(), buffer()
    built = [None] * THREADS

    def work(number):
        values, u = [], a
        for i in range(300):
            u = (u + b) * (i % 7 + 2) if i % 2 else u.alu("exp")
            values.append(u)
        built[number] = values

    in_threads(work)
    for values in built[1:]:
        assert all(x is y for x, y in zip(values, built[0]))


def test_building_and_dropping_in_many_threads_leaves_nothing():
    a, b = buffer(), buffer()
    before = graph_statistics()["operations"]

    def work(number):
        pick = random.Random(number)
        live = [a, b]
        for _ in range(1000):
            live.append(pick.choice(live) + pick.choice(live))
            if len(live) > 20:
                del live[pick.randrange(2, len(live))]

    in_threads(work)
    gc.collect()
    statistics = graph_statistics()
    assert statistics["operations"] == statistics["handles"] == before
    assert GRAPH.module.operation.verify()


def test_substitution_while_others_build_capture_and_drop():
    stop = time_limit(2.0)

    def work(number):
        while not stop():
            a = buffer()
            other = shared[0]
            x = other + a
            y = x.alu("exp") * other
            if number % 2:
                substitute(x, Storage())
                assert y.operands[0].operands[0].name == "buffer"
            captured = capture([y])
            key, leaves, _ = structural_key([y])
            assert len(leaves) == len(captured.leaves) == 2
            shared[0] = a

    shared = [buffer()]
    in_threads(work)
    assert GRAPH.module.operation.verify()


def test_one_value_realized_by_many_threads_is_one_buffer():
    for _ in range(50):
        u = buffer() + buffer()
        storages = [Storage() for _ in range(THREADS)]
        in_threads(lambda number: substitute(u, storages[number]))  # noqa: B023
        assert u.name == "buffer" and u.storage in storages


def test_the_collector_in_one_thread_does_not_block_another():
    stop = time_limit(1.0)

    def work(number):
        while not stop():
            if number == 0:
                gc.collect()
            else:
                cycle = [buffer() + 1]
                cycle.append(cycle)

    in_threads(work, 4)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_build_though_another_thread_held_the_lock(monkeypatch):
    monkeypatch.setattr(fork_safety, "WAIT", 0.1)
    held, release = threading.Event(), threading.Event()

    def hold():
        with GRAPH.lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if TensorUOp.make("exp", (buffer(),)).name == "exp" else 1)
    release.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def time_limit(seconds):
    import time
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end

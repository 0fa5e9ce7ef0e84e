"""Programs that once got wrong values, each reduced to the least that shows it."""
from __future__ import annotations

import os
import random
import signal
import threading
import time

import numpy as np
import pytest

from morok import Tensor, Variable
from morok.graph.tensor_graph import GRAPH, TensorUOp
from morok.runtime import buffer_of, new_buffer_from_numpy, prepare_uops
from morok.runtime.realize import RUNTIME


def counting(n: int = 4) -> Tensor:
    return Tensor(np.arange(n, dtype=np.float32)).realize()


def runs(plan, count: int = 3) -> list:
    """The first output after each of some runs."""
    found = []
    for _ in range(count):
        plan.execute()
        found.append(plan.output_buffer_at(0).numpy().tolist())
    return found


def test_plan_in_place_leaves_other_outputs_as_they_were():
    t = counting(3)
    z = t * 2
    q = z + 1
    t.assign(t + 1)
    plan = Tensor.prepare_batch([z, t])
    assert runs(plan) == [[0, 2, 4], [2, 4, 6], [4, 6, 8]]
    assert (z.tolist(), q.tolist(), t.tolist()) == ([0, 2, 4], [1, 3, 5], [3, 4, 5])


def test_plan_in_place_leaves_other_outputs_at_the_sizes_they_are_bound_to():
    n = Variable("n", 1, 4)
    t = counting()
    z = t[:n.bind(2)] * 2
    t.assign(t + 1)
    plan = Tensor.prepare_batch([z, t])
    plan.execute_with_vars({"n": 3})
    assert plan.output_buffer_at(0).numpy().tolist() == [0, 2, 4]
    assert (z.tolist(), t.tolist()) == ([0, 2], [1, 2, 3, 4])


@pytest.mark.parametrize("alive", [True, False])
def test_plan_that_swaps(alive):
    x, y = counting(3), (counting(3) * 10).realize()
    old = x + 0
    x.assign(y)
    y.assign(old)
    if not alive:
        del old
    plan = Tensor.prepare_batch([x, y])
    for run in range(4):
        plan.execute()
        expected = [[0, 10, 20], [0, 1, 2]]
        assert [x.tolist(), y.tolist()] == (expected if run % 2 == 0 else expected[::-1])
    if alive:
        assert old.tolist() == [0, 1, 2]


@pytest.mark.parametrize("alive", [True, False])
def test_plan_assigns_to_no_tensor_that_it_was_not_given(alive):
    t = counting()
    t += 1
    total = t.sum()
    if not alive:
        del t
    assert runs(total.prepare()) == [10, 10, 10]


def test_plan_updates_a_tensor_whose_array_is_borrowed_and_not_the_array():
    memory = np.zeros(4 + 16, np.float32)
    start = -memory.ctypes.data % 64 // 4
    array = memory[start:start + 4]
    t = Tensor(array, borrow=True)
    t += 1
    assert runs(t.prepare()) == [[1] * 4, [2] * 4, [3] * 4]
    assert (t.tolist(), array.tolist()) == ([3] * 4, [0] * 4)


def builds_and_realizes(i: int) -> None:
    (Tensor(np.ones(300, np.float32)) * i + 0.25).sum().realize()


def builds(i: int) -> None:
    x = Tensor.ones(7)
    for k in range(50):
        x = (x + float(i * 50 + k)).exp()


def prepares_and_executes(i: int) -> None:
    plan = (Tensor(np.ones(i % 29 + 1, np.float32)) + float(i)).prepare()
    for _ in range(20):
        plan.execute()


def executes(i: int) -> None:
    if not PLAN:
        PLAN.append((Tensor(np.ones(1 << 16, np.float32)) + 1).sum().prepare())
    for _ in range(20):
        PLAN[0].execute()


PLAN: list = []


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("work", [builds_and_realizes, builds, prepares_and_executes, executes])
def test_fork_while_another_thread(work):
    stop = threading.Event()

    def keep_on():
        i = 0
        while not stop.is_set():
            work(i)
            i += 1

    work(0)
    thread = threading.Thread(target=keep_on)
    thread.start()
    try:
        for i in range(12):
            time.sleep(0.003 * i)
            child = os.fork()
            if child == 0:
                signal.alarm(30)  # ends a child that hangs
                done = False
                try:
                    work(i)
                    done = (Tensor(np.ones(77 + i, np.float32)) * 2).sum().item() == 2 * (77 + i)
                finally:
                    os._exit(0 if done else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        thread.join()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_that_fork_at_once():
    wrong = []

    def work():
        for _ in range(5):
            (Tensor.ones(5) + len(wrong)).sum().realize()
            child = os.fork()
            if child == 0:
                signal.alarm(30)
                os._exit(0 if (Tensor.ones(9) * 3).sum().item() == 27 else 1)
            wrong.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == [0] * 15


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_fork_by_the_thread_that_holds_the_locks():
    with RUNTIME.lock, GRAPH.lock:
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            os._exit(0 if (Tensor.ones(9) * 3).sum().item() == 27 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    free = []
    other = threading.Thread(target=lambda: free.extend(lock.acquire(blocking=False) and not lock.release()  # type: ignore[func-returns-value]
                                                        for lock in (RUNTIME.lock, GRAPH.lock)))
    other.start()
    other.join()
    assert free == [True, True]


def test_sum_of_more_equal_terms_than_float32_counts():
    n = 20_000_000  # 2**24 + 1 is no float32: one after the other, ones sum to 2**24
    assert Tensor.ones(n).sum().item() == n
    assert Tensor(np.array([0.5], np.float32)).expand(n).sum().item() == n / 2
    assert Tensor.full((n,), 0.1).mean().item() == np.float32(0.1)


def test_plan_in_place_copies_to_another_device():
    t = counting(3)
    t += 1
    there = t.to("CPU:1") * 2
    plan = Tensor.prepare_batch([there, t])
    assert runs(plan) == [[2, 4, 6], [4, 6, 8], [6, 8, 10]]
    assert (t.tolist(), there.tolist()) == ([3, 4, 5], [2, 4, 6])


def test_plan_in_place_there_and_back():
    x, y = counting(3), counting(3).to("CPU:1").realize()
    y += x.to("CPU:1")
    x += y.to("CPU")
    x[1:] = y.to("CPU")[:2]
    plan = Tensor.prepare_batch([x, y])
    xs, ys = np.arange(3.0), np.arange(3.0)
    for _ in range(3):
        plan.execute()
        ys += xs
        xs += ys
        xs[1:] = ys[:2]
        assert (x.tolist(), y.tolist()) == (xs.tolist(), ys.tolist())


def write(what: int, to, value, first: int, end: int):
    """One of some ways to write into a tensor or an array."""
    if what == 0:
        to += value
    elif what == 1:
        to[...] = value * 2 + 1
    elif what == 2:
        to[first:end] = value[4 - (end - first):] + 1
    elif what == 3:
        to[::-1][first:end] = value[first:end]
    elif what == 4:
        to[:] = value[::-1] + 1
    else:
        to *= 2


@pytest.mark.parametrize("devices", [("CPU", "CPU:1", "CPU:1"), ("CPU", "CPU", "CPU")], ids=["two", "one"])
def test_writes_at_random_within_plans(devices):
    for seed in range(60):
        rng = random.Random(seed)
        writes = [(rng.randrange(6), rng.randrange(3), rng.randrange(3), rng.randint(0, 2), rng.randint(3, 4)) for _ in range(rng.randint(1, 7))]
        arrays = [np.arange(4, dtype=np.float32) + 10 * k for k in range(3)]
        tensors = [Tensor(a).to(d).realize() for a, d in zip(arrays, devices)]
        arrays = [a.copy() for a in arrays]
        before = [(t * 3, a * 3) for t, a in zip(tensors, arrays)] if rng.random() < 0.3 else []
        for what, i, j, first, end in writes:
            write(what, tensors[i], tensors[j].to(devices[i]), first, end)
        order = rng.sample(range(3), 3)
        total = tensors[0].to(devices[1]) + tensors[1]
        plan = Tensor.prepare_batch([*(tensors[k] for k in order), total])
        for _ in range(3):
            for what, i, j, first, end in writes:
                write(what, arrays[i], arrays[j].copy(), first, end)
            plan.execute()
            outputs = [plan.output_buffer_at(i).numpy().tolist() for i in range(4)]
            assert outputs == [*(arrays[k].tolist() for k in order), (arrays[0] + arrays[1]).tolist()], (seed, writes)
            assert [t.tolist() for t in tensors] == [a.tolist() for a in arrays], (seed, writes)
        assert all(t.tolist() == a.tolist() for t, a in before), (seed, writes)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("device", ["CPU", "CPU:1"])
def test_plan_with_two_values_assigned_to_one_buffer(swapped, device):
    """The last one is its memory."""
    buffer = new_buffer_from_numpy(np.arange(3, dtype=np.float32))
    first = TensorUOp.make("assign", (buffer, buffer, buffer + 1.0))
    second = TensorUOp.make("assign", (first, first, first * 2.0))
    copy = TensorUOp.make("copy", (second,), (device,))
    plan = prepare_uops([*([second, first] if swapped else [first, second]), copy])
    expected = np.arange(3, dtype=np.float32)
    for _ in range(3):
        plan.execute()
        outputs = [plan.output_buffer_at(i).numpy().tolist() for i in range(3)]
        pair = [(expected + 1).tolist(), ((expected + 1) * 2).tolist()]
        expected = (expected + 1) * 2
        assert outputs == [*(pair[::-1] if swapped else pair), expected.tolist()]
        assert buffer_of(second).numpy().tolist() == expected.tolist()


@pytest.mark.parametrize("most", [1, 2, 5])
def test_size_that_can_only_be_one(most):
    array = np.arange(most, dtype=np.float32)[:, None]
    n, m = Variable("n", 1, most), Variable("m", 1, 1)
    x = Tensor(array).realize()[:n.bind(1), :m.bind(1)]
    plan = Tensor.prepare_batch([x.T + 1, x.flip(0) * 2, x.T.sum(0), x.flip(1).max(1)])
    for value in range(1, most + 1):
        plan.execute_with_vars({"n": value})
        part = array[:value]
        for i, expected in enumerate([part.T + 1, part[::-1] * 2, part[:, 0], part[:, 0]]):
            np.testing.assert_array_equal(plan.output_buffer_at(i).numpy(), expected)


@pytest.mark.parametrize("alive", [True, False])
def test_plan_in_place_with_an_output_whose_variable_has_no_value(alive):
    """What has no value yet cannot be kept as it was."""
    t, n = counting(5), Variable("n", 1, 5)
    t += 1
    total = t[:n].sum()
    plan = Tensor.prepare_batch([t, total])
    if not alive:
        del total
    for run, size in enumerate([2, 5, 1], 1):
        plan.execute_with_vars({"n": size})
        expected = np.arange(5) + run
        assert t.tolist() == expected.tolist()
        assert plan.output_buffer_at(1).numpy() == expected[:size].sum()

"""direct_call.py: any plan as one call into machine code, on memory given at each call."""

import threading

import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.runtime.config import configured


def captured_of(function):
    """What the jitted function has captured, the only signature that it has seen."""
    found, = function._captured.values()
    return found


def rolled(x, times):
    """Equal parts, each needed by the next: they become stages of one compilation."""
    for _ in range(times):
        x = (x.reshape(4, 4).sum(0, keepdim=True) * 0.25 + x.reshape(4, 4)).reshape(16).contiguous()
    return x


@pytest.mark.parametrize("times", [1, 12, 40])
def test_many_stages_are_one_call(times):
    f = morok.jit(lambda x: rolled(x, times))
    for seed in range(3):
        x = np.random.default_rng(seed).uniform(-1, 1, 16)
        expected = x
        for _ in range(times):
            expected = (expected.reshape(4, 4).sum(0, keepdims=True) * 0.25 + expected.reshape(4, 4)).reshape(16)
        np.testing.assert_allclose(f(Tensor(x)).numpy(), expected, rtol=1e-12)
    captured = captured_of(f)
    assert len(captured.plan.stages) == (times if times > 1 else 1)
    assert captured.direct is not None and captured.fast is not None


def test_copies_between_stages():
    f = morok.jit(lambda x: (((x + 1).to("CPU:1") * 2).to("CPU") + x, x.to("CPU:2")))
    for i in range(3):
        a, b = f(Tensor([float(i), 5.0]))
        assert a.numpy().tolist() == [3 * i + 2, 17] and b.numpy().tolist() == [i, 5] and (a.device, b.device) == ("CPU", "CPU:2")
    assert captured_of(f).fast is not None


def test_variables_of_several_stages():
    n = Variable("n", 1, 64)
    f = morok.jit(lambda x: ((x * 2).to("CPU:1") + 1).sum())
    x = Tensor(np.arange(64, dtype=np.float32))
    for k in (64, 1, 30):
        assert f(x[:n.bind(k)]).item() == sum(2 * i + 1 for i in range(k))
    assert f.captures == 1 and captured_of(f).direct is not None


def test_memory_that_is_assigned():
    w = Tensor(np.ones(8, np.float32)).realize()

    @morok.jit
    def step(x):
        w.assign(w + x)
        return w * 2
    for i in range(1, 4):
        assert step(Tensor(np.ones(8, np.float32))).numpy().tolist() == [2 * (i + 1)] * 8
        assert w.numpy().tolist() == [i + 1] * 8
    assert captured_of(step).direct is not None


def test_frames_of_threads_are_apart():
    f = morok.jit(lambda x: rolled(x, 12))
    inputs = [Tensor(np.full(16, float(i))) for i in range(4)]
    expected = [f(x).numpy() for x in inputs]
    wrong = []

    def call(i):
        for _ in range(200):
            if not np.array_equal(f(inputs[i]).numpy(), expected[i]):
                wrong.append(i)
    threads = [threading.Thread(target=call, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


def test_stages_that_are_checked_are_called_one_by_one():
    with configured(check=True):
        f = morok.jit(lambda x: x + 1)
        assert f(Tensor([1.0])).item() == 2 and captured_of(f).direct is None

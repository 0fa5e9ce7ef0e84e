"""Writes, views and aliases: what is read before a write keeps its value, and each write happens once."""

import numpy as np
import pytest
from arrays import check, sample

import morok
from morok import Tensor

PAIRS = [np.int32, np.float32]


@pytest.mark.parametrize("realised", [False, True])
@pytest.mark.parametrize("index", [[0, 0], [0, 1, 0], [1, 1, 1, 0]], ids=str)
@pytest.mark.parametrize("dtype", PAIRS)
def test_an_indexed_addition_of_what_is_read_at_the_same_places(index, dtype, realised):
    y = np.array([[1, 2], [10, 20]], dtype)
    t = Tensor(y.copy())
    if realised:
        t.realize()
    t[index] += t[index]
    y[index] += y[index]
    check(t, y)


@pytest.mark.parametrize("step", [1, 2, -1, -2, 3])
@pytest.mark.parametrize("size", [1, 7, 10])
def test_a_strided_store_into_a_realised_tensor(size, step):
    a, t = np.zeros(size, np.float32), Tensor.zeros(size).realize()
    a[::step], t[::step] = 1, 1
    check(t, a)
    a[1:][::step] *= 10
    t[1:][::step] *= 10
    check(t, a)


@pytest.mark.parametrize("halfway", [False, True])
@pytest.mark.parametrize("source, other", [(np.int32, np.float32), (np.float64, np.int64), (np.uint8, np.int8)])
def test_a_value_read_through_other_bits_before_a_write(source, other, halfway):
    x = np.arange(-12, 12).astype(source).reshape(4, 6)
    t = Tensor(x.copy())
    y, u = x.view(other).copy(), t.bitcast(np.dtype(other))
    doubled = u * 2
    if halfway:
        doubled.realize()
    t -= 4
    t[:, 2:5] = 2
    x -= np.array(4, source)
    x[:, 2:5] = 2
    with np.errstate(over="ignore"):
        check(doubled, y * 2)
    check(t, x)


@pytest.mark.parametrize("copy", ["copy", "clone", "Tensor", "contiguous"])
def test_a_copy_outlives_a_write_to_what_it_was_copied_from(copy):
    a = Tensor([0.0, 1.0]).realize()
    b = Tensor(a.numpy()) if copy == "Tensor" else getattr(a + 0 if copy == "contiguous" else a, copy)()
    a += 5
    morok.jit(lambda v: v.assign(v * 0))(a)
    assert (a.tolist(), b.tolist()) == ([0, 0], [0, 1])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [7, 20])
def test_a_sum_of_all_but_the_diagonal_into_one_element(n, threads):
    x = np.random.default_rng(n).random((n, n)).astype(np.float32)
    found = []
    with morok.num_threads(threads):
        for _ in range(10):
            t = Tensor(x.copy())
            t[0, 1] = (t * (1 - Tensor.eye(n))).sum()
            found.append(t.numpy())
    assert all((f == found[0]).all() for f in found)
    right = x.copy()
    right[0, 1] = (x * (1 - np.eye(n))).sum()
    np.testing.assert_allclose(found[0], right, rtol=1e-5)


@pytest.mark.parametrize("windows", [(4, 2), (3, 1)])
def test_overlapping_windows_are_read_before_their_source_is_written(windows):
    size, step = windows
    x = np.linspace(-3, 3, 7).astype(np.float32)
    t = Tensor(x.copy())
    starts = range(0, 7 - size + 1, step)
    view = Tensor.stack([t[i : i + size] for i in starts])
    t *= 2
    check((view * 2).abs(), np.abs(np.stack([x[i : i + size] for i in starts]) * 2), 1e-6)
    check(t, x * 2)


@pytest.mark.parametrize("poisoned", [False, True])
@pytest.mark.parametrize("shape", [(5,), (3, 7), (64, 33)], ids=str)
def test_a_plan_gives_the_same_each_time(shape, poisoned):
    """The first run as the second, with memory between them filled with NaN."""
    x = sample(shape, seed=3)
    t = Tensor(x)
    centred = t - t.mean(-1, keepdim=True)
    plan = ((centred * centred).sum(-1).sqrt() + centred.max(-1)).prepare()
    found = []
    for _ in range(3):
        if poisoned:
            Tensor(np.full((len(shape) * 64, 64), np.nan, np.float32)).realize()
        plan.execute()
        found.append(plan.output_buffer_at(0).numpy().copy())
    assert all((f == found[0]).all() for f in found)
    c = x - x.mean(-1, keepdims=True)
    np.testing.assert_allclose(found[0], np.sqrt((c * c).sum(-1)) + c.max(-1), rtol=1e-4, atol=1e-4)

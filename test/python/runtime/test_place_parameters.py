"""Windows whose places change from graph to graph are compiled once for all places, and give the bits that code for each place gives."""

import random
from contextlib import nullcontext

import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.errors import BoundsError
from morok.graph.capture import structural_key
from morok.graph.registries import KERNELS
from morok.runtime import configured
from morok.runtime.place_parameters import VARIABLE_LIMIT, Movement
from morok.runtime.realize import RUNTIME
from morok.runtime.skeletons import split


def forget():
    RUNTIME.plans.clear()
    RUNTIME.skeletons.clear()


@pytest.fixture(autouse=True)
def anew():
    forget()


def array(*shape, dtype=np.float32, seed=0):
    return np.random.default_rng(seed).uniform(-3, 3, shape).astype(dtype)


def test_a_loop_over_minibatches_compiles_twice(compilations):
    data, weights = array(500, 33), array(33, 7, seed=1)
    x, w = Tensor(data).realize(), Tensor(weights).realize()
    for i in range(0, 500 - 64, 64):
        np.testing.assert_allclose((x[i:i + 64] @ w).relu().sum(0).numpy(), np.maximum(data[i:i + 64] @ weights, 0).sum(0), rtol=1e-4, atol=1e-4)
    assert len(compilations) == 2


def test_a_training_loop_over_slices_compiles_a_fixed_number_of_programs(compilations):
    x, y = Tensor(array(200, 5)).realize(), Tensor(array(200, seed=1)).realize()
    w = Tensor(np.zeros(5, np.float32)).requires_grad_()
    v = np.zeros(5, np.float64)
    counts = []
    for i in range(0, 200 - 16, 16):
        loss = ((x[i:i + 16] @ w) - y[i:i + 16]).square().mean()
        loss.backward()
        with morok.no_grad():
            w.assign(w - 0.05 * w.grad).realize()
        w.grad = None
        part = x.numpy()[i:i + 16].astype(np.float64)
        v -= 0.05 * 2 / 16 * part.T @ (part @ v - y.numpy()[i:i + 16])
        counts.append(len(compilations))
    np.testing.assert_allclose(w.numpy(), v, rtol=1e-4, atol=1e-5)
    assert counts[1] == counts[-1]


def test_slices_as_arguments_of_a_captured_function(compilations):
    data = array(100, 6)
    x = Tensor(data).realize()
    step = morok.jit(lambda rows: (rows * 2).sum(1))
    for i in range(0, 90, 10):
        np.testing.assert_allclose(step(x[i:i + 10]).numpy(), (data[i:i + 10] * 2).sum(1), rtol=1e-5)
    assert step.captures == 1 and len(compilations) == 3  # the step, and the window twice


def test_places_within_captured_functions(compilations):
    data = array(40)
    x = Tensor(data).realize()
    f = morok.jit(lambda x, i: x[i:i + 4] * 3)
    for i in (0, 5, 11, 0, 36, 5):
        np.testing.assert_array_equal(f(x, i).numpy(), data[i:i + 4] * 3)
    assert len(compilations) == 2


def test_plans_keep_their_places(compilations):
    data = array(40)
    x = Tensor(data).realize()
    plans = {i: (x[i:i + 4] * 3).prepare() for i in (0, 5, 11, 36)}
    for i, plan in plans.items():
        plan.execute()
        np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), data[i:i + 4] * 3)
    assert len(compilations) == 2
    with pytest.raises(BoundsError, match=r"no variable 'morok_place_0'; it has none"):
        plans[36].execute_with_vars({"morok_place_0": 2})


def test_beside_variables(compilations):
    data = array(40)
    x, n = Tensor(data).realize(), Variable("n", 1, 8)
    for i in (0, 5, 11, 30):
        np.testing.assert_allclose(x[i:i + 8][:n.bind(3)].sum().item(), data[i:i + 3].sum(), rtol=1e-5)
        np.testing.assert_allclose(x[i:i + 8][:n.bind(8)].sum().item(), data[i:i + 8].sum(), rtol=1e-5)
    assert len(compilations) == 2
    with pytest.raises(ValueError, match="names that begin with 'morok_' are morok's own; 'morok_place_0' may be 'place_0'"):
        Variable("morok_place_0", 0, 4)


@pytest.mark.parametrize("place", [lambda i: i, lambda i: 39 - i, lambda i: (7 * i) % 40])
def test_rows_written_one_by_one(compilations, place):
    """Each row is made of the one that lies a fixed distance before it; which rows these are is known in each call alone."""
    data = array(40, 3)
    t = Tensor(data).realize()
    for i in range(1, 20):
        a, b = place(i), place(i - 1)
        t[a] = t[b] * 0.5 + t[a]
        data[a] = data[b] * np.float32(0.5) + data[a]
        t.realize()
    np.testing.assert_allclose(t.numpy(), data, rtol=1e-6)
    assert len(compilations) <= 3


@pytest.mark.parametrize("by", [-3, -1, 0, 1, 2, 5, 9])
def test_writes_that_overlap_what_they_read(by):
    """Whether source and target meet is decided at each call: NumPy computes the source first."""
    data = array(60)
    t = Tensor(data).realize()
    for i in (20, 11, 30, 15, 16, 40):
        t[i:i + 5] = t[i + by:i + by + 5].flip(0) + 1
        data[i:i + 5] = data[i + by:i + by + 5][::-1] + 1
        t.realize()
    np.testing.assert_array_equal(t.numpy(), data)


def test_source_and_target_that_move_on_their_own():
    rng = random.Random(5)
    data = array(30)
    t = Tensor(data).realize()
    for _ in range(12):
        i, j = rng.randrange(24), rng.randrange(24)
        t[i:i + 6] = t[j:j + 6] * 2 - t[i:i + 6]
        data[i:i + 6] = data[j:j + 6] * 2 - data[i:i + 6]
        t.realize()
    np.testing.assert_array_equal(t.numpy(), data)


FORMS = {
    "copy": lambda x, i, j: x[i:i + 3],
    "row": lambda x, i, j: x[i] * 2,
    "element": lambda x, i, j: x[i, j] + x,
    "block": lambda x, i, j: (x[i:i + 3, j:j + 2] * 1.7).exp(),
    "stepped": lambda x, i, j: x[i:i + 3:2, j:j + 4:3],
    "flipped": lambda x, i, j: x.flip(1)[:, i:i + 5] + x[:, j:j + 5],
    "flat": lambda x, i, j: x.reshape(-1)[i:i + 17] * x.T.reshape(-1)[j:j + 17],
    "turned": lambda x, i, j: x[i:i + 4].T @ x[j:j + 4],
    "sum": lambda x, i, j: x[i:i + 4].sum() + x[:, j].sum(),
    "mean": lambda x, i, j: (x * x)[i:i + 4, j:j + 4].mean(0),
    "product": lambda x, i, j: x[i:i + 5] @ x.T[:, j:j + 3],
    "softmax": lambda x, i, j: x[i:i + 2, j:j + 4].softmax(1),
    "of a sum": lambda x, i, j: x.sum(1)[i:i + 3],
    "of a running sum": lambda x, i, j: x.cumsum(0)[i:i + 3, j],
    "of a join": lambda x, i, j: morok.cat([x, x * 2], 0)[i + 4:i + 9],
    "of padding": lambda x, i, j: x.pad(((2, 2), (0, 0)), value=1.5)[i:i + 4],
    "padded": lambda x, i, j: x.pad(((i, 5 - i), (j, 5 - j)), value=0.25) * 3,
    "padded sum": lambda x, i, j: x.pad(((i, 5 - i), (0, 0))).reshape(-1).sum() + x[i:i + 1],
    "sum of padding": lambda x, i, j: x.pad(((2, 2), (0, 0)))[i:i + 4].sum(0) + j,
    "product of padding": lambda x, i, j: x.pad(((2, 2), (1, 1)))[i:i + 4] @ x.pad(((1, 0), (1, 0)))[:, j:j + 6],
    "sum across rows": lambda x, i, j: x.T.reshape(-1)[10 * i:10 * i + 44].sum() * 2,
    "row of a triangle": lambda x, i, j: x[:, :10].tril()[i].sum() * 1.5,
    "sum of rows below": lambda x, i, j: x.reshape(11, 2, 5)[i:i + 4].sum((0, 1)) + x[j, :5],
    "twice": lambda x, i, j: x[i:i + 5][j // 2:j // 2 + 2],
    "counted": lambda x, i, j: Tensor.arange(40)[i:i + 9] * 2 + Tensor.arange(9)[j % 5],
    "joined": lambda x, i, j: morok.cat([x[i:i + 1], x[j:j + 1], x[i + 1:i + 2]], 0),
    "sorted": lambda x, i, j: x[i:i + 4].sort(0)[0][j // 2:j // 2 + 1],
}
PLACES = [(0, 0), (1, 2), (3, 1), (5, 5), (0, 4), (2, 2), (4, 0), (4, 2), (5, 3), (1, 5)]
FIXED = {"padded sum", "sum of padding", "product of padding", "sum across rows", "row of a triangle"}
"""Forms whose code for one place sums in another order than that for another: their places stay constants."""


OF_FLOATS = ("softmax", "block", "mean", "padded", "of padding", "padded sum")


@pytest.mark.parametrize("name, dtype", [(n, d) for n in FORMS for d in (np.float32, np.float16, np.int32) if d is not np.int32 or n not in OF_FLOATS])
def test_the_bits_are_those_of_fixed_places(name, dtype, compilations):
    f = FORMS[name]
    x = Tensor(array(11, 10, dtype=np.float64).astype(dtype)).realize()
    shared = [f(x, i, j).numpy() for i, j in PLACES]
    if name not in FIXED:
        assert len(compilations) <= 6  # where windows are the same, or neighbours, they are one op, or two that move together
    for (i, j), got in zip(PLACES, shared):
        forget()
        expected = f(x, i, j).numpy()
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert got.tobytes() == expected.tobytes(), (i, j)


@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_random_windows(seed, check):
    """Windows of random sizes of arrays of random shapes, at random places: NumPy decides what is right."""
    rng = random.Random(seed)
    for _ in range(2 if check else 5):
        shape = tuple(rng.randrange(1, 40) for _ in range(rng.randrange(1, 4)))
        sizes = tuple(rng.randrange(1, n + 1) for n in shape)
        axes = rng.sample(range(len(shape)), len(shape))
        kind = rng.randrange(3)
        data = np.random.default_rng(seed).integers(-9, 9, shape).astype(np.float32)
        with configured(check=True) if check else nullcontext():
            x = Tensor(data).realize()
            for _ in range(4):
                begins = tuple(rng.randrange(n - s + 1) for n, s in zip(shape, sizes))
                key = tuple(slice(b, b + s) for b, s in zip(begins, sizes))
                got, expected = x[key].permute(axes), data[key].transpose(axes)
                if kind == 1:
                    got, expected = (got * got).sum(-1), (expected * expected).sum(-1)
                elif kind == 2:
                    got, expected = got.reshape(-1) + x.reshape(-1)[:1], expected.reshape(-1) + data.reshape(-1)[:1]
                np.testing.assert_array_equal(got.numpy(), expected)


def test_derivatives_of_slices(compilations):
    """The derivative of a window is a padding whose place changes."""
    w = Tensor(array(30, 4)).requires_grad_()
    counts = []
    for i in (0, 7, 13, 26):
        gradient = morok.grad(lambda w, i=i: w[i:i + 4].square().sum())(w)
        expected = np.zeros((30, 4), np.float32)
        expected[i:i + 4] = 2 * w.numpy()[i:i + 4]
        np.testing.assert_array_equal(gradient.numpy(), expected)
        counts.append(len(compilations))
    assert counts[1] == counts[-1]


def test_several_devices(compilations):
    data = array(40)
    x = Tensor(data).realize()
    for i in (0, 5, 11, 30):
        np.testing.assert_array_equal((x[i:i + 4].to("CPU:1") * 2).numpy(), data[i:i + 4] * 2)
    assert len(compilations) == 2


def test_from_disk(tmp_path, compilations, monkeypatch):
    monkeypatch.setattr("morok.runtime.disk_cache.is_settled", lambda: True)
    KERNELS.clear()
    data = array(40)
    x = Tensor(data).realize()
    with configured(cache=True, cache_dir=str(tmp_path / "cache")):
        for i in (0, 5, 11):
            (x[i:i + 4] * 3).numpy()
        assert len(compilations) == 2
        forget()
        for i in (0, 7, 36):
            np.testing.assert_array_equal((x[i:i + 4] * 3).numpy(), data[i:i + 4] * 3)
        assert len(compilations) == 2


def test_many_windows_stay_constants(compilations):
    """Kernels that differ in a constant share code; each variable would be an argument of its own."""
    data = array(200, 4)
    x = Tensor(data).realize()
    rng = random.Random(0)
    for _ in range(3):
        rows = [rng.randrange(200) for _ in range(VARIABLE_LIMIT + 20)]
        np.testing.assert_array_equal(morok.stack([x[i] for i in rows]).numpy(), data[rows])
    assert all(not plan.variables for plan in compilations)


def test_places_that_move_together_are_one_variable():
    movement = Movement([0, 1, 9, 5])
    movement.add([4, 5, 9, 9])
    assert movement.classes == (0, 0, -1, 0)
    movement.add([5, 6, 9, 7])
    assert movement.classes == (0, 0, -1, 1)
    movement.add([8, 9, 8, 12])
    assert movement.classes == (0, 0, 1, 2)
    movement.add([0, 1, 9, 5])
    assert movement.classes == (0, 0, 1, 2)


def test_a_skeleton_is_the_key_without_its_places():
    x = Tensor(array(20, 8)).realize()
    graphs = [(x[i:i + 4, 2] * 2).uop for i in (3, 9)] + [(x[3:8, 2] * 2).uop]
    found = [split(structural_key([u])[0], ["CPU"]) for u in graphs]
    assert found[0].key == found[1].key != found[2].key
    assert [sorted(s.begins) for s in found[:2]] == [[2, 3], [2, 9]]

"""Constants that change from graph to graph become arguments: no compilation each time, and the same bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import morok
from morok import Tensor, dtypes
from morok.graph.registries import KERNELS
from morok.runtime.realize import RUNTIME
from morok.runtime.skeletons import split


@pytest.fixture(autouse=True)
def anew():
    RUNTIME.plans.clear()
    RUNTIME.skeletons.clear()


def data(*shape, dtype=np.float32, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-3, 3, shape).astype(dtype)).realize()


def test_a_learning_rate_compiles_twice(compilations):
    w, g = data(16), data(16, seed=1)
    expected = w.numpy()
    for step in range(1, 30):
        lr = np.float32(0.1 / step)
        w.assign(w - float(lr) * g).realize()
        expected = expected - lr * g.numpy()
        np.testing.assert_allclose(w.numpy(), expected, rtol=1e-5, atol=1e-6)
    assert len(compilations) == 2


def test_only_constants_that_change_become_arguments(compilations):
    x = data(5)
    for c in (0.3, 0.4, 0.5):
        np.testing.assert_allclose(((x * 7.5 + c) * 2.5).numpy(), (x.numpy() * np.float32(7.5) + np.float32(c)) * np.float32(2.5), rtol=1e-6)
    assert len(compilations) == 2 and compilations[1].leaf_count == 2
    for c in (0.6, 0.7, 0.8):
        ((x * c + c / 2) * 2.5).numpy()
    assert len(compilations) == 3 and compilations[2].leaf_count == 3


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan")])
def test_values_that_folding_knows_stay_constants(compilations, value):
    x = Tensor(np.array([0.0, -0.0, 1.5, np.inf, np.nan], np.float32)).realize()
    for c in (0.3, 0.4, value, 0.5, value):
        with np.errstate(invalid="ignore"):
            expected = x.numpy() * np.float32(c) + np.float32(c)
        np.testing.assert_array_equal((x * c + c).numpy(), expected)
    assert len(compilations) == 3


def test_integers(compilations):
    x = Tensor(np.arange(-8, 8, dtype=np.int32)).realize()
    for c in (3, 5, 7, 1 << 30, -9):
        np.testing.assert_array_equal(((x + c) * 11).numpy(), (x.numpy() + np.int32(c)) * np.int32(11))
        np.testing.assert_array_equal((x % c).numpy(), x.numpy() % np.int32(c))
    assert len(compilations) == 4


def test_positions_stay_constants(compilations):
    x = data(8)
    for i in (2, 3, 5):
        mask = Tensor.arange(8) < i
        np.testing.assert_array_equal(x.where(mask, 0.0).numpy(), np.where(np.arange(8) < i, x.numpy(), 0))
    assert all(plan.leaf_count == 1 for plan in compilations)


def test_constants_alone_stay_constants(compilations):
    for c in (2.5, 3.5, 4.5):
        assert Tensor.full((7,), c).sum().item() == 7 * c
    assert all(plan.leaf_count == 0 for plan in compilations)


def test_several_devices(compilations):
    for c in (2.5, 3.5, 4.5):
        assert ((data(3) * 0 + c).to("CPU:1") * c).numpy().tolist() == [c * c] * 3
    x = Tensor([1.0, 2.0], device="CPU:1").realize()
    for c in (2.5, 3.5, 4.5):
        assert (x * c).tolist() == [c, 2 * c]


def test_under_check():
    from morok.runtime import configured
    with configured(check=True):
        for c in (2.5, 3.5, 4.5):
            np.testing.assert_allclose((data(3) * c).numpy(), data(3).numpy() * c, rtol=1e-6)


def test_plans_and_jit(compilations):
    x = data(4)
    for c in (2.5, 3.5, 4.5):
        plan = (x * c).prepare()
        plan.execute()
        np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), x.numpy() * np.float32(c))
    f = morok.jit(lambda x, c: x * c + 1)
    for c in (2.5, 3.5, 4.5, 2.5, 5.5):
        np.testing.assert_array_equal(f(x, c).numpy(), x.numpy() * np.float32(c) + 1)
    assert len(compilations) == 4


def test_from_disk(tmp_path, compilations, monkeypatch):
    from morok.runtime import configured
    monkeypatch.setattr("morok.runtime.disk_cache.is_settled", lambda: True)
    KERNELS.clear()
    x = data(4)
    with configured(cache=True, cache_dir=str(tmp_path / "cache")):
        for c in (2.5, 3.5, 4.5):
            (x * c).numpy()
        assert len(compilations) == 2
        RUNTIME.plans.clear()
        RUNTIME.skeletons.clear()
        for c in (2.5, 6.5, 7.5):
            np.testing.assert_array_equal((x * c).numpy(), x.numpy() * np.float32(c))
        assert len(compilations) == 2


OPS = {
    "add": lambda x, c: x + c, "sub": lambda x, c: c - x, "mul": lambda x, c: x * c, "div": lambda x, c: x / c, "rdiv": lambda x, c: c / x,
    "max": lambda x, c: x.maximum(c), "where": lambda x, c: x.where(x < c, c), "sum": lambda x, c: (x * c).sum(-1, keepdim=True) + x,
    "fma": lambda x, c: x * c + c, "chain": lambda x, c: ((x + c) * (c / 3) - c).exp(), "power": lambda x, c: x.abs() ** c,
    "norm": lambda x, c: x / (x.square().mean(-1, keepdim=True) + c).sqrt(), "product": lambda x, c: (x * c) @ x.T,
    "pad": lambda x, c: x.pad(((1, 1), (0, 2)), value=c) * c, "clip": lambda x, c: x.clip(c / 2, c),
}


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16, dtypes.int32, dtypes.uint8])
@pytest.mark.parametrize("name", OPS)
def test_the_bits_are_those_of_constants(name, dtype):
    """For every value the parametric code gives what the code with the constant inside gives."""
    f = OPS[name]
    x = data(5, 7).cast(dtype).realize()
    values = (2, 3, 8, 100) if dtype.is_int else (0.1, 2.0, 0.25, 3.7, 1e-5)
    if name in ("chain", "power", "norm", "rdiv", "div", "clip") and dtype.is_int:
        pytest.skip("of floats")
    shared = [f(x, c).numpy() for c in values]
    for c, got in zip(values, shared):
        RUNTIME.plans.clear()
        RUNTIME.skeletons.clear()
        np.testing.assert_array_equal(got.view(np.uint8), f(x, c).numpy().view(np.uint8))


@given(st.lists(st.tuples(st.sampled_from(["add", "sub", "mul", "max", "where", "fma"]), st.floats(0.015625, 50, width=32)), min_size=1, max_size=4),
       st.floats(0.015625, 50, width=32))
def test_random_chains(steps, other):
    def graph(x, values):
        for (name, _), c in zip(steps, values):
            x = OPS[name](x, c)
        return x
    RUNTIME.plans.clear()
    RUNTIME.skeletons.clear()
    x = data(9)
    values = [c for _, c in steps]
    graph(x, [other] * len(steps)).numpy()
    shared = graph(x, values).numpy()
    RUNTIME.plans.clear()
    RUNTIME.skeletons.clear()
    np.testing.assert_array_equal(shared.view(np.uint32), graph(x, values).numpy().view(np.uint32))


def test_a_skeleton_is_the_key_without_its_constants():
    from morok.graph.capture import structural_key
    x = data(3)
    keys = [structural_key([(x * c + 5).uop])[0] for c in (2.5, 3.5)]
    (one, first, *_), (two, second, *_) = [split(key, ["CPU"]) for key in keys]
    assert keys[0] != keys[1] and one == two and first != second
    assert [text for _, text in first] == ["2.5", "5.0"]

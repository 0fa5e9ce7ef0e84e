"""Cumulative functions against NumPy, with derivatives; ordered loops in every back end and under the checks of each stage."""

import numpy as np
import pytest

import morok
from morok import Tensor, nn, optim
from morok.runtime import configured
from morok.tensor import build

NAMES = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum, "logcumsumexp": np.logaddexp}
SHAPES = [((7,), 0), ((3, 5), 1), ((5, 37), 0), ((2, 3, 4), -2), ((1,), 0), ((0, 3), 1), ((3, 0), 1), ((9000,), 0), ((2, 8193), 1), ((8200, 3), 0)]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(-3, 4, shape).astype(dtype) if np.dtype(dtype).kind in "iu" else rng.uniform(0.9, 1.1, shape).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_equal_numpy(name, shape, axis, dtype):
    array = sample(shape, dtype)
    result = getattr(Tensor(array), name)(axis)
    wide = np.float64 if dtype.startswith("float") or name == "logcumsumexp" else np.int64
    expected = NAMES[name].accumulate(array.astype(wide), axis)
    np.testing.assert_allclose(result.numpy().astype(wide), expected, rtol=1e-3 if result.dtype == morok.float32 else 1e-9)
    if dtype == "int32":
        assert result.dtype == (morok.int64 if name in ("cumsum", "cumprod") else morok.float32 if name == "logcumsumexp" else morok.int32)
    else:
        assert result.numpy().dtype == dtype


def test_layouts_nan_and_signed_zero():
    array = sample((6, 5), "float32")
    for view, same in ((Tensor(array).T, array.T), (Tensor(array)[::2, ::-1], array[::2, ::-1])):
        np.testing.assert_allclose(view.cumsum(0).numpy(), same.cumsum(0), rtol=1e-6)
    np.testing.assert_array_equal(Tensor([1.0, np.nan, 2.0]).cummax(0).numpy(), [1, np.nan, np.nan])
    assert np.signbit(Tensor([-0.0, -0.0]).cumsum(0).numpy()).all()
    np.testing.assert_array_equal(Tensor([True, True]).cumsum().numpy(), [1, 2])
    t = Tensor(array)
    np.testing.assert_allclose((t.cumsum(1) + t).numpy(), array.cumsum(1) + array, rtol=1e-6)
    np.testing.assert_array_equal(t.numpy(), array)


@pytest.mark.parametrize("backend", ["llvm", "c", "mlir"])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_back_end_and_thread_count(backend, threads):
    array = sample((300, 130), "float32")
    with configured(backend=backend, num_threads=threads):
        np.testing.assert_allclose(Tensor(array).cumsum(0).numpy(), array.cumsum(0), rtol=1e-4)


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin"])
@pytest.mark.parametrize("values", [[0.5, 2.0, -1.5, 3.0], [0.5, 0.0, -1.5, 3.0]])
def test_derivatives(name, values):
    x = np.array([values, values[::-1]])
    weights = np.arange(1.0, 9.0).reshape(2, 4)
    found = morok.grad(lambda t: (getattr(t, name)(1) * weights).sum())(Tensor(x)).numpy()
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += 1e-6
        down[place] -= 1e-6
        expected = ((NAMES[name].accumulate(up, 1) - NAMES[name].accumulate(down, 1)) * weights).sum() / 2e-6
        np.testing.assert_allclose(found[place], expected, rtol=1e-5, atol=1e-6)


def scattered(target, positions, value, op):
    new = target.copy()
    for b, k in np.ndindex(positions.shape):
        p = positions[b, k]
        if 0 <= p < target.shape[1]:
            new[b, p] = {"set": lambda x, y: y, "add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}[op](new[b, p], value[b, k])
    return new


@pytest.mark.parametrize("b, n, k, r", [(1, 5, 9, 1), (2, 5, 30, 3), (1, 10, 50, 40), (3, 4, 1, 2), (1, 1, 7, 1), (2, 3, 0, 4)])
@pytest.mark.parametrize("op", ["set", "add", "mul", "max", "min"])
@pytest.mark.parametrize("check", [False, True])
def test_scatter_takes_repeated_positions_in_order(b, n, k, r, op, check):
    target, value = sample((b, n, r), "float32"), sample((b, k, r), "float32", 1)
    positions = np.random.default_rng(2).integers(-1, n + 1, (b, k))
    t = Tensor(target)
    with configured(check=check):
        result = t._new(build.scatter(t.uop, Tensor(positions).uop, (Tensor(value) * 1).uop, op)).numpy()
    np.testing.assert_allclose(result, scattered(target, positions, value, op), rtol=1e-5)


@pytest.mark.parametrize("b, c, k, r", [(1, 1, 30, 1), (2, 3, 10, 1), (1, 4, 1, 2), (2, 1, 17, 3), (1, 3, 0, 1)])
@pytest.mark.parametrize("check", [False, True])
def test_a_counted_scatter_sorts_keys_stably(b, c, k, r, check):
    keys, value = np.random.default_rng(0).integers(0, 4, (b, c, k)).astype(np.int32), sample((b, c, k, r), "float32")
    with configured(check=check):
        target, key, given = (Tensor(a) for a in (np.zeros((b, c * k, r), np.float32), keys, value))
        counts = (key % 4).unsqueeze(-1).eq(Tensor(np.arange(4))).sum(2).transpose(1, 2).reshape(b, -1)
        start = (counts.cumsum(1) - counts).reshape(b, 4, c).transpose(1, 2).cast("int32")
        found = target._new(build.counted_scatter(target.uop, key.uop, start.uop, given.uop)).numpy()
    order = np.argsort(keys.reshape(b, -1), 1, kind="stable")
    np.testing.assert_array_equal(found, np.take_along_axis(value.reshape(b, c * k, r), order[..., None], 1))


def test_a_counted_scatter_writes_inside_of_its_target_alone():
    keys, starts = Tensor([[[0, 1, 5, -1, 0, 1]]]), Tensor([[[1, 3]]])
    value = Tensor([[[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]]]])
    t = Tensor.zeros(1, 4, 1)
    assert t._new(build.counted_scatter(t.uop, keys.uop, starts.uop, value.uop)).tolist() == [[[0.0], [1.0], [5.0], [2.0]]]


def test_a_counter_beside_fused_outputs():
    """A store of one element, without a loop, in a program whose other stores are fused."""
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Flatten())
    optimizer = optim.AdamW(net.parameters())
    net(Tensor(np.ones((8, 1, 8, 8), np.float32))).square().sum().backward()
    optimizer.step()
    assert all(np.isfinite(p.numpy()).all() for p in net.parameters())

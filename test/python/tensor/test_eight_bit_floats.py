"""Floats of eight bits beside ml_dtypes: every value both ways, roundings, arithmetic in float32, promotion, exchange, files, back ends."""

import ml_dtypes
import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.errors import DTypeError
from morok.runtime.config import configured

NAMES = ["float8_e4m3fn", "float8_e4m3", "float8_e5m2"]


def numpy_dtype(name):
    return np.dtype(getattr(ml_dtypes, name))


def codes(array):
    return np.asarray(array).view(np.uint8)


def every(name):
    return np.arange(256, dtype=np.uint8).view(numpy_dtype(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_value_as_other_floats(name):
    values = every(name)
    for other in ("float32", "float64", "float16", "bfloat16"):
        found = Tensor(values).cast(other).numpy()
        expected = values.astype(np.float32).astype(found.dtype)
        np.testing.assert_array_equal(found.astype(np.float64), expected.astype(np.float64))
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    back = Tensor(values).cast("float32").cast(name).numpy()
    np.testing.assert_array_equal(codes(back)[~np.isnan(values.astype(np.float32))], codes(values)[~np.isnan(values.astype(np.float32))])


@pytest.mark.parametrize("name", NAMES)
def test_roundings_of_float32(name):
    exact = every(name).astype(np.float32)
    ordered = np.sort(exact[np.isfinite(exact)])
    between = (ordered[:-1] + ordered[1:]) / 2
    rng = np.random.default_rng(0)
    x = np.concatenate([exact, between, *(np.nextafter(v, np.float32(e)) for v in (exact, between) for e in (np.inf, -np.inf)),
                        rng.integers(0, 1 << 32, 50_000, dtype=np.uint32).view(np.float32), 30 * rng.standard_normal(20_000).astype(np.float32),
                        np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 479, 57344, 61439, 61440, 1e-45])])
    with np.errstate(all="ignore"):
        expected = x.astype(numpy_dtype(name))
    np.testing.assert_array_equal(codes(Tensor(x).cast(name).numpy()), codes(expected))


@pytest.mark.parametrize("name", NAMES)
def test_from_and_to_integers(name):
    whole = np.array([0, 1, -3, 17, 100, -200, 240])
    np.testing.assert_array_equal(codes(Tensor(whole).cast(name).numpy()), codes(whole.astype(np.float32).astype(numpy_dtype(name))))
    np.testing.assert_array_equal(Tensor(whole).cast(name).cast("int64").numpy(), whole.astype(np.float32).astype(numpy_dtype(name)).astype(np.int64))
    assert Tensor([0.0, 2.0]).cast(name).bool().tolist() == [False, True]


OPERATIONS = {
    "sum of two": (lambda t: t + t.flip(1), lambda f: f + f[:, ::-1]), "product": (lambda t: t * 0.5, lambda f: f * 0.5),
    "order": (lambda t: t > 1, lambda f: f > 1),
    "choice": (lambda t: t.where(t > 0, 1.5), lambda f: np.where(f > 0, f, 1.5)), "sum": (lambda t: t.sum(1), lambda f: f.sum(1)),
    "maximum": (lambda t: t.max(0), lambda f: f.max(0)), "exp": (lambda t: (t / 4).exp(), None), "padding": (
        lambda t: t.pad(((1, 0), (0, 2)), value=2.0), lambda f: np.pad(f, ((1, 0), (0, 2)), constant_values=2)),
    "joining": (lambda t: t.cat(t), lambda f: np.concatenate([f, f])), "product of matrices": (lambda t: (t / 8) @ (t.T / 8), None),
    "gather": (lambda t: t[[1, 0, 1]], lambda f: f[[1, 0, 1]]), "cumulative sum": (lambda t: t[:, :2].cumsum(1), lambda f: f[:, :2].cumsum(1)),
    "sign": (lambda t: -t.abs(), lambda f: -np.abs(f)), "order of elements": (lambda t: t.argmax(1), lambda f: f.argmax(1)), "views": (
        lambda t: t[::-1, ::2].T + 0, lambda f: f[::-1, ::2].T)}
SMALL = np.array([[1.5, -2, 0.25, 7], [3, 0.125, -0.3, 8]])


@pytest.mark.parametrize("name", NAMES)
def test_arithmetic_is_that_of_float32_rounded(name):
    x = SMALL.astype(numpy_dtype(name))
    wide = x.astype(np.float32)
    results = {key: ours(Tensor(x)) for key, (ours, _) in OPERATIONS.items()}
    Tensor.realize_batch(list(results.values()))
    for key, (_, theirs) in OPERATIONS.items():
        got = results[key].numpy()
        if theirs is None:
            steps = {"exp": lambda f: np.exp((f / 4).astype(x.dtype).astype(np.float32)), "product of matrices": lambda f: (f / 8) @ (f / 8).T}
            theirs = steps[key]
        expected = np.asarray(theirs(wide))
        expected = expected.astype(x.dtype) if got.dtype == x.dtype else expected
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=0.13 if key == "product of matrices" else 0, err_msg=key)


def test_promotion():
    for a, b, both in [("float8_e4m3fn", "float8_e5m2", "float32"), ("float8_e4m3fn", "float16", "float16"), ("float8_e5m2", "bfloat16", "bfloat16"),
                       ("float8_e5m2", "int64", "float8_e5m2"), ("float8_e4m3", "bool", "float8_e4m3"), ("float8_e4m3", "float64", "float64")]:
        assert (Tensor.ones(2, dtype=a) + Tensor.ones(2, dtype=b)).dtype.name == both == morok.result_type(a, b).name
    assert (Tensor.ones(2, dtype="float8_e5m2") * 1.5).dtype is morok.float8_e5m2


@pytest.mark.parametrize("name", NAMES)
def test_limits(name):
    ours, theirs = morok.finfo(name), ml_dtypes.finfo(numpy_dtype(name))
    assert (ours.bits, ours.max, ours.min, ours.eps, ours.smallest_normal) == (8, float(theirs.max), float(theirs.min), float(theirs.eps),
                                                                              float(theirs.smallest_normal))


@pytest.mark.parametrize("name", NAMES)
def test_exchange_and_files(name, tmp_path):
    x = every(name).reshape(16, 16)
    t = Tensor(x)
    assert np.asarray(t).dtype == x.dtype and Tensor.from_dlpack(t).dtype is t.dtype
    np.testing.assert_array_equal(codes(t.numpy()), codes(x))
    np.testing.assert_array_equal(t.bitcast("uint8").numpy(), codes(x))
    np.testing.assert_array_equal(codes(Tensor(codes(x)).bitcast(name).numpy()), codes(x))
    if name != "float8_e4m3":  # safetensors has no name for it
        morok.save({"x": t}, tmp_path / "x.safetensors")
        np.testing.assert_array_equal(codes(morok.load(tmp_path / "x.safetensors")["x"].numpy()), codes(x))
    with pytest.raises(DTypeError, match="safetensors"):
        morok.save({"x": t}, tmp_path / "x.npz")


@pytest.mark.parametrize("options", [{"backend": "c"}, {"backend": "mlir"}, {"check": True}, {"num_threads": 1}, {"opt_level": 0}])
def test_every_back_end_gives_the_same(options):
    x = (np.arange(5000) % 37 - 18).astype(ml_dtypes.float8_e5m2)
    expected = (x.astype(np.float32) * 2).astype(x.dtype).astype(np.float32) + 1
    with configured(**options):
        found = (Tensor(x) * 2 + 1).numpy()
    np.testing.assert_array_equal(codes(found), codes(expected.astype(x.dtype)))


def test_derivatives_pass_through_conversions():
    def loss(w):
        stored = w.cast("float8_e4m3fn").pad(((1, 1),), value=2.0)
        return (stored.cast("float32") ** 2).sum()
    w = Tensor([1.3, 2.0])
    np.testing.assert_allclose(morok.grad(loss)(w).numpy(), 2 * np.array([1.3, 2.0]).astype(ml_dtypes.float8_e4m3fn).astype(np.float32))
    t = Tensor([1.5, 2.0], dtype="float8_e5m2")
    assert morok.grad(lambda x: (x * x).sum())(t).tolist() == [3.0, 4.0]


def test_writing_capturing_and_sizes_known_later():
    x = SMALL.astype(ml_dtypes.float8_e4m3fn)
    t = Tensor(x)
    t[0] = 5
    t[1, 1:3] = Tensor([1.0, 2.0], dtype="float8_e4m3fn")
    t += 1
    expected = x.astype(np.float32)
    expected[0], expected[1, 1:3] = 5, [1, 2]
    np.testing.assert_array_equal(t.cast("float32").numpy(), expected + 1)
    assert morok.jit(lambda a: (a + 1).cast("float32"))(Tensor(x)).tolist() == (x.astype(np.float32) + 1).astype(x.dtype).astype(np.float32).tolist()
    n = Variable("n", 1, 2)
    assert Tensor(x)[:n.bind(1)].max(1).tolist() == [7.0]

"""NumPy's functions of sets, curves, places and arrangement, each beside NumPy's own: values, shapes, and what both refuse."""

import numpy as np
import pytest

import morok
from morok import Tensor

rng = np.random.default_rng(0)
W = rng.integers(-5, 5, (4, 6))
V = rng.normal(size=6)
F = rng.normal(size=(4, 6))
C = rng.normal(size=(2, 3, 4))
X = np.concatenate([rng.normal(size=20) * 2, [np.nan, np.inf, -np.inf, -0.0]])
XP, FP = np.sort(rng.normal(size=9)), rng.normal(size=9)
NAN = np.array([1.0, np.nan, 2.0])
BITS = {shape: rng.integers(0, 2, shape) for shape in [(7, 3), (1, 4), (5,), (6, 2, 3), (4, 1)]}

CALLS = {
    "interp": ["X, XP, FP", "X, XP, FP, left=-5", "X, XP, FP, left=1, right=7.0", "X, XP, FP, period=1.5", "V, [2.0], [5.0]", "np.array(1.5), XP, FP",
               "np.zeros((0, 2)), XP, FP", "XP, XP, FP", "V, np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 5.0, 6.0, 7.0])",
               "V, np.array([0.0, 1.0, np.inf]), np.array([1.0, 5.0, 6.0])"],
    "gradient": ["F", "F, 2.0", "F, 2.0, axis=0", "F, 2.0, 0.5", "F, np.array([0.0, 1, 3, 7]), axis=0",
                 "F, np.array([0.0, 1, 3, 7]), np.array([0.0, 1, 3, 7, 8, 10])",
                 "F, edge_order=2", "F, np.array([0.0, 1, 3, 7]), axis=0, edge_order=2", "F, axis=(1, 0)", "F, axis=-1", "V[:2]", "C, axis=1"],
    "polyval": ["V, F", "V, 2.0", "W[0], W", "V[:0], F"],
    "union1d": ["W, W[:2] * 2", "W[:0], W", "F, F[:2]", "NAN, NAN"],
    "intersect1d": ["W, W[:2] * 2", "W[:0], W", "F, F[:2]", "W[0], W[1], return_indices=True", "[5, 3, 9], [9, 5], assume_unique=True", "NAN, NAN"],
    "setdiff1d": ["W, W[:2] * 2", "W, W[:0]", "W[:0], W", "F, F[:2]", "[5, 3, 9], [3], assume_unique=True", "NAN, NAN"],
    "setxor1d": ["W, W[:2] * 2", "W, W[:0]", "F, F[:2]", "NAN, NAN"],
    "repeat": ["F, 2, 0", "F, [1, 0, 3, 2], 0", "F, np.array([1, 0, 3, 2]), 0", "F, [1, 2, 3, 0, 0, 1], 1", "V, [1, 2, 3, 0, 0, 1]", "F, 0", "F, [2], 1",
               "V[:0], []"],
    "rollaxis": [f"C, {a}, {s}" for a in range(-3, 3) for s in range(-3, 4)],
    "lexsort": ["(W[0] % 2, W[1] % 3)", "(W % 2, W % 3)", "(W % 2, W % 3), 0", "(F, W)"],
    "delete": ["W, 1, 0", "W, -1, 1", "W, [0, 2], 0", "W, slice(0, 5, 2), 1", "W, [True, False, True, False], 0", "W, []", "W, [1, 5]"],
    "insert": ["W, 1, 9", "W, -1, 9", "W, [0, 2], 9", "W, [2, 0], [7, 8]", "W, slice(0, 4, 2), 5", "W, 24, 1", "W, [1, 1], [3, 4]", "W, 2, [7, 8, 9]",
               "W, 1, 9, 0",
               "W, [0, 2], 9, 1", "W, 2, [1, 2, 3, 4], 1", "W, [1], [[1], [2], [3], [4]], 1",
               "W, 1, [1, 2, 3, 4, 5, 6], 0", "W, 1, [[1] * 6, [0] * 6], 0",
               "W, [0, 2], [[1] * 6, [0] * 6], 0", "W, 1, 2.75"],
    "resize": ["W, (5, 7)", "W, 3", "W[:0], (2, 7)", "W, (0, 2)"],
    "unravel_index": ["np.arange(24).reshape(4, 6), (2, 3, 4)", "5, (2, 3)"],
    "ravel_multi_index": ["([1, 0], [2, 1]), (2, 3)", "([1, -4], [7, 1]), (2, 3), mode='wrap'", "([1, -4], [7, 1]), (2, 3), mode='clip'", "(1, 2), (2, 3)"],
    "diag_indices": ["3", "4, 3", "0"], "tril_indices_from": ["W", "W, 1"], "triu_indices_from": ["W", "W, -1"],
    "take": ["W, [7, -9, 2], 1, mode='wrap'", "W, [7, -9, 2], 1, mode='clip'", "W, [[70, -90], [2, 1]], mode='wrap'"],
    "where": ["W > 0", "C > 9"], "eye": ["3, 4, 1", "3, 4, k=-1", "2, k=5"], "round": ["F, decimals=2", "F, 1"],
    "array_equiv": ["W, W", "W, W[:1]", "W, V[:5]"],
    "matvec": ["C, V[:4]", "C, C[:, 0]"], "vecmat": ["V[:3], C", "C[:, :, 0], C"], "fabs": ["F", "W"], "power": ["W, 2"], "around": ["F"], "invert": ["W"],
    "left_shift": ["W, 2"], "right_shift": ["W, 1"], "array": ["W", "W, 'float64'"], "copy": ["W"], "shape": ["C"], "ndim": ["C"], "size": ["C", "C, 1"],
    "unstack": ["C"],
}
ROWS = [(name, call) for name, calls in CALLS.items() for call in calls]


def arrays(found):
    return [arrays(f) for f in found] if isinstance(found, (tuple, list)) else np.asarray(found.numpy() if isinstance(found, Tensor) else found)


def equal(found, expected):
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for f, e in zip(found, expected):
            equal(f, e)
    else:
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(("name", "call"), ROWS, ids=[f"{name}({call})" for name, call in ROWS])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_as_numpy(name, call):
    given = {k: v for k, v in globals().items() if isinstance(v, np.ndarray)}
    expected = arrays(eval(f"np.{name}({call})", {"np": np, **given}))
    equal(arrays(eval(f"morok.{name}({call})", {"morok": morok, "np": np, **given})), expected)
    if any(letter in call for letter in "WFC"):
        tensors = {k: Tensor(np.asfortranarray(v)) for k, v in given.items()}
        equal(arrays(eval(f"morok.{name}({call})", {"morok": morok, "np": np, **tensors})), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_gcd_and_lcm(dtype):
    low = 0 if np.dtype(dtype).kind == "u" else -100
    a, b = rng.integers(low, 100, (7, 5)).astype(dtype), rng.integers(low, 100, 5).astype(dtype)
    a[0, 0] = b[0] = 0
    a[1, 1] = np.iinfo(dtype).min
    for x, y in ((a, b), (a.T, b[:, None]), (a[:0], b), (a[0, 1], b[3])):
        np.testing.assert_array_equal(morok.gcd(x, y).numpy(), np.gcd(x, y))
        small = x // dtype(20)
        np.testing.assert_array_equal(morok.lcm(small, y // dtype(20)).numpy(), np.lcm(small, y // dtype(20)))
    assert morok.gcd(a, b).dtype.np == dtype and morok.gcd(12, 18).item() == 6
    step = morok.jit(lambda t: morok.gcd(t, 6) + 1)
    np.testing.assert_array_equal(step(Tensor(a)).numpy(), np.gcd(a, dtype(6)) + dtype(1))


@pytest.mark.parametrize("shape", BITS)
@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.bool_])
def test_unique_slices(shape, dtype):
    a = BITS[shape].astype(dtype)
    for axis in range(-1, len(shape)):
        expected = np.unique(a, return_index=True, return_inverse=True, return_counts=True, axis=axis)
        equal(arrays(morok.unique(a, True, True, True, axis)), list(expected))
        equal(arrays(Tensor(a).unique(dim=axis)), expected[0])
        sized = morok.jit(lambda t, axis=axis: t.unique(axis=axis, size=3, return_counts=True))(Tensor(a))
        kept = min(3, len(expected[1]))
        equal(arrays(sized[0].moveaxis(axis, 0)[:kept]), np.moveaxis(expected[0], axis, 0)[:kept])
        assert sized[1].tolist() == [*expected[3][:3], *[0] * (3 - kept)]


def test_unique_slices_of_many_values():
    a = rng.integers(0, 3, (500, 11)) * 1000 - 1000
    equal(arrays(morok.unique(a, return_inverse=True, axis=0)), list(np.unique(a, return_inverse=True, axis=0)))


@pytest.mark.parametrize("name", ["partition", "argpartition"])
def test_partitions(name):
    for axis, kth in ((0, 2), (1, [0, 3]), (-1, -2), (None, 5)):
        found = getattr(morok, name)(F, kth, axis).numpy()
        values = found if name == "partition" else np.take_along_axis(F if axis is not None else F.ravel(), found, axis if axis is not None else 0)
        ordered = np.sort(F, axis)
        for k in np.atleast_1d(kth):
            np.testing.assert_array_equal(np.take(values, [k], axis if axis is not None else 0), np.take(ordered, [k], axis if axis is not None else 0))


def test_along_an_axis():
    for axis in range(-1, 3):
        for mine, theirs in ((lambda t: t.max() - t.min(), lambda t: t.max() - t.min()), (lambda t: t[:2] * 2, lambda t: t[:2] * 2),
                             (lambda t: t[:2].outer(t[:1]), lambda t: np.outer(t[:2], t[:1]))):
            equal(arrays(morok.apply_along_axis(mine, axis, C)), np.apply_along_axis(theirs, axis, C))


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (9, 3), (3, 3, 3), (1, 1), (0, 0)])
def test_fill_diagonal(shape):
    for more in ((5,), ([1, 2, 3],), (7, True)):
        a, t = np.zeros(shape), morok.zeros(shape)
        np.fill_diagonal(a, *more)
        morok.fill_diagonal(t, *more)
        np.testing.assert_array_equal(t.numpy(), a)


def test_ix_picks_a_grid():
    for rows in ([0, 2], [True, False, True, False], []):
        np.testing.assert_array_equal(Tensor(W)[morok.ix_(rows, [1, 3])].numpy(), W[np.ix_(rows, [1, 3])])


def test_derivatives_of_interp_and_gradient():
    x, fp = Tensor(V, requires_grad=True), Tensor(FP, requires_grad=True)
    morok.interp(x, XP, fp).sum().backward()
    step = 1e-6
    slope = (np.interp(V + step, XP, FP) - np.interp(V - step, XP, FP)) / (2 * step)
    np.testing.assert_allclose(x.grad.numpy(), slope, atol=1e-5)
    weights = [(np.interp(V, XP, FP + step * row) - np.interp(V, XP, FP - step * row)).sum() / (2 * step) for row in np.eye(9)]
    np.testing.assert_allclose(fp.grad.numpy(), weights, atol=1e-5)


def test_counts_that_are_tensors():
    counts = Tensor([1, 2, 3, 0, 0, 1])
    expected = np.repeat(V, [1, 2, 3, 0, 0, 1])
    np.testing.assert_array_equal(Tensor(V).repeat_interleave(counts).numpy(), expected)
    step = morok.jit(lambda t, n: t.repeat_interleave(n, output_size=7) * 2)
    np.testing.assert_array_equal(step(Tensor(V), counts).numpy(), expected * 2)
    w = Tensor(V, requires_grad=True)
    w.repeat_interleave(counts).sum().backward()
    np.testing.assert_array_equal(w.grad.numpy(), counts.numpy())


def test_creation_of_variables():
    for t in (Tensor.zeros(2, requires_grad=True), morok.ones(2, 3, requires_grad=True), morok.full((2,), 1.5, requires_grad=True),
              morok.eye(2, requires_grad=True), morok.linspace(0, 1, 3, requires_grad=True),
              morok.arange(0.0, 2.0, requires_grad=True), morok.zeros_like([1.0], requires_grad=True)):
        assert t.requires_grad and t.is_leaf
        (t * t).sum().backward()
        np.testing.assert_array_equal(t.grad.numpy(), 2 * t.numpy())

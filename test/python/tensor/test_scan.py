"""scan against a Python loop: carries and rows of any structure, order, lengths, derivatives, examples, captured functions."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import DTypeError, ShapeError

RNG = np.random.default_rng(3)
W = RNG.normal(size=(3, 3)) * 0.6


def cell(h, x):
    h = (h @ Tensor(W) + x).tanh()
    return h, h * 2


def written_out(function, carry, xs, reverse=False):
    count = len(xs)
    ys = [None] * count
    for i in reversed(range(count)) if reverse else range(count):
        carry, ys[i] = function(carry, xs[i])
    return carry, ys[0].stack(*ys[1:])


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("shape", [(3,), (2, 3), (5, 1, 3)])
def test_values(shape, count, reverse):
    h, xs = Tensor(RNG.normal(size=shape)), Tensor(RNG.normal(size=(count, *shape)))
    found, wanted = morok.scan(cell, h, xs, reverse=reverse), written_out(cell, h, xs, reverse)
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint32", "float16", "float32", "float64"])
def test_dtypes(dtype):
    xs = np.array([1, 0, 1, 1]).astype(dtype)
    last, ys = morok.scan(lambda c, x: (x, c), Tensor(xs[1]), Tensor(xs))
    assert last.dtype is ys.dtype is getattr(morok, dtype)
    assert last.numpy() == xs[-1]
    np.testing.assert_array_equal(ys.numpy(), [xs[1], *xs[:-1]])


def test_structures():
    def f(carry, x):
        total, (least, steps) = carry["total"], carry["rest"]
        following = {"total": total + x["a"], "rest": (least.minimum(x["b"][0]), steps + 1)}
        return following, [x["a"] * 2, (None, {"step": steps})]
    a, b = np.arange(8.0).reshape(4, 2), np.array([3.0, 1.0, 2.0, 5.0])
    carry, ys = morok.scan(f, {"total": Tensor(np.zeros(2)), "rest": (Tensor(9.0, dtype=morok.float64), 0)}, {"a": Tensor(a), "b": [Tensor(b)]})
    np.testing.assert_allclose(carry["total"].numpy(), a.sum(0))
    assert (carry["rest"][0].item(), carry["rest"][1].item()) == (1.0, 4)
    np.testing.assert_allclose(ys[0].numpy(), a * 2)
    assert ys[1][0] is None
    assert ys[1][1]["step"].tolist() == [0, 1, 2, 3]


def test_without_rows_or_without_results():
    carry, ys = morok.scan(lambda c, x: (c * 2, c), Tensor(1), length=5)
    assert (carry.item(), ys.tolist()) == (32, [1, 2, 4, 8, 16])
    assert morok.scan(lambda _, x: (None, x * x), None, Tensor([1, 2, 3]))[1].tolist() == [1, 4, 9]
    carry, ys = morok.scan(lambda c, x: (c + x, None), Tensor(1), Tensor([1, 2, 3]), length=3)
    assert (carry.item(), ys) == (7, None)


@pytest.mark.parametrize("reverse", [False, True])
def test_no_iterations(reverse):
    h, xs = Tensor(RNG.normal(size=(2, 3))), Tensor(np.zeros((0, 2, 3)))
    last, ys = morok.scan(cell, h, xs, reverse=reverse)
    np.testing.assert_array_equal(last.numpy(), h.numpy())
    assert ys.shape == (0, 2, 3)
    assert ys.numpy().size == 0
    found = morok.grad(lambda h, xs: (lambda last, ys: last.sum() + ys.sum())(*morok.scan(cell, h, xs)), (0, 1))(h, xs)
    np.testing.assert_array_equal(found[0].numpy(), np.ones((2, 3)))
    assert found[1].shape == (0, 2, 3)


def test_rows_without_elements():
    last, ys = morok.scan(lambda c, x: (c + 1, x), Tensor(0), Tensor(np.zeros((3, 0))))
    assert (last.item(), ys.shape) == (3, (3, 0))


def losses(reverse):
    def loss(scan):
        def f(h, xs, w):
            last, ys = scan(lambda h, x: (((h @ w + x).tanh(),) * 2), h, xs, reverse=reverse)
            return (ys * ys).sum() + last.sin().sum()
        return f
    return loss(morok.scan), loss(written_out)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("count", [1, 5])
def test_derivatives(count, reverse):
    args = [Tensor(RNG.normal(size=s)) for s in ((2, 3), (count, 2, 3), (3, 3))]
    along = [a.cos() for a in args]
    scanned, wanted = losses(reverse)
    for of in (lambda f: morok.grad(f, (0, 1, 2))(*args), lambda f: morok.hvp(f, args, along)[1], lambda f: [morok.jvp(f, args, along)[1]],
               lambda f: [morok.hessian(f, 0)(*args)], lambda f: morok.jit(morok.grad(f, (0, 1, 2)))(*args)):
        for a, b in zip(of(scanned), of(wanted), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-9, atol=1e-12)


def test_examples():
    h, xs, w = (Tensor(RNG.normal(size=s)) for s in ((4, 2, 3), (5, 4, 2, 3), (3, 3)))
    scanned, _ = losses(False)
    gradient = morok.grad(scanned, (0, 1, 2))
    found = morok.vmap(gradient, (0, 1, None))(h, xs, w)
    for k in range(4):
        for a, b in zip(found, gradient(h[k], xs[:, k], w), strict=True):
            np.testing.assert_allclose(a[k].numpy(), b.numpy(), rtol=1e-10)


def test_a_reader_of_later_rows_differentiates():
    """Rows that a first scan leaves are read by a second one: what reaches them goes back through both."""
    def f(scan):
        def loss(h, xs):
            _, ys = scan(lambda h, x: ((h * x).sin(),) * 2, h, xs)
            return scan(lambda h, y: (h * y + y, h), h, ys, reverse=True)[0].sum()
        return loss
    h, xs = Tensor(RNG.normal(size=3)), Tensor(RNG.normal(size=(6, 3)))
    for of in (lambda f: morok.grad(f, (0, 1))(h, xs), lambda f: morok.hvp(f, (h, xs), (h, xs))[1]):
        for a, b in zip(of(f(morok.scan)), of(f(written_out)), strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10)


def test_half_precision_sums_in_single():
    """What reaches a value from outside is summed as all sums of 16-bit floats are."""
    def f(w):
        return morok.scan(lambda c, x: (c + w * x, None), Tensor(0.0, dtype=morok.float16), Tensor(np.full(4096, 0.01, np.float16)))[0]
    found = morok.grad(f)(Tensor(1.0, dtype=morok.float16)).item()
    assert found == pytest.approx(4096 * float(np.float16(0.01)), rel=1e-3)


def test_what_scan_refuses():
    x = Tensor([1.0, 2.0])
    with pytest.raises(TypeError, match=r"must give \(carry, y\)"):
        morok.scan(lambda c, x: c, x, x)
    with pytest.raises(ShapeError, match="length says how many"):
        morok.scan(lambda c, x: (c, c), x)
    with pytest.raises(ShapeError, match=r"tensor 1 of xs has shape \(3,\), but there are 2 iterations"):
        morok.scan(lambda c, x: (c, c), x, (x, Tensor([1, 2, 3])))
    with pytest.raises(ShapeError, match="2 iterations by length|3 iterations by length"):
        morok.scan(lambda c, x: (c, c), x, x, length=3)
    with pytest.raises(ShapeError, match="no axes"):
        morok.scan(lambda c, x: (c, c), x, Tensor(1.0))
    with pytest.raises(ShapeError, match="must keep shapes"):
        morok.scan(lambda c, x: (x, c), x, x)
    with pytest.raises(ShapeError, match="same lists, tuples and dicts"):
        morok.scan(lambda c, x: (None, x), x, x)
    with pytest.raises(DTypeError, match="the body gives bool"):
        morok.scan(lambda c, x: (c > 0, x), x, x)

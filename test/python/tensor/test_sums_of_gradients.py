"""What reaches a value from many sides: windows side by side, equal products as one, anything else in groups; the values are those of a plain sum."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.tensor.gradient import sums

RNG = np.random.default_rng(0)


def steps(x, w, h):
    """A recurrence over the first axis of x."""
    found = []
    for part in x.unbind(0):
        h = (part + h @ w).tanh()
        found.append(h)
    return Tensor.stack(found)


def plain(x, w, h, g):
    """The gradients of (g * steps).sum(), by hand."""
    hs = [h]
    for part in x:
        hs.append(np.tanh(part + hs[-1] @ w))
    dx, dw, dh = np.zeros_like(x), np.zeros_like(w), np.zeros_like(h)
    for t in reversed(range(len(x))):
        dx[t] = (dh + g[t]) * (1 - hs[t + 1] ** 2)
        dw += hs[t].T @ dx[t]
        dh = dx[t] @ w.T
    return dx, dw, dh


@pytest.mark.parametrize("count", [3, 9, 21])
def test_a_recurrence(count):
    x, w, h, g = RNG.standard_normal((count, 2, 3)), RNG.standard_normal((3, 3)), RNG.standard_normal((2, 3)), RNG.standard_normal((count, 2, 3))
    found = morok.grad(lambda x, w, h: (steps(x, w, h) * Tensor(g)).sum(), argnums=(0, 1, 2))(Tensor(x), Tensor(w), Tensor(h))
    for got, want in zip(found, plain(x, w, h, g), strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-9, atol=1e-11)


def test_second_order():
    x, w, h = Tensor(RNG.standard_normal((10, 1, 2))), Tensor(RNG.standard_normal((2, 2))), Tensor(np.zeros((1, 2)))
    first = morok.grad(lambda w: (steps(x, w, h) ** 2).sum())
    second = morok.grad(lambda w: (first(w) ** 2).sum())(w).numpy()
    for i, j in np.ndindex(2, 2):
        e = np.zeros((2, 2))
        e[i, j] = 1e-5
        up, down = ((first(w + Tensor(s * e)) ** 2).sum().item() for s in (1, -1))
        np.testing.assert_allclose(second[i, j], (up - down) / 2e-5, rtol=1e-5)


@pytest.mark.parametrize("axis", [0, 1])
def test_windows_with_gaps_and_overlaps(axis):
    x = RNG.standard_normal((40, 40))
    begins = [0, 2, 4, 5, 9, 12, 15, 17, 20, 23, 26, 30, 33]  # the third and fourth overlap, the others leave gaps
    wanted = np.zeros_like(x)
    for k, b in enumerate(begins):
        np.moveaxis(wanted, axis, 0)[b:b + 2] += k + 1
    got = morok.grad(lambda x: sum((x.narrow(axis, b, 2) * (k + 1.0)).sum() for k, b in enumerate(begins)))(Tensor(x))
    np.testing.assert_allclose(got.numpy(), wanted)


def test_terms_that_have_nothing_in_common():
    x = RNG.uniform(0.5, 1.5, 5)
    got = morok.grad(lambda x: sum((x * (k + 1.0)).sin().sum() for k in range(40)))(Tensor(x)).numpy()
    np.testing.assert_allclose(got, sum((k + 1) * np.cos(x * (k + 1)) for k in range(40)), rtol=1e-9, atol=1e-9)


def test_equal_products_are_one():
    a, b = (Tensor(RNG.standard_normal((20, 4, 3))).realize() for _ in range(2))
    terms = [(x.unsqueeze(1) * y.unsqueeze(2)).sum(0).uop for x, y in zip(a.contiguous().unbind(0), b.contiguous().unbind(0))]
    total = sums.total(terms)
    assert total.name == "reduce_axis"
    np.testing.assert_allclose(a._new(total).numpy(), np.einsum("tbi,tbj->ji", a.numpy(), b.numpy()), rtol=1e-10)

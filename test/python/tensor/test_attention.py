"""Attention written out: softmax weights times values, in the forms that people write it, against float64."""
from __future__ import annotations

import numpy as np
import pytest

from morok import Tensor
from morok.runtime.inspection import stage_text


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    scores = q.astype(np.float64) @ k.astype(np.float64).swapaxes(-1, -2)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v.astype(np.float64)


SHAPES = [((), 1, 1, 1, 1), ((), 5, 7, 3, 2), ((2,), 17, 33, 4, 31), ((3, 2), 8, 8, 16, 1), ((2, 3), 13, 129, 5, 40)]


@pytest.mark.parametrize("batch, queries, keys, width, values", SHAPES)
@pytest.mark.parametrize("form", ["plain", "causal", "transposed", "returned", "swapped"])
def test_forms(batch, queries, keys, width, values, form):
    rng = np.random.default_rng(queries)
    q, k, v = (rng.standard_normal((*batch, n, m)).astype(np.float32) for n, m in ((queries, width), (keys, width), (keys, values)))
    mask = np.arange(queries)[:, None] >= np.arange(keys) if form == "causal" else None
    want = reference(q, k, v, mask)
    scores = Tensor(q) @ Tensor(k).mT
    if form == "causal":
        scores = scores.where(Tensor.arange(queries).reshape(-1, 1) >= Tensor.arange(keys), float("-inf"))
    weights = scores.softmax(-1)
    if form == "swapped":
        got = (Tensor(v).mT @ weights.mT).mT
    elif form == "transposed":
        got = (weights.contiguous() @ Tensor(v)) if values % 2 else weights @ Tensor(v).mT.contiguous().mT
    else:
        got = weights @ Tensor(v)
    if form == "returned":
        Tensor.realize_batch([got, weights])
        np.testing.assert_allclose(weights.numpy().sum(-1), 1, rtol=1e-6)
    np.testing.assert_allclose(got.numpy(), want, rtol=2e-5, atol=2e-6)


def test_weights_are_normalised_behind_the_product():
    q, k, v = Tensor.zeros(20, 4).contiguous().realize(), Tensor.zeros(30, 4).contiguous().realize(), Tensor.zeros(30, 8).contiguous().realize()
    kernels = stage_text([(q @ k.mT).softmax(-1) @ v], "kernel")
    assert kernels.count("attributes {morok.kernel}") == 1
    assert kernels.count("morok.define_local") == 2  # scores and exponentials: the weights are in no memory


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_weights_over_other_axes(axis):
    """A sum along another axis than the weights' own is no weighted mean, whatever axis it is."""
    rng = np.random.default_rng(0)
    x, v = rng.standard_normal((5, 6, 7)).astype(np.float32), rng.standard_normal((5, 6, 7)).astype(np.float32)
    e = np.exp(x.astype(np.float64))
    for summed in (0, 1, 2, (0, 2), (1, 2)):
        t = Tensor(x).exp()
        got = (t / t.sum(axis, keepdim=True) * Tensor(v)).sum(summed)
        np.testing.assert_allclose(got.numpy(), (e / e.sum(axis, keepdims=True) * v).sum(summed), rtol=1e-5, atol=1e-6)


def test_sums_that_vanish_or_are_infinite():
    """exp(x) / sum exp(x) without the maximum taken off: 0 / 0 and infinity / infinity are NaN whichever is divided."""
    x = np.array([[-200, -300, -250], [200, 1, 2], [0, 1, 2]], np.float32)
    v = np.array([1, 2, 4], np.float32)
    e = Tensor(x).exp()
    with np.errstate(all="ignore"):
        want = np.exp(x)
        want = (want / want.sum(-1, keepdims=True) * v).sum(-1)
    np.testing.assert_allclose((e / e.sum(-1, keepdim=True) * Tensor(v)).sum(-1).numpy(), want, rtol=1e-6)


@pytest.mark.parametrize("function", ["exp", "exp2"])
def test_vanishing_exponentials(function):
    """Results near and below the least subnormal: right to it, then 0."""
    x = np.concatenate([np.linspace(-152, -80, 3001), [-np.inf, -1e30, np.nan, np.inf, 0.0]]).astype(np.float32)
    with np.errstate(all="ignore"):
        want = getattr(np, function)(x.astype(np.float64)).astype(np.float32)
    got = getattr(Tensor(x), function)().numpy()
    least = np.finfo(np.float32).smallest_subnormal
    np.testing.assert_allclose(got, want, rtol=2e-7, atol=least)

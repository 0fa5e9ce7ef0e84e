"""morok-reuse-buffers: elementwise kernels write into intermediates that nothing reads after them, and into nothing else."""

import re

import numpy as np
import pytest

from morok import Tensor
from morok.runtime import configured


def sample(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def peak(plan):
    return int(re.search(r"at most (\d+) bytes", plan.report())[1])


def column_softmax(x):
    e = np.exp(x - x.max(0))
    return e / e.sum(0)


@pytest.mark.parametrize("shape", [(64, 32), (37, 19), (128, 300)])
@pytest.mark.parametrize("threads", [1, 2])
def test_column_softmax_needs_no_memory_of_its_size(shape, threads):
    a = sample(*shape)
    x = Tensor(a).realize()
    with configured(num_threads=threads):
        plan = Tensor.prepare_batch([x.softmax(0)])
    for _ in range(2):
        plan.execute()
        np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), column_softmax(a), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(x.numpy(), a)
    assert peak(plan) < 2 * a.nbytes + 16 * shape[1] + 512


def test_under_check():
    a = sample(24, 18)
    with configured(check=True):
        np.testing.assert_allclose(Tensor(a).softmax(0).numpy(), column_softmax(a), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("backend", ["c", "mlir"])
def test_other_back_ends(backend):
    a = sample(24, 18)
    with configured(backend=backend):
        np.testing.assert_allclose(Tensor(a).softmax(0).numpy(), column_softmax(a), rtol=1e-5, atol=1e-7)


MOVED = {
    "backwards": (lambda e: e.flip(0), lambda e: e[::-1]),
    "shifted": (lambda e: Tensor.cat(e[1:], e[:1], dim=0), lambda e: np.concatenate([e[1:], e[:1]])),
    "transposed": (lambda e: e.T, lambda e: e.T),
}


@pytest.mark.parametrize("name", MOVED)
def test_what_is_read_elsewhere_keeps_its_memory(name):
    a = sample(40, 40)
    e = Tensor(a).exp()
    found = MOVED[name][0](e) * e.sum(0, keepdim=True)
    want = np.exp(a.astype(np.float64))
    np.testing.assert_allclose(found.numpy(), MOVED[name][1](want) * want.sum(0), rtol=1e-4)


def test_what_is_read_again_keeps_its_value():
    """Two readers of one intermediate, and a result that is read as well."""
    a = sample(40, 40)
    e = Tensor(a).exp()
    total = e.sum(0, keepdim=True)
    first, second = e * total, e.T - total
    Tensor.realize_batch([first, second, e])
    want = np.exp(a.astype(np.float64))
    np.testing.assert_allclose(first.numpy(), want * want.sum(0), rtol=1e-4)
    np.testing.assert_allclose(second.numpy(), want.T - want.sum(0), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(e.numpy(), want, rtol=1e-5)

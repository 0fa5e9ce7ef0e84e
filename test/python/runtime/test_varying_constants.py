"""A part that is repeated with another constant each time is compiled once, with the bits of constants."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.runtime import realize
from morok.runtime.realize import RUNTIME
from morok.runtime.varying_constants import VARYING_FROM


@pytest.fixture
def kernels(monkeypatch):
    """The distinct kernels of each plan that is compiled."""
    RUNTIME.plans.clear()
    RUNTIME.skeletons.clear()
    counts = []
    original = realize.compile_plan

    def counted(*given):
        plan = original(*given)
        counts.append(len({address for s in plan.stages if s.program is not None for address in s.program.functions}))
        return plan
    monkeypatch.setattr(realize, "compile_plan", counted)
    return counts


FORMS = {
    "scaled": (lambda x, c: x * c, lambda x, c: x * c),
    "two constants": (lambda x, c: (x + 7.5) * c, lambda x, c: (x + np.float32(7.5)) * c),
    "same twice": (lambda x, c: (x - c) * (x - c), lambda x, c: (x - c) * (x - c)),
    "summed": (lambda x, c: (x * c).sum(0), lambda x, c: (x * c).sum(0)),
    "chosen": (lambda x, c: x.where(x > c, c), lambda x, c: np.where(x > c, x, c)),
}


@pytest.mark.parametrize("count", [17, VARYING_FROM + 60, 700])
@pytest.mark.parametrize("name", FORMS)
def test_stacked_parts_with_constants_of_their_own(name, count, kernels):
    f, reference = FORMS[name]
    rng = np.random.default_rng(1)
    arrays = rng.integers(-8, 9, (count, 2, 3)).astype(np.float32)
    values = rng.permutation(count).astype(np.float32) / 8 - 3  # 0, 1 and -1 among them
    got = morok.stack([f(Tensor(a), float(c)) for a, c in zip(arrays, values)]).numpy()
    np.testing.assert_array_equal(got, np.stack([reference(a, c) for a, c in zip(arrays, values)]))
    if count > VARYING_FROM:
        assert kernels[0] < 20  # one for each join of 16 parts without them: 44 for 700


def test_other_constants_run_the_same_plan(kernels):
    arrays = np.random.default_rng(2).standard_normal((300, 4)).astype(np.float32)
    for shift in (0.37, 5.37, 9.61):
        values = [np.float32(shift + i) for i in range(300)]
        got = morok.stack([Tensor(a) * float(c) for a, c in zip(arrays, values)]).numpy()
        np.testing.assert_array_equal(got, arrays * np.array(values)[:, None])
    assert len(kernels) == 1


def test_integers_and_counters(kernels):
    rows = np.arange(400, dtype=np.int64).reshape(200, 2)
    got = morok.stack([Tensor(row) * (i + 2) + Tensor.arange(2) * (i + 3) for i, row in enumerate(rows)]).numpy()
    places = np.arange(200)[:, None]
    np.testing.assert_array_equal(got, rows * (places + 2) + np.arange(2) * (places + 3))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_constants_alone(dtype, kernels):
    values = (np.arange(2300) / 8 - 20).astype(dtype)  # 16 to a join, so 143 joins
    got = morok.stack([Tensor(v.item(), dtype=dtype.__name__) for v in values]).numpy()
    np.testing.assert_array_equal(got, values)
    got = morok.stack([Tensor.full((3,), v.item(), dtype=dtype.__name__) * 3 - 2 for v in values[:300]]).numpy()
    np.testing.assert_array_equal(got, np.repeat((values[:300] * 3 - 2)[:, None], 3, 1))
    assert max(kernels) < 20


def test_derivatives(kernels):
    x = Tensor(np.linspace(-1, 1, 5).astype(np.float32)).requires_grad_()
    morok.stack([(x * (i + 0.5)).square().sum() for i in range(200)]).sum().backward()
    expected = 2 * x.numpy().astype(np.float64) * sum((i + 0.5) ** 2 for i in range(200))
    np.testing.assert_allclose(x.grad.numpy(), expected, rtol=1e-5)

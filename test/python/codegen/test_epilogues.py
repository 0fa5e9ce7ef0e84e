"""What follows a sum in its kernel: as copies beside the register tile's vectors, or as a loop over the tile, with the same results."""
import math

import numpy as np
import pytest

from morok import Tensor
from morok.codegen.backends import renderer
from morok.codegen.loops import LoopsRenderer
from morok.passes.codegen.stage_epilogues import StageEpilogues

ERF = np.vectorize(math.erf)
ACTIVATIONS = {
    "gelu": (lambda x: x.gelu(), lambda x: x / 2 * (1 + ERF(x / math.sqrt(2)))),
    "silu": (lambda x: x * x.sigmoid(), lambda x: x / (1 + np.exp(-x))),
    "polynomial": (lambda x: ((((x + 1) * x - 2) * x + 3) * x - 4) * x.abs().sqrt(), lambda x: ((((x + 1) * x - 2) * x + 3) * x - 4) * np.sqrt(np.abs(x))),
    "exp and comparison": (lambda x: x.exp().where(x > 0, x.abs().log1p()), lambda x: np.where(x > 0, np.exp(np.minimum(x, 50)), np.log1p(np.abs(x)))),
}


@pytest.fixture
def staged(monkeypatch):
    """For each kernel, whether it was changed."""
    found = []
    rewrite = StageEpilogues.rewrite

    def watched(self, body):
        result = rewrite(self, body)
        found.append(result is not body)
        return result

    monkeypatch.setattr(StageEpilogues, "rewrite", watched)
    return found


def numbers(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape) / 4


def agree(found, expected, dtype):
    tolerance = {np.float16: 4e-3, np.float32: 2e-5, np.float64: 1e-13}[dtype]
    assert np.abs(found - expected).max() <= tolerance * max(1, np.abs(expected).max())


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize(("rows", "depth", "columns"), [(61, 33, 127), (64, 64, 96), (8, 100, 48), (1, 64, 500), (13, 7, 1), (50, 17, 31)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_products_with_activations(name, rows, depth, columns, dtype):
    a, b, c = (x.astype(dtype) for x in (numbers(1, rows, depth), numbers(2, depth, columns), numbers(3, columns)))
    activation, expected = ACTIVATIONS[name]
    found = activation(Tensor(a) @ Tensor(b) + Tensor(c)).numpy()
    product = a.astype(np.float64) @ b.astype(np.float64)
    if dtype is np.float16:
        product = product.astype(dtype)
    agree(found, expected(product.astype(np.float64) + c), dtype)


def test_many_ops_on_a_wide_tile_are_a_loop_and_few_are_copies(staged):
    a, b = numbers(1, 96, 65), numbers(2, 65, 144)
    x, y = Tensor(a.astype(np.float32)), Tensor(b.astype(np.float32))
    (x @ y + 1).numpy()
    assert not any(staged)
    (x @ y).gelu().numpy()
    assert any(staged)


def test_two_sums_of_one_tile(staged):
    a, b, c = numbers(1, 70, 41), numbers(2, 41, 90), numbers(3, 41, 90)
    x, v, w = (Tensor(t.astype(np.float32)) for t in (a, b, c))
    agree(((x @ v).gelu() * (x @ w) + (x @ v).sigmoid()).numpy(), ACTIVATIONS["gelu"][1](a @ b) * (a @ c) + 1 / (1 + np.exp(-(a @ b))), np.float32)


def test_an_update_in_place_after_a_product():
    a, b, c = numbers(1, 48, 31), numbers(2, 31, 96), numbers(3, 48, 96)
    target = Tensor(c.astype(np.float32)).realize()
    target.assign(target * 0.5 + (Tensor(a.astype(np.float32)) @ Tensor(b.astype(np.float32))).gelu()).realize()
    agree(target.numpy(), c * 0.5 + ACTIVATIONS["gelu"][1](a @ b), np.float32)


def test_results_that_are_compared():
    a, b = numbers(1, 64, 33), numbers(2, 33, 96)
    x, y = Tensor(a.astype(np.float32)), Tensor(b.astype(np.float32))
    found = ((x @ y).gelu() > 0.05).numpy()
    expected = ACTIVATIONS["gelu"][1](a @ b)
    assert (found == (expected > 0.05))[np.abs(expected - 0.05) > 1e-5].all()


def test_a_sum_of_booleans_decides():
    a, b = numbers(1, 64, 33), numbers(2, 33, 96)
    x, y = Tensor(a.astype(np.float32)), Tensor(b.astype(np.float32))
    some = (Tensor(a > 0.5).unsqueeze(2) & Tensor(b > 0.5).unsqueeze(0)).any(1)
    found = (x @ y).exp().where(some, (x @ y).sin().tanh()).numpy()
    agree(found, np.where((a > 0.5).astype(int) @ (b > 0.5) > 0, np.exp(a @ b), np.tanh(np.sin(a @ b))), np.float32)


@pytest.mark.parametrize("columns", [96, 101])
def test_the_limit_changes_no_bit(columns, monkeypatch):
    """Nor does the form: each element is computed by the same ops."""
    a, b = (numbers(i, *shape).astype(np.float32) for i, shape in enumerate([(72, 50), (50, columns)]))
    results = []
    backend = renderer("llvm")
    assert isinstance(backend, LoopsRenderer)
    step = next(s for s in backend.passes if isinstance(s, StageEpilogues))
    from morok.graph.registries import KERNELS
    from morok.runtime.realize import RUNTIME
    for ops in (1, 400, 10**9):
        monkeypatch.setattr(step, "ops", ops)
        KERNELS.clear()
        RUNTIME.plans.clear()
        results.append((Tensor(a) @ Tensor(b)).gelu(approximate="tanh").numpy())
    assert all((r.view(np.int32) == results[0].view(np.int32)).all() for r in results[1:])

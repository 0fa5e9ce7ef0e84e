"""Kernels that differ in constant offsets share their code, and only those."""

import numpy as np
import pytest

from morok import Tensor, Variable
from morok.graph.registries import KERNELS
from morok.runtime import configured
from morok.runtime.host import HOSTS
from morok.runtime.realize import RUNTIME
from morok.runtime.stored_code import STORED_KERNELS


@pytest.fixture(autouse=True)
def anew():
    forget()


def forget():
    RUNTIME.plans.clear()
    KERNELS.clear()
    STORED_KERNELS.clear()
    HOSTS.clear()


def array(*shape, dtype=np.float32):
    return np.random.default_rng(0).uniform(-9, 9, shape).astype(dtype)


def outputs(plan):
    plan.execute()
    return [plan.output_buffer_at(i).numpy() for i in range(plan.num_outputs())]


def functions(plan):
    return sum(len(s.program.functions) for s in plan.compiled.stages)


GRAPHS = {
    "rows": lambda x, i: x[i] * 2 + 1,
    "columns": lambda x, i: x[:, i].exp(),
    "windows": lambda x, i: x[i:i + 3].sum(0),
    "both": lambda x, i: x[i] + x[19 - i],
    "elements": lambda x, i: x[i, (i * 7) % 20] * 3,
    "sums": lambda x, i: x[i].sum(),
    "reversed": lambda x, i: x[i].flip(0) + 1,
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8])
def test_batches(name, dtype):
    a = array(20, 20, dtype=dtype)
    x, n = Tensor(a).realize(), 18
    plan = Tensor.prepare_batch([GRAPHS[name](x, i) for i in range(n)])
    found = outputs(plan)
    assert functions(plan) <= 4
    for i in range(n):
        forget()
        np.testing.assert_array_equal(found[i], GRAPHS[name](x, i).numpy())


def test_few_kernels_keep_their_constants():
    x = Tensor(array(20, 8)).realize()
    plan = Tensor.prepare_batch([x[i] * 2 for i in range(4)])
    assert functions(plan) == 4


def test_extents_and_arithmetic_stay_apart():
    x = Tensor(array(30, 8)).realize()
    plan = Tensor.prepare_batch([x[i, :2 + i % 3] * (i % 2 + 2) for i in range(30)])
    for i, got in enumerate(outputs(plan)):
        np.testing.assert_array_equal(got, x.numpy()[i, :2 + i % 3] * np.float32(i % 2 + 2))
    assert functions(plan) >= 6


def test_another_batch_uses_the_same_code():
    x = Tensor(array(32, 8)).realize()
    first = Tensor.prepare_batch([x[i] * 2 for i in range(17, 31)])
    second = Tensor.prepare_batch([x[i] * 2 for i in range(2, 16)] + [x[17] * 2])
    np.testing.assert_array_equal(outputs(second)[3], x.numpy()[5] * 2)
    kernel, = {k.address for k in first.compiled.stages[0].program.kernels.values()}
    assert kernel in {k.address for k in second.compiled.stages[0].program.kernels.values()} or functions(second) <= 2


def test_beside_variables():
    n = Variable("n", 1, 8)
    x = Tensor(array(20, 8)).realize()
    plan = Tensor.prepare_batch([x[i, :n.bind(3)].sum() for i in range(20)])
    assert functions(plan) <= 2
    for k in (3, 8, 1):
        plan.execute_with_vars({"n": k})
        for i in range(20):
            np.testing.assert_allclose(plan.output_buffer_at(i).numpy(), x.numpy()[i, :k].sum(), rtol=1e-5)


def test_many_threads_and_large_rows():
    x = Tensor(array(12, 70_000)).realize()
    plan = Tensor.prepare_batch([(x[i] * 2).exp() for i in range(12)])
    assert functions(plan) == 1
    with configured(num_threads=1):
        alone = outputs(Tensor.prepare_batch([(x[i] * 2).exp() for i in range(12)]))
    for got, expected in zip(outputs(plan), alone):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("backend", ["c", "mlir"])
def test_other_back_ends(backend):
    x = Tensor(array(12, 5)).realize()
    with configured(backend=backend):
        plan = Tensor.prepare_batch([x[i] * 2 for i in range(12)])
        assert functions(plan) == 1
        for i, got in enumerate(outputs(plan)):
            np.testing.assert_array_equal(got, x.numpy()[i] * 2)


def test_under_check_each_kernel_is_itself():
    x = Tensor(array(12, 5)).realize()
    with configured(check=True):
        plan = Tensor.prepare_batch([x[i] * 2 for i in range(12)])
        assert functions(plan) == 12 and (outputs(plan)[7] == x.numpy()[7] * 2).all()


def test_from_disk(tmp_path, monkeypatch):
    from morok.runtime import kernels
    monkeypatch.setattr("morok.runtime.disk_cache.is_settled", lambda: True)
    x = Tensor(array(12, 5)).realize()
    with configured(cache=True, cache_dir=str(tmp_path / "cache")):
        Tensor.prepare_batch([x[i] * 2 for i in range(12)])
        forget()
        monkeypatch.setattr(kernels, "optimise", None)
        plan = Tensor.prepare_batch([x[i] * 2 for i in range(12)])
        for i, got in enumerate(outputs(plan)):
            np.testing.assert_array_equal(got, x.numpy()[i] * 2)
        assert functions(plan) == 1 and "k0" in plan.report()


def test_writes_to_many_places():
    a = array(40, 6)
    x, rows = Tensor(a).realize(), Tensor(array(40, 6)).realize()
    for i in range(40):
        x[i] = rows[39 - i] * 2
    np.testing.assert_array_equal(x.numpy(), rows.numpy()[::-1] * 2)


def test_jit():
    import morok
    f = morok.jit(lambda x: [x[i] * 2 for i in range(12)])
    for seed in range(3):
        a = array(12, 5) + seed
        for i, got in enumerate(f(Tensor(a))):
            np.testing.assert_array_equal(got.numpy(), a[i] * 2)

"""Parts that a program holds many times are compiled once, and mean the same."""

import numpy as np
import pytest

from morok import Tensor
from morok.runtime import configured
from morok.runtime.realize import RUNTIME


def array(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-2, 2, shape).astype(np.float32)


def inputs(n, *shape):
    arrays = [array(*shape, seed=i) for i in range(n)]
    return arrays, [Tensor(a).realize() for a in arrays]


def run(*tensors):
    plan = Tensor.prepare_batch(list(tensors))
    plan.execute()
    return plan, [plan.output_buffer_at(i).numpy() for i in range(len(tensors))]


def programs(plan):
    return len({id(s.program) for s in plan.compiled.stages})


@pytest.mark.parametrize("count", [7, 8, 20])
def test_equal_parts(count):
    arrays, tensors = inputs(count, 3, 4)
    parts = [(t * 2).sum(1).contiguous() for t in tensors]
    plan, (got,) = run(sum(parts[1:], parts[0]))
    np.testing.assert_allclose(got, sum((a * 2).sum(1) for a in arrays), rtol=1e-5)
    assert programs(plan) == (1 if count < 8 else 2) and len(plan.compiled.stages) == (1 if count < 8 else count + 1)
    plan.execute()
    np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), got)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_stack_and_cat_of_many(axis):
    arrays, tensors = inputs(300, 2, 3)
    np.testing.assert_array_equal(Tensor.stack(tensors, dim=axis).numpy(), np.stack(arrays, axis))
    np.testing.assert_array_equal(Tensor.cat(tensors, dim=axis).numpy(), np.concatenate(arrays, axis))
    np.testing.assert_array_equal(Tensor.stack([t * 2 for t in tensors], dim=axis).numpy(), np.stack(arrays, axis) * 2)


def test_the_same_tensor_many_times():
    a = array(2)
    t = Tensor(a).realize()
    np.testing.assert_array_equal(Tensor.stack([t] * 200).numpy(), np.stack([a] * 200))


def test_parts_within_parts():
    arrays, tensors = inputs(80, 5)
    inner = [(t + 1).contiguous() for t in tensors]
    outer = [(inner[i] * inner[i + 1]).contiguous() for i in range(0, 80, 2)]
    _, (got,) = run(sum(outer[1:], outer[0]))
    np.testing.assert_allclose(got, sum((arrays[i] + 1) * (arrays[i + 1] + 1) for i in range(0, 80, 2)), rtol=1e-4)


def test_what_others_need_too_is_computed_once():
    _, tensors = inputs(10, 6, 6)
    shared = [t @ t for t in tensors]
    parts = [(s + 1).contiguous() for s in shared]
    plan, got = run(sum(parts[1:], parts[0]), sum(shared[1:], shared[0]))
    assert len(plan.compiled.stages) == 1
    np.testing.assert_allclose(got[0], got[1] + 10, rtol=1e-4, atol=1e-4)


def test_parts_that_are_results_and_unused_parts_of_arguments():
    arrays, tensors = inputs(10, 4)
    parts = [(t + 1).contiguous() for t in tensors]
    _, got = run(*parts, parts[0] + parts[9], tensors[3])
    for g, a in zip(got, arrays):
        np.testing.assert_array_equal(g, a + 1)
    np.testing.assert_array_equal(got[10], (arrays[0] + 1) + (arrays[9] + 1))
    np.testing.assert_array_equal(got[11], arrays[3])


def test_a_part_that_needs_an_uncommon_one():
    arrays, tensors = inputs(12, 4)
    uncommon = (tensors[0].exp() * 3).contiguous()
    parts = [(t + uncommon).contiguous() for t in tensors]
    _, (got,) = run(sum(parts[1:], parts[0]))
    np.testing.assert_allclose(got, sum(arrays) + 12 * np.exp(arrays[0]) * 3, rtol=1e-4)


def test_constant_parts():
    parts = [Tensor.full((3,), 2.0).contiguous() for _ in range(9)]
    assert (Tensor([1.0]) + sum(parts[1:], parts[0])).tolist() == [19, 19, 19]


def test_beside_writes():
    arrays, tensors = inputs(20, 4)
    target = Tensor(np.zeros(4, np.float32)).realize()
    parts = [(t + 1).contiguous() for t in tensors]
    target += sum(parts[1:], parts[0])
    np.testing.assert_allclose(target.numpy(), sum(arrays) + 20, rtol=1e-4)


def test_other_devices_and_check():
    arrays, tensors = inputs(10, 4)
    there = [t.to("CPU:1").realize() for t in tensors]
    parts = [(t + 1).contiguous() for t in there]
    plan, (got,) = run(sum(parts[1:], parts[0]).to("CPU") * 2)
    np.testing.assert_allclose(got, 2 * (sum(arrays) + 10), rtol=1e-4)
    with configured(check=True):
        parts = [(t + 1).contiguous() for t in tensors]
        np.testing.assert_allclose(sum(parts[1:], parts[0]).numpy(), sum(arrays) + 10, rtol=1e-4)


def test_from_disk(tmp_path, monkeypatch):
    from morok.graph.registries import KERNELS
    from morok.runtime import realize
    monkeypatch.setattr("morok.runtime.disk_cache.is_settled", lambda: True)
    arrays, tensors = inputs(200, 4)
    KERNELS.clear()
    with configured(cache=True, cache_dir=str(tmp_path / "cache")):
        Tensor.stack(tensors).prepare()
        RUNTIME.plans.clear()
        KERNELS.clear()
        monkeypatch.setattr(realize, "compile_plan", None)
        np.testing.assert_array_equal(Tensor.stack(tensors).numpy(), np.stack(arrays))


def test_jit():
    import morok
    f = morok.jit(lambda *ts: Tensor.stack([t * 2 for t in ts]))
    for seed in range(3):
        arrays = [array(3, seed=100 * seed + i) for i in range(150)]
        np.testing.assert_array_equal(f(*map(Tensor, arrays)).numpy(), np.stack(arrays) * 2)

"""plan.py: running a plan again and again, at other values, in place; its report."""

import threading

import numpy as np
import pytest
from graphs import assigned, buffer, op, summed, value

from morok.dialect import types as T
from morok.errors import BoundsError
from morok.graph.tensor_graph import TensorUOp
from morok.runtime import buffer_of, configured, prepare_uops
from morok.runtime.config import available_cpus

A = np.arange(12, dtype=np.float32).reshape(3, 4)
DYNAMIC = -(1 << 63)


def variable(name, low, high):
    return TensorUOp.make("define_var", (), (name, low, high))


def bound(v, number):
    return op("bind", v, TensorUOp.constant(number, T.index))


def prefix(x, size):
    return TensorUOp.make("shrink", (x, size), ((0, 0), (DYNAMIC, 4)))


def softmax(x):
    """Over the last axis of a matrix."""
    def back(u):
        return op("expand", op("reshape", u, shape=(x.type.shape[0], 1)), shape=x.type.shape)
    e = op("exp", x - back(op("reduce_axis", x, op_="max", axes=(1,))))
    return e.alu("div", back(summed(e, 1)))


@pytest.mark.parametrize("check", [False, True])
def test_three_runs_give_the_same(check):
    """With `check`, outputs and scratch hold NaN bits before each run."""
    with configured(check=check):
        x = buffer(A)
        y = softmax(x)
        plan = prepare_uops([summed(y * y, 0), y])
        expected = np.exp(A - A.max(1, keepdims=True))
        expected /= expected.sum(1, keepdims=True)
        for _ in range(3):
            plan.execute()
            assert np.allclose(plan.output_buffer_at(1).numpy(), expected, rtol=1e-5)
            assert np.allclose(plan.output_buffer_at(0).numpy(), (expected * expected).sum(0), rtol=1e-5)


def test_outputs():
    x = buffer(A)
    plan = prepare_uops([x + 1.0, x, x + 1.0])
    assert plan.num_outputs() == 3
    plan.execute()
    out = plan.output_buffer_at(0)
    assert out.shape == (3, 4) and out.dtype is T.float32 and out.device == "CPU"
    assert np.array_equal(out.numpy(), A + 1) and np.array_equal(plan.output_buffer_at(1).numpy(), A)
    assert np.array_equal(plan.output_buffer_at(2).numpy(), A + 1)
    for i in (-1, 3):
        with pytest.raises(IndexError, match="of a plan that has 3"):
            plan.output_buffer_at(i)


def test_copies_of_outputs_survive_the_next_run():
    n = variable("n", 1, 3)
    plan = prepare_uops([summed(prefix(buffer(A), bound(n, 1)), 0)])
    plan.execute()
    first = plan.output_buffer_at(0).numpy()
    plan.execute_with_vars({"n": 3})
    assert np.allclose(first, A[:1].sum(0)) and np.allclose(plan.output_buffer_at(0).numpy(), A.sum(0))


def test_values_of_variables():
    n, x = variable("n", 1, 3), buffer(A)
    plan = prepare_uops([prefix(x, bound(n, 2)) * 2.0, summed(prefix(x, bound(n, 2)), 0)])
    plan.execute()
    assert plan.output_buffer_at(0).shape == (2, 4) and np.array_equal(plan.output_buffer_at(0).numpy(), A[:2] * 2)
    for size in (3, 1, 2):
        plan.execute_with_vars({"n": size})
        assert np.array_equal(plan.output_buffer_at(0).numpy(), A[:size] * 2)
        assert np.allclose(plan.output_buffer_at(1).numpy(), A[:size].sum(0))
    plan.execute_with_vars({})
    assert plan.values == {"n": 2}


@pytest.mark.parametrize("values, error, message", [
    ({"n": 0}, BoundsError, "variable 'n' has bounds 1 to 3, given 0"), ({"n": 4}, BoundsError, "given 4"),
    ({"m": 1}, BoundsError, "the plan has no variable 'm'; it has 'n'"), ({"n": 1.5}, TypeError, "takes an integer"),
    ({"n": True}, TypeError, "takes an integer")])
def test_wrong_values_run_nothing(values, error, message):
    plan = prepare_uops([summed(prefix(buffer(A), bound(variable("n", 1, 3), 2)), 0)])
    plan.execute()
    with pytest.raises(error, match=message):
        plan.execute_with_vars(values)
    assert plan.values == {"n": 2}
    plan.execute()
    assert np.allclose(plan.output_buffer_at(0).numpy(), A[:2].sum(0))


def test_a_variable_without_a_value():
    plan = prepare_uops([summed(prefix(buffer(A), variable("n", 1, 3)), 0)])
    with pytest.raises(BoundsError, match="variable 'n' has no value; bind it, or give execute_with_vars one from 1 to 3"):
        plan.execute()
    plan.execute_with_vars({"n": 3})
    assert np.allclose(plan.output_buffer_at(0).numpy(), A.sum(0))


def test_an_assign_updates_its_target_in_every_run():
    x = buffer(A)
    storage = buffer_of(x)
    y = assigned(x, x + 1.0)
    del x
    plan = prepare_uops([y, y * 2.0])
    assert np.array_equal(storage.numpy(), A)
    for i in range(1, 4):
        plan.execute()
        assert np.array_equal(storage.numpy(), A + i) and np.array_equal(plan.output_buffer_at(1).numpy(), (A + i) * 2)
    assert plan.output_buffer_at(0).buffer is storage
    assert y.name == "buffer" and np.array_equal(value(y), A + 3)
    plan.execute()
    assert np.array_equal(value(y), A + 4)


def test_a_plan_over_two_devices():
    x = buffer(A)
    y = op("copy", op("copy", x + 1.0, device="CPU:1") * 2.0, device="CPU") + x
    plan = prepare_uops([y])
    for _ in range(3):
        buffer_of(x).view()[0, 0] += 1
        plan.execute()
        a = buffer_of(x).numpy()
        assert np.array_equal(plan.output_buffer_at(0).numpy(), (a + 1) * 2 + a)
    assert "on CPU to slot" in plan.report() and "on CPU:1" in plan.report()


def test_one_plan_from_many_threads():
    x = buffer(A)
    plan = prepare_uops([summed(x * 3.0, 1)])
    threads = [threading.Thread(target=lambda: [plan.execute() for _ in range(100)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert np.allclose(plan.output_buffer_at(0).numpy(), A.sum(1) * 3)


@pytest.mark.parametrize("shape", [(1 << 20,), (1000, 1003)])
def test_results_do_not_depend_on_the_number_of_threads(shape):
    array = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    x = buffer(array)
    y = op("exp", x) * 0.5
    results = []
    for threads in range(1, available_cpus() + 1):
        with configured(num_threads=threads):
            plan = prepare_uops([y, summed(y, len(shape) - 1)])
            plan.execute()
            results.append([plan.output_buffer_at(i).numpy() for i in range(2)])
    for other in results[1:]:
        for a, b in zip(results[0], other):
            assert np.array_equal(a, b)
    assert np.allclose(results[0][0], np.exp(array) * 0.5, rtol=1e-5)


def test_the_report_names_what_runs():
    x = buffer(np.ones((64, 64), np.float32))
    plan = prepare_uops([summed(x * 2.0, 1)])
    text = plan.report()
    for part in ("group", "kernel", "k0", "in0:64x64xfloat32", "out1:64xfloat32", "opts", "bytes of code", "compiled in"):
        assert part in text, text


def test_a_profile_has_a_line_for_each_launch_in_the_order_of_running():
    x = buffer(A)
    plan = prepare_uops([summed(x * 2.0, 0), softmax(x)])
    rows = [line.split() for line in plan.profile(rounds=2).splitlines() if "heuristic" in line]
    assert [row[1] for row in rows] == [i.name for stage in plan.compiled.stages for group in stage.program.groups for i in group]
    assert sum(float(row[5].rstrip("%")) for row in rows) == pytest.approx(100, abs=len(rows))
    assert np.allclose(plan.output_buffer_at(0).numpy(), (A * 2).sum(0))


def test_each_round_of_a_profile_is_a_run():
    x = buffer(A)
    plan = prepare_uops([assigned(x, x + 1.0)])
    plan.profile(rounds=3)
    assert np.allclose(plan.output_buffer_at(0).numpy(), A + 4)
    with pytest.raises(ValueError, match="rounds is 0"):
        plan.profile(rounds=0)


def test_a_profile_is_of_the_variables_last_values():
    x, n = buffer(A), variable("n", 1, 3)
    plan = prepare_uops([summed(prefix(x, bound(n, 2)), 0)])
    plan.execute_with_vars({"n": 3})
    plan.profile(rounds=1)
    assert np.allclose(plan.output_buffer_at(0).numpy(), A.sum(0))

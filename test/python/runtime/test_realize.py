"""realize.py: handles become buffers; the plan cache; assigns in place; what must not be overwritten."""

import gc
import os
import threading

import numpy as np
import pytest
from graphs import Holder, assigned, buffer, op, summed, value

from morok.codegen.llvm import LLVMRenderer
from morok.dialect import types as T
from morok.errors import BoundsError, DeviceError
from morok.graph.tensor_graph import TensorUOp
from morok.runtime import buffer_of, configured, new_buffer_from_numpy, prepare_uops, realize_uops
from morok.runtime.config import available_cpus
from morok.runtime.realize import RUNTIME

A = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_a_value_becomes_a_buffer():
    x = buffer(A)
    y = x + x * 2.0
    z = y * y
    realize_uops([y])
    assert y.name == "buffer" and np.array_equal(value(y), A * 3)
    assert z.operands[0] is y
    realize_uops([z])
    assert np.array_equal(value(z), A * A * 9)


def test_realised_values_are_left_alone():
    x = buffer(A)
    y = x + 1.0
    realize_uops([x, y])
    storage, misses = buffer_of(y), RUNTIME.plans.misses
    realize_uops([x, y, y])
    assert buffer_of(y) is storage and RUNTIME.plans.misses == misses


def test_reshaped_buffers_need_no_copy_and_other_views_get_one():
    x = buffer(A)
    r, p, e = op("reshape", x, shape=(2, 6)), op("permute", x, order=(1, 0)), op("flip", x, axes=(0,))
    realize_uops([r, p, e])
    assert buffer_of(r) is buffer_of(x)
    assert buffer_of(p) is not buffer_of(x) and np.array_equal(value(p), A.T) and np.array_equal(value(e), A[::-1])


def test_the_same_value_twice_has_memory_of_its_own():
    """contiguous(x + 1) and detach(x + 1) are one computation, but two tensors that may be written."""
    x = buffer(A)
    y, z = op("contiguous", x + 1.0), op("detach", x + 1.0)
    realize_uops([y, z])
    assert np.array_equal(value(y), A + 1) and np.array_equal(value(z), A + 1)
    assert buffer_of(y) is not buffer_of(z)


def test_a_known_graph_compiles_nothing():
    def build(array, factor):
        x = buffer(array)
        return summed(x * x + factor, 1)
    realize_uops([build(A, 2.0)])
    misses = RUNTIME.plans.misses
    y = build(A + 1, 2.0)
    realize_uops([y])
    assert RUNTIME.plans.misses == misses
    assert np.allclose(value(y), ((A + 1) ** 2 + 2).sum(1))
    with configured(opt_level=0):
        realize_uops([build(A, 2.0)])
    assert RUNTIME.plans.misses == misses + 1


def test_a_known_kernel_in_another_graph_is_not_compiled_again(monkeypatch):
    compiled = []
    render = LLVMRenderer.render
    monkeypatch.setattr(LLVMRenderer, "render", lambda self, kernel, name: compiled.append(kernel) or render(self, kernel, name))
    with configured(backend="llvm"):
        b, c = np.ones((7, 11), np.float32), np.ones((11, 13), np.float32)  # shapes that no other test has, and no constants: a known one may be an argument
        x, y = buffer(b), buffer(c)
        realize_uops([summed(x * x, 1)])
        assert len(compiled) == 1
        again, other = summed(x * x, 1), summed(y * y, 0)
        realize_uops([again, other])
        assert len(compiled) == 2, "only the other"
    assert np.allclose(value(again), (b * b).sum(1)) and np.allclose(value(other), (c * c).sum(0))


def test_values_of_a_batch_share_what_they_have_in_common():
    x = buffer(A)
    rows = summed(x * x, 1)
    outputs = [rows * 2.0, rows + 1.0, op("exp", op("neg", rows))]
    [stage] = prepare_uops(outputs).compiled.stages
    assert sum(any(u.name == "reduce" for u in item.body.order()) for item in stage.program.schedule.items) == 1, "the sum is computed once"
    looked_up = RUNTIME.plans.hits + RUNTIME.plans.misses
    realize_uops(outputs)
    assert RUNTIME.plans.hits + RUNTIME.plans.misses == looked_up + 1, "one plan for all"
    expected = (A * A).sum(1)
    for u, right in zip(outputs, (expected * 2, expected + 1, np.exp(-expected))):
        assert np.allclose(value(u), right)


def test_constants_alone():
    u = op("expand", op("reshape", TensorUOp.constant(2.5, T.tensor((), T.float32)), shape=(1, 1)), shape=(2, 3))
    realize_uops([u])
    assert np.array_equal(value(u), np.full((2, 3), 2.5, np.float32))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty_values(shape):
    x = buffer(np.zeros(shape, np.float32))
    y, s = x + 1.0, summed(x, 0)
    realize_uops([y, s])
    assert value(y).shape == shape and np.array_equal(value(s), np.zeros(shape[1:], np.float32))


# Assigns

def test_an_assign_is_done_in_place():
    x = buffer(A)
    storage = buffer_of(x)
    y = assigned(x, x + 1.0)
    del x
    realize_uops([y])
    assert buffer_of(y) is storage and np.array_equal(value(y), A + 1)


def test_an_old_value_that_lives_is_kept():
    x = Holder(buffer(A))
    y = assigned(x.uop, x.uop + 1.0)
    realize_uops([y])
    assert np.array_equal(value(y), A + 1) and np.array_equal(value(x.uop), A)


def test_borrowed_memory_is_never_written():
    raw = np.zeros(64 + 64, np.uint8)
    array = raw[-raw.ctypes.data % 64:][:16].view(np.float32)
    x = new_buffer_from_numpy(array, borrow=True)
    assert buffer_of(x).is_borrowed
    y = assigned(x, x + 1.0)
    del x
    realize_uops([y])
    assert array.tolist() == [0] * 4 and value(y).tolist() == [1] * 4


def test_swap_by_two_assigns():
    x, y = buffer(A), buffer(A + 100)
    new_x, new_y = assigned(x, op("contiguous", y)), assigned(y, op("contiguous", x))
    del x, y
    realize_uops([new_x, new_y])
    assert np.array_equal(value(new_x), A + 100) and np.array_equal(value(new_y), A)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_order_of_outputs_does_not_matter(order):
    """One output overwrites what the other reads."""
    x = buffer(A)
    outputs = [assigned(x, x * 2.0), summed(x, 0)]
    del x
    realize_uops([outputs[i] for i in order])
    assert np.array_equal(value(outputs[0]), A * 2) and np.allclose(value(outputs[1]), A.sum(0))


@pytest.mark.parametrize("view", ["flip", "permute"])
def test_an_assign_that_reads_its_target_elsewhere(view):
    square = np.arange(16, dtype=np.float32).reshape(4, 4)
    x = buffer(square)
    moved = op("flip", x, axes=(0,)) if view == "flip" else op("permute", x, order=(1, 0))
    y = assigned(x, moved)
    del x, moved
    realize_uops([y])
    assert np.array_equal(value(y), square[::-1] if view == "flip" else square.T)


# Devices

def test_copies_between_devices():
    x = buffer(A)
    y = op("copy", x + 1.0, device="CPU:1")
    z = op("copy", y * 2.0, device="CPU") + x
    realize_uops([y, z])
    assert buffer_of(y).device.name == "CPU:1" and buffer_of(z).device.name == "CPU"
    assert np.array_equal(value(y), A + 1) and np.array_equal(value(z), (A + 1) * 2 + A)


def test_a_copy_is_memory_of_its_own():
    x = buffer(A)
    y = op("copy", x, device="CPU:1")
    realize_uops([y])
    x_new = assigned(x, x * 0.0)
    del x
    realize_uops([x_new])
    assert np.array_equal(value(y), A)


def test_results_stay_on_the_device():
    x = buffer(A, "CPU:2")
    y = summed(x * 2.0, 0) + 1.0
    realize_uops([y])
    assert buffer_of(y).device.name == "CPU:2" and np.allclose(value(y), 2 * A.sum(0) + 1)


def test_constants_are_computed_where_they_are_wanted():
    u = op("copy", op("reshape", TensorUOp.constant(2.5, T.tensor((), T.float32)), shape=(1,)), device="CPU:1")
    realize_uops([u])
    assert buffer_of(u).device.name == "CPU:1" and value(u).tolist() == [2.5]


def test_two_devices_in_one_op():
    with pytest.raises(DeviceError, match="on CPU and CPU:1; bring them to one device"):
        realize_uops([buffer(A) + buffer(A, "CPU:1")])


# Symbolic sizes

def variable(name, low, high):
    return TensorUOp.make("define_var", (), (name, low, high))


def bound(v, number):
    return op("bind", v, TensorUOp.constant(number, T.index))


DYNAMIC = -(1 << 63)


def prefix(x, size):
    return TensorUOp.make("shrink", (x, size), ((0, 0), (DYNAMIC, 4)))


def test_other_values_of_a_variable_find_the_plan():
    n, x = variable("n", 1, 3), buffer(A)
    realize_uops([summed(prefix(x, bound(n, 2)), 0)])
    misses = RUNTIME.plans.misses
    for size in (1, 3):
        y = summed(prefix(x, bound(n, size)), 0)
        realize_uops([y])
        assert np.allclose(value(y), A[:size].sum(0))
    assert RUNTIME.plans.misses == misses


def test_a_value_of_symbolic_shape():
    n, x = variable("n", 1, 3), buffer(A)
    y = prefix(x, bound(n, 2)) * 2.0
    z = summed(y, 0)
    realize_uops([y])
    assert np.array_equal(buffer_of(y).numpy((2, 4)), A[:2] * 2)
    realize_uops([y, z])
    assert np.allclose(value(z), A[:2].sum(0) * 2)


def test_an_unbound_variable():
    with pytest.raises(BoundsError, match="variable 'm' has no value"):
        realize_uops([prefix(buffer(A), variable("m", 1, 3)) * 3.0])


# The process

def test_many_threads_realise_at_once():
    x = buffer(A)
    shared = summed(x * 3.0, 0)
    results, errors = [], []

    def work(number):
        try:
            for i in range(20):
                y = x * float(number) + float(i % 3)
                realize_uops([y, shared])
                results.append(np.array_equal(value(y), A * number + i % 3) and np.allclose(value(shared), A.sum(0) * 3))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and len(results) == 80 and all(results)


def test_memory_is_freed_with_the_last_handle():
    x = buffer(np.zeros(100000, np.float32))
    pool = buffer_of(x).device.pool
    for i in range(5):
        y = x + float(i % 2)
        realize_uops([y])
        del y
    gc.collect()
    allocated = pool.statistics.allocated
    for i in range(200):
        y = x + float(i % 2)
        realize_uops([y])
        del y
    assert pool.statistics.allocated == allocated


def test_too_much_memory_is_refused_before_anything_runs():
    x = buffer(np.ones((1, 1), np.float32))
    big = op("expand", x, shape=(1 << 26, 1 << 26)) + 1.0
    with pytest.raises(MemoryError):
        realize_uops([big])
    assert big.name == "add"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_computes():
    """Also after the parent has used its thread pool."""
    large = np.arange(1 << 20, dtype=np.float32)
    with configured(num_threads=available_cpus()):
        x = buffer(large)
        y = x * 2.0 + 1.0
        realize_uops([y])
        child = os.fork()
        if child == 0:
            try:
                z, w = x * 2.0 + 3.0, x * 2.0 + 1.0
                realize_uops([z, w])
                os._exit(0 if np.array_equal(value(z), large * 2 + 3) and np.array_equal(value(w), large * 2 + 1) else 1)
            finally:
                os._exit(2)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        z = x * 2.0 + 5.0
        realize_uops([z])
        assert np.array_equal(value(z), large * 2 + 5)


def test_one_thread_starts_no_others():
    import subprocess
    import sys
    code = """
import os, numpy as np
from morok.runtime import new_buffer_from_numpy, realize_uops, configured
x = new_buffer_from_numpy(np.zeros(1 << 22, np.float32))
y = x * 2.0 + 1.0
before = len(os.listdir("/proc/self/task"))
realize_uops([y])
assert len(os.listdir("/proc/self/task")) == before, "threads rose"
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "MOROK_NUM_THREADS": "1"})


def test_prepared_plans_leave_tensors_lazy():
    y = buffer(A) + 1.0
    plan = prepare_uops([y])
    plan.execute()
    assert y.name == "add" and np.array_equal(plan.output_buffer_at(0).numpy(), A + 1)

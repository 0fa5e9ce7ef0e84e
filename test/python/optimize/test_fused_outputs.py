"""Several outputs over one iteration space: how many kernels they take, and that they have the same values as without morok-fuse-outputs."""

import os
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from morok import Tensor
from morok.passes.optimize import heuristic
from morok.passes.rangeify.rangeify import Rangeify
from morok.runtime import compiler, configured
from morok.runtime.config import available_cpus
from morok.runtime.realize import RUNTIME

EXAMPLES = int(os.environ.get("MOROK_FUZZ_EXAMPLES", "25"))
FUSING = "morok-fuse-outputs"


def sample(*shape):
    return Tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32))


def statistics(x, axes):
    return [x.mean(axes), x.var(axes)]


def layer_norm(x):
    mean, scale = x.mean(1, keepdim=True), (x.var(1, keepdim=True, correction=0) + 1e-5).rsqrt()
    return [(x - mean) * scale * sample(x.shape[1]) + 1.0, mean, scale]


def adam(*shape, decay=0.0):
    weight, gradient, mean, square = (sample(*shape) for _ in range(4))
    mean.assign(0.9 * mean + 0.1 * gradient)
    square.assign(0.99 * square + 0.01 * gradient * gradient)
    weight.assign(weight * (1 - decay) - 0.001 * (mean / 0.1) / ((square / 0.01).abs().sqrt() + 1e-8))
    return [mean, square, weight]


def momentum(*shape):
    weight, gradient, velocity = (sample(*shape) for _ in range(3))
    velocity.assign(0.9 * velocity + gradient)
    weight.assign(weight - 0.1 * velocity)
    return [velocity, weight]


def saved_activation():
    before = sample(32, 48) @ sample(48, 64)
    return [before, before.gelu()]


ONE_KERNEL = {
    "mean and variance of rows": lambda: statistics(sample(64, 100), 1),
    "mean and variance of columns": lambda: statistics(sample(100, 640), 0),
    "batch statistics": lambda: statistics(sample(4, 16, 9, 11), (0, 2, 3)),
    "softmax and its logarithm of the sum": lambda: [(x := sample(40, 70)).softmax(1), x.logsumexp(1)],
    "layer norm with its statistics": lambda: layer_norm(sample(40, 70)),
    "Adam": lambda: adam(30, 70),
    "AdamW": lambda: adam(30, 70, decay=0.01),
    "momentum": lambda: momentum(30, 70),
    "a product and its activation": saved_activation,
    "exponentials and their sums": lambda: [(e := sample(40, 70).exp()), e.sum(1)],
}


@pytest.mark.parametrize("name", ONE_KERNEL)
def test_one_kernel(name):
    assert Tensor.prepare_batch(ONE_KERNEL[name]()).num_kernels() == 1


def test_one_kernel_for_each_weight():
    updates = [t for shape in ((30, 70), (70,), (20, 30)) for t in adam(*shape)]
    assert Tensor.prepare_batch(updates).num_kernels() == 3


def test_products_keep_their_tiles():
    x = sample(32, 48)
    assert Tensor.prepare_batch([x @ sample(48, 64), x @ sample(48, 64)]).num_kernels() == 2


def test_a_product_of_products_stored_twice():
    """Both stores are in the loops of one product, which get their tile once."""
    x = sample(9, 12)
    y = x @ x.T @ x
    plan = Tensor.prepare_batch([y.max(0), y + 1.0])
    plan.execute()
    wanted = x.numpy().astype(np.float64) @ x.numpy().T @ x.numpy()
    np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), wanted.max(0), rtol=1e-4)
    np.testing.assert_allclose(plan.output_buffer_at(1).numpy(), wanted + 1, rtol=1e-4, atol=1e-4)


def test_few_long_rows_are_divided_instead():
    """Four rows are no work for many threads: the sums are split, which a shared loop over rows would forbid."""
    x = sample(4, 1 << 16)
    assert Tensor.prepare_batch([x.mean(1), x.var(1)]).num_kernels() > 1


def test_swapped_in_one_kernel_without_a_copy():
    a, b = sample(50), sample(50) + 1.0
    b.realize()
    wanted = b.numpy(), a.numpy()
    old = a + 0.0
    a.assign(b)
    b.assign(old)
    plan = Tensor.prepare_batch([a, b])
    plan.execute()
    assert plan.num_kernels() == 1
    np.testing.assert_array_equal(a.numpy(), wanted[0])
    np.testing.assert_array_equal(b.numpy(), wanted[1])


@contextmanager
def without_fusing():
    passes = Rangeify.passes
    Rangeify.passes = tuple(p for p in passes if p != FUSING)
    RUNTIME.plans.clear()
    try:
        yield
    finally:
        Rangeify.passes = passes
        RUNTIME.plans.clear()


SHAPE = (9, 12)
ALONG = {
    "scale": lambda t: t * 0.5 + 1.0,
    "exp": lambda t: (t * 0.1).exp(),
    "flip": lambda t: t.flip(1),
    "shift": lambda t: Tensor.cat(t[:, 1:], t[:, :1], dim=1),
    "transpose": lambda t: t[:, :9].T.pad(((0, 0), (0, 3))),
    "center": lambda t: t - t.mean(1, keepdim=True),
    "softmax": lambda t: t.softmax(1),
    "column softmax": lambda t: t.softmax(0),
    "row sum": lambda t: t.sum(1, keepdim=True).expand(*SHAPE),
    "column max": lambda t: t.max(0, keepdim=True).expand(*SHAPE),
    "contiguous": lambda t: t.contiguous(),
}
BETWEEN = {"add": lambda a, b: a + b, "product": lambda a, b: a * b * 0.1, "max": lambda a, b: a.maximum(b),
           "matmul": lambda a, b: (a @ b.T @ b) * 0.01}
OUTPUT = {"whole": lambda t: t + 0.0, "rows": lambda t: t.sum(1), "row variance": lambda t: t.var(1), "columns": lambda t: t.max(0),
          "total": lambda t: t.sum()}


@st.composite
def programs(draw):
    """How many states there are, the values computed from them, what is stored of them, and which state is assigned what through which view."""
    states = draw(st.integers(1, 3))
    steps, count = [], states
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(sorted(ALONG))), draw(st.integers(0, count - 1))))
        else:
            steps.append((draw(st.sampled_from(sorted(BETWEEN))), draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))))
        count += 1
    outputs = draw(st.lists(st.tuples(st.integers(0, count - 1), st.sampled_from(sorted(OUTPUT))), min_size=1, max_size=4, unique=True))
    write = st.tuples(st.integers(0, count - 1), st.sampled_from(("all", "part", "flip")))
    assigned = draw(st.dictionaries(st.integers(0, states - 1), write, max_size=states))
    return states, steps, outputs, assigned


def run(program):
    """What the program computes and leaves in its states."""
    states, steps, outputs, assigned = program
    tensors = [Tensor(np.random.default_rng(i).standard_normal(SHAPE).astype(np.float32)) for i in range(states)]
    found = list(tensors)
    for name, *operands in steps:
        found.append((ALONG if len(operands) == 1 else BETWEEN)[name](*(found[o] for o in operands)))
    results = [OUTPUT[name](found[o]) for o, name in outputs]
    new = {s: (found[v] + 0.0, how) for s, (v, how) in assigned.items()}
    for s, (value, how) in new.items():
        if how == "all":
            tensors[s].assign(value)
        elif how == "flip":
            tensors[s].assign(value.flip(0))
        else:
            tensors[s][1:, :-1] = value[:-1, 1:]
    sinks = results + [tensors[s] for s in assigned]
    del found, new
    Tensor.realize_batch(sinks)
    return [t.numpy() for t in sinks + tensors]


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(programs())
def test_same_values_without_the_pass(program):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "PARALLEL_SECONDS", 0.0)
        patch.setattr(heuristic, "THREAD_WORK", 0)
        with configured(num_threads=1), without_fusing():
            wanted = run(program)
        one, *others = [run_on(threads, program) for threads in sorted({1, min(2, available_cpus())})]
    for want, found in zip(wanted, one):
        np.testing.assert_allclose(found, want, rtol=2e-5, atol=2e-5)
    for more in others:
        for want, found in zip(one, more):
            np.testing.assert_array_equal(found, want)


def run_on(threads, program):
    with configured(num_threads=threads):
        return run(program)


def test_scratch_is_read_only_where_it_lies():
    """A gated load of what another store keeps in scratch lost its gate, and read past the scratch."""
    parts = [np.full((16, 6), i, np.float32) for i in range(4)]
    first = Tensor.cat([Tensor(p) for p in parts[:2]]).contiguous()
    second = Tensor.cat([Tensor(p) for p in parts[2:]]).contiguous()
    with configured(check=True):
        found = Tensor.cat([first, second]).numpy()
    np.testing.assert_array_equal(found, np.concatenate(parts))

"""Launches that become one: the values are NumPy's, the bits those of the launches by themselves, whatever the shapes, dtypes, threads and back end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import morok
from morok import Tensor, nn, optim
from morok.passes.split.join_launches import JoinLaunches
from morok.runtime import compiler
from morok.runtime.config import available_cpus, configured
from morok.runtime.realize import RUNTIME

SHAPES = st.sampled_from([(1,), (3,), (16,), (17,), (5, 7), (2, 3, 4), (64,), (129,), (40, 50), (0,), ()])
DTYPES = st.sampled_from([np.float32, np.float64, np.int32, np.int8, np.bool_])


def sample(shape, dtype, seed):
    return np.random.default_rng(seed).integers(0, 2 if dtype is np.bool_ else 5, shape).astype(dtype)


@st.composite
def updates(draw):
    """For each target: its shape and dtype, and which earlier target (of the same shape and dtype) its step reads, if any."""
    dtype = draw(DTYPES)
    found = []
    for _ in range(draw(st.integers(4, 9))):
        shape = draw(SHAPES)
        same = [k for k, (s, _) in enumerate(found) if s == shape]
        found.append((shape, draw(st.sampled_from(same)) if same and draw(st.booleans()) else None))
    return dtype, found


def run_updates(program):
    """Twice each: t = t * g + (what another target was before), all at once; and the sums of the squares of all."""
    dtype, targets = program
    arrays = [sample(shape, dtype, i) for i, (shape, _) in enumerate(targets)]
    factors = [sample(shape, dtype, 100 + i) for i, (shape, _) in enumerate(targets)]
    tensors, steps = [Tensor(a).realize() for a in arrays], [Tensor(f).realize() for f in factors]
    for _ in range(2):
        changed = [t * g + (tensors[other] if other is not None else g) for t, g, (_, other) in zip(tensors, steps, targets)]
        for t, value in zip(tensors, changed):
            t.assign(value)
        del changed
        Tensor.realize_batch(tensors)
        arrays = [(a * f + (arrays[other] if other is not None else f)).astype(dtype) for a, f, (_, other) in zip(arrays, factors, targets)]
    for t, a in zip(tensors, arrays):
        np.testing.assert_array_equal(t.numpy(), a)
    if dtype is not np.bool_:
        squares = [(t * t).sum() for t in tensors]
        Tensor.realize_batch(squares)
        for square, a in zip(squares, map(np.atleast_1d, arrays)):
            np.testing.assert_allclose(square.numpy(), (a * a).sum(dtype=square.numpy().dtype), rtol=1e-5)


@settings(max_examples=25, deadline=None)
@given(updates(), st.sampled_from([1, available_cpus()]))
def test_random_updates(program, threads):
    with pytest.MonkeyPatch.context() as patch, configured(num_threads=threads, block_time=201):
        patch.setattr(compiler, "PARALLEL_SECONDS", 0.0)
        run_updates(program)


@pytest.mark.parametrize("backend", ["c", "mlir"])
def test_other_back_ends(backend):
    shapes = [(5,), (33,), (40, 50), (17,), (5, 7), (64,)]
    with configured(backend=backend):
        run_updates((np.float32, [(s, None) for s in shapes]))


WEIGHTS = [(64, 96), (96,), (30, 7), (7,), (1,), (128,), (50, 50), (3, 3, 3)]


def trained(name, shapes=WEIGHTS, steps=3, **options):
    weights = [Tensor(np.random.default_rng(i).standard_normal(s).astype(np.float32), requires_grad=True) for i, s in enumerate(shapes)]
    optimiser = getattr(optim, name)(weights, lr=1e-2, **options)
    for step in range(steps):
        for i, w in enumerate(weights):
            w.grad = Tensor(np.random.default_rng(100 * step + i).standard_normal(w.shape).astype(np.float32))
        total = optim.clip_grad_norm_(weights, 1.0)
        optimiser.step()
    return [w.numpy() for w in weights] + [total.numpy()]


@pytest.mark.parametrize("threads", [1, available_cpus()])
@pytest.mark.parametrize("name", ["SGD", "AdamW", "RMSprop", "LAMB"])
def test_the_bits_are_those_of_launches_by_themselves(name, threads):
    with configured(num_threads=threads, cache=False):
        joined = trained(name)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(JoinLaunches, "run", lambda self, program: None)
            RUNTIME.plans.clear()
            apart = trained(name)
    RUNTIME.plans.clear()
    for a, b in zip(joined, apart):
        np.testing.assert_array_equal(a, b)


def test_joined_updates_in_a_loop():
    carried = [Tensor(np.arange(n, dtype=np.float32)) for n in (3, 20, 65, 5)]
    found = morok.fori_loop(0, 5, lambda i, c: [t * 0.5 + 1 for t in c], carried)
    for n, t in zip((3, 20, 65, 5), found):
        a = np.arange(n, dtype=np.float32)
        for _ in range(5):
            a = a * np.float32(0.5) + 1
        np.testing.assert_array_equal(t.numpy(), a)


def forty_weights():
    widths = [64, 96, 80, 112, 48, 128, 72, 88, 104, 56, 32]
    layers = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.LayerNorm(b))]
    weights = list(nn.Sequential(*layers).parameters())
    for w in weights:
        w.grad = Tensor.ones(*w.shape)
    Tensor.realize_batch([w.grad for w in weights])
    return weights


@pytest.mark.parametrize("name, options", [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {}), ("RMSprop", {}), ("Adagrad", {})])
def test_an_update_of_forty_weights_is_a_few_launches(name, options):
    weights = forty_weights()
    assert len(weights) == 40
    plan = Tensor.prepare_batch(getattr(optim, name)(weights, lr=1e-3, **options)._updated())
    assert plan.num_kernels() <= 4, plan.report()


def test_updates_of_equal_weights_with_norms_are_a_few_launches():
    weights = [Tensor.ones(24, 24).requires_grad_() for _ in range(12)]
    for w in weights:
        w.grad = Tensor.ones(24, 24)
    plan = Tensor.prepare_batch(optim.LAMB(weights, lr=1e-3)._updated())
    assert plan.num_kernels() <= 6, plan.report()

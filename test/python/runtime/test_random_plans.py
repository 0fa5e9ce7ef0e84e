"""Random plans, run three times: outputs that are computed, outputs that are assigned in place, on one device and on two, on one thread and on all."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from morok import Tensor
from morok.passes.optimize import heuristic
from morok.runtime import compiler, configured
from morok.runtime.config import available_cpus

EXAMPLES = int(os.environ.get("MOROK_FUZZ_EXAMPLES", "30"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
SHAPE = (5, 7)


def initial(seed):
    return np.random.default_rng(seed).integers(-4, 5, SHAPE).astype(np.float64)


UNARY = {
    "scale": (lambda t: t * 0.5 + 1.0, lambda x: x * 0.5 + 1.0),
    "flip": (lambda t: t.flip(0), lambda x: x[::-1]),
    "center": (lambda t: t - t.mean(1, keepdim=True), lambda x: x - x.mean(1, keepdims=True)),
    "shift": (lambda t: Tensor.cat(t[:, 1:], t[:, :1], dim=1), lambda x: np.concatenate([x[:, 1:], x[:, :1]], 1)),
    "column": (lambda t: t.max(0, keepdim=True).expand(*SHAPE), lambda x: np.broadcast_to(x.max(0, keepdims=True), SHAPE)),
    "other device": (lambda t: (t.to("CPU:1") * 2.0).to("CPU"), lambda x: x * 2.0),
}
BINARY = {
    "add": (lambda a, b: a + b, lambda a, b: a + b),
    "max": (lambda a, b: a.maximum(b), np.maximum),
    "where": (lambda a, b: a.where(a > b, b - 1.0), lambda a, b: np.where(a > b, a, b - 1.0)),
}


@st.composite
def programs(draw):
    """How many states there are, the values computed from them, which are outputs, and which state is assigned which value."""
    states = draw(st.integers(1, 3))
    steps, count = [], states
    for _ in range(draw(st.integers(1, 7))):
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(sorted(UNARY))), draw(st.integers(0, count - 1))))
        else:
            steps.append((draw(st.sampled_from(sorted(BINARY))), draw(st.integers(0, count - 1)), draw(st.integers(0, count - 1))))
        count += 1
    outputs = draw(st.lists(st.integers(states, count - 1), max_size=3, unique=True))
    assigned = draw(st.dictionaries(st.integers(0, states - 1), st.integers(0, count - 1), max_size=states))
    return states, steps, outputs, assigned


def values(states, steps, side):
    found = list(states)
    for name, *operands in steps:
        found.append((UNARY if name in UNARY else BINARY)[name][side](*(found[o] for o in operands)))
    return found


def run_three_times(program):
    count, steps, outputs, assigned = program
    arrays = [initial(i) for i in range(count)]
    tensors = [Tensor(a) for a in arrays]
    found = values(tensors, steps, 0)
    computed = [found[o] + 0.0 for o in outputs]
    new = {s: found[v] + 0.0 for s, v in assigned.items()}
    for s, value in new.items():
        tensors[s].assign(value)
    sinks = computed + [tensors[s] for s in assigned]
    del found, new
    if not sinks:
        return
    plan = Tensor.prepare_batch(sinks)
    del computed, sinks
    for _ in range(3):
        plan.execute()
        expected = values(arrays, steps, 1)
        for i, o in enumerate(outputs):
            np.testing.assert_allclose(plan.output_buffer_at(i).numpy(), expected[o], rtol=1e-9, atol=1e-9)
        after = {s: np.array(expected[v]) for s, v in assigned.items()}
        for i, s in enumerate(assigned):
            np.testing.assert_allclose(plan.output_buffer_at(len(outputs) + i).numpy(), after[s], rtol=1e-9, atol=1e-9)
        in_place = [o < plan.compiled.leaf_count for o in plan.compiled.outputs[len(outputs):]]
        if not all(in_place):  # a value that crossed devices may lie elsewhere
            assert any(name == "other device" for name, *_ in steps)
            return
        arrays = [after.get(s, a) for s, a in enumerate(arrays)]


@FUZZ
@given(programs())
def test_on_the_calling_thread(program):
    with configured(num_threads=1):
        run_three_times(program)


@pytest.mark.skipif(available_cpus() == 1, reason="one CPU")
@FUZZ
@given(programs())
def test_on_all_threads(program):
    with pytest.MonkeyPatch.context() as patch, configured(num_threads=available_cpus(), block_time=201):
        patch.setattr(compiler, "PARALLEL_SECONDS", 0.0)
        patch.setattr(heuristic, "THREAD_WORK", 0)
        run_three_times(program)

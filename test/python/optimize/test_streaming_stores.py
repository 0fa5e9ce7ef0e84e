"""Stores that go past the caches: large results are written so, whole vectors only, and what is computed stays the same."""

from unittest.mock import patch

import numpy as np
import pytest
from kernel_kinds import kernels_to, tensor

from morok import Tensor
from morok.graph.registries import KERNELS
from morok.passes.optimize import heuristic
from morok.passes.optimize.heuristic import Accesses, streamed_buffers
from morok.passes.optimize.machine import Machine
from morok.runtime.config import configured
from morok.runtime.realize import RUNTIME

KINDS = {"arithmetic": lambda x: x * 2 + 1, "transposed": lambda x: x.T.contiguous() * 1, "half": lambda x: x.cast("float16"), "bool": lambda x: x > 0,
         "padded": lambda x: x.pad((1, 2)) * 3}
MACHINE = Machine(512, 32, cache_bytes=1 << 20, threads=2)


@pytest.fixture
def streaming():
    """All results count as large."""
    def forget():
        RUNTIME.plans.clear()
        KERNELS.clear()
    forget()
    with patch.object(heuristic, "STREAMED", 0), configured(cache=False, tuning=False):
        yield
    forget()


@pytest.mark.parametrize("shape", [(4096,), (4099,), (33, 64), (33, 65), (5, 7, 16), (3,)])
@pytest.mark.parametrize("compute", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("threads", [1, 3])
def test_results_are_the_same(streaming, shape, compute, threads):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    with configured(num_threads=threads):
        plan = compute(Tensor(x)).prepare()
        plan.execute()
    found = plan.output_buffer_at(0).numpy()
    assert "STREAM" in plan.report()
    with patch.object(heuristic, "STREAMED", 1 << 40), configured(opt_level=0):
        assert np.array_equal(found, compute(Tensor(x)).numpy())


def test_large_results_are_streamed():
    small, large = (kernels_to(tensor("float32", n) + 1)[0] for n in (1 << 20, (1 << 20) + 1))
    assert streamed_buffers(small, MACHINE, Accesses(small)) == [] and streamed_buffers(large, MACHINE, Accesses(large)) == [0]
    assert "STREAM(0)" in " ".join(map(str, heuristic.default_schedule(large, MACHINE).opts))


def test_memory_that_is_updated_is_not():
    a = tensor("float32", 1 << 22)
    a.assign(a * 2)
    body, = kernels_to(a)
    assert streamed_buffers(body, MACHINE, Accesses(body)) == []

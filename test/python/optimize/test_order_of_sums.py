"""The order in which float sums take their terms: no thread count changes it, so the heuristic's results have the same bits for any."""

import random
from contextlib import nullcontext

import pytest
from kernel_kinds import KINDS, kernels_of, kernels_to, tensor
from test_default_schedules import as_if_large

from morok.passes.optimize.machine import Machine
from morok.runtime.tuning.candidates import heuristic_candidate

COUNTS = (1, 2, 3, 5, 16)


def orders(bodies):
    return [{heuristic_candidate(body, Machine(512, 32, threads=count)).order for count in COUNTS} for body in bodies]


@pytest.mark.parametrize("scale", [nullcontext, as_if_large], ids=["as it is", "as if large"])
@pytest.mark.parametrize("kind", KINDS)
def test_thread_counts_leave_the_order(kind, scale):
    with scale():
        for seed in range(3):
            assert all(len(found) == 1 for found in orders(kernels_of(kind, random.Random(f"{kind} {seed}"))))


LARGE = {"sum": lambda x: x.sum(), "rows": lambda x: x.sum(1), "columns": lambda x: x.sum(0), "product": lambda x: x @ x.T, "softmax": lambda x: x.softmax(-1)}


@pytest.mark.parametrize("compute", LARGE.values(), ids=LARGE)
def test_thread_counts_leave_the_order_of_large_kernels(compute):
    assert all(len(found) == 1 for found in orders(kernels_to(compute(tensor("float32", 1000, 1003)))))

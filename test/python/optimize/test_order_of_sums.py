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


BLOCKS = [((1, 4096), (4096, 4096)), ((33, 4096), (4096, 1000)), ((64, 20000), (20000, 64)), ((128, 3072), (3072, 768))]


@pytest.mark.parametrize(("first", "second"), BLOCKS)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_thread_counts_leave_the_order_of_deep_products(first, second, transposed, dtype):
    x = tensor(dtype, *first[::-1]).T if transposed else tensor(dtype, *first)
    assert all(len(found) == 1 for found in orders(kernels_to(x @ tensor(dtype, *second))))


@pytest.mark.parametrize("columns", [2048, 3001, 4096, 10007])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_thread_counts_leave_the_order_of_sums_of_long_rows(columns, dtype):
    """As many threads as tiles of columns, too, so that each has but one."""
    matrix = tensor(dtype, 1024, columns)
    assert all(len(found) == 1 for found in orders(kernels_to(matrix.sum(0)) + kernels_to(tensor(dtype, 1, 1024) @ matrix)))

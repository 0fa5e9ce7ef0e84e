"""The heuristic's own schedules, for machines of several kinds: the interpreter finds the same values as in the kernel without opts, and the opts as text give
the same kernel again. What the heuristic does from some amount of work on, it is made to do to small kernels too.

    python test/python/optimize/test_default_schedules.py 100 400           # these seeds, and what is wrong with each
"""
from __future__ import annotations

import random
import sys
from contextlib import ExitStack
from dataclasses import replace
from itertools import product
from math import ceil
from unittest.mock import patch

import numpy as np
import pytest
from kernel_kinds import KINDS, kernels_of, kernels_to, tensor
from random_schedules import evaluate, known_runs, wrong_values

from morok import Tensor
from morok.graph.body import Body
from morok.passes.optimize import heuristic, products
from morok.passes.optimize.heuristic import default_schedule
from morok.passes.optimize.machine import Machine
from morok.passes.optimize.opts import apply_opts, parse_opts
from morok.passes.optimize.product_form import find_product
from morok.passes.symbolic.ranges import open_ranges, ranges_of

MACHINES = [Machine(bits, registers, threads=threads) for bits, registers, threads in product((128, 256, 512), (16, 32), (1, 2, 5))]


def wrong_on(machine: Machine, body: Body, seed: int) -> str | None:
    """What is wrong with the heuristic's schedule of the kernel for that machine, or None."""
    scheduled = default_schedule(body, machine)
    text = " ".join(map(str, scheduled.opts))
    runs = known_runs(body, seed)
    wrong = next(filter(None, (wrong_values(body, run.known, evaluate(scheduled.body, run.inputs, run.sizes)) for run in runs)), None)
    if wrong is None and apply_opts(body, parse_opts(text)).roots != scheduled.body.roots:
        wrong = "the opts as text give another kernel"
    return wrong and f"{text!r} for {machine}: {wrong}"


def what_is_wrong(kind: str, seed: int) -> list[str]:
    """Each wrong schedule of the kernels of one computation of that kind, for all machines that get schedules of their own."""
    found = []
    for body in kernels_of(kind, random.Random(f"{kind} {seed}")):
        tried = set()
        for machine in MACHINES:
            opts = tuple(default_schedule(body, machine).opts)
            if opts in tried:
                continue
            tried.add(opts)
            try:
                wrong = wrong_on(machine, replace(body, name="k"), seed)
            except Exception as error:
                wrong = f"{machine}: {type(error).__name__}: {error}"
            if wrong is not None:
                found.append(f"{kind} {seed} {body.name} {wrong}")
    return found


def as_if_large(work: int = 16):
    """Within it, kernels with that much work count as worth threads, register tiles and panels."""
    stack = ExitStack()
    stack.enter_context(patch.object(heuristic, "THREAD_WORK", work))
    stack.enter_context(patch.object(products, "LEAST_WORK", work))
    stack.enter_context(patch.object(heuristic, "STREAMED", 0))
    return stack


@pytest.mark.parametrize("kind", KINDS)
def test_default_schedules_compute_the_same(kind):
    assert [wrong for seed in range(2) for wrong in what_is_wrong(kind, seed)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_default_schedules_of_large_kernels_compute_the_same(kind):
    with as_if_large():
        assert [wrong for seed in range(2) for wrong in what_is_wrong(kind, seed)] == []


def test_a_loop_that_becomes_a_tile_whole_needs_no_thread():
    """Eight queries and 512 keys: the outermost loop of the result's nest is expanded, so nothing is left to divide."""
    q, k, v = tensor("float32", 8, 8), tensor("float32", 512, 8), tensor("float32", 512, 4)
    for body in kernels_to((q @ k.T).softmax(-1) @ v):
        for machine in MACHINES:
            assert wrong_on(machine, body, 1) is None


@pytest.mark.parametrize("shape", [(256, 512), (16, 64, 96), (16, 256, 64), (5, 16, 128, 256)])
def test_a_transpose_with_other_loops_as_long_as_its_block_of_rows_has_that_block_inside(shape):
    """The block is known by its place, not by its length: it is the innermost of the loops, under lanes alone."""
    *_, kernel = kernels_to(tensor("float32", *shape).transpose(-1, -2).contiguous())
    scheduled = default_schedule(kernel, Machine(512, 32))
    swaps = [opt for opt in scheduled.opts if opt.name == "SWAP"]
    tile = next(opt for opt in scheduled.opts if opt.name in ("TILE", "OVERLAP") and opt.argument == heuristic.ROW_BLOCK)
    assert [opt.axis for opt in swaps] == [tile.axis + 1, *[opt.argument for opt in swaps[:-1]]]
    last = [r for r in ranges_of(scheduled.body.order()) if r.attribute("kind") != "upcast"][-1]
    assert last.operands[0].value == heuristic.ROW_BLOCK


@pytest.mark.parametrize(("rows", "terms", "columns", "batches"), [(16, 128, 512, 1), (24, 40, 96, 1), (33, 64, 80, 1), (16, 32, 64, 6), (400, 16, 48, 1)])
def test_threads_divide_the_loop_that_the_estimate_says(rows, terms, columns, batches):
    """Where they divide the rows, no thread reads what another one makes of the rows before; that holds for a single tile of rows in each share, too."""
    leading = () if batches == 1 else (batches,)
    body, = kernels_to(tensor("float32", *leading, rows, terms) @ tensor("float32", *leading, terms, columns))
    product = find_product(body)
    machine = Machine(512, 32, cache_bytes=2 << 20, threads=2)
    divided = set()
    for shape in products.shapes(product, machine):
        scheduled = products._apply(body, product, shape, machine, threaded=True).body
        parts = {"rows": ceil(rows / (shape.tile_rows * shape.block)), "columns": ceil(columns / (16 * shape.vectors)), "batch": batches}[shape.outer]
        found = [u for u in scheduled.order() if u.name == "range" and u.attribute("kind") == "thread"]
        if parts == 1 or not found:  # nothing is left of the loop to divide
            continue
        first, second = (found[0] in open_ranges(factor) for factor in next(u for u in scheduled.order() if u.name == "reduce").operands[0].operands)
        assert (first, second) == {"rows": (True, False), "columns": (False, True), "batch": (True, True)}[shape.outer], shape
        divided.add(shape.outer)
    assert divided >= {"rows", "columns"}


@pytest.mark.parametrize(("rows", "terms", "columns"), [(2048, 64, 512), (4096, 32, 256), (512, 512, 512), (40, 24, 128)])
def test_of_equal_tiles_the_widest_is_taken(rows, terms, columns):
    body, = kernels_to(tensor("float32", rows, terms) @ tensor("float32", terms, columns))
    best, *others = products.choices(find_product(body), Machine(512, 32, cache_bytes=2 << 20, threads=2))
    assert all(best.cycles < other.cycles or best.vectors >= other.vectors for other in others)


def test_small_factors_are_read_where_they_lie_and_shared_by_rows():
    """A recurrent layer's step: the weights fit a core's second cache, and each thread keeps its rows from step to step."""
    body, = kernels_to(tensor("float32", 16, 128) @ tensor("float32", 128, 512))
    chosen = products.choices(find_product(body), Machine(512, 32, cache_bytes=2 << 20, threads=2))[0]
    assert (chosen.outer, chosen.staged, chosen.tile_rows) == ("rows", False, 8)


@pytest.mark.parametrize("size", [1024, 2048])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_that_arithmetic_hides_the_reading_of_go_past_one_panel(size, dtype):
    """All rows of a large square product leave the second cache before the next panel, yet each line of them serves a whole register tile: to fill the panels
    once, with the threads at columns of their own, takes less time than to keep the rows near."""
    body, = kernels_to(tensor(dtype, size, size) @ tensor(dtype, size, size))
    chosen = products.choices(find_product(body), Machine(512, 32, cache_bytes=2 << 20, threads=2))[0]
    assert (chosen.outer, chosen.sum_block, chosen.staged) == ("columns", 0, True)


@pytest.mark.parametrize(("rows", "terms", "columns"), [(33, 4096, 1000), (77, 5003, 513), (40, 2000, 3000), (100, 1000, 1000)])
def test_rows_of_a_transposed_factor_are_read_where_they_lie_if_many_terms_share_a_page(rows, terms, columns):
    """With terms on pages of their own they go into a panel."""
    machine = Machine(512, 32, cache_bytes=2 << 20, threads=2)
    firsts = tensor("float32", terms, rows), tensor("float32", terms, 4096)[:, :rows]
    near, far = (kernels_to(first.T @ tensor("float32", terms, columns))[0] for first in firsts)
    assert not products.choices(find_product(near), machine)[0].rows_staged
    assert products.choices(find_product(far), machine)[0].rows_staged


def rows_together(rows: int, keys: int, cache_bytes: int = 2 << 20) -> int:
    """How many rows of queries the heuristic takes at once."""
    q, k, v = tensor("float32", 2, rows, 64), tensor("float32", 2, keys, 64), tensor("float32", 2, keys, 64)
    body, = kernels_to((q @ k.mT).softmax(-1) @ v)
    opts = default_schedule(body, Machine(512, 32, cache_bytes=cache_bytes, threads=2)).opts
    assert opts[1].name == "DISTRIBUTE"
    assert opts[0].name in ("TILE", "OVERLAP")
    return opts[0].argument


@pytest.mark.parametrize("rows", [128, 192, 256, 384])
def test_blocks_of_rows_leave_no_rest_where_sizes_allow(rows):
    """A last block that overlaps the one before computes rows twice, which costs more than smaller blocks do."""
    assert rows % rows_together(rows, 256) == 0


def test_more_rows_are_taken_together_where_each_block_fetches_keys_and_values_anew():
    assert rows_together(4096, 4096) > rows_together(128, 128)


@pytest.mark.parametrize("keys", [512, 4096, 8192])
@pytest.mark.parametrize("cache_bytes", [1 << 20, 2 << 20])
def test_scratch_of_a_block_stays_in_the_second_cache(keys, cache_bytes):
    """Two rows of scratch, scores and exponentials, for each of the block, or the fewest rows that there may be."""
    rows = rows_together(512, keys, cache_bytes)
    assert rows == 8 or rows * keys * 2 * 4 < cache_bytes


@pytest.mark.parametrize("size", [(5, 7), (14, 14), (13, 17), (28, 30), (33, 129)])
def test_sums_that_share_what_they_load_are_computed_together(size):
    """A window's weights serve several rows, whose sums need not wait for each other; a row shorter than a vector is one, and not computed one by one."""
    image, weights = tensor("float32", 1, 6, *size), tensor("float32", 6, 1, 3, 3)
    kernel, = kernels_to(image.conv2d(weights, padding=1, groups=6))
    scheduled = default_schedule(kernel, Machine(512, 32, threads=2))
    across, down = (opt.argument for opt in scheduled.opts if opt.name == "UPCAST")
    assert across == 16
    assert 4 < down <= heuristic.SUMS_BESIDE
    assert wrong_on(Machine(512, 32, threads=2), kernel, 3) is None


@pytest.mark.parametrize(("rows", "threads"), [(9, 4), (9, 1), (33, 4)])
def test_each_thread_has_rows_of_its_own_where_sums_are_computed_together(rows, threads):
    """Where there is no other loop, rows are one tile only if that leaves some for each thread."""
    machine = Machine(512, 32, threads=threads)
    kernel, = kernels_to(tensor("float32", 1, 1, rows, 64).conv2d(tensor("float32", 1, 1, 2, 3)))
    scheduled = default_schedule(kernel, machine)
    together = [opt.argument for opt in scheduled.opts if opt.name == "UPCAST" and opt.axis == 0]
    assert together == ([] if rows == 9 and threads == 4 else [8])
    assert wrong_on(machine, kernel, 3) is None


if __name__ == "__main__":
    first, last, *kinds = sys.argv[1:]
    for seed in range(int(first), int(last)):
        with as_if_large() if seed % 2 else ExitStack():
            for kind in kinds or KINDS:
                for line in what_is_wrong(kind, seed):
                    print(line, flush=True)


@pytest.mark.parametrize("build", [lambda x: x.max_pool2d(2), lambda x: x.avg_pool2d(4), lambda x: x.reshape(-1, 4).sum(1)],
                         ids=["max pool", "average pool", "short rows"])
def test_loads_of_what_lies_close_by_have_lanes(build):
    x = Tensor(np.random.default_rng(0).standard_normal((2, 4, 128, 128)).astype(np.float32)).realize()
    plan = build(x).prepare()
    assert "UPCAST" in plan.report()
    plan.execute()
    np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), build(Tensor(x.numpy().astype(np.float64))).numpy(), rtol=1e-4, atol=1e-5)

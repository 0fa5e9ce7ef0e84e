"""Products with lanes on the sum: all their schedules compute the same, and whether a product gets one depends on the vectors' width alone."""
from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from kernel_kinds import kernels_to, tensor
from random_schedules import evaluate, known_runs, wrong_values

from morok.errors import ScheduleError
from morok.passes.optimize.dot_products import apply_dots, dots
from morok.passes.optimize.heuristic import default_schedule
from morok.passes.optimize.machine import Machine
from morok.passes.optimize.product_form import find_product

MACHINES = [Machine(bits, registers, threads=threads) for bits, registers, threads in product((128, 512), (16, 32), (1, 3))]


def few_columns():
    return tensor("float32", 19, 32) @ tensor("float32", 32, 5)


def few_rows_of_a_transposed_operand():
    return tensor("float32", 3, 32) @ tensor("float32", 23, 32).T


def wide_columns_of_a_transposed_operand():
    return tensor("float64", 7, 16) @ tensor("float64", 17, 16).T


def batches():
    return tensor("float32", 3, 9, 16) @ tensor("float32", 3, 16, 2)


def integers():
    return tensor("int32", 11, 16) @ tensor("int32", 16, 3)


def half_precision():
    return tensor("float16", 11, 16) @ tensor("float16", 16, 3)


def computed_factors():
    return (tensor("float32", 11, 16) * 2).relu() @ (tensor("float32", 16, 3) + 1)


def with_epilogue():
    return (tensor("float32", 11, 16) @ tensor("float32", 16, 3) + tensor("float32", 3)).relu()


KINDS = [few_columns, few_rows_of_a_transposed_operand, wide_columns_of_a_transposed_operand, batches, integers, half_precision, computed_factors,
         with_epilogue]


@pytest.mark.parametrize("make", KINDS)
def test_every_schedule_computes_the_same(make):
    tried, wrong = set(), []
    for body in kernels_to(make()):
        body = replace(body, name="k")
        p = find_product(body)
        assert p is not None
        run, = known_runs(body, 1)
        for machine in MACHINES:
            for shape in dots(p, machine):
                try:
                    loops = apply_dots(body, p, shape, threaded=True)
                except ScheduleError:
                    continue
                if (text := " ".join(map(str, loops.opts))) not in tried:
                    tried.add(text)
                    if (found := wrong_values(body, run.known, evaluate(loops.body, run.inputs, run.sizes))) is not None:
                        wrong.append(f"{text}: {found}")
    assert wrong == []
    assert len(tried) > 3


def unrolls(make, machine: Machine) -> list[bool]:
    return ["UNROLL" in {o.name for o in default_schedule(body, machine).opts} for body in kernels_to(make())]


SHAPES = [(8192, 1024, 5), (64, 512, 10), (100, 1024, 100), (32, 768, 768), (256, 64, 5), (12, 768, 768), (9, 64, 9)]


@pytest.mark.parametrize("rows, depth, columns", SHAPES)
@pytest.mark.parametrize("transposed", [False, True])
def test_the_order_of_a_sum_depends_on_the_vectors_width_alone(rows, depth, columns, transposed):
    def make():
        return tensor("float32", rows, depth) @ (tensor("float32", columns, depth).T if transposed else tensor("float32", depth, columns))

    for bits in (128, 256, 512):
        found = {tuple(unrolls(make, Machine(bits, registers, cache_bytes=cache, threads=threads)))
                 for registers, cache, threads in product((16, 32), (1 << 18, 1 << 21), (1, 2, 7))}
        assert len(found) == 1


def test_few_columns_are_summed_in_lanes_and_many_are_not():
    machine = Machine(512, 32, cache_bytes=1 << 21, threads=2)
    assert unrolls(lambda: tensor("float32", 8192, 1024) @ tensor("float32", 1024, 5), machine) == [True]
    assert unrolls(lambda: tensor("float32", 4, 1024) @ tensor("float32", 2048, 1024).T, machine) == [True]
    assert unrolls(lambda: tensor("float32", 1024, 1024) @ tensor("float32", 1024, 1024), machine) == [False]
    assert unrolls(lambda: tensor("float32", 1024, 8) @ tensor("float32", 8, 5), machine) == [False]

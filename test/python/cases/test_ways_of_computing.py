"""Random programs of values, views and writes give NumPy's values in every way of computing them: lazily, with values realised anywhere in between and in
any order, captured by morok.jit, and by the interpreter, which compiles nothing."""

import os
import random

import numpy as np
import pytest
from evaluating import interpreted
from programs import Program, captured, run

import morok
from morok import Tensor

EXAMPLES = int(os.environ.get("MOROK_FUZZ_EXAMPLES", "84"))


def inputs_of(program):
    return [Tensor(a.copy()) for a in program.inputs]


def compare(program, found, way):
    for k, (value, right) in enumerate(zip(found, program.values, strict=True)):
        value = value.numpy() if isinstance(value, Tensor) else value
        assert (value.shape, value.dtype) == (right.shape, right.dtype), f"{way}: v{k}\n{program}"
        np.testing.assert_array_equal(value, right, err_msg=f"{way}: v{k}\n{program}")


def lazily(program, choose):
    compare(program, run(program, inputs_of(program)), "lazy")


def last_first(program, choose):
    values = run(program, inputs_of(program))
    compare(program, [v.numpy() for v in reversed(values)][::-1], "the last first")


def at_once(program, choose):
    values = run(program, inputs_of(program))
    Tensor.realize_batch(choose.sample(values, len(values)))
    compare(program, values, "in one batch")


def realised_between(program, choose):
    def realise(values):
        for value in choose.sample(values, choose.randint(0, min(2, len(values)))):
            value.realize()
    compare(program, run(program, inputs_of(program), realise), "realised in between")


def jitted(program, choose):
    function = captured(program)
    for call in ("captured", "replayed"):
        given_inputs = inputs_of(program)
        results = function(*given_inputs)
        compare(program, [*given_inputs, *results], call)


def by_the_interpreter(program, choose):
    compare(program, [interpreted(v) for v in run(program, inputs_of(program))], "interpreted")


def on_two_threads(program, choose):
    with morok.num_threads(2):
        compare(program, run(program, inputs_of(program)), "two threads")


WAYS = [lazily, last_first, at_once, realised_between, jitted, by_the_interpreter, on_two_threads]


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_random_programs(seed):
    choose = random.Random(seed)
    WAYS[seed % len(WAYS)](Program(choose, choose.randint(1, 9)), choose)

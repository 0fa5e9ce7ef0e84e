"""Schedules that a caller gives to `prepare`: applied, reported, and refused where they are not legal."""
import re

import numpy as np
import pytest

from morok import Tensor
from morok.errors import OptionError, ScheduleError

A, B = (np.random.default_rng(i).standard_normal((64, 96)).astype(np.float32) for i in range(2))


def kernels(plan):
    return {name: k for stage in plan.compiled.stages for name, k in stage.program.kernels.items()}


def two_kernels():
    return [Tensor(A) @ Tensor(B).T, (Tensor(A) + 1).sum(0)]


@pytest.mark.parametrize("opts", ["", "UPCAST(0,16)", "TILE(0,32) UPCAST(1,16) THREAD(0)"])
def test_a_schedule_for_every_kernel(opts):
    plan = (Tensor(A) * 2 + Tensor(B)).exp().prepare(opts=opts)
    plan.execute()
    assert [(k.opts, k.schedule_source) for k in kernels(plan).values()] == [(opts, "given")]
    assert np.allclose(plan.output_buffer_at(0).numpy(), np.exp(A * 2 + B), rtol=1e-5)


def test_a_schedule_for_one_kernel_leaves_the_others_theirs():
    usual = kernels(Tensor.prepare_batch(two_kernels()))
    plan = Tensor.prepare_batch(two_kernels(), opts={"k1": "UPCAST(0,8)"})
    plan.execute()
    found = kernels(plan)
    assert (found["k1"].opts, found["k1"].schedule_source) == ("UPCAST(0,8)", "given")
    assert (found["k0"].opts, found["k0"].schedule_source) == (usual["k0"].opts, "heuristic")
    assert np.allclose(plan.output_buffer_at(0).numpy(), A @ B.T, atol=1e-4) and np.allclose(plan.output_buffer_at(1).numpy(), (A + 1).sum(0), atol=1e-4)


def test_what_the_report_shows_can_be_given_again():
    first = (Tensor(A) @ Tensor(B).T).prepare()
    chosen = kernels(first)["k0"]
    again = kernels((Tensor(A) @ Tensor(B).T).prepare(opts={"k0": chosen.opts}))["k0"]
    assert again.opts == chosen.opts and again.body.sinks == chosen.body.sinks


def test_the_next_plan_is_the_heuristics_again():
    assert kernels((Tensor(A) - 3).prepare(opts=""))["k0"].opts == ""
    assert kernels((Tensor(A) - 3).prepare())["k0"].schedule_source == "heuristic"


@pytest.mark.parametrize("opts, error, message", [
    ("UPCAST(7,4)", ScheduleError, "UPCAST(7,4): the kernel k0 has 3 loops, numbered from 0"),
    ("FOO(1)", OptionError, "'FOO(1)' is no opt; opts are THREAD(axis), "),
    ({"k9": "THREAD(0)"}, ScheduleError, "opts for the kernel 'k9': the plan's kernels are k0, k1"),
    ({"k0": 3}, TypeError, "opts takes a schedule such as "),
    (["THREAD(0)"], TypeError, "opts takes a schedule such as "),
])
def test_what_is_no_legal_schedule_is_an_error(opts, error, message):
    with pytest.raises(error, match=re.escape(message)):
        Tensor.prepare_batch(two_kernels(), opts=opts)

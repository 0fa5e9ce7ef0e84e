"""The measuring process: it answers, and one that is late, dies or talks nonsense is replaced."""

import sys
import time

import numpy as np
import pytest

from morok import Tensor
from morok.graph.body import Program
from morok.graph.capture import capture
from morok.passes.pipeline import run_passes
from morok.runtime.check import random_input
from morok.runtime.config import current_config
from morok.runtime.tuning.measure import Subject
from morok.runtime.tuning.worker import Worker


def kernel_of(tensor):
    program: Program = capture([tensor.uop]).program
    run_passes(program, "morok-rangeify,morok-split")
    return program.kernels()[0]


def doubled(n=64):
    return kernel_of(Tensor(np.arange(n, dtype=np.float32)) * 2 + 1)


@pytest.fixture
def worker():
    with Worker(current_config()) as worker:
        yield worker


def test_a_candidate_is_measured(worker):
    assert worker.take(doubled(), {}, 30) and worker.reference("", 10)
    assert 0 < worker.measure("UPCAST(0,16)", True, 1.0, 10)["seconds"] < 1


def test_an_illegal_candidate_is_an_error(worker):
    worker.take(doubled(), {}, 30)
    worker.reference("", 10)
    assert "ScheduleError" in worker.measure("UPCAST(0,7)", True, 1.0, 10)["error"]
    assert worker.restarts == 0


def test_a_late_worker_is_replaced_and_knows_its_kernel(worker):
    worker.take(doubled(), {}, 30)
    worker.reference("", 10)
    assert worker.measure("UPCAST(0,16)", True, 1.0, 0.0) is None
    assert worker.restarts == 1
    assert "seconds" in worker.measure("UPCAST(0,16)", True, 1.0, 10)


def test_a_worker_that_was_killed_is_replaced(worker):
    worker.take(doubled(), {}, 30)
    worker.reference("", 10)
    worker._process.kill()
    assert worker.measure("", True, 1.0, 10) is None
    assert "seconds" in worker.measure("", True, 1.0, 10)


@pytest.mark.parametrize("code", ["raise SystemExit", "print('nonsense', flush=True); import time; time.sleep(60)", "import os; os.kill(os.getpid(), 11)",
                                  "import time; time.sleep(60)"])
def test_a_process_that_is_no_worker_is_none(code, monkeypatch):
    monkeypatch.setattr("morok.runtime.tuning.worker.START_SECONDS", 0.5)
    began = time.monotonic()
    with Worker(current_config(), [sys.executable, "-c", code]) as worker:
        assert not worker.take(doubled(), {}, 1)
    assert time.monotonic() - began < 10


def test_no_such_program_is_no_worker():
    with Worker(current_config(), ["/no/such/program"]) as worker:
        assert not worker.take(doubled(), {}, 1)


@pytest.mark.parametrize("exact", [True, False])
def test_a_wrong_result_is_noticed(exact):
    subject = Subject(doubled(), {}, current_config())
    candidate = subject.compile("UPCAST(0,16)")
    subject.reset()
    candidate.run()
    subject.expected = subject.results()
    assert subject.wrong(exact) is None
    next(iter(subject.expected.values()))[5] += 1
    assert subject.wrong(exact)


def test_bits_are_compared_where_no_sum_is_reordered():
    subject = Subject(doubled(), {}, current_config())
    subject.reset()
    subject.compile("").run()
    subject.expected = subject.results()
    expected = next(iter(subject.expected.values()))
    expected[5] = np.nextafter(expected[5], np.float32(9e9))
    assert subject.wrong(True) and subject.wrong(False) is None


def test_an_element_left_out_shows():
    subject = Subject(doubled(), {}, current_config())
    subject.reset()
    assert all(np.isnan(x).all() for x in subject.results().values())


def test_inputs_have_sums_that_depend_on_their_order():
    from morok.dialect import types as T
    x = random_input(T.memref((1000,), T.float32), 0)
    assert np.add.accumulate(x)[-1] != np.add.accumulate(x[::-1])[-1]

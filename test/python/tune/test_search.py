"""Searches: what they find computes the same, is kept, and is used by those that come later."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from test_worker import doubled, kernel_of

import morok
from morok import Tensor
from morok.errors import OptionError
from morok.graph.capture import capture
from morok.passes.optimize.opts import parse_opts
from morok.passes.pipeline import run_passes
from morok.runtime.compiler import compile_kernel_form
from morok.runtime.config import Config, configured
from morok.runtime.tuning.candidates import candidate, extensions, neighbours, seeds
from morok.runtime.tuning.database import tuning_database
from morok.runtime.tuning.schedules import machine_for
from morok.runtime.tuning.search import Found, outcome, search
from morok.runtime.tuning.worker import Worker


def product():
    generator = np.random.default_rng(0)
    return [generator.standard_normal(s).astype(np.float32) for s in ((37, 45), (45, 50))]


def kernels_of(plan):
    return [k for s in plan.compiled.stages for k in s.program.kernels.values()]


def test_a_search_keeps_the_result(tuning):
    a, b = product()
    plan = (Tensor(a) @ Tensor(b)).prepare(beam=2)
    plan.execute()
    np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), a.astype(np.float64) @ b, rtol=1e-5, atol=1e-4)
    assert [k.schedule_source for k in kernels_of(plan)] == ["tuned"]
    assert "tuned" in plan.report()
    entry, = tuning_database(tuning).entries()
    assert entry.seconds <= entry.heuristic_seconds and entry.candidates > 5 and entry.opts == kernels_of(plan)[0].opts


def test_what_was_found_is_used_without_a_search(tuning, forget, monkeypatch):
    x = np.ones((50, 60), np.float32)
    first = Tensor(x).exp().prepare(beam=1)
    forget()
    monkeypatch.setattr("morok.runtime.tuning.search.search_all", lambda *_: pytest.fail("it searched"))
    for beam in (None, 0, 3):
        again = Tensor(x).exp().prepare(beam=beam)
        assert kernels_of(again)[0].schedule_source == "tuned" and kernels_of(again)[0].opts == kernels_of(first)[0].opts
    forget()
    with configured(tuning=False):
        assert kernels_of(Tensor(x).exp().prepare())[0].schedule_source == "heuristic"


def test_another_process_uses_it(tuning):
    x = np.ones((50, 60), np.float32)
    Tensor(x).exp().prepare(beam=1)
    code = "import numpy as np; from morok import Tensor; print(Tensor(np.ones((50, 60), np.float32)).exp().prepare().report())"
    for _ in range(2):  # the second time from the disk cache
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60,
                             env={**__import__("os").environ, "MOROK_CACHE": "1", "MOROK_TUNING": "1", "MOROK_CACHE_DIR": tuning.cache_dir})
        assert "tuned" in out.stdout, out.stderr


def test_a_plan_on_disk_does_not_hide_a_later_search(tuning, forget):
    x = np.ones((50, 60), np.float32)
    with configured(cache=True):
        assert kernels_of(Tensor(x).exp().prepare())[0].schedule_source == "heuristic"
        Tensor(x).exp().prepare(beam=1)
        forget()
        assert kernels_of(Tensor(x).exp().prepare())[0].schedule_source == "tuned"


def test_an_entry_that_does_not_fit_is_ignored(tuning, forget):
    x = np.ones((50, 60), np.float32)
    Tensor(x).exp().prepare(beam=1)
    database = tuning_database(tuning)
    database.put(*[replace(e, opts="UPCAST(7,7)") for e in database.entries()])
    forget()
    plan = Tensor(x).exp().prepare()
    plan.execute()
    assert kernels_of(plan)[0].schedule_source == "heuristic"
    np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), np.exp(x), rtol=1e-6)


def test_a_disk_that_takes_nothing_only_forgets(tmp_path, forget):
    (tmp_path / "file").write_text("")
    with configured(cache_dir=str(tmp_path / "file"), tuning=True, beam_budget=1):
        plan = (Tensor(np.ones(100, np.float32)) + 1).prepare(beam=1)
        plan.execute()
    assert kernels_of(plan)[0].schedule_source == "tuned"
    assert (plan.output_buffer_at(0).numpy() == 2).all()


def test_a_kernel_whose_worker_never_answers_keeps_the_heuristics_schedule(tuning, monkeypatch):
    monkeypatch.setattr("morok.runtime.tuning.search.Worker", lambda config: Worker(config, [sys.executable, "-c", "raise SystemExit"]))
    plan = (Tensor(np.ones(100, np.float32)) + 1).prepare(beam=1)
    assert kernels_of(plan)[0].schedule_source == "heuristic"


def test_a_crash_in_the_search_leaves_this_process_alone(tuning):
    class Crashing(Worker):
        questions = 0

        def measure(self, *args, **kwargs):
            self.questions += 1
            if self.questions == 3:
                self._process.kill()
            return super().measure(*args, **kwargs)

    with Crashing(tuning) as worker, configured(beam=1) as config:
        found = search(doubled(), config, {}, worker)
        assert found is not None and worker.restarts == 1


def test_jit_searches_too(tuning):
    f = morok.jit(lambda x: x * 2 + 1, beam=1)
    assert (f(Tensor(np.ones(100, np.float32))).numpy() == 3).all()
    assert len(tuning_database(tuning).entries()) == 1


def test_memory_that_is_updated_is_searched(tuning):
    x = Tensor(np.ones((40, 40), np.float32)).realize()
    x.assign(x + 1)
    plan = x.prepare(beam=1)
    plan.execute()
    assert (plan.output_buffer_at(0).numpy() == 2).all()


def test_a_symbolic_kernel_is_searched(tuning):
    n = morok.Variable("n", 1, 64)
    x = Tensor(np.ones(64, np.float32))[:n.bind(40)]
    plan = (x * 3).prepare(beam=1)
    plan.execute()
    assert (plan.output_buffer_at(0).numpy() == np.full(40, 3)).all()


def test_a_kernel_that_came_with_opts_keeps_them(tuning):
    program = capture([(Tensor(np.ones(64, np.float32)) * 2).uop]).program
    run_passes(program, "morok-rangeify,morok-split,morok-apply-opts{opts=UPCAST(0,8)}")
    with configured(beam=1) as config:
        kernel, = compile_kernel_form(program, config).kernels.values()
    assert (kernel.schedule_source, kernel.opts) == ("given", "UPCAST(0,8)")
    assert tuning_database(tuning).entries() == []


def test_an_empty_beam_does_not_search(tuning):
    (Tensor(np.ones(100, np.float32)) + 1).prepare(beam=0)
    assert tuning_database(tuning).entries() == []


@pytest.mark.parametrize("beam", [-1, 1.5, True, "2"])
def test_a_beam_that_is_no_size_is_refused(beam):
    with pytest.raises(OptionError, match="beam"):
        Tensor([1.0]).exp().prepare(beam=beam)


@pytest.mark.parametrize("name, value", [("MOROK_BEAM", "-1"), ("MOROK_BEAM", "x"), ("MOROK_BEAM_BUDGET", "0"), ("MOROK_TUNING", "2")])
def test_the_environment_is_checked(name, value):
    with pytest.raises(OptionError, match=name):
        Config.from_environment({name: value})


# Candidates

KERNELS = {"elementwise": lambda: doubled(60), "product": lambda: kernel_of(Tensor(np.ones((24, 20), np.float32)) @ Tensor(np.ones((20, 36), np.float32))),
           "softmax": lambda: kernel_of(Tensor(np.ones((12, 40), np.float32)).softmax(-1))}


@pytest.mark.parametrize("make", KERNELS.values(), ids=KERNELS)
def test_neighbours_are_many_and_each_differs(make, tuning):
    body = make()
    first, *others = seeds(body, machine_for(tuning))
    assert others and len({s.identity for s in (first, *others)}) == len(others) + 1
    legal = {c.identity for opts in neighbours(body, first.opts) if (c := candidate(body, opts)) is not None}
    assert len(legal - {first.identity}) > 5


def test_opts_on_loops_leave_the_order_of_sums():
    body = KERNELS["product"]()
    order = candidate(body, parse_opts("UNROLL(2,4)")).order
    assert order and candidate(body, parse_opts("UPCAST(1,4)")).order == ()
    assert candidate(body, parse_opts("UPCAST(1,4) UNROLL(3,4)")).order == order != candidate(body, parse_opts("UNROLL(2,5)")).order


def test_a_schedule_that_reorders_a_sum_does_not_fit(tuning, forget):
    """However it came into the database."""
    x = np.random.default_rng(0).standard_normal((50, 640)).astype(np.float32)
    heuristic = kernels_of(Tensor(x).sum(1).prepare(beam=1))[0].opts
    database = tuning_database(tuning)
    database.put(*[replace(e, opts="THREAD(0)") for e in database.entries()])
    forget()
    kernel, = kernels_of(Tensor(x).sum(1).prepare())
    assert kernel.schedule_source == "heuristic" and "UNROLL" in heuristic


SUMS = {"rows": lambda x: x.sum(1), "columns": lambda x: x.sum(0), "product": lambda x: x @ x.T, "softmax": lambda x: x.softmax(-1)}


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("compute", SUMS.values(), ids=SUMS)
def test_the_bits_are_those_of_the_heuristic_at_any_thread_count(tuning, forget, compute, threads):
    x = np.random.default_rng(0).standard_normal((60, 307)).astype(np.float32)
    with configured(num_threads=1, tuning=False):
        expected = compute(Tensor(x)).numpy()
    forget()
    with configured(num_threads=threads, beam_budget=1):
        plan = compute(Tensor(x)).prepare(beam=2)
        plan.execute()
    assert "tuned" in plan.report()
    assert plan.output_buffer_at(0).numpy().tobytes() == expected.tobytes()


def test_extensions_are_opts_of_every_kind():
    names = {opt.name for opts in extensions(KERNELS["product"]()) for opt in opts}
    assert {"UPCAST", "UNROLL", "TILE", "SWAP", "STAGE", "OVERLAP", "PADTO", "PEEL", "STREAM"} <= names


def test_the_outcome_tells_what_was_gained_and_what_could_not_be_measured():
    found = [Found("THREAD(0)", 2e-6, 5e-6, 9), Found("", 3e-6, 3e-6, 4)]
    assert outcome(found, 3) == "morok: tuned 3 kernels, 1 faster than by the heuristic, 1 could not be measured; 8.0 us before, 5.0 us now"
    assert outcome(found[1:], 1) == "morok: tuned 1 kernel, 0 faster than by the heuristic; 3.0 us before, 3.0 us now"

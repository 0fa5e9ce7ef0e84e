"""Running passes: order, grouping of upstream passes, composite passes, failures and their reproducers."""

import pytest
from mlir import ir

from morok.dialect.context import DialectContext
from morok.errors import InternalError, ScheduleError
from morok.graph.body import Program
from morok.passes import upstream
from morok.passes.instrumentation import Timing
from morok.passes.pipeline import Instrumentation, PassFailure, run_passes
from morok.passes.reproducer import strip_reproducer

pytestmark = pytest.mark.usefixtures("sample_passes")

MODULE = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
func.func @other(%x: i32) -> i32 {
  %unused = arith.constant 7 : i32
  %y = arith.addi %x, %x : i32
  return %y : i32 }"""


@pytest.fixture
def program():
    dialect = DialectContext()
    return Program(dialect, ir.Module.parse(MODULE, dialect.context))


class Log(Instrumentation):
    def __init__(self):
        self.events = []

    def before(self, step, program):
        self.events.append(f"before {step.name}")

    def after(self, step, program):
        self.events.append(f"after {step.name}")

    def failed(self, step, program, error):
        self.events.append(f"failed {step.name}")


def test_our_passes_and_upstreams_change_one_module(program):
    run_passes(program, "sample-negate,canonicalize,sample-negate")
    text = str(program.module)
    assert text.count("morok.neg") == 2
    assert "arith.constant" not in text


def test_consecutive_upstream_passes_share_one_pass_manager(program, monkeypatch):
    groups = []
    monkeypatch.setattr("morok.passes.pipeline.run_upstream",
                        lambda dialect, module, steps, verify: groups.append([s.name for s in steps]))
    run_passes(program, "cse,canonicalize,sample-nothing,cse,func.func(canonicalize)")
    assert groups == [["cse", "canonicalize"], ["cse", "canonicalize"]]


def test_a_pass_manager_is_built_once_per_context(program, monkeypatch):
    run_passes(program, "cse,canonicalize")
    monkeypatch.setattr(upstream.PassManager, "parse", None)
    run_passes(program, "cse,canonicalize")


def test_instrumentation_sees_each_pass_and_those_inside_composites(program):
    log = Log()
    run_passes(program, "cse,sample-sequence,cse", log)
    assert log.events == [
        "before cse", "after cse", "before sample-sequence", "before sample-negate", "after sample-negate", "before canonicalize",
        "after canonicalize", "before sample-nothing", "after sample-nothing", "after sample-sequence", "before cse", "after cse"]


def test_failure_is_seen_inside_out(program):
    log = Log()
    with pytest.raises(PassFailure):
        run_passes(program, "sample-failing-sequence", log)
    assert log.events[-3:] == ["before sample-fault", "failed sample-fault", "failed sample-failing-sequence"]


def test_a_fault_names_the_pass_and_writes_what_replays_it(program):
    with pytest.raises(InternalError) as caught:
        run_passes(program, "sample-failing-sequence")
    assert "pass sample-fault failed: KeyError: 'lost'" in str(caught.value)
    text, pipeline = strip_reproducer(open(caught.value.reproducer).read())
    assert pipeline == "builtin.module(sample-fault)"
    assert text.count("morok.neg") == 1  # what the pass was given, after the one before it


def test_a_refusal_passes_through(program):
    with pytest.raises(ScheduleError, match="axis 7 does not exist"):
        run_passes(program, "sample-refuse")


def test_timing_nests(program):
    timing = Timing()
    run_passes(program, "cse,sample-sequence", timing)
    assert [(depth, name) for depth, name, _ in timing.rows] == [
        (0, "Cse (cse)"), (0, "Sequence (sample-sequence)"), (1, "Negate (sample-negate)"), (1, "Canonicalize (canonicalize)"),
        (1, "Nothing (sample-nothing)")]
    assert "(100.0%)  Total" in timing.report()

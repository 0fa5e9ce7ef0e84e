"""check.py: a pass that changes a value is named; so is a kernel whose machine code does."""

import ml_dtypes
import numpy as np
import pytest
from graphs import buffer, op, summed, value

from morok import Tensor, Variable
from morok.errors import InternalError
from morok.graph.uop import rebuild
from morok.passes.rangeify.simplify_ranges import SimplifyRanges
from morok.runtime import configured, realize_uops
from morok.runtime.check import difference

A = np.arange(12, dtype=np.float32).reshape(3, 4)


def test_a_checked_run_gives_the_result():
    with configured(check=True):
        y = summed(op("exp", buffer(A) * 0.1) + 2.0, 0)
        realize_uops([y])
    assert np.allclose(value(y), (np.exp(A * 0.1) + 2).sum(0), rtol=1e-5)


def test_a_checked_run_with_two_variables():
    """A product of variables may be written in two orders, and is one extent."""
    n, m = Variable("n", 1, 3).bind(2), Variable("m", 1, 4).bind(3)
    with configured(check=True):
        y = Tensor(A)[:n, :m].T.flatten().realize()
    assert y.tolist() == A[:2, :3].T.flatten().tolist()


def test_a_pass_that_changes_a_value_is_named(monkeypatch):
    right = SimplifyRanges.run

    def wrong(self, program):
        right(self, program)
        body = program.bodies["main"]
        program.bodies["main"] = body.with_roots(rebuild(body.roots, subtract))

    def subtract(u):
        return u.operands[0].alu("sub", u.operands[1]) if u.name == "add" and u.dtype.is_float else None

    monkeypatch.setattr(SimplifyRanges, "run", wrong)
    message = "morok-simplify-ranges changed result 0: 12 of 12 elements differ, first at"
    with configured(check=True), pytest.raises(InternalError, match=message):
        realize_uops([buffer(A) + 7.5])


def test_a_code_generation_pass_that_changes_a_value_is_named(monkeypatch):
    from morok.passes.codegen.bool_storage import BoolStorage
    right = BoolStorage.rewrite

    def wrong(self, body):
        body = right(self, body)
        return body.with_roots(rebuild(body.roots, lambda u: u.operands[0] if u.name == "sin" else None))

    monkeypatch.setattr(BoolStorage, "rewrite", wrong)
    with configured(check=True), pytest.raises(InternalError, match="morok-bool-storage changed @k0, buffer 0"):
        realize_uops([op("sin", buffer(A) * 0.7)])


@pytest.mark.parametrize("before, after, same", [
    ([1.0, 2.0], [1.0, 2.0], True), ([np.nan, np.inf], [np.nan, np.inf], True), ([np.inf], [-np.inf], False), ([np.nan], [1.0], False),
    ([1000.0, 0.0], [1000.0, 0.001], True), ([1000.0, 0.0], [1000.0, 1.0], False), ([0.0], [0.0], True)])
def test_floats_may_differ_by_rounding(before, after, same):
    assert (difference(np.array(before, np.float32), np.array(after, np.float32)) is None) is same


def test_integers_may_not():
    assert difference(np.array([1, 2]), np.array([1, 3])) == "1 of 2 elements differ, first at [1]: 2 became 3"
    assert difference(np.array([True]), np.array([1], np.uint8)) is None


def test_other_float_types():
    assert difference(np.array([1.0], ml_dtypes.bfloat16), np.array([1.0078], ml_dtypes.bfloat16)) is None
    assert difference(np.array([1.0], np.float64), np.array([1.0 + 1e-6])) is not None

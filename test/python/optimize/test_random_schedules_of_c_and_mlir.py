"""Random legal schedules of kernels of many kinds, as C and as MLIR's own execution engine compiles them: each back end prints the loops in its own way."""

import pytest
from kernel_kinds import KINDS
from random_schedules import what_is_wrong

from morok.codegen.backends import renderer


@pytest.mark.parametrize("backend", ["c", "mlir"])
@pytest.mark.parametrize("kind", KINDS)
def test_random_schedules_compute_the_same(kind, backend):
    assert what_is_wrong(kind, 100, renderer(backend), schedules=1) == []

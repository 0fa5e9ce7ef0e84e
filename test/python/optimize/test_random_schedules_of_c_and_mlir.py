"""Random legal schedules of kernels of many kinds, as C and as MLIR's own execution engine compiles them: each back end prints the loops in its own way."""

import pytest
from kernel_kinds import KINDS, kernels_to, tensor
from random_schedules import check_schedule, known_runs, what_is_wrong

from morok.codegen.backends import renderer
from morok.passes.optimize.opts import parse_opts


@pytest.mark.parametrize("backend", ["c", "mlir"])
@pytest.mark.parametrize("kind", KINDS)
def test_random_schedules_compute_the_same(kind, backend):
    assert what_is_wrong(kind, 100, renderer(backend), schedules=1) == []


def test_code_of_mlir_writes_nothing_beside_bfloat16_buffers():
    a = tensor("bfloat16", 10, 9)
    for body in kernels_to(a.softmax(1), a.logsumexp(1)):
        assert check_schedule(body, parse_opts("UPCAST(0,10)"), known_runs(body, 1000), renderer("mlir")) is None

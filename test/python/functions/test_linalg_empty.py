"""Matrices and batches without elements: every name of morok.linalg gives what NumPy's gives, and raises where NumPy's raises."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import MorokError

SHAPES = [(0, 0), (0, 3, 3), (3, 0), (0, 3), (2, 0, 0), (2, 0, 3), (2, 3, 0)]
ORDERS = (1, -1, 2, -2, np.inf, -np.inf)
PLAIN = ("cholesky", "det", "diagonal", "eigh", "eigvalsh", "inv", "matrix_rank", "matrix_transpose", "norm", "pinv", "qr", "slogdet", "svd", "svdvals",
         "trace", "vector_norm")


def zeros(like, *shape):
    return Tensor(np.zeros(shape)) if isinstance(like, Tensor) else np.zeros(shape)


CASES = {
    **{name: lambda m, a, name=name: getattr(m, name)(a) for name in PLAIN},
    **{f"matrix_norm, {o}": lambda m, a, o=o: m.matrix_norm(a, ord=o) for o in (*ORDERS, "nuc", "fro")},
    **{f"vector_norm, {o}": lambda m, a, o=o: m.vector_norm(a, ord=o) for o in (*ORDERS, 0, 3)},
    **{f"cond, {o}": lambda m, a, o=o: m.cond(a, o) for o in (None, *ORDERS)},
    **{f"matrix_power, {n}": lambda m, a, n=n: m.matrix_power(a, n) for n in (-1, 0, 2)},
    **{f"qr, {mode}": lambda m, a, mode=mode: m.qr(a, mode=mode) for mode in ("complete", "r")},
    "svd, reduced": lambda m, a: m.svd(a, full_matrices=False),
    "solve": lambda m, a: m.solve(a, zeros(a, *a.shape[:-1], 2)),
    "solve for nothing": lambda m, a: m.solve(a, zeros(a, *a.shape[:-1], 0)),
    "lstsq": lambda m, a: m.lstsq(a, zeros(a, a.shape[-2], 2)),
    "matmul": lambda m, a: m.matmul(a, zeros(a, *a.shape[:-2], a.shape[-1], a.shape[-2])),
    "multi_dot": lambda m, a: m.multi_dot([a, zeros(a, *a.shape[::-1]), a]),
    "tensordot": lambda m, a: m.tensordot(a, zeros(a, *a.shape), axes=2),
    "vecdot": lambda m, a: m.vecdot(a, zeros(a, *a.shape)),
    "cross": lambda m, a: m.cross(a, zeros(a, *a.shape)),
    "outer": lambda m, a: m.outer(zeros(a, a.shape[0]), zeros(a, a.shape[1])),
    "tensorsolve": lambda m, a: m.tensorsolve(a, zeros(a, a.shape[0])),
}
BEYOND_NUMPY = {"lstsq": 3}
"""NumPy takes no batches of these."""


@pytest.mark.parametrize("case", CASES)
def test_empty_matrices_as_numpy(case):
    for shape in SHAPES:
        if len(shape) == BEYOND_NUMPY.get(case):
            continue
        try:
            wanted = CASES[case](np.linalg, np.zeros(shape))
        except (ValueError, np.linalg.LinAlgError):
            with pytest.raises((MorokError, ValueError)):
                CASES[case](morok.linalg, Tensor(np.zeros(shape)))
            continue
        found = CASES[case](morok.linalg, Tensor(np.zeros(shape)))
        parts = (list(zip(found, wanted, strict=True)) if isinstance(wanted, tuple) else [(found, wanted)])
        for own, theirs in parts:
            own, theirs = np.asarray(own.numpy()), np.asarray(theirs)
            assert own.shape == theirs.shape and own.dtype.kind == theirs.dtype.kind, (shape, own, theirs)
            assert np.array_equal(own, theirs), (shape, own, theirs)


def test_names_that_numpy_lacks():
    assert morok.linalg.solve_triangular(Tensor.zeros(2, 0, 0), Tensor.zeros(2, 0, 3), upper=True).shape == (2, 0, 3)
    assert [t.shape for t in morok.linalg.lu(Tensor.zeros(2, 3, 0))] == [(2, 3, 3), (2, 3, 0), (2, 0, 0)]
    assert [t.shape for t in morok.linalg.inv_ex(Tensor.zeros(2, 0, 0))] == [(2, 0, 0), (2,)]
    assert morok.linalg.inv_ex(Tensor.zeros(2, 0, 0))[1].tolist() == [0, 0]

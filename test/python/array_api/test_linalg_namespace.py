"""The standard's extension for linear algebra: its names, signatures and result fields; values are tested beside the functions of morok.linalg."""

import inspect

import numpy as np
import pytest

import morok
import morok.array_api as xp
from morok import Tensor
from morok.errors import DTypeError, ShapeError

STANDARD = set("""cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr slogdet solve svd
svdvals tensordot trace vecdot vector_norm""".split())
A = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])


def test_the_names_are_the_standards():
    assert set(xp.linalg.__all__) == STANDARD
    for name in STANDARD:
        first = next(iter(inspect.signature(getattr(xp.linalg, name)).parameters.values()))
        assert first.kind is inspect.Parameter.POSITIONAL_ONLY


@pytest.mark.parametrize("name", "cholesky det diagonal eigvalsh inv matrix_norm matrix_rank matrix_transpose pinv svdvals trace".split())
def test_values_of_one_matrix(name):
    found = getattr(xp.linalg, name)(Tensor(A)).numpy()
    wanted = getattr(np.linalg, name)(A)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    assert found.shape == np.asarray(wanted).shape


def test_results_have_the_standards_fields():
    x = Tensor(A)
    q, r = xp.linalg.qr(x)
    assert xp.linalg.qr(x)._fields == ("Q", "R") and xp.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert xp.linalg.svd(x)._fields == ("U", "S", "Vh") and xp.linalg.slogdet(x)._fields == ("sign", "logabsdet")
    np.testing.assert_allclose((q @ r).numpy(), A, atol=1e-14)
    assert xp.linalg.trace(xp.asarray([[1, 2], [3, 4]], dtype=xp.int8)).dtype is xp.int64
    np.testing.assert_allclose(xp.linalg.vector_norm(x, axis=(0, 1)).item(), np.linalg.norm(A))
    np.testing.assert_allclose(xp.linalg.solve(x, Tensor(A[:, 0])).numpy(), [1, 0, 0], atol=1e-14)


def test_the_standard_converts_nothing():
    with pytest.raises(DTypeError, match="real floats"):
        xp.linalg.inv(Tensor([[1, 2], [3, 4]]))
    with pytest.raises(DTypeError, match="asarray"):
        xp.linalg.det(A)
    with pytest.raises(ShapeError, match="matrices"):
        xp.linalg.matrix_rank(Tensor([1.0]))
    with pytest.raises(ValueError, match="mode"):
        xp.linalg.qr(Tensor(A), mode="r")
    assert morok.array_api.linalg is xp.linalg

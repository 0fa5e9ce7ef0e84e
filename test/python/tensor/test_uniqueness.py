"""unique against NumPy: values, indices, inverse, counts; NaN; a size given beforehand."""
import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import BoundsError


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (40,), (7, 31), (1000,)], ids=str)
def test_unique_is_numpys(shape, dtype):
    x = np.random.default_rng(0).integers(-9, 9, shape).astype(dtype)
    if dtype == "float32" and x.size > 5:
        x.reshape(-1)[[1, 3]] = np.nan
    found = Tensor(x).unique(return_index=True, return_inverse=True, return_counts=True)
    for ours, numpys in zip(found, np.unique(x, return_index=True, return_inverse=True, return_counts=True)):
        np.testing.assert_array_equal(ours.numpy(), numpys)
    assert found[0].dtype == Tensor(x).dtype and all(f.dtype == morok.int64 for f in found[1:])
    np.testing.assert_array_equal(Tensor(x).unique().numpy(), np.unique(x))


def test_nans_apart():
    x = np.array([np.nan, 1.0, np.nan, 1.0])
    np.testing.assert_array_equal(Tensor(x).unique(equal_nan=False).numpy(), np.unique(x, equal_nan=False))
    values, counts = Tensor(x).unique(return_counts=True, equal_nan=False)
    assert counts.tolist() == [2, 1, 1]


def test_a_size_needs_no_computing():
    step = morok.jit(lambda t: t.unique(return_inverse=True, return_counts=True, size=4, fill_value=-1))
    for x in ([3, 1, 3, 2], [5, 5, 5, 5], [1, 2, 3, 4]):
        values, inverse, counts = step(Tensor(x))
        known, places, numbers = np.unique(x, return_inverse=True, return_counts=True)
        rest = 4 - len(known)
        assert values.tolist() == [*known, *[-1] * rest] and counts.tolist() == [*numbers, *[0] * rest] and inverse.tolist() == list(places)
    assert Tensor([4, 2, 9]).unique(size=2).tolist() == [2, 4] and Tensor([4, 4]).unique(size=3).tolist() == [4, 4, 4]
    assert Tensor([4.0]).unique(size=0).tolist() == [] and Tensor(np.zeros(0, np.int32)).unique(size=2, fill_value=7).tolist() == [7, 7]
    with pytest.raises(BoundsError, match="at least 0"):
        Tensor([1]).unique(size=-1)

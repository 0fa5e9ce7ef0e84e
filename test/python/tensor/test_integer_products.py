"""Sums of products of integers, to the greatest that fit: exact, whatever they are computed in."""
from __future__ import annotations

import numpy as np
import pytest

from morok import Tensor, dtypes


@pytest.mark.parametrize("wide", ["int32", "int64", "uint32"])
@pytest.mark.parametrize("left, right", [("int8", "int8"), ("uint8", "uint8"), ("uint8", "int8"), ("bool", "int8"), ("int16", "int8")])
@pytest.mark.parametrize("terms", [0, 1, 7, 257, 258, 513, 514, 1023, 1024, 2000])
def test_products(left, right, wide, terms):
    rng = np.random.default_rng(terms)

    def array(dtype: str, *shape: int, extreme: bool) -> np.ndarray:
        if dtype == "bool":
            return np.ones(shape, np.bool_) if extreme else rng.integers(0, 2, shape).astype(np.bool_)
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.full(shape, low or high, dtype) if extreme else rng.integers(low, high, shape, endpoint=True).astype(dtype)

    for extreme in (False, True):
        a, b = array(left, 5, terms, extreme=extreme), array(right, terms, 17, extreme=extreme)
        t = getattr(dtypes, wide)
        got = (Tensor(a).cast(t) @ Tensor(b).cast(t)).numpy()
        assert got.dtype == np.dtype(wide)
        np.testing.assert_array_equal(got, a.astype(wide) @ b.astype(wide))

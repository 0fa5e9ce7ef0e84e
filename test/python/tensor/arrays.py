"""Inputs for tables of tests, and how results are compared."""

import ml_dtypes
import numpy as np

from morok import Tensor, dtypes

SHAPES = [(), (1,), (5,), (0,), (2, 3), (7, 1), (0, 3), (3, 1, 5), (2, 3, 4)]
FLOATS = [dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]
INTEGERS = [dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64]
ALL = [dtypes.bool, *INTEGERS, *FLOATS]
TOLERANCE = {np.dtype(np.float16): 2e-3, np.dtype(ml_dtypes.bfloat16): 2e-2, np.dtype(np.float32): 2e-6, np.dtype(np.float64): 1e-13}


def sample(shape, dtype=dtypes.float32, seed=0, low=-9, high=9):
    """Small numbers that every dtype can hold; floats with fractions of quarters."""
    rng = np.random.default_rng(seed)
    if dtype is dtypes.bool:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        low = max(low, 0)
    whole = rng.integers(low, high, shape)
    return (whole + rng.integers(0, 4, shape) / 4).astype(dtype.np) if dtype.is_float else np.asarray(whole).astype(dtype.np)


def check(result, expected, tolerance=None, same_dtype=True):
    """Equal shape and dtype; floats equal up to rounding, NaN and infinities exactly, the rest exactly."""
    expected = np.asarray(expected)
    assert isinstance(result, Tensor)
    got = result.numpy()
    assert got.shape == expected.shape, f"shape {got.shape}, expected {expected.shape}"
    assert got.dtype == result.dtype.np
    if same_dtype:
        assert got.dtype == expected.dtype, f"dtype {got.dtype}, expected {expected.dtype}"
    if got.dtype in TOLERANCE:
        rtol = TOLERANCE[got.dtype] if tolerance is None else tolerance
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=rtol)
    else:
        np.testing.assert_array_equal(got, expected)

"""Matrices for tests, and how decompositions are compared with NumPy's."""

import numpy as np

from morok import Tensor

EPS = {np.dtype(np.float32): 2.0 ** -23, np.dtype(np.float64): 2.0 ** -52}
SHAPES = [((0, 0), np.float64), ((1, 1), np.float32), ((3, 3), np.float64), ((17, 17), np.float32), ((2, 1, 5, 5), np.float64), ((3, 0, 2, 2), np.float64)]
BIG = ((64, 64), np.float64)
TALL_AND_WIDE = [((5, 2), np.float64), ((2, 3, 4), np.float32), ((3, 0), np.float64), ((0, 3), np.float64)]


def random(shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def transposed(a):
    return np.swapaxes(a, -1, -2)


def near(found, wanted, factor=40.0, scale=None):
    """Equal up to some roundings of the greatest element."""
    found = found.numpy() if isinstance(found, Tensor) else found
    wanted = np.asarray(wanted)
    assert found.shape == wanted.shape and (found.dtype == wanted.dtype or wanted.dtype.kind != "f")
    if wanted.size:
        size = scale if scale is not None else np.abs(wanted).max()
        bound = factor * max(1, wanted.shape[-1] if wanted.ndim else 1) * EPS[found.dtype] * max(size, 1e-300)
        assert np.abs(found.astype(np.float64) - wanted.astype(np.float64)).max() <= bound


def orthonormal(v):
    """Columns."""
    v = v.numpy()
    near(transposed(v) @ v, np.broadcast_to(np.eye(v.shape[-1], dtype=v.dtype), (*v.shape[:-2], v.shape[-1], v.shape[-1])), 8)


def positive(a):
    return a @ transposed(a) + np.eye(a.shape[-1], dtype=a.dtype)

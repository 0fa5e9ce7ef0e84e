"""Random programs against NumPy: movement, elementwise and reductions on odd, prime, one and zero sizes, writes through overlapping slices, realisation
anywhere and in any order, on one thread and on two."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from morok import Tensor
from morok.runtime.config import configured

SIZES = st.sampled_from([0, 1, 1, 2, 3, 5, 7, 13, 16, 17, 31, 64, 67])
EXAMPLES = int(os.environ.get("MOROK_FUZZ_EXAMPLES", "60"))
FUZZ = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
LIMIT = 40_000


def arrays(draw, shape=None):
    shape = shape if shape is not None else tuple(draw(st.lists(SIZES, min_size=0, max_size=3)))
    assume(np.prod(shape, dtype=np.int64) <= LIMIT)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    if draw(st.booleans()):
        return rng.integers(-9, 10, shape).astype(draw(st.sampled_from([np.int32, np.int64])))
    return rng.integers(-9, 10, shape).astype(np.float32)


def reshaped(draw, x, t):
    order = draw(st.sampled_from(["flat", "split", "ones"]))
    if order == "flat":
        return x.reshape(x.size), t.reshape(x.size)
    if order == "ones":
        at = draw(st.integers(0, x.ndim))
        return np.expand_dims(x, at), t.unsqueeze(at)
    factors = [f for f in (2, 3, 5, 7, 8) if x.ndim and x.shape[0] and x.shape[0] % f == 0]
    if not factors:
        return x, t
    f = draw(st.sampled_from(factors))
    shape = (x.shape[0] // f, f, *x.shape[1:])
    return x.reshape(shape), t.reshape(*shape)


def moved(draw, x, t):
    kind = draw(st.sampled_from(["reshape", "permute", "flip", "shrink", "pad", "expand", "step"]))
    if kind == "reshape":
        return reshaped(draw, x, t)
    if kind == "permute":
        order = tuple(draw(st.permutations(range(x.ndim))))
        return x.transpose(order), t.permute(*order)
    if x.ndim == 0:
        return x, t
    axis = draw(st.integers(0, x.ndim - 1))
    index = [slice(None)] * x.ndim
    if kind == "flip":
        return np.flip(x, axis), t.flip(axis)
    if kind == "shrink":
        lo = draw(st.integers(0, x.shape[axis]))
        index[axis] = slice(lo, draw(st.integers(lo, x.shape[axis])))
        return x[tuple(index)], t[tuple(index)]
    if kind == "step":
        index[axis] = slice(None, None, draw(st.sampled_from([2, 3, -1, -2])))
        return x[tuple(index)], t[tuple(index)]
    if kind == "pad":
        widths = [(0, 0)] * x.ndim
        widths[axis] = (draw(st.integers(0, 3)), draw(st.integers(0, 3)))
        flat = [n for pair in reversed(widths) for n in pair]
        return np.pad(x, widths, constant_values=1), t.pad(tuple(flat), value=1)
    if x.shape[axis] != 1:
        return x, t
    shape = [*x.shape]
    shape[axis] = draw(st.sampled_from([1, 3, 17]))
    return np.broadcast_to(x, shape), t.expand(*shape)


def reduced(draw, x, t):
    if x.ndim == 0:
        return x, t
    axis = draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    keep = draw(st.booleans())
    kind = draw(st.sampled_from(["sum", "max", "min", "any"]))
    if kind in ("max", "min") and 0 in x.shape:
        kind = "sum"
    with_keep = {"axis": axis, "keepdims": keep}
    out = getattr(x, kind)(**with_keep)
    return np.asarray(out), getattr(t, kind)(axis, keepdim=keep)


def elementwise(draw, x, t, others):
    kind = draw(st.sampled_from(["neg", "abs", "relu", "add", "mul", "maximum", "sub", "where", "compare"]))
    if kind == "neg":
        return (-x, -t) if x.dtype != bool else (~x, ~t)
    if kind == "abs":
        return (np.abs(x), t.abs()) if x.dtype != bool else (x, t)
    if kind == "relu":
        return (np.maximum(x, 0), t.relu()) if x.dtype != bool else (x, t)
    y, u = draw(st.sampled_from(others))
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        y, u = x, t
        shape = x.shape
    assume(np.prod(shape, dtype=np.int64) <= LIMIT)
    if x.dtype == bool or y.dtype == bool:
        x, t, y, u = x.astype(np.int64), t.cast("int64"), y.astype(np.int64), u.cast("int64")
    if kind == "where":
        return np.where(x > 1, x, y), t.where(t > 1, u)
    if kind == "compare":
        return x < y, t < u
    operation = {"add": np.add, "mul": np.multiply, "maximum": np.maximum, "sub": np.subtract}[kind]
    return operation(x, y), {"add": lambda: t + u, "mul": lambda: t * u, "maximum": lambda: t.maximum(u), "sub": lambda: t - u}[kind]()


def rescaled(x, t):
    """Keeps values small, so that float32 sums of integers stay exact."""
    if x.size and x.dtype != bool and np.abs(x).max() > 1000:
        if x.dtype.kind == "f":
            return np.clip(x, -7, 7), t.clip(-7, 7)
        return x % 11, t % 11
    return x, t


def equal(t, x, note):
    got = t.numpy()
    assert got.shape == x.shape, note
    if x.dtype.kind == "f" or got.dtype.kind == "f":
        np.testing.assert_allclose(got.astype(np.float64), x.astype(np.float64), rtol=1e-5, atol=1e-3, err_msg=note)
    else:
        np.testing.assert_array_equal(got, x, err_msg=note)


@pytest.fixture(params=[1, 2])
def threads(request):
    with configured(num_threads=request.param):
        yield request.param


@FUZZ
@given(data=st.data())
def test_random_graphs(threads, data):
    draw = data.draw
    values = [(a, Tensor(a)) for a in (arrays(draw) for _ in range(draw(st.integers(1, 2))))]
    for _ in range(draw(st.integers(1, 8))):
        x, t = draw(st.sampled_from(values))
        step = draw(st.sampled_from(["move", "move", "reduce", "element", "element", "realize"]))
        if step == "realize":
            t.realize()
            continue
        x, t = moved(draw, x, t) if step == "move" else reduced(draw, x, t) if step == "reduce" else elementwise(draw, x, t, values)
        assume(x.size <= LIMIT)
        values.append(rescaled(x, t))
    outputs = draw(st.permutations(values))[:4]
    if draw(st.booleans()):
        Tensor.realize_batch([t for _, t in outputs])
    for x, t in outputs:
        equal(t, x, "output")
    for x, t in values:
        equal(t, x, "after the others")


@FUZZ
@given(data=st.data())
def test_random_writes(threads, data):
    draw = data.draw
    n, m = draw(st.sampled_from([(7, 5), (13, 1), (31, 3), (64, 17), (1, 1)]))
    x = np.random.default_rng(draw(st.integers(0, 99))).integers(-9, 10, (n, m)).astype(draw(st.sampled_from([np.float32, np.int32])))
    t, x = Tensor(x), x.copy()
    kept = []
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["shift", "flip", "rows", "step", "whole", "transpose", "read", "realize"]))
        if kind == "realize":
            t.realize()
        elif kind == "read":
            kept.append((x * 2, t * 2))
        elif kind == "whole":
            x[...] = x + 1
            t.assign(t + 1)
        elif kind == "flip":
            x[...] = x[::-1].copy()
            t.assign(t.flip(0))
        elif kind == "transpose" and n == m:
            x[...] = x.T.copy()
            t.assign(t.T)
        elif kind == "shift":
            x[1:] = x[:-1].copy()
            t[1:] = t[:-1]
        elif kind == "step":
            x[::2] = x[::2] * 3
            t[::2] = t[::2] * 3
        else:
            lo = draw(st.integers(0, n - 1))
            hi = draw(st.integers(lo, n))
            x[lo:hi] = x[lo:hi] + x[0].copy()
            t[lo:hi] = t[lo:hi] + t[0]
    equal(t, x, "the tensor written")
    for a, u in kept:
        equal(u, a, "a value read before later writes")


def test_swap_by_two_assigns(threads):
    a, b = Tensor(np.arange(5.0)), Tensor(np.arange(5.0) * 10)
    old = a + 0
    a.assign(b)
    b.assign(old)
    Tensor.realize_batch([a, b])
    np.testing.assert_array_equal(a.numpy(), np.arange(5.0) * 10)
    np.testing.assert_array_equal(b.numpy(), np.arange(5.0))

"""Variables in slices and shapes; plans that run again at other values."""

import os

import numpy as np
import pytest
from arrays import check, sample

from morok import Tensor, Variable, dtypes
from morok.errors import BoundsError, ShapeError
from morok.runtime.realize import RUNTIME

A = sample((8, 3), seed=1)
CASES = {
    "sum over it": (lambda x, n: x[:n].sum(0), lambda a, n: a[:n].sum(0)),
    "sum beside it": (lambda x, n: x[:n].sum(1), lambda a, n: a[:n].sum(1)),
    "total": (lambda x, n: x[:n].sum(), lambda a, n: a[:n].sum()),
    "elementwise": (lambda x, n: x[:n] * 2 + 1, lambda a, n: a[:n] * 2 + 1),
    "mean": (lambda x, n: x[:n].mean(0), lambda a, n: a[:n].mean(0)),
    "max": (lambda x, n: x[:n].max(0), lambda a, n: a[:n].max(0)),
    "softmax over it": (lambda x, n: x[:n].softmax(0), lambda a, n: np.exp(a[:n]) / np.exp(a[:n]).sum(0)),
    "transpose": (lambda x, n: x[:n].T, lambda a, n: a[:n].T),
    "permute and flatten": (lambda x, n: x[:n].permute(1, 0).flatten(), lambda a, n: a[:n].T.flatten()),
    "reshape": (lambda x, n: x[:n].reshape(-1, 1), lambda a, n: a[:n].reshape(-1, 1)),
    "rest": (lambda x, n: x[n:], lambda a, n: a[n:]),
    "row": (lambda x, n: x[n - 1], lambda a, n: a[n - 1]),
    "window": (lambda x, n: x[n - 1 : n].sum(0), lambda a, n: a[n - 1 : n].sum(0)),
    "matmul": (lambda x, n: x[:n] @ x[:n].T, lambda a, n: a[:n] @ a[:n].T),
    "inner product": (lambda x, n: x[:n].T @ x[:n], lambda a, n: a[:n].T @ a[:n]),
    "broadcast": (lambda x, n: x[:n] + Tensor.ones(3), lambda a, n: a[:n] + 1),
    "two parts": (lambda x, n: x[:n] + x[:n].sum(0), lambda a, n: a[:n] + a[:n].sum(0)),
    "reverse": (lambda x, n: x[:n][::-1], lambda a, n: a[:n][::-1]),
    "every second": (lambda x, n: x[:n][::2], lambda a, n: a[:n][::2]),
    "new axis": (lambda x, n: x[:n][:, None], lambda a, n: a[:n][:, None]),
    "cat": (lambda x, n: Tensor.cat([x[:n], x[:2]]), lambda a, n: np.concatenate([a[:n], a[:2]])),
    "full": (lambda x, n: Tensor.full((n, 3), 2.0), lambda a, n: np.full((n, 3), 2.0, np.float32)),
    "full and more": (lambda x, n: Tensor.full((n, 3), 2.0) * x[:n], lambda a, n: 2 * a[:n]),
    "arange": (lambda x, n: Tensor.arange(n), lambda a, n: np.arange(n)),
    "pad": (lambda x, n: x[:n].pad(((1, 0), (0, 1))), lambda a, n: np.pad(a[:n], ((1, 0), (0, 1)))),
    "argmax": (lambda x, n: x[:n].argmax(0), lambda a, n: a[:n].argmax(0)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("value", [1, 5, 8])
def test_values(name, value):
    n = Variable("n", 1, 8)
    build, right = CASES[name]
    check(build(Tensor(A), n.bind(value)), right(A, value), 1e-5)


@pytest.mark.parametrize("name", CASES)
def test_one_plan_runs_at_every_value(name):
    n = Variable("n", 1, 8)
    build, right = CASES[name]
    plan = build(Tensor(A), n.bind(5)).prepare()
    for value in (5, 1, 8, 3):
        plan.execute_with_vars({"n": value})
        expected = np.asarray(right(A, value))
        got = plan.output_buffer_at(0).numpy().ravel()[: expected.size].reshape(expected.shape)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_shapes():
    n = Variable("n", 1, 8)
    x = Tensor(A)[: n.bind(5)]
    assert repr(x.shape) == "(n=5, 3)" and int(x.shape[0]) == 5 and x.numel() == x.shape[0] * 3
    assert x.T.shape == (3, x.shape[0]) and x.flatten().shape == (x.shape[0] * 3,) and x.sum(0).shape == (3,)
    assert "not computed yet" in repr(x)
    with pytest.raises(TypeError):
        len(x)


def test_sizes_are_compared_by_their_meaning():
    n, m = Variable("n", 1, 8).bind(5), Variable("m", 1, 8).bind(5)
    assert n + n == 2 * n and (n + 1) - 1 == n and n * m == m * n and n - n == 0 and (n * 6) // 3 == n * 2 and n * 3 % 3 == 0
    assert n != m and n != 5 and n < 9 and n >= 1 and not n > 8
    with pytest.raises(BoundsError):
        bool(n < 5)
    assert (n * m).bounds == (1, 64) and int(n * m + 1) == 26 and int(n // 2) == 2 and int(7 - n) == 2 and int(n % 3) == 2


def test_bounds():
    n = Variable("n", 1, 8)
    for value in (0, 9, -1):
        with pytest.raises(BoundsError):
            n.bind(value)
    with pytest.raises(BoundsError, match="8"):
        Tensor(A)[:7][: n.bind(3)]
    with pytest.raises(BoundsError):
        Tensor(A)[n.bind(3)]
    with pytest.raises(BoundsError):
        Tensor(A)[: n.bind(5)][3]
    with pytest.raises(BoundsError):
        Variable("n", 5, 3)
    with pytest.raises(TypeError):
        Variable("n", 1, 2.5)
    with pytest.raises(TypeError):
        n.bind(2.0)
    plan = Tensor(A)[: n.bind(5)].sum(0).prepare()
    with pytest.raises(BoundsError):
        plan.execute_with_vars({"n": 9})
    with pytest.raises(BoundsError):
        plan.execute_with_vars({"n": 0})


def test_a_symbolic_size_is_not_taken_for_one():
    n = Variable("n", 1, 8)
    x = Tensor(A)[: n.bind(1)]
    with pytest.raises(ShapeError, match="n=1"):
        x + Tensor.ones(8, 3)
    with pytest.raises(ShapeError):
        x + Tensor(A)[: Variable("m", 1, 8).bind(1)]
    with pytest.raises(ShapeError):
        x.reshape(5, 3)


def test_writing_a_symbolic_slice():
    n = Variable("n", 1, 8)
    t = Tensor(A)
    t[: n.bind(3)] = 0
    right = A.copy()
    right[:3] = 0
    check(t, right)
    t[n.bind(3) :] += 1
    right[3:] += 1
    check(t, right)


def test_zeros_with_a_unit_axis():
    n, m = Variable("n", 1, 8).bind(3), Variable("m", 1, 8).bind(2)
    assert Tensor.zeros(m, n)[:, None, :].shape == (m, 1, n)
    check(Tensor.zeros(m, n)[:, None, :], np.zeros((2, 1, 3), np.float32))


def test_two_variables():
    n, m = Variable("n", 1, 8).bind(3), Variable("m", 1, 3).bind(2)
    check(Tensor(A)[:n, :m] + 1, A[:3, :2] + 1)
    check(Tensor(A)[:n, :m].T.flatten(), A[:3, :2].T.flatten())
    check(Tensor.full((n, m), 3, dtype=dtypes.int32).sum(), np.int64(18))


@pytest.mark.skipif("MOROK_TENSOR_ORACLE" in os.environ, reason="the runtime's message")
def test_an_unbound_variable_needs_a_value():
    n = Variable("n", 1, 8)
    x = Tensor(A)[:n].sum()
    with pytest.raises(BoundsError, match="n"):
        x.item()
    plan = Tensor(A)[:n].sum().prepare()
    plan.execute_with_vars({"n": 2})
    np.testing.assert_allclose(plan.output_buffer_at(0).numpy(), A[:2].sum(), rtol=1e-5)


def test_one_compile_serves_every_size():
    """The size 1 first: it must not be taken for what broadcasts. Then a length that is always divided by 4."""
    w, row, x = sample((9, 4), seed=1), sample((1, 4), seed=2), sample((44,), seed=3)
    n, m = Variable("rows", 1, 9), Variable("quarter", 1, 11)
    misses = RUNTIME.plans.misses
    for k in (1, 2, 9):
        check(Tensor(w)[: n.bind(k)] + Tensor(w)[: n.bind(k)] * Tensor(row), w[:k] + w[:k] * row)
    assert RUNTIME.plans.misses == misses + 1
    for k in (1, 2, 3, 11):
        check(Tensor(x)[: m.bind(k) * 4].reshape(4, m.bind(k)).sum(1), x[: 4 * k].reshape(4, k).sum(1))
    assert RUNTIME.plans.misses == misses + 2


def test_a_size_of_zero_first():
    w = sample((2, 3), seed=1)
    n = Variable("none", 0, 2)
    misses = RUNTIME.plans.misses
    for k in (0, 2, 1):
        check(Tensor(w)[: n.bind(k)].sum(0) + 2, w[:k].sum(0) + np.float32(2))
    assert RUNTIME.plans.misses == misses + 1

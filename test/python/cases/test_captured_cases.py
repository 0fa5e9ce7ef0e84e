"""Captured functions and sizes known later: the same values as without, and one capture for all sizes."""

import time

import numpy as np
import pytest
from arrays import check, sample

import morok
from morok import Tensor, Variable


@pytest.mark.parametrize("shape", [(3, 4), (1, 5), (6, 2)], ids=str)
def test_gradients_of_permuted_contiguous_values_after_replays(shape):
    target = Tensor(sample(shape[::-1], seed=9))

    w = Tensor(sample(shape, seed=10)).requires_grad_()

    def step(x):
        w.grad = None
        loss = ((w * x).permute(1, 0).contiguous() * target).sum() + (w * w).sum()
        loss.backward()
        return loss, w.grad + 0

    jitted, kept = morok.jit(step), []
    for i in range(4):
        x = Tensor(sample(shape, seed=i))
        kept.append((jitted(x), step(x)))
        with morok.no_grad():
            w -= 0.125
    for (loss, gradient), (right_loss, right_gradient) in kept:  # results of former calls are still there
        np.testing.assert_allclose(loss.detach().numpy(), right_loss.detach().numpy(), rtol=1e-5)
        np.testing.assert_array_equal(gradient.numpy(), right_gradient.numpy())


@pytest.mark.parametrize("size", [2, 1 << 12])
def test_a_captured_function_fed_its_own_result(size):
    f = morok.jit(lambda buffer, new: Tensor.cat([buffer[size // 2 :], new]))
    right = np.arange(size, dtype=np.float32)
    t = Tensor(right)
    for i in range(50):
        new = np.full(size // 2, i, np.float32)
        t = f(t, Tensor(new))
        right = np.concatenate([right[size // 2 :], new])
        np.testing.assert_array_equal(t.numpy(), right)
    assert f.captures == 1


@pytest.mark.parametrize("make", [lambda a, b: [a, b], lambda a, b: (a, (b,)), lambda a, b: {"a": a, "b": [b]}], ids=["list", "tuple", "dict"])
def test_each_call_takes_the_tensors_that_it_is_given(make):
    def f(tree):
        parts = list(tree.values()) if isinstance(tree, dict) else list(tree)
        second = parts[1][0] if isinstance(parts[1], (list, tuple)) else parts[1]
        return parts[0] * 10 + second

    jitted = morok.jit(f)
    for i in range(4):
        assert jitted(make(Tensor([float(i)]), Tensor([float(i + 1)]))).tolist() == [i * 11 + 1]
    assert jitted.captures == 1


@pytest.mark.parametrize("parts", [2, 4])
def test_one_capture_serves_every_length_that_is_split(parts):
    x, n = sample((44,), seed=1), Variable("part", 1, 44 // parts)
    f = morok.jit(lambda t: t.reshape(parts, -1).sum(1))
    for k in (1, 2, 5, 44 // parts):
        np.testing.assert_allclose(f(Tensor(x)[: n.bind(k) * parts]).numpy(), x[: k * parts].reshape(parts, k).sum(1), rtol=1e-5, atol=1e-5)
    assert f.captures == 1


@pytest.mark.parametrize("m, n", [(0, 2), (2, 0), (2, 3), (0, 0)])
def test_a_gather_by_an_index_of_no_rows_or_columns(m, n):
    a, i = sample((5, 3), seed=1), np.random.default_rng(0).integers(0, 5, (4, 3))
    rows, columns = Variable("m", 0, 4).bind(m), Variable("n", 0, 3).bind(n)
    check(Tensor(a)[Tensor(i)[:rows, :columns].reshape(rows * columns)].reshape(rows, columns, 3), a[i[:m, :n]])


@pytest.mark.parametrize("first", [0, 2])
def test_an_argument_that_is_not_used_may_have_any_size(first):
    n, store = Variable("unused", 0, 2), Tensor([1.0, 2.0])
    f = morok.jit(lambda x, y: y + 2)
    for k in (first, 2 - first, 1):
        assert f(store[: n.bind(k)], Tensor([3.0])).tolist() == [5]
    assert f.captures == 1


def test_many_small_tensors_are_joined_in_linear_time():
    began = time.process_time()
    parts = [Tensor(np.float32([i, -i])) for i in range(1500)]
    check(Tensor.stack(parts).sum(0), np.float32([1500 * 1499 / 2, -1500 * 1499 / 2]))
    assert time.process_time() - began < 10


def test_a_selection_of_many_elements_takes_linear_time():
    x = np.random.default_rng(0).standard_normal(1 << 16).astype(np.float32)
    began = time.process_time()
    check(Tensor(x).masked_select(Tensor(x) > 0), x[x > 0])
    assert time.process_time() - began < 10


def test_a_column_of_another_with_no_elements():
    assert Tensor.zeros(0, 3).sum(0).tolist() == [0, 0, 0] and Tensor.zeros(0, 3).prod(0).tolist() == [1, 1, 1]
    for name in ("exp", "neg", "abs", "relu", "softmax", "cumsum", "sign", "isnan", "sqrt", "T", "flatten", "contiguous"):
        for shape in ((0,), (0, 3), (2, 0)):
            found = getattr(Tensor.zeros(*shape), name)
            assert (found if name == "T" else found()).numpy().size == 0


@pytest.mark.parametrize("outputs", [1, 2, 3])
@pytest.mark.parametrize("values", [[200, 100], [255] * 7, [1]], ids=str)
def test_outputs_beside_a_wrapping_dot_product(values, outputs):
    a = np.array(values, np.uint8)
    f = morok.jit(lambda t: (t @ t, t + t, Tensor.cat([t, t]))[:outputs])
    right = (np.dot(a, a), a + a, np.concatenate([a, a]))[:outputs]
    for _ in range(2):
        for found, expected in zip(f(Tensor(a)), right):
            check(found, expected)


@pytest.mark.parametrize("function", ["tan", "gelu", "softmax", "argmax", "mean", "logsumexp", "cumsum"])
@pytest.mark.parametrize("layout", ["permuted", "flipped", "stepped", "expanded"])
def test_functions_of_views_are_those_of_their_copies(function, layout):
    x = (np.random.default_rng(1).permutation(48).reshape(4, 4, 3) / 48).astype(np.float32)
    view = {"permuted": lambda a: a.transpose(1, 0, 2), "flipped": lambda a: a[::-1, :, ::-1], "stepped": lambda a: a[::2, 1:],
            "expanded": lambda a: (a[:, :1].expand(4, 5, 3) if isinstance(a, Tensor) else np.broadcast_to(a[:, :1], (4, 5, 3)))}[layout]
    t = view(Tensor(x)) if layout != "permuted" else Tensor(x).permute(1, 0, 2)
    check(getattr(t, function)(), getattr(Tensor(np.ascontiguousarray(view(x))), function)().numpy(), 1e-6)
    means = t.mean(-1) if layout != "permuted" else t.var(-1)
    assert means.argmax().item() == means.numpy().argmax()

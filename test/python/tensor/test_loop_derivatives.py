"""Derivatives of loops: random bodies against the same iterations written out, finite differences, what is kept, and every mode."""

import gc
import re

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.graph.capture import capture
from morok.graph.tensor_graph import graph_statistics
from morok.interpret import interpret
from morok.runtime.realize import memory_of

RNG = np.random.default_rng(7)
W, V, ROWS = RNG.normal(size=(3, 3)) * 0.5, RNG.normal(size=(2, 3)), RNG.normal(size=(4, 3))
A, M = RNG.normal(size=3), RNG.normal(size=(2, 3))


def written_row(m, n, a):
    m = m + 0
    m[n % 2] = a.sin()
    return m


STEPS = [
    lambda i, a, m, n, w, v, rows: ((a @ w).tanh(), m, n),
    lambda i, a, m, n, w, v, rows: (a * 0.5 + rows[i % 4], m, n),
    lambda i, a, m, n, w, v, rows: (a * rows[(i + n) % 4] + m.sum(0), m, n + 1),
    lambda i, a, m, n, w, v, rows: (a, m * 0.5 + a * v, n * 2 - i),
    lambda i, a, m, n, w, v, rows: (a + n * 0.1, morok.where(morok.arange(2).reshape(2, 1) == n % 2, a, m), n + i),
    lambda i, a, m, n, w, v, rows: (m[0], written_row(m, n, a), n + 1),
    lambda i, a, m, n, w, v, rows: (a.cumsum(0) * 0.3, m.maximum(v), n),
    lambda i, a, m, n, w, v, rows: (morok.fori_loop(0, 3, lambda j, t: (t * v[j % 2]).sin() + rows[i % 4] * 0.1, a), m, n),
    lambda i, a, m, n, w, v, rows: (a, morok.fori_loop(0, 2, lambda j, t: t * 0.5 + (a * j).cos(), m), n + 1),
    lambda i, a, m, n, w, v, rows: (morok.stop_gradient(a) * a, m @ w, n),
    lambda i, a, m, n, w, v, rows: (morok.grad(lambda x: (x.sin() * v[0]).sum())(a), m, n),
    lambda i, a, m, n, w, v, rows: (morok.scan(lambda h, r: ((h * r).cos(), h.sum()), a, rows)[0], m, n),
]


def random_body(seed):
    return body_of([STEPS[k] for k in np.random.default_rng(seed).choice(len(STEPS), 3)])


def body_of(chosen):
    def body(i, c, w, v, rows):
        for step in chosen:
            c = step(i, *c, w, v, rows)
        return c
    return body


def functions(seed, count):
    """A loop with a random body and the same written out, of (a, m, w, v, rows)."""
    return loops_of(random_body(seed), count)


def loops_of(body, count):

    def looped(a, m, w, v, rows):
        a, m, n = morok.fori_loop(2, 2 + count, lambda i, c: body(i, c, w, v, rows), (a, m, 1))
        return a, m, n

    def written_out(a, m, w, v, rows):
        c = a, m, Tensor(1)
        for i in range(2, 2 + count):
            c = body(Tensor(i), c, w, v, rows)
        return c
    return looped, written_out


def values():
    return [Tensor(x) for x in (A, M, W, V, ROWS)]


def total(f):
    def loss(*args):
        a, m, n = f(*args)
        return (a.sin() * a).sum() + (m * m).sum() + n
    return loss


def assert_alike(found, wanted, rtol=1e-9):
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=rtol, atol=1e-11)


CASES = [*((seed, count) for seed in range(3) for count in (0, 1, 4)), *((seed, 3 + seed % 2) for seed in range(3, 11))]


@pytest.mark.parametrize(("seed", "count"), CASES)
def test_reverse_mode(seed, count):
    looped, written_out = functions(seed, count)
    numbers = (0, 1, 2, 3, 4)
    (loss, found), (wanted_loss, wanted) = (morok.value_and_grad(total(f), numbers)(*values()) for f in (looped, written_out))
    assert_alike([loss, *found], [wanted_loss, *wanted])


@pytest.mark.parametrize(("seed", "count"), CASES)
def test_forward_mode(seed, count):
    looped, written_out = functions(seed, count)
    along = [x.cos() for x in values()]
    (loss, found), (wanted_loss, wanted) = (morok.jvp(total(f), values(), along) for f in (looped, written_out))
    assert_alike([loss, found], [wanted_loss, wanted])


@pytest.mark.parametrize(("seed", "count"), [(s, c) for s, c in CASES if c])
def test_second_derivatives(seed, count):
    looped, written_out = functions(seed, count)
    along = [x.cos() for x in values()]
    found, wanted = (morok.hvp(total(f), values(), along)[1] for f in (looped, written_out))
    assert_alike(found, wanted, 1e-8)
    forward = morok.jvp(morok.grad(total(looped), (0, 1, 2, 3, 4)), values(), along)[1]
    assert_alike(forward, wanted, 1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_many_examples(seed):
    looped, _ = functions(seed, 3)
    batch = Tensor(np.stack([A, A * 0.5, -A]))
    rest = values()[1:]
    gradient = morok.grad(total(looped), (0, 2))
    found = morok.vmap(gradient, (0, None, None, None, None))(batch, *rest)
    each = [gradient(batch[k], *rest) for k in range(3)]
    assert_alike(found, [each[0][n].stack(each[1][n], each[2][n]) for n in range(2)])
    outside = morok.grad(lambda b: morok.vmap(total(looped), (0, None, None, None, None))(b, *rest).sum())(batch)
    assert_alike([outside], [found[0]])


@pytest.mark.parametrize("seed", range(6))
def test_every_mode_agrees(seed, monkeypatch):
    looped, _ = functions(seed, 3)
    gradient = morok.value_and_grad(total(looped), (0, 1, 2, 3, 4))
    jitted = morok.jit(gradient)
    lazy, *again = gradient(*values()), *(jitted(*values()) for _ in range(3))
    captured = capture([t.uop for t in (lazy[0], *lazy[1])])
    oracle = interpret(captured.program, "main", [memory_of(leaf).numpy() for leaf in captured.leaves])
    monkeypatch.setenv("MOROK_CHECK", "1")
    for a, b in zip((lazy[0], *lazy[1]), oracle, strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-10, atol=1e-12)
    for loss, found in again:
        assert_alike([loss, *found], [lazy[0], *lazy[1]])


def test_finite_differences():
    looped, _ = loops_of(body_of([STEPS[k] for k in (7, 2, 5, 3, 0)]), 4)
    args, rng, step = [A, M, W, V, ROWS], np.random.default_rng(0), 1e-6
    along = [rng.normal(size=x.shape) for x in args]
    loss = total(looped)
    moved = [loss(*(Tensor(x + s * step * d) for x, d in zip(args, along))).item() for s in (1, -1)]
    found = sum((g.numpy() * d).sum() for g, d in zip(morok.grad(loss, (0, 1, 2, 3, 4))(*values()), along))
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * step), rtol=1e-7)


def test_third_derivatives():
    def f(x):
        return morok.fori_loop(0, 3, lambda i, y: y * x + y.sin(), x).sum()
    x = 0.4
    found = morok.grad(morok.grad(morok.grad(f)))(Tensor(x, dtype=morok.float64)).item()

    def unrolled(x):
        y = x
        for _ in range(3):
            y = y * x + y.sin()
        return y
    assert found == pytest.approx(morok.grad(morok.grad(morok.grad(unrolled)))(Tensor(x, dtype=morok.float64)).item(), rel=1e-10)


def test_backward_to_variables_after_the_loop_was_computed():
    w = Tensor(W, requires_grad=True)
    y = morok.fori_loop(0, 4, lambda i, a: (a @ w).tanh(), Tensor(A))
    y.realize()
    y.sum().backward()
    _, wanted = morok.value_and_grad(lambda w: morok.fori_loop(0, 4, lambda i, a: (a @ w).tanh(), Tensor(A)).sum())(Tensor(W))
    assert_alike([w.grad], [wanted])
    with morok.no_grad():
        w -= w.grad
    assert not morok.fori_loop(0, 2, lambda i, a: a.detach() @ w.detach(), Tensor(A)).requires_grad


def test_no_grad_within_a_body():
    def f(a):
        def body(i, c):
            with morok.no_grad():
                factor = c.sin()
            return c * factor
        return morok.fori_loop(0, 2, body, a).sum()
    a = Tensor([0.5, 1.0], dtype=morok.float64)
    x = a.numpy()
    y = x * np.sin(x)
    np.testing.assert_allclose(morok.grad(f)(a).numpy(), np.sin(y) * np.sin(x), rtol=1e-12)


def test_checkpoints_in_and_around_loops():
    def f(run):
        return lambda a, w: run(lambda a, w: morok.fori_loop(0, 3, lambda i, c: run(lambda c: (c @ w).tanh())(c), a))(a, w).sum()
    found, wanted = (morok.grad(f(run), (0, 1))(Tensor(A), Tensor(W)) for run in (morok.checkpoint, lambda g: g))
    assert_alike(found, wanted)


def test_while_loops_go_forward_alone():
    def f(x):
        return morok.while_loop(lambda c: c[0].sum() < 100, lambda c: (c[0] * c[0] + x, c[1] + 1), (x, 0))[0]

    def written_out(x):
        y = x
        while y.sum().item() < 100:
            y = y * y + x
        return y
    x, dx = Tensor([1.5, 0.5], dtype=morok.float64), Tensor([1.0, -2.0], dtype=morok.float64)
    y, dy = morok.jvp(f, (x,), (dx,))
    step = 1e-6
    np.testing.assert_allclose(dy.numpy(), (written_out(x + dx * step).numpy() - written_out(x - dx * step).numpy()) / (2 * step), rtol=1e-6)
    np.testing.assert_allclose(y.numpy(), written_out(x).numpy())
    many = morok.vmap(lambda x: morok.jvp(f, (x,), (dx,))[1])(x.stack(x * 0.5))
    np.testing.assert_allclose(many.numpy(), [morok.jvp(f, (v,), (dx,))[1].numpy() for v in (x, x * 0.5)])
    np.testing.assert_allclose(morok.jacfwd(f)(x).numpy() @ dx.numpy(), dy.numpy())


def test_a_loop_and_its_derivative_run_forward_once():
    value, found = morok.value_and_grad(lambda a: morok.fori_loop(0, 7, lambda i, c: c.sin() * c, a).square().sum())(Tensor(A))
    report = Tensor.prepare_batch([value, found]).report()
    assert report.count("7 times") == 2
    _, moved = morok.jvp(lambda a: morok.fori_loop(0, 7, lambda i, c: c.sin() * c, a), (Tensor(A),), (Tensor(A),))
    assert moved.prepare().report().count("7 times") == 1


def test_what_a_loop_puts_into_rows_is_not_kept_again():
    def f(x, xs):
        h, hs = morok.scan(lambda h, x: ((h * x).sin(),) * 2, x, xs)
        return h.sum() + hs.square().sum()
    found = Tensor.prepare_batch(list(morok.grad(f, (0, 1))(Tensor(A), Tensor(ROWS)))).report()
    forward = found.split("4 times")[1].split("stage")[1]
    assert len(re.findall(r"in\d+:1x4x3xfloat64 ", forward)) == 1


def test_rows_that_a_body_picks_receive_in_place():
    """What reaches a table costs a row an iteration, not a table: no kernel of the loop back writes or copies another one."""
    table = Tensor(np.ones((513, 8)))
    found = morok.grad(lambda t: morok.fori_loop(0, 513, lambda i, c: c * 0.5 + t[i], t[0]).sum())(table)
    inside = Tensor.prepare_batch([found]).report().split("513 times")[-1].split("stage")[1]
    assert "in2:1x513x8xfloat64" in inside
    assert not re.search(r"(tmp|out)[^:]*:[^ ]*513x8xfloat64", inside)
    np.testing.assert_allclose(found.numpy()[:, 0], 0.5 ** np.arange(512, -1, -1) + (np.arange(513) == 0) * 0.5 ** 513)


def test_nothing_is_left_of_derivatives():
    w, counts = Tensor(W), []
    for _ in range(3):
        morok.hvp(lambda w: morok.scan(lambda c, r: ((c @ w + r).tanh(), c), w, w)[1].sum(), (w,), (w,))[1][0].numpy()
        gc.collect()
        counts.append(graph_statistics()["handles"])
    assert counts[1] == counts[2]


def test_a_loop_on_another_device():
    x = Tensor(A).to("CPU:1")
    found = morok.grad(lambda x: morok.fori_loop(0, 3, lambda i, c: c.sin() * c[i], x).sum())(x)
    wanted = morok.grad(lambda x: morok.fori_loop(0, 3, lambda i, c: c.sin() * c[i], x).sum())(Tensor(A))
    assert found.device == "CPU:1"
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-12)


def test_sizes_known_later():
    n = morok.Variable("n", 1, 8)
    x = Tensor(np.arange(8.0))

    def f(x, size):
        return morok.fori_loop(0, 3, lambda i, c: c * 0.5 + (x[:size] * 2 * c).sin().sum() + x[:size].sum() * i, Tensor(0.5, dtype=morok.float64))
    gradient = morok.jit(lambda x, size: morok.grad(lambda x: f(x, size))(x))
    for size in (2, 5, 8):
        wanted = morok.grad(lambda x, size=size: f(x, size))(x)
        np.testing.assert_allclose(gradient(x, n.bind(size)).numpy(), wanted.numpy(), rtol=1e-10)

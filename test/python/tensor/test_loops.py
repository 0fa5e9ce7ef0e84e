"""Loops with carried values: one op of the graph, a body that is compiled once and run as often as it takes."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import DTypeError, GradientError, IRError, ShapeError
from morok.graph.capture import capture
from morok.interpret import interpret
from morok.runtime.realize import memory_of

BODIES = {
    "sum of numbers": (lambda i, x: x + i, Tensor(0)),
    "power": (lambda i, x: x @ x * 0.5 + i, Tensor(np.eye(3) * 1.5)),
    "exchange": (lambda i, c: (c[1], c[0] + c[1] * i), (Tensor([1.0, 2.0]), Tensor([3.0, 5.0]))),
    "row": (lambda i, x: morok.where(morok.arange(4).reshape(4, 1) == i, x[i] * 2 + 1, x), Tensor(np.arange(12.0).reshape(4, 3))),
    "one stays": (lambda i, c: {"a": c["a"], "b": c["b"] + c["a"]}, {"a": Tensor([1.0, 2.0]), "b": Tensor([0.0, 0.0])}),
    "nothing changes": (lambda i, x: x, Tensor([1.0, 2.0])),
}


def leaves(tree):
    return [tree] if isinstance(tree, Tensor) else [t for v in (tree.values() if isinstance(tree, dict) else tree) for t in leaves(v)]


def unrolled(body, initial, count):
    for i in range(count):
        initial = body(Tensor(i), initial)
    return [t.numpy() for t in leaves(initial)]


@pytest.mark.parametrize("count", [0, 1, 4])
@pytest.mark.parametrize("name", BODIES)
def test_a_loop_is_its_body_again_and_again(name, count):
    body, initial = BODIES[name]
    found = leaves(morok.fori_loop(0, count, body, initial))
    for a, b in zip(found, unrolled(body, initial, count), strict=True):
        np.testing.assert_allclose(a.numpy(), b, rtol=1e-14)


@pytest.mark.parametrize("name", BODIES)
def test_the_interpreter_says_the_same(name):
    body, initial = BODIES[name]
    found = leaves(morok.fori_loop(0, 3, body, initial))
    captured = capture([t.uop for t in found])
    got = interpret(captured.program, "main", [memory_of(leaf).numpy() for leaf in captured.leaves])
    for a, b in zip(got, unrolled(body, initial, 3), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_while_loops_end_by_their_data():
    assert morok.while_loop(lambda x: x < 100, lambda x: x * 2, Tensor(3)).item() == 192
    assert morok.while_loop(lambda x: x < 100, lambda x: x * 2, Tensor(300)).item() == 300
    assert morok.while_loop(lambda x: x < 100, lambda x: x * 2, Tensor(3), limit=2).item() == 12
    steps, x = morok.while_loop(lambda c: (c[1] * c[1] - 2).abs() > 1e-14, lambda c: (c[0] + 1, (c[1] + 2 / c[1]) / 2), (0, Tensor(1.0, dtype=morok.float64)))
    assert steps.item() == 5
    assert abs(x.item() - 2 ** 0.5) < 1e-15


def test_loops_nest():
    def outer(i, c):
        total, rows = c
        inside = morok.fori_loop(0, 3, lambda j, t: t + rows[j] * i, total)
        return inside, rows + 1
    total, rows = np.zeros(2), np.arange(6.0).reshape(3, 2)
    found = morok.fori_loop(0, 4, outer, (Tensor(total), Tensor(rows)))
    for i in range(4):
        total, rows = total + rows.sum(0) * i, rows + 1
    np.testing.assert_allclose(found[0].numpy(), total)
    np.testing.assert_allclose(found[1].numpy(), rows)


def test_loops_follow_and_use_one_another():
    a = morok.fori_loop(0, 3, lambda i, x: x * 2, Tensor([1.0, 3.0]))
    b = morok.fori_loop(0, 2, lambda i, x: x + a.sum(), a + 1)
    alone = morok.fori_loop(0, 2, lambda i, x: x + morok.fori_loop(0, 3, lambda j, y: y + 1, Tensor(0)) * i, Tensor(1))
    np.testing.assert_allclose((b * 2).numpy(), [(9 + 64) * 2, (25 + 64) * 2])
    np.testing.assert_allclose(a.numpy(), [8, 24])
    assert alone.item() == 4


def test_what_does_not_change_is_computed_once():
    w = Tensor(np.ones((8, 8)))
    x = morok.fori_loop(0, 5, lambda i, x: x + (w @ w), Tensor(np.zeros((8, 8))))
    report = x.prepare().report()
    inside = report.split("5 times: ")[1].split("stage")[1]
    assert "8x8xfloat64" in inside and "k2" not in inside  # one kernel, which adds, and one that counts
    np.testing.assert_allclose(x.numpy(), np.full((8, 8), 40.0))


def test_a_plan_with_a_loop_runs_again_and_reports():
    x = Tensor([1.0, 2.0])
    plan = morok.fori_loop(0, 3, lambda i, y: y * 2, x).prepare()
    plan.execute()
    plan.execute()
    assert plan.output_buffer_at(0).numpy().tolist() == [8.0, 16.0]
    assert plan.num_kernels() == plan.profile(1).count("heuristic")
    assert "3 times" in plan.report()


def test_loops_in_jit_and_in_place():
    @morok.jit
    def step(x, w):
        w.assign(morok.fori_loop(0, 3, lambda i, y: y * x, w))
        return w.sum()
    w = Tensor([1.0, 2.0])
    for k in range(1, 4):
        assert step(Tensor(2.0), w).item() == 3 * 8 ** k
    assert w.tolist() == [512.0, 1024.0]


def test_equal_loops_are_one_plan():
    from morok.runtime.realize import RUNTIME
    for k in range(3):
        morok.fori_loop(0, 4, lambda i, x: x * 3 - i, Tensor([1.0 + k])).numpy()
        if k == 0:
            misses = RUNTIME.plans.misses
    assert RUNTIME.plans.misses == misses


def test_a_loop_in_a_checked_compilation(monkeypatch):
    monkeypatch.setenv("MOROK_CHECK", "1")
    assert morok.fori_loop(0, 3, lambda i, x: x * 2 + i, Tensor([1.0, 2.0])).tolist() == [12.0, 20.0]


def test_what_loops_refuse():
    x = Tensor([1.0, 2.0])
    with pytest.raises(ShapeError, match="must keep shapes"):
        morok.fori_loop(0, 3, lambda i, y: y.sum(), x)
    with pytest.raises(DTypeError, match="the body gives float64"):
        morok.fori_loop(0, 3, lambda i, y: y.cast(morok.float64), Tensor([1.0], dtype=morok.float32))
    with pytest.raises(ShapeError, match="same lists, tuples and dicts"):
        morok.fori_loop(0, 3, lambda i, y: (y, y), x)
    with pytest.raises(TypeError, match="lower"):
        morok.fori_loop(0.5, 3, lambda i, y: y, x)
    with pytest.raises(DTypeError, match="bool"):
        morok.while_loop(lambda y: y.sum(), lambda y: y, x)
    with pytest.raises(ShapeError, match="one element"):
        morok.while_loop(lambda y: y > 0, lambda y: y, x)
    with pytest.raises(IRError, match="in each iteration"):
        morok.fori_loop(0, 3, lambda i, y: y * y.sum().item(), x)
    with pytest.raises(GradientError, match="use jvp or jacfwd; or fori_loop or scan"):
        morok.grad(lambda y: morok.while_loop(lambda z: z.sum() < 9, lambda z: z * y, y).sum())(x)


def test_a_value_that_escapes_from_a_body():
    kept = []
    morok.fori_loop(0, 3, lambda i, y: kept.append(y) or y, Tensor([1.0])).numpy()
    with pytest.raises(IRError, match="what the body returns"):
        (kept[0] + 1).numpy()


def test_the_stages_of_a_loop_can_be_looked_at():
    from morok.runtime.inspection import stage_text
    x = morok.fori_loop(0, 3, lambda i, y: y * 2, Tensor([1.0, 2.0])) + 1
    assert '"morok.repeat"' in stage_text([x], "tensor")
    text = stage_text([x], "kernel")
    assert "morok.repeat = array<i64: 3>" in text and '"morok.store"' in text and '"morok.repeat"' not in text


def test_a_number_that_was_realised_is_still_a_constant_elsewhere():
    morok.jit(lambda x: x + 1)(Tensor(2.0))
    assert (Tensor([1.0, 3.0]).to("CPU:1") * 2).tolist() == [2.0, 6.0]


def test_a_loop_runs_once_for_all_its_values():
    from morok.runtime.realize import memory_view
    a, b = morok.fori_loop(0, 3, lambda i, c: (c[0] * 2, c[1] + c[0]), (Tensor([1.0]), Tensor([0.0])))
    assert (a + 1).tolist() == [9.0]
    assert memory_view(b.uop) is not None and b.tolist() == [7.0] and a.tolist() == [8.0]


def test_jitted_loops_run_by_one_call():
    def f(x, w):
        inner = morok.fori_loop(0, 3, lambda i, c: (c[1], c[0] * morok.fori_loop(0, 2, lambda j, y: y + i, w)), (x, x + 1))
        return inner[0] + 1, morok.while_loop(lambda c: c.sum() < 1000, lambda c: c * 3 + w, x)
    jitted = morok.jit(f)
    for k in range(4):
        x, w = Tensor([1.0 + k, 2.0]), Tensor([3.0, k + 1.0])
        for a, b in zip(jitted(x, w), f(x, w)):
            assert a.tolist() == b.tolist()
    captured, = jitted._captured.values()
    assert captured.direct is not None


def test_sizes_known_later_beside_a_loop():
    n = morok.Variable("n", 1, 8)
    x = Tensor(np.arange(8.0))
    total = morok.fori_loop(0, 3, lambda i, c: c * 2 + x[:n].sum() + i, Tensor(0.0, dtype=morok.float64))
    plan = total.prepare()
    for size in (1, 5, 8):
        plan.execute_with_vars({"n": size})
        s = np.arange(size).sum()
        assert plan.output_buffer_at(0).numpy() == ((s * 2 + s + 1) * 2 + s + 2)
    jitted = morok.jit(lambda x, n: morok.fori_loop(0, 3, lambda i, c: c * 2 + x[:n].sum(), Tensor(0.0, dtype=morok.float64)))
    assert [jitted(x, n.bind(k)).item() for k in (2, 4, 8)] == [7.0, 42.0, 196.0]


@pytest.mark.parametrize("view", ["row", "column", "flipped", "slice"])
@pytest.mark.parametrize("jitted", [False, True])
def test_a_loop_over_a_view_that_is_written_before_and_after(view, jitted):
    of = {"row": lambda b: b[0], "column": lambda b: b.T[1], "flipped": lambda b: b[0].flip(0) if isinstance(b, Tensor) else b[0, ::-1],
          "slice": lambda b: b[:, 1:]}[view]

    def change(b):
        v = of(b)
        v[...] = v * 2 + 1
        v[...] = morok.fori_loop(0, 3, lambda i, c: c * 0.5 + i, v)
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    b = Tensor(array).realize()
    (morok.jit(change) if jitted else change)(b)
    v = of(array)
    v[...] = v * 2 + 1
    for i in range(3):
        v[...] = v * 0.5 + i
    np.testing.assert_allclose(b.numpy(), array)

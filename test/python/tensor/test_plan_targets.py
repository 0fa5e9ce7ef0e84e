"""Plans that write tensors: views follow each run, and what was made of an old value keeps it. NumPy decides what is right."""

import random

import numpy as np
import pytest

import morok
from morok import Tensor, Variable

START = np.arange(12, dtype=np.float32).reshape(3, 4)
VIEWS = {"row": lambda a: a[1],
         "window": lambda a: a[1:, 1:3], "turned": lambda a: a.T, "flat": lambda a: a.reshape(-1), "view of a view": lambda a: a[1:][0, 2:]}


def counting(start=START):
    """A tensor, and a plan that adds one to it."""
    t = Tensor(start.copy()).realize()
    t.assign(t + 1)
    return t, t.prepare()


@pytest.mark.parametrize("when", ["before the plan", "before a run", "between runs"])
@pytest.mark.parametrize("view", VIEWS)
def test_views_follow_each_run(view, when):
    t = Tensor(START.copy()).realize()
    v = VIEWS[view](t)
    if when == "before the plan":
        v.realize()
    t.assign(t + 1)
    plan = t.prepare()
    if when == "before a run":
        np.testing.assert_array_equal(v.numpy(), VIEWS[view](START + 1))
    for run in range(1, 4):
        plan.execute()
        np.testing.assert_array_equal(t.numpy(), START + run)
        np.testing.assert_array_equal(v.numpy(), VIEWS[view](START + run))
        np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), START + run)


def test_what_was_made_of_an_old_value_keeps_it():
    t, plan = counting()
    plan.execute()
    product, copy, part = t * 10, t.clone(), t[0].clone()
    plan.execute()
    np.testing.assert_array_equal(t.numpy(), START + 2)
    np.testing.assert_array_equal(product.numpy(), (START + 1) * 10)
    np.testing.assert_array_equal(copy.numpy(), START + 1)
    np.testing.assert_array_equal(part.numpy(), START[0] + 1)
    plan.execute()
    np.testing.assert_array_equal(t.numpy(), START + 3)


def test_an_array_that_shares_the_memory_keeps_it():
    t, plan = counting()
    plan.execute()
    shared = np.from_dlpack(t)
    plan.execute()
    np.testing.assert_array_equal(shared, START + 1)
    np.testing.assert_array_equal(t.numpy(), START + 2)


@pytest.mark.parametrize("realized", [False, True])
def test_a_target_that_was_written_meanwhile(realized):
    t, plan = counting()
    plan.execute()
    v = t[2]
    t[0] = 100.0
    if realized:
        t.realize()
    plan.execute()
    expected = START + 2
    expected[0] = 101
    np.testing.assert_array_equal(t.numpy(), expected)
    np.testing.assert_array_equal(v.numpy(), expected[2])


def test_several_targets_and_variables():
    n = Variable("n", 1, 4)
    a, b = Tensor(START.copy()).realize(), Tensor(START * 2).realize()
    column, row = a[:, 1], b[2]
    a.assign(a + b[:, :n.bind(2)].sum(1, keepdim=True))
    b.assign(b * 2)
    plan = Tensor.prepare_batch([a, b])
    x, y = START.copy(), START * 2
    for size in (1, 4, 3):
        plan.execute_with_vars({"n": size})
        x, y = x + y[:, :size].sum(1, keepdims=True), y * 2
        np.testing.assert_array_equal(column.numpy(), x[:, 1])
        np.testing.assert_array_equal(row.numpy(), y[2])
        kept = row * 1
    plan.execute_with_vars({"n": 1})
    np.testing.assert_array_equal(kept.numpy(), y[2])


def test_profiling_is_running():
    t, plan = counting()
    v = t[1:]
    plan.profile(rounds=2)
    np.testing.assert_array_equal(v.numpy(), t.numpy()[1:])


@pytest.mark.parametrize("seed", range(8))
def test_random_uses_between_runs(seed):
    """Plans and captured functions that write one tensor, views, unfinished work and writes by hand, in any order."""
    rng = random.Random(seed)
    t, plan = counting()
    plan.execute()
    now = START + 1
    double = morok.jit(lambda t: t.assign(t * 2))
    views, kept = [], []
    for _ in range(25):
        kind = rng.randrange(8)
        name = rng.choice(sorted(VIEWS))
        if kind <= 1:
            plan.execute()
            now = now + 1
        elif kind == 2:
            double(t)
            now = now * 2
        elif kind == 3:
            views.append((VIEWS[name](t), VIEWS[name]))
        elif kind == 4:
            kept.append((VIEWS[name](t) - 3, VIEWS[name](now) - 3))
        elif kind == 5:
            t[1, 1:] = t[0, :3] * 0.5
            now = now.copy()
            now[1, 1:] = now[0, :3] * np.float32(0.5)
        elif kind == 6 and views:
            v, f = rng.choice(views)
            np.testing.assert_array_equal(v.numpy(), f(now))
        elif kept:
            u, expected = rng.choice(kept)
            np.testing.assert_array_equal(u.numpy(), expected)
    np.testing.assert_array_equal(t.numpy(), now)
    for v, f in views:
        np.testing.assert_array_equal(v.numpy(), f(now))
    for u, expected in kept:
        np.testing.assert_array_equal(u.numpy(), expected)

"""Hooks of gradients, and gradients that results of variables keep."""

import copy
import gc
import weakref

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import GradientError, ShapeError


def variable(*values):
    return Tensor(np.array(values), requires_grad=True)


def test_hooks_see_and_replace_gradients():
    w, seen = variable(1.0, 2.0), []
    y = w * 3
    z = (y * y).sum()
    y.register_hook(lambda g: seen.append(g.tolist()))  # also of what was made of it before
    handle = y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.tolist()))
    z.backward()
    assert seen == [[6.0, 12.0], [60.0, 120.0]] and w.grad.tolist() == [180.0, 360.0]
    handle.remove()
    handle.remove()
    w.grad = None
    (y * y).sum().backward()
    assert w.grad.tolist() == [18.0, 36.0] and len(seen) == 4


def test_hooks_of_variables_see_each_pass():
    w, seen = variable(1.0, 2.0), []
    w.register_hook(lambda g: seen.append(g.tolist()))
    with w.register_hook(lambda g: -g):
        (w * w).sum().backward()
    with morok.no_grad():
        w.assign(w + 1)
    (w * w).sum().backward()
    assert seen == [[2.0, 4.0], [4.0, 6.0]] and w.grad.tolist() == [2.0, 2.0]


def test_hooks_outlive_their_tensor_and_realisation():
    w, seen = variable(1.0, 2.0), []

    def hidden():
        h = (w * 3).realize()
        h.register_hook(lambda g: seen.append(g.tolist()) or g * 2)
        return (h * h).sum()
    hidden().backward()
    assert seen == [[6.0, 12.0]] and w.grad.tolist() == [36.0, 72.0]


def test_hooks_within_transforms_and_captures():
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g.clip(-1, 1))
        return (y * y).sum()
    x = Tensor([1.0, 0.125])
    assert morok.grad(f)(x).tolist() == morok.jit(morok.grad(f))(x).tolist() == [2.0, 1.0]
    assert morok.vmap(morok.grad(f))(x.reshape(1, 2)).tolist() == [[2.0, 1.0]]


def test_retained_gradients():
    w = variable(1.0, 2.0)
    y = w * 3
    row = y[1:]
    y.retain_grad()
    row.retain_grad()
    w.retain_grad()
    y.register_hook(lambda g: g * 1.0)
    assert y.retains_grad and not w.retains_grad and y.grad is None
    (y.sum() + row.sum() * 2).backward()
    (y * y).sum().backward()
    assert y.grad.tolist() == [7.0, 15.0] and row.grad.tolist() == [2.0] and w.grad.tolist() == [21.0, 45.0]
    assert copy.copy(y) is not None and (w * 3.5).grad is None


def test_retained_gradients_are_those_that_hooks_leave():
    w = variable(1.0, 2.0)
    y = w * 3
    y.retain_grad()
    y.register_hook(lambda g: g.clip(-1, 1))
    (y * y).sum().backward()
    assert y.grad.tolist() == [1.0, 1.0] and w.grad.tolist() == [3.0, 3.0]


def test_retained_gradients_are_let_go():
    w = variable(1.0, 2.0)
    y = w.exp()
    y.retain_grad()
    (y * y).sum().backward()
    ref = weakref.ref(y)
    del y
    gc.collect()
    assert ref() is None


@pytest.mark.parametrize("call", [lambda t: t.register_hook(print), lambda t: t.retain_grad()])
def test_only_of_what_has_gradients(call):
    for t in (Tensor([1.0]), variable(1.0).detach(), Tensor([1])):
        with pytest.raises(GradientError, match="made of no variable"):
            call(t)


def test_a_hook_keeps_the_shape():
    w = variable(1.0, 2.0)
    w.register_hook(lambda g: g.sum())
    with pytest.raises(ShapeError, match="shape"):
        (w * w).sum().backward()

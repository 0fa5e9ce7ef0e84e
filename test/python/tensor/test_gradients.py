"""Derivatives: against central differences in float64, through realised values, written values and captured functions."""

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import DTypeError, GradientError, ShapeError

RNG = np.random.default_rng(0)


def differences(function, arrays, number, step=1e-6):
    """Central differences of a function of one element with respect to one array."""
    found = np.zeros_like(arrays[number])
    for place in np.ndindex(found.shape):
        values = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[number][place] += sign * step
            values.append(function(*map(Tensor, moved)).item())
        found[place] = (values[0] - values[1]) / (2 * step)
    return found


def check(function, *arrays, tolerance=1e-6):
    """Each element of the result weighs differently, so that cotangents that reach the wrong place show."""
    arrays = [np.asarray(a, np.float64) for a in arrays]

    def weighed(*tensors):
        result = function(*tensors)
        return (result * Tensor(np.cos(np.arange(result.numel())).reshape(result.shape))).sum()
    found = morok.grad(weighed, tuple(range(len(arrays))))(*map(Tensor, arrays))
    Tensor.realize_batch(list(found))
    for i, derivative in enumerate(found):
        want = differences(weighed, arrays, i)
        assert derivative.shape == want.shape
        np.testing.assert_allclose(derivative.numpy(), want, rtol=0, atol=tolerance * max(1.0, np.abs(want).max(initial=0)))


INSIDE = RNG.uniform(0.2, 0.8, (2, 3))
ANY, OTHER = RNG.standard_normal((2, 3)), RNG.standard_normal((2, 3))
UNARY = """exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh erf
sqrt rsqrt reciprocal square abs neg relu gelu silu mish softplus sigmoid
elu selu celu hardswish hardsigmoid hardtanh relu6 logsigmoid softsign leaky_relu floor ceil round trunc sign""".split()


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_value(name):
    check(lambda x: getattr(x, name)(), INSIDE)


def test_acosh():
    check(lambda x: x.acosh(), INSIDE + 1)


@pytest.mark.parametrize("name", "add sub mul div maximum minimum pow mod hypot logaddexp copysign lerp".split())
def test_functions_of_two_values_broadcast(name):
    more = (0.3,) if name == "lerp" else ()
    check(lambda x, y: getattr(x, name)(y, *more), INSIDE, INSIDE[:1, ::-1] + 0.31)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("name", "sum prod max min mean var std logsumexp norm".split())
def test_reductions(name, axis):
    check(lambda x: getattr(x, name)(axis=axis), ANY)
    check(lambda x: getattr(x, name)(axis=axis, keepdim=True), ANY)


def test_a_product_with_zeros():
    check(lambda x: x.prod(1), [[0.0, 2, 3], [0, 0, 3], [1, 2, 3]])


MOVED = {
    "reshape": lambda x: x.reshape(3, 2), "permute": lambda x: x.permute(1, 0),
    "expand": lambda x: x.reshape(2, 1, 3).expand(2, 4, 3), "pad": lambda x: x.pad(((1, 0), (0, 2))),
    "slice": lambda x: x[1:, ::-2], "flip": lambda x: x.flip(0, 1), "roll": lambda x: x.roll(1, 1), "repeat": lambda x: x.repeat(2, 2),
    "cat": lambda x: Tensor.cat(x, x * 2, dim=1),
    "stack": lambda x: Tensor.stack([x, x * 2]), "gather": lambda x: x.gather(1, Tensor([[0, 0], [2, 1]])), "rows": lambda x: x[[1, 0, 1]],
    "columns": lambda x: x[:, Tensor([2, 2, 0])],
    "mask": lambda x: x[np.array([True, False])], "tril": lambda x: x.tril(), "diagonal": lambda x: x[:, :2].diagonal(),
}


@pytest.mark.parametrize("name", MOVED)
def test_movement_and_indexing(name):
    check(MOVED[name], ANY)


COMPOSED = {
    "softmax": (lambda x, y: x.softmax(-1) * y, ANY, OTHER), "log_softmax": (lambda x: x.log_softmax(0), ANY), "layernorm": (lambda x: x.layernorm(), ANY),
    "matmul": (lambda x, y: x @ y.T, ANY, OTHER), "einsum": (lambda x, y: Tensor.einsum("ij,kj->ik", x, y), ANY, OTHER),
    "conv2d": (lambda x, w: x.conv2d(w, padding=1, stride=2), RNG.standard_normal((1, 4, 5, 3)), RNG.standard_normal((2, 4, 3, 2))),
    "groups": (lambda x, w: x.conv2d(w, groups=2, dilation=2), RNG.standard_normal((1, 4, 5, 5)), RNG.standard_normal((4, 2, 2, 2))),
    "max_pool2d": (lambda x: x.max_pool2d(2), RNG.standard_normal((1, 2, 4, 5))), "avg_pool2d": (lambda x: x.avg_pool2d(2), RNG.standard_normal((1, 2, 4, 5))),
    "where": (lambda x, y: x.where(x > 0, y), ANY, OTHER), "clip": (lambda x: x.clip(-0.5, 0.5), ANY),
    "cumulated": (lambda x: (x.reshape(1, 6) * Tensor.ones(6, 6).tril()).sum(1), ANY),
    "cast": (lambda x: x.float().double() * x, np.round(ANY * 16) / 16),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions(name):
    function, *arrays = COMPOSED[name]
    check(function, *arrays, tolerance=1e-6 if name != "cast" else 1e-1)


def test_written_values():
    def write(x, y):
        t = x * 1
        t[0] = y[1] * 2
        t[:, 1:] += x[:, :-1] * t[:, 1:]
        t *= y
        return t * x
    check(write, ANY, OTHER)


def test_empty_and_scalar_values():
    assert morok.grad(lambda x: x.sum())(Tensor.zeros(0, 3)).shape == (0, 3)
    assert morok.grad(lambda x: x * x)(Tensor(3.0)).item() == 6
    assert morok.grad(lambda x: (x * 0).sum() + 1)(Tensor([1.0])).tolist() == [0.0]
    assert morok.grad(lambda x: Tensor([1.0]).sum())(Tensor([1.0])).tolist() == [0.0]


def test_ties():
    x = Tensor([-1.0, 0.0, 2.0])
    assert morok.grad(lambda x: x.relu().sum())(x).tolist() == [0, 0, 1]
    assert morok.grad(lambda x: x.clip(0, 2).sum())(x).tolist() == [0, 1, 1]
    assert morok.grad(lambda x: x.maximum(Tensor([0.0, 0.0, 0.0])).sum())(x).tolist() == [0, 0.5, 1]
    assert morok.grad(lambda x: x.max())(Tensor([2.0, 2.0, 1.0])).tolist() == [0.5, 0.5, 0]
    assert morok.grad(lambda x: x.abs().sum())(x).tolist() == [-1, 0, 1]


def test_higher_orders():
    third = lambda x: (x ** 4).sum()  # noqa: E731
    for order, want in enumerate(([4.0, 32.0], [12.0, 48.0], [24.0, 48.0], [24.0, 24.0]), 1):
        f = third
        for _ in range(order):
            f = (lambda g: lambda x: g(x).sum())(morok.grad(f))
        assert f(Tensor([1.0, 2.0])).item() == sum(want)


def test_jvp_and_vjp_are_adjoint():
    def f(x, y):
        return {"a": (x @ y).softmax(-1), "b": x.exp().sum(0)}
    x, y = Tensor(ANY), Tensor(OTHER.T.copy())
    dx, dy = Tensor(RNG.standard_normal((2, 3))), Tensor(RNG.standard_normal((3, 2)))
    values, pushed = morok.jvp(f, (x, y), (dx, dy))
    again, pull = morok.vjp(f, x, y)
    cotangent = {"a": Tensor(RNG.standard_normal((2, 2))), "b": Tensor(RNG.standard_normal(3))}
    back = pull(cotangent)
    left = sum((pushed[k] * cotangent[k]).sum().item() for k in "ab")
    right = (back[0] * dx).sum().item() + (back[1] * dy).sum().item()
    assert left == pytest.approx(right, rel=1e-12)
    for k in "ab":
        np.testing.assert_array_equal(values[k].numpy(), again[k].numpy())
    step = 1e-6
    want = (f(x + dx * step, y + dy * step)["a"].numpy() - f(x - dx * step, y - dy * step)["a"].numpy()) / (2 * step)
    np.testing.assert_allclose(pushed["a"].numpy(), want, atol=1e-8)


def test_trees_of_arguments():
    weights = {"w": Tensor([1.0, 2.0]), "b": [Tensor(3.0)]}
    loss, found = morok.value_and_grad(lambda t: (t["w"] ** 2).sum() * t["b"][0])(weights)
    assert loss.item() == 15 and found["w"].tolist() == [6, 12] and found["b"][0].item() == 5
    found, aux = morok.grad(lambda t: ((t * t).sum(), "more"), has_aux=True)(Tensor([1.0]))
    assert found.tolist() == [2] and aux == "more"
    first, second = morok.grad(lambda x, y: (x * y).sum(), (0, -1))(Tensor([1.0]), Tensor([5.0]))
    assert (first.item(), second.item()) == (5, 1)


def test_custom_gradients():
    @morok.custom_gradient
    def f(x, y):
        return x * y, lambda g: (g * 100, None)
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    found = morok.grad(lambda x, y: f(x, y).realize().sum(), (0, 1))(x, y)
    assert found[0].tolist() == [100, 100] and found[1].tolist() == [0, 0]
    assert morok.grad(lambda x: (x * morok.stop_gradient(x)).sum())(x).tolist() == [1, 2]


# Variables


@pytest.mark.parametrize("realised", range(8))
def test_it_does_not_matter_what_is_realised_when(realised):
    w = Tensor([1.0, 2.0], requires_grad=True)
    y = (w * 3).exp()
    if realised & 1:
        y.realize()
    z = (y * w).sum()
    if realised & 2:
        z.item()
    z.backward()
    if realised & 4:
        w.grad.realize()
    z2 = (w * w).sum()
    z2.backward()
    e = np.exp([3.0, 6.0])
    np.testing.assert_allclose(w.grad.numpy(), e + 3 * np.array([1, 2]) * e + 2 * np.array([1, 2]), rtol=1e-6)


def test_gradients_add_up_in_the_same_tensor():
    w = Tensor([1.0], requires_grad=True)
    (w * 2).sum().backward()
    first = w.grad
    (w * 3).sum().backward()
    assert w.grad is first and first.tolist() == [5]
    w.grad = None
    assert w.grad is None


def test_equal_values_are_different_variables():
    a, b = Tensor.zeros(3).requires_grad_(), Tensor.zeros(3).requires_grad_()
    ((a + 1) * (b + 2)).sum().backward()
    assert a.grad.tolist() == [2, 2, 2] and b.grad.tolist() == [1, 1, 1]
    v = Tensor([1.0, 2.0, 3.0, 4.0]).reshape(2, 2).requires_grad_()
    (v.T * v.reshape(4)[:2]).sum().backward()
    np.testing.assert_allclose(v.grad.numpy(), morok.grad(lambda v: (v.T * v.reshape(4)[:2]).sum())(Tensor(v.numpy())).numpy())


def test_no_grad():
    w = Tensor([1.0, 2.0], requires_grad=True)
    with morok.no_grad():
        y = w * 2
        with morok.enable_grad():
            z = w * 2
        assert not morok.is_grad_enabled()
    assert morok.is_grad_enabled()
    assert not y.requires_grad and z.requires_grad and w.detach().requires_grad is False
    with pytest.raises(GradientError, match="depends on no tensor"):
        y.sum().backward()
    (w * y.detach() + y).sum().backward()
    assert w.grad.tolist() == [2, 4]


def test_variables_are_written_without_gradients():
    w = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(GradientError, match="no_grad"):
        w += 1
    old = (w * w).sum()
    with morok.no_grad():
        w += 1
        w[0] = 7
    assert w.tolist() == [7, 3] and w.is_leaf and w.requires_grad
    old.backward()  # of the values as they were
    assert w.grad.tolist() == [2, 4]
    w.grad = None
    (w * w).sum().backward()
    assert w.grad.tolist() == [14, 6]


def test_variables_not_computed_yet_are_computed_without_gradients():
    """What no_grad reads is cut off from gradients, but computing keeps the variable's own value."""
    w = Tensor.zeros(3, 2).requires_grad_()
    view, turned = w[1:], w.T
    with morok.no_grad():
        for t in (view, turned, w, w * 2, (w * 2)[1:]):
            assert not t.is_realized and not t.numpy().any() and t.is_realized and np.asarray(t).shape == t.shape
        w += 1
        assert view.tolist() == [[1, 1], [1, 1]] and turned.numpy().all() and w.requires_grad
    (w * w).sum().backward()
    assert w.grad.tolist() == [[2, 2]] * 3


def test_a_second_backward_of_what_was_realised():
    w = Tensor([1.0, 2.0], requires_grad=True)
    for keep in (True, False):
        y = (w * 5).realize()
        z = y.sum().realize()
        z.backward(retain_graph=keep)
        if keep:
            z.backward()
        else:
            with pytest.raises(GradientError, match="retain_graph"):
                z.backward()
    assert w.grad.tolist() == [15, 15]


def test_create_graph():
    x = Tensor([2.0], requires_grad=True)
    (x ** 3).sum().backward(create_graph=True)
    g = x.grad
    x.grad = None
    g.sum().backward()
    assert x.grad.tolist() == [12]


@pytest.mark.parametrize("when", ["first", "last", "never"])
@pytest.mark.parametrize("written_as_view", [False, True])
def test_a_captured_step_is_the_step(when, written_as_view):
    xs, ys, start = (RNG.standard_normal(s).astype(np.float32) for s in ((8, 5), (8, 2), (5, 2)))

    def trained(wrap):
        w = Tensor(start, requires_grad=True)

        def step(x, y):
            if when == "first":
                w.grad = None
            loss = ((x @ w - y) ** 2).mean()
            loss.backward()
            with morok.no_grad():
                if written_as_view:
                    w[:2] = w[:2] - w.grad[:2] * 0.1
                else:
                    w.assign(w - w.grad * 0.1)
            if when == "last":
                w.grad = None
            return loss
        run = wrap(step)
        losses = [run(Tensor(xs), Tensor(ys)).item() for _ in range(5)]
        return losses, w.numpy(), None if w.grad is None else w.grad.numpy(), run
    want, found = trained(lambda f: f), trained(morok.jit)
    np.testing.assert_allclose(found[0], want[0], rtol=1e-6)
    np.testing.assert_allclose(found[1], want[1], rtol=1e-6, atol=1e-7)
    assert (found[2] is None) == (want[2] is None) == (when == "last")
    if when != "last":
        np.testing.assert_allclose(found[2], want[2], rtol=1e-5, atol=1e-6)
    assert found[3].captures == (2 if when == "never" else 1)


def test_captured_gradients_of_arguments():
    f = lambda x: (x.sin() * x).sum()  # noqa: E731
    x = Tensor(ANY)
    np.testing.assert_array_equal(morok.jit(morok.grad(f))(x).numpy(), morok.grad(f)(x).numpy())


def test_nothing_is_kept_for_gradients_that_nobody_wants():
    from morok.graph.derivation import ORIGINS
    before = len(ORIGINS)
    w = Tensor([1.0, 2.0], requires_grad=True)
    y = (w * 3).realize()
    assert len(ORIGINS) == before + 1
    del y
    (Tensor([1.0]) * 2).realize()
    assert len(ORIGINS) == before


WRONG = {
    "integers": (lambda: Tensor([1, 2], requires_grad=True), DTypeError, "only floats have gradients, not int64"),
    "backward of several": (lambda: Tensor([1.0, 2.0], requires_grad=True).backward(), ShapeError, "has no one gradient"),
    "backward of integers": (lambda: Tensor([1]).backward(), DTypeError, "only floats"),
    "backward of nothing": (lambda: Tensor([1.0]).sum().backward(), GradientError, "requires_grad=True"),
    "shape of a cotangent": (lambda: Tensor([1.0, 2.0], requires_grad=True).backward(Tensor([1.0])), ShapeError, r"\(1,\).*\(2,\)"),
    "shape of grad": (lambda: setattr(Tensor([1.0], requires_grad=True), "grad", Tensor([1.0, 2.0])), ShapeError, "shape and dtype of its tensor"),
    "grad of no variable": (lambda: setattr(Tensor([1.0]), "grad", Tensor([1.0])), GradientError, "requires_grad"),
    "requires_grad off": (lambda: (Tensor([1.0], requires_grad=True) * 2).requires_grad_(False), GradientError, "detach"),
    "no tensor": (lambda: morok.grad(lambda x: x)(3.0), DTypeError, "no tensor among the arguments"),
    "no such argument": (lambda: morok.grad(lambda x: x, 1)(Tensor([1.0])), ShapeError, "argnums names argument 1"),
    "several values": (lambda: morok.grad(lambda x: x)(Tensor([1.0, 2.0])), ShapeError, "must have one element"),
    "value no tensor": (lambda: morok.grad(lambda x: 3)(Tensor([1.0])), DTypeError, "must give a Tensor"),
    "integer argument": (lambda: morok.grad(lambda x: x.sum())(Tensor([1])), DTypeError, "not a tensor of int64"),
    "tangents": (lambda: morok.jvp(lambda x: x, (Tensor([1.0]),), ()), ShapeError, "1 primals and 0 tangents"),
    "rule": (lambda: morok.custom_gradient(lambda x: x)(Tensor([1.0])), GradientError, "a function of its cotangent"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


# Captured functions


def test_derivatives_of_captured_functions():
    f, x = morok.jit(lambda x: (x ** 2).sum()), Tensor([1.0, 3.0])
    for _ in range(3):
        assert morok.grad(f)(x).tolist() == [2, 6] and f(x).item() == 10
    assert morok.grad(lambda x: f(x * 2) + x.sum())(x).tolist() == [9, 25]
    assert morok.jvp(f, (x,), (x,))[1].item() == 20 and morok.hessian(f)(x).tolist() == [[2, 0], [0, 2]]


def test_what_a_captured_function_makes_of_variables_is_no_constant():
    w = Tensor([1.0, 2.0], requires_grad=True)
    g = morok.jit(lambda x: (x * w).sum())
    for _ in range(3):
        with pytest.raises(GradientError, match="morok.jit captured"):
            (g(Tensor([1.0, 1.0])) + (w * 0).sum()).backward()
    ((w * 3).sum() + g(Tensor([1.0, 1.0])).detach()).backward()
    with morok.no_grad():
        known = g(Tensor([1.0, 1.0]))
    ((w * 3).sum() + known).backward()
    assert w.grad.tolist() == [6, 6]


def test_a_window_of_a_size_known_later_beside_the_whole():
    n, x = morok.Variable("n", 1, 4), Tensor([1.0, 2.0, 3.0, 4.0])
    gradient = morok.jit(lambda x, size: morok.grad(lambda x: x[:size].square().sum() + x.sum())(x))
    for size in (1, 3, 4):
        assert gradient(x, n.bind(size)).tolist() == [2 * v + 1 if k < size else 1 for k, v in enumerate((1.0, 2.0, 3.0, 4.0))]


def test_forward_mode_of_sums_in_logarithms():
    x, dx = np.array([0.3, -1.2, 2.0, 0.5]), np.array([1.0, -0.5, 0.0, 2.0])
    found = morok.jvp(lambda x: x.logcumsumexp(0), (Tensor(x),), (Tensor(dx),))[1].numpy()
    np.testing.assert_allclose(found, np.cumsum(np.exp(x) * dx) / np.cumsum(np.exp(x)), rtol=1e-12)

"""Methods with an underscore write what the method without it gives (which is compared with NumPy elsewhere), or raise and change nothing."""

import inspect

import numpy as np
import pytest

import morok
from morok import Tensor
from morok.errors import DTypeError, GradientError, ShapeError
from morok.tensor.in_place import InPlaceMethods

NAMES = [name for name in vars(InPlaceMethods) if not name.startswith("_")]
OF_INTEGERS = {"bitwise_and_", "bitwise_or_", "bitwise_xor_", "bitwise_not_", "bitwise_left_shift_", "bitwise_right_shift_"}
OF_FLOATS = {"float_power_"}
ARGUMENTS = {"clamp_": (0.4, 0.6), "clip_": (0.4, 0.6), "lerp_": (0.75, 0.25), "addcmul_": (2.0, 3.0), "addcdiv_": (2.0, 4.0), "threshold_": (0.5, 0.25),
             "cumsum_": (0,), "cumprod_": (1,)}


def arguments(name):
    if name in ARGUMENTS:
        return ARGUMENTS[name]
    required = [p for p in list(inspect.signature(getattr(Tensor, name)).parameters.values())[1:] if p.default is p.empty]
    return (2,) * len(required)


def values(name, shape=(3, 5)):
    drawn = np.random.default_rng(3).uniform(0.25, 0.9, shape) + (1.0 if "acosh" in name or "arccosh" in name else 0.0)
    return (drawn * 20).astype(np.int32) if name in OF_INTEGERS else drawn if name in OF_FLOATS else drawn.astype(np.float32)


@pytest.mark.parametrize("name", NAMES)
def test_the_result_is_written(name):
    array = values(name)
    expected = np.asarray(getattr(Tensor(array), name[:-1])(*arguments(name)).numpy()).astype(array.dtype)
    for base, view in ((x := Tensor(array), x), (y := Tensor(np.ascontiguousarray(array.T)), y.T)):
        later = base[1:]
        assert getattr(view, name)(*arguments(name)) is view
        assert (view.dtype, view.shape) == (Tensor(array).dtype, array.shape)
        np.testing.assert_array_equal(view.numpy(), expected)
        np.testing.assert_array_equal(later.numpy(), base.numpy()[1:])


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (7,)])
def test_shapes(shape):
    for name in sorted(set(NAMES) - {"tril_", "triu_", "cumsum_", "cumprod_"}):
        array = values(name, shape)
        expected = np.asarray(getattr(Tensor(array), name[:-1])(*arguments(name)).numpy()).astype(array.dtype)
        np.testing.assert_array_equal(getattr(Tensor(array), name)(*arguments(name)).numpy(), expected, err_msg=name)


def test_against_numpy():
    a = np.array([[0.5, -2.0], [3.0, 4.5]], np.float32)
    for name, expected in {"add_": a + 2, "sub_": a - 2, "mul_": a * 2, "div_": a / 2, "pow_": a ** 2, "exp_": np.exp(a), "abs_": np.abs(a), "neg_": -a,
                           "clamp_": np.clip(a, 0.4, 0.6), "floor_": np.floor(a), "gt_": (a > 2).astype(np.float32), "tril_": np.tril(a)}.items():
        np.testing.assert_allclose(getattr(Tensor(a), name)(*arguments(name)).numpy(), expected, rtol=2e-6, err_msg=name)


@pytest.mark.parametrize("dtype", [np.int32, np.bool_, np.uint8])
def test_a_result_that_does_not_go_into_the_dtype_changes_nothing(dtype):
    array = np.ones((2, 3), dtype)
    for name in NAMES:
        t = Tensor(array)
        try:
            result = getattr(Tensor(array), name[:-1])(*arguments(name))
        except DTypeError:
            continue
        if morok.can_cast(result.dtype, t.dtype) or result.dtype.kind in "iu" and t.dtype.kind in "iu":
            getattr(t, name)(*arguments(name))
        else:
            with pytest.raises(DTypeError, match=f"^{name}: a result of"):
                getattr(t, name)(*arguments(name))
            np.testing.assert_array_equal(t.numpy(), array)


def test_errors_name_the_method():
    with pytest.raises(ShapeError, match="^add_: a value of shape"):
        Tensor([1, 2]).add_(Tensor([[1], [2]]))
    with pytest.raises(ShapeError, match="^mul_: shapes do not broadcast"):
        Tensor([1, 2]).mul_(Tensor([1, 2, 3]))
    with pytest.raises(GradientError):
        Tensor([1.0, 2.0], requires_grad=True).exp_()


def test_derivatives_pass():
    w = Tensor([1.0, 2.0], requires_grad=True)
    x = w * 3
    x.exp_().mul_(w)
    x.sum().backward()
    a = np.array([1.0, 2.0])
    np.testing.assert_allclose(w.grad.numpy(), np.exp(3 * a) * (1 + 3 * a), rtol=1e-5)


def test_within_a_captured_function():
    @morok.jit
    def step(t):
        t.add_(1).mul_(2)
        return t.sum()
    t = Tensor([1.0, 2.0])
    assert [step(t).item(), step(t).item()] == [10.0, 24.0]
    assert t.tolist() == [10.0, 14.0]

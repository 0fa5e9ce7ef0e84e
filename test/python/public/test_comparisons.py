"""Each public function and method beside NumPy, over shapes, dtypes and layouts (test_public_names.py says that none is left out)."""

import inspect

import numpy as np
import pytest
from comparisons import BINARY, CALLS, DOMAINS, REDUCTIONS, UNARY, erf, tables

import morok
from morok import Tensor

unary, binary, reductions = tables()
LAYOUTS = {"as it is": lambda a: a, "reversed axes": lambda a: a.T, "every other": lambda a: a[..., ::2] if a.ndim else a,
           "backwards": lambda a: a[::-1] if a.ndim else a}
WHOLE = {"double", "float", "half", "bfloat16", "int", "long", "round"}
VARIANTS = [((), np.float32, "as it is"), ((0, 3), np.float32, "as it is"), ((7,), np.float64, "backwards"), ((5, 3, 2), np.float32, "reversed axes"),
            ((3, 7), np.int32, "every other"), ((2, 3), np.bool_, "as it is")]
TOLERANCE = 2e-5
"""Of float32 results whose operands NumPy rounds at other places; test_elementwise and its neighbours measure each function's own error."""


def numbers(shape, dtype, name="", low=-9, high=9, seed=0):
    low, high = DOMAINS.get(name, (low, high))
    drawn = np.random.default_rng(seed).integers(4 * low, 4 * high, shape) / 4 if dtype is not np.bool_ else np.random.default_rng(seed).integers(0, 2, shape)
    return np.asarray(drawn + (low > 0 and dtype is np.int32)).astype(dtype)


def views(array, layout):
    return LAYOUTS[layout](array), LAYOUTS[layout](Tensor(array))


def close(got, expected, name):
    got, expected = np.asarray(got.numpy() if isinstance(got, Tensor) else got), np.asarray(expected)
    assert got.shape == expected.shape, name
    loose = 1e-2 if name in ("half", "bfloat16") else 1e-12 if got.dtype == np.float64 and expected.dtype == np.float64 else TOLERANCE
    np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=loose, atol=loose, err_msg=name)


def calls(name, x, *more):
    """The method and the function of a name, where they are."""
    if hasattr(Tensor, name):
        yield getattr(x, name)(*more)
    if inspect.isfunction(getattr(morok, name, None)):
        yield getattr(morok, name)(x, *more)


def compared(results, expected):
    """Computes all results as one plan, then compares each."""
    Tensor.realize_batch([r for rs in results.values() for r in rs if isinstance(r, Tensor)])
    wrong = []
    for name, found in results.items():
        for result in found:
            try:
                close(result, expected[name], name)
            except AssertionError as error:
                wrong.append(f"{name}: {error}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("shape", "dtype", "layout"), VARIANTS)
def test_of_one_operand(shape, dtype, layout):
    results, expected = {}, {}
    for name, line in unary.items():
        if dtype is np.bool_ and name in ("neg", "negative", "sign", "selu", "celu", "elu", "positive"):
            continue  # NumPy refuses or wraps bools here
        x, t = views(numbers(shape, dtype, name), layout)
        with np.errstate(all="ignore"):
            expected[name] = eval(line, {"np": np, "erf": erf, "x": x.astype(np.float64) if dtype is not np.float32 else x})
        results[name] = list(calls(name, t))
    compared(results, expected)


@pytest.mark.parametrize(("shape", "dtype", "layout"), VARIANTS[:5])
def test_of_two_operands(shape, dtype, layout):
    results, expected = {}, {}
    for name, line in binary.items():
        x, t = views(numbers(shape, dtype, "", 0 if name in ("pow", "power", "float_power") else -9, 4), layout)
        other = numbers(x.shape[-1:], dtype, "", 1, 5, seed=1)
        with np.errstate(all="ignore"):
            expected[name] = eval(line, {"np": np, "x": x, "y": other})
        results[name] = list(calls(name, t, Tensor(other)))
    compared(results, expected)


@pytest.mark.parametrize(("shape", "dtype", "layout"), [v for v in VARIANTS[2:5]])
@pytest.mark.parametrize("axis", [0, -1, None])
def test_along_an_axis(shape, dtype, layout, axis):
    results, expected = {}, {}
    for name, line in reductions.items():
        x, t = views(numbers(shape, dtype, "", -3, 3), layout)
        with np.errstate(all="ignore"):
            expected[name] = eval(line, {"np": np, "x": x, "a": axis})
        found = list(calls(name, t, *([2] if name == "norm" else []), axis))
        results[name] = [part for f in found for part in (f if isinstance(f, tuple) else (f,))][:len(found)]
    compared(results, expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_calls(dtype):
    arrays = {"x": numbers((3, 5), dtype), "y": numbers((5,), dtype, "", 1, 5, 1), "w": numbers((3, 3), dtype, seed=2), "v": numbers((1, 2, 6), dtype, seed=3),
              "i": numbers((3, 5), np.int64, "", 0, 9, 4), "j": numbers((5,), np.int64, "", 0, 4, 5), "m": numbers((3, 5), np.bool_, seed=6),
              "k": numbers((3, 3), np.int64, "", 0, 3, 7)}
    operands = {"Tensor": Tensor, "morok": morok, **{k: Tensor(a) for k, a in arrays.items()}}
    with np.errstate(all="ignore"):
        expected = {name: eval(line, {"np": np, **arrays}) for name, (_, line) in CALLS.items()}
    results = {name: eval(call, operands) for name, (call, _) in CALLS.items()}
    assert results.pop("dtype") == expected["dtype"]
    compared({name: [result] for name, result in results.items()}, expected)


def test_lines_are_in_one_table():
    names = [*UNARY, *BINARY, *REDUCTIONS, *CALLS]
    assert len(set(names)) == len(names)

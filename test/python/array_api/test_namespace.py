"""The array API's namespace: names, signatures, and values beside NumPy's namespace of the same standard."""

import inspect

import numpy as np
import pytest

import morok
import morok.array_api as xp
from morok import Tensor

LATER: set[str] = set()
"""What needs sorting and running sums; a name that comes must leave this list."""
COMPLEX = {"complex64", "complex128"}
STANDARD = set("""e inf nan newaxis pi __array_api_version__ __array_namespace_info__ bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64
complex64 complex128 arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type
abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj
copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10
logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
round sign signbit sin sinh square sqrt subtract tan tanh trunc take take_along_axis matmul matrix_transpose tensordot vecdot
concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack
argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
cumulative_prod cumulative_sum max mean min prod std sum var all any diff""".split())

POSITIONAL_ONLY = {"abs": 1, "add": 2, "clip": 1, "where": 3, "sum": 1, "matmul": 2, "reshape": 1, "moveaxis": 3, "repeat": 2, "take": 2, "linspace": 2,
                   "full_like": 1, "tile": 2}


def test_the_names_are_the_standards():
    assert set(xp.__all__) == STANDARD - LATER - COMPLEX and all(hasattr(xp, name) for name in xp.__all__)
    assert len(xp.__all__) == len(set(xp.__all__))


@pytest.mark.parametrize("name", sorted(POSITIONAL_ONLY))
def test_operands_are_given_by_position(name):
    kinds = [p.kind for p in inspect.signature(getattr(xp, name)).parameters.values()]
    assert kinds.count(inspect.Parameter.POSITIONAL_ONLY) == POSITIONAL_ONLY[name]


def test_a_tensor_tells_its_namespace():
    t = Tensor([1.0])
    assert t.__array_namespace__() is t.__array_namespace__(api_version="2024.12") is xp is morok.array_api
    with pytest.raises(ValueError, match=r"2024\.12, not '2021\.12'"):
        t.__array_namespace__(api_version="2021.12")
    assert t.to_device(t.device) is t and t.to_device("CPU:1").device == "CPU:1"
    with pytest.raises(ValueError, match="streams"):
        t.to_device("CPU", stream=1)


def test_information():
    info = xp.__array_namespace_info__()
    assert info.default_device() in info.devices() and info.capabilities()["boolean indexing"] is True
    assert set(info.default_dtypes()) == {"real floating", "complex floating", "integral", "indexing"}
    assert set(info.dtypes()) == {n for n in STANDARD if hasattr(getattr(xp, n, None), "kind")}
    assert set(info.dtypes(kind=("unsigned integer", "bool"))) == {"uint8", "uint16", "uint32", "uint64", "bool"}


M = np.array([[1.5, -2.25, 0.0], [3.0, -0.0, 0.5]], np.float32)
POSITIVE = np.array([[0.25, 0.5, 1.0], [0.125, 0.75, 0.875]], np.float32)
I = np.array([[1, -2, 3], [7, 0, -5]], np.int32)  # noqa: E741
B = I > 0
U = np.array([[1], [2]], np.int32)
IDX = np.array([2, 0, 2], np.int64)

ONE = {"abs": M, "acos": POSITIVE, "acosh": POSITIVE + 1, "asin": POSITIVE, "asinh": M, "atan": M, "atanh": POSITIVE / 2, "bitwise_invert": I, "ceil":
       M, "cos": M, "cosh": M, "exp": M, "expm1": M, "floor": M, "isfinite": M, "isinf": M, "isnan": M, "log": POSITIVE, "log1p": POSITIVE, "log2":
       POSITIVE, "log10": POSITIVE, "logical_not": B, "negative": I, "positive": M, "reciprocal": POSITIVE, "round": M, "sign": I, "signbit": M,
       "sin": M, "sinh": M, "sqrt": POSITIVE, "square": I, "tan": M, "tanh": M, "trunc": M, "conj": M, "real": M, "imag": M}
TWO = {name: (M, POSITIVE) for name in
       """add atan2 copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp maximum minimum multiply nextafter not_equal
       remainder subtract""".split()}
TWO |= {name: (I, U) for name in
        """add subtract multiply floor_divide remainder maximum bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift pow""".split()}
TWO |= {name: (B, ~B) for name in "logical_and logical_or logical_xor".split()}

CASES = {
    **{name: lambda x, f, a=a, n=name: getattr(x, n)(f(a)) for name, a in ONE.items()},
    **{f"{name} of two": lambda x, f, p=p, n=name: getattr(x, n)(f(p[0]), f(p[1])) for name, p in TWO.items()},
    "number first": lambda x, f: x.subtract(1, f(I)),
    "var": lambda x, f: x.var(f(M), axis=1),
    "std": lambda x, f: x.std(f(M), axis=0, correction=1, keepdims=True),
    "sum": lambda x, f: x.sum(f(I), axis=(0, 1)),
    "sum of uint8": lambda x, f: x.sum(f(U.astype(np.uint8)), axis=0, keepdims=True),
    "prod": lambda x, f: x.prod(f(I), axis=-1),
    "mean": lambda x, f: x.mean(f(M), axis=0),
    "max": lambda x, f: x.max(f(M)),
    "min": lambda x, f: x.min(f(I), axis=1),
    "all": lambda x, f: x.all(f(B), axis=0),
    "any": lambda x, f: x.any(f(B)),
    "count_nonzero": lambda x, f: x.count_nonzero(f(I), axis=1),
    "argmax": lambda x, f: x.argmax(f(M), axis=1, keepdims=True),
    "argmin": lambda x, f: x.argmin(f(M)),
    "diff": lambda x, f: x.diff(f(I), n=2),
    "diff with ends": lambda x, f: x.diff(f(I), axis=0, prepend=f(I[:1]), append=f(I)),
    "diff of bools": lambda x, f: x.diff(f(B)),
    "clip": lambda x, f: x.clip(f(I), -1, 2),
    "clip above": lambda x, f: x.clip(f(M), max=0.25),
    "where": lambda x, f: x.where(f(B), f(M), f(POSITIVE)),
    "arange": lambda x, f: x.arange(2, 9, 3),
    "arange down": lambda x, f: x.arange(5, -1, -2),
    "eye": lambda x, f: x.eye(3, 4, k=-1, dtype=x.float64),
    "eye above": lambda x, f: x.eye(3, k=5, dtype=x.int8),
    "full": lambda x, f: x.full((2, 2), 7),
    "full_like": lambda x, f: x.full_like(f(I), 3, dtype=x.float64),
    "linspace": lambda x, f: x.linspace(1, 2, 5, dtype=x.float64, endpoint=False),
    "zeros": lambda x, f: x.zeros(3, dtype=x.int16),
    "ones_like": lambda x, f: x.ones_like(f(M)),
    "tril": lambda x, f: x.tril(f(M), k=-1),
    "triu": lambda x, f: x.triu(f(I), k=1),
    "meshgrid": lambda x, f: x.stack(x.meshgrid(f(IDX), f(IDX[:2]))),
    "meshgrid ij": lambda x, f: x.stack(x.meshgrid(f(IDX), f(IDX[:2]), indexing="ij")),
    "take": lambda x, f: x.take(f(M), f(IDX), axis=1),
    "take_along_axis": lambda x, f: x.take_along_axis(f(I), f(IDX[None]), axis=1),
    "take_along_axis negative": lambda x, f: x.take_along_axis(f(I), f(np.array([[-1], [-2]]))),
    "matmul": lambda x, f: x.matmul(f(M), f(POSITIVE.T.copy())),
    "matrix_transpose": lambda x, f: x.matrix_transpose(f(M)),
    "tensordot": lambda x, f: x.tensordot(f(M), f(POSITIVE), axes=((0, 1), (0, 1))),
    "vecdot": lambda x, f: x.vecdot(f(M), f(POSITIVE)),
    "vecdot broadcast": lambda x, f: x.vecdot(f(I), f(I[0])),
    "concat": lambda x, f: x.concat([f(I), f(I.astype(np.int64))], axis=1),
    "concat flat": lambda x, f: x.concat([f(M), f(M[0])], axis=None),
    "stack": lambda x, f: x.stack([f(M), f(POSITIVE)], axis=-1),
    "unstack": lambda x, f: x.unstack(f(M), axis=1)[2],
    "expand_dims": lambda x, f: x.expand_dims(f(M), -1),
    "squeeze": lambda x, f: x.squeeze(f(U), 1),
    "flip": lambda x, f: x.flip(f(M)),
    "moveaxis": lambda x, f: x.moveaxis(f(M[None]), 0, -1),
    "permute_dims": lambda x, f: x.permute_dims(f(M), (1, 0)),
    "repeat": lambda x, f: x.repeat(f(I), 2, axis=1),
    "repeat by counts": lambda x, f: x.repeat(f(I), f(np.array([1, 0, 2])), axis=1),
    "repeat flat": lambda x, f: x.repeat(f(I), 3),
    "reshape": lambda x, f: x.reshape(f(M), (3, -1), copy=True),
    "roll": lambda x, f: x.roll(f(M), (1, -1), axis=(0, 1)),
    "tile": lambda x, f: x.tile(f(M), (2, 1, 2)),
    "astype": lambda x, f: x.astype(f(M), x.int8),
    "broadcast_to": lambda x, f: x.broadcast_to(f(U), (4, 2, 3)),
    "broadcast_arrays": lambda x, f: x.broadcast_arrays(f(U), f(IDX))[1],
    "empty sum": lambda x, f: x.sum(f(M[:0]), axis=0),
    "0-d": lambda x, f: x.add(f(M[0, 0]), f(M[1, 0])),
    "asarray": lambda x, f: x.asarray([[1, 2], [3, 4]]),
}
NUMPY = {"take_along_axis": lambda: np.take_along_axis(I, np.broadcast_to(IDX[None], (2, 3)), 1)}


@pytest.mark.parametrize("layout", ["plain", "transposed", "stepped"])
@pytest.mark.parametrize("name", sorted(CASES))
def test_values_are_numpys(name, layout):
    def laid(a):
        if layout == "transposed" and a.ndim > 1:
            return Tensor(np.ascontiguousarray(np.swapaxes(a, -1, -2))).mT
        if layout == "stepped" and a.ndim:
            return Tensor(np.repeat(a, 2, axis=-1))[..., ::2]
        return Tensor(a)
    expected, result = np.asarray(NUMPY[name]() if name in NUMPY else CASES[name](np, lambda a: a)), CASES[name](xp, laid)
    assert result.shape == expected.shape and result.dtype.np == expected.dtype
    np.testing.assert_allclose(result.numpy(), expected, rtol=2e-6, atol=2e-7)


def test_copies():
    t = Tensor([1, 2])
    assert xp.asarray(t) is t and xp.astype(t, xp.int64, copy=False) is t
    for copied in (xp.asarray(t, copy=True), xp.astype(t, xp.int64), xp.reshape(t, (2,), copy=True), xp.positive(t), xp.clip(t)):
        copied += 1
        assert copied.tolist() == [2, 3] and t.tolist() == [1, 2]


@pytest.mark.parametrize("call, kind, words", [
    (lambda: xp.sum([1, 2]), TypeError, "takes a Tensor, not list"), (lambda: xp.add(1, 2), TypeError, "one of both must be a Tensor"),
    (lambda: xp.add(Tensor([1]), [1]), TypeError, "not list"), (lambda: xp.squeeze(xp.ones((2, 1)), 0), ValueError, "axis 0 of shape"),
    (lambda: xp.take(xp.ones((2, 2)), Tensor([0])), ValueError, "name the axis"), (lambda: xp.where(Tensor([1]), 1, 2), TypeError, "must be of bool"),
    (lambda: xp.concat([]), ValueError, "at least one"), (lambda: xp.meshgrid(Tensor([1]), indexing="yx"), ValueError, "'xy' or 'ij'"),
    (lambda: xp.vecdot(xp.ones(3), xp.ones(1)), ValueError, "differ: 3 and 1"), (lambda: xp.asarray([1], copy=False), ValueError, "copy=False"),
    (lambda: xp.asarray(Tensor([1]), dtype=xp.int8, copy=False), ValueError, "only by a copy"), (lambda: xp.eye(-1), ValueError, "negative"),
    (lambda: xp.repeat(Tensor([1, 2]), Tensor([1, 2, 3])), ValueError, "3 counts"), (lambda: xp.diff(Tensor([1]), n=-1), ValueError, "negative"),
    (lambda: xp.asarray(1j), NotImplementedError, "complex"), (lambda: xp.zeros(2, dtype="complex64"), NotImplementedError, "complex"),
])
def test_wrong_calls(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_order_and_running_sums():
    x = np.array([[3.0, 1.0, np.nan, 1.0]])
    np.testing.assert_array_equal(xp.sort(Tensor(x)).numpy(), np.sort(x))
    np.testing.assert_array_equal(xp.argsort(Tensor(x), descending=True).numpy(), [[2, 0, 1, 3]])
    values, indices, inverse, counts = xp.unique_all(Tensor([[2, 1], [2, 7]]))
    assert (values.tolist(), indices.tolist(), inverse.tolist(), counts.tolist()) == ([1, 2, 7], [1, 0, 3], [[1, 0], [1, 2]], [1, 2, 1])
    assert xp.unique_counts(Tensor([np.nan, np.nan])).counts.tolist() == [1, 1]
    assert xp.unique_inverse(Tensor([5, 5])).inverse_indices.tolist() == [0, 0] and xp.unique_values(Tensor([5, 5])).tolist() == [5]
    assert xp.searchsorted(Tensor([1, 3]), Tensor([3, 0]), side="right").tolist() == [2, 0]
    assert xp.cumulative_sum(Tensor([1, 2]), include_initial=True).tolist() == [0, 1, 3]
    assert xp.cumulative_prod(Tensor([[2], [3]]), axis=0, dtype=xp.float32, include_initial=True).tolist() == [[1.0], [2.0], [6.0]]
    with pytest.raises(morok.errors.AxisError, match="needs an axis"):
        xp.cumulative_sum(Tensor([[1]]))
    with pytest.raises(morok.errors.ShapeError, match="one axis"):
        xp.searchsorted(Tensor([[1]]), Tensor([1]))

"""New tensors: from data and from shapes."""

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, SHAPES, check, sample

from morok import Tensor, dtypes
from morok.errors import BoundsError, DeviceError, DTypeError, ShapeError


@pytest.mark.parametrize("dtype", ALL, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_array_comes_back_as_it_was(shape, dtype):
    a = sample(shape, dtype)
    t = Tensor(a)
    assert t.shape == shape and t.dtype is dtype and t.ndim == len(shape) and t.size == a.size
    np.testing.assert_array_equal(t.numpy(), a)


def test_data_is_copied():
    a = np.zeros(3, np.float32)
    t = Tensor(a)
    a[:] = 7
    assert t.tolist() == [0, 0, 0]
    t.numpy()[:] = 8
    assert t.tolist() == [0, 0, 0]


def test_borrowed_data_is_never_written():
    a = np.zeros(64, np.float32)
    t = Tensor(a, borrow=True)
    t += 1
    assert t.numpy().sum() == 64 and a.sum() == 0


@pytest.mark.parametrize(
    "data, dtype",
    [
        (True, dtypes.bool),
        (3, dtypes.int64),
        (2.5, dtypes.float32),
        ([1, 2], dtypes.int64),
        ([1, 2.5], dtypes.float32),
        ([True, False], dtypes.bool),
        ([], dtypes.float32),
        ([[]], dtypes.float32),
        (range(3), dtypes.int64),
        (np.float64(2), dtypes.float64),
        (np.int8(2), dtypes.int8),
        ([np.float64(1), 2], dtypes.float64),
        ([[1], [2]], dtypes.int64),
        ((1, 2), dtypes.int64),
        ([2**63], dtypes.uint64),
    ],
)
def test_dtype_of_data(data, dtype):
    t = Tensor(data)
    assert t.dtype is dtype
    np.testing.assert_array_equal(t.numpy(), np.array(data))


@pytest.mark.parametrize(
    "given, dtype",
    [
        ("float16", dtypes.float16),
        (np.int8, dtypes.int8),
        (np.dtype("u2"), dtypes.uint16),
        (bool, dtypes.bool),
        (int, dtypes.int64),
        (float, dtypes.float32),
        (dtypes.bfloat16, dtypes.bfloat16),
        (ml_dtypes.bfloat16, dtypes.bfloat16),
    ],
)
def test_dtype_argument(given, dtype):
    assert Tensor([1, 2], dtype=given).dtype is dtype
    assert Tensor.zeros(2, dtype=given).dtype is dtype


def test_floats_to_integers_truncate_and_wrap_as_cast_does():
    values = [-0.5, -1.5, 255.9, 0.9, 300.0, float("nan"), 1e30]
    right = [0, 255, 255, 0, 44, 0, 255]
    assert Tensor(values, dtype=dtypes.uint8).tolist() == right
    assert Tensor(values).cast(dtypes.uint8).tolist() == right


def test_a_tensor_of_a_tensor_is_a_copy():
    a = Tensor([1.0, 2.0])
    b = Tensor(a)
    b += 1
    assert a.tolist() == [1, 2] and b.tolist() == [2, 3]
    assert Tensor(a, dtype=dtypes.int8).dtype is dtypes.int8


def test_big_endian_and_strided_arrays():
    a = np.arange(12, dtype=">f4").reshape(3, 4)
    check(Tensor(a), a.astype(np.float32))
    check(Tensor(a.T[::2]), a.T[::2].astype(np.float32))
    check(Tensor(np.arange(5)[::-1]), np.arange(5)[::-1])


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)], ids=str)
def test_constants(shape):
    check(Tensor.zeros(*shape), np.zeros(shape, np.float32))
    check(Tensor.ones(shape, dtype=dtypes.int16), np.ones(shape, np.int16))
    check(Tensor.full(shape, 7), np.full(shape, 7))
    check(Tensor.full(shape, 2.5), np.full(shape, 2.5, np.float32))
    check(Tensor.full(shape, True), np.full(shape, True))
    x = Tensor(sample(shape, dtypes.uint8))
    check(x.zeros_like(), np.zeros(shape, np.uint8))
    check(x.ones_like(dtype=dtypes.float64), np.ones(shape))
    check(x.full_like(3), np.full(shape, 3, np.uint8))


@pytest.mark.parametrize(
    "args",
    [(5,), (0,), (-3,), (2, 7), (7, 2), (7, 2, -2), (1, 10, 3), (0.0, 1.0, 0.25), (5.0,), (1, 2, 0.3), (10, 0, -2.5), (0, 1.05, 0.1)],
)
def test_arange(args):
    a = np.arange(*args)
    check(Tensor.arange(*args), a if a.dtype.kind == "i" else a.astype(np.float32))


def test_arange_dtypes():
    check(Tensor.arange(5, dtype=dtypes.float16), np.arange(5, dtype=np.float16))
    check(Tensor.arange(300, dtype=dtypes.uint8), np.arange(300).astype(np.uint8))
    check(Tensor.arange(2**40, 2**40 + 3), np.arange(2**40, 2**40 + 3))


@pytest.mark.parametrize("args", [(0, 1, 5), (0, 1, 1), (0, 1, 0), (2, -3, 7), (0, 1, 50)])
@pytest.mark.parametrize("endpoint", [True, False])
def test_linspace(args, endpoint):
    check(Tensor.linspace(*args, endpoint=endpoint), np.linspace(*args, endpoint=endpoint).astype(np.float32))


@pytest.mark.parametrize("args", [(3,), (2, 4), (4, 2), (0,), (1,)])
def test_eye(args):
    check(Tensor.eye(*args), np.eye(*args, dtype=np.float32))


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (5, 2), (2, 3, 4), (0, 3), (1, 1)], ids=str)
@pytest.mark.parametrize("k", [0, 1, -1, 3, -7])
def test_triangles(shape, k):
    a = sample(shape)
    check(Tensor(a).tril(k), np.tril(a, k))
    check(Tensor(a).triu(k), np.triu(a, k))


def test_one_hot():
    check(Tensor([[0, 2], [1, 0]]).one_hot(3), np.eye(3, dtype=np.int64)[[[0, 2], [1, 0]]])


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: Tensor([[1, 2], [3]]), ShapeError, "ragged"),
        (lambda: Tensor("abc"), DTypeError, "str"),
        (lambda: Tensor(["a"]), DTypeError, "numbers"),
        (lambda: Tensor(None), DTypeError, "NoneType"),
        (lambda: Tensor([1, None]), DTypeError, "numbers"),
        (lambda: Tensor(1j), DTypeError, "complex"),
        (lambda: Tensor(np.zeros(2, complex)), DTypeError, "complex"),
        (lambda: Tensor(np.zeros(2, object)), DTypeError, "object"),
        (lambda: Tensor([1], dtype="float31"), DTypeError, "float32"),
        (lambda: Tensor([1], dtype=3), DTypeError, "dtype"),
        (lambda: Tensor(300, dtype="uint8"), OverflowError, "uint8"),
        (lambda: Tensor([1], device="cpux"), DeviceError, "CPU:1"),
        (lambda: Tensor.zeros(-1), ShapeError, "negative"),
        (lambda: Tensor.zeros(2.5), TypeError, "2.5"),
        (lambda: Tensor.zeros("3"), TypeError, "'3'"),
        (lambda: Tensor.full((2,), "x"), DTypeError, "str"),
        (lambda: Tensor.arange(0, 5, 0), BoundsError, "step"),
        (lambda: Tensor.arange(float("inf")), BoundsError, "finite"),
        (lambda: Tensor.arange("5"), DTypeError, "'5'"),
        (lambda: Tensor.linspace(0, 1, -1), ShapeError, "-1"),
        (lambda: Tensor.ones(3).tril(), ShapeError, "(3,)"),
        (lambda: Tensor.ones(3).one_hot(2), DTypeError, "float32"),
    ],
)
def test_wrong_calls(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)


def test_device_names_in_any_case():
    assert Tensor([1], device="cpu").device == "CPU" and Tensor([1], device="Cpu:1").device == "CPU:1"

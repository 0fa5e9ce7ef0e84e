"""finfo, iinfo, can_cast, result_type, isdtype; dtypes as names of morok; what complex numbers raise."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, FLOATS, INTEGERS

import morok
from morok import Tensor, dtypes
from morok.errors import DTypeError


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_limits_of_floats(dtype):
    expected, found = ml_dtypes.finfo(dtype.np), morok.finfo(dtype)
    assert morok.finfo(Tensor([1.0], dtype=dtype)) == morok.finfo(dtype.name) == found and found.dtype is dtype and found.bits == expected.bits
    for name in ("eps", "max", "min", "smallest_normal", "smallest_subnormal", "tiny"):
        value = getattr(found, name)
        assert type(value) is float and value == float(getattr(expected, name)) and Tensor(value, dtype=dtype).item() == value


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_limits_of_integers(dtype):
    expected, found = np.iinfo(dtype.np), morok.iinfo(Tensor([1], dtype=dtype))
    assert (found.bits, found.max, found.min, found.dtype) == (expected.bits, expected.max, expected.min, dtype)


def test_limits_of_others_are_errors():
    for call, words in ((lambda: morok.finfo("int8"), "iinfo"), (lambda: morok.iinfo("float32"), "finfo"),
                        (lambda: morok.iinfo(bool), "integer dtype, not bool"), (lambda: morok.finfo(bool), "not bool"),
                        (lambda: morok.finfo("f9"), "there are")):
        with pytest.raises(DTypeError, match=words):
            call()


def test_result_type_is_the_dtype_of_a_sum():
    for a, b in itertools.product(ALL, ALL):
        assert morok.result_type(a, b) is (Tensor([1], dtype=a).maximum(Tensor([1], dtype=b))).dtype is morok.result_type(b.np, Tensor(1, dtype=a))
        assert morok.can_cast(a, b) == (morok.result_type(a, b) is b)
        for scalar in (True, 2, 2.5):
            assert morok.result_type(scalar, a) is morok.result_type(a, scalar) is Tensor([1], dtype=a).maximum(scalar).dtype


def test_result_type_does_not_depend_on_order():
    for three in itertools.combinations([*ALL, 1, 1.5], 3):
        assert len({morok.result_type(*order) for order in itertools.permutations(three)}) == 1


def test_result_type_of_numbers_and_of_nothing():
    assert (morok.result_type(1), morok.result_type(True), morok.result_type(1, 2.0), morok.result_type(1, True)) == (
        dtypes.int64, dtypes.bool, dtypes.float32, dtypes.int64)
    with pytest.raises(TypeError, match="at least one"):
        morok.result_type()


def test_kinds():
    letters = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f", "complex floating": "", "numeric": "iuf"}
    for dtype, (kind, allowed) in itertools.product(ALL, letters.items()):
        assert morok.isdtype(dtype, kind) == (dtype.kind in allowed) == morok.isdtype(dtype, (kind, "complex floating"))
    assert morok.isdtype(morok.int8, morok.int8) and not morok.isdtype(morok.int8, (morok.int16, "bool"))
    for kind in ("integer", ("bool", "float")):
        with pytest.raises(ValueError, match="signed integer"):
            morok.isdtype(morok.bool, kind)


def test_dtypes_are_names_of_morok():
    for dtype in ALL:
        assert getattr(morok, dtype.name) is dtype


@pytest.mark.parametrize("call", [lambda: Tensor(1j), lambda: Tensor([1j]), lambda: Tensor(np.zeros(2, complex)), lambda: Tensor.zeros(2, dtype="complex64"),
                                  lambda: Tensor([1]).astype(np.complex128), lambda: Tensor([1]) + 1j, lambda: 1j * Tensor([1]), lambda: Tensor([1]) == 1j,
                                  lambda: Tensor([1.0]).astype(complex), lambda: Tensor([1.0]) + np.complex64(1), lambda: Tensor.full(2, 1j)])
def test_complex_numbers_are_not_implemented(call):
    with pytest.raises(NotImplementedError, match="complex numbers are not supported yet") as caught:
        call()
    assert isinstance(caught.value, DTypeError)

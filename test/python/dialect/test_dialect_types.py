"""Types and attributes, both ways between Python and MLIR."""
# ruff: noqa: E501  (MLIR text and its messages)

import math
import pickle

import ml_dtypes
import numpy as np
import pytest
from mlir import ir

from morok.dialect import types as T
from morok.dialect.attributes import attribute_from_mlir, attribute_to_mlir
from morok.dialect.context import shared_context
from morok.errors import MorokError

TYPES = [*T.DTYPES.values(), T.token, T.argument, T.tensor((), T.float32), T.tensor((2, None, 0), T.bool_), T.memref((), T.int8),
         T.memref((2, 3), T.bfloat16),
         T.memref((None,), T.float32), T.memref((4,), T.uint8, "local"), T.memref((4,), T.float32, "register"), T.vector(16, T.float16),
         T.vector(1, T.index), T.ptr(T.float32, "global"), T.ptr(T.vector(4, T.uint64), "local"), T.ptr(T.index, "register")]


@pytest.mark.parametrize("t", TYPES, ids=T.spelling)
def test_type_survives_mlir(t):
    translator = T.TypeTranslator(shared_context().context)
    mlir = translator.to_mlir(t)
    assert str(mlir) == T.spelling(t)
    assert translator.from_mlir(mlir) is t and T.parse_type(mlir) is t


def test_types_are_interned():
    assert T.tensor((2, 3), T.float32) is T.tensor((2, 3), T.float32)
    assert T.memref((2,), T.int8) is T.memref((2,), T.int8, None)


@pytest.mark.parametrize("dtype", T.DTYPES.values(), ids=str)
def test_dtype_survives_pickling(dtype):
    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_dtypes_of_numpy():
    for dtype in T.DTYPES.values():
        if dtype is not T.index:
            assert T.dtype_of_numpy(dtype.np) is dtype
    assert T.dtype_of_numpy(ml_dtypes.bfloat16) is T.bfloat16
    with pytest.raises(TypeError, match="no morok dtype for NumPy's complex64; supported: bool, "):
        T.dtype_of_numpy(np.complex64)


@pytest.mark.parametrize("dtype", T.DTYPES.values(), ids=str)
def test_bounds_of_dtypes(dtype):
    if dtype.is_float:
        greatest = 448.0 if dtype is T.float8_e4m3fn else math.inf  # which has no infinities
        assert (dtype.min, dtype.max) == (-greatest, greatest)
    elif dtype is not T.bool_:
        assert (dtype.min, dtype.max) == (np.iinfo(dtype.np).min, np.iinfo(dtype.np).max)


def numbers(dtype):
    if dtype is T.bool_:
        return [True, False]
    if dtype.is_float:
        infinities = [] if dtype is T.float8_e4m3fn else [math.inf, -math.inf]
        return [0.0, -0.0, 1.5, -2.0, *infinities, math.nan]
    return [0, 1, dtype.min, dtype.max]


@pytest.mark.parametrize("dtype, value", [(d, v) for d in T.DTYPES.values() for v in numbers(d)], ids=str)
def test_number_survives_mlir(dtype, value):
    dialect = shared_context()
    for t in (dtype, T.tensor((), dtype), T.vector(4, dtype)):
        attribute = attribute_to_mlir("number", value, dialect.types.to_mlir(t), dialect.context)
        read = attribute_from_mlir(ir.Attribute.parse(str(attribute), dialect.context))
        assert type(read) is type(value) and (read == value and math.copysign(1, read) == math.copysign(1,
                                                                                                        value) or read != read and value != value)


@pytest.mark.parametrize("kind, value", [
    ("i64", -3), ("i64_array", (1, -(1 << 63))), ("i64_array", ()), ("string", 'a "b"'), ("strings", ("a", "b")), ("symbol", "k0")])
def test_attribute_survives_mlir(kind, value):
    dialect = shared_context()
    assert attribute_from_mlir(attribute_to_mlir(kind, value, None, dialect.context)) == value


@pytest.mark.parametrize("value, t", [
    (300, T.int8), (-1, T.uint8), (1 << 64, T.uint64), (1 << 63, T.index), (1.5, T.int32), (1, T.float32), (1, T.token)])
def test_number_that_does_not_fit_is_an_error(value, t):
    """MLIR would abort the process."""
    dialect = shared_context()
    with pytest.raises((TypeError, ValueError)) as error:
        attribute_to_mlir("number", value, dialect.types.to_mlir(t), dialect.context)
    assert not isinstance(error.value, MorokError) and str(value) in str(error.value)

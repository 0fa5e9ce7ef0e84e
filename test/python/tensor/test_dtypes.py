"""dtypes: names, promotion, casting rules, defaults."""

import itertools

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, INTEGERS

from morok import Tensor, dtypes
from morok.errors import DTypeError
from morok.tensor.dtypes import as_dtype, may_store, promote


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_a_dtype_has_a_name_and_a_numpy_dtype(dtype):
    assert as_dtype(dtype) is as_dtype(dtype.name) is as_dtype(dtype.np) is as_dtype(dtype.np.type) is getattr(dtypes, dtype.name) is dtype


def test_other_names():
    assert (
        dtypes.half is as_dtype("half") is dtypes.float16
        and dtypes.long is as_dtype("long") is dtypes.int64
        and as_dtype(ml_dtypes.bfloat16) is dtypes.bfloat16
    )
    for wrong in ("f4", "a", "complex64", "index", "", None, 3, 2.5, object, complex, np.complex64, np.dtype("U3"), [], "Float32"):
        with pytest.raises(DTypeError, match="float32"):
            as_dtype(wrong)


def test_promotion_is_symmetric_and_never_narrows():
    for a, b in itertools.product(ALL, ALL):
        c = promote(a, b)
        assert c is promote(b, a) and promote(a, c) is c and promote(b, c) is c


def test_integers_promote_as_numpy():
    for a, b in itertools.product([dtypes.bool, *INTEGERS], repeat=2):
        assert promote(a, b).np == np.promote_types(a.np, b.np)


def test_storing_never_loses_the_kind():
    for a, b in itertools.product(ALL, ALL):
        order = {"b": 0, "i": 1, "u": 1, "f": 2}
        assert may_store(a, b) == (order[a.kind] <= order[b.kind])


def test_defaults_can_be_set():
    try:
        dtypes.set_default_float("float64")
        dtypes.set_default_int("int32")
        assert (
            Tensor(1.5).dtype
            is Tensor([1.5]).dtype
            is (Tensor([1]) / 2).dtype
            is Tensor.zeros(1).dtype
            is Tensor([1]).mean().dtype
            is dtypes.float64
        )
        assert Tensor(1).dtype is Tensor([1, 2]).dtype is Tensor.arange(3).dtype is (Tensor([True]) + 1).dtype is dtypes.int32
    finally:
        dtypes.set_default_float("float32")
        dtypes.set_default_int("int64")
    for call in (lambda: dtypes.set_default_float("int8"), lambda: dtypes.set_default_int("float32")):
        with pytest.raises(DTypeError):
            call()

"""Tensors as arrays, numbers, text and plans."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, sample

from morok import Tensor, dtypes
from morok.errors import DeviceError, ShapeError


def test_numbers():
    assert Tensor(3).item() == 3 and type(Tensor(3).item()) is int
    assert type(Tensor([True]).item()) is bool and type(Tensor([[2.5]]).item()) is float
    assert float(Tensor(2)) == 2.0 and int(Tensor([2.7])) == 2 and [10, 20, 30][Tensor(1)] == 20 and bool(Tensor([[0.0]])) is False
    assert f"{Tensor(2.5):.3f}" == "2.500"
    for call in (lambda: Tensor([1, 2]).item(), lambda: bool(Tensor([1, 2])), lambda: float(Tensor([1.0, 2]))):
        with pytest.raises(ShapeError, match="2,"):
            call()
    with pytest.raises(TypeError):
        [1, 2][Tensor(1.0)]


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_tolist_and_item(dtype):
    a = sample((2, 2), dtype)
    assert Tensor(a).tolist() == a.astype(np.float64).tolist()
    assert Tensor(a)[0, 0].item() == float(a[0, 0]) and Tensor(a).sum().shape == ()


def test_sequences():
    t = Tensor([[1, 2], [3, 4]])
    assert len(t) == 2 and [row.tolist() for row in t] == [[1, 2], [3, 4]] and 3 in t and 7 not in t
    for call in (lambda: len(Tensor(1)), lambda: iter(Tensor(1))):
        with pytest.raises(TypeError):
            call()


def test_numpy_functions_take_tensors():
    t = Tensor([1.0, 4.0])
    np.testing.assert_array_equal(np.asarray(t), [1, 4])
    np.testing.assert_array_equal(np.asarray(t, np.int32), [1, 4])
    np.testing.assert_array_equal(np.sqrt(t), [1, 2])
    with pytest.raises(ValueError):
        np.asarray(t, np.int32, copy=False)


def test_repr_computes_nothing():
    x = Tensor([1.0, 2.0])
    y = x + 1
    assert repr(y) == "Tensor(shape=(2,), dtype=float32, device='CPU', not computed yet)"
    y.realize()
    assert repr(y) == "Tensor([2., 3.], shape=(2,), dtype=float32, device='CPU')"
    assert "bfloat16" in repr(Tensor(np.ones(2, ml_dtypes.bfloat16))) and len(repr(Tensor(np.zeros(10**6)))) < 300
    assert "shape=(0, 3)" in repr(Tensor(np.zeros((0, 3))))


def test_copies():
    t = Tensor([1, 2])
    for other in (copy.copy(t), copy.deepcopy(t), pickle.loads(pickle.dumps(t))):
        other += 1
        assert other.tolist() == [2, 3] and t.tolist() == [1, 2]


def test_to():
    t = Tensor([1.5, 2.0])
    assert t.to("cpu") is t and t.to(dtypes.float32) is t
    other = t.to("CPU:1")
    assert other.device == "CPU:1" and (other + 1).device == "CPU:1" and (other + 1).tolist() == [2.5, 3] and other.cpu().device == "CPU"
    assert (
        t.to("float16").dtype is dtypes.float16
        and t.to("cpu:1", dtypes.int32).tolist() == [1, 2]
        and t.to(device="CPU:2", dtype="int8").device == "CPU:2"
    )
    assert t.to(other).device == "CPU:1"
    for call in (lambda: t.to("gpu"), lambda: t + other, lambda: t.to("CPU:99"), lambda: Tensor.cat([t, other])):
        with pytest.raises(DeviceError, match="CPU"):
            call()


def test_plans():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    y, z = (x * 2).sum(0), x.max()
    plan = Tensor.prepare_batch([y, z])
    plan.execute()
    assert plan.num_outputs() == 2
    np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), [6, 10, 14])
    assert plan.output_buffer_at(1).numpy() == 5 and not y.is_realized
    Tensor.realize_batch([y, z])
    assert y.is_realized and z.is_realized and y.tolist() == [6, 10, 14]
    for call in (lambda: Tensor.realize_batch(y), lambda: Tensor.prepare_batch([1])):
        with pytest.raises(TypeError):
            call()


def test_realising_reaches_everyone():
    x = Tensor([1.0, 2.0])
    y = x * 2
    z = y + 1
    y.realize()
    assert [u.name for u in z.uop.backward_slice()].count("mul") == 0
    assert z.tolist() == [3, 5]


@pytest.mark.parametrize("halfway", [True, False])
def test_a_realize_anywhere_changes_no_value(halfway):
    w = Tensor.ones(5)
    w = w / w.sum()
    if halfway:
        w.realize()
    triangle = Tensor.ones(5, 5).tril()
    np.testing.assert_allclose((triangle @ w).numpy(), [0.2, 0.4, 0.6, 0.8, 1.0], rtol=1e-6)


def test_lazy_and_hashable():
    a = Tensor([1.0])
    assert len({a, a}) == 1 and a in [a]
    assert (a == a).dtype is dtypes.bool


def test_every_public_method_is_documented():
    for name in dir(Tensor):
        member = getattr(Tensor, name)
        if not name.startswith("_") and (callable(member) or isinstance(member, property)):
            assert member.__doc__, name

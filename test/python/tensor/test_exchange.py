"""Memory shared with other libraries, and tensors, generators, modules and optimisers as pickles and copies."""

import copy
import gc
import importlib
import pickle
import sys

import ml_dtypes
import numpy as np
import pytest
from arrays import ALL, SHAPES, sample

import morok
from morok import Tensor, dtypes, nn, optim
from morok.errors import DeviceError, DTypeError

LAYOUTS = {
    "whole": lambda a: a, "transposed": lambda a: a.T, "reversed": lambda a: np.flip(a), "strided": lambda a: a[..., ::2],
    "window": lambda a: a[1:], "repeated": lambda a: np.broadcast_to(a, (3, *a.shape)), "mixed": lambda a: np.flip(a.swapaxes(0, -1), 0),
    "unaligned": lambda a: np.frombuffer(b"x" + a.tobytes(), a.dtype, offset=1).reshape(a.shape),
}
IN_PLACE = {"whole", "transposed", "reversed", "window", "repeated", "mixed"}
MOVEMENTS = {"whole": lambda t: t, "transposed": lambda t: t.T, "reversed": lambda t: t.flip(0), "window": lambda t: t[1:, 1], "strided": lambda t: t[:, ::2],
             "expanded": lambda t: t.expand(2, *t.shape), "reshaped": lambda t: t[1:].reshape(-1), "computed": lambda t: t + 1}


@pytest.mark.parametrize("name", LAYOUTS)
def test_arrays_are_read_in_place_whatever_their_order(name):
    source = np.arange(24.0).reshape(2, 3, 4)
    a = LAYOUTS[name](source)
    t = morok.from_dlpack(a)
    assert np.shares_memory(np.asarray(t), a) == (name in IN_PLACE)
    assert t.shape == a.shape and np.array_equal(t.numpy(), a) and np.array_equal((t * 2).sum(0).numpy(), (a * 2).sum(0))
    if name in IN_PLACE:
        assert np.array_equal(morok.from_dlpack(a, copy=False).numpy(), a)
    else:
        with pytest.raises(BufferError, match="copy=False"):
            morok.from_dlpack(a, copy=False)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [d for d in ALL if d is not dtypes.bfloat16], ids=str)
def test_numpy_and_back(dtype, shape):
    a = np.asarray(sample(shape, dtype))
    t = morok.from_dlpack(a)
    back = np.from_dlpack(t)
    assert t.dtype is dtype and back.dtype == a.dtype and np.array_equal(back, a) and not back.flags.writeable
    assert not a.size or np.shares_memory(back, a)


def test_bfloat16_travels_between_tensors():
    t = Tensor(np.array([[1, 2.5], [-3, 4]], ml_dtypes.bfloat16))
    for copied in (None, True, False):
        back = morok.from_dlpack(t.T, copy=copied)
        assert np.shares_memory(np.asarray(back), np.asarray(t)) == (copied is not True)
        assert back.dtype is dtypes.bfloat16 and back.tolist() == [[1, -3], [2.5, 4]]
    with pytest.raises(RuntimeError, match="Unsupported dtype"):
        np.from_dlpack(t)  # NumPy's word


@pytest.mark.parametrize("name", MOVEMENTS)
def test_views_are_lent_without_a_copy(name):
    t = Tensor(np.arange(12.0).reshape(3, 4))
    v = MOVEMENTS[name](t)
    lent = np.from_dlpack(v)
    assert np.array_equal(lent, v.numpy())
    assert np.shares_memory(lent, np.asarray(t)) == (name not in ("computed", "strided"))


def test_what_was_lent_stays_as_it_is():
    t = Tensor([1.0, 2.0, 3.0])
    step = morok.jit(lambda: t.assign(t * 2))
    step(), step(), step()
    before = t.tolist()
    lent, other = np.asarray(t), np.from_dlpack(t[1:])
    step()
    t += 1
    t.realize()
    t[0] = 0
    t.realize()
    assert lent.tolist() == before and other.tolist() == before[1:]
    assert t.tolist() == [0, *(2 * x + 1 for x in before[1:])]
    del lent, other
    gc.collect()
    place = np.asarray(t).ctypes.data
    t += 1
    assert np.asarray(t.realize()).ctypes.data == place  # nobody reads it any more


def test_lent_memory_outlives_the_tensor_and_borrowed_memory_its_array():
    lent = np.from_dlpack(Tensor(np.arange(1000.0)).realize())
    a = np.arange(1000.0)
    t = morok.from_dlpack(a)
    del a
    gc.collect()
    others = [Tensor(np.full(1000, -1.0)).realize() for _ in range(5)] + [np.full(1000, -2.0) for _ in range(5)]
    assert lent[999] == 999 and t[999].item() == 999 and len(others) == 10


def test_borrowed_memory_is_not_written():
    for writeable in (True, False):
        a = np.arange(3.0)
        a.flags.writeable = writeable
        t = morok.from_dlpack(a)
        t += 1
        t[0] = 9
        assert t.tolist() == [9, 2, 3] and a.tolist() == [0, 1, 2]


def test_capsules_of_the_old_protocol():
    class Old:
        """Knows no keywords."""

        def __dlpack__(self):
            return np.arange(3).__dlpack__()

        def __dlpack_device__(self):
            return 1, 0
    assert morok.from_dlpack(Old()).tolist() == [0, 1, 2]
    t = Tensor([1, 2]).realize()
    capsule = t.__dlpack__()
    assert "versioned" not in repr(capsule) and "versioned" in repr(t.__dlpack__(max_version=(1, 0)))
    copied = morok.from_dlpack(capsule)
    assert copied.tolist() == [1, 2] and not np.shares_memory(np.asarray(copied), np.asarray(t))
    with pytest.raises(BufferError, match="can be taken once"):
        morok.from_dlpack(capsule)
    assert t.__dlpack_device__() == (1, 0)


class Elsewhere:
    def __dlpack__(self, **options):
        raise AssertionError

    def __dlpack_device__(self):
        return 2, 0


WRONG = {
    "list": (lambda: morok.from_dlpack([1, 2]), DTypeError, "Tensor\\(...\\) takes lists"),
    "gpu": (lambda: morok.from_dlpack(Elsewhere()), BufferError, "move it to the CPU"),
    "complex": (lambda: morok.from_dlpack(np.array([1j])), DTypeError, "complex"),
    "device": (lambda: morok.from_dlpack(np.arange(2), device="gpu"), DeviceError, "unknown device"),
    "stream": (lambda: Tensor([1]).__dlpack__(stream=1), BufferError, "stream"),
    "other device": (lambda: Tensor([1]).__dlpack__(dl_device=(2, 0)), BufferError, "memory of the CPU"),
    "old without copy": (lambda: Tensor([1]).__dlpack__(copy=False), BufferError, "read-only"),
    "other dtype": (lambda: np.asarray(Tensor([1]), dtype="float32", copy=False), ValueError, "only by a copy"),
    "jitted": (lambda: pickle.dumps(morok.jit(len)), TypeError, "cannot be pickled"),
    "write": (lambda: np.asarray(Tensor([1])).__setitem__(0, 2), ValueError, "read-only"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_pytorch():
    import torch
    t = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3).T
    assert morok.from_dlpack(t).tolist() == t.tolist() and torch.from_dlpack(Tensor([1.5]).cast("bfloat16")).tolist() == [1.5]


@pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason="JAX is not installed")
def test_jax():
    import jax.numpy as jnp
    assert morok.from_dlpack(jnp.arange(3)).tolist() == [0, 1, 2] and jnp.from_dlpack(Tensor([1.5])).tolist() == [1.5]


def test_arrays_of_tensors():
    t = Tensor([[1.0, 2.0]])
    assert np.array_equal(np.asarray(t), t.numpy()) and np.array(t).flags.writeable and not np.shares_memory(np.array(t), np.asarray(t))
    assert np.asarray(t, dtype="int64").tolist() == [[1, 2]] and np.asarray(t, copy=False).tolist() == [[1, 2]]
    assert np.shares_memory(np.asarray(t), np.asarray(t))


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python asks for __buffer__ from 3.12 on")
def test_memoryviews():
    assert memoryview(Tensor([[1, 2]])).tolist() == [[1, 2]]


def test_the_buffer_protocol():
    view = Tensor([[1, 2]]).__buffer__(0)
    assert view.readonly and view.shape == (1, 2) and view.tolist() == [[1, 2]]
    with pytest.raises(BufferError, match="read-only"):
        Tensor([1]).__buffer__(1)
    with pytest.raises(BufferError, match="bfloat16"):
        Tensor([1.0]).cast("bfloat16").__buffer__(0)


# Pickles and copies

@pytest.mark.parametrize("protocol", [2, 5])
@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_pickles_of_tensors(dtype, protocol):
    for shape in ((), (0, 3), (3, 2)):
        a = np.asarray(sample(shape, dtype))
        for t in (Tensor(a), Tensor(a, device="CPU:1"), Tensor(a).T, Tensor(a) * 1):
            back = pickle.loads(pickle.dumps(t, protocol))
            assert (back.dtype, back.device, back.shape) == (t.dtype, t.device, t.shape) and np.array_equal(back.numpy(), t.numpy())
    big = Tensor(np.arange(1000)).realize()
    buffers = []
    data = pickle.dumps(big, 5, buffer_callback=buffers.append)
    assert len(data) < 500 and len(buffers) == 1 and pickle.loads(data, buffers=buffers).tolist() == list(range(1000))


def copies(value):
    return [pickle.loads(pickle.dumps(value)), copy.deepcopy(value)]


def test_variables_stay_variables():
    w = Tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    for other in [*copies(w), copy.copy(w)]:
        assert other.requires_grad and other.is_leaf and other.tolist() == [1, 2]
        with morok.no_grad():
            other += 1
        (other * other * other).sum().backward()
        assert w.tolist() == [1, 2] and w.grad.tolist() == [2, 4]
    assert copy.deepcopy(w).grad.tolist() == [2, 4] and pickle.loads(pickle.dumps(w)).grad is None
    once, twice = copy.deepcopy([w, w])
    assert once is twice
    plain = copy.deepcopy(w.detach())
    assert not plain.requires_grad


def test_generators():
    g = morok.Generator(7)
    morok.random.uniform(3, generator=g)
    others = copies(g)
    want = morok.random.uniform(3, generator=g).tolist()
    assert [morok.random.uniform(3, generator=o).tolist() for o in others] == [want, want]
    assert all(o.initial_seed() == 7 and o.device == "CPU" for o in others)


def trained(model, optimizer):
    x = Tensor(sample((4, 3))) / 9
    for _ in range(2):
        optimizer.zero_grad()
        (model(x) ** 2).mean().backward()
        optimizer.step()
    return [p.tolist() for p in model.parameters()]


def test_modules_and_optimisers_go_on_where_they_were():
    morok.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    optimizer = optim.AdamW(model.parameters(), lr=0.1)
    trained(model, optimizer)
    pairs = copies((model, optimizer))
    want = trained(model, optimizer)
    for pair in pairs:
        assert trained(*pair) == want and repr(pair[0]) == repr(model)
        assert list(pair[1].parameters())[0] is pair[0][0].weight
    shallow = copy.copy(model)
    assert shallow[0] is model[0]
    jitted = morok.jit(lambda x: x + 1)
    assert copy.deepcopy([jitted])[0] is jitted

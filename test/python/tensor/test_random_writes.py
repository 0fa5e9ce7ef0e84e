"""Chains of views written in place at random, in statements of programs (`v[1:3] += w`, `v *= u`, masks, index arrays), eager and captured; NumPy decides."""

import random

import numpy as np
import pytest

import morok
from morok import Tensor

OPERATORS = {
    "+=": lambda x, y: x.__iadd__(y), "-=": lambda x, y: x.__isub__(y), "*=": lambda x, y: x.__imul__(y), "//=": lambda x, y: x.__ifloordiv__(y),
    "|=": lambda x, y: x.__ior__(y), "^=": lambda x, y: x.__ixor__(y),
}
SHAPES = [(7,), (3, 4), (2, 3, 4), (1, 5), (2, 0), (4, 1, 3)]


def slice_of(rng, size):
    step = rng.choice([1, 1, 2, 3, -1, -2])
    ends = [rng.choice([None, rng.randint(-size - 1, size + 1)]) for _ in range(2)]
    return slice(*ends, step)


def basic_key(rng, shape):
    """Integers, slices with any step, None and an ellipsis: what gives views."""
    key = []
    for size in shape:
        key.append(rng.randrange(-size, size) if size and rng.random() < 0.2 else slice_of(rng, size) if rng.random() < 0.6 else slice(None))
        if rng.random() < 0.1:
            key.append(None)
    if rng.random() < 0.2:
        key[rng.randrange(len(key)) :] = [...]
    return tuple(key)


def advanced_key(rng, shape):
    """A mask, or whole numbers for one axis: each element is named once, so that the order of writes does not matter."""
    if rng.random() < 0.5:
        return np.array([rng.random() < 0.5 for _ in range(int(np.prod(shape)))], bool).reshape(shape)
    axis = rng.randrange(len(shape))
    chosen = rng.sample(range(shape[axis]), rng.randint(0, shape[axis]))
    return (*[slice(None)] * axis, np.array([c - rng.choice([0, shape[axis]]) for c in chosen], np.int64))


def view_of(rng, t, a):
    """A view of both, the same; of an array without axes, itself."""
    kind = rng.randrange(7)
    if not a.ndim:
        return (t[None], a[None]) if kind < 3 else (t, a)
    if kind == 0:
        order = rng.sample(range(a.ndim), a.ndim)
        return t.permute(order), a.transpose(order)
    if kind == 1 and a.ndim > 1:
        first, second = rng.sample(range(a.ndim), 2)
        return t.diagonal(0, first, second), a.diagonal(0, first, second)
    if kind == 2:
        axis = rng.randrange(a.ndim)
        return t.unsqueeze(axis), np.expand_dims(a, axis)
    if kind == 3 and 1 in a.shape:
        return t.squeeze(), a.squeeze()
    if kind == 4:
        axis = rng.randrange(a.ndim)
        if a.shape[axis] > 1:
            at = rng.randrange(1, a.shape[axis])
            part = rng.randrange(2)
            return t.split([at, a.shape[axis] - at], axis)[part], np.split(a, [at], axis)[part]
    key = basic_key(rng, a.shape)
    t, a = t[key], a[key]
    return t, a


def writable(a):
    """As NumPy has it: diagonal gives what must not be written, though it could; ours is written like other views."""
    if isinstance(a, np.ndarray) and not a.flags.writeable:
        a.flags.writeable = True
    return a


def compatible(a, b):
    try:
        return np.broadcast_shapes(a.shape, b.shape) == a.shape
    except ValueError:
        return False


def statement(rng, pairs, realise):
    kind = rng.randrange(8 if realise else 7)
    t, a = rng.choice(pairs)
    if kind <= 1:
        for _ in range(rng.randint(1, 3)):
            t, a = view_of(rng, t, a)
            a = writable(a)
            if not isinstance(a, np.ndarray):
                return
        pairs.append((t, a))
    elif kind <= 3:
        name = rng.choice(list(OPERATORS))
        fitting = [(u, b) for u, b in pairs if compatible(a, b)]
        u, b = rng.choice(fitting) if rng.random() < 0.6 and fitting else (rng.randint(1, 5),) * 2
        if name == "//=" and not isinstance(u, int):
            name = "+="
        changed = OPERATORS[name](a.copy(), b)
        OPERATORS[name](t, u)
        a[...] = changed
    elif kind == 4 and a.ndim:
        key = basic_key(rng, a.shape)
        old = a[key] * 3
        t[key] += t[key] * 2
        a[key] = old
    elif kind == 5 and a.ndim and a.size:
        key, number = advanced_key(rng, a.shape), rng.randint(-9, 9)
        places = Tensor(key) if isinstance(key, np.ndarray) else tuple(Tensor(k) if isinstance(k, np.ndarray) else k for k in key)
        t[places] = number
        a[key] = number
    elif kind == 6:
        u, b = rng.choice(pairs)
        if compatible(a, b):
            new = b.copy()
            t.copy_(u)
            a[...] = new
    elif kind == 7:
        t.realize()


def program(seed, t, a, realise):
    rng = random.Random(seed)
    pairs = [(t, a)]
    for _ in range(16):
        statement(rng, pairs, realise)
    return pairs


def start(seed, dtype):
    rng = random.Random(seed)
    return np.random.default_rng(seed).integers(-5, 6, rng.choice(SHAPES)).astype(dtype)


@pytest.mark.parametrize("dtype", ["int64", "int16"])
@pytest.mark.parametrize("seed", range(25))
def test_statements_as_numpys(seed, dtype):
    a = start(seed, dtype)
    pairs = program(seed, Tensor(a.copy()), a, realise=True)
    order = random.Random(seed)
    for t, expected in order.sample(pairs, len(pairs)):
        np.testing.assert_array_equal(t.numpy(), expected)


@pytest.mark.parametrize("seed", range(100, 112))
def test_captured_statements_as_numpys(seed):
    """The same programs in a function that morok.jit captures: each call goes on with what the last one wrote."""
    a = start(seed, "int64")
    t = Tensor(a.copy())
    step = morok.jit(lambda x: [v.clone() for v, _ in program(seed, x, np.zeros(x.shape, np.int64), realise=False)])
    for _ in range(3):
        found = step(t)
        expected = program(seed, Tensor(a.copy()), a, realise=False)
        assert len(found) == len(expected)
        for v, (_, right) in zip(found, expected):
            np.testing.assert_array_equal(v.numpy(), right)
        np.testing.assert_array_equal(t.numpy(), a)


def test_a_slice_changes_its_tensor():
    t = Tensor([1, 2, 3, 4, 5])
    t[1:3] += 1
    inner = t[1:][1:3]
    inner *= 10
    inner[::-1][0] = 7
    assert t.tolist() == [1, 3, 40, 7, 5]
    t[1:] = t[:-1]
    t[::-1] -= t
    a = np.array([1, 1, 3, 40, 7])
    assert t.tolist() == (a - a[::-1])[::1].tolist()


def test_a_diagonal_is_a_view():
    t = Tensor(np.zeros((3, 4), np.int64))
    t.diagonal(1)[:2] += 5
    t.T.diagonal().copy_(Tensor([1, 2, 3]))
    expected = np.zeros((3, 4), np.int64)
    expected[[0, 1], [1, 2]] = 5
    np.fill_diagonal(expected, [1, 2, 3])
    assert t.tolist() == expected.tolist()

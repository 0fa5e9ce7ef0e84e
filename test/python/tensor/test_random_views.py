"""Programs at random over one array and its views: reads, writes through any view, realisations in between; NumPy decides what is right."""

import random

import numpy as np
import pytest

from morok import Tensor


def random_key(rng, shape):
    key = []
    for size in shape:
        kind = rng.randrange(5)
        if kind == 0 and size:
            key.append(rng.randrange(-size, size))
        elif kind == 1:
            key.append(slice(None, None, rng.choice([1, 2, 3, -1, -2])))
        elif kind == 2:
            key.append(slice(rng.randrange(-1, size + 1), rng.randrange(-1, size + 2), rng.choice([None, 2])))
        else:
            key.append(slice(None))
        if rng.random() < 0.1:
            key.append(None)
    return tuple(key[: rng.randrange(len(key) + 1)])


def random_view(rng, t, a):
    kind = rng.randrange(6)
    if kind == 0:
        return t.T, a.T
    if kind == 1 and a.flags.c_contiguous and a.size:
        return t.reshape(-1), a.reshape(-1)
    if kind == 2 and a.ndim:
        axis = rng.randrange(a.ndim)
        return t.flip(axis), np.flip(a, axis)
    if kind == 3 and a.ndim > 1:
        order = rng.sample(range(a.ndim), a.ndim)
        return t.permute(order), a.transpose(order)
    key = random_key(rng, a.shape)
    return t[key], a[key]


def step(rng, pairs):
    t, a = rng.choice(pairs)
    kind = rng.randrange(10)
    if kind <= 2:
        view = random_view(rng, t, a)
        if isinstance(view[1], np.ndarray):
            pairs.append(view)
    elif kind == 8:  # equal to a view, but no view: its value may be the very one that tells a write its place
        u, b = random_view(rng, t, a)
        pairs.append((u.clone(), np.array(b)))
    elif kind == 9:
        some = rng.sample(pairs, min(3, len(pairs)))
        if rng.random() < 0.5:
            Tensor.realize_batch([t for t, _ in some])
        else:
            plan = Tensor.prepare_batch([t * 2 for t, _ in some])
            plan.execute()
            for i, (_, b) in enumerate(some):
                np.testing.assert_array_equal(plan.output_buffer_at(i).numpy(), b * 2)
    elif kind == 3:
        t.realize()
    elif kind == 4:
        t += 1
        a += 1
    elif kind == 5:
        key = random_key(rng, a.shape)
        value = np.float32(rng.randrange(10))
        t[key] = float(value)
        a[key] = value
    elif kind == 6:
        key = random_key(rng, a.shape)
        new = a[key] * 2 - 1  # NumPy computes before it writes
        t[key] = t[key] * 2 - 1
        a[key] = new
    else:
        other, b = rng.choice(pairs)
        if a.shape == b.shape:
            right = b.copy() + a
            t.assign(other + t)
            a[...] = right


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    rng = random.Random(seed)
    a = np.random.default_rng(seed).integers(-5, 5, rng.choice([(5,), (3, 4), (2, 3, 4), (1, 5), (0, 3)])).astype(np.float32)
    pairs = [(Tensor(a), a)]
    a_before = Tensor(a)  # a copy, which nothing here writes
    kept = a.copy()
    for _ in range(14):
        step(rng, pairs)
    for t, right in rng.sample(pairs, len(pairs)):
        np.testing.assert_allclose(t.numpy(), np.asarray(right))
    np.testing.assert_array_equal(a_before.numpy(), kept)

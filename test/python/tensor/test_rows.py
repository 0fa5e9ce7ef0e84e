"""Rows picked and put by positions that are data: values against NumPy, derivatives against finite differences, and what that costs."""

import re

import numpy as np
import pytest

import morok
from morok import Tensor, Variable
from morok.runtime import configured
from morok.tensor import build

RNG = np.random.default_rng


def slopes(f, x, step=1e-6):
    """Finite differences of a function of one element."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[place] += step
        down[place] -= step
        found[place] = (f(Tensor(up)).item() - f(Tensor(down)).item()) / (2 * step)
    return found


@pytest.mark.parametrize("op", ["set", "add", "mul", "max", "min"])
def test_derivatives_of_a_scatter(op):
    rng = RNG(0)
    weights, positions = rng.normal(size=(2, 3, 2)), Tensor(rng.integers(-1, 4, (2, 5)))
    target, value = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 5, 2))
    if op == "mul":
        value[0, :2] = 0
        target[1, 2] = 0

    def f(t, v):
        return (t._new(build.scatter((t * 1).uop, positions.uop, (v * 1).uop, op)) * weights).sum()

    of_target, of_value = morok.grad(f, (0, 1))(Tensor(target), Tensor(value))
    np.testing.assert_allclose(of_target.numpy(), slopes(lambda t: f(t, Tensor(value)), target), atol=1e-6)
    np.testing.assert_allclose(of_value.numpy(), slopes(lambda v: f(Tensor(target), v), value), atol=1e-6)


def test_extremes_share_ties():
    def f(t, v):
        return t._new(build.scatter((t * 1).uop, Tensor([[0, 0, 1]]).uop, (v * 1).uop, "max")).sum()

    of_target, of_value = morok.grad(f, (0, 1))(Tensor([[[2.0], [5.0]]]), Tensor([[[2.0], [1.0], [7.0]]]))
    assert of_target.ravel().tolist() == [0.5, 0] and of_value.ravel().tolist() == [0.5, 0, 1]


def first(x, i):
    return x[i]


def second(x, i):
    return x[:, i]


def both(x, i):
    return x[i, i]


def by_gather(x, i):
    return x.gather(1, i.reshape(1, 5).expand(6, 5))


def by_expanded_gather(x, i):
    return x.gather(0, i.reshape(5, 1).expand(5, 4)) * x.gather(1, i.expand(3, 5))[:, :1].sum()


def by_take(x, i):
    return x.take(i)


@pytest.mark.parametrize("pick", [first, second, both, by_gather, by_expanded_gather, by_take])
def test_derivatives_of_picked_rows(pick):
    x, i = RNG(1).normal(size=(6, 6)), Tensor([0, -1, 7, 3, 3])

    def f(t):
        return pick(t, i).square().square().sum()

    np.testing.assert_allclose(morok.grad(f)(Tensor(x)).numpy(), slopes(f, x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(morok.jit(morok.grad(f))(Tensor(x)).numpy(), slopes(f, x), rtol=1e-5, atol=1e-6)

    def g(t):
        return morok.grad(f)(t).square().sum()

    np.testing.assert_allclose(morok.grad(g)(Tensor(x)).numpy(), slopes(g, x), rtol=1e-4, atol=1e-4)
    moved = morok.jvp(f, (Tensor(x),), (Tensor(np.ones_like(x)),))[1].item()
    np.testing.assert_allclose(moved, slopes(f, x).sum(), rtol=1e-5)


def test_picked_values_may_be_realised_before_the_backward_pass():
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    picked = x[Tensor([2, 0, 2, 1])].realize()
    (picked * Tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert x.grad.tolist() == [10, 1000, 101]


def test_sums_of_16_bit_floats_are_rounded_once():
    x = Tensor(np.zeros(2, np.float16), requires_grad=True)
    x[Tensor(np.zeros(4096, np.int64))].sum().backward()
    assert x.grad.tolist() == [4096, 0]


def test_the_derivative_of_a_gather_takes_time_that_grows_with_its_rows():
    """A table of rows times indices would have 10^11 elements."""
    w = Tensor(np.zeros((400_000, 2), np.float32), requires_grad=True)
    i = RNG(0).integers(0, 400_000, 250_000)
    w[Tensor(i)].sum().backward()
    np.testing.assert_array_equal(w.grad.numpy()[:, 0], np.bincount(i, minlength=400_000))


# t[key] = value

KEYS = [
    ("first", lambda i, j: (i,)),
    ("last", lambda i, j: (..., i)),
    ("middle", lambda i, j: (slice(None), i)),
    ("two", lambda i, j: (i, j)),
    ("apart", lambda i, j: (i, slice(None), j)),
    ("with slices", lambda i, j: (slice(None, None, 2), i, slice(None, None, -1))),
    ("with an int", lambda i, j: (1, slice(1, None), i)),
    ("with a new axis", lambda i, j: (i, None, j)),
]


@pytest.mark.parametrize("key", [k for _, k in KEYS], ids=[n for n, _ in KEYS])
@pytest.mark.parametrize("shape, how", [((5,), "realised"), ((0,), "realised"), ((1,), "view"), ((2, 3), "lazy"), ((2, 3), "view"), ((5,), "jitted")], ids=str)
def test_repeated_indices_as_numpy(key, shape, how):
    rng = RNG(3)
    i, j = rng.integers(-3, 3, shape), rng.integers(-3, 3, shape)
    array = rng.normal(size=(4, 3, 5)).astype(np.float32)
    expected = array.copy()
    value = rng.normal(size=expected[key(i, j)].shape).astype(np.float32)
    expected[key(i, j)] = value

    def write(t, i, j, value):
        t[key(i, j)] = value

    if how == "realised":
        t = whole = Tensor(array)
    elif how == "lazy":
        t = whole = Tensor(array) * 1
    elif how == "view":
        whole = Tensor(np.stack([array, array], 1).transpose(3, 1, 2, 0).copy())
        t = whole[:, 1].permute(2, 1, 0)
    else:
        t = whole = Tensor(array)
        write = morok.jit(write)
    write(t, Tensor(i), Tensor(j), Tensor(value))
    np.testing.assert_array_equal(t.numpy(), expected)
    if how == "view":
        np.testing.assert_array_equal(whole[:, 1].numpy(), expected.transpose(2, 1, 0))
        np.testing.assert_array_equal(whole[:, 0].numpy(), array.transpose(2, 1, 0))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64"])
@pytest.mark.parametrize("index", ["int8", "uint8", "int32", "uint64"])
def test_writes_convert_and_broadcast(dtype, index):
    t, array = Tensor(np.zeros((4, 3), dtype)), np.zeros((4, 3), dtype)
    at = np.array([[0, 2], [2, 3]], index)
    for value in ([1, 0, 1], 1, np.array([[[1.75]], [[0]]], np.float32)):
        t[Tensor(at)] = value
        array[at] = value
        np.testing.assert_array_equal(t.numpy(), array)


def test_an_index_outside_writes_nothing():
    t = Tensor([1, 2, 3])
    t[Tensor([3, -4, 1, -1])] = Tensor([7, 8, 9, 10])
    assert t.tolist() == [1, 9, 10]
    t = Tensor([[1, 2], [3, 4]])
    t[Tensor([0, 2, 1]), Tensor([2, -3, 1])] = 0
    assert t.tolist() == [[1, 2], [3, 0]]


def test_a_write_may_read_what_it_overwrites():
    t, a, i, j = Tensor(np.arange(6.0)), np.arange(6.0), np.array([0, 1, 2, 2]), np.array([1, 2, 3, 0])
    for _ in range(3):
        t[Tensor(i)] = t[Tensor(j)] + t[Tensor(i)]
        a[i] = a[j] + a[i]
        np.testing.assert_array_equal(t.numpy(), a)
    old = t * 1
    t[t.cast("int64") % 6] = -t
    expected = a.copy()
    expected[a.astype(np.int64) % 6] = -a
    np.testing.assert_array_equal(t.numpy(), expected)
    np.testing.assert_array_equal(old.numpy(), a)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("backend", ["llvm", "c", "mlir"])
def test_every_back_end_and_thread_count(backend, threads):
    rng = RNG(5)
    array, i, value = rng.normal(size=(50, 70)).astype(np.float32), rng.integers(-50, 50, 90), rng.normal(size=(90, 70)).astype(np.float32)
    with configured(backend=backend, num_threads=threads):
        t = Tensor(array)
        t[Tensor(i)] = Tensor(value)
        found = t.numpy()
    array[i] = value
    np.testing.assert_array_equal(found, array)


def test_each_example_of_a_mapped_function():
    x, i, v = RNG(0).normal(size=(4, 6, 3)), RNG(1).integers(-6, 6, (4, 5)), RNG(2).normal(size=(4, 5, 3))

    def written(x, i, v):
        t = x * 1
        t[i] = v
        return t.index_add(0, i, v)

    for f, given in ((written, (x, i, v)), (morok.grad(lambda x, i: x[i].square().sum()), (x, i))):
        expected = np.stack([f(*map(Tensor, example)).numpy() for example in zip(*given)])
        np.testing.assert_allclose(morok.vmap(f)(*map(Tensor, given)).numpy(), expected)


def test_sizes_known_later():
    n, array = Variable("n", 1, 8), np.arange(24.0).reshape(8, 3)

    def window(t, size):
        return t[: n.bind(size)]

    for size in (5, 8):
        t, expected = Tensor(array), array.copy()
        window(t, size)[Tensor([1, 1, -1])] = Tensor([[1.0], [2.0], [3.0]])
        expected[:size][[1, 1, -1]] = [[1], [2], [3]]
        np.testing.assert_array_equal(t.numpy(), expected)
        added = window(Tensor(array), size).index_add(0, Tensor([1, 1, 7]), 1.0)
        np.testing.assert_array_equal(added.numpy(), array[:size] + np.array([0, 2, 0, 0, 0, 0, 0, 1])[:size, None])
        x = Tensor(array, requires_grad=True)
        window(x, size)[Tensor([1, 1, 4])].sum().backward()
        np.testing.assert_array_equal(x.grad.numpy()[:, 0], [0, 2, 0, 0, 1, 0, 0, 0])
        i = Tensor([1, 3, 0, 0, 2, 1, 1, 1])
        np.testing.assert_array_equal(window(i, size).bincount(length=4).numpy(), np.bincount([1, 3, 0, 0, 2, 1, 1, 1][:size], minlength=4))
        assert window(i, size).histogram(3)[0].tolist() == np.histogram([1, 3, 0, 0, 2, 1, 1, 1][:size], 3)[0].tolist()


def test_derivatives_of_writes():
    weights = RNG(6).normal(size=(4, 3))
    i = Tensor([1, 1, -1])

    def f(x, v):
        t = x * 2
        t[i] = v * v
        t[:, Tensor([0, 0])] = v[0, :2]
        return (t * t * weights).sum()

    x, v = RNG(7).normal(size=(4, 3)), RNG(8).normal(size=(3, 3))
    of_x, of_v = morok.grad(f, (0, 1))(Tensor(x), Tensor(v))
    np.testing.assert_allclose(of_x.numpy(), slopes(lambda t: f(t, Tensor(v)), x), atol=1e-6)
    np.testing.assert_allclose(of_v.numpy(), slopes(lambda t: f(Tensor(x), t), v), atol=1e-6)


def random_write(rng, shape):
    """A view, and what to write to elements of it by a key: f(x, index arrays of the key, value)."""
    transposed, flipped, begin, step = rng.integers(2), rng.integers(2), rng.integers(2), rng.integers(1, 3)

    def view(x):
        x = x.T if transposed else x
        return (x[::-1] if flipped else x)[min(begin, x.shape[0] - 1)::step]

    blank = view(np.zeros(shape))
    common = tuple(rng.integers(1, 4, rng.integers(1, 3)))
    key = []
    for size in blank.shape[:rng.integers(1, blank.ndim + 1)]:
        kind = rng.integers(4)
        if kind == 0:
            key.append(slice(*sorted(rng.integers(0, size + 1, 2))))
        elif kind == 1:
            key.append(slice(None, None, -1))
        elif kind == 2 and any(isinstance(k, np.ndarray) for k in key):
            key.append(int(rng.integers(-size, size)))
        else:
            key.append(rng.integers(-size, size, common))
    written = blank[tuple(key)].shape
    how = rng.integers(4)

    def write(x, arrays, value):
        x, arrays = view(x), iter(arrays)
        place = tuple(next(arrays) if isinstance(k, np.ndarray) else k for k in key)
        if how == 0:
            x[place] = value
        elif how == 1:
            x[place] = x[place] + value
        elif how == 2:
            x[place] = -x[place]
        else:
            x[place] += value * x[place]

    return write, [k for k in key if isinstance(k, np.ndarray)], rng.integers(-9, 9, written[rng.integers(0, len(written) + 1):]).astype(np.int32)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_random_writes(seed, captured):
    """A few writes by keys drawn at random, each through a view drawn at random."""
    rng = RNG(seed)
    shape = tuple(rng.integers(1, 6, rng.integers(1, 4)))
    array = rng.integers(-9, 9, shape).astype(np.int32)
    writes = [random_write(rng, shape) for _ in range(3)]

    def program(x, given):
        for (write, _, _), (arrays, value) in zip(writes, given):
            write(x, arrays, value)

    t = Tensor(array)
    given = [([Tensor(a) for a in arrays], Tensor(value)) for _, arrays, value in writes]
    with configured(check=seed == 0):
        for _ in range(2):
            (morok.jit(program) if captured else program)(t, given)
            program(array, [(arrays, value) for _, arrays, value in writes])
            np.testing.assert_array_equal(t.numpy(), array)



@pytest.mark.parametrize("check", [False, True])
@pytest.mark.parametrize("op", ["set", "add", "both"])
def test_writes_in_place_read_what_was_there_before(op, check):
    """Where an index repeats, the value is of before the write, as NumPy's right sides are."""
    array, i, j = RNG(0).integers(-9, 9, (5, 3)), np.array([1, 1, 4, 1]), np.array([1, 4, 1, 0])
    with configured(check=check):
        t = Tensor(array)
        f = morok.jit(lambda t, i, j: write(t, i, j, Tensor))

        def write(t, i, j, kind):
            if op == "add":
                t.index_add_(0, i, t[j] * 2) if kind is Tensor else np.add.at(t, i, t[j] * 2)
            else:
                t[i] = t[i] + 1
                if op == "both":
                    t[:, i % 3] = t[:, j % 3] - t[:, i % 3]

        for run in (lambda: write(t, Tensor(i), Tensor(j), Tensor), lambda: f(t, Tensor(i), Tensor(j))):
            run()
            write(array, i, j, np)
            np.testing.assert_array_equal(t.numpy(), array)


@pytest.mark.parametrize("size", [3, 40])
def test_a_read_by_index_after_a_write_of_one_element(size):
    array = np.arange(size)
    t, i = Tensor(array), Tensor([-1])
    t[:1] = t[:1] + 8
    assert t[i].tolist() == [size - 1] and t[Tensor([0])].tolist() == [8]
    t[i] = t[i] * 2
    t[i] += 4
    assert t.tolist() == [8, *range(1, size - 1), 2 * (size - 1) + 4]


def test_a_write_costs_what_it_writes():
    t, i, v = Tensor(np.zeros((50, 6), np.float32)), Tensor([1, 3]), Tensor(np.ones((2, 6), np.float32))

    @morok.jit
    def f(t, i, v):
        t[i] = v
        t[:, :2].T.index_add_(1, i, v[:, :2].T)

    @morok.jit
    def g(t, i, v):
        t[i] += v

    g(t, i, v)
    assert int(re.search(r"intermediates (\d+) bytes", g.report())[1]) < t.nbytes
    f(t, i, v)
    report = f.report()
    assert "2 kernels" in report and "intermediates 0 bytes" in report

"""Random numbers: the generator's known answers, streams, distributions, and draws inside captured functions."""

import pickle

import numpy as np
import pytest

import morok
from morok import Tensor, random
from morok.errors import BoundsError, DTypeError, JitError
from morok.runtime.config import configured
from morok.tensor.random.threefry import threefry


@pytest.mark.parametrize("key, counter, want", [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)), ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
])
def test_known_answers_of_threefry(key, counter, want):
    words = [Tensor(np.array([w], np.uint32)) for w in (*key, *counter)]
    assert tuple(w.item() for w in threefry(tuple(words[:2]), tuple(words[2:]))) == want


def test_a_seed_begins_a_stream():
    def drawn():
        return [random.uniform(5).tolist(), random.normal(3, 2).tolist(), random.randint(0, 9, (4,)).tolist(), random.bits(2).tolist()]
    morok.manual_seed(7)
    first = drawn()
    second = drawn()
    assert first != second
    morok.manual_seed(7)
    assert drawn() == first
    state = random.get_rng_state()
    third = drawn()
    random.set_rng_state(state)
    assert drawn() == third
    assert morok.Generator(7).initial_seed() == 7 and len(set(map(str, (random.uniform(3, generator=g).tolist() for g in morok.Generator(7).split(5))))) == 5


def test_elements_do_not_depend_on_when_and_where_they_are_computed():
    morok.manual_seed(1)
    x, y = random.normal(100_003), random.normal(100_003)
    later = y.numpy()
    both = (x + y).numpy()
    np.testing.assert_array_equal(both - later, (x + y).numpy() - later)
    for threads in (1, 2, 3):
        morok.manual_seed(1)
        with configured(num_threads=threads):
            a, b = random.normal(100_003).realize(), random.normal(100_003).realize()
        np.testing.assert_array_equal(a.numpy(), x.numpy())
        np.testing.assert_array_equal(b.numpy(), later)


def test_captured_functions_draw_anew():
    def f(x):
        return x + random.uniform(3), random.normal(2)
    captured = morok.jit(f)
    morok.manual_seed(5)
    want = [[t.tolist() for t in f(Tensor.zeros(3))] for _ in range(4)]
    morok.manual_seed(5)
    found = [[t.tolist() for t in captured(Tensor.zeros(3))] for _ in range(3)] + [[t.tolist() for t in f(Tensor.zeros(3))]]
    assert found == want and captured.captures == 1


def draws(generator=None):
    """One of each distribution, in an order that fixes which part of the stream each takes."""
    g = {"generator": generator}
    rates = Tensor([0.5, 20.0])
    return [random.uniform(7, **g), random.normal(3, 2, dtype="float64", **g), random.randint(0, 9, (4,), **g), random.randint(-(2**62), 2**63, (3,), **g),
            random.bernoulli(0.3, 5, **g), random.truncated_normal(3, **g), random.exponential(3, **g), random.gamma(rates, **g), random.beta(0.5, 2.0, 3, **g),
            random.poisson(rates, **g), random.categorical(Tensor([0.0, 1.0]), size=(5,), **g), random.gumbel(3, **g), random.laplace(3, **g),
            random.dirichlet(rates, **g), random.normal(2, dtype="bfloat16", **g)]


def values(tensors):
    return [t.tolist() for t in tensors]


def test_every_distribution_gives_the_same_numbers_in_any_order_jitted_and_on_any_thread_count():
    def drawn(threads, wrap=lambda f: f, order=1):
        generator = morok.Generator(11)
        f = wrap(lambda: draws(generator))
        with configured(num_threads=threads):
            found = []
            for _ in range(2):
                tensors = f()
                for t in tensors[::order]:
                    t.realize()
                found.append(values(tensors))
        return found
    want = drawn(1)
    assert want[0] != want[1]
    assert drawn(2, morok.jit, order=-1) == want


def test_keys_split():
    def drawn(g):
        first, second = g.split()
        return random.normal(3, generator=first), random.normal(3, generator=second), random.normal(3, generator=g), *(
            random.uniform(2, generator=h) for h in second.split(3))
    g = morok.Generator(1)
    want = [values(drawn(g)) for _ in range(3)]
    assert len({str(v) for found in want for v in found}) == 18
    g = morok.Generator(1)
    captured = morok.jit(lambda: drawn(g))
    assert [values(captured()) for _ in range(3)] == want
    assert g.split(0) == []
    # What is drawn from one does not move the others.
    a, b = morok.Generator(5).split()
    expected = values([random.bits(4, generator=b)])
    a, b = morok.Generator(5).split()
    random.bits(1000, generator=a)
    assert values([random.bits(4, generator=b)]) == expected


def test_a_split_key_is_not_known_while_captured():
    seen = []

    def f():
        seen.append(morok.Generator(1).split()[0])
        return random.uniform(2, generator=seen[0])
    morok.jit(f)()
    with pytest.raises(JitError, match="split"):
        seen[0].initial_seed()
    assert "of a stream" in repr(seen[0])


def test_every_device_begins_at_the_seed():
    morok.manual_seed(9)
    here = random.uniform(3).tolist()
    assert random.uniform(3, device="CPU:3").tolist() == here and random.uniform(3, device="CPU:3").device == "CPU:3"
    assert random.seed() == random.initial_seed() == random.default_generator("CPU:3").initial_seed()


def test_generators_are_pickled_and_copied():
    g = morok.Generator(4)
    random.uniform(5, generator=g)
    copied = pickle.loads(pickle.dumps(g))
    assert random.normal(3, generator=copied).tolist() == random.normal(3, generator=g).tolist() and copied.initial_seed() == 4


def distance(values, cumulative):
    """The Kolmogorov-Smirnov distance, times the root of the count: above 1.95 in one of a thousand samples."""
    x = np.sort(values.astype(np.float64).ravel())
    n = len(x)
    f = cumulative(x)
    return max((np.arange(1, n + 1) / n - f).max(), (f - np.arange(n) / n).max()) * np.sqrt(n)


def normal_cdf(x):
    return 0.5 * (1 + Tensor(x / np.sqrt(2)).erf().numpy())


DISTRIBUTIONS = {
    "uniform": (lambda n, d: random.uniform(n, low=-2, high=3, dtype=d), lambda x: (x + 2) / 5, 0.5, 25 / 12),
    "normal": (lambda n, d: random.normal(n, mean=1, std=2, dtype=d), lambda x: normal_cdf((x - 1) / 2), 1, 4),
    "exponential": (lambda n, d: random.exponential(n, rate=2, dtype=d), lambda x: 1 - np.exp(-2 * x), 0.5, 0.25),
    "gumbel": (lambda n, d: random.gumbel(n, dtype=d), lambda x: np.exp(-np.exp(-x)), 0.5772156649, np.pi**2 / 6),
    "logistic": (lambda n, d: random.logistic(n, dtype=d), lambda x: 1 / (1 + np.exp(-x)), 0, np.pi**2 / 3),
    "laplace": (lambda n, d: random.laplace(n, scale=0.5, dtype=d), lambda x: 0.5 + 0.5 * np.sign(x) * (1 - np.exp(-2 * np.abs(x))), 0, 0.5),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name, dtype):
    morok.manual_seed(11)
    draw, cumulative, mean, variance = DISTRIBUTIONS[name]
    n = 100_000
    values = draw(n, dtype).numpy()
    assert values.dtype == dtype and np.isfinite(values).all()
    assert distance(values, cumulative) < 1.95
    assert abs(values.mean(dtype=np.float64) - mean) < 4 * np.sqrt(variance / n)
    assert abs(values.var(dtype=np.float64) / variance - 1) < 0.05
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 4 / np.sqrt(n)


def test_integers():
    morok.manual_seed(0)
    counts = np.bincount(random.randint(0, 7, (70_000,)).numpy(), minlength=7)
    assert counts.shape == (7,) and ((counts - 10_000) ** 2 / 10_000).sum() < 22.5  # chi squared, 6 degrees, one of a thousand
    small = random.randint(-128, 128, (50_000,), dtype="int8").numpy()
    assert small.dtype == np.int8 and small.min() == -128 and small.max() == 127
    wide = random.randint(-(2**63), 2**63, (1000,)).numpy()
    assert (wide < 0).any() and (wide > 2**62).any()
    assert random.randint(2**63, 2**64, (100,), dtype="uint64").numpy().min() >= 2**63
    assert random.randint(3, 4, (2, 2)).tolist() == [[3, 3], [3, 3]]


def test_choices():
    morok.manual_seed(0)
    logits = Tensor([0.0, 1.0, -np.inf, 2.0])
    shares = np.bincount(random.categorical(logits, size=(40_000,)).numpy(), minlength=4) / 40_000
    want = np.exp([0, 1, -np.inf, 2]) / np.exp([0, 1, -np.inf, 2]).sum()
    np.testing.assert_allclose(shares, want, atol=0.01)
    assert random.categorical(Tensor.zeros(5, 3)).shape == (5,) and random.categorical(Tensor.zeros(3, 5), axis=0, size=(2, 5)).shape == (2, 5)
    p = Tensor([0.0, 0.25, 1.0])
    found = random.bernoulli(p, 10_000, 3).numpy().mean(0)
    assert found[0] == 0 and found[2] == 1 and abs(found[1] - 0.25) < 0.02


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_the_upper_bound_is_left_out(dtype):
    morok.manual_seed(0)
    x = random.uniform(200_000, dtype=dtype).float()
    assert 0 <= x.min().item() and x.max().item() < 1
    assert random.uniform(100_000, low=1, high=1 + 2**-3, dtype=dtype).double().max().item() < 1.125


def test_empty_and_scalar_draws():
    assert random.normal(0, 3).shape == (0, 3) and random.uniform().shape == () and random.randint(5).shape == ()
    x = Tensor([1.0, 2.0])
    np.testing.assert_allclose(morok.grad(lambda s: (random.normal(2, std=s, generator=morok.Generator(3)) * x).sum())(x).numpy(),
                               random.normal(2, generator=morok.Generator(3)).numpy() * [1, 2], rtol=1e-6)


WRONG = {
    "order": (lambda: random.uniform(2, low=1, high=0), BoundsError, "in order"),
    "std": (lambda: random.normal(2, std=-1), BoundsError, "must not be negative"),
    "integers": (lambda: random.normal(2, dtype="int32"), DTypeError, "must be a float"),
    "rate": (lambda: random.exponential(2, rate=0), BoundsError, "positive"),
    "range": (lambda: random.randint(3, 3), BoundsError, "must be less than"), "int8": (lambda: random.randint(0, 300, dtype="int8"), BoundsError, "int8"),
    "p": (lambda: random.bernoulli(1.5, 3), BoundsError, "probability"), "generator": (lambda: random.uniform(2, generator=3), DTypeError, "Generator"),
    "logits": (lambda: random.categorical(Tensor([1, 2])), DTypeError, "floats"), "state": (lambda: random.set_rng_state(Tensor([1])), BoundsError, r"\(2,\)"),
    "split": (lambda: morok.Generator(1).split(-1), BoundsError, "must not be negative"),
    "seed": (lambda: morok.manual_seed("x"), TypeError, "int"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        call()

"""Draws against their distributions: Kolmogorov-Smirnov, chi squared, moments, ends of the range. Seeds are fixed: a test fails always or never."""

import numpy as np
import pytest
from scipy import special

import morok
from morok import Tensor, dtypes, random
from morok.errors import BoundsError, DTypeError, GradientError, ShapeError

COUNT = 20_000


def distance(values, cumulative):
    """The Kolmogorov-Smirnov distance, times the root of the count: above 1.95 in one of a thousand samples."""
    x = np.sort(values.astype(np.float64).ravel())
    n = len(x)
    f = cumulative(x)
    return max((np.arange(1, n + 1) / n - f).max(), (f - np.arange(n) / n).max()) * np.sqrt(n)


def chi_squared(counts, expected):
    """The statistic over its degrees of freedom, in standard deviations from its mean; classes expected less than 10 times join the last of the others."""
    many = expected >= 10
    counts, expected = (np.append(a[many], a[~many].sum()) for a in (counts, expected))
    counts, expected = counts[expected > 0], expected[expected > 0]
    degrees = len(counts) - 1
    return (((counts - expected) ** 2 / expected).sum() - degrees) / np.sqrt(2 * degrees)


def truncated(low, high):
    begin, end = special.ndtr(low), special.ndtr(high)
    return lambda x: (special.ndtr(x) - begin) / (end - begin)


CONTINUOUS = {
    "truncated": (lambda n, d: random.truncated_normal(n, dtype=d), truncated(-2, 2)),
    "truncated to one side": (lambda n, d: random.truncated_normal(n, mean=1, std=2, low=3, high=9, dtype=d), lambda x: truncated(1, 4)((x - 1) / 2)),
    "half open": (lambda n, d: random.truncated_normal(n, low=-np.inf, high=0.5, dtype=d), lambda x: special.ndtr(x) / special.ndtr(0.5)),
    "log_normal": (lambda n, d: random.lognormal(n, mean=0.5, std=0.7, dtype=d), lambda x: special.ndtr((np.log(x) - 0.5) / 0.7)),
    "cauchy": (lambda n, d: random.cauchy(n, loc=1, scale=2, dtype=d), lambda x: 0.5 + np.arctan((x - 1) / 2) / np.pi),
    "gamma 0.3": (lambda n, d: random.gamma(0.3, n, dtype=d), lambda x: special.gammainc(0.3, x)),
    "gamma 1": (lambda n, d: random.gamma(1.0, n, scale=2.0, dtype=d), lambda x: special.gammainc(1, x / 2)),
    "gamma 40": (lambda n, d: random.gamma(40, n, dtype=d), lambda x: special.gammainc(40, x)),
    "chisquare": (lambda n, d: random.chisquare(3, n, dtype=d), lambda x: special.chdtr(3, x)),
    "beta": (lambda n, d: random.beta(0.5, 2.0, n, dtype=d), lambda x: special.betainc(0.5, 2, x)),
    "beta of many": (lambda n, d: random.beta(20.0, 30.0, n, dtype=d), lambda x: special.betainc(20, 30, x)),
    "dirichlet": (lambda n, d: random.dirichlet(Tensor([0.5, 1.5, 2.0]).cast(d), n)[:, 1], lambda x: special.betainc(1.5, 2.5, x)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name, dtype):
    morok.manual_seed(21)
    draw, cumulative = CONTINUOUS[name]
    values = draw(COUNT, dtype).numpy()
    assert values.dtype == dtype and np.isfinite(values).all()
    assert distance(values, cumulative) < 1.95
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 4 / np.sqrt(COUNT)


@pytest.mark.parametrize("rate", [0.0, 0.2, 3.0, 9.9, 10.0, 47.5, 2000.0])
def test_poisson(rate):
    morok.manual_seed(3)
    values = random.poisson(rate, COUNT).numpy()
    assert values.dtype == np.int64 and values.min() >= 0
    if not rate:
        assert not values.any()
        return
    expected = np.exp(special.xlogy(k := np.arange(values.max() + 1), rate) - rate - special.gammaln(k + 1)) * COUNT
    assert abs(chi_squared(np.bincount(values), expected)) < 4
    assert abs(values.mean() - rate) < 4 * np.sqrt(rate / COUNT) and abs(values.var() / rate - 1) < 4 * np.sqrt((2 + 1 / rate) / COUNT)


@pytest.mark.parametrize("p", [0.01, 0.3, 0.9, 1.0])
def test_geometric(p):
    morok.manual_seed(3)
    values = random.geometric(p, COUNT).numpy()
    k = np.arange(values.max() + 1)
    assert values.dtype == np.int64 and values.min() == 1 and abs(values.mean() * p - 1) < 4 * np.sqrt((1 - p) / COUNT) + 1e-12
    if p < 1:
        assert abs(chi_squared(np.bincount(values), COUNT * np.where(k, p * (1 - p) ** (k - 1.0), 0))) < 4


def test_poisson_of_rates():
    morok.manual_seed(4)
    rates = Tensor([0.0, -1.0, np.nan, 1.0, 30.0])
    values = random.poisson(rates, COUNT // 4, 5, dtype="float32")
    assert values.dtype is dtypes.float32
    np.testing.assert_allclose(values.numpy().mean(0), [0, 0, 0, 1, 30], atol=0.3)
    assert random.poisson(Tensor([np.inf])).item() > 2**39


@pytest.mark.parametrize("p", [0.0, 2.0**-20, 0.3, 0.999, 1.0])
def test_bernoulli(p):
    morok.manual_seed(5)
    count = 1 << 20
    found = random.bernoulli(p, count).numpy().sum()
    assert abs(found - p * count) <= 4 * np.sqrt(count * p * (1 - p))
    assert abs(random.bernoulli(Tensor([p]).double(), count).numpy().sum() - p * count) <= 4 * np.sqrt(count * p * (1 - p))


@pytest.mark.parametrize("low, high, dtype", [
    (0, 3, "int64"), (-(2**63), 2**63, "int64"), (-(2**62), 2**63, "int64"), (-5, 2**33, "int64"), (0, 3 * 2**62, "uint64"), (-128, 128, "int8"),
    (0, 2**32, "uint32"), (0, 2**64 - 1, "uint64"),
])
def test_integers_are_equally_likely(low, high, dtype):
    morok.manual_seed(6)
    values = random.randint(low, high, (COUNT,), dtype).numpy()
    assert values.dtype == dtype and values.min() >= low and values.max() < high
    classes = min(16, high - low)
    counts = np.bincount([(int(v) - low) * classes // (high - low) for v in values], minlength=classes)
    assert abs(chi_squared(counts, np.full(classes, COUNT / classes))) < 4


def test_the_high_word_of_wide_products():
    from morok.tensor.random.distributions import _high_word
    numbers = [0, 1, 2**32 - 1, 2**32, 2**63 + 12345, 2**64 - 1]
    for factor in numbers:
        found = _high_word(Tensor(np.array(numbers, np.uint64)), factor).tolist()
        assert found == [n * factor >> 64 for n in numbers]


class Words:
    """A generator whose words are those of a table: the ends of what one draws."""

    device = None

    def __init__(self, *words):
        self.words = words

    def blocks(self, sizes):
        return tuple(Tensor(np.array(self.words, np.uint32)) for _ in range(2))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("name", ["uniform", "normal", "exponential", "gumbel", "logistic", "laplace", "truncated_normal"])
def test_extreme_words_give_finite_numbers(name, dtype, monkeypatch):
    source = Words(0, 1, 255, 256, 511, 2**31, 2**32 - 512, 2**32 - 257, 2**32 - 256, 2**32 - 2, 2**32 - 1)
    for file in ("distributions", "truncated"):
        monkeypatch.setattr(f"morok.tensor.random.{file}.source_of", lambda *a: source, raising=False)
    draw = getattr(random, name)
    values = draw(11, dtype=dtype).double().numpy()
    assert np.isfinite(values).all() and np.abs(values).max() < 40
    if name == "uniform":
        assert values.min() >= 0 and values.max() < 1
        low, high = Tensor([1.0]).cast(dtype), Tensor([1.0 + 2**-6]).cast(dtype)
        between = random.uniform(11, low=low, high=high, dtype=dtype).double().numpy()
        assert between.min() >= 1 and between.max() < 1 + 2**-6
        assert random.uniform(11, low=low, high=low, dtype=dtype).double().numpy().tolist() == [1.0] * 11
    if name == "truncated_normal":
        assert values.min() >= -2 and values.max() <= 2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_small_floats(dtype):
    morok.manual_seed(8)
    for draw, cumulative in ((random.normal, special.ndtr), (random.exponential, lambda x: 1 - np.exp(-x)), (random.uniform, lambda x: x)):
        values = draw(5000, dtype=dtype).double().numpy()
        assert np.isfinite(values).all() and distance(values, cumulative) < (1.95 if dtype == "float16" else 2.6)  # which has steps of 2**-8


def test_categorical_classes():
    morok.manual_seed(9)
    logits = np.array([[0.0, 1.0, -np.inf, 2.0, -3.0], [5.0, 5.0, 5.0, 5.0, 5.0]])
    found = random.categorical(Tensor(logits), size=(COUNT // 2, 2)).numpy()
    for row, p in zip(found.T, special.softmax(logits, -1)):
        assert abs(chi_squared(np.bincount(row, minlength=5), p * len(row))) < 4


def test_derivatives_reach_parameters():
    scale = morok.grad(lambda s: random.gamma(Tensor([2.0, 3.0]), scale=s, generator=morok.Generator(1)).sum())(Tensor([1.0, 1.0]))
    np.testing.assert_allclose(scale.numpy(), random.gamma(Tensor([2.0, 3.0]), generator=morok.Generator(1)).numpy(), rtol=1e-6)
    low = morok.grad(lambda a: random.uniform(3, low=a, high=a + 2.0, generator=morok.Generator(1)).sum())(Tensor([1.0]))
    np.testing.assert_allclose(low.numpy(), [3.0], rtol=1e-6)


def test_numbers_of_pytorchs_names():
    x = Tensor.zeros(2, 3, dtype="float64")
    for function in ("rand", "randn"):
        assert getattr(morok, function)(2, 3).shape == getattr(Tensor, function)((2, 3)).shape == (2, 3)
        like = getattr(morok, f"{function}_like")(x)
        assert like.shape == (2, 3) and like.dtype is dtypes.float64 and getattr(x, f"{function}_like")(dtype="float16").dtype is dtypes.float16
        assert getattr(morok, function)(2, requires_grad=True).requires_grad
    assert morok.randint(3, 4, (2,)).tolist() == Tensor.randint(3, 4, (2,)).tolist() == [3, 3]
    assert morok.randint_like(x, 1).tolist() == x.tolist() and morok.randint_like(x, 1).dtype is dtypes.float64
    assert x.bernoulli().tolist() == x.tolist() and not x.bernoulli().requires_grad


def test_draws_in_place():
    morok.manual_seed(1)
    x = Tensor.zeros(4, 3)
    view = x[1:3]
    assert view.uniform_(2, 3) is view and x.numpy()[0].tolist() == [0, 0, 0] and (x.numpy()[1:3] >= 2).all() and x.numpy()[3].tolist() == [0, 0, 0]
    assert abs(Tensor.zeros(1000).normal_(3.0, 0.1).mean().item() - 3) < 0.02
    assert abs(Tensor.zeros(1000).exponential_(2.0).mean().item() - 0.5) < 0.1
    assert abs(np.median(Tensor.zeros(1000).cauchy_(3.0, 0.1).numpy()) - 3) < 0.05 and Tensor.zeros(3, dtype="int16").geometric_(1.0).tolist() == [1] * 3
    assert abs(Tensor.zeros(1000).log_normal_(1.0, 0.1).log().mean().item() - 1) < 0.02
    assert Tensor.zeros(5, dtype="int32").bernoulli_(1.0).tolist() == [1] * 5
    with pytest.raises(DTypeError, match="uniform"):
        Tensor([1, 2]).uniform_()
    weight = Tensor.zeros(3).requires_grad_()
    with pytest.raises(GradientError, match="no_grad"):
        weight.normal_()
    with morok.no_grad():
        assert weight.normal_().requires_grad and weight.numpy().any()


WRONG = {
    "truncated order": (lambda: random.truncated_normal(2, low=1, high=1), BoundsError, "low less than high"),
    "truncated far": (lambda: random.truncated_normal(2, low=40, high=41), BoundsError, "no probability left"),
    "truncated std": (lambda: random.truncated_normal(2, std=0), BoundsError, "std must be positive"),
    "gamma": (lambda: random.gamma(0.0, 3), BoundsError, "positive"), "gamma scale": (lambda: random.gamma(1.0, 3, scale=-1), BoundsError, "positive"),
    "gamma integers": (lambda: random.gamma(Tensor([1, 2])), DTypeError, "cast first"), "beta": (lambda: random.beta(1.0, -1.0, 3), BoundsError, "beta: b"),
    "gamma shape": (lambda: random.gamma(Tensor([1.0, 2.0]), 3), ShapeError, "expand"),
    "dirichlet": (lambda: random.dirichlet(Tensor(1.0)), ShapeError, "axis of classes"),
    "poisson": (lambda: random.poisson(-1, 3), BoundsError, "from 0 to 2"), "poisson nan": (lambda: random.poisson(np.nan, 3), BoundsError, "nan"),
    "poisson integers": (lambda: random.poisson(Tensor([1])), DTypeError, "cast first"),
    "poisson bool": (lambda: random.poisson(1, 3, dtype="bool"), DTypeError, "not bool"),
    "randint order": (lambda: random.randint(5, 2, (3,)), BoundsError, "low 5 must be less than high 2"),
    "randint floats": (lambda: random.randint(0.5, 2, (3,)), TypeError, "int"),
    "uniform": (lambda: random.uniform(2, low=1, high=0), BoundsError, "in order"), "normal": (lambda: random.normal(2, mean="a"), TypeError, "mean"),
    "laplace": (lambda: random.laplace(2, scale="a"), TypeError, "scale"),
    "cauchy": (lambda: random.cauchy(2, scale=0), BoundsError, "positive"), "geometric": (lambda: random.geometric(0.0, 2), BoundsError, "from 2"),
    "lognormal": (lambda: random.lognormal(2, std=-1), BoundsError, "negative"),
    "geometric bool": (lambda: random.geometric(1, 2, dtype="bool"), DTypeError, "bool"),
    "negative": (lambda: morok.rand(-1), ShapeError, "-1"), "rand int": (lambda: morok.rand(2, dtype="int32"), DTypeError, "must be a float"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    before = random.get_rng_state().tolist()
    with pytest.raises(error, match=message):
        call()
    assert random.get_rng_state().tolist() == before, "an error must not move the stream"


def test_numpys_calls_of_draws():
    def drawn(call):
        morok.manual_seed(3)
        return eval(call, {"random": morok.random}).numpy()

    for call, same in (("normal(5, 2, (2, 3))", "normal(2, 3, mean=5, std=2)"), ("normal(loc=5, scale=2, size=(2, 3))", "normal(2, 3, mean=5, std=2)"),
                       ("normal(size=4)", "normal(4)"), ("normal(size=None)", "normal()"), ("uniform(-1, 1, [2, 3])", "uniform(2, 3, low=-1, high=1)"),
                       ("uniform(low=-1, size=(2,))", "uniform(2, low=-1)"), ("standard_normal((2, 3))", "normal(2, 3)"), ("standard_normal()", "normal()"),
                       ("integers(5, size=(9,))", "randint(0, 5, (9,))"), ("integers(2, 5, 9, endpoint=True)", "randint(2, 6, 9)")):
        found, expected = drawn(f"random.{call}"), drawn(f"random.{same}")
        np.testing.assert_array_equal(found, expected, err_msg=call)
    with pytest.raises(TypeError, match="normal: takes the shape as sizes or as size="):
        morok.random.normal(2, size=3)

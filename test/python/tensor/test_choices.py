"""Permutations and choices: what they are made of, how likely each is, the same numbers when captured."""

import itertools
import math

import numpy as np
import pytest

import morok
from morok import Tensor, dtypes, random
from morok.errors import AxisError, BoundsError, DTypeError, GradientError, ShapeError


def likely(counts, expected):
    """Whether chi squared lies within four standard deviations of its mean."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    assert not counts[expected == 0].any()
    counts, expected = counts[expected > 0], expected[expected > 0]
    degrees = len(counts) - 1
    return abs(((counts - expected) ** 2 / expected).sum() - degrees) < 4 * np.sqrt(2 * degrees)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000])
def test_permutations_hold_each_number_once(n):
    morok.manual_seed(0)
    found = morok.randperm(n)
    assert found.dtype is dtypes.int64
    np.testing.assert_array_equal(np.sort(found.numpy()), np.arange(n))
    assert random.permutation(n).shape == (n,) and morok.randperm(n, dtype="float32").dtype is dtypes.float32
    if n == 1000:
        assert abs(np.corrcoef(found.numpy(), np.arange(n))[0, 1]) < 0.15 and found.tolist() != morok.randperm(n).tolist()


def test_each_order_is_equally_likely():
    morok.manual_seed(1)
    draw = morok.jit(lambda: morok.randperm(4))
    orders = {order: i for i, order in enumerate(itertools.permutations(range(4)))}
    counts = np.bincount([orders[tuple(draw().tolist())] for _ in range(2400)], minlength=24)
    assert likely(counts, np.full(24, 100))


def test_slices_of_tensors_change_places():
    morok.manual_seed(2)
    a = np.arange(12).reshape(3, 4)
    for axis in (0, 1, -1):
        found = random.permutation(Tensor(a), axis).numpy()
        assert sorted(map(tuple, np.moveaxis(found, axis, 0))) == sorted(map(tuple, np.moveaxis(a, axis, 0)))
    x = Tensor(np.arange(20))
    view = x[5:15]
    assert random.shuffle(view) is None
    now = x.tolist()
    assert now[:5] == [*range(5)] and now[15:] == [*range(15, 20)] and sorted(now[5:15]) == [*range(5, 15)] != now[5:15]
    weight = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(GradientError, match="no_grad"):
        random.shuffle(weight)
    (random.permutation(weight) * Tensor([1.0, 1.0])).sum().backward()
    assert weight.grad.tolist() == [1, 1]


WEIGHTS = [0.5, 0.0, 1.5, 3.0, 0.25]


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_multinomial_with_replacement(dtype):
    morok.manual_seed(3)
    weights = Tensor([WEIGHTS, [1.0] * 5], dtype=dtype)
    found = morok.multinomial(weights, 8000, replacement=True)
    assert found.shape == (2, 8000) and found.dtype is dtypes.int64
    for row, w in zip(found.numpy(), (WEIGHTS, [1] * 5)):
        assert likely(np.bincount(row, minlength=5), np.array(w) / np.sum(w) * 8000)
    assert weights[0].multinomial(3, replacement=True).shape == (3,)


def test_multinomial_without_replacement():
    """Each pair as likely as drawing one after the other makes it."""
    morok.manual_seed(4)
    w = np.array(WEIGHTS)
    found = morok.multinomial(Tensor([WEIGHTS] * 4000), 2).numpy()
    assert found.shape == (4000, 2) and (found[:, 0] != found[:, 1]).all()
    pairs = list(itertools.permutations([0, 2, 3, 4], 2))
    counts = [np.sum((found == pair).all(1)) for pair in pairs]
    assert sum(counts) == 4000 and likely(counts, [4000 * w[a] / w.sum() * w[b] / (w.sum() - w[a]) for a, b in pairs])
    assert sorted(Tensor(WEIGHTS).multinomial(4).tolist()) == [0, 2, 3, 4]


def test_too_few_weights_above_zero():
    """Known ones are refused; of computed ones, which only a run tells, the rest comes last."""
    for weights, count, replacement in ((WEIGHTS, 5, False), ([WEIGHTS, [0.0, 1.0, math.nan, -1.0, 0.0]], 2, False), ([0.0, 0.0], 1, True)):
        with pytest.raises(BoundsError, match="weights are above 0"):
            Tensor(weights).multinomial(count, replacement)
    with pytest.raises(BoundsError, match="choice: draws 5 without replacement, but only 4 of 5 weights"):
        random.choice(5, 5, replace=False, p=WEIGHTS)
    found = (Tensor(WEIGHTS) * 2).multinomial(5).tolist()
    assert sorted(found) == [0, 1, 2, 3, 4] and found[-1] == 1
    assert morok.jit(lambda w: w.multinomial(5))(Tensor(WEIGHTS)).tolist()[-1] == 1


def test_weights_that_count_as_zero():
    assert Tensor([-1.0, math.nan, 2.0]).multinomial(4, replacement=True).tolist() == [2] * 4


def test_weights_that_are_rare_or_large():
    morok.manual_seed(5)
    assert Tensor([1e-30, 1e30]).multinomial(100, replacement=True).tolist() == [1] * 100
    assert set(Tensor([0.0, 0.0, 1e-40, 0.0]).double().multinomial(50, replacement=True).tolist()) == {2}


def test_choices():
    morok.manual_seed(6)
    a = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert random.choice(a).shape == (3,) and random.choice(a, axis=1).shape == (2,) and random.choice(a, (2, 2), axis=1).shape == (2, 2, 2)
    assert random.choice(5).shape == () and random.choice(5, 0).shape == (0,) and random.choice(0, 0).shape == (0,)
    assert sorted(random.choice(6, (2, 3), replace=False).numpy().ravel().tolist()) == [*range(6)]
    assert likely(np.bincount(random.choice(5, 5000).numpy(), minlength=5), np.full(5, 1000))
    assert likely(np.bincount(random.choice(5, 5000, p=WEIGHTS).numpy(), minlength=5), np.array(WEIGHTS) / np.sum(WEIGHTS) * 5000)
    assert sorted(random.choice([10, 20, 30, 40, 50], 4, replace=False, p=WEIGHTS).tolist()) == [10, 30, 40, 50]
    variable = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    random.choice(variable, 9).sum().backward()
    assert variable.grad.sum().item() == 9


def test_captured_draws_are_those_of_the_stream():
    def f(g):
        return morok.randperm(6, generator=g), Tensor(WEIGHTS).multinomial(3, generator=g), random.choice(9, 4, p=[1.0] * 9, generator=g), random.permutation(
            Tensor([1, 2, 3]), generator=g)
    eager, other = morok.Generator(1), morok.Generator(1)
    captured = morok.jit(lambda: f(other))
    want = [[t.tolist() for t in f(eager)] for _ in range(3)]
    assert [[t.tolist() for t in captured()] for _ in range(3)] == want and want[0] != want[1]


def test_choices_for_each_example():
    rows = Tensor([[1.0, 2.0, 3.0, 4.0, 5.0]] * 3)
    for draw in (random.permutation, lambda x: x.multinomial(5), lambda x: random.choice(x, 5, replace=False)):
        same, different = (morok.vmap(draw, randomness=r)(rows).tolist() for r in ("same", "different"))
        assert same[0] == same[1] == same[2] and len(set(map(str, different))) > 1
        assert all(sorted(row) == sorted(same[0]) for row in same + different)


def test_what_is_computed_again_draws_the_same():
    drop = morok.checkpoint(lambda t: t * random.bernoulli(0.5, 20).float())
    x = Tensor(np.ones(20), requires_grad=True)
    y = drop(x)
    y.sum().backward()
    assert y.tolist() == x.grad.tolist() and 0 < y.sum().item() < 20
    step = morok.jit(morok.value_and_grad(lambda t: (drop(t) * Tensor(np.arange(20.0))).sum()))
    for _ in range(2):
        value, gradient = step(Tensor(np.ones(20)))
        assert value.item() == gradient.sum().item()


WRONG = {
    "randperm": (lambda: morok.randperm(-1), BoundsError, "negative"), "randperm int8": (lambda: morok.randperm(200, dtype="int8"), BoundsError, "wider"),
    "randperm bool": (lambda: morok.randperm(2, dtype="bool"), DTypeError, "bool"), "axis": (lambda: random.permutation(Tensor([1]), 1), AxisError, "axis 1"),
    "shuffle": (lambda: random.shuffle([1, 2]), DTypeError, "permutation"), "0-d": (lambda: random.permutation(Tensor(1.0)), AxisError, "0-d"),
    "integers": (lambda: Tensor([1, 2]).multinomial(1), DTypeError, "floats"), "rank": (lambda: Tensor.ones(2, 2, 2).multinomial(1), ShapeError, "one axis"),
    "too many": (lambda: Tensor([1.0, 2.0]).multinomial(3), BoundsError, "3 of 2 without replacement"),
    "none": (lambda: Tensor.ones(0).multinomial(1, True), BoundsError, "nothing to choose"),
    "negative": (lambda: Tensor([1.0]).multinomial(-1), BoundsError, "negative"),
    "choice": (lambda: random.choice(3, 4, replace=False), BoundsError, "4 of 3"), "p": (lambda: random.choice(3, 4, p=[0.5, 0.5]), ShapeError, "each of 3"),
    "nothing": (lambda: random.choice(0), BoundsError, "nothing to choose"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, error, message = WRONG[name]
    before = random.get_rng_state().tolist()
    with pytest.raises(error, match=message):
        call()
    assert random.get_rng_state().tolist() == before

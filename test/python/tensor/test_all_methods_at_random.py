"""Every method with arguments at random: each call works or raises an error of the documented kinds; one that fails leaves its tensor as it was."""

import random

import numpy as np
import pytest

from morok import Tensor, Variable, dtypes
from morok.errors import GradientError, IRError

COMPUTING = {"realize", "numpy", "data", "tolist", "item", "prepare", "realize_batch", "prepare_batch"}
METHODS = sorted(n for n in dir(Tensor) if not n.startswith("_") and callable(getattr(Tensor, n)) and n not in COMPUTING)
BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift lt eq getitem radd rsub rpow rmatmul iadd imul itruediv iand imatmul"
OPERATORS = [f"__{name}__" for name in BINARY.split() + ["abs", "neg", "invert", "round"]]
ALLOWED = (GradientError, TypeError, ValueError, IndexError, OverflowError, ZeroDivisionError)


def tensors():
    return [
        Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)),
        Tensor(np.arange(4)),
        Tensor([[True, False], [False, True]]),
        Tensor(2.5),
        Tensor.zeros(0, 3),
        Tensor(np.ones((1, 2, 4, 4), np.float32)),
        Tensor(np.ones((3, 1), np.uint8)),
        Tensor(np.ones((2, 3), np.float16)),
        Tensor(np.ones(3, np.float32), device="CPU:1"),
    ]


def argument(rng, pool):
    n = Variable("n", 1, 3).bind(2)
    text = ["x", "", "float32", "same", "tanh", "ij,jk->ik", "ii", "i->", "->", "..."]
    choices = [
        lambda: rng.choice([0, 1, 2, -1, -2, 3, 7, -9, 10**30, 2**63]),
        lambda: rng.choice([0.5, -1.0, float("nan"), float("inf"), 2.0, 1e300]),
        lambda: rng.choice([None, True, b"y", 1j, object(), int, dtypes.int8, ..., slice(None, None, -2), slice(1, n), *text]),
        lambda: tuple(rng.choice([0, 1, 2, -1, 3, 2.5, None, n]) for _ in range(rng.randrange(4))),
        lambda: [rng.choice([0, 1, -1, 5]) for _ in range(rng.randrange(4))],
        lambda: rng.choice(pool),
        lambda: [rng.choice(pool), rng.choice(pool)],
        lambda: rng.choice([np.float64(2), np.int8(1), np.ones(3), np.ones((2, 3), complex), np.array(["b"]), np.zeros(0), np.bool_(True)]),
        lambda: ((1, 1), (0, rng.choice([1, -1, 2]))),
        lambda: rng.choice([n, n * 2, Variable("m", 0, 2), {"a": 1}]),
    ]
    return rng.choice(choices)()


@pytest.mark.parametrize("seed", range(20))
def test_calls_at_random(seed):
    rng = random.Random(seed)
    pool = tensors()
    for _ in range(100):
        t = rng.choice(pool)
        name = rng.choice(METHODS) if rng.random() < 0.8 else rng.choice(OPERATORS)
        args = [argument(rng, pool) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))]
        keyword = rng.choice(["axis", "dim", "keepdim", "dtype", "stride", "padding"])
        keywords = {keyword: argument(rng, pool)} if rng.random() < 0.2 else {}
        before = (t.uop, t.shape, t.dtype)
        try:
            result = getattr(t, name)(*args, **keywords)
        except ALLOWED as error:
            assert str(error) and not isinstance(error, IRError), f"{name}{args}{keywords}: {error}"
            assert (t.uop, t.shape, t.dtype) == before, f"{name}{args} changed its tensor and failed"
            continue
        if isinstance(result, Tensor):
            assert repr(result) and len(result.shape) == result.ndim and result.uop.type.dtype is result.dtype

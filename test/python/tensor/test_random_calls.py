"""300 mutated calls of Tensor's methods: each gives a value or one of the errors that a user can catch, and leaves its operands as they were."""

import random

import numpy as np
import pytest

from morok import Tensor
from morok.errors import InternalError

ALLOWED = (ValueError, TypeError, IndexError, NotImplementedError, OverflowError, ZeroDivisionError)
CALLS = [
    ("reshape", (3, 4)),
    ("reshape", ((4, 3),)),
    ("permute", (1, 0)),
    ("expand", (3, 4)),
    ("flip", (0,)),
    ("pad", ((1, 1, 0, 2),)),
    ("sum", (0,)),
    ("sum", ((0, 1),)),
    ("max", (1,)),
    ("min", (-1,)),
    ("mean", (0,)),
    ("prod", (1,)),
    ("any", ()),
    ("all", (0,)),
    ("argmax", (1,)),
    ("softmax", (-1,)),
    ("log_softmax", (0,)),
    ("transpose", (0, 1)),
    ("squeeze", (0,)),
    ("unsqueeze", (1,)),
    ("flatten", ()),
    ("cast", ("float32",)),
    ("clip", (0, 1)),
    ("where", (True, 2.0)),
    ("matmul", (np.ones((4, 2), np.float32),)),
    ("maximum", (1,)),
    ("repeat", (2, 1)),
    ("roll", (1, 0)),
    ("split", (2,)),
    ("chunk", (2,)),
    ("pow", (2,)),
    ("__getitem__", (1,)),
    ("__getitem__", ((slice(None), 1),)),
    ("__getitem__", ((None, slice(0, 2)),)),
    ("__setitem__", (0, 1.0)),
    ("assign", (np.ones((3, 4), np.float32),)),
    ("gelu", ()),
    ("std", (1,)),
    ("one_hot", (5,)),
    ("to", ("CPU",)),
]
ODD = [
    None,
    -1,
    7,
    2**40,
    0.5,
    float("nan"),
    "x",
    (),
    (1, 2, 3),
    [0],
    True,
    np.zeros(3),
    np.zeros((2, 5), np.complex64),
    slice(None, None, 0),
    Ellipsis,
    {},
    object(),
    b"a",
    -(2**70),
    (0, 0),
    "float99",
    np.array("s"),
]


def mutated(generator: random.Random, arguments: tuple) -> tuple:
    changed = list(arguments)
    kind = generator.choice(["replace", "drop", "add", "nest"])
    if kind == "add" or not changed:
        changed.append(generator.choice(ODD))
    elif kind == "drop":
        changed.pop(generator.randrange(len(changed)))
    elif kind == "nest":
        at = generator.randrange(len(changed))
        changed[at] = (changed[at], generator.choice(ODD))
    else:
        changed[generator.randrange(len(changed))] = generator.choice(ODD)
    return tuple(changed)


@pytest.mark.parametrize("seed", range(300))
def test_a_mutated_call_is_an_error_or_a_value(seed):
    generator = random.Random(seed)
    method, arguments = generator.choice(CALLS)
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    t = Tensor(values)
    writes = method in ("__setitem__", "assign")
    try:
        result = getattr(t, method)(*mutated(generator, arguments))
        for r in result if isinstance(result, (list, tuple)) else [result]:
            if isinstance(r, Tensor) and all(isinstance(s, int) for s in r.shape) and r.numel() < 1 << 16:
                r.numpy()
    except InternalError:
        raise
    except ALLOWED as error:
        assert str(error)
        writes = False
    if not writes:
        np.testing.assert_array_equal(t.numpy(), values)

"""Functions that pick, put and count against NumPy and the methods; tensors and array-likes give the same."""

import inspect

import numpy as np
import pytest

import morok
from morok import Tensor

NAMES = sorted(morok._FUNCTIONS["indexing"].split() + morok._FUNCTIONS["counting"].split())
A = np.array([[0.0, 2.0, 3.0], [4.0, 0.0, 6.0]], np.float32)
I = np.array([[2, 0], [1, 1]])  # noqa: E741


def same(found, expected):
    if isinstance(expected, tuple):
        for f, e in zip(found, expected, strict=True):
            same(f, e)
    else:
        np.testing.assert_allclose(found.numpy(), expected)


@pytest.mark.parametrize("name, arguments", [
    ("take", ([1, -1],)), ("take", (I, 1)), ("take_along_axis", (I, 1)), ("take_along_axis", (np.array([[1, 0, 0]]), 0)),
    ("take_along_axis", (np.array([5, 0]), None)),
    ("take_along_axis", (np.array([[1], [0]]), -1)), ("nonzero", ()), ("argwhere", ()), ("flatnonzero", ()), ("histogram", (4,)), ("histogram", (3, (1, 5))),
], ids=str)
def test_equal_numpy(name, arguments):
    for array in (A, A.T.copy().T, A.astype(np.int32)):
        expected = getattr(np, name)(array, *arguments)
        for x in (array, Tensor(array), array.tolist()):
            same(getattr(morok, name)(x, *arguments), expected)
            same(getattr(morok, name)(x, *(Tensor(a) if isinstance(a, np.ndarray) else a for a in arguments)), expected)


def test_conditions_come_first_as_in_numpy():
    same(morok.compress([True, False, True], A, 1), np.compress([True, False, True], A, 1))
    same(morok.extract(A > 2, A), np.extract(A > 2, A))
    same(morok.bincount([1, 1, 4], [0.5, 1.0, 2.0], 6), np.bincount([1, 1, 4], [0.5, 1.0, 2.0], 6))


def test_put_along_axis_writes():
    x, array = Tensor(A), A.copy()
    morok.put_along_axis(x, I, 9, 1)
    np.put_along_axis(array, I, 9, 1)
    same(x, array)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_those_of_the_method(name):
    method, function = (list(inspect.signature(owner).parameters)[1:] for owner in (getattr(Tensor, name), getattr(morok, name)))
    if name not in ("compress", "extract"):
        assert function == method

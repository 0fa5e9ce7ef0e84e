"""Products against NumPy: every combination of ranks, dtypes, empty sizes, einsum."""

import numpy as np
import pytest
from arrays import ALL, check, sample

from morok import Tensor, dtypes
from morok.errors import ShapeError

SHAPES = [
    ((3,), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((1, 1), (1, 1)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 1, 2, 3), (7, 3, 4)),
    ((3,), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
    ((2, 3), (3, 0)),
    ((4, 3), (1, 3, 3, 3)),
    ((17, 13), (13, 11)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(shapes):
    a, b = sample(shapes[0], seed=1), sample(shapes[1], seed=2)
    assert (Tensor(a) @ Tensor(b)).shape == (a @ b).shape
    check(Tensor(a) @ Tensor(b), a @ b, 1e-5)
    check(a @ Tensor(b) + 1, a @ b + 1, 1e-5)


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_matmul_dtypes(dtype):
    a, b = sample((3, 5), dtype, 1), sample((5, 2), dtype, 2)
    expected = a @ b if not dtype.is_float else (a.astype(np.float64) @ b.astype(np.float64)).astype(dtype.np)
    check(Tensor(a) @ Tensor(b), expected)


def test_matmul_promotes():
    assert (Tensor([[1]], dtype="int8") @ Tensor([[1.0]])).dtype is dtypes.float32


def test_a_uint8_dot_product_wraps_whatever_else_is_computed():
    a = Tensor(np.array([200, 100], np.uint8))
    dot, double = a.dot(a), a + a
    Tensor.realize_batch([dot, double])
    assert dot.item() == 80 and double.tolist() == [144, 200]


def test_matmul_of_transposes_and_views():
    a, b = sample((6, 4), seed=1), sample((4, 6), seed=2)
    check(Tensor(a).T @ Tensor(b).T, a.T @ b.T, 1e-5)
    check(Tensor(a)[::2] @ Tensor(b)[:, 1:4], a[::2] @ b[:, 1:4], 1e-5)
    check(Tensor(a) @ Tensor(a).T, a @ a.T, 1e-5)


def test_two_products_in_one_graph():
    a, b, c = (sample((4, 4), seed=i) for i in range(3))
    check((Tensor(a) @ Tensor(b)) @ Tensor(c) + Tensor(a) @ Tensor(c), a @ b @ c + a @ c, 1e-5)


@pytest.mark.parametrize(
    "shapes", [((3,), (3,)), ((2, 3), (3,)), ((2, 3), (3, 4)), ((), (3,)), ((2, 3, 4), (5, 4, 6)), ((2, 3, 4), (4,))], ids=str
)
def test_dot(shapes):
    a, b = sample(shapes[0], seed=1), sample(shapes[1], seed=2)
    check(Tensor(a).dot(Tensor(b)), np.dot(a, b), 1e-5)


@pytest.mark.parametrize("axes", [0, 1, 2, ([0, 1], [1, 0]), (1, 0)])
def test_tensordot(axes):
    a, b = sample((4, 4), seed=1), sample((4, 4), seed=2)
    check(Tensor(a).tensordot(Tensor(b), axes), np.tensordot(a, b, axes), 1e-5)


def test_outer_and_vdot():
    a, b = sample((3,), seed=1), sample((4,), seed=2)
    check(Tensor(a).outer(Tensor(b)), np.outer(a, b))
    check(Tensor(sample((2, 3))).vdot(Tensor(sample((2, 3), seed=1))), np.vdot(sample((2, 3)), sample((2, 3), seed=1)), 1e-5)


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (1, 4), (2, 3, 4)], ids=str)
@pytest.mark.parametrize("offset", [0, 1, -1, 2, -3, 9])
def test_diagonal_and_trace(shape, offset):
    a = sample(shape)
    check(Tensor(a).diagonal(offset), np.diagonal(a, offset))
    check(Tensor(a).diagonal(offset, -1, 0), np.diagonal(a, offset, -1, 0))
    check(Tensor(a).trace(offset), np.trace(a, offset))


EINSUMS = [
    "ij,jk->ik",
    "ij,jk",
    "ij->ji",
    "ij->",
    "ij->i",
    "ii->i",
    "ii",
    "i,i->",
    "i,j->ij",
    "bij,bjk->bik",
    "...ij,...jk->...ik",
    "ij,jk,kl->il",
    "ij,kj->ik",
    "ij,ij->ij",
    "ijk->kij",
    "iji->j",
    "b...,b...->...",
    "i,ij,j->",
    "ij,k->ijk",
    "...->...",
    "ijij->ij",
    "aab,b->a",
]


@pytest.mark.parametrize("subscripts", EINSUMS)
def test_einsum(subscripts):
    sizes = {
        letter: 3 if "ii" in subscripts or "iji" in subscripts or "aa" in subscripts else 2 + i % 3 for i, letter in enumerate("ijklabn")
    }
    arrays = []
    for i, term in enumerate(subscripts.split("->")[0].split(",")):
        shape = tuple(sizes[c] for c in term.replace("...", "n"))
        arrays.append(sample(shape, seed=i))
    check(Tensor.einsum(subscripts, *map(Tensor, arrays)), np.einsum(subscripts, *arrays), 1e-5)


def test_einsum_broadcasts_ones_and_ellipses():
    a, b = sample((1, 3), seed=1), sample((4, 1), seed=2)
    check(Tensor.einsum("ij,ij->ij", Tensor(a), Tensor(b)), np.einsum("ij,ij->ij", a, b))
    a, b = sample((2, 1, 3, 4), seed=1), sample((5, 4, 2), seed=2)
    check(Tensor.einsum("...ij,...jk", Tensor(a), Tensor(b)), np.einsum("...ij,...jk", a, b), 1e-5)


def test_chained_random_einsums():
    rng = np.random.default_rng(0)
    a = sample((3, 3)) / 9
    x = Tensor(a)
    for _ in range(10):
        i, j, k, m = rng.choice(list("abcdef"), 4, replace=False)
        first, second = "".join(rng.permutation([i, j])), "".join(rng.permutation([j, k]))
        text = f"{first},{second}->{''.join(rng.permutation([i, k]))}"
        b = sample((3, 3), seed=int(rng.integers(100))) / 9
        a, x = np.einsum(text, a, b), Tensor.einsum(text, x, Tensor(b))
    check(x, a, 1e-4)


A, B = Tensor.zeros(3, 4), Tensor.zeros(5, 6)


@pytest.mark.parametrize(
    "call, words",
    [
        (
            lambda: A @ B,
            "matmul: inner sizes differ: (3, 4) @ (5, 6); the first operand's last axis must equal the second's second to last (4 and 5)",
        ),
        (lambda: A @ Tensor.zeros(3), "(3, 4) @ (3,)"),
        (lambda: A @ 2.0, "()"),
        (lambda: Tensor.zeros(2, 3, 4) @ Tensor.zeros(5, 4, 2), "(2, 3, 4) @ (5, 4, 2)"),
        (lambda: A.mm(Tensor.zeros(4)), "(4,)"),
        (lambda: A.tensordot(B, 1), "(5, 6)"),
        (lambda: Tensor.einsum("ij,jk", A, B), "'j'"),
        (lambda: Tensor.einsum("ij", A, B), "operands"),
        (lambda: Tensor.einsum("i", A), "axes"),
        (lambda: Tensor.einsum("ij->k", A), "'k'"),
        (lambda: Tensor.einsum("ij->ii", A), "twice"),
        (lambda: Tensor.einsum("i!", A), "'!'"),
        (lambda: Tensor.einsum("ii", A), "(3, 4)"),
        (lambda: A.diagonal(0, 1, 1), "both"),
    ],
)
def test_wrong_calls(call, words):
    with pytest.raises(ShapeError) as caught:
        call()
    assert words in str(caught.value)

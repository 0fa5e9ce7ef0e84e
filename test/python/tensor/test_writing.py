"""assign, in-place operators, views: NumPy's meaning, whatever overlaps, realised or not."""

import gc
import os

import numpy as np
import pytest
from arrays import check, sample

from morok import Tensor, dtypes, jit
from morok.errors import DTypeError, ShapeError
from morok.runtime.config import configured

OVERLAPS = {
    "shift up": lambda t: t.__setitem__(slice(1, None), t[:-1]),
    "shift down": lambda t: t.__setitem__(slice(None, -1), t[1:]),
    "reverse": lambda t: t.__setitem__(slice(None), t[::-1]),
    "interleave": lambda t: t.__setitem__(slice(None, None, 2), t[len(t) // 2 :]),
    "halves": lambda t: t.__setitem__(slice(0, len(t) // 2), t[len(t) // 2 : 2 * (len(t) // 2)] * 2),
    "add neighbours": lambda t: t.__setitem__(slice(1, -1), t[:-2] + t[2:]),
    "chain": lambda t: (t.__setitem__(slice(1, None), t[:-1]), t.__setitem__(slice(None, -1), t[1:]), t.__setitem__(0, t[-1])),
}


@pytest.mark.parametrize("name", OVERLAPS)
@pytest.mark.parametrize("realised", [True, False])
def test_overlapping_writes(name, realised):
    a = sample((8,), seed=1)
    t = Tensor(a) if realised else Tensor(a) + 0
    b = a + 0
    OVERLAPS[name](t)
    OVERLAPS[name](b)
    check(t, b)


@pytest.mark.parametrize(
    "write",
    [
        lambda t: t.assign(t.T),
        lambda t: t.__setitem__(slice(None), t[::-1, ::-1]),
        lambda t: t.__setitem__(0, t[:, 0]),
        lambda t: t.__setitem__((slice(None), 1), t[1]),
        lambda t: t.__imul__(t.T),
    ],
)
def test_a_matrix_written_from_itself(write):
    a = sample((4, 4), seed=1)
    t = Tensor(a)
    b = a.copy()

    class Array(np.ndarray):
        def assign(self, other):
            self[...] = other.copy()

    write(t)
    write(b.view(Array))
    check(t, b)


def test_swap_by_two_assigns():
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    before = a + 0
    a.assign(b)
    b.assign(before)
    Tensor.realize_batch([a, b])
    assert a.tolist() == [3, 4] and b.tolist() == [1, 2]


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_the_order_of_realisation_does_not_matter(order):
    y = Tensor([1.0, 2.0, 3.0])
    x = y * 10
    y += 1
    Tensor.realize_batch([[x, y][i] for i in order])
    assert x.tolist() == [10, 20, 30] and y.tolist() == [2, 3, 4]


def test_what_was_computed_before_a_write_keeps_the_old_value():
    t = Tensor([1.0, 2.0])
    double = t * 2
    t[0] = 100
    t.realize()
    assert t.tolist() == [100, 2] and double.tolist() == [2, 4]


IN_PLACE = ["__iadd__", "__isub__", "__imul__", "__itruediv__", "__ifloordiv__", "__imod__", "__ipow__"]


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_operators(name):
    a = sample((3, 4), seed=1, low=1)
    t, alias = Tensor(a), None
    alias = t
    result = getattr(t, name)(2)
    assert result is t and alias is t
    check(t, getattr(a.copy(), name)(2), 1e-5)


@pytest.mark.parametrize("name", ["__iand__", "__ior__", "__ixor__", "__ilshift__", "__irshift__", "__iadd__", "__imul__"])
def test_in_place_on_integers_keeps_the_dtype(name):
    a = sample((5,), dtypes.int8)
    t = Tensor(a)
    getattr(t, name)(Tensor([3, 1, 2, 0, 1]))
    check(t, getattr(np.ndarray, name.replace("__i", "__", 1))(a, np.array([3, 1, 2, 0, 1], np.int8)))


def test_a_slice_in_place_writes_once():
    t = Tensor(np.arange(6, dtype=np.float32)).realize()
    t[:3] *= 10
    assert sum(u.name == "assign" for u in t.uop.backward_slice()) == 1
    assert t.tolist() == [0, 10, 20, 3, 4, 5]


VIEWS = {
    "slice": (lambda t: t[1:3], lambda a: a[1:3]),
    "row": (lambda t: t[1], lambda a: a[1]),
    "column": (lambda t: t[:, 2], lambda a: a[:, 2]),
    "transpose": (lambda t: t.T, lambda a: a.T),
    "reshape": (lambda t: t.reshape(2, 10), lambda a: a.reshape(2, 10)),
    "flip": (lambda t: t[::-1], lambda a: a[::-1]),
    "step": (lambda t: t[::3, ::2], lambda a: a[::3, ::2]),
    "new axis": (lambda t: t[:, None], lambda a: a[:, None]),
    "slice of a slice": (lambda t: t[1:][:2, 1:], lambda a: a[1:][:2, 1:]),
    "slice of a transpose": (lambda t: t.T[1:, ::-1], lambda a: a.T[1:, ::-1]),
    "ravel": (lambda t: t.ravel(), lambda a: a.ravel()),
    "split": (lambda t: t.split(2)[1], lambda a: a[2:4]),
    "squeeze": (lambda t: t.unsqueeze(0).squeeze(0), lambda a: a),
    "detach": (lambda t: t.detach(), lambda a: a),
    "whole": (lambda t: t[...], lambda a: a[...]),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("realised", [True, False])
def test_views_alias(name, realised):
    a = sample((5, 4), seed=1)
    t = Tensor(a) if realised else Tensor(a) * 1
    view, right = VIEWS[name][0](t), VIEWS[name][1](a)
    check(view, right)
    view += 1
    right += 1
    check(t, a)
    check(view, right)
    t *= 2
    a *= 2
    check(view, right)
    view[...] = sample(right.shape, seed=3)
    right[...] = sample(right.shape, seed=3)
    check(t, a)
    view.assign(view * 2 - 1)
    right[...] = right * 2 - 1
    t.realize()
    check(view, right)
    check(t, a)
    check(VIEWS[name][0](t), right)


def test_two_views_of_a_tensor_that_nobody_else_holds():
    base = Tensor(np.arange(6.0))
    left, right = base[:4], base[2:]
    del base
    left += 10
    assert right.tolist() == [12, 13, 4, 5]
    right.realize()
    right[0] = 0
    assert left.tolist() == [10, 11, 0, 13]


def test_a_realised_view_lets_go_of_its_base():
    from morok.graph.tensor_graph import graph_statistics

    gc.collect()  # what earlier tests left in cycles
    v = (Tensor(np.zeros(1000, np.float32)) + 1)[:5].realize()
    before = graph_statistics()["buffers"]
    kept = [(Tensor(np.zeros(1000, np.float32)) + i)[:1].realize() for i in range(5)]
    assert graph_statistics()["buffers"] == before + 5 and v.tolist() == [1] * 5 and [k.item() for k in kept] == [0, 1, 2, 3, 4]


def test_what_is_new_does_not_alias():
    t = Tensor(np.arange(4.0))
    for other in (
        t.clone(),
        Tensor(t),
        t.contiguous(),
        t.roll(1),
        t.pad(1),
        t.repeat(2),
        t[[0, 1]],
        t + 0,
        +t,
        Tensor.cat([t]),
        t.cast(dtypes.float32),
        t.diagonal() if t.ndim > 1 else t * 1,
    ):
        other[0] = 99
    assert t.tolist() == [0, 1, 2, 3]


def test_expanded_tensors_are_not_writable():
    t = Tensor([1.0, 2.0])
    for view in (t.expand(3, 2), t.broadcast_to(3, 2)[0], t.expand(3, 2).T):
        with pytest.raises(ShapeError, match="expand"):
            view += 1
    assert t.tolist() == [1, 2]
    full = Tensor.full((2, 3), 1.0)
    full[0] = 2
    assert full.tolist() == [[2, 2, 2], [1, 1, 1]]


def test_fill_and_copy():
    t = Tensor([1, 2])
    assert t.fill_(7) is t and t.tolist() == [7, 7]
    assert t.copy_(Tensor([1.9, 2.9])).tolist() == [1, 2] and t.zero_().tolist() == [0, 0]


@pytest.mark.skipif("MOROK_TENSOR_ORACLE" in os.environ, reason="the interpreter makes new memory")
def test_weights_are_updated_in_their_own_memory():
    from morok.graph.registries import BUFFERS

    w = Tensor(np.ones(64, np.float32))
    memory = BUFFERS.get(w.uop).address
    for _ in range(3):
        w -= w * 0.5
        w.realize()
    assert BUFFERS.get(w.uop).address == memory and w.tolist() == [0.125] * 64


def test_many_writes_before_a_realize():
    t = Tensor.zeros(20).contiguous()
    right = np.zeros(20, np.float32)
    for i in range(20):
        t[i] = t[i - 1] + i
        right[i] = right[i - 1] + i
    check(t, right)


def test_abs_in_place_on_overlapping_windows():
    x = np.linspace(-3, 3, 7).astype(np.float32) * 2
    t = Tensor(x)
    windows = Tensor.stack([t[0:4], t[2:6]]).abs()
    assert windows.tolist() == [[6, 4, 2, 0], [2, 0, 2, 4]]


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda t: t.__iadd__(1.5), DTypeError, "float32"),
        (lambda t: t.__itruediv__(2), DTypeError, "float32"),
        (lambda t: t.__iadd__(Tensor.zeros(2, 3, dtype="int64")), ShapeError, "(2, 3)"),
        (lambda t: t.assign(Tensor([1, 2])), ShapeError, "(2,)"),
        (lambda t: t.assign(Tensor([1.0, 2, 3])), DTypeError, "float32"),
        (lambda t: t.assign("x"), DTypeError, "str"),
        (lambda t: t.__iadd__(Tensor([1, 2])), ShapeError, "(2,)"),
    ],
)
def test_wrong_writes_change_nothing(call, error, words):
    t = Tensor([1, 2, 3])
    with pytest.raises(error) as caught:
        call(t)
    assert words in str(caught.value) and t.tolist() == [1, 2, 3]


def test_a_view_without_its_tensor_is_written_once():
    view = Tensor([[0.0, 1.0]]).realize()[0]
    other = view[1:]
    view.assign(view + Tensor([1.0, 2.0]))
    assert (view * 1).tolist() == [1, 3]  # computes the view, not yet the memory that it is a view of
    assert view.tolist() == [1, 3]
    view += 1
    assert view.tolist() == [2, 4] and other.tolist() == [4]


def test_what_views_share_is_written_once():
    """Both views have memory of their own by the second write, but what they are views of is still to be computed: its old value must last."""
    t = Tensor(np.zeros(6, np.float32))
    v, w = t[1:4], t[0:3]
    del t
    v += 1
    w.realize(), v.realize()
    v[:1] = 9
    assert v.tolist() == [9, 1, 1] and w.tolist() == [0, 9, 1]


@pytest.mark.parametrize("check", [False, True])
def test_a_write_to_nothing_between_two_writes(check):
    x = np.arange(8, dtype=np.float32)
    t = Tensor(x)
    right = x + 1
    t += 1
    before, back = t.clone(), t.flip(0)
    back[5:4] = 8.0
    back.assign(before + back)
    right[::-1] = right + right[::-1]
    with configured(check=check):
        np.testing.assert_array_equal(t.numpy(), right)
        np.testing.assert_array_equal(before.numpy(), x + 1)


@pytest.mark.parametrize("view", [lambda x: x[::-1], lambda x: x.T, lambda x: x[1:]])
@pytest.mark.parametrize("place", [lambda x: x[::-1], lambda x: x.T, lambda x: x[:1]])
def test_a_copy_of_a_view_is_written_through_the_view_that_undoes_it(view, place):
    """The copy's value is a movement op; one that cancels it leads to what lies behind the copy, which is not to be written."""
    x = np.arange(9, dtype=np.float32).reshape(3, 3)
    t = Tensor(x).realize()
    c = view(t).clone()
    place(c).assign(place(c) * 0 + 5)
    c[:1] = 7
    assert np.array_equal(t.numpy(), x)
    right = np.array(view(x))
    place(right)[...] = 5
    right[:1] = 7
    np.testing.assert_array_equal(c.numpy(), right)


PARTS = {"slice": lambda x: x[1:3], "step": lambda x: x[::2], "backwards": lambda x: x[::-1], "row": lambda x: x.reshape(2, 3)[1]}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("how", ["numpy", "batch", "plan", "inside jit"])
def test_a_copy_of_the_part_written_is_realised_before_the_write(part, how):
    """The copy is the very value that tells the write its place; it becomes a buffer, the place does not."""
    x = np.arange(6, dtype=np.float32)
    right = x.copy()
    PARTS[part](right)[...] = -1.0
    t = Tensor(x)

    def kept_and_written(t):
        kept = PARTS[part](t).clone()
        PARTS[part](t).assign(PARTS[part](t) * 0 - 1)
        return kept

    if how == "inside jit":
        kept = jit(lambda t: kept_and_written(t).realize())(t)
    else:
        kept = kept_and_written(t)
    if how == "batch":
        Tensor.realize_batch([kept, t])
    elif how == "plan":
        plan = kept.prepare()
        plan.execute()
        np.testing.assert_array_equal(plan.output_buffer_at(0).numpy(), PARTS[part](x))
    np.testing.assert_array_equal(kept.numpy(), PARTS[part](x))
    np.testing.assert_array_equal(t.numpy(), right)

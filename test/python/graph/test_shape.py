"""Symbolic shapes, their bounds and values, on plain UOps and on handles alike."""
import itertools

import pytest
from graph_building import buffer
from hypothesis import given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.dialect.opdef import DYNAMIC
from morok.errors import BoundsError, ShapeError
from morok.graph.shape import evaluate_index, interval, max_shape, numel, shape_of
from morok.graph.tensor_graph import TensorUOp
from morok.graph.uop import UOp, argument

SOURCE = T.tensor((8, 3), T.float32)


@pytest.fixture(params=[UOp, TensorUOp])
def kind(request):
    return request.param


@pytest.fixture
def source(kind):
    return argument(0, SOURCE) if kind is UOp else buffer(SOURCE)


def variable(kind, name="n", low=1, high=8):
    return kind.make("define_var", (), (name, low, high))


def window(kind, source, size):
    return kind.make("shrink", (source, size), ((0, 0), (DYNAMIC, 3)))


def test_static_shapes(source):
    assert shape_of(source) == (8, 3)
    assert shape_of(source + source) == (8, 3)


def test_scalars_have_no_axes(kind):
    assert shape_of(variable(kind)) == ()


def test_movement_and_reduction(kind, source):
    n = variable(kind)
    x = window(kind, source, n)
    assert shape_of(x) == (n, 3)
    assert shape_of(kind.make("permute", (x,), ((1, 0),))) == (3, n)
    assert shape_of(kind.make("flip", (x,), ((0,),))) == (n, 3)
    assert shape_of(kind.make("reduce_axis", (x,), ("add", (1,)))) == (n,)
    assert shape_of(kind.make("reduce_axis", (x,), ("add", (0,)))) == (3,)
    assert shape_of(kind.make("reshape", (x, n), ((3, DYNAMIC),))) == (3, n)
    padded = kind.make("pad", (x, n), ((DYNAMIC, 0), (1, 0), 0.0))
    assert evaluate_index(shape_of(padded)[0], {"n": 3}) == 7
    assert shape_of(padded)[1] == 3


def test_elementwise_ops_have_the_shape_of_their_operands(kind, source):
    n = variable(kind)
    x = window(kind, source, n)
    assigned = kind.make("assign", (x, x, x))
    for u in (x + x, x.alu("exp"), x.cast(T.int32), x.lt(x), x.lt(x).where(x, x), kind.make("contiguous", (x,)), assigned):
        assert shape_of(u) == (n, 3)


def test_sizes_for_two_lists_are_taken_in_order(kind, source):
    begin, size = variable(kind, "b", 0, 4), variable(kind, "s", 1, 4)
    u = kind.make("shrink", (source, begin, size), ((DYNAMIC, 0), (DYNAMIC, 3)))
    assert shape_of(u) == (size, 3)


def test_a_constant_size_given_as_an_operand_is_an_int(kind, source):
    u = window(kind, source, kind.constant(5, T.index))
    assert shape_of(u) == (5, 3)


def test_padding_undone_gives_the_size_back(kind, source):
    n = variable(kind)
    x = kind.make("pad", (window(kind, source, n),), ((2, 0), (0, 0), 0.0))
    assert shape_of(kind.make("shrink", (x, x_size(x) - 2), ((0, 0), (DYNAMIC, 3)))) == (n, 3)


def x_size(x):
    return shape_of(x)[0]


def test_deep_chains(kind, source):
    n = variable(kind)
    x = window(kind, source, n)
    u = x
    for _ in range(20_000):
        u = u.alu("neg")
    assert shape_of(u) == (n, 3)


def test_a_symbolic_size_that_nothing_states():
    with pytest.raises(ShapeError, match="symbolic size that nothing states"):
        shape_of(argument(0, T.tensor((None,), T.float32)))


def test_numel(kind):
    n = variable(kind)
    assert numel(()) == 1
    assert numel((2, 3)) == 6
    assert numel((n, 3)) is n * 3
    assert numel((n, 0)) == 0
    assert numel((n, 1)) is n


def test_max_shape(kind, source):
    n = variable(kind)
    assert max_shape(kind.make("pad", (window(kind, source, n), n), ((DYNAMIC, 0), (1, 0), 0.0))) == (17, 3)
    assert max_shape(source) == (8, 3)


def test_evaluate_uses_bound_values_where_none_is_given(kind):
    b = kind.make("bind", (variable(kind), kind.constant(4, T.index)))
    assert evaluate_index(b * 3, {}) == 12
    assert evaluate_index(b * 3, {"n": 5}) == 15


def test_evaluate_names_the_variable_that_has_no_value(kind):
    with pytest.raises(BoundsError, match="variable 'n' has no value; values are given for: m"):
        evaluate_index(variable(kind) + 1, {"m": 1})
    with pytest.raises(BoundsError, match="variable 'n' has no value"):
        evaluate_index(variable(kind), {})


def test_sizes_do_not_depend_on_tensors():
    index = UOp.make("range", (UOp.constant(4, T.index),), (0, "loop"))
    for ask in (interval, lambda u: evaluate_index(u, {})):
        with pytest.raises(ShapeError, match="a size may not depend on morok.range"):
            ask(index)


# Bounds hold for every value within the variables' bounds.

def expressions():
    names = st.sampled_from(("add", "sub", "mul", "floordiv", "mod", "max", "min"))
    leaves = st.one_of(st.sampled_from(("n", "m")), st.integers(-6, 6))
    return st.recursive(leaves, lambda inner: st.tuples(names, inner, inner), max_leaves=6)


def build(expression, bounds):
    if isinstance(expression, str):
        return UOp.make("define_var", (), (expression, *bounds[expression]))
    if isinstance(expression, int):
        return UOp.constant(expression, T.index)
    name, x, y = expression
    return UOp.make(name, (build(x, bounds), build(y, bounds)))


RANGES = st.tuples(st.integers(-4, 4), st.integers(0, 4)).map(lambda p: (p[0], p[0] + p[1]))


@given(expressions(), RANGES, RANGES)
def test_every_value_lies_within_the_interval(expression, n, m):
    u = build(expression, {"n": n, "m": m})
    low, high = interval(u)
    for i, j in itertools.product(range(n[0], n[1] + 1), range(m[0], m[1] + 1)):
        assert low <= evaluate_index(u, {"n": i, "m": j}) <= high


@given(expressions(), st.integers(-4, 4), st.integers(-4, 4))
def test_values_are_those_of_python(expression, n, m):
    def value(e):
        if not isinstance(e, tuple):
            return {"n": n, "m": m}.get(e, e)
        x, y = value(e[1]), value(e[2])
        return {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "max": lambda: max(x, y), "min": lambda: min(x, y),
                "floordiv": lambda: x // y if y else 0, "mod": lambda: x % y if y else 0}[e[0]]()

    assert evaluate_index(build(expression, {"n": (-4, 4), "m": (-4, 4)}), {"n": n, "m": m}) == value(expression)

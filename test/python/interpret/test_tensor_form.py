"""Tensor form against NumPy."""
# ruff: noqa: E501  (MLIR text and its messages)

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.errors import BoundsError, DTypeError, IRError, ShapeError
from morok.graph.body import Body, Program
from morok.graph.uop import UOp, argument
from morok.interpret import interpret

X = np.arange(6, dtype=np.float32).reshape(2, 3)
DYNAMIC = -(1 << 63)

MOVES = {
    "reshape": ('"morok.reshape"(%a) {shape = array<i64: 3, 2>}', "3x2", lambda x: x.reshape(3, 2)),
    "permute": ('"morok.permute"(%a) {order = array<i64: 1, 0>}', "3x2", lambda x: x.T),
    "pad": ('"morok.pad"(%a) {low = array<i64: 1, 0>, high = array<i64: 0, 2>, value = 7.0 : f32}', "3x5",
            lambda x: np.pad(x, [(1, 0), (0, 2)], constant_values=7)),
    "shrink": ('"morok.shrink"(%a) {begin = array<i64: 1, 0>, size = array<i64: 1, 2>}', "1x2", lambda x: x[1:2, 0:2]),
    "shrink to nothing": ('"morok.shrink"(%a) {begin = array<i64: 2, 0>, size = array<i64: 0, 3>}', "0x3", lambda x: x[2:2]),
    "flip": ('"morok.flip"(%a) {axes = array<i64: 1>}', "2x3", lambda x: x[:, ::-1]),
    "flip of no axis": ('"morok.flip"(%a) {axes = array<i64>}', "2x3", lambda x: x),
    "sum": ('"morok.reduce_axis"(%a) {op = "add", axes = array<i64: 0>}', "3", lambda x: x.sum(0)),
    "max of all": ('"morok.reduce_axis"(%a) {op = "max", axes = array<i64: 0, 1>}', "", lambda x: x.max()),
    "contiguous": ('"morok.contiguous"(%a)', "2x3", lambda x: x),
    "detach": ('"morok.detach"(%a)', "2x3", lambda x: x),
    "copy": ('"morok.copy"(%a) {device = "CPU:1"}', "2x3", lambda x: x),
    "exp": ('"morok.exp"(%a)', "2x3", np.exp),
}


@pytest.mark.parametrize("name", MOVES)
def test_op(run, name):
    op, shape, function = MOVES[name]
    shape = f"tensor<{shape}{'x' if shape else ''}f32>"
    [got] = run(f"func.func @main(%a: tensor<2x3xf32>) -> {shape} {{\n  %0 = {op} : (tensor<2x3xf32>) -> {shape}\n  return %0 : {shape}\n}}", X)
    want = function(X)
    assert got.dtype == np.float32 and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_constant_is_expanded(run):
    [got] = run("""func.func @main() -> tensor<2x3xbf16> {
      %0 = "morok.const"() {value = 1.5 : bf16} : () -> tensor<bf16>
      %1 = "morok.reshape"(%0) {shape = array<i64: 1, 1>} : (tensor<bf16>) -> tensor<1x1xbf16>
      %2 = "morok.expand"(%1) {shape = array<i64: 2, 3>} : (tensor<1x1xbf16>) -> tensor<2x3xbf16>
      return %2 : tensor<2x3xbf16>
    }""")
    assert got.dtype == ml_dtypes.bfloat16 and got.shape == (2, 3) and np.all(got == 1.5)


def test_iota(run):
    [got, symbolic] = run("""func.func @main() -> (tensor<3xf32>, tensor<?xi8>) {
      %n = "morok.define_var"() {name = "n", min = 0, max = 300} : () -> index
      %0 = "morok.iota"() {shape = array<i64: 3>} : () -> tensor<3xf32>
      %1 = "morok.iota"(%n) {shape = array<i64: -9223372036854775808>} : (index) -> tensor<?xi8>
      return %0, %1 : tensor<3xf32>, tensor<?xi8>
    }""", n=130)
    assert got.tolist() == [0, 1, 2] and symbolic[-3:].tolist() == [127, -128, -127]


def test_where_cast_and_comparison(run):
    [got] = run("""func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xf32> {
      %0 = "morok.cmplt"(%a, %b) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %1 = "morok.where"(%0, %a, %b) : (tensor<4xi1>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
      %2 = "morok.cast"(%1) : (tensor<4xi32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }""", np.array([1, 5, -3, 2], np.int32), np.array([2, 4, 9, 2], np.int32))
    assert got.tolist() == [1, 4, -3, 2] and got.dtype == np.float32


def test_results_do_not_alias_inputs(run):
    x = X.copy()
    [got] = run("func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  return %a : tensor<2x3xf32>\n}", x)
    got[:] = 0
    assert np.array_equal(x, X)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_symbolic_length(run, n):
    """The first n of a buffer of 4 rows, summed over its rows and its columns."""
    rows, columns = run("""func.func @main(%a: tensor<12xf32>) -> (tensor<?xf32>, tensor<3xf32>) {
      %n = "morok.define_var"() {name = "n", min = 0, max = 4} : () -> index
      %m = "morok.mul"(%n, #3) : (index, index) -> index
      %0 = "morok.shrink"(%a, %m) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<12xf32>, index) -> tensor<?xf32>
      %1 = "morok.reshape"(%0, %n) {shape = array<i64: -9223372036854775808, 3>} : (tensor<?xf32>, index) -> tensor<?x3xf32>
      %2 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 1>} : (tensor<?x3xf32>) -> tensor<?xf32>
      %3 = "morok.reduce_axis"(%1) {op = "add", axes = array<i64: 0>} : (tensor<?x3xf32>) -> tensor<3xf32>
      return %2, %3 : tensor<?xf32>, tensor<3xf32>
    }""", np.arange(12, dtype=np.float32), n=n)
    want = np.arange(12, dtype=np.float32).reshape(4, 3)[:n]
    assert np.array_equal(rows, want.sum(1)) and np.array_equal(columns, want.sum(0))


def test_symbolic_padding(run):
    [got] = run("""func.func @main(%a: tensor<3xf32>) -> tensor<?xf32> {
      %n = "morok.define_var"() {name = "n", min = 0, max = 4} : () -> index
      %0 = "morok.pad"(%a, %n) {low = array<i64: 1>, high = array<i64: -9223372036854775808>, value = 0.0 : f32} : (tensor<3xf32>, index) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }""", np.ones(3, np.float32), n=2)
    assert got.tolist() == [0, 1, 1, 1, 0, 0]


def test_bind_gives_the_variable_its_value(run):
    [got] = run("""func.func @main(%a: tensor<3xf32>) -> tensor<?xf32> {
      %n = "morok.define_var"() {name = "n", min = 1, max = 3} : () -> index
      %b = "morok.bind"(%n, #2) : (index, index) -> index
      %0 = "morok.shrink"(%a, %b) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<3xf32>, index) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }""", np.array([1, 2, 3], np.float32))
    assert got.tolist() == [1, 2]


@pytest.mark.parametrize("shape, axes, want", [((0, 3), (0,), [0, 0, 0]), ((0,), (0,), 0), ((2, 0), (1,), [0, 0]), ((), (), 5)])
def test_sum_of_empty(shape, axes, want):
    x = argument(0, T.tensor(shape, T.float32))
    got = evaluate(UOp.make("reduce_axis", (x,), ("add", axes)), np.full(shape, 5, np.float32))
    assert got.tolist() == want


# Assign

ASSIGN = """func.func @main(%t: tensor<7xf32>, %v: tensor<SIZExf32>) -> tensor<7xf32> {
  VIEW
  %r = "morok.assign"(%t, %w, %v) : (tensor<7xf32>, tensor<SIZExf32>, tensor<SIZExf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}"""


def test_assign_to_every_second_element(run):
    view = """%p = "morok.pad"(%t) {low = array<i64: 0>, high = array<i64: 1>, value = 0.0 : f32} : (tensor<7xf32>) -> tensor<8xf32>
      %q = "morok.reshape"(%p) {shape = array<i64: 4, 2>} : (tensor<8xf32>) -> tensor<4x2xf32>
      %s = "morok.shrink"(%q) {begin = array<i64: 0, 0>, size = array<i64: 4, 1>} : (tensor<4x2xf32>) -> tensor<4x1xf32>
      %w = "morok.reshape"(%s) {shape = array<i64: 4>} : (tensor<4x1xf32>) -> tensor<4xf32>"""
    [got] = run(ASSIGN.replace("SIZE", "4").replace("VIEW", view), np.zeros(7, np.float32), np.ones(4, np.float32))
    assert got.tolist() == [1, 0, 1, 0, 1, 0, 1]


def test_assign_to_a_flipped_window(run):
    view = """%s = "morok.shrink"(%t) {begin = array<i64: 2>, size = array<i64: 3>} : (tensor<7xf32>) -> tensor<3xf32>
      %w = "morok.flip"(%s) {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>"""
    [got] = run(ASSIGN.replace("SIZE", "3").replace("VIEW", view), np.zeros(7, np.float32), np.array([1, 2, 3], np.float32))
    assert got.tolist() == [0, 0, 3, 2, 1, 0, 0]


def test_padding_in_a_view_is_not_written(run):
    view = '%w = "morok.pad"(%t) {low = array<i64: 1>, high = array<i64: 0>, value = 0.0 : f32} : (tensor<7xf32>) -> tensor<8xf32>'
    [got] = run(ASSIGN.replace("SIZE", "8").replace("VIEW", view), np.zeros(7, np.float32), np.arange(8, dtype=np.float32))
    assert got.tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_assigns_are_pure(run):
    """a := b and b := a, each from the old values, is a swap."""
    a, b = run("""func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = "morok.assign"(%a, %a, %b) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %1 = "morok.assign"(%b, %b, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %0, %1 : tensor<2xf32>, tensor<2xf32>
    }""", np.array([1, 2], np.float32), np.array([3, 4], np.float32))
    assert a.tolist() == [3, 4] and b.tolist() == [1, 2]


def test_assign_through_arithmetic_is_refused(run):
    view = '%w = "morok.neg"(%t) : (tensor<7xf32>) -> tensor<7xf32>'
    with pytest.raises(IRError, match="movement ops over its target; morok.neg is in the way"):
        run(ASSIGN.replace("SIZE", "7").replace("VIEW", view), np.zeros(7, np.float32), np.zeros(7, np.float32))


# Errors

IDENTITY = "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n  return %a : tensor<2x3xf32>\n}"


@pytest.mark.parametrize("inputs, error, message", [
    ([], IRError, "@main takes 1 arguments, given 0"),
    ([X.astype(np.float64)], DTypeError, "argument 0 is a tensor<2x3xf32>, given an array of float64"),
    ([X[:, :2]], ShapeError, r"argument 0 is a tensor<2x3xf32>, given an array of shape \(2, 2\)"),
    ([X.T], ShapeError, "shape")])
def test_wrong_input(run, inputs, error, message):
    with pytest.raises(error, match=message):
        run(IDENTITY, *inputs)


def test_unknown_function(run):
    with pytest.raises(IRError, match="no straight-line morok function @other; it has @main"):
        run(IDENTITY, X, function="other")


VARIABLE = """func.func @main(%a: tensor<3xf32>) -> tensor<?xf32> {
  %n = "morok.define_var"() {name = "n", min = 1, max = 9} : () -> index
  %0 = "morok.shrink"(%a, %n) {begin = array<i64: 0>, size = array<i64: -9223372036854775808>} : (tensor<3xf32>, index) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}"""


def test_variable_without_value(run):
    with pytest.raises(IRError, match="'n' has no value"):
        run(VARIABLE, np.zeros(3, np.float32))


def test_variable_out_of_bounds(run):
    with pytest.raises(BoundsError, match="'n' is 10; it must be from 1 to 9"):
        run(VARIABLE, np.zeros(3, np.float32), n=10)


def test_window_out_of_bounds(run):
    with pytest.raises(BoundsError, match=r"morok.shrink window \[0, 4\) of axis 0 exceeds its size 3"):
        run(VARIABLE, np.zeros(3, np.float32), n=4)


# Random chains of movement ops

def evaluate(result, *inputs):
    arguments = [argument(i, T.tensor(x.shape, T.dtype_of_numpy(x.dtype))) for i, x in enumerate(inputs)]
    program = Program(None)
    program.bodies["main"] = Body("main", arguments, (result,))
    return interpret(program, "main", inputs)[0]


@st.composite
def chains(draw):
    """A chain of movement ops over a tensor of small, prime, unit and zero sizes, with what NumPy makes of it."""
    shape = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), max_size=3)))
    x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    u, want = argument(0, T.tensor(shape, T.int32)), x
    for name in draw(st.lists(st.sampled_from(["permute", "pad", "shrink", "flip", "expand", "reshape"]), max_size=6)):
        sizes = want.shape
        if name == "permute":
            order = tuple(draw(st.permutations(range(want.ndim))))
            u, want = UOp.make(name, (u,), (order,)), want.transpose(order)
        elif name == "pad":
            low, high = (tuple(draw(st.integers(0, 2)) for _ in sizes) for _ in range(2))
            u, want = UOp.make(name, (u,), (low, high, -1)), np.pad(want, list(zip(low, high)), constant_values=-1) if sizes else want
        elif name == "shrink":
            begin = tuple(draw(st.integers(0, s)) for s in sizes)
            size = tuple(draw(st.integers(0, s - b)) for s, b in zip(sizes, begin))
            u, want = UOp.make(name, (u,), (begin, size)), want[tuple(slice(b, b + s) for b, s in zip(begin, size))]
        elif name == "flip":
            axes = tuple(a for a in range(want.ndim) if draw(st.booleans()))
            u, want = UOp.make(name, (u,), (axes,)), np.flip(want, axes)
        elif name == "expand":
            new = tuple(draw(st.integers(0, 3)) if s == 1 else s for s in sizes)
            u, want = UOp.make(name, (u,), (new,)), np.broadcast_to(want, new)
        else:
            new = (want.size,) if draw(st.booleans()) else (1, *sizes)
            u, want = UOp.make(name, (u,), (new,)), want.reshape(new)
    return x, u, want


@given(chains())
def test_movement_chain(case):
    x, u, want = case
    assert np.array_equal(evaluate(u, x), want)


@given(chains())
def test_assign_through_a_chain_undoes_reading(case):
    """Assigning the negated view negates exactly the elements that the view shows."""
    x, u, want = case
    x = x + 1
    shown = np.isin(x, evaluate(u, x))
    target = argument(0, T.tensor(x.shape, T.int32))
    got = evaluate(UOp.make("assign", (target, u, UOp.make("neg", (u,)))), x)
    assert np.array_equal(got, np.where(shown, -x, x))

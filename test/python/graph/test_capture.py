"""Capture: arguments in the order met, variables for binds, MLIR that verifies; the structural key says what capture would."""
import pytest
from graph_building import MATRIX, RECIPES, STEPS, buffer, build, variable
from hypothesis import assume, given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.dialect.opdef import DYNAMIC
from morok.errors import BoundsError
from morok.graph.capture import capture, structural_key
from morok.graph.tensor_graph import TensorUOp, index_value, tensor_const
from morok.graph.uop import UOp, verify


def body_of(sinks, **options):
    return capture(sinks, **options).program.bodies["main"]


def test_the_program():
    a, b = buffer(), buffer()
    captured = capture([(b + a).alu("exp"), a])
    assert captured.leaves == [b, a]
    assert captured.devices == ["CPU", "CPU"]
    assert str(captured.program.module) == """\
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = "morok.add"(%arg0, %arg1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = "morok.exp"(%0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %1, %arg1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
"""


def test_the_program_is_of_plain_uops():
    body = body_of([buffer() * 2])
    assert all(type(u) is UOp for u in body.order())
    assert all(verify(u) is None for u in body.order())


def test_locations_are_those_of_the_graph():
    u = buffer() + buffer()
    (result,) = body_of([u]).results
    assert result.loc is not None and result.loc[0] == __file__


def test_no_sinks():
    assert body_of([]).results == ()
    assert structural_key([])[1:] == ([], {})


def test_a_sink_twice():
    u = buffer().alu("exp")
    body = body_of([u, u])
    assert body.results[0] is body.results[1]


# Variables

def bound(value: int, name: str = "n", low: int = 1, high: int = 8) -> TensorUOp:
    return TensorUOp.make("bind", (variable(name, low, high), index_value(value)))


def window(size: TensorUOp) -> TensorUOp:
    return TensorUOp.make("shrink", (buffer(T.tensor((8, 3), T.float32)), size), ((0, 0), (DYNAMIC, 3)))


def test_binds_become_variables():
    captured = capture([window(bound(4))])
    assert captured.variables == {"n": (1, 8)}
    assert captured.values == {"n": 4}
    assert all(u.name != "bind" for u in captured.program.bodies["main"].order())
    assert "morok.define_var" in str(captured.program.module)


def test_bound_values_are_no_part_of_the_key():
    (first, _, values), (second, _, others) = structural_key([window(bound(4))]), structural_key([window(bound(5))])
    assert first == second and hash(first) == hash(second)
    assert (values, others) == ({"n": 4}, {"n": 5})


def test_variables_are_part_of_the_key():
    keys = [structural_key([window(v)])[0] for v in (bound(4), bound(4, "m"), bound(4, high=7), bound(4, low=2))]
    assert len(set(keys)) == 4


def test_bound_and_unbound_variables_are_one_in_the_program():
    x = window(variable() * 1)
    y = TensorUOp.make("shrink", (x.operands[0], bound(4)), ((0, 0), (DYNAMIC, 3)))
    z = buffer(T.tensor((8, 3), T.float32))
    same = TensorUOp.make("shrink", (z, bound(4)), ((0, 0), (DYNAMIC, 3)))
    assert structural_key([x, y])[0] == structural_key([same, same])[0]


@pytest.mark.parametrize("ask", [capture, structural_key])
def test_a_variable_with_two_values_is_refused(ask):
    with pytest.raises(BoundsError, match="variable 'n' is bound to 4 and to 5 in one computation"):
        ask([window(bound(4)), window(bound(5))])


@pytest.mark.parametrize("ask", [capture, structural_key])
def test_two_variables_of_one_name_are_refused(ask):
    with pytest.raises(BoundsError, match="two variables named 'n' with bounds 1 to 8 and 2 to 8"):
        ask([window(bound(4)), window(variable(low=2))])


@pytest.mark.parametrize("ask", [capture, structural_key])
def test_a_value_outside_the_bounds_is_refused(ask):
    with pytest.raises(BoundsError, match="variable 'n' has bounds 1 to 8, given 9"):
        ask([window(bound(9))])


# The key

def test_the_key_does_not_see_which_buffers():
    a, b, c = buffer(), buffer(), buffer()
    assert structural_key([a + b])[0] == structural_key([b + c])[0]
    assert structural_key([a + b])[1] == [a, b]


def test_the_key_sees_equal_buffers():
    a, b = buffer(), buffer()
    assert structural_key([a + b])[0] != structural_key([a + a])[0]


def test_the_key_sees_types_and_devices():
    buffers = (buffer(), buffer(T.tensor((3, 2), T.float32)), buffer(T.tensor((2, 3), T.float64)), buffer(device="CPU:1"))
    keys = [structural_key([u.alu("exp")])[0] for u in buffers]
    assert len(set(keys)) == 4


def test_the_key_sees_the_order_of_sinks():
    a = buffer()
    x, y = a.alu("exp"), a.alu("neg")
    assert structural_key([x, y])[0] != structural_key([y, x])[0]
    assert structural_key([x])[0] != structural_key([x, x])[0]


@pytest.mark.parametrize("x, y", [(0.0, -0.0), (1.0, 2.0), (float("inf"), float("nan"))])
def test_the_key_sees_constants(x, y):
    assert structural_key([tensor_const(x, T.float32)])[0] != structural_key([tensor_const(y, T.float32)])[0]


def test_the_key_keeps_no_handle_alive():
    import weakref
    u = buffer().alu("exp")
    key, _, _ = structural_key([u])
    watch = weakref.ref(u)
    del u, _
    assert watch() is None
    assert key == structural_key([buffer().alu("exp")])[0]


def without_conflicts(recipe):
    return len({step[2] for step in recipe[0] if step[0] == "scaled by n"}) < 2


@given(RECIPES)
def test_the_same_graph_over_other_buffers_has_the_same_key(recipe):
    assume(without_conflicts(recipe))
    first, second = build(recipe, [buffer(), buffer()]), build(recipe, [buffer(), buffer()])
    assert structural_key(first)[0] == structural_key(second)[0]
    assert hash(structural_key(first)[0]) == hash(structural_key(second)[0])


@given(RECIPES, RECIPES)
def test_keys_are_equal_exactly_where_programs_are(first, second):
    assume(without_conflicts(first) and without_conflicts(second))
    compare(build(first, [buffer(), buffer()]), build(second, [buffer(), buffer()]))


@given(RECIPES, st.integers(0, 7), STEPS)
def test_keys_of_graphs_that_differ_in_one_step(recipe, at, step):
    steps, roots = recipe
    assume(steps)
    other = list(steps)
    other[at % len(steps)] = step
    assume(without_conflicts(recipe) and without_conflicts((other, roots)))
    compare(build(recipe, [buffer(), buffer()]), build((other, roots), [buffer(), buffer()]))


def compare(x, y):
    one, two = body_of(x), body_of(y)
    equal = one.results == two.results and one.arguments == two.arguments and one.argument_attributes == two.argument_attributes
    assert (structural_key(x)[0] == structural_key(y)[0]) == equal


@given(RECIPES)
def test_captured_programs_verify_and_read_back(recipe):
    assume(without_conflicts(recipe))
    captured = capture(build(recipe, [buffer(), buffer()]))
    body = captured.program.bodies["main"]
    assert captured.program.module.operation.verify()
    captured.program.reread()
    assert captured.program.bodies["main"].results == body.results
    assert [leaf.type for leaf in captured.leaves] == [a.type for a in body.arguments]


def test_leaves_of_key_and_capture_agree():
    a, b, c = buffer(), buffer(), buffer()
    sinks = [(c + b) * (a + c), b.alu("exp")]
    assert structural_key(sinks)[1] == capture(sinks).leaves == [c, b, a]
    assert MATRIX is a.type

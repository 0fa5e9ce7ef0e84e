"""Handles of the lazy graph: identity, verification, locations, MLIR text."""
import copy
import inspect
import re

import pytest
from graph_building import MATRIX, buffer, chain, variable
from hypothesis import given
from hypothesis import strategies as st

from morok.dialect import types as T
from morok.dialect.opdef import DYNAMIC
from morok.errors import IRError
from morok.graph.tensor_graph import GRAPH, TensorUOp, graph_statistics, index_value, new_buffer, tensor_const


def test_equal_expressions_are_one_object():
    a, b = buffer(), buffer()
    assert a + b is a + b
    assert (a + b).alu("exp") is (a + b).alu("exp")
    assert a + b is not b + a


def test_a_stated_type_is_no_part_of_the_identity_where_it_can_be_inferred():
    a = buffer()
    assert TensorUOp.make("add", (a, a), (), MATRIX) is a + a


def test_casts_to_different_types_differ():
    a = buffer()
    assert a.cast(T.int32) is not a.cast(T.int64)
    assert a.cast(T.int32) is a.cast(T.int32)
    assert a.cast(T.int32).type is T.tensor((2, 3), T.int32)


def test_buffers_are_never_equal():
    assert buffer() is not buffer()


def test_live_buffers_have_different_numbers():
    buffers = [buffer() for _ in range(100)]
    del buffers[::3]
    buffers += [buffer() for _ in range(100)]
    assert len({b.operands[0].attribute("id") for b in buffers}) == len(buffers)


@pytest.mark.parametrize("x, y", [(0.0, -0.0), (1.0, True), (0.0, 0.1)])
def test_constants_that_differ_in_bits_differ(x, y):
    if isinstance(y, bool):
        assert tensor_const(x, T.float32) is tensor_const(y, T.float32)  # converted to the dtype first
    else:
        assert tensor_const(x, T.float32) is not tensor_const(y, T.float32)


def test_nan_is_one_constant():
    assert tensor_const(float("nan"), T.float32) is tensor_const(float("nan"), T.float32)


def test_paddings_with_zeros_of_both_signs_differ():
    a = buffer()
    plus, minus = (TensorUOp.make("pad", (a,), ((1, 0), (0, 0), zero)) for zero in (0.0, -0.0))
    assert plus is not minus
    assert "-0.0" in str(minus.operation)
    assert TensorUOp.make("pad", (a,), ((1, 0), (0, 0), 0)) is plus  # an int becomes the dtype's kind


def test_operators_give_handles_of_the_graph():
    a = buffer()
    tensors = (a + a, a * 2, 2 * a, a - 1.5, 1 - a, -a, a.lt(0), a.eq(a), a.lt(0).where(a, 0), a.cast(T.int32))
    for u in (*tensors, index_value(3) + variable(), variable() * 2):
        assert type(u) is TensorUOp
        assert u.operation.name == f"morok.{u.name}"


def test_a_number_beside_a_tensor_is_expanded():
    u = buffer() * 2
    assert u.operands[1].type is MATRIX
    assert u.operands[1].operands[0].operands[0] is tensor_const(2, T.float32)


def test_a_number_beside_a_tensor_of_symbolic_shape_is_expanded():
    n = variable()
    window = TensorUOp.make("shrink", (buffer(T.tensor((8, 3), T.float32)), n), ((0, 0), (DYNAMIC, 3)))
    assert (window * 2).operands[1].operands[1] is n


def test_index_arithmetic_folds_as_that_of_plain_uops():
    assert index_value(3) + 4 is index_value(7)
    assert variable() + 0 is variable()


@pytest.mark.parametrize("name, attributes, message", [
    ("reshape", ((7,),), r"morok.reshape: cannot reshape \(2, 3\) \(6 elements\) to \(7,\) \(7 elements\)"),
    ("permute", ((0, 0),), r"morok.permute: order \(0, 0\) is not a permutation"),
    ("reduce_axis", ("add", (2,)), r"morok.reduce_axis: axis 2 does not exist"),
    ("range", (0, "loop"), r"morok.range is no op of the tensor form"),
    ("fourier", (), r"morok.fourier is no op of the tensor form"),
])
def test_what_does_not_verify_is_refused_with_the_users_line(name, attributes, message):
    a = buffer()
    line = inspect.currentframe().f_lineno + 2
    with pytest.raises(IRError, match=re.escape(f"{__file__}:{line}: ") + message):
        TensorUOp.make(name, (a,), attributes)


def test_operands_of_different_types_are_refused():
    with pytest.raises(IRError, match="y has type tensor<2x3xi32>, but x has type tensor<2x3xf32>"):
        buffer() + buffer(T.tensor((2, 3), T.int32))


def test_what_was_refused_is_refused_again():
    a = buffer()
    for _ in range(2):
        with pytest.raises(IRError):
            TensorUOp.make("reshape", (a,), ((7,),))


def test_a_buffer_has_a_static_shape():
    with pytest.raises(IRError, match="static shape"):
        new_buffer(T.tensor((None, 3), T.float32))


def test_plain_uops_are_refused_as_operands():
    from morok.graph.uop import argument
    with pytest.raises(TypeError, match="TensorUOps"):
        TensorUOp.make("sqrt", (argument(0, T.tensor((5, 7, 11), T.float64)),))


def test_location_is_the_users_line():
    a = buffer()
    u = a + a; line = inspect.currentframe().f_lineno  # noqa: E702
    assert u.loc == (__file__, line)
    assert f"{__file__}\":{line}:" in u.operation.get_asm(enable_debug_info=True)


def test_the_graph_verifies_and_prints():
    a = buffer()
    u = (a + a).alu("exp")
    assert GRAPH.module.operation.verify()
    assert "morok.exp" in str(GRAPH.module)
    assert u.result.owner == u.operation


def test_operations_stand_before_their_users_for_a_new_device():
    a = buffer()
    u = a + a
    b = buffer(device="a device never seen before")
    assert GRAPH.device("a device never seen before").operation.is_before_in_block(u.operation)
    assert b.operands[1] is GRAPH.device("a device never seen before")


def test_copies_of_a_handle_are_the_handle():
    a = buffer()
    assert copy.copy(a) is a
    assert copy.deepcopy([a])[0] is a


def test_statistics_count_what_is_alive():
    before = graph_statistics()
    a = buffer()
    u = chain(a, 10)
    after = graph_statistics()
    added = len(u.backward_slice()) - 1  # the device is shared
    assert after["operations"] - before["operations"] == after["handles"] - before["handles"] == added
    assert after["buffers"] - before["buffers"] == 1


@given(st.lists(st.sampled_from((0, 1, 2, 3)), min_size=1, max_size=30))
def test_as_many_operations_as_handles(steps):
    """Whatever is built, replaced or dropped, the block holds one operation for each handle."""
    live = [buffer()]
    for step in steps:
        if step == 0:
            live.append(buffer())
        elif step == 1:
            live.append(live[-1] + live[0])
        elif step == 2:
            live.append(live[-1].alu("exp"))
        elif len(live) > 1:
            live.pop(0)
    statistics = graph_statistics()
    assert statistics["operations"] == statistics["handles"]
    assert GRAPH.module.operation.verify()

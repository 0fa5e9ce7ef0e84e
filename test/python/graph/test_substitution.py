"""After realize a value becomes a buffer, in place, for all who use it."""
import gc
import weakref

import pytest
from graph_building import MATRIX, Storage, buffer, chain, variable

from morok.dialect import types as T
from morok.dialect.opdef import DYNAMIC
from morok.graph.capture import capture
from morok.graph.registries import BUFFERS
from morok.graph.shape import shape_of
from morok.graph.tensor_graph import GRAPH, TensorUOp, graph_statistics, index_value, substitute


def test_every_live_user_reads_the_buffer():
    a = buffer()
    x = a + a
    y, z = x.alu("exp"), x * x
    storage = Storage()
    assert substitute(x, storage) is x
    assert x.name == "buffer" and x.type is MATRIX and x.attributes == () and [o.name for o in x.operands] == ["unique", "device"]
    assert BUFFERS.get(x) is storage
    assert y.operands == (x,) and z.operands == (x, x)
    assert capture([y, z]).leaves == [x]


def test_the_mlir_text_follows():
    a = buffer()
    x = a + a
    y = x.alu("exp")
    assert y.operation.operands[0].owner.name == "morok.add"
    sums = str(GRAPH.module).count('"morok.add"')
    substitute(x, Storage())
    assert y.operation.operands[0].owner.name == "morok.buffer"
    assert y.operation.operands[0] == x.result
    assert str(GRAPH.module).count('"morok.add"') == sums - 1
    assert GRAPH.module.operation.verify()


def test_the_operation_and_its_operands_are_freed():
    a = buffer()
    watch = weakref.ref(a.storage)
    before = graph_statistics()["operations"]
    x = chain(a, 10)
    del a
    substitute(x, Storage())
    assert watch() is None
    assert graph_statistics()["operations"] == before  # a unique and a buffer went, another came
    del x
    assert graph_statistics()["operations"] == before - 2


def test_the_old_expression_can_be_built_again():
    a = buffer()
    x = a + a
    substitute(x, Storage())
    y = a + a
    assert y is not x and y.name == "add"
    del x
    gc.collect()
    GRAPH.drain()
    assert a + a is y


def test_the_location_stays():
    a = buffer()
    x = a + a
    loc = x.loc
    substitute(x, Storage())
    assert x.loc == loc


def test_a_buffer_stays_itself():
    a = buffer()
    storage = a.storage
    assert substitute(a, Storage()) is a
    assert a.storage is storage


def test_an_expression_of_the_replaced_value_stays_one_object():
    a = buffer()
    x = a + a
    y = x.alu("exp")
    substitute(x, Storage())
    assert x.alu("exp") is y


def test_where_an_assign_writes_does_not_become_a_buffer():
    a = buffer(T.tensor((4,), T.float32))
    view = TensorUOp.make("flip", (TensorUOp.make("shrink", (a,), ((1,), (2,))),), ((0,),))
    y = TensorUOp.make("assign", (a, view, view + view))
    assert TensorUOp.make("assign", (a, view, view + view)) is y
    for part in (view.operands[0], view):
        substitute(part, Storage())
    place = y.operands[1]
    assert [place.name, place.operands[0].name, place.operands[0].operands[0]] == ["flip", "shrink", a]
    assert y.operands[2].operands == (view, view) and view.name == "buffer"
    assert capture([y]).leaves == [a, view]
    assert GRAPH.module.operation.verify()


def symbolic_value() -> TensorUOp:
    n = TensorUOp.make("bind", (variable(), index_value(3)))
    window = TensorUOp.make("shrink", (buffer(T.tensor((8, 3), T.float32)), n), ((0, 0), (DYNAMIC, 3)))
    return TensorUOp.make("pad", (window + window,), ((1, 0), (1, 0), 0.0))


def test_a_value_of_symbolic_shape_becomes_a_view_of_memory_of_the_greatest_size():
    x = symbolic_value()
    shape, y = shape_of(x), x.alu("exp")
    storage = Storage()
    base = substitute(x, storage)
    assert base.type is T.tensor((10 * 3,), T.float32) and BUFFERS.get(base) is storage
    assert x.name == "reshape" and x.operands[0].name == "shrink" and x.operands[0].operands[0] is base
    assert shape_of(x) == shape and x.type is T.tensor((None, 3), T.float32)
    assert y.operation.operands[0].owner.name == "morok.reshape"
    captured = capture([y])
    assert captured.leaves == [base] and captured.values == {"n": 3}
    assert GRAPH.module.operation.verify()


def test_operations_of_a_view_stand_before_those_that_use_it():
    x = symbolic_value()
    y = x.alu("exp")
    substitute(x, Storage())
    for u in y.backward_slice():
        for operand in u.operands:
            assert operand.operation.is_before_in_block(u.operation)


def test_memory_of_a_view_dies_with_it():
    x = symbolic_value()
    storage = Storage()
    watch = weakref.ref(storage)
    substitute(x, storage)
    del storage
    assert watch() is not None
    del x
    GRAPH.drain()
    assert watch() is None


def test_only_tensors_become_buffers():
    with pytest.raises(ValueError, match="only a tensor can become a buffer, not morok.define_var"):
        substitute(variable(), Storage())


def test_only_buffers_have_memory_attached():
    with pytest.raises(ValueError, match="only a buffer has memory of its own, not morok.add"):
        BUFFERS.attach(buffer() + buffer(), Storage())


def test_a_deep_chain_of_substituted_values():
    a = buffer()
    before = graph_statistics()["operations"]
    x = a
    for _ in range(500):
        x = x + a
        substitute(x, Storage())
    assert graph_statistics()["operations"] == before + 2

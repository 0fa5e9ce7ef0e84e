"""OpView classes: ops built from Python, their operands and attributes by name."""

import gc

import pytest
from mlir import ir

from morok.dialect import morok
from morok.dialect.context import DialectContext, shared_context
from morok.dialect.opdef import ONE, TABLE
from morok.dialect.reference import example, module_of


@pytest.fixture
def build():
    """A module to build in, with the types that the tests use."""
    dialect = shared_context()
    with dialect.context, dialect.unknown:
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            yield lambda text: ir.Type.parse(text)
        assert module.operation.verify()


def test_operands_result_and_print(build):
    f32 = build("f32")
    x = morok.ConstOp(f32, value=2.5)
    add = morok.AddOp(f32, x.result, x.result)
    assert add.x == x.result and add.y == x.result and add.result.type == f32
    assert str(add) == '%1 = "morok.add"(%0, %0) : (f32, f32) -> f32'


def test_attributes(build):
    source = morok.BufferOp(build("tensor<4x6xf32>"), morok.UniqueOp(build("!morok.token"), id=1).result,
                            morok.DeviceOp(build("!morok.token"), name="CPU").result)
    reduced = morok.ReduceAxisOp(build("tensor<4xf32>"), source.result, op="add", axes=(1,))
    assert str(reduced.axes) == "array<i64: 1>" and reduced.op.value == "add" and reduced.source == source.result


def test_an_attribute_that_every_view_has_gets_an_underscore(build):
    n = morok.DefineVarOp(build("index"), name="n", min=1, max=9)
    assert n.name == "morok.define_var" and n.name_.value == "n" and n.min.value == 1


def test_optional_and_variadic_operands(build):
    buffer = morok.DefineGlobalOp(build("memref<2x3xf32>"), id=0)
    i = morok.ConstOp(build("index"), value=1)
    place = morok.IndexOp(build('!morok.ptr<f32, "global">'), buffer.result, i.result, i.result)
    assert place.buffer == buffer.result and place.indices == [i.result, i.result]
    plain = morok.LoadOp(build("f32"), place.result)
    assert plain.gate is None and plain.other is None
    gate, other = morok.ConstOp(build("i1"), value=True), morok.ConstOp(build("f32"), value=0.0)
    gated = morok.LoadOp(build("f32"), place.result, gate.result, other.result)
    assert gated.pointer == place.result and gated.gate == gate.result and gated.other == other.result
    stored = morok.StoreOp(build("!morok.token"), place.result, other.result)
    assert stored.gate is None
    sink = morok.SinkOp(None, stored.result)
    assert sink.effects == [stored.result]


@pytest.mark.parametrize("make, message", [
    (lambda f32: morok.ConstOp(f32), "morok.const needs attribute value; it takes value"),
    (lambda f32: morok.ConstOp(f32, value=1.0, axis=2), "morok.const has no attribute axis; it takes value"),
    (lambda f32: morok.ConstOp(f32, value=1), "the integer 1 is no f32")])
def test_wrong_attributes(build, make, message):
    with pytest.raises(TypeError, match=message):
        make(build("f32"))


@pytest.mark.parametrize("name", TABLE)
def test_op_comes_as_its_class(name):
    """And each of its operands and attributes is there by name."""
    definition = TABLE[name]
    module = module_of([example(definition)], shared_context())
    op = module.body.operations[0].regions[0].blocks[0].operations[0]
    assert type(op) is getattr(morok, morok.class_name(name)) and type(op).__doc__ == definition.summary
    for operand in definition.operands:
        value = getattr(op, morok.accessor_name(operand.name))
        assert isinstance(value, ir.Value) or operand.arity != ONE
    for attribute in definition.attributes:
        value = getattr(op, morok.accessor_name(attribute.name))
        assert isinstance(value, ir.Attribute) or attribute.optional and value is None


def test_many_modules_and_contexts_come_and_go():
    """A stress for the bindings' table of live operations."""
    for round in range(60):
        dialect = DialectContext() if round % 20 == 0 else dialect  # noqa: F821
        module = module_of([example(TABLE[name]) for name in ("add", "load", "reduce")], dialect)
        ops = [op for function in module.body.operations for op in function.regions[0].blocks[0].operations]
        assert len(ops) == 6
        del module
        if round % 7 == 0:
            gc.collect()

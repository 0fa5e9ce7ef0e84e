"""verify_module, explain and check_module_readable on text: places, one diagnostic for each op, nothing that crashes."""
# ruff: noqa: E501  (MLIR text and its messages)

import pytest
from mlir import ir

from morok.dialect.context import shared_context
from morok.dialect.verify import check_module_readable, diagnose, explain, verify_module
from morok.graph.body import Program

HEAD = 'func.func @f(%x: f32, %t: tensor<8xf32>, %v: vector<4xf32>, %p: !morok.ptr<f32, "global">) {\n'


def verify(text, file="-"):
    dialect = shared_context()
    return [str(d) for d in verify_module(ir.Module.parse(text, dialect.context), dialect)]


def function(*lines):
    return HEAD + "\n".join(f"  {line}" for line in lines) + "\n  return\n}"


def test_good_module():
    assert verify(function('%0 = "morok.neg"(%x) : (f32) -> f32')) == []


def test_place_of_the_op():
    text = function('%0 = "morok.neg"(%x) : (f32) -> f32',
                    '%1 = "morok.shrink"(%t) {begin = array<i64: 2>, size = array<i64: 7>} : (tensor<8xf32>) -> tensor<7xf32>')
    assert verify(text) == ["-:3:8: error: 'morok.shrink' op window [2, 9) of axis 0 exceeds its size 8"]


@pytest.mark.parametrize("location, place", [
    ('loc("model.py":12:3)', "model.py:12:3"), ('loc("relu"("model.py":12:3))', "model.py:12:3"),
    ('loc(callsite("model.py":12:3 at "main.py":1:1))', "model.py:12:3"), ('loc(fused["model.py":12:3, "main.py":1:1])', "model.py:12:3"),
    ('loc(fused["named"("model.py":12:3)])', "model.py:12:3"), ("loc(unknown)", None)])
def test_place_of_any_location(location, place):
    [found] = verify(function(f'%0 = "morok.gep"(%v) {{lane = 9}} : (vector<4xf32>) -> f32 {location}'))
    assert found == (f"{place}: " if place else "") + "error: 'morok.gep' op lane 9 does not exist in vector<4xf32>"


def test_one_diagnostic_for_each_op():
    bad = '"morok.gep"(%v) {lane = 9} : (vector<4xf32>) -> f32'
    assert len(verify(function(f"%0 = {bad}", f"%1 = {bad}", '%2 = "morok.neg"(%x) : (f32) -> f32'))) == 2


def test_ops_inside_other_dialects_regions():
    text = function("%c = arith.constant true", "scf.if %c {", '  %0 = "morok.gep"(%v) {lane = 4} : (vector<4xf32>) -> f32', "}")
    assert verify(text) == ["-:4:10: error: 'morok.gep' op lane 4 does not exist in vector<4xf32>"]


ATTRIBUTES = [
    ('"morok.gep"(%v) {lane = "x"} : (vector<4xf32>) -> f32', 'attribute lane must be an integer of 64 bits, given "x"'),
    ('"morok.gep"(%v) {lane = true} : (vector<4xf32>) -> f32', "attribute lane must be an integer of 64 bits, given true"),
    ('"morok.gep"(%v) {lane = 1 : i128} : (vector<4xf32>) -> f32', "attribute lane has more than 64 bits: 1 : i128"),
    ('"morok.gep"(%v) {lane = unit} : (vector<4xf32>) -> f32', "attribute lane must be an integer of 64 bits, given unit"),
    ('"morok.gep"(%v) {lane = 1, width = 2} : (vector<4xf32>) -> f32', "has no attribute width; it takes lane"),
    ('"morok.neg"(%x) {fast} : (f32) -> f32', "has no attribute fast; it takes none"),
    ('"morok.flip"(%t) {axes = array<i32: 0>} : (tensor<8xf32>) -> tensor<8xf32>',
     "attribute axes must be a list of integers of 64 bits, given array<i32: 0>"),
    ('"morok.flip"(%t) {axes = [0]} : (tensor<8xf32>) -> tensor<8xf32>', "attribute axes must be a list of integers of 64 bits, given [0]"),
    ('"morok.kernel"() {callee = "k"} : () -> !morok.token', 'attribute callee must be the name of a function, given "k"'),
    ('"morok.kernel"() {callee = @a::@k} : () -> !morok.token', "attribute callee must be the name of a function, given @a::@k"),
    ('"morok.copy"(%t) {device = @cpu} : (tensor<8xf32>) -> tensor<8xf32>', "attribute device must be a string, given @cpu"),
    ('"morok.const"() {value = 1.5 : f64} : () -> f32', "attribute value has type f64, but the result's elements are f32"),
    ('"morok.const"() {value = dense<1> : tensor<2xi8>} : () -> i8',
     "attribute value must be a number or bool, given dense<1> : tensor<2xi8>"),
]


@pytest.mark.parametrize("op, message", ATTRIBUTES)
def test_attribute_of_the_wrong_kind(op, message):
    text = function(f"%0 = {op}")
    [found] = verify(text)
    assert found == f"-:2:8: error: '{op.split(chr(34))[1]}' op {message}"
    dialect = shared_context()
    [unreadable] = check_module_readable(ir.Module.parse(text, dialect.context), dialect)
    assert str(unreadable) == found


def test_attributes_of_other_dialects_are_welcome():
    assert verify(function('%0 = "morok.neg"(%x) {other.hint = 1} : (f32) -> f32')) == []


TYPES = [
    ("i4", "morok has no type i4"), ("tensor<2xi4>", "morok has no element type i4"), ("complex<f32>", "morok has no type complex<f32>"),
    ("vector<2x2xf32>", "morok takes vectors of one dimension and fixed length, not vector<2x2xf32>"), ("tensor<*xf32>",
                                                                                                        "morok has no type tensor<*xf32>"),
    ("vector<[4]xf32>", "morok takes vectors of one dimension and fixed length, not vector<[4]xf32>"),
    ("memref<4xf32, strided<[2]>>", 'morok takes a memref in row-major order, in memory of no name, "local" or "register"; not memref<4xf32, strided<[2]>>'),
    ("memref<4xf32, 1>", 'morok takes a memref in row-major order, in memory of no name, "local" or "register"; not memref<4xf32, 1'),
    ('memref<4xf32, "far">', 'morok takes a memref in row-major order, in memory of no name, "local" or "register"; not memref<4xf32, "far">'),
    ('tensor<4xf32, "sparse">', 'morok takes a tensor without encoding; not tensor<4xf32, "sparse">'),
    ('!morok.ptr<f32, "far">', 'a !morok.ptr has a space of global, local, register, not !morok.ptr<f32, "far">'),
    ("!morok.ptr<f32, 3>", "a !morok.ptr has a space of global, local, register, not !morok.ptr<f32, 3"),
    ('!morok.ptr<tensor<2xf32>, "global">', 'a !morok.ptr points to a scalar or vector, not as !morok.ptr<tensor<2xf32>, "global">'),
]


@pytest.mark.parametrize("t, message", TYPES)
def test_type_that_the_dialect_lacks(t, message):
    """Of an argument of a straight-line function, and of an op's value."""
    dialect = shared_context()
    module = ir.Module.parse(f"func.func @f(%x: {t}) {{\n  return\n}}", dialect.context)
    for found in (verify_module(module, dialect), check_module_readable(module, dialect)):
        assert [str(d)[:len(f"-:1:1: error: 'func.func' op has argument 0 of a type that the dialect lacks: {message}")] for d in found] == [
            f"-:1:1: error: 'func.func' op has argument 0 of a type that the dialect lacks: {message}"]
    module = ir.Module.parse(f"func.func @f(%x: {t}) {{\n  cf.br ^next\n^next:\n"
                             f'  %y = "morok.cast"(%x) : ({t}) -> f32\n  return\n}}', dialect.context)
    [found] = verify_module(module, dialect)
    assert str(found).startswith(f"-:4:8: error: 'morok.cast' op has a value of a type that the dialect lacks: {message}")


def test_functions_of_other_dialects_may_have_any_type():
    assert verify("func.func @f(%x: complex<f32>) -> f32 {\n  %y = complex.re %x : complex<f32>\n  return %y : f32\n}\nfunc.func private @g(i4)") == []


# What MLIR refuses

REFUSED = [
    ('%0 = "morok.add"(%x) : (f32) -> f32', "2:8", "'morok.add' op takes 2 operands, given 1"),
    ('%0 = "morok.add"(%x, %x) : (f32, f32) -> f64', "2:8", "'morok.add' op result has type f64, but x has type f32; they must be equal"),
    ('%0 = "morok.range"(%x) {id = 0, kind = "loop"} : (f32) -> index', "2:8", "'morok.range' op extent must be an index, not f32"),
    ('%0:2 = "morok.neg"(%x) : (f32) -> (f32, f32)', "2:10", "'morok.neg' op has 2 results; ops of the dialect have at most one"),
    ('%0 = "morok.gep"(%v) : (vector<4xf32>) -> f32', "2:8", "'morok.gep' op needs attribute lane"),
    ('"morok.nope"(%x) : (f32) -> ()', "2:3", "'morok.nope' op is unknown"),
    ('%0 = "morok.load"(%p) : (!morok.ptr<f32, "global">) -> f32', "2:8",
     "'morok.load' op attribute operandSegmentSizes must be array<i32: 1, 0, 0>, given none"),
    ('%0 = "morok.load"(%p, %x) {operandSegmentSizes = array<i32: 1, 1, 0>} : (!morok.ptr<f32, "global">, f32) -> f32', "2:8",
     "'morok.load' op takes 1 operands or 3, given 2"),
]


@pytest.mark.parametrize("op, place, message", REFUSED)
def test_explain(op, place, message):
    assert [str(d) for d in explain(function(op), "k.mlir")] == [f"k.mlir:{place}: error: {message}"]


def test_explain_leaves_syntax_errors_to_mlir():
    assert explain("func.func @f( {") == []


def test_explain_finds_nothing_in_a_good_module():
    assert explain(function('%0 = "morok.neg"(%x) : (f32) -> f32')) == []


def test_malformed_op_made_through_the_bindings():
    """Nothing checks it when it is made; reading and verifying do not crash."""
    dialect = shared_context()
    with dialect.context, ir.Location.file("build.py", 7, 2):
        module = ir.Module.create()
        x = ir.Operation.create("morok.const", results=[ir.F32Type.get()], attributes={"value": ir.UnitAttr.get()},
                                ip=ir.InsertionPoint(module.body))
        ir.Operation.create("morok.neg", results=[ir.F32Type.get()], operands=[x.result, x.result], ip=ir.InsertionPoint(module.body))
    assert [str(d) for d in verify_module(module, dialect)] == [
        "build.py:7:2: error: 'morok.const' op attribute value must be a number or bool, given unit",
        "build.py:7:2: error: 'morok.neg' op takes 1 operands, given 2"]


def test_readable_modules_read():
    dialect = shared_context()
    module = ir.Module.parse(function('%0 = "morok.gep"(%v) {lane = 9} : (vector<4xf32>) -> f32'), dialect.context)
    assert check_module_readable(module, dialect) == []
    assert list(Program(dialect, module).bodies) == ["f"]


def test_deep_nesting_needs_no_recursion():
    dialect = shared_context()
    depth = 60
    text = "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + '%0 = "morok.unroll"() : () -> vector<4xf32>\n' + "}\n" * depth + "return\n}"
    [found] = verify_module(ir.Module.parse(text, dialect.context), dialect)
    assert found.line == depth + 2


def test_diagnose_without_a_place():
    assert str(diagnose("wrong", shared_context().unknown)) == "error: wrong"

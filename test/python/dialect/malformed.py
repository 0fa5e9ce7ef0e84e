"""Malformed instances of every op, each with its message: by rule (wrong number of operands, ...) and by hand."""
# ruff: noqa: E501  (MLIR text and its messages)

from dataclasses import replace

from morok.dialect import types as T
from morok.dialect.opdef import ONE, TABLE, VARIADIC
from morok.dialect.reference import example

DYNAMIC = -(1 << 63)
F32, I32, INDEX, BOOL = T.float32, T.int32, T.index, T.bool_
ROWS, ROW = T.tensor((4, 6), F32), T.memref((4, 6), F32)
PLACE = T.ptr(F32, "global")
LANES = T.vector(4, F32)


def changed(name, /, operands=None, result=None, **attributes):
    """The op's example with some parts replaced; its result follows the operands where the table infers it."""
    instance = example(TABLE[name])
    operands = tuple(operands) if operands is not None else instance.operands
    return replace(instance, operands=operands, attributes={**instance.attributes, **attributes}, result=result or instance.result)


BY_HAND = [
    (changed("const", value=True), "value of an f32 must be a float, not true"),
    (changed("const", value=1), "value of an f32 must be a float, not 1"),
    (changed("const", value=300, result=T.int8), "value 300 does not fit i8 (from -128 to 127)"),
    (changed("const", value=-1, result=T.uint8), "value -1 does not fit ui8 (from 0 to 255)"),
    (changed("const", value=1, result=BOOL), "value of an i1 must be true or false, not 1"),
    (changed("const", result=T.tensor((2,), F32)), "a constant tensor has no axes, not shape (2,); expand it"),
    (changed("const", value="1"), 'attribute value must be a number or bool, given "1"'),
    (changed("define_var", min=5, max=4), "bounds are inclusive and ordered; given min 5 > max 4"),
    (changed("define_var", name=3), "attribute name must be a string, given 3"),
    (changed("iota", shape=(2, 3)), "shape (2, 3) must have one axis, of a size that is not negative"),
    (changed("iota", shape=(DYNAMIC,), result=T.tensor((None,), I32)),
     "1 symbolic sizes are marked in shape, but 0 index operands are given"),
    (changed("iota", shape=(7,)), "shape (7,) does not describe the result tensor<8xi32>"),
    (changed("reshape", shape=(5, 5), result=T.tensor((5, 5), F32)), "cannot reshape (4, 6) (24 elements) to (5, 5) (25 elements)"),
    (changed("reshape", shape=(-24, -1), result=T.tensor((-24, -1), F32)), "shape of axis 0 is -24; it must not be negative"),
    (changed("reshape", shape=(DYNAMIC, 6)), "1 symbolic sizes are marked in shape, but 0 index operands are given"),
    (changed("reshape", operands=[ROWS, INDEX]), "0 symbolic sizes are marked in shape, but 1 index operands are given"),
    (changed("reshape", result=ROWS), "result type is tensor<4x6xf32>, expected tensor<2x12xf32>"),
    (changed("reshape", shape=("a",)), "attribute shape must be a list of integers of 64 bits, given ('a',)"),
    (changed("permute", order=(0, 0)), "order (0, 0) is not a permutation of the axes 0 to 1"),
    (changed("permute", order=(0,)), "order has 1 entries for a source of rank 2 (tensor<4x6xf32>)"),
    (changed("expand", operands=[T.tensor((2, 6), F32)]), "axis 0 of size 2 cannot be expanded to 4; only axes of size 1 can"),
    (changed("expand", shape=(4, 6, 1)), "shape has 3 entries for a source of rank 2 (tensor<1x6xf32>)"),
    (changed("expand", operands=[T.tensor((2, 6), F32), INDEX], shape=(DYNAMIC, 6)),
     "axis 0 of size 2 cannot be expanded to a symbolic size; only axes of size 1 can"),
    (changed("pad", low=(1,)), "low has 1 entries for a source of rank 2 (tensor<4x6xf32>)"),
    (changed("pad", high=(0, -2)), "high of axis 1 is -2; it must not be negative"),
    (changed("pad", value=0), "value of an f32 must be a float, not 0"),
    (changed("pad", result=ROWS), "result type is tensor<4x6xf32>, expected tensor<5x8xf32>"),
    (changed("shrink", begin=(0, 2), size=(4, 7)), "window [2, 9) of axis 1 exceeds its size 6"),
    (changed("shrink", begin=(-1, 0)), "begin of axis 0 is -1; it must not be negative"),
    (changed("flip", axes=(2,)), "axis 2 does not exist in a source of rank 2"),
    (changed("flip", axes=(1, 1)), "axes (1, 1) repeat"),
    (changed("add", operands=[F32, T.float64]), "y has type f64, but x has type f32; they must be equal"),
    (changed("add", result=I32), "result has type i32, but x has type f32; they must be equal"),
    (changed("neg", operands=[BOOL]), "x must be a number, not bool, not i1"),
    (changed("not", operands=[F32]), "x must be an integer or bool value, not f32"),
    (changed("exp", operands=[I32]), "x must be a floating-point value, not i32"),
    (changed("floordiv", operands=[F32, F32]), "x must be an integer value, not f32"),
    (changed("cmplt", result=F32), "result must be a bool value, not f32"),
    (changed("cmplt", operands=[LANES, LANES]), "result type is i1, expected vector<4xi1>"),
    (changed("where", operands=[BOOL, LANES, LANES], result=LANES), "the condition has type i1, expected vector<4xi1>"),
    (changed("cast", operands=[LANES]), "result type is i32, expected vector<4xi32>"),
    (changed("bitcast", result=T.int64), "f32 has 32 bits and i64 has 64; a bitcast keeps the width"),
    (changed("reduce_axis", axes=(2,)), "axis 2 does not exist in a source of rank 2"),
    (changed("reduce_axis", op="sum"), 'attribute op is "sum"; it must be one of add, mul, max, min, and, or'),
    (changed("reduce_axis", op="and"), "reduction 'and' combines integers and bools, not f32"),
    (changed("assign", operands=[ROWS, ROWS, T.tensor((4,), F32)]),
     "the value has type tensor<4xf32>, but the view written has type tensor<4x6xf32>"),
    (changed("assign", operands=[T.tensor((4, 6), I32), ROWS, ROWS], result=T.tensor((4, 6), I32)),
     "the view has type tensor<4x6xf32>, but the target has type tensor<4x6xi32>; a view keeps the element type"),
    (changed("range", kind="vectorized"), 'attribute kind is "vectorized"; it must be one of loop, reduce, ordered, thread, upcast, unroll'),
    (changed("range", id=True), "attribute id must be an integer of 64 bits, given true"),
    (changed("index", operands=[ROW, INDEX, INDEX, INDEX]), "3 indices for a buffer of rank 2 (memref<4x6xf32>)"),
    (changed("index", result=T.ptr(F32, "local")), 'result type is !morok.ptr<f32, "local">, expected !morok.ptr<f32, "global"> or a vector of it'),
    (changed("index", operands=[ROW, INDEX, T.vector(4, INDEX)]),
     "indices has type vector<4xindex>, but indices has type index; they must be equal"),
    (changed("load", operands=[PLACE, BOOL]), "takes 1 operands or 3, given 2"),
    (changed("load", operands=[PLACE, BOOL, I32]), "the value for a closed gate has type i32, expected f32"),
    (changed("load", operands=[PLACE, T.vector(4, BOOL), F32]), "the gate has type vector<4xi1>, expected i1"),
    (changed("load", result=I32), "result type is i32, expected f32"),
    (changed("store", operands=[PLACE, I32]), "the value has type i32, but the pointer is to f32"),
    (changed("store", operands=[PLACE, F32, T.vector(2, BOOL)]), "the gate has type vector<2xi1>, expected i1"),
    (changed("reduce", op="or"), "reduction 'or' combines integers and bools, not f32"),
    (changed("bufferize", operands=[F32, INDEX]), "1 indices for a result of rank 2"),
    (changed("bufferize", result=T.memref((4, 6), I32)), "result type is memref<4x6xi32>, expected a memref of f32"),
    (changed("bufferize", space="local"), "space local does not match the type memref<4x6xf32>"),
    (changed("kernel", callee=0), "attribute callee must be the name of a function, given 0"),
    (changed("define_global", result=T.memref((4,), F32, "local")), 'result type is memref<4xf32, "local">, expected memref<4xf32>'),
    (changed("define_local", result=ROW), 'result type is memref<4x6xf32>, expected memref<4x6xf32, "local">'),
    (changed("define_reg", result=T.memref((None,), F32, "register")), 'memory has a static shape, not memref<?xf32, "register">'),
    (changed("special", name="block_id"), 'attribute name is "block_id"; it must be one of thread_id'),
    (changed("unroll", result=LANES), "lanes are numbered in integers or index, not as vector<4xf32>"),
    (changed("contract", op="and"), "reduction 'and' combines integers and bools, not f32"),
    (changed("vectorize", operands=[F32] * 3), "3 operands of type f32 make a vector<3xf32>, not vector<4xf32>"),
    (changed("vectorize", operands=[I32]), "1 operand of type i32 makes a vector of i32, not vector<4xf32>"),
    (changed("vectorize", operands=[]), "takes at least 1 operand, given 0"),
    (changed("shuffle", lanes=(0, 8)), "lane 8 does not exist in two vectors vector<4xf32>"),
    (changed("gep", lane=4), "lane 4 does not exist in vector<4xf32>"),
    (changed("cat", operands=[]), "takes at least 1 operand, given 0"),
    (changed("cat", result=LANES), "result type is vector<4xf32>, expected vector<8xf32>"),
]


def by_rule():
    """What can be wrong with any op: an operand too few or many, of no kind that it takes, an attribute missing or of the wrong kind, a wrong result."""
    for definition in TABLE.values():
        instance = example(definition)
        variadic = any(o.arity == VARIADIC for o in definition.operands)
        if definition.operands and definition.operands[0].arity == ONE:
            yield replace(instance, operands=()), "takes "
            wrong = T.argument if definition.operands[0].kind != "argument" else T.token
            yield replace(instance, operands=(wrong, *instance.operands[1:])), f"{definition.operands[0].name} must be "
        if not variadic:
            yield replace(instance, operands=(*instance.operands, *[T.token] * 3)), "takes "
        for attribute in definition.attributes:
            rest = {name: value for name, value in instance.attributes.items() if name != attribute.name}
            if not attribute.optional:
                yield replace(instance, attributes=rest), f"needs attribute {attribute.name}"
            wrong = "text" if attribute.kind not in ("string", "symbol") else (1, 2)
            yield replace(instance, attributes={**rest, attribute.name: wrong}), f"attribute {attribute.name} must be "
        if definition.result is not None:
            wrong = T.argument if definition.result.kind != "argument" else T.token
            yield replace(instance, result=wrong), f"{definition.result.name} must be "
            yield replace(instance, result=None), "must have a result"
        else:
            yield replace(instance, result=T.index), "has no result, given one of type index"


MALFORMED = [*BY_HAND, *by_rule()]

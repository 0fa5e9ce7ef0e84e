"""The op reference, from the op table: `python -m morok.dialect.reference -o docs/reference.md`.

Each op appears with its operands, attributes, result and forms, and with an example as MLIR prints it. The examples are instances that
verify; tests take them apart to see that nothing malformed does.
"""
from __future__ import annotations

import argparse
import pathlib
from itertools import groupby
from typing import Any

from mlir import ir

from . import types as T
from .attributes import attribute_to_mlir
from .context import DialectContext, shared_context
from .opdef import ONE, OPTIONAL, TABLE, Attribute, Instance, OpDef, Operand, attribute_kind_description, kind_description

GROUPS = {
    "sources": "Sources", "movement": "Movement", "unary": "Unary", "binary": "Binary", "comparison": "Comparison", "ternary": "Ternary",
    "tensor": "Tensor level", "repeat": "Repetition", "range": "Range level", "vector": "Vector level",
}
FORM_NAMES = {"tensor": "tensor", "range": "range, kernel, optimised", "vector": "vector"}

# Examples: operand types, attributes, the result's type where the operands do not decide it.

_ROWS, _ROW = T.tensor((4, 6), T.float32), T.memref((4, 6), T.float32)
_PLACE = T.ptr(T.float32, "global")
_LANES = T.vector(4, T.float32)

_EXAMPLES: dict[str, tuple[list[T.Type], dict[str, Any], T.Type | None]] = {
    "unique": ([], {"id": 3}, None),
    "device": ([], {"name": "CPU"}, None),
    "buffer": ([T.token, T.token], {}, _ROWS),
    "const": ([], {"value": 2.5}, T.float32),
    "iota": ([], {"shape": (8,)}, T.tensor((8,), T.int32)),
    "define_var": ([], {"name": "n", "min": 1, "max": 64}, None),
    "bind": ([T.index, T.index], {}, None),
    "reshape": ([_ROWS], {"shape": (2, 12)}, None),
    "permute": ([_ROWS], {"order": (1, 0)}, None),
    "expand": ([T.tensor((1, 6), T.float32)], {"shape": (4, 6)}, None),
    "pad": ([_ROWS], {"low": (1, 0), "high": (0, 2), "value": 0.0}, None),
    "shrink": ([_ROWS], {"begin": (1, 0), "size": (2, 6)}, None),
    "flip": ([_ROWS], {"axes": (1,)}, None),
    "where": ([T.bool_, T.float32, T.float32], {}, None),
    "cast": ([T.float32], {}, T.int32),
    "bitcast": ([T.float32], {}, T.int32),
    "reduce_axis": ([_ROWS], {"op": "add", "axes": (1,)}, None),
    "contiguous": ([_ROWS], {}, None),
    "detach": ([_ROWS], {}, None),
    "copy": ([_ROWS], {"device": "CPU:1"}, None),
    "assign": ([_ROWS, T.tensor((2, 6), T.float32), T.tensor((2, 6), T.float32)], {}, None),
    "scan": ([_ROWS], {"op": "add", "axis": 1}, None),
    "scatter": ([T.tensor((1, 4, 6), T.float32), T.tensor((1, 9), T.int64), T.tensor((1, 9, 6), T.float32)], {"op": "add"}, None),
    "counted_scatter": ([T.tensor((1, 18, 1), T.float32), T.tensor((1, 2, 9), T.int32), T.tensor((1, 2, 4), T.int32),
                         T.tensor((1, 2, 9, 1), T.float32)], {}, None),
    "carried": ([T.token], {}, _ROWS),
    "carries": ([_ROWS] * 3, {}, None),
    "repeat": ([T.token] * 2, {"count": 10}, None),
    "repeated": ([T.token], {"number": 0}, _ROWS),
    "sink": ([T.token, T.token], {}, None),
    "range": ([T.index], {"id": 0, "kind": "loop"}, None),
    "index": ([_ROW, T.index, T.index], {}, _PLACE),
    "load": ([_PLACE, T.bool_, T.float32], {}, None),
    "store": ([_PLACE, T.float32], {}, None),
    "prefetch": ([T.float32, _PLACE], {"level": 1}, None),
    "reduce": ([T.float32, T.index], {"op": "max"}, None),
    "carry": ([T.float32, T.float32, T.index], {"op": "add"}, None),
    "bufferize": ([T.float32, T.index, T.index], {"id": 0, "space": "global"}, _ROW),
    "end": ([T.token, T.index], {}, None),
    "after": ([_ROW, T.token], {}, None),
    "current": ([_ROW, T.index], {}, None),
    "barrier": ([T.token], {}, None),
    "param": ([_ROW], {"slot": 0}, None),
    "kernel": ([T.argument, T.argument], {"callee": "k0"}, None),
    "define_global": ([], {"id": 1}, _ROW),
    "define_local": ([], {"id": 2}, T.memref((64,), T.float32, "local")),
    "define_reg": ([], {"id": 3}, T.memref((8,), T.float32, "register")),
    "special": ([], {"name": "thread_id"}, None),
    "unroll": ([], {}, T.vector(4, T.index)),
    "contract": ([_LANES], {"op": "add"}, None),
    "vectorize": ([T.float32] * 4, {}, _LANES),
    "gep": ([_LANES], {"lane": 2}, None),
    "shuffle": ([_LANES, _LANES], {"lanes": (0, 4, 1, 5)}, None),
    "cat": ([_LANES, _LANES], {}, None),
}
_OF_KIND = {"value": T.float32, "number": T.float32, "float": T.float32, "integer": T.int32, "bits": T.int32, "bool": T.bool_}


def example(definition: OpDef) -> Instance:
    """A small instance of the op that verifies."""
    operands, attributes, result = _EXAMPLES.get(definition.name) or ([_OF_KIND[o.kind] for o in definition.operands], {}, None)
    if result is None and definition.result is not None:
        assert definition.infer is not None, f"no example for morok.{definition.name}"
        result = definition.infer(tuple(operands), attributes)
    return Instance(definition, tuple(operands), attributes, result)


def build(instance: Instance, dialect: DialectContext, ip: ir.InsertionPoint, operands: list[ir.Value]) -> ir.Operation:
    """The MLIR operation of an instance over values of its operands' types."""
    d = instance.definition
    result = dialect.types.to_mlir(instance.result) if instance.result is not None else None
    attributes = {a.name: attribute_to_mlir(a.kind, instance.attributes[a.name], result, dialect.context)
                  for a in d.attributes if instance.attributes.get(a.name) is not None}
    if d.segmented:
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(d.segments(len(operands)), dialect.context)
    return ir.Operation.create(f"morok.{d.name}", results=[] if result is None else [result], operands=operands, attributes=attributes,
                               loc=dialect.unknown, ip=ip)


def module_of(instances: list[Instance], dialect: DialectContext) -> ir.Module:
    """A function for each instance, whose arguments are its operands."""
    module = ir.Module.create(dialect.unknown)
    with dialect.context:
        for instance in instances:
            inputs = [dialect.types.to_mlir(t) for t in instance.operands]
            signature = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
            attributes = {"sym_name": ir.StringAttr.get(f"{instance.definition.name}_example"), "function_type": signature}
            ip = ir.InsertionPoint(module.body)
            function = ir.Operation.create("func.func", regions=1, attributes=attributes, loc=dialect.unknown, ip=ip)
            block = function.regions[0].blocks.append(*inputs, arg_locs=[dialect.unknown] * len(inputs))
            build(instance, dialect, ir.InsertionPoint(block), list(block.arguments))
            ir.Operation.create("func.return", loc=dialect.unknown, ip=ir.InsertionPoint(block))
    return module


def printed_example(definition: OpDef, dialect: DialectContext) -> str:
    """The example as MLIR prints it."""
    module = module_of([example(definition)], dialect)
    return str(module.body.operations[0].regions[0].blocks[0].operations[0])


# Markdown

def reference_text() -> str:
    """docs/reference.md."""
    dialect = shared_context()
    lines = ["# The dialect `morok`", "",
             "Generated from the op table `morok/dialect/ops.py` by `python -m morok.dialect.reference -o docs/reference.md`.", "",
             "Ops print in MLIR's generic form. [architecture.md](architecture.md) describes the forms that the ops stand in and the "
             "semantics that every stage keeps.", "", *_type_lines()]
    for group, definitions in groupby(sorted(TABLE.values(), key=lambda d: list(GROUPS).index(d.group)), key=lambda d: d.group):
        lines += ["", f"## {GROUPS[group]}"]
        for definition in definitions:
            lines += ["", *_op_lines(definition, dialect)]
    return "\n".join([*lines, ""])


def _type_lines() -> list[str]:
    scalars = ", ".join(f"`{d.mlir}`" for d in T.DTYPES.values())
    return ["## Types", "", "| type | value |", "|---|---|",
            f"| {scalars} | a scalar |",
            "| `tensor<4x?xf32>` | a tensor; `?` is a symbolic size |",
            '| `memref<4x6xf32>`, `memref<64xf32, "local">`, `memref<8xf32, "register">` '
            "| a buffer in row-major order: in global memory, thread-private scratch, or registers |",
            "| `vector<4xf32>` | a vector of one dimension |",
            '| `!morok.ptr<f32, "global">` '
            "| the place of an element (or of a vector) in a buffer of the space `global`, `local` or `register` |",
            "| `!morok.token` | an effect that others are ordered after |",
            "| `!morok.argument` | a buffer bound to a kernel's slot |"]


def _op_lines(d: OpDef, dialect: DialectContext) -> list[str]:
    lines = [f"### `morok.{d.name}`", "", d.summary, ""]
    lines += [f"- operand `{o.name}`: {_operand(o)}" for o in d.operands]
    lines += [f"- attribute `{a.name}`: {_attribute(a)}" for a in d.attributes]
    if d.result is not None:
        lines.append(f"- result: {kind_description(d.result.kind)}{_shared(d, d.result)}")
    lines.append(f"- forms: {', '.join(FORM_NAMES[form] for form in d.forms)}")
    return [*lines, "", "```mlir", printed_example(d, dialect), "```"]


def _operand(o: Operand) -> str:
    arity = "" if o.arity == ONE else ", optional" if o.arity == OPTIONAL else ", any number"
    return kind_description(o.kind) + arity


def _shared(d: OpDef, result: Operand) -> str:
    shared = [o.name for o in d.operands if o.same is not None and o.same == result.same]
    return f", of the type of `{shared[0]}`" if shared else ""


def _attribute(a: Attribute) -> str:
    choices = f", one of {', '.join(f'`{c}`' for c in a.choices)}" if a.choices else ""
    return attribute_kind_description(a.kind) + choices + (", optional" if a.optional else "") + (f": {a.doc}" if a.doc else "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", dest="output", default="-", help="file to write; - for standard output")
    output = parser.parse_args().output
    if output == "-":
        print(reference_text(), end="")
    else:
        pathlib.Path(output).write_text(reference_text())


if __name__ == "__main__":
    main()

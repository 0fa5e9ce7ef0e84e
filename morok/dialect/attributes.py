"""Attribute values: Python on one side, MLIR attributes on the other, by the kind that the op table declares."""
from __future__ import annotations

from typing import Any

from mlir import ir


def attribute_to_mlir(kind: str, value: Any, result_type: ir.Type | None, context: ir.Context) -> ir.Attribute:
    """The MLIR attribute of a Python value; a number takes the element type of `result_type`."""
    if kind == "i64":
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64, context), value)
    if kind == "i64_array":
        return ir.DenseI64ArrayAttr.get(list(value), context)
    if kind == "string":
        return ir.StringAttr.get(value, context)
    if kind == "strings":
        return ir.ArrayAttr.get([ir.StringAttr.get(v, context) for v in value], context)
    if kind == "symbol":
        return ir.FlatSymbolRefAttr.get(value, context)
    assert kind == "number" and result_type is not None
    element = result_type.element_type if isinstance(result_type, ir.ShapedType) else result_type
    if isinstance(value, float):
        return ir.FloatAttr.get(element, value, loc=ir.Location.unknown(context))
    if isinstance(value, bool):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(1, context), int(value))
    if value >= 1 << 63:
        return ir.Attribute.parse(f"{value} : {element}", context)
    return ir.IntegerAttr.get(element, value)


def attribute_from_mlir(attribute: ir.Attribute) -> Any:
    """The Python value of an attribute; the text of one that the dialect has no kind for."""
    if isinstance(attribute, ir.BoolAttr):
        return bool(attribute.value)
    if isinstance(attribute, ir.IntegerAttr):
        value = attribute.value  # 64 bits and more come out signed
        return value % (1 << attribute.type.width) if value < 0 and str(attribute.type).startswith("ui") else value
    if isinstance(attribute, ir.FloatAttr):
        return float(attribute.value)
    if isinstance(attribute, ir.StringAttr):
        return attribute.value
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return attribute.value
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return tuple(attribute)
    if isinstance(attribute, ir.ArrayAttr):
        return tuple(attribute_from_mlir(a) for a in attribute)
    return str(attribute)

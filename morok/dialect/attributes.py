"""Attribute values: Python on one side, MLIR attributes on the other, by the kind that the op table declares."""
from __future__ import annotations

from typing import Any

from mlir import ir


def attribute_to_mlir(kind: str, value: Any, result_type: ir.Type | None, context: ir.Context) -> ir.Attribute:
    """The MLIR attribute of a Python value; a number takes the element type of `result_type`. TypeError or ValueError if it cannot."""
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
    if kind != "number" or result_type is None:
        raise TypeError(f"no attribute of kind {kind} without a result")
    return _number(value, result_type.element_type if isinstance(result_type, ir.ShapedType) else result_type, context)


def _number(value: Any, element: ir.Type, context: ir.Context) -> ir.Attribute:
    """A number of the element type. MLIR aborts the process where the two do not fit, so that is checked here."""
    if isinstance(value, bool):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(1, context), int(value))
    if isinstance(value, float):
        if not isinstance(element, ir.FloatType):
            raise TypeError(f"the float {value} is no {element}")
        return ir.FloatAttr.get(element, value, loc=ir.Location.unknown(context))
    if isinstance(element, ir.IndexType):
        low, high = -(1 << 63), 1 << 63
    elif isinstance(element, ir.IntegerType):
        low, high = (0, 1 << element.width) if element.is_unsigned else (-(1 << element.width - 1), 1 << element.width - 1)
    else:
        raise TypeError(f"the integer {value} is no {element}")
    if not low <= value < high:
        raise ValueError(f"{value} does not fit {element}")
    return ir.Attribute.parse(f"{value} : {element}", context) if value >= 1 << 63 else ir.IntegerAttr.get(element, value)


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

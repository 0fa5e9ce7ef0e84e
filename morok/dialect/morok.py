"""OpView classes of the dialect, made from the op table. MLIR's bindings find this module by its name when they meet a `morok` op.

    add = AddOp(f32, x, y)              # the result's type (None for an op without result), the operands in order
    pad = PadOp(t, x, low=(1,), high=(0,), value=0.0)
    add.x, pad.low, load.gate           # operands by name (a list of a variadic one, None for an absent optional one), attributes

Without these classes each op handed to Python costs 13 us instead of 0.6: the bindings look for a dialect module every time.
`python bench/dialect_cost.py` measures it.
"""
from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects._ods_common import _cext

from . import ops as _ops  # noqa: F401  (fills the table)
from .attributes import attribute_to_mlir
from .opdef import ONE, OPTIONAL, TABLE, OpDef, Operand


@_cext.register_dialect
class Dialect(ir.Dialect):
    DIALECT_NAMESPACE = "morok"


def class_name(op_name: str) -> str:
    """`reduce_axis` is ReduceAxisOp."""
    return "".join(part.capitalize() for part in op_name.split("_")) + "Op"


def accessor_name(name: str) -> str:
    """The name itself, unless every OpView has it: the attribute `name` is `name_`."""
    return name + "_" if hasattr(ir.OpView, name) and name != "result" else name


def _operand(definition: OpDef, position: int, operand: Operand) -> property:
    after = len(definition.operands) - 1 - position

    def one(self: Any) -> ir.Value:
        return self.operation.operands[position]

    def optional(self: Any) -> ir.Value | None:
        return self.operation.operands[position] if len(self.operation.operands) > position else None

    def variadic(self: Any) -> list[ir.Value]:
        operands = list(self.operation.operands)
        return operands[position:len(operands) - after]

    return property({ONE: one, OPTIONAL: optional}.get(operand.arity, variadic))


def _attribute(name: str) -> property:
    return property(lambda self: self.operation.attributes[name])


def _optional_attribute(name: str) -> property:
    return property(lambda self: self.operation.attributes[name] if name in self.operation.attributes else None)


def _attributes(definition: OpDef, result_type: ir.Type | None, given: dict[str, Any]) -> dict[str, ir.Attribute]:
    """MLIR attributes of Python values; TypeError for one that is missing or unknown."""
    unknown = given.keys() - definition.index_of.keys()
    missing = {a.name for a in definition.attributes if not a.optional} - given.keys()
    if unknown or missing:
        wrong = f"has no attribute {sorted(unknown)[0]}" if unknown else f"needs attribute {sorted(missing)[0]}"
        raise TypeError(f"morok.{definition.name} {wrong}; it takes {', '.join(definition.index_of) or 'none'}")
    context = ir.Context.current
    return {a.name: attribute_to_mlir(a.kind, given[a.name], result_type, context) for a in definition.attributes if a.name in given}


def _make_view(d: OpDef) -> type:
    def __init__(self: Any, result_type: ir.Type | None = None, *operands: ir.Value, loc: Any = None, ip: Any = None,
                 **attributes: Any) -> None:
        translated = _attributes(d, result_type, attributes)
        if d.segmented:
            translated["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(d.segments(len(operands)))
        results = [] if result_type is None else [result_type]
        ir.OpView.__init__(self, ir.Operation.create(f"morok.{d.name}", results, list(operands), translated, loc=loc, ip=ip))

    members: dict[str, Any] = {"OPERATION_NAME": f"morok.{d.name}", "_ODS_REGIONS": (0, True), "_ODS_OPERAND_SEGMENTS": None,
                               "_ODS_RESULT_SEGMENTS": None, "__init__": __init__, "__doc__": d.summary, "definition": d}
    for position, operand in enumerate(d.operands):
        members[accessor_name(operand.name)] = _operand(d, position, operand)
    for attribute in d.attributes:
        members.setdefault(accessor_name(attribute.name), _optional_attribute(attribute.name) if attribute.optional else _attribute(attribute.name))
    return _cext.register_operation(Dialect)(type(class_name(d.name), (ir.OpView,), members))


for _definition in TABLE.values():
    globals()[class_name(_definition.name)] = _make_view(_definition)

__all__ = ["Dialect", "accessor_name", "class_name", *(class_name(d.name) for d in TABLE.values())]

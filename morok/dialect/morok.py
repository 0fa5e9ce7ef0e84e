"""OpView classes of the dialect, made from the op table. MLIR's bindings find this module by its name when they meet a `morok` op.

Without these classes each op handed to Python costs 13 us instead of 0.6: the bindings look for a dialect module every time.
"""
from __future__ import annotations

from typing import Any

from mlir import ir
from mlir.dialects._ods_common import _cext

from . import ops as _ops  # noqa: F401  (fills the table)
from .attributes import attribute_to_mlir
from .opdef import ONE, TABLE, OpDef
from .types import Type


@_cext.register_dialect
class Dialect(ir.Dialect):
    DIALECT_NAMESPACE = "morok"


def _operand_property(position: int, single: bool, after: int) -> property:
    if single:
        return property(lambda self: self.operation.operands[position])
    return property(lambda self: list(self.operation.operands)[position:len(self.operation.operands) - after])


def _attribute_property(name: str) -> property:
    return property(lambda self: self.operation.attributes[name])


def _make_view(d: OpDef) -> type:
    def __init__(self: Any, result_type: ir.Type | None = None, *operands: ir.Value, loc: Any = None, ip: Any = None, **attributes: Any) -> None:
        """`result_type` (None for ops without result), the operands in order, the attributes by name as Python values."""
        translated = {a.name: attribute_to_mlir(a.kind, attributes[a.name], result_type, self_context()) for a in d.attributes if a.name in attributes}
        if d.segmented:
            translated["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(d.segments(len(operands)))
        super(view, self).__init__(ir.Operation.create(f"morok.{d.name}", results=[] if result_type is None else [result_type],
                                                       operands=list(operands), attributes=translated, loc=loc, ip=ip))

    members: dict[str, Any] = {"OPERATION_NAME": f"morok.{d.name}", "_ODS_REGIONS": (0, True), "_ODS_OPERAND_SEGMENTS": None,
                               "_ODS_RESULT_SEGMENTS": None, "__init__": __init__, "__doc__": d.summary, "definition": d}
    for position, operand in enumerate(d.operands):
        members[operand.name] = _operand_property(position, operand.arity == ONE, len(d.operands) - 1 - position)
    for attribute in d.attributes:
        members.setdefault(attribute.name, _attribute_property(attribute.name))
    view = type(class_name(d.name), (ir.OpView,), members)
    return _cext.register_operation(Dialect)(view)


def self_context() -> ir.Context:
    return ir.Context.current


def class_name(op_name: str) -> str:
    """`reduce_axis` is ReduceAxisOp."""
    return "".join(part.capitalize() for part in op_name.split("_")) + "Op"


for _definition in TABLE.values():
    globals()[class_name(_definition.name)] = _make_view(_definition)

__all__ = ["Dialect", "Type", "class_name", *(class_name(d.name) for d in TABLE.values())]

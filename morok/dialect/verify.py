"""Rules of the op table applied to MLIR operations: what IRDL cannot say, with the place in the file that each message is about.

    for diagnostic in verify_module(module, dialect):
        print(diagnostic)       # kernel.mlir:7:12: error: 'morok.shrink' op window [2, 9) of axis 1 exceeds its size 8

MLIR checks IRDL's constraints when it parses, and its messages do not name what is wrong in the op's words. `explain(text)` reads the
text again with the dialect's ops under another name, so that MLIR takes them as they are, and applies the table's rules to these.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mlir import ir
from mlir.dialects import irdl

from ..errors import IRError
from . import ops as _ops  # noqa: F401  (fills the table)
from . import types as T
from .attributes import attribute_from_mlir
from .context import DialectContext
from .irdl import types_text
from .opdef import TABLE, Attribute, Instance, OpDef, attribute_kind_description, verify_instance
from .types import TypeTranslator

PREFIX = "morok."
UNCHECKED = "m0rok."
"""Of the same length, so that columns stay."""


@dataclass(frozen=True)
class Diagnostic:
    """An error about a place in a file; `file` is None where the place is unknown."""

    message: str
    file: str | None = None
    line: int = 0
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: error: {self.message}" if self.file is not None else f"error: {self.message}"


class VerifyError(IRError):
    """IR that does not verify, with all that is wrong."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n".join(map(str, diagnostics)))
        self.diagnostics = diagnostics


def diagnose(message: str, location: ir.Location) -> Diagnostic:
    """A diagnostic at an MLIR location: of a call site its callee, of a fusion its first part."""
    while not location.is_a_file():
        if location.is_a_name():
            location = location.child_loc
        elif location.is_a_callsite():
            location = location.callee
        elif location.is_a_fused() and location.locations:
            location = location.locations[0]
        else:
            return Diagnostic(message)
    return Diagnostic(message, location.filename, location.start_line, location.start_col)


def verify_module(module: ir.Module, dialect: DialectContext) -> list[Diagnostic]:
    """One diagnostic for each malformed op of the dialect, and for each function of its ops that takes a type that the dialect lacks."""
    return _check(module, dialect.types, _wrong)


def check_module_readable(module: ir.Module, dialect: DialectContext) -> list[Diagnostic]:
    """What keeps the module from being read as a Program: types and attributes that have no Python value."""
    return _check(module, dialect.types, _unreadable)


def explain(text: str, file: str | None = None) -> list[Diagnostic]:
    """What is wrong with the dialect's ops in a text that MLIR refuses, as of `file`; nothing where MLIR's own message must do."""
    context = ir.Context()
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        irdl.load_dialects(ir.Module.parse(types_text()))
    try:
        module = ir.Module.parse(re.sub(r'"morok\.(?=\w+" *\()', f'"{UNCHECKED}', text), context)
    except ir.MLIRError:
        return []
    found = _check(module, TypeTranslator(context), _wrong, UNCHECKED)
    return [Diagnostic(d.message, file if file and d.file == "-" else d.file, d.line, d.column) for d in found]


def _check(module: ir.Module, types: TypeTranslator, rule: Rule, prefix: str = PREFIX) -> list[Diagnostic]:
    found = []
    for op in operations(module.operation):
        name = op.name.removeprefix(prefix)
        if name != op.name:
            message, shown = rule(name, op, types), PREFIX + name
        else:
            message, shown = _function_error(op, types) if name == "func.func" else None, name
        if message is not None:
            found.append(diagnose(f"'{shown}' op {message}", op.location))
    return found


def operations(root: ir.Operation) -> Iterator[ir.Operation]:
    """All operations inside, in textual order, without recursion."""
    pending = [iter(_children(root))]
    while pending:
        op = next(pending[-1], None)
        if op is None:
            pending.pop()
        else:
            yield op
            pending.append(iter(_children(op)))


def _children(op: ir.Operation) -> list[ir.Operation]:
    return [inner.operation for region in op.regions for block in region.blocks for inner in block.operations] if len(op.regions) else []


# The rules

Rule = Callable[[str, ir.Operation, TypeTranslator], "str | None"]


def _unreadable(name: str, op: ir.Operation, types: TypeTranslator) -> str | None:
    found = _read(name, op, types)
    return found if isinstance(found, str) else None


def _wrong(name: str, op: ir.Operation, types: TypeTranslator) -> str | None:
    found = _read(name, op, types)
    if isinstance(found, str):
        return found
    d = found.definition
    message = verify_instance(found) if d.attributes else _without_attributes(d.name, found.operands, found.result)
    return message if message is not None else _segment_error(d, op)


@lru_cache(maxsize=10000)
def _without_attributes(name: str, operands: tuple[T.Type, ...], result: T.Type | None) -> str | None:
    return verify_instance(Instance(TABLE[name], operands, {}, result))


def _read(name: str, op: ir.Operation, types: TypeTranslator) -> Instance | str:
    """The op in Python's terms, or what cannot be read."""
    definition = TABLE.get(name)
    if definition is None:
        return "is unknown"
    results, given = op.results, op.attributes
    if len(results) > 1:
        return f"has {len(results)} results; ops of the dialect have at most one"
    try:
        operands = tuple([types.from_mlir(value.type) for value in op.operands])
        result = types.from_mlir(results[0].type) if len(results) else None
    except TypeError as error:
        return f"has a value of a type that the dialect lacks: {error}"
    attributes = {}
    for attribute in definition.attributes:
        if attribute.name in given:
            wrong = _attribute_error(attribute, given[attribute.name], result)
            if wrong is not None:
                return wrong
            attributes[attribute.name] = attribute_from_mlir(given[attribute.name])
    if len(given) > len(attributes):
        for key in given:
            if key not in attributes and key != "operandSegmentSizes" and "." not in key:
                return f"has no attribute {key}; it takes {', '.join(definition.index_of) or 'none'}"
    return Instance(definition, operands, attributes, result)


def _segment_error(definition: OpDef, op: ir.Operation) -> str | None:
    if not definition.segmented:
        return None
    expected = f"array<i32: {', '.join(map(str, definition.segments(len(op.operands))))}>"
    given = op.attributes["operandSegmentSizes"] if "operandSegmentSizes" in op.attributes else "none"
    return None if str(given) == expected else f"attribute operandSegmentSizes must be {expected}, given {given}"


_KINDS: dict[str, Any] = {
    "i64": ir.IntegerAttr, "i64_array": ir.DenseI64ArrayAttr, "string": ir.StringAttr, "strings": ir.ArrayAttr,
    "symbol": ir.FlatSymbolRefAttr, "number": (ir.IntegerAttr, ir.FloatAttr, ir.BoolAttr),
}


def _attribute_error(attribute: Attribute, given: ir.Attribute, result: T.Type | None) -> str | None:
    described = f"attribute {attribute.name} must be {attribute_kind_description(attribute.kind)}, given {given}"
    if not isinstance(given, _KINDS[attribute.kind]):
        return described
    if attribute.kind == "strings" and not all(isinstance(entry, ir.StringAttr) for entry in given):
        return described
    if isinstance(given, ir.FloatAttr) and result is not None:
        element = T.element_dtype(result)
        if element is not None and str(given.type) != element.mlir:
            return f"attribute {attribute.name} has type {given.type}, but the result's elements are {element.mlir}"
    if isinstance(given, ir.IntegerAttr) and given.type != ir.IndexType.get(given.context) and given.type.width > 64:
        return f"attribute {attribute.name} has more than 64 bits: {given}"
    return None


def is_straight_line_morok(function: ir.Operation) -> bool:
    """Whether a func.func has one block, of ops of the dialect alone: what a Program reads."""
    blocks = list(function.regions[0].blocks)
    return len(blocks) == 1 and all(op.name.startswith(PREFIX) or op.name == "func.return" for op in _children(function))


def _function_error(function: ir.Operation, types: TypeTranslator) -> str | None:
    if not is_straight_line_morok(function):
        return None
    for i, argument in enumerate(function.regions[0].blocks[0].arguments):
        try:
            types.from_mlir(argument.type)
        except TypeError as error:
            return f"has argument {i} of a type that the dialect lacks: {error}"
    return None


__all__ = ["Diagnostic", "VerifyError", "check_module_readable", "diagnose", "explain", "is_straight_line_morok", "operations",
           "verify_module"]

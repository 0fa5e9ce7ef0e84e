"""A function as UOps, and a module as a set of such functions: how passes see MLIR.

`Program.read(module)` takes every `func.func` whose body is straight-line morok code; functions in other dialects stay in the module untouched.
Effects are ordered by data alone (`after`, `end`, `sink`), so a body is its results and sinks; `flush()` writes changed bodies back as MLIR.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mlir import ir

from ..dialect import types as T
from ..dialect.attributes import attribute_from_mlir, attribute_to_mlir
from ..dialect.context import DialectContext
from ..dialect.opdef import TABLE
from ..dialect.verify import is_straight_line_morok
from .uop import Location, UOp, argument, toposort


@dataclass
class Body:
    """A function: arguments (UOps named arg), what it returns, and its sinks. `attributes` are the func's own, as MLIR attributes by name."""

    name: str
    arguments: list[UOp]
    results: tuple[UOp, ...] = ()
    sinks: tuple[UOp, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict)
    argument_attributes: list[dict[str, Any]] = field(default_factory=list)
    _order: list[UOp] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def roots(self) -> tuple[UOp, ...]:
        return self.results + self.sinks

    def with_roots(self, roots: tuple[UOp, ...]) -> Body:
        n = len(self.results)
        return replace(self, results=tuple(roots[:n]), sinks=tuple(roots[n:]))

    @property
    def is_kernel(self) -> bool:
        return "morok.kernel" in self.attributes

    def order(self) -> list[UOp]:
        """All ops, operands first; sorted once, and not to be changed. Nor are results and sinks: `with_roots` makes another body."""
        if self._order is None:
            self._order = toposort(self.roots)
        return self._order


class Program:
    """The functions of a module. `bodies` is what passes read and assign; the MLIR module follows on `flush()`."""

    def __init__(self, dialect: DialectContext, module: ir.Module | None = None) -> None:
        self.dialect = dialect
        self._module = module
        self._bodies: dict[str, Body] = {}
        self._written: dict[str, Body] = {}
        if module is not None:
            self.reread()

    @property
    def bodies(self) -> dict[str, Body]:
        return self._bodies

    def kernels(self) -> list[Body]:
        return [b for b in self._bodies.values() if b.is_kernel]

    @property
    def module(self) -> ir.Module:
        """The MLIR module, up to date."""
        self.flush()
        assert self._module is not None
        return self._module

    def reread(self) -> None:
        """Reads the bodies anew, after something else changed the module."""
        assert self._module is not None
        self._bodies = {}
        for op in self._module.body.operations:
            if op.operation.name == "func.func" and is_straight_line_morok(op.operation):
                body = read_function(op.operation, self.dialect)
                self._bodies[body.name] = body
        self._written = dict(self._bodies)

    def flush(self) -> None:
        if self._module is None:
            self._module = ir.Module.create(self.dialect.unknown)
        if all(self._written.get(n) is b for n, b in self._bodies.items()) and len(self._written) == len(self._bodies):
            return
        existing = {ir.StringAttr(op.operation.attributes["sym_name"]).value: op.operation for op in self._module.body.operations
                    if op.operation.name == "func.func"}
        for name in self._written:
            if name not in self._bodies:
                existing[name].erase()
        for name, body in self._bodies.items():
            if self._written.get(name) is not body:
                old = existing.get(name)
                ip = ir.InsertionPoint(old) if old is not None else ir.InsertionPoint(self._module.body)
                write_function(body, self.dialect, ip)
                if old is not None:
                    old.erase()
        self._written = dict(self._bodies)


def read_function(func: ir.Operation, dialect: DialectContext) -> Body:
    """The body of a straight-line morok function."""
    types, block = dialect.types, func.regions[0].blocks[0]
    attributes = {a.name: a.attr for a in _named(func.attributes)}
    name = ir.StringAttr(attributes.pop("sym_name")).value
    attributes.pop("function_type")
    given = attributes.pop("arg_attrs", None)
    attributes.pop("res_attrs", None)
    values: dict[ir.Value, UOp] = {}
    arguments = []
    for i, value in enumerate(block.arguments):
        uop = argument(i, types.from_mlir(value.type))
        values[value] = uop
        arguments.append(uop)
    results: tuple[UOp, ...] = ()
    sinks: list[UOp] = []
    for view in block.operations:
        op = view.operation
        operands = tuple(values[o] for o in op.operands)
        if op.name == "func.return":
            results = operands
            continue
        uop = read_operation(op, operands, dialect)
        if len(op.results):
            values[op.results[0]] = uop
        else:
            sinks.append(uop)
    argument_attributes = [{a.name: a.attr for a in _named(d)} for d in given] if given is not None else [{} for _ in arguments]
    return Body(name, arguments, results, tuple(sinks), attributes, argument_attributes)


def _named(attributes: Any) -> list[ir.NamedAttribute]:
    return [attributes[i] for i in range(len(attributes))]


def read_operation(op: ir.Operation, operands: tuple[UOp, ...], dialect: DialectContext) -> UOp:
    definition = TABLE[op.name[len("morok."):]]
    given = op.attributes
    attributes = tuple(attribute_from_mlir(given[a.name]) if a.name in given else None for a in definition.attributes)
    if attributes and attributes[-1] is None and definition.attributes[-1].optional:  # an optional attribute is the last, and absent where it is not given
        attributes = attributes[:-1]
    result = dialect.types.from_mlir(op.results[0].type) if len(op.results) else T.token
    return UOp.make(definition.name, operands, attributes, result, read_location(op.location))


def read_location(location: ir.Location) -> Location | None:
    if location.is_a_file():
        return location.filename, location.start_line
    return None


def write_function(body: Body, dialect: DialectContext, ip: ir.InsertionPoint) -> ir.Operation:
    """Creates the func.func at the insertion point."""
    types = dialect.types
    with dialect.context:
        inputs, outputs = [types.to_mlir(a.type) for a in body.arguments], [types.to_mlir(r.type) for r in body.results]
        attributes = {"sym_name": ir.StringAttr.get(body.name), "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, outputs)), **body.attributes}
        if any(body.argument_attributes):
            attributes["arg_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(d) for d in body.argument_attributes])
        func = ir.Operation.create("func.func", attributes=attributes, regions=1, loc=dialect.unknown, ip=ip)
        block = func.regions[0].blocks.append(*inputs, arg_locs=[dialect.unknown] * len(inputs))
        values: dict[UOp, ir.Value] = dict(zip(body.arguments, block.arguments))
        at_end = ir.InsertionPoint(block)
        for uop in body.order():
            if uop.name != "arg":
                op = write_operation(uop, [values[o] for o in uop.operands], dialect, at_end)
                if len(op.results):
                    values[uop] = op.results[0]
        ir.Operation.create("func.return", operands=[values[r] for r in body.results], loc=dialect.unknown, ip=at_end)
    return func


def write_operation(u: UOp, operands: list[ir.Value], dialect: DialectContext, ip: ir.InsertionPoint) -> ir.Operation:
    """Creates the MLIR operation of a UOp over the given operand values."""
    d = TABLE[u.name]
    result = dialect.types.to_mlir(u.type) if d.result is not None else None
    attributes = {a.name: attribute_to_mlir(a.kind, v, result, dialect.context) for a, v in zip(d.attributes, u.attributes) if v is not None}
    if d.segmented:
        attributes["operandSegmentSizes"] = ir.DenseI32ArrayAttr.get(d.segments(len(operands)), dialect.context)
    loc = ir.Location.file(u.loc[0], u.loc[1], 1, dialect.context) if u.loc is not None else dialect.unknown
    return ir.Operation.create(f"morok.{u.name}", results=[] if result is None else [result], operands=operands, attributes=attributes, loc=loc, ip=ip)


__all__ = ["Body", "Program", "read_function", "write_function", "write_operation"]

"""What an op of the dialect is made of: the vocabulary in which `ops.py` writes its table.

Each op is one `op(...)` entry. IRDL, OpView classes, builders, the verifier and the op reference derive from it; nothing is declared twice.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..fork_safety import renewed_properties
from . import types as T

ONE, VARIADIC, OPTIONAL = "one", "variadic", "optional"
DYNAMIC = -(1 << 63)
"""Stands in a size list where the size is an operand, as in MLIR's own dialects."""


@dataclass(frozen=True)
class Operand:
    """An operand (or result): its name, the kind of value it takes, how many, and the name of a type that it shares with others."""

    name: str
    kind: str
    arity: str = ONE
    same: str | None = None


@dataclass(frozen=True)
class Attribute:
    """An attribute; `kind` is i64, i64_array, string, strings, symbol, number (of the result's element type) or any choice of strings."""

    name: str
    kind: str
    choices: tuple[str, ...] = ()
    optional: bool = False
    doc: str = ""


@dataclass
class Instance:
    """An op as the rules see it, whether a UOp or an MLIR operation: Python types and Python attribute values."""

    definition: OpDef
    operands: tuple[T.Type, ...]
    attributes: dict[str, Any]
    result: T.Type | None

    def type_of(self, name: str) -> T.Type:
        """The type of the operand of that name."""
        return self.operands[self.definition.position(name)]


Rule = Callable[[Instance], "str | None"]


@dataclass(frozen=True)
class OpDef:
    name: str
    summary: str
    group: str
    operands: tuple[Operand, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    result: Operand | None = None
    infer: Callable[..., T.Type] | None = None
    rules: tuple[Rule, ...] = ()
    forms: tuple[str, ...] = ()
    index_of: dict[str, int] = field(default_factory=dict, compare=False)

    def position(self, name: str) -> int:
        return next(i for i, o in enumerate(self.operands) if o.name == name)

    def count(self, arity: str) -> int:
        return sum(o.arity == arity for o in self.operands)

    @cached_property
    def segmented(self) -> bool:
        """Whether operands need `operandSegmentSizes` to be told apart."""
        return len(self.operands) - self.count(ONE) > 1

    @cached_property
    def arity(self) -> tuple[int, int, bool]:
        """How many operands there must be, how many more there may be, and whether there may be any number more."""
        return self.count(ONE), self.count(OPTIONAL), self.count(VARIADIC) > 0

    def segments(self, count: int) -> list[int]:
        """How `count` operands divide among the declared ones; optional operands come all or none, variadic ones take the rest."""
        fixed, optional, has_variadic = self.arity
        rest = count - fixed
        take = 1 if not has_variadic and rest == optional else 0
        return [1 if o.arity == ONE else take if o.arity == OPTIONAL else rest for o in self.operands]


renewed_properties(OpDef)

TABLE: dict[str, OpDef] = {}


def op(name: str, summary: str, *, group: str, operands: Sequence[Operand] = (), attributes: Sequence[Attribute] = (), result: Operand | None = None,
       infer: Callable[..., T.Type] | None = None, verify: Sequence[Rule] = (), forms: Sequence[str] = ()) -> OpDef:
    """Enters an op in the table. `infer(operand_types, attributes)` gives the result's type where the operands decide it."""
    definition = OpDef(name, summary, group, tuple(operands), tuple(attributes), result, infer, tuple(verify), tuple(forms),
                       {a.name: i for i, a in enumerate(attributes)})
    TABLE[name] = definition
    return definition


def arity_error(definition: OpDef, count: int) -> str | None:
    fixed, optional, has_variadic = definition.arity
    if has_variadic:
        return None if count >= fixed else f"takes at least {fixed} operands, given {count}"
    if count == fixed or count == fixed + optional:
        return None
    return f"takes {fixed} operands{f' or {fixed + optional}' if optional else ''}, given {count}"


_KINDS: dict[str, tuple[Callable[[T.Type], bool], str]] = {
    "any": (lambda t: True, "anything"),
    "tensor": (lambda t: isinstance(t, T.TensorType), "a tensor"),
    "buffer": (lambda t: isinstance(t, (T.MemRefType, T.TensorType)), "a memref or tensor"),
    "memref": (lambda t: isinstance(t, T.MemRefType), "a memref"),
    "pointer": (lambda t: isinstance(t, T.PtrType), "a !morok.ptr"),
    "index": (lambda t: t is T.index, "an index"),
    "indices": (lambda t: t is T.index or isinstance(t, T.VectorType) and t.dtype is T.index, "an index or vector of index"),
    "token": (lambda t: t is T.token, "a !morok.token"),
    "argument": (lambda t: t is T.argument, "a !morok.argument"),
    "scalar": (lambda t: isinstance(t, T.DType), "a scalar"),
    "vector": (lambda t: isinstance(t, T.VectorType), "a vector"),
    "value": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)), "a scalar, vector or tensor"),
    "number": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)) and T.element_dtype(t) is not T.bool_, "a number, not bool"),
    "float": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)) and T.element_dtype(t).is_float, "a floating-point value"),
    "integer": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)) and T.element_dtype(t).is_int, "an integer value"),
    "bits": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)) and not T.element_dtype(t).is_float, "an integer or bool value"),
    "bool": (lambda t: isinstance(t, (T.DType, T.VectorType, T.TensorType)) and T.element_dtype(t) is T.bool_, "a bool value"),
}


def kind_description(kind: str) -> str:
    return _KINDS[kind][1]


def verify_instance(instance: Instance) -> str | None:
    """The first thing wrong with an op, or None: operand count, kinds, shared types, attributes, the result, then the op's own rules."""
    d = instance.definition
    wrong = arity_error(d, len(instance.operands))
    if wrong:
        return wrong
    shared: dict[str, tuple[str, T.Type]] = {}
    given = _named_operands(d, instance.operands)
    if d.result is not None:
        if instance.result is None:
            return "must have a result"
        given.append((d.result, instance.result))
    elif instance.result is not None:
        return f"has no result, given one of type {T.spelling(instance.result)}"
    for operand, t in given:
        accepts, description = _KINDS[operand.kind]
        if not accepts(t):
            return f"{operand.name} must be {description}, not {T.spelling(t)}"
        if operand.same is not None:
            name, first = shared.setdefault(operand.same, (operand.name, t))
            if first is not t:
                return f"{operand.name} has type {T.spelling(t)}, but {name} has type {T.spelling(first)}; they must be equal"
    for attribute in d.attributes:
        wrong = _attribute_error(attribute, instance.attributes.get(attribute.name))
        if wrong:
            return wrong
    for rule in d.rules:
        wrong = rule(instance)
        if wrong:
            return wrong
    if d.infer is not None:
        try:
            expected = d.infer(instance.operands, instance.attributes)
        except (ValueError, TypeError, IndexError) as error:
            return str(error)
        if expected is not instance.result:
            return f"result type is {T.spelling(instance.result)}, expected {T.spelling(expected)}"
    return None


def _named_operands(d: OpDef, operands: tuple[T.Type, ...]) -> list[tuple[Operand, T.Type]]:
    named, at = [], 0
    for operand, count in zip(d.operands, d.segments(len(operands))):
        named += [(operand, t) for t in operands[at:at + count]]
        at += count
    return named


def shown(value: Any) -> str:
    """An attribute's value in messages, spelled as in MLIR."""
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_ATTRIBUTE_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "i64": (lambda v: _is_integer(v) and -(1 << 63) <= v < 1 << 63, "an integer of 64 bits"),
    "i64_array": (lambda v: isinstance(v, tuple) and all(_is_integer(e) and -(1 << 63) <= e < 1 << 63 for e in v), "a list of integers of 64 bits"),
    "string": (lambda v: isinstance(v, str), "a string"),
    "strings": (lambda v: isinstance(v, tuple) and all(isinstance(e, str) for e in v), "a list of strings"),
    "symbol": (lambda v: isinstance(v, str), "the name of a function"),
    "number": (lambda v: isinstance(v, (int, float)), "a number or bool"),
}


def attribute_kind_description(kind: str) -> str:
    return _ATTRIBUTE_KINDS[kind][1]


def _attribute_error(attribute: Attribute, value: Any) -> str | None:
    if value is None:
        return None if attribute.optional else f"needs attribute {attribute.name}"
    accepts, description = _ATTRIBUTE_KINDS[attribute.kind]
    if not accepts(value):
        return f"attribute {attribute.name} must be {description}, given {shown(value)}"
    if attribute.choices and value not in attribute.choices:
        return f"attribute {attribute.name} is {shown(value)}; it must be one of {', '.join(attribute.choices)}"
    return None

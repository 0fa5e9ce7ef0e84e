"""How each scalar or vector op is spelled in upstream dialects (arith and math), with the semantics that docs/architecture.md fixes.

Integers are signless here; the dtype chooses signed or unsigned ops. What LLVM leaves undefined (division by zero, shifts beyond the
width) is made definite with selects. Conversions are in `conversions.py`.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mlir import ir

from ...dialect import types as T
from ...dialect.context import DialectContext
from ...graph.uop import UOp
from ..symbolic import bounds

Value: TypeAlias = ir.Value

INT_ALU = {"add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori"}
BOOL_ALU = {"add": "arith.ori", "mul": "arith.andi", "sub": "arith.xori", "max": "arith.ori", "min": "arith.andi",
            "and": "arith.andi", "or": "arith.ori", "xor": "arith.xori"}
FLOAT_ALU = {
    "add": "arith.addf",
    "sub": "arith.subf",
    "mul": "arith.mulf",
    "div": "arith.divf",
    "max": "arith.maximumf",
    "min": "arith.minimumf",
    "neg": "arith.negf",
    "abs": "math.absf",
    "sqrt": "math.sqrt",
    "floor": "math.floor",
    "ceil": "math.ceil",
    "trunc": "math.trunc",
    "round": "math.roundeven",
    "mulacc": "math.fma",
    "pow": "math.powf",
    **{
        name: f"math.{name}"
        for name in (
            "exp",
            "exp2",
            "expm1",
            "log",
            "log2",
            "log1p",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "erf",
        )
    },
}
"""The transcendentals stand here for pipelines without morok-float-decomposition: they become calls of the C library, lane by lane."""
MINMAX = {"max": ("arith.maxsi", "arith.maxui"), "min": ("arith.minsi", "arith.minui")}
FLOAT_PREDICATE = {"cmplt": 4, "cmple": 5, "cmpeq": 1, "cmpne": 13}  # olt, ole, oeq, une
SIGNED_PREDICATE = {"cmpeq": 0, "cmpne": 1, "cmplt": 2, "cmple": 3}
UNSIGNED_PREDICATE = {"cmpeq": 0, "cmpne": 1, "cmplt": 6, "cmple": 7}


class Names:
    """MLIR types and attributes that the emission of one context needs again and again."""

    _of: dict[int, Names] = {}

    def __init__(self, dialect: DialectContext) -> None:
        self.dialect = dialect
        self.i64 = ir.IntegerType.get_signless(64, dialect.context)
        with dialect.context:
            self.signed_zero_ignored = ir.Attribute.parse("#arith.fastmath<nsz>")
            self.sequentially_consistent = ir.Attribute.parse("7 : i64")  # llvm.fence seq_cst
            self.any_lane = ir.Attribute.parse("#vector.kind<or>")
            self.no_wrap = ir.Attribute.parse("#arith.overflow<nsw>")
            self.predicates = [ir.IntegerAttr.get(self.i64, i) for i in range(16)]
        self._types: dict[Any, ir.Type] = {}
        self._constants: dict[tuple, ir.Attribute] = {}

    @classmethod
    def of(cls, dialect: DialectContext) -> Names:
        found = cls._of.get(id(dialect))
        if found is None or found.dialect is not dialect:
            found = cls._of[id(dialect)] = cls(dialect)
        return found

    def type(self, t: T.Type) -> ir.Type:
        """The signless MLIR type; in memory, bool is a byte."""
        found = self._types.get(t)
        if found is None:
            text = T.spelling(t)
            if isinstance(t, T.MemRefType):
                sizes = "".join(f"{s}x" for s in t.shape)
                text = f"memref<{sizes}{'i8' if t.dtype is T.bool_ else t.dtype.mlir}>"
            found = self._types[t] = ir.Type.parse(text.replace("ui", "i"), self.dialect.context)
        return found

    def constant(self, value: Any, t: T.Type) -> ir.Attribute:
        key = (repr(value), t)
        found = self._constants.get(key)
        if found is None:
            dtype, mlir = T.element_dtype(t), self.type(t)
            scalar = self.type(dtype)
            if dtype.is_float:
                attribute: ir.Attribute = ir.FloatAttr.get(scalar, value, loc=self.dialect.unknown)
            else:
                value = int(value)
                if dtype.kind == "u" and value >> (dtype.bits - 1):
                    value -= 1 << dtype.bits
                attribute = ir.IntegerAttr.get(scalar, value)
            if isinstance(t, T.VectorType):
                attribute = ir.DenseElementsAttr.get_splat(mlir, attribute)
            found = self._constants[key] = attribute
        return found


class Emitter:
    """Creates upstream ops at an insertion point; `values` maps UOps to what they have become."""

    def __init__(self, dialect: DialectContext) -> None:
        self.dialect, self.names = dialect, Names.of(dialect)
        self.values: dict[UOp, Any] = {}
        self.ip: ir.InsertionPoint
        self.entry: ir.InsertionPoint
        self.loc = dialect.unknown
        self._constants: dict[tuple, Value] = {}
        self._alu: dict[str, Callable[[UOp, Sequence[Value]], Value]] = {}

    def create(self, name: str, t: T.Type | None, operands: Sequence[Value], attributes: dict | None = None) -> Any:
        results = () if t is None else (self.names.type(t),)
        op = ir.Operation.create(name, results=results, operands=operands, attributes=attributes, loc=self.loc, ip=self.ip)
        return op if t is None else op.results[0]

    def constant(self, value: Any, t: T.Type) -> Value:
        """A constant, once per function, at its entry."""
        key = (repr(value), t)
        found = self._constants.get(key)
        if found is None:
            attribute = self.names.constant(value, t)
            results, attributes = (self.names.type(t),), {"value": attribute}
            op = ir.Operation.create("arith.constant", results=results, attributes=attributes, loc=self.dialect.unknown, ip=self.entry)
            found = self._constants[key] = op.results[0]
        return found

    # Arithmetic

    def alu(self, u: UOp, x: Sequence[Value]) -> Value:
        """The value of an ALU op over operand values."""
        method = getattr(self, f"_{u.name}", None)
        if method is not None:
            return method(u, x)
        return self.binary(u.name, u.type, x)

    def binary(self, name: str, t: T.Type, x: Sequence[Value]) -> Value:
        """An op whose operands and result have one type: also what combines two values of a reduction."""
        dtype = T.element_dtype(t)
        if dtype.is_float:
            if name in ("max", "min"):
                return self.create(FLOAT_ALU[name], t, x, {"fastmath": self.names.signed_zero_ignored})
            return self.create(FLOAT_ALU[name], t, x)
        if dtype is T.bool_:
            return self.create(BOOL_ALU[name], t, x)
        if name in MINMAX:
            return self.create(MINMAX[name][dtype.kind == "u"], t, x)
        if dtype is T.index and name in ("add", "mul", "sub"):
            return self.create(INT_ALU[name], t, x, {"overflowFlags": self.names.no_wrap})
        return self.create(INT_ALU[name], t, x)

    def compare(self, predicate: int, x: Value, y: Value, t: T.Type) -> Value:
        """Compares integers of type t."""
        return self.create("arith.cmpi", T.like(t, T.bool_), (x, y), {"predicate": self.names.predicates[predicate]})

    def select(self, condition: Value, x: Value, y: Value, t: T.Type) -> Value:
        return self.create("arith.select", t, (condition, x, y))

    def _compare(self, u: UOp, x: Sequence[Value]) -> Value:
        dtype, t = u.operands[0].dtype, u.type
        if dtype.is_float:
            return self.create("arith.cmpf", t, x, {"predicate": self.names.predicates[FLOAT_PREDICATE[u.name]]})
        table = UNSIGNED_PREDICATE if dtype.kind in "ub" else SIGNED_PREDICATE
        return self.create("arith.cmpi", t, x, {"predicate": self.names.predicates[table[u.name]]})

    _cmplt = _cmple = _cmpeq = _cmpne = _compare

    def _where(self, u: UOp, x: Sequence[Value]) -> Value:
        return self.create("arith.select", u.type, x)

    def _neg(self, u: UOp, x: Sequence[Value]) -> Value:
        if u.dtype.is_float:
            return self.create("arith.negf", u.type, x)
        return self.create("arith.subi", u.type, (self.constant(0, u.type), x[0]))

    def _abs(self, u: UOp, x: Sequence[Value]) -> Value:
        if u.dtype.is_float:
            return self.create("math.absf", u.type, x)
        if u.dtype.kind == "u":
            return x[0]
        negative = self.create("arith.subi", u.type, (self.constant(0, u.type), x[0]))
        return self.create("arith.maxsi", u.type, (x[0], negative))

    def _not(self, u: UOp, x: Sequence[Value]) -> Value:
        return self.create("arith.xori", u.type, (x[0], self.constant(-1 if u.dtype.kind != "u" else u.dtype.max, u.type)))

    def _mulacc(self, u: UOp, x: Sequence[Value]) -> Value:
        if u.dtype.is_float:
            return self.create("math.fma", u.type, x)
        return self.binary("add", u.type, (self.binary("mul", u.type, x[:2]), x[2]))

    # Division: rounds down, 0 by 0

    def _floordiv(self, u: UOp, x: Sequence[Value]) -> Value:
        return self._divide(u, x, "floordiv")

    def _mod(self, u: UOp, x: Sequence[Value]) -> Value:
        return self._divide(u, x, "mod")

    def _divide(self, u: UOp, x: Sequence[Value], want: str) -> Value:
        t, dtype, divisor = u.type, u.dtype, u.operands[1]
        lane = divisor.operands[0] if divisor.name == "vectorize" and len(divisor.operands) == 1 else divisor
        known = lane.value if lane.name == "const" else None
        if known == 0:
            return self.constant(0, t)
        never_negative = dtype.kind == "u" or bounds(u.operands[0])[0] >= 0
        if known is not None and known > 0:
            if known & (known - 1) == 0:
                if want == "mod":
                    return self.create("arith.andi", t, (x[0], self.constant(known - 1, t)))
                return self.create("arith.shrui" if never_negative else "arith.shrsi", t, (x[0], self.constant(known.bit_length() - 1, t)))
            if never_negative:
                return self.create("arith.divui" if want == "floordiv" else "arith.remui", t, x)
            quotient = self.create("arith.divsi", t, x)
            remainder = self.create("arith.subi", t, (x[0], self.create("arith.muli", t, (quotient, x[1]))))
            below = self.create("arith.shrsi", t, (remainder, self.constant(dtype.bits - 1, t)))  # -1 where the remainder is negative
            if want == "floordiv":
                return self.create("arith.addi", t, (quotient, below))
            return self.create("arith.addi", t, (remainder, self.create("arith.andi", t, (below, x[1]))))
        zero = self.constant(0, t)
        by_zero = self.compare(0, x[1], zero, t)
        if dtype.kind == "u":
            safe = self.select(by_zero, self.constant(1, t), x[1], t)
            return self.select(by_zero, zero, self.create("arith.divui" if want == "floordiv" else "arith.remui", t, (x[0], safe)), t)
        if bounds(u.operands[0])[0] >= 0 and bounds(divisor)[0] > 0:
            return self.create("arith.divui" if want == "floordiv" else "arith.remui", t, x)
        least, minus_one = self.constant(dtype.min, t), self.constant(-1, t)
        b = T.like(t, T.bool_)
        wraps = self.create("arith.andi", b, (self.compare(0, x[0], least, t), self.compare(0, x[1], minus_one, t)))
        safe = self.select(self.create("arith.ori", b, (by_zero, wraps)), self.constant(1, t), x[1], t)
        quotient = self.create("arith.divsi", t, (x[0], safe))
        remainder = self.create("arith.subi", t, (x[0], self.create("arith.muli", t, (quotient, safe))))
        signs_differ = self.compare(2, self.create("arith.xori", t, (remainder, safe)), zero, t)
        low = self.create("arith.andi", b, (self.compare(1, remainder, zero, t), signs_differ))
        if want == "floordiv":
            result = self.select(low, self.create("arith.addi", t, (quotient, minus_one)), quotient, t)
        else:
            result = self.select(low, self.create("arith.addi", t, (remainder, safe)), remainder, t)
        return self.select(by_zero, zero, result, t)

    # Shifts: by the width or more, or by less than 0, everything is shifted out

    def _shl(self, u: UOp, x: Sequence[Value]) -> Value:
        return self._shift(u, x, "arith.shli")

    def _shr(self, u: UOp, x: Sequence[Value]) -> Value:
        return self._shift(u, x, "arith.shrui" if u.dtype.kind == "u" else "arith.shrsi")

    def _shift(self, u: UOp, x: Sequence[Value], name: str) -> Value:
        t, bits = u.type, u.dtype.bits
        low, high = bounds(u.operands[1])
        if 0 <= low and high < bits:
            return self.create(name, t, x)
        inside = self.compare(6, x[1], self.constant(bits, t), t)
        if name == "arith.shrsi":
            return self.create(name, t, (x[0], self.select(inside, x[1], self.constant(bits - 1, t), t)))
        distance = self.select(inside, x[1], self.constant(0, t), t)
        return self.select(inside, self.create(name, t, (x[0], distance)), self.constant(0, t), t)

"""Loops in upstream dialects as C99: one statement for each op, constants in their place.

    %v = arith.addi %a, %b : i8                      const int8_t v = (int8_t)((uint32_t)a + (uint32_t)b);
    %s = scf.for %i = .. iter_args(%acc = %z)        float acc0 = 0x0p+0f; for (int64_t i0 = ..) { .. acc0 = v7; }

A signless integer is a signed C type; what wraps is computed unsigned, and what is unsigned is cast for its op. 16-bit floats are their
bits (the kernels compute in float); constants are hexadecimal, so exact. No product and sum are fused but by fma.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf, isnan, prod

from mlir import ir

from ..dialect import types as T
from ..errors import InternalError
from ..passes.codegen.parameters import Parameter

PRELUDE = """\
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define ALIGNED __attribute__((aligned(64)))
#define AT_ALIGNED(p) __builtin_assume_aligned(p, 64)
#define PREFETCH(address, locality) __builtin_prefetch((const void *)(address), 0, locality)
#else
#define ALIGNED
#define AT_ALIGNED(p) (p)
#define PREFETCH(address, locality) (void)0
#endif
"""
BITS = """
static inline {to} bits_{source}_{to}({source} x) {{
  {to} y;
  memcpy(&y, &x, sizeof y);
  return y;
}}
"""
HALF_TO_FLOAT = """
static inline float float_of_half(uint16_t h) {
  const uint32_t rest = (uint32_t)(h & 0x7FFF) << 13, sign = (uint32_t)(h & 0x8000) << 16;
  const float scaled = bits_int32_t_float((int32_t)rest) * 0x1p+112f; /* the exponent's other bias; subnormals too */
  const uint32_t finite = (uint32_t)bits_float_int32_t(scaled);
  return bits_int32_t_float((int32_t)(sign | (rest >= 0x0F800000 ? rest | 0x7F800000 : finite)));
}
"""
FLOAT_TO_HALF = """
static inline uint16_t half_of_float(float f) {
  const uint32_t bits = (uint32_t)bits_float_int32_t(f), size = bits & 0x7FFFFFFF;
  const uint32_t normal = (size + 0xFFF + ((size >> 13) & 1) - 0x38000000) >> 13; /* to even */
  const float shifted = bits_int32_t_float((int32_t)size) + 0.5f; /* its last bit is a subnormal half's */
  const uint32_t subnormal = (uint32_t)bits_float_int32_t(shifted) - 0x3F000000;
  const uint32_t beyond = size > 0x7F800000 ? 0x7E00 : 0x7C00;
  return (uint16_t)((bits >> 16 & 0x8000) | (size >= 0x47800000 ? beyond : size < 0x38800000 ? subnormal : normal));
}
"""

SIGNED = {"addi": "+", "subi": "-", "muli": "*"}
BITWISE = {"andi": "&", "ori": "|", "xori": "^"}
DIVISIONS = {"divsi": "/", "remsi": "%", "divui": "/", "remui": "%"}
FLOATS = {"addf": "+", "subf": "-", "mulf": "*", "divf": "/"}
EXTREMES = {"maxsi": ">", "maxui": ">", "minsi": "<", "minui": "<", "maximumf": ">", "minimumf": "<"}
INT_PREDICATES = ("==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">=")
"""The last four are unsigned."""
FLOAT_PREDICATES = {1: "{0} == {1}", 2: "{0} > {1}", 3: "{0} >= {1}", 4: "{0} < {1}", 5: "{0} <= {1}", 7: "{0} == {0} && {1} == {1}",
                    13: "{0} != {1}", 14: "{0} != {0} || {1} != {1}"}
_SAME_NAME = ("sqrt", "floor", "ceil", "trunc", "fma", "exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "asin", "acos",
              "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf")
MATH = {"absf": "fabs", "roundeven": "rint", "powf": "pow", **{name: name for name in _SAME_NAME}}
"""math's ops and C's functions; `rint` rounds to even, as the rounding mode stands."""
C_TYPES = {"i1": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "index": "int64_t", "f16": "uint16_t",
           "bf16": "uint16_t", **{d.mlir: "uint8_t" for d in T.EIGHT_BIT_FLOATS}, "f32": "float", "f64": "double"}
STORED = {d.mlir: d for d in (T.float16, T.bfloat16, *T.EIGHT_BIT_FLOATS)}
"""Floats that are held as their bits."""
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


class CSource:
    """Prints one func.func of the form loops."""

    def __init__(self, function: ir.OpView, parameters: Sequence[Parameter]) -> None:
        self.function, self.parameters = function.operation, parameters
        self.names: dict[ir.Value, str] = {}
        self.lines: list[str] = []
        self.helpers: dict[str, str] = {}
        """Functions that the kernel calls, by name, in the order of their definitions."""
        self._count = 0
        self._depth = 1

    def text(self) -> str:
        block = self.function.regions[0].blocks[0]
        name = ir.StringAttr(self.function.attributes["sym_name"]).value
        declared = []
        for parameter, value in zip(self.parameters, block.arguments):
            if parameter.kind == "buffer":
                self.names[value] = f"b{parameter.slot}"
                declared.append(f"{self.type(_element(value.type))} *restrict b{parameter.slot}")
                if parameter.is_written:  # what is only read may be memory of others
                    self.line(f"b{parameter.slot} = AT_ALIGNED(b{parameter.slot});")
            else:
                self.names[value] = parameter.kind if parameter.kind != "variable" else self.fresh("n")
                declared.append(f"int32_t {self.names[value]}")
        self.block(block)
        body = "\n".join(self.lines)
        return f"{PRELUDE}{''.join(self.helpers.values())}\nvoid {name}({', '.join(declared) or 'void'}) {{\n{body}\n}}\n"

    # Statements

    def line(self, text: str) -> None:
        self.lines.append("  " * self._depth + text)

    def fresh(self, letter: str) -> str:
        self._count += 1
        return f"{letter}{self._count - 1}"

    def type(self, t: ir.Type) -> str:
        found = C_TYPES.get(str(t))
        if found is None:
            raise InternalError(f"the C back end has no type {t}")
        return found

    def block(self, block: ir.Block) -> list[str]:
        """Prints a block's ops; gives what it yields."""
        for op in block.operations:
            operation = op.operation
            dialect, _, kind = operation.name.partition(".")
            operands = [self.names.get(o, "") for o in operation.operands]
            if kind in ("yield", "return"):
                return operands
            if dialect in ("scf", "memref"):
                statement = _STATEMENTS.get(operation.name)
                if statement is None:
                    raise _unknown(operation)
                statement(self, operation, operands)
            elif operation.name == "arith.constant":
                self.names[operation.results[0]] = self.constant(operation.attributes["value"], operation.results[0].type)
            else:
                self.define(operation.results[0], self.expression(dialect, kind, operation, operands))
        return []

    def define(self, value: ir.Value, expression: str) -> None:
        name = self.names[value] = self.fresh("v")
        self.line(f"const {self.type(value.type)} {name} = {expression};")

    def inner(self, block: ir.Block, results: Sequence[str]) -> None:
        """A block in braces that the caller has opened; what it yields goes into the results, all at once."""
        self._depth += 1
        values = self.block(block)
        moves = [(r, v) for r, v in zip(results, values) if r != v]
        if any(v in results for _, v in moves):
            types = {self.names[x]: self.type(x.type) for x in block.arguments}
            for i, (result, value) in enumerate(moves):
                if value in results:
                    copy = self.fresh("v")
                    self.line(f"const {types[value]} {copy} = {value};")
                    moves[i] = (result, copy)
        for result, value in moves:
            self.line(f"{result} = {value};")
        self._depth -= 1

    def for_(self, op: ir.Operation, operands: list[str]) -> None:
        low, high, step, *initial = operands
        block = op.regions[0].blocks[0]
        index, *arguments = block.arguments
        results = []
        for argument, result, start in zip(arguments, op.results, initial):
            name = self.names[argument] = self.names[result] = self.fresh("acc")
            self.line(f"{self.type(result.type)} {name} = {start};")
            results.append(name)
        i = self.names[index] = self.fresh("i")
        self.line(f"for (int64_t {i} = {low}; {i} < {high}; {i} += {step}) {{")
        self.inner(block, results)
        self.line("}")

    def if_(self, op: ir.Operation, operands: list[str]) -> None:
        results = []
        for result in op.results:
            name = self.names[result] = self.fresh("r")
            self.line(f"{self.type(result.type)} {name};")
            results.append(name)
        self.line(f"if ({operands[0]}) {{")
        self.inner(op.regions[0].blocks[0], results)
        if len(op.regions[1].blocks):
            self.line("} else {")
            self.inner(op.regions[1].blocks[0], results)
        self.line("}")

    def alloca(self, op: ir.Operation, operands: list[str]) -> None:
        t = ir.MemRefType(op.results[0].type)
        name = self.names[op.results[0]] = self.fresh("scratch")
        self.line(f"ALIGNED {self.type(t.element_type)} {name}[{max(1, prod(t.shape))}];")

    def load(self, op: ir.Operation, operands: list[str]) -> None:
        self.define(op.results[0], self.element(op.operands[0], operands))

    def prefetch(self, op: ir.Operation, operands: list[str]) -> None:
        """By an address of its own: a pointer past the end of an array's memory may not even be computed in C."""
        locality, t = ir.IntegerAttr(op.attributes["localityHint"]).value, ir.MemRefType(op.operands[0].type)
        self.line(f"PREFETCH((uintptr_t){operands[0]} + sizeof(*{operands[0]}) * (uint64_t)({self.place(t, operands[1:])}), {locality});")

    def store(self, op: ir.Operation, operands: list[str]) -> None:
        self.line(f"{self.element(op.operands[1], operands[1:])} = {operands[0]};")

    def element(self, buffer: ir.Value, operands: list[str]) -> str:
        return f"{operands[0]}[{self.place(ir.MemRefType(buffer.type), operands[1:])}]"

    def place(self, t: ir.MemRefType, indices: list[str]) -> str:
        """The row-major position of an element."""
        place = "0"
        for size, index in zip(t.shape, indices):
            place = index if place == "0" else f"({place}) * {size} + {index}"
        return place

    # Expressions

    def constant(self, attribute: ir.Attribute, t: ir.Type) -> str:
        kind = str(t)
        if kind in WIDTHS:
            value = ir.IntegerAttr(attribute).value
            return ("true" if value else "false") if kind == "i1" else _integer(value, WIDTHS[kind])
        number = ir.FloatAttr(attribute).value
        if kind in STORED:
            return hex(int.from_bytes(STORED[kind].np.type(number).tobytes(), "little"))
        return _float(number, "f" if kind == "f32" else "")

    def expression(self, dialect: str, kind: str, op: ir.Operation, x: list[str]) -> str:
        t = str(op.results[0].type)
        if dialect == "math" and kind in MATH and t in ("f32", "f64"):
            return f"{MATH[kind]}{'f' * (t == 'f32')}({', '.join(x)})"
        writer = _EXPRESSIONS.get(kind) if dialect == "arith" else None
        if writer is None or t in STORED and kind not in ("select", "bitcast", "truncf"):
            raise _unknown(op)
        return writer(self, op, x, t)

    def wrapping(self, op: ir.Operation, x: list[str], t: str) -> str:
        """Index arithmetic does not overflow, as its flag says."""
        sign = SIGNED[op.name[6:]]
        if t == "index" and "nsw" in str(op.attributes["overflowFlags"] if "overflowFlags" in op.attributes else ""):
            return f"{x[0]} {sign} {x[1]}"
        if t == "i1":
            raise _unknown(op)
        u = _unsigned(t)
        return f"({C_TYPES[t]})(({u}){x[0]} {sign} ({u}){x[1]})"

    def bitwise(self, op: ir.Operation, x: list[str], t: str) -> str:
        return f"({C_TYPES[t]})({x[0]} {BITWISE[op.name[6:]]} {x[1]})"

    def divide(self, op: ir.Operation, x: list[str], t: str) -> str:
        kind = op.name[6:]
        a, b = x if kind.endswith("si") else self.as_unsigned(x, t)
        return f"({C_TYPES[t]})({a} {DIVISIONS[kind]} {b})"

    def shift(self, op: ir.Operation, x: list[str], t: str) -> str:
        if op.name == "arith.shrsi":
            return f"({C_TYPES[t]})({x[0]} >> {x[1]})"
        if op.name == "arith.shrui":
            return f"({C_TYPES[t]})({self.as_unsigned(x, t)[0]} >> {x[1]})"
        return f"({C_TYPES[t]})(({_unsigned(t)}){x[0]} << {x[1]})"

    def as_unsigned(self, x: list[str], t: str) -> list[str]:
        return [f"(u{C_TYPES[t]}){v}" for v in x] if t != "i1" else x

    def extreme(self, op: ir.Operation, x: list[str], t: str) -> str:
        kind = op.name[6:]
        a, b = self.as_unsigned(x, t) if kind.endswith("ui") else x
        nan = f" || {x[0]} != {x[0]}" if t in ("f32", "f64") else ""
        return f"{a} {EXTREMES[kind]} {b}{nan} ? {x[0]} : {x[1]}"

    def floats(self, op: ir.Operation, x: list[str], t: str) -> str:
        return f"{x[0]} {FLOATS[op.name[6:]]} {x[1]}"

    def negate(self, op: ir.Operation, x: list[str], t: str) -> str:
        return f"-{x[0]}"

    def choose(self, op: ir.Operation, x: list[str], t: str) -> str:
        return f"{x[0]} ? {x[1]} : {x[2]}"

    def compare_integers(self, op: ir.Operation, x: list[str], t: str) -> str:
        predicate = ir.IntegerAttr(op.attributes["predicate"]).value
        a, b = self.as_unsigned(x, str(op.operands[0].type)) if predicate >= 6 else x
        return f"{a} {INT_PREDICATES[predicate]} {b}"

    def compare_floats(self, op: ir.Operation, x: list[str], t: str) -> str:
        form = FLOAT_PREDICATES.get(ir.IntegerAttr(op.attributes["predicate"]).value)
        if form is None or str(op.operands[0].type) not in ("f32", "f64"):
            raise _unknown(op)
        return form.format(*x)

    def convert(self, op: ir.Operation, x: list[str], t: str) -> str:
        """C's own conversion to the type, from the signed type or, for unsigned ops, from its unsigned one."""
        source = str(op.operands[0].type)
        if source in ("f16", "bf16") or t == "i1":
            return self.narrow(op, x, t, source)
        if op.name in ("arith.extui", "arith.uitofp", "arith.index_castui"):
            x = self.as_unsigned(x, source)
        elif source == "i1" and op.name != "arith.trunci":
            return f"({C_TYPES[t]})-(int){x[0]}"
        return f"({C_TYPES[t]}){x[0]}"

    def narrow(self, op: ir.Operation, x: list[str], t: str, source: str) -> str:
        if op.name == "arith.trunci":
            return f"({x[0]} & 1) != 0"
        if op.name == "arith.extf" and source == "f16" and t == "f32":
            self._float_bits()
            self.helpers["float_of_half"] = HALF_TO_FLOAT
            return f"float_of_half({x[0]})"
        raise _unknown(op)

    def truncate_float(self, op: ir.Operation, x: list[str], t: str) -> str:
        if t == "f32":
            return f"(float){x[0]}"
        if t != "f16" or str(op.operands[0].type) != "f32":
            raise _unknown(op)
        self._float_bits()
        self.helpers["half_of_float"] = FLOAT_TO_HALF
        return f"half_of_float({x[0]})"

    def bitcast(self, op: ir.Operation, x: list[str], t: str) -> str:
        source, to = C_TYPES[str(op.operands[0].type)], C_TYPES[t]
        if source not in ("float", "double") and to not in ("float", "double"):
            return f"({to}){x[0]}"
        self.reinterpret(source, to)
        return f"bits_{source}_{to}({x[0]})"

    def _float_bits(self) -> None:
        self.reinterpret("float", "int32_t")
        self.reinterpret("int32_t", "float")

    def reinterpret(self, source: str, to: str) -> None:
        self.helpers.setdefault(f"bits_{source}_{to}", BITS.format(source=source, to=to))


def _element(t: ir.Type) -> ir.Type:
    return ir.MemRefType(t).element_type


def _unsigned(t: str) -> str:
    """A type in which C computes without promoting to int."""
    return "uint64_t" if WIDTHS[t] == 64 else "uint32_t"


def _integer(value: int, bits: int) -> str:
    if value == -(1 << bits - 1) and bits >= 32:
        return f"INT{bits}_MIN"
    text = f"INT64_C({value})" if abs(value) >= 1 << 15 and bits == 64 else str(value)
    return f"({text})" if value < 0 else text


def _float(value: float, suffix: str) -> str:
    if isnan(value):
        return "NAN"
    if isinf(value):
        return "INFINITY" if value > 0 else "(-INFINITY)"
    mantissa, _, exponent = value.hex().partition("p")
    text = f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}p{exponent}{suffix}"
    return f"({text})" if text.startswith("-") else text


def _unknown(op: ir.Operation) -> InternalError:
    return InternalError(f"the C back end has no form for {str(op)[:200]}")


_Expression = Callable[[CSource, ir.Operation, list[str], str], str]
_EXPRESSIONS: dict[str, _Expression] = {
    **dict.fromkeys(SIGNED, CSource.wrapping), **dict.fromkeys(BITWISE, CSource.bitwise), **dict.fromkeys(DIVISIONS, CSource.divide),
    **dict.fromkeys(FLOATS, CSource.floats), **dict.fromkeys(EXTREMES, CSource.extreme),
    **dict.fromkeys(("shli", "shrsi", "shrui"), CSource.shift), "negf": CSource.negate, "select": CSource.choose,
    "cmpi": CSource.compare_integers, "cmpf": CSource.compare_floats, "truncf": CSource.truncate_float, "bitcast": CSource.bitcast,
    **dict.fromkeys(("extui", "extsi", "trunci", "index_cast", "index_castui", "sitofp", "uitofp", "fptosi", "extf"), CSource.convert),
}
_STATEMENTS: dict[str, Callable[[CSource, ir.Operation, list[str]], None]] = {
    "scf.for": CSource.for_, "scf.if": CSource.if_, "memref.alloca": CSource.alloca, "memref.load": CSource.load,
    "memref.store": CSource.store, "memref.prefetch": CSource.prefetch,
}

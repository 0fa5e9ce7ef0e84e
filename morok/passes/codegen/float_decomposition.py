"""morok-float-decomposition: float ops that the target lacks become ops that it has.

    morok.exp(%x : f32)               =>    morok.mulacc, .. (the builders of float_functions.py)
    morok.add(%x, %y : bf16)          =>    morok.cast(morok.add(morok.cast(%x : f32), morok.cast(%y : f32)) : bf16)
    morok.reduce(%x : f16) "add"      =>    morok.cast(morok.reduce(morok.cast(%x : f32)) : f16)
    1 + morok.tanh(%x : f32)          =>    2 / (1 + morok.exp(-2 * %x)), and that decomposed: nothing cancels, and exp costs less

16-bit floats compute in float32 and round at each op's result; only a product that goes straight into a sum over iterations is not rounded
first.
"""
from __future__ import annotations

from typing import Any

from ...dialect import types as T
from ...dialect.ops import COMPARISONS
from ...graph.body import Body
from ...graph.uop import UOp, const
from ..registry import KernelPass, morok_pass
from .float_functions import FUNCTIONS
from .fma_decomposition import count_uses

HALVES = (T.float16, T.bfloat16)


@morok_pass("morok-float-decomposition", form="kernel")
class FloatDecomposition(KernelPass):
    """Transcendentals and 16-bit floats."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(u.name in FUNCTIONS or u.type in HALVES or u.operands and u.operands[0].type in HALVES for u in order):
            return body
        uses = count_uses(order)
        done: dict[UOp, UOp] = {}
        wide: dict[UOp, UOp] = {}
        for u in order:
            if u.name in COMPARISONS and u.operands[0].dtype in HALVES:
                done[u] = UOp.make(u.name, tuple([_widened(done[o], wide) for o in u.operands]), (), None, u.loc)
            elif u.dtype in HALVES and (u.name in _ARITHMETIC or u.name == "reduce"):
                done[u] = _computed_wide(u, done, wide, uses)
            else:
                made = _logistic(u, done, uses) or (u.with_operands(tuple([done[o] for o in u.operands])) if u.operands else u)
                done[u] = decomposed(made)
        return body.with_roots(tuple([done[r] for r in body.roots]))


def decomposed(u: UOp) -> UOp:
    """A transcendental of float32 or float64 in terms of simpler ops; another op as it is."""
    builder = FUNCTIONS.get(u.name)
    return builder(BUILD, *u.operands) if builder is not None else u


def _logistic(u: UOp, done: dict[UOp, UOp], uses: Any) -> UOp | None:
    """1 + tanh x = 2 / (1 + e**(-2 x)) and 1 - tanh x = 2 / (1 + e**(2 x)), where nothing else uses the tanh."""
    for tangent, other in (u.operands, u.operands[::-1]) if u.name == "add" else [u.operands[::-1]] if u.name == "sub" else []:
        if tangent.name == "tanh" and uses[tangent] == 1 and other.is_const(1.0):
            x = done[tangent.operands[0]]
            scaled = x.alu("mul", const(-2.0 if u.name == "add" else 2.0, x.type))
            return const(2.0, x.type).alu("div", decomposed(scaled.alu("exp")).alu("add", const(1.0, x.type)))
    return None


def _widened(x: UOp, wide: dict[UOp, UOp]) -> UOp:
    """x in float32."""
    found = wide.get(x)
    if found is None:
        found = const(float(x.dtype.np.type(x.value)), T.like(x.type, T.float32)) if x.name == "const" else x.cast(T.float32)
        wide[x] = found
    return found


def _computed_wide(u: UOp, done: dict[UOp, UOp], wide: dict[UOp, UOp], uses: Any) -> UOp:
    if u.name == "reduce":
        value = u.operands[0]
        if value.name == "mul" and uses[value] == 1 and u.attribute("op") == "add":
            operand = UOp.make("mul", tuple([_widened(done[o], wide) for o in value.operands]), (), None, value.loc)
        else:
            operand = _widened(done[value], wide)
        return UOp.make("reduce", (operand, *(done[r] for r in u.operands[1:])), u.attributes, None, u.loc).cast(u.dtype)
    result = decomposed(UOp.make(u.name, tuple([_widened(done[o], wide) for o in u.operands]), u.attributes, None, u.loc))
    return result.cast(u.dtype)


_ARITHMETIC = frozenset(
    ("neg", "abs", "add", "sub", "mul", "div", "pow", "max", "min", "mulacc", "sqrt", "floor", "ceil", "trunc", "round", *FUNCTIONS)
)


class UOpBuilder:
    """The `ops` of float_blocks.py as UOps."""

    @staticmethod
    def const(value: Any, like: UOp) -> UOp:
        return const(value, like.type)

    @staticmethod
    def where(condition: UOp, x: UOp, y: UOp) -> UOp:
        return UOp.make("where", (condition, x, y))

    @staticmethod
    def cast(x: UOp, dtype: str) -> UOp:
        return x.cast(T.dtype_named(dtype))

    @staticmethod
    def bitcast(x: UOp, dtype: str) -> UOp:
        return x.bitcast(T.dtype_named(dtype))


def _builder(name: str) -> Any:
    return staticmethod(lambda *operands: UOp.make(name, operands))


for _method, _op in {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "div": "div",
    "fma": "mulacc",
    "neg": "neg",
    "abs": "abs",
    "sqrt": "sqrt",
    "min": "min",
    "max": "max",
    "floor": "floor",
    "trunc": "trunc",
    "round_even": "round",
    "and_": "and",
    "or_": "or",
    "xor": "xor",
    "shl": "shl",
    "shr": "shr",
    "not_": "not",
    "lt": "cmplt",
    "le": "cmple",
    "eq": "cmpeq",
    "ne": "cmpne",
}.items():
    setattr(UOpBuilder, _method, _builder(_op))

BUILD = UOpBuilder()

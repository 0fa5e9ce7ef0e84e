"""What a vector expression is, seen from its lanes: an arithmetic sequence, or a scalar for each lane.

    %i * 16 + unroll            base %i * 16, step 1        consecutive
    vectorize(%i) * 3           base %i * 3, step 0         the same in all lanes
    unroll * 4 + vectorize(%j)  base %j, step 4             strided
"""
from __future__ import annotations

from collections.abc import Sequence as Values
from math import gcd
from typing import NamedTuple

from ...dialect import types as T
from ...dialect.ops import ALU
from ...graph.uop import UOp, const
from ..symbolic.linear import linear


class Sequence(NamedTuple):
    """Lane k has the value base + k * step; `base` is a scalar. For other dtypes than index, step is 0."""

    base: UOp
    step: int


class LaneForms:
    """Analyses of the vector expressions of one kernel, each made once."""

    def __init__(self) -> None:
        self._sequences: dict[UOp, Sequence | None] = {}
        self._lanes: dict[tuple[UOp, int], UOp] = {}

    def sequence(self, u: UOp) -> Sequence | None:
        """The arithmetic sequence that a vector's lanes are, or None."""
        if u in self._sequences:
            return self._sequences[u]
        stack = [u]
        while stack:
            node = stack[-1]
            pending = [o for o in node.operands if o not in self._sequences] if node.name in ALU else ()
            if pending:
                stack.extend(pending)
            else:
                stack.pop()
                self._sequences[node] = self._sequence(node)
        return self._sequences[u]

    def uniform(self, u: UOp) -> UOp | None:
        """The scalar that all lanes of a vector are; None where they may differ. A scalar is itself."""
        found = self.sequence(u)
        return found.base if found is not None and found.step == 0 else None

    def _sequence(self, u: UOp) -> Sequence | None:
        if not isinstance(u.type, T.VectorType):
            return Sequence(u, 0)
        if u.name == "unroll":
            return Sequence(const(0, u.dtype), 1)
        if u.name == "const":
            return Sequence(const(u.value, u.dtype), 0)
        if u.name == "vectorize" and all(o is u.operands[0] for o in u.operands):
            return Sequence(u.operands[0], 0)
        if u.name not in ALU:
            return None
        parts = [self._sequences[o] for o in u.operands]
        if any(p is None for p in parts):
            return None
        steps = [p.step for p in parts]  # type: ignore[union-attr]
        bases = [p.base for p in parts]  # type: ignore[union-attr]
        if not any(steps):
            return Sequence(scalar_op(u, bases), 0)
        if u.dtype is not T.index:
            return None
        if u.name in ("add", "sub"):
            x, y = bases
            return Sequence(plus(x, y), sum(steps)) if u.name == "add" else Sequence(x - y, steps[0] - steps[1])
        if u.name == "neg":
            return Sequence(-bases[0], -steps[0])
        if u.name == "mul":
            fixed = 1 if steps[1] == 0 else 0
            if steps[fixed] == 0 and bases[fixed].name == "const":
                return Sequence(bases[0] * bases[1], steps[1 - fixed] * bases[fixed].value)
        if u.name in ("floordiv", "mod") and steps[1] == 0 and bases[1].name == "const" and bases[1].value > 0:
            return _divided(u, bases[0], steps[0], bases[1].value)
        if u.name == "where" and steps[0] == 0 and steps[1] == steps[2]:
            return Sequence(bases[0].where(bases[1], bases[2]), steps[1])
        return None

    def lane(self, u: UOp, k: int) -> UOp:
        """Lane k of a vector as a scalar expression."""
        if not isinstance(u.type, T.VectorType):
            return u
        found = self._lanes.get((u, k))
        if found is not None:
            return found
        stack = [u]
        while stack:
            node = stack[-1]
            pending = [o for o in node.operands if isinstance(o.type, T.VectorType) and (o, k) not in self._lanes]
            if pending and node.name in ALU:
                stack.extend(pending)
            else:
                stack.pop()
                self._lanes[node, k] = self._lane(node, k)
        return self._lanes[u, k]

    def _lane(self, u: UOp, k: int) -> UOp:
        if u.name == "unroll":
            return const(k, u.dtype)
        if u.name == "const":
            return const(u.value, u.dtype)
        if u.name == "vectorize":
            return u.operands[0] if len(u.operands) == 1 else u.operands[k]
        if u.name in ALU and (u.dtype is T.index or u.dtype is T.bool_):
            return scalar_op(u, [self._lanes.get((o, k), o) for o in u.operands])
        return UOp.make("gep", (u,), (k,))


def plus(x: UOp, y: UOp) -> UOp:
    """The sum of two scalar indices with its constant last, so that copies of an access share all of it but the constant."""
    if x.name == "add" and x.operands[1].name == "const" and y.name != "const":
        return plus(x.operands[0], y) + x.operands[1]
    if y.name == "add" and y.operands[1].name == "const" and x.name != "const":
        return plus(x, y.operands[0]) + y.operands[1]
    return x + y


def scalar_op(u: UOp, operands: Values[UOp]) -> UOp:
    """The op on scalars; index arithmetic with constants is folded."""
    if u.dtype is T.index and len(operands) == 2:
        x, y = operands
        if u.name == "add":
            return plus(x, y)
        if u.name == "mul":
            return x * y
        if u.name == "sub":
            return x - y
        if u.name == "floordiv":
            return x // y
        if u.name == "mod":
            return x % y
    if u.name in ("cast", "bitcast"):
        return UOp.make(u.name, tuple(operands), (), u.dtype)
    return UOp.make(u.name, tuple(operands), u.attributes)


def _divided(u: UOp, base: UOp, step: int, divisor: int) -> Sequence | None:
    """Quotient or remainder where no lane crosses a multiple of the divisor, which the factors of the base can tell."""
    form = linear(base)
    step_count = u.type.lanes - 1  # type: ignore[union-attr]
    if step < 0:
        return None
    period = gcd(divisor, *(c for _, c in form.terms))
    if form.constant % period + step * step_count >= period:
        return None
    return Sequence(base // divisor, 0) if u.name == "floordiv" else Sequence(base % divisor, step)

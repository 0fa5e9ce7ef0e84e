"""The symbolic engine: bounds, rules on index and integer arithmetic, and `simplify`, which applies them all to a fixpoint.

    simplify((range(4) * 6 + range(6)) mod 6)  =>  range(6)

One file for each family of rules. A rule is a function of one op: what it gives for an op is a fact about it, so normal forms are
remembered.
"""
from __future__ import annotations

from ...graph.uop import UOp
from ..pattern import PatternSet, Rewriter
from .algebra import ALGEBRA
from .bounds import bounds
from .comparisons import COMPARISONS
from .constants import CONSTANTS
from .divmod import DIVMOD
from .flat import flat_index, row_major
from .gates import GATES

SYMBOLIC: list[PatternSet] = [CONSTANTS, ALGEBRA, DIVMOD, COMPARISONS, GATES]

__all__ = ["SYMBOLIC", "bounds", "flat_index", "row_major", "simplify"]


def simplify(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The roots in normal form: no rule applies to anything that they reach."""
    return Rewriter(SYMBOLIC).rewrite(roots)

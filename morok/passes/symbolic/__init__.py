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
_REWRITER = Rewriter(SYMBOLIC, fact="normal")

__all__ = ["SYMBOLIC", "bounds", "flat_index", "row_major", "simplify", "symbolic_rewriter"]


def symbolic_rewriter(*more: PatternSet) -> Rewriter:
    """One fixpoint of these rules and those of some other sets; what is in normal form already costs nothing again."""
    return _REWRITER.anew(*more)


def simplify(roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
    """The roots in normal form: no rule applies to anything that they reach."""
    return _REWRITER.anew().rewrite(roots)

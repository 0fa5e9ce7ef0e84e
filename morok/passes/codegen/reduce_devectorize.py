"""morok-reduce-devectorize: lanes are combined as late and as seldom as possible.

    morok.reduce(morok.contract(%v), %k)      =>    morok.contract(morok.reduce(%v, %k))       once after the loop
    morok.add(contract(%v), contract(%w))     =>    contract(morok.add(%v, %w))                once for both
    morok.contract(morok.cat(%v, %w))         =>    contract(op(%v, %w))                       a vector of K native ones

The order of combination stays fixed: iterations first, then vectors in pairs, then lanes in a tree of halves (which morok-linearize
writes).
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp
from ..pattern import PatternSet, rewrite
from ..registry import KernelPass, morok_pass
from .fma_decomposition import count_uses
from .reduction_order import tree


@morok_pass("morok-reduce-devectorize", form="vector")
class ReduceDevectorize(KernelPass):
    """Contractions move out of loops and merge."""

    def rewrite(self, body: Body) -> Body:
        order = body.order()
        if not any(u.name == "contract" for u in order):
            return body
        uses = count_uses(order)
        once = {u for u in order if u.name == "contract" and uses[u] == 1}
        return body.with_roots(rewrite(body.roots, [_rules(once)]))


def _rules(once: set[UOp]) -> PatternSet:
    rules = PatternSet("reduce-devectorize")

    @rules.rule("reduce")
    def contract_after_loop(u: UOp) -> UOp | None:
        """Accumulates vectors."""
        value = u.operands[0]
        if value.name != "contract" or value.attribute("op") != u.attribute("op") or value not in once:
            return None
        return UOp.make("contract", (UOp.make("reduce", (value.operands[0], *u.operands[1:]), u.attributes),), u.attributes)

    @rules.rule("add", "mul", "max", "min", "and", "or")
    def contract_together(u: UOp) -> UOp | None:
        """Two contractions with the op that combines them are one."""
        x, y = u.operands
        if x is y or x.name != "contract" or y.name != "contract" or x.operands[0].type is not y.operands[0].type:
            return None
        if x.attribute("op") != u.name or y.attribute("op") != u.name or x not in once or y not in once:
            return None
        return UOp.make("contract", (UOp.make(u.name, (x.operands[0], y.operands[0])),), x.attributes)

    @rules.rule("contract")
    def contract_parts(u: UOp) -> UOp | None:
        """Parts of one width are combined as vectors first."""
        source = u.operands[0]
        if source.name != "cat" or len(source.operands) < 2 or not isinstance(source.operands[0].type, T.VectorType):
            return None
        return UOp.make("contract", (tree(u.attribute("op"), source.operands),), u.attributes)

    return rules

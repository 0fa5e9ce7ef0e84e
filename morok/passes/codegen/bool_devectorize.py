"""morok-bool-devectorize: bool vectors that a loop accumulates become integer vectors, on targets without mask registers.

    %a = morok.reduce(%b : vector<8xi1>, %k) {op = "or"}    =>    %w = morok.where(%b, -1, 0) : vector<8xi32>
                                                                  %r = morok.reduce(%w, %k) {op = "or"}
                                                                  %a = morok.cmpne(%r, 0)

A comparison gives all ones or zeros in lanes as wide as its operands; kept so, nothing is packed in the loop. With 512-bit vectors bools
have registers of their own, and stay.
"""
from __future__ import annotations

from ...dialect import types as T
from ...graph.body import Body
from ...graph.uop import UOp, const
from ..pattern import PatternSet, rewrite
from ..registry import KernelPass, at_least, morok_pass

LOGIC = {"add": "or", "max": "or", "or": "or", "mul": "and", "min": "and", "and": "and"}


@morok_pass("morok-bool-devectorize", form="vector")
class BoolDevectorize(KernelPass):
    """Accumulated bool vectors become integer vectors."""

    vector_bits: int = at_least(8, 256)

    def rewrite(self, body: Body) -> Body:
        if self.vector_bits >= 512 or not any(_is_bool_vector(u) and u.name == "reduce" for u in body.order()):
            return body
        return body.with_roots(rewrite(body.roots, [_rules(self.vector_bits)]))


def _is_bool_vector(u: UOp) -> bool:
    return isinstance(u.type, T.VectorType) and u.type.dtype is T.bool_


def _rules(vector_bits: int) -> PatternSet:
    rules = PatternSet("bool-devectorize")

    @rules.rule("reduce")
    def accumulate_in_integers(u: UOp) -> UOp | None:
        """A loop's bool vector is an integer vector of one register."""
        if not _is_bool_vector(u):
            return None
        assert isinstance(u.type, T.VectorType)
        bits = min(64, max(8, vector_bits // u.type.lanes))
        t = T.vector(u.type.lanes, T.DTYPES[f"int{bits}"])
        wide = UOp.make("where", (u.operands[0], const(-1, t), const(0, t)))
        total = UOp.make("reduce", (wide, *u.operands[1:]), (LOGIC[u.attribute("op")],), None, u.loc)
        return UOp.make("cmpne", (total, const(0, t)))

    return rules

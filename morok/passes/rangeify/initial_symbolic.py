"""morok-initial-symbolic: algebraic simplification and constant folding, to a fixpoint.

    %q = %i floordiv 6                                 morok.index %b[%i]
    %m = %i mod 6                            =>        morok.mul %x, 6.0
    morok.index %b[%q * 6 + %m]
    morok.mul %x, (2.0 + 4.0)

The rules are those of `morok/passes/symbolic/`. Floats are folded only where every value, NaN, infinities and signed zeros too, stays the
same.
"""
from __future__ import annotations

from ...graph.body import Body
from ..registry import KernelPass, morok_pass
from ..symbolic import simplify


@morok_pass("morok-initial-symbolic", form="range")
class InitialSymbolic(KernelPass):
    """Simplifies arithmetic and folds constants."""

    def rewrite(self, body: Body) -> Body:
        roots = simplify(body.roots)
        return body if roots == body.roots else body.with_roots(roots)

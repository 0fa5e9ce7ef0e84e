"""What the index arithmetic of a body costs: the divisions and remainders that are left once indices are flat and simplified.

    costs = IndexCosts(body.roots)
    costs.accept({a: m // 6, b: m % 6}, limit=0)      # replaces ranges, unless that takes more divisions than before

An expression is what one op takes from index arithmetic: the flat place of an `index` or `bufferize` op, a comparison, or the operand of
a cast. Values that come from memory are opaque in it: their own indices are other expressions.
"""
from __future__ import annotations

from collections.abc import Iterable
from itertools import count

from ...dialect import types as T
from ...dialect.ops import COMPARISONS
from ...graph.uop import UOp, argument, substitute, toposort
from .flat import row_major
from .gates import ARITHMETIC


class IndexCosts:
    """The expressions of some roots under the replacements accepted so far."""

    def __init__(self, roots: tuple[UOp, ...]):
        from . import symbolic_rewriter
        self._rewriter = symbolic_rewriter()
        self._leaves: dict[UOp, UOp] = {}
        self._opaque: dict[UOp, UOp] = {}
        self._fresh = count(1)
        expressions = [self._frozen(e) for e in _expressions(toposort(roots))]
        self.expressions: list[UOp] = list(dict.fromkeys(self._rewriter.rewrite(tuple(expressions))))
        self._uses: dict[UOp, list[int]] = {}
        for position in range(len(self.expressions)):
            self._note_uses(position)

    def users_of(self, *ranges: UOp) -> list[UOp]:
        """The simplified expressions that use any of the ranges."""
        return [self.expressions[i] for i in self._positions(ranges)]

    def accept(self, values: dict[UOp, UOp], limit: int) -> bool:
        """Replaces ranges by expressions if the number of divisions then changes by at most `limit`."""
        positions = self._positions(values)
        before = [self.expressions[i] for i in positions]
        after = self._rewriter.rewrite(substitute(tuple(before), values))
        if divisions(after) - divisions(before) > limit:
            return False
        for position, expression in zip(positions, after):
            self.expressions[position] = expression
            self._note_uses(position)
        return True

    def _positions(self, ranges: Iterable[UOp]) -> list[int]:
        return sorted({i for r in ranges for i in self._uses.get(r, ())})

    def _note_uses(self, position: int) -> None:
        for u in toposort((self.expressions[position],)):
            if u.name == "range":
                uses = self._uses.setdefault(u, [])
                if not uses or position not in uses:
                    uses.append(position)

    def _frozen(self, expression: UOp) -> UOp:
        """The expression with everything that is not integer arithmetic replaced by an opaque argument."""
        known = self._opaque
        stack = [expression]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            if node.name not in ARITHMETIC or (node.dtype is not None and node.dtype.is_float):
                known[node] = argument(-next(self._fresh), node.type)
                continue
            needed = [o for o in node.operands if o not in known]
            if needed:
                stack.extend(needed)
                continue
            known[node] = node.with_operands(tuple([known[o] for o in node.operands])) if node.operands else node
        return known[expression]


def divisions(expressions: Iterable[UOp]) -> int:
    """How many different divisions and remainders the expressions hold."""
    return sum(u.name in ("floordiv", "mod") for u in toposort(expressions))


def _expressions(order: list[UOp]) -> list[UOp]:
    found: list[UOp] = []
    for u in order:
        if u.name == "index":
            found.append(row_major(u.operands[1:], u.operands[0].type.shape))  # type: ignore[union-attr]
        elif u.name == "bufferize":
            found.append(row_major(u.operands[1:], u.type.shape))  # type: ignore[union-attr]
        elif u.name in COMPARISONS:
            if u.operands[0].type is T.index:
                found.append(u)
        elif u.type is not T.index and u.name not in ("reduce", "end", "range"):
            found += [o for o in u.operands if o.type is T.index]
    return [e for e in found if e.name != "const"]

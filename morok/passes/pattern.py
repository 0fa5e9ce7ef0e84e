"""The pattern engine: rules declared with the op they root at, grouped in named sets, run to a fixpoint in one sweep with hash consing.

    SYMBOLIC = PatternSet("symbolic")

    @SYMBOLIC.rule("add")
    def add_zero(u: UOp) -> UOp | None:
        '''x + 0 = x'''
        return u.operands[0] if u.operands[1].is_const(0) else None

    roots = rewrite(roots, [SYMBOLIC, OTHER])

Operands are rewritten before users. What a rule builds is rewritten in turn, operands first, until no rule fires; each op is looked at once
however often it is used, so common subexpressions and dead code cost nothing. A rule that looks at users gets them from an analysis made
before the sweep (it closes over it); such sets are rebuilt by the pass each round.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import InternalError
from ..graph.uop import UOp
from .facts import remember

Rule = Callable[[UOp], "UOp | None"]
ANY = "*"
MAX_REWRITES = 1000
"""Rewrites of one op before the engine calls it a loop."""


@dataclass
class Statistics:
    tried: int = 0
    fired: int = 0


class PatternSet:
    """Named rules by the op at their root."""

    def __init__(self, name: str):
        self.name = name
        self.rules: dict[str, list[Rule]] = defaultdict(list)
        self.statistics: dict[str, Statistics] = defaultdict(Statistics)

    def rule(self, *roots: str) -> Callable[[Rule], Rule]:
        """Declares a rule rooted at these ops (`*` for all)."""
        def register(function: Rule) -> Rule:
            for root in roots:
                self.rules[root].append(function)
            return function
        return register

    def all_rules(self) -> list[Rule]:
        return list(dict.fromkeys(r for rules in self.rules.values() for r in rules))


class Rewriter:
    """One fixpoint of several sets. `rewrite` may be called again on other roots; what was rewritten before is remembered.

    Where all rules look at nothing but the op, its being in normal form is a fact about it: with `fact`, it is kept under that name, and a
    later rewriter with the same sets and name passes over what is in normal form already.
    """

    def __init__(self, sets: Sequence[PatternSet], fact: str | None = None):
        self._by_root: dict[str, list[tuple[Rule, Statistics]]] = {}
        self._sets = sets
        self._fact = fact
        self._done: dict[UOp, UOp] = {}

    def anew(self) -> Rewriter:
        """A rewriter with the same rules (and tables of them) that remembers no op."""
        other = Rewriter(self._sets, self._fact)
        other._by_root = self._by_root
        return other

    def _settle(self, u: UOp) -> None:
        """No rule applies to u, whose operands are in normal form."""
        self._done[u] = u
        if self._fact is not None:
            if u.facts is None:
                remember(u, self._fact, True)
            else:
                u.facts[self._fact] = True

    def _rules(self, name: str) -> list[tuple[Rule, Statistics]]:
        found = self._by_root.get(name)
        if found is None:
            found = [(r, s.statistics[r.__name__]) for s in self._sets for r in (*s.rules.get(name, ()), *s.rules.get(ANY, ()))]
            self._by_root[name] = found
        return found

    def _apply_once(self, u: UOp) -> tuple[UOp | None, str]:
        for rule, statistics in self._rules(u.name):
            statistics.tried += 1
            found = rule(u)
            if found is not None and found is not u:
                statistics.fired += 1
                return found, rule.__name__
        return None, ""

    def rewrite(self, roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
        done, fact = self._done, self._fact
        for root in roots:
            # Each frame: (the op asked for, the op it has become so far, names of the rules that fired on it).
            stack: list[tuple[UOp, UOp, tuple[str, ...]]] = [] if root in done else [(root, root, ())]
            while stack:
                asked, current, fired = stack[-1]
                if asked in done:
                    stack.pop()
                    continue
                if fact is not None and current.facts is not None and fact in current.facts:
                    done[asked] = done[current] = current
                    stack.pop()
                    continue
                pending = [o for o in current.operands if o not in done]
                if pending:
                    stack.extend((o, o, ()) for o in reversed(pending))
                    continue
                rebuilt = current.with_operands(tuple([done[o] for o in current.operands])) if current.operands else current
                if rebuilt is not current and rebuilt in done:
                    done[asked] = done[rebuilt]
                    stack.pop()
                    continue
                found, name = self._apply_once(rebuilt)
                if found is None:
                    self._settle(rebuilt)
                    done[asked] = rebuilt
                    stack.pop()
                    continue
                if len(fired) > MAX_REWRITES:
                    culprits = list(dict.fromkeys(reversed(fired)))[:2]
                    raise InternalError(f"pattern{'s' * (len(culprits) - 1)} {' and '.join(culprits)} rewrite one {asked.name} for ever"
                                        + (f" (from {asked.loc[0]}:{asked.loc[1]})" if asked.loc else ""))
                if found in done:
                    done[asked] = done[rebuilt] = done[found]
                    stack.pop()
                else:
                    stack[-1] = (asked, found, (*fired, name))
        return tuple(done[r] for r in roots)


def rewrite(roots: tuple[UOp, ...], sets: Sequence[PatternSet]) -> tuple[UOp, ...]:
    """The roots after one fixpoint of the sets."""
    return Rewriter(sets).rewrite(roots)

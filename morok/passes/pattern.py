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
RuleTable = dict[str, "list[tuple[Rule, Statistics]]"]
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

    Where rules look at nothing but the op, that none of them applies to it is a fact about it. With `fact`, this is kept with the op under
    that name for the rules of `sets`, and a later rewriter of the same name passes over it; the rules of `more` are tried all the same.
    """

    def __init__(self, sets: Sequence[PatternSet], fact: str | None = None, more: Sequence[PatternSet] = ()):
        self._sets, self._fact, self._more = sets, fact, more
        self._tables: tuple[RuleTable, RuleTable] = {}, {}
        self._done: dict[UOp, UOp] = {}

    def anew(self, *more: PatternSet) -> Rewriter:
        """A rewriter with the same rules, and those of some other sets, that remembers no op."""
        other = Rewriter(self._sets, self._fact, (*self._more, *more))
        other._tables = self._tables[0], {} if more else self._tables[1]
        return other

    def _apply_once(self, u: UOp) -> tuple[UOp | None, str]:
        if self._fact is None or u.facts is None or self._fact not in u.facts:
            found = _first(u, self._tables[0], self._sets)
            if found[0] is not None:
                return found
            if self._fact is not None:
                remember(u, self._fact, True)
        return _first(u, self._tables[1], self._more) if self._more else (None, "")

    def rewrite(self, roots: tuple[UOp, ...]) -> tuple[UOp, ...]:
        done, fact = self._done, None if self._more else self._fact
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
                    done[asked] = done[rebuilt] = rebuilt
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


def _first(u: UOp, table: RuleTable, sets: Sequence[PatternSet]) -> tuple[UOp | None, str]:
    """What the first rule that applies gives, and its name. The table, by op, is filled as ops come."""
    rules = table.get(u.name)
    if rules is None:
        rules = table[u.name] = [(r, s.statistics[r.__name__]) for s in sets for r in (*s.rules.get(u.name, ()), *s.rules.get(ANY, ()))]
    for rule, statistics in rules:
        statistics.tried += 1
        found = rule(u)
        if found is not None and found is not u:
            statistics.fired += 1
            return found, rule.__name__
    return None, ""


def rewrite(roots: tuple[UOp, ...], sets: Sequence[PatternSet]) -> tuple[UOp, ...]:
    """The roots after one fixpoint of the sets."""
    return Rewriter(sets).rewrite(roots)

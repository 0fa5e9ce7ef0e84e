"""The pattern engine: fixpoints, statistics, and loops that name their patterns."""

import pytest

from morok.dialect import types as T
from morok.errors import InternalError
from morok.graph.uop import UOp, argument, const
from morok.passes.pattern import PatternSet, Rewriter, rewrite

X = argument(0, T.int32)


def counting_down():
    rules = PatternSet("down")

    @rules.rule("const")
    def decrement(u):
        return const(u.value - 1, u.type) if u.value > 0 else None

    return rules


def test_rules_run_to_a_fixpoint_on_what_they_build():
    rules = counting_down()
    assert rewrite((X + 5,), [rules]) == (X + 0,)
    assert rules.statistics["decrement"].fired == 5
    assert rules.statistics["decrement"].tried == 6


def test_each_op_is_looked_at_once_however_often_it_is_used():
    rules = counting_down()
    u = X + 3
    for _ in range(30):
        u = UOp.make("mul", (u, u))
    rewrite((u,), [rules])
    assert rules.statistics["decrement"].fired == 3


def test_a_loop_names_its_two_patterns():
    rules = PatternSet("loop")

    @rules.rule("add")
    def to_sub(u):
        return UOp.make("sub", u.operands)

    @rules.rule("sub")
    def to_add(u):
        return UOp.make("add", u.operands)

    with pytest.raises(InternalError, match="patterns to_(add and to_sub|sub and to_add) rewrite one add for ever"):
        rewrite((X + 1,), [rules])


def test_normal_forms_are_remembered_under_their_name():
    rules = counting_down()
    roots = Rewriter([rules], fact="counted down").rewrite((X + 4,))
    tried = rules.statistics["decrement"].tried
    assert Rewriter([rules], fact="counted down").rewrite(roots) == roots
    assert rules.statistics["decrement"].tried == tried
    Rewriter([rules]).rewrite(roots)
    assert rules.statistics["decrement"].tried > tried

"""Values whose derivative is given, not found from the operations that they are made of."""
from __future__ import annotations

import weakref
from collections.abc import Callable

from ..graph.derivation import CUSTOM, Custom
from ..graph.tensor_graph import TensorUOp

Rule = Callable[[TensorUOp], tuple[TensorUOp | None, ...]]
"""From a cotangent of the value what reaches each of its inputs; None where nothing does."""


def with_rule(value: TensorUOp, inputs: tuple[TensorUOp, ...], rule: Rule) -> TensorUOp:
    """The value as one that no other expression shares, so that the rule is its alone."""
    u = TensorUOp.stand_alone(value)
    CUSTOM[u] = Custom(inputs, rule)
    return u


def with_rule_by_value(value: TensorUOp, inputs: tuple[TensorUOp, ...], rule: Callable[[TensorUOp, TensorUOp], tuple[TensorUOp | None, ...]]) -> TensorUOp:
    """The same for a rule that is given the value, too: made of that, what it gives has derivatives that go through it again. A rule that held the value itself
    would keep it for good."""
    u = TensorUOp.stand_alone(value)
    alive = weakref.ref(u)

    def reach(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
        found = alive()
        return rule(value if found is None else found, g)
    CUSTOM[u] = Custom(inputs, reach)
    return u

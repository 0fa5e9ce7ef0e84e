"""Values whose derivative is given, not found from the operations that they are made of."""
from __future__ import annotations

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

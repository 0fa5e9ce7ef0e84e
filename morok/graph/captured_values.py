"""What the body of a loop of the lazy graph reads from outside of it, as far as derivatives go.

    x = fori_loop(0, 3, lambda i, x: x * w.T + b * 2, x)        captures w and b * 2

Movement ops belong to the body: they cost nothing there, and what reaches `w` is summed over the iterations in the shape of `w`.
"""
from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..dialect import types as T
from ..dialect.ops import MOVEMENT
from .derivation import CUSTOM, HOOKS, ORIGINS, VARIABLES, predecessors

if TYPE_CHECKING:
    from .tensor_graph import TensorUOp

CONSTANT = frozenset(("const", "iota", "define_var", "bind", "unique"))


NOTHING: frozenset[TensorUOp] = frozenset()


def dependencies(sources: Collection[TensorUOp], roots: Collection[TensorUOp]) -> dict[TensorUOp, frozenset[TensorUOp]]:
    """Of each value that roots reach, and that depends on sources, on which of them; derivatives in closed form count, and a loop closes what it carries."""
    found = {u: frozenset((u,)) for u in sources}
    if not found:
        return found
    first = next(iter(found))
    for u in found:
        first = u if u.operation.is_before_in_block(first.operation) else first
    seen: set[TensorUOp] = set(found)
    stack = list(roots)
    while stack:
        u = stack[-1]
        if u in seen:
            stack.pop()
            continue
        before = () if u.name == "buffer" or u.operation.is_before_in_block(first.operation) else reads_of(u)
        missing = [o for o in before if o not in seen]
        if missing:
            stack += missing
            continue
        stack.pop()
        seen.add(u)
        behind = NOTHING
        for o in before:
            below = found.get(o, NOTHING)
            behind = behind | below if below and below is not behind else behind
        if u.name == "repeat":
            behind = behind.difference(v.operands[0] for v in u.operands)
        if behind:
            found[u] = behind
    return found


def reads_of(u: TensorUOp) -> tuple[TensorUOp, ...]:
    """The operands, and what a derivative in closed form is made of."""
    custom = CUSTOM.get(u)
    return u.operands if custom is None else (*u.operands, *custom.inputs)


def captured_by(loop: TensorUOp, ends: Collection[TensorUOp] = ()) -> list[TensorUOp]:
    """The tensors from outside that a loop's next values are derived from. None is looked for behind `ends`."""
    carried, following = [v.operands[0] for v in loop.operands], [v.operands[2] for v in loop.operands]
    facts = loop.facts or {}
    inside = facts.get("inside")
    if inside is None:
        inside = dependencies(carried, following).keys()
        loop.facts = {**facts, "inside": inside}
    found: dict[TensorUOp, None] = {}
    seen: set[TensorUOp] = set(carried)
    stack = list(reversed(following))
    while stack:
        u = stack.pop()
        if u in seen or not isinstance(u.type, T.TensorType) and u.name != "repeat":
            continue
        seen.add(u)
        if u in inside or u.name == "repeat" or _is_of_the_body(u, ends):
            stack += reversed(predecessors(u))
        elif u.name not in CONSTANT:
            found[u] = None
    return list(found)


def _is_of_the_body(u: TensorUOp, ends: Collection[TensorUOp]) -> bool:
    """Whether a value that does not change is taken as computed within: a view, or one whose size is not known yet and can't be carried."""
    if u in ends or u in VARIABLES or u in CUSTOM or u in HOOKS or u in ORIGINS or u.name == "buffer":
        return False
    return u.name in MOVEMENT or None in u.type.shape  # type: ignore[union-attr]

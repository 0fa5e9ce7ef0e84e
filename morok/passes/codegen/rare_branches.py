"""Long computations that only the taken side of a choice uses: worth a branch round them, taken if any lane needs it.

    morok.where(%c, %slow, %fast)     %slow: 24 ops or more that nothing else uses     =>     computed only if some lane of %c holds

The slow paths of trigonometric functions are such (arguments beyond 10^5 and the like). One branch serves all choices by one condition.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...dialect.ops import ALU
from ...graph.uop import UOp, users_of

LEAST_OPS = 24
MOVABLE = ALU | {"vectorize", "cat", "gep"}


@dataclass(eq=False)
class RareWork:
    """`members` in order; `outputs` are those that the choices use."""

    condition: UOp
    block: Any
    members: list[UOp]
    outputs: list[UOp]


def find_rare_work(order: Sequence[UOp], block_of: Mapping[UOp, Any]) -> list[RareWork]:
    if len(order) < LEAST_OPS or not any(u.name == "where" and u.operands[1].name in MOVABLE for u in order):
        return []
    users = users_of(order)
    owner: dict[UOp, tuple[UOp, Any] | None] = {}
    groups: dict[tuple[UOp, Any], list[UOp]] = {}
    for u in reversed(order):
        key = _owner(u, users[u], owner, block_of) if u.name in MOVABLE else None
        if key is not None:
            owner[u] = key
            groups.setdefault(key, []).append(u)
    found = []
    place = {u: i for i, u in enumerate(order)}
    for (condition, block), members in groups.items():
        if len(members) >= LEAST_OPS:
            members.reverse()
            inside = set(members)
            outputs = [u for u in members if any(v not in inside for v in users[u])]
            if _is_convex(order[place[outputs[0]]:place[members[-1]] + 1], inside, outputs):
                found.append(RareWork(condition, block, members, outputs))
    return found


def _owner(u: UOp, users: Sequence[UOp], owner: Mapping[UOp, Any], block_of: Mapping[UOp, Any]) -> tuple[UOp, Any] | None:
    """The (condition, block) that all uses of the op agree on."""
    key = None
    for user in users:
        mine = owner.get(user)
        if mine is None:
            if user.name != "where" or u is not user.operands[1] or u is user.operands[0] or u is user.operands[2]:
                return None
            mine = (user.operands[0], block_of[user])
        if key is None:
            key = mine
        elif key != mine:
            return None
    return key if key is not None and block_of[u] is key[1] else None


def _is_convex(order: Sequence[UOp], inside: set[UOp], outputs: Sequence[UOp]) -> bool:
    """Whether nothing inside needs what outside is made of the outputs: among the ops from the first output to the last inside."""
    after: set[UOp] = set()
    results = set(outputs)
    for u in order:
        if u in inside:
            if any(o in after for o in u.operands):
                return False
        elif any(o in after or o in results for o in u.operands):
            after.add(u)
    return True

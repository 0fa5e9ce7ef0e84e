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
    members: list[UOp]
    outputs: list[UOp]


def find_rare_work(order: Sequence[UOp], block_of: Mapping[UOp, Any]) -> list[tuple[Any, RareWork]]:
    """Each with the block that it is in."""
    if len(order) < LEAST_OPS or not any(u.name == "where" and u.operands[1].name in MOVABLE for u in order):
        return []
    groups = {key: members for key, members in _groups(order, block_of).items() if len(members) >= LEAST_OPS}
    if not groups:
        return []
    found = []
    users = users_of(order)
    place = {u: i for i, u in enumerate(order)}
    for (condition, block), members in groups.items():
        members.reverse()
        inside = set(members)
        outputs = [u for u in members if any(v not in inside for v in users[u])]
        if _is_convex(order[place[outputs[0]]:place[members[-1]] + 1], inside, outputs):
            found.append((block, RareWork(condition, members, outputs)))
    return found


def _groups(order: Sequence[UOp], block_of: Mapping[UOp, Any]) -> dict[tuple[UOp, Any], list[UOp]]:
    """The ops by the (condition, block) that all uses of an op agree on, users first."""
    claims: dict[UOp, tuple[UOp, Any] | None] = {}
    """What the uses seen so far agree on; None where they do not."""
    groups: dict[tuple[UOp, Any], list[UOp]] = {}
    for u in reversed(order):
        key = claims.get(u)
        if key is not None and (u.name not in MOVABLE or block_of[u] is not key[1]):
            key = None
        if key is not None:
            groups.setdefault(key, []).append(u)
        for o in u.operands:
            mine = key
            if mine is None and u.name == "where" and o is u.operands[1] and o is not u.operands[0] and o is not u.operands[2]:
                mine = (u.operands[0], block_of[u])
            if claims.setdefault(o, mine) != mine:
                claims[o] = None
    return groups


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

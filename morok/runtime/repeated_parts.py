"""Programs that hold the same part many times: each such part becomes a stage, and all of them one compilation.

    c1 = contiguous(f(a, b))               stage 0    c1 = p(a, b)
    c2 = contiguous(f(c, d))               stage 1    c2 = p(c, d)
    ...                           =>       ...
    y = g(c1, c2, ...)                     stage n    y = g(c1, c2, ...)

A part is what a `contiguous` reaches short of others and of arguments. It is materialised there anyway, so nothing is lost but that its
kernels could run beside others. Joining thousands of tensors makes hundreds of equal parts.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ..dialect.ops import MOVEMENT
from ..graph.body import Body
from ..graph.stages import Stage
from ..graph.uop import UOp, argument, substitute, toposort, users_of

REPEATED_FROM = 8
"""Equal parts that are worth stages."""


def split_repeated(stage: Stage, new_slot: Callable[[], int]) -> list[Stage]:
    """The stage as stages of its repeated parts, and the rest. `new_slot` numbers the memory between them."""
    body = stage.body
    if body is None:
        return [stage]
    order, results = body.order(), set(body.results)
    cuts = [u for u in order if u.name == "contiguous" and u not in results]
    if len(cuts) < REPEATED_FROM or any(u.name == "assign" or None in getattr(u.type, "shape", ()) for u in order):
        return [stage]
    parts = _repeated(cuts, body, order)
    if not parts:
        return [stage]
    memory: dict[UOp, tuple[UOp, int]] = {a: (a, slot) for a, slot in zip(body.arguments, stage.inputs)}
    stages = []
    for cut, (inner, leaves) in parts.items():
        slot = new_slot()
        stages.append(Stage(inner, tuple(memory[leaf][1] for leaf in leaves), (slot,)))
        memory[cut] = (argument(len(memory), cut.type), slot)
    return [*stages, _rest(stage, body, memory)]


def _repeated(cuts: Sequence[UOp], body: Body, order: Sequence[UOp]) -> dict[UOp, tuple[Body, list[UOp]]]:
    """For each cut whose part occurs often: the part as a function, and what its arguments are."""
    among, users = set(cuts), users_of(order)
    outside = set(body.roots)
    parts: dict[UOp, tuple[Body, list[UOp]]] = {}
    times: dict[tuple, int] = {}
    for cut in cuts:
        found = _part(cut, among, users, outside)
        if found is not None:
            parts[cut] = found
            times[found[0].results] = times.get(found[0].results, 0) + 1
    chosen: dict[UOp, tuple[Body, list[UOp]]] = {}
    for cut in cuts:  # operands first: a part may need others, but nothing of the rest, which is computed last
        part = parts.get(cut)
        if part is not None and times[part[0].results] >= REPEATED_FROM and all(leaf.name == "arg" or leaf in chosen for leaf in part[1]):
            chosen[cut] = part
    return chosen


def _part(cut: UOp, among: set[UOp], users: Mapping[UOp, Sequence[UOp]], outside: set[UOp]) -> tuple[Body, list[UOp]] | None:
    """None where something beside the part needs what it computes."""
    new: dict[UOp, UOp] = {}
    leaves: list[UOp] = []
    viewed: set[UOp] = set()
    computed: dict[UOp, None] = {}
    stack = [cut]
    while stack:
        u = stack[-1]
        if u in new:
            stack.pop()
        elif u.name == "arg" or u in among and u is not cut:
            new[u] = argument(len(leaves), u.type)
            leaves.append(u)
            viewed.add(u)
        elif missing := [o for o in u.operands if o not in new]:
            stack += reversed(missing)
        else:
            new[u] = u.with_operands(tuple([new[o] for o in u.operands])) if u.operands else u
            if u.operands and u.name in MOVEMENT and u.operands[0] in viewed:
                viewed.add(u)
            elif u is not cut and any(o in viewed or o in computed for o in u.operands):
                computed[u] = None
    if any(u in outside or any(user not in new for user in users[u]) for u in computed):
        return None
    arguments = [new[leaf] for leaf in leaves]
    return Body("main", arguments, (new[cut],), (), {}, [{} for _ in arguments]), leaves


def _rest(stage: Stage, body: Body, memory: dict[UOp, tuple[UOp, int]]) -> Stage:
    """What is left once the parts are memory, with the arguments that it reads."""
    roots = substitute(body.roots, {u: place for u, (place, _) in memory.items()})
    read = {u for u in toposort(roots) if u.name == "arg"}
    kept = [(place, slot) for place, slot in memory.values() if place in read]
    given = dict(zip(body.arguments, body.argument_attributes))
    numbered = {place: argument(i, place.type) for i, (place, _) in enumerate(kept)}
    rest = replace(body, arguments=list(numbered.values()), argument_attributes=[given.get(place, {}) for place, _ in kept])
    return Stage(rest.with_roots(substitute(roots, numbered)), tuple(slot for _, slot in kept), stage.outputs, stage.copies)

"""Which buffers an assign may overwrite: those whose old contents nobody can ask for once the sinks are realised.

    t = buffer; u = t + 1; t.assign(u * 2)       realize(t): u lives on and would read the new contents, so t is copied first
                                                 realize(t, u): u becomes a buffer itself, so t may be overwritten

After realize the sinks are buffers of their own. What counts is everything else that is still alive and reaches the buffer other than
through a sink: registered tensors, and ops outside. (A handle that only a Python variable holds is not seen.)
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from .registries import TENSORS
from .tensor_graph import GRAPH, TensorUOp
from .uop import UOp

InPlace = bool | Callable[[TensorUOp], bool] | frozenset
"""Whether assigns may be done in place: never, where nobody else reads the buffer, or there and only if the caller agrees as well. A set of
buffers: exactly these, whoever reads them; the caller sees to the readers."""

_WRITABLE_VIEWS = frozenset(("reshape", "permute", "shrink", "flip", "detach"))


def target_buffer(assign: UOp) -> UOp | None:
    """The buffer at the root of an assign's target; None where the target is a computed value."""
    u = assign
    while u.name == "assign" or u.name in _WRITABLE_VIEWS:
        u = u.operands[0]
    return u if u.name == "buffer" else None


def assigned_buffers(sinks: Iterable[TensorUOp]) -> frozenset[UOp]:
    """The buffers that have been assigned to when the sinks are realised: those whose last assign is itself a sink."""
    sinks = list(sinks)
    return frozenset(t for s in sinks if s.name == "assign" and (t := target_buffer(s)) is not None).difference(sinks)


def derived(order: Iterable[TensorUOp], buffers: Collection[UOp]) -> set[UOp]:
    """What among `order` (operands first) is made of the buffers."""
    found: set[UOp] = set(buffers)
    for u in order:
        if not found.isdisjoint(u.operands):
            found.add(u)
    return found


def overwritable(order: Sequence[TensorUOp], sinks: Iterable[TensorUOp], in_place: InPlace = True) -> set[UOp]:
    """The buffers among `order` (all that the sinks reach, operands first) that assigns in it may overwrite."""
    targets = dict.fromkeys(t for u in order if u.name == "assign" and (t := target_buffer(u)) is not None)
    if isinstance(in_place, frozenset):
        return {t for t in targets if t in in_place}
    if callable(in_place):
        targets = {t: None for t in targets if in_place(t)}  # type: ignore[arg-type]
    elif not in_place:
        return set()
    if not targets:
        return set()
    GRAPH.drain()
    replaced = {s for s in sinks if s.name != "buffer"}
    reads = _targets_read(order, list(targets), replaced)
    inside = Counter(o for u in order if u.name != "bind" for o in u.operands if o in reads)
    held, kept = TENSORS.uops(), 0
    for node, mask in reads.items():
        if mask & ~kept and (node in held or node in sinks or sum(1 for _ in node.result.uses) > inside[node]):
            kept |= mask
    return {t for i, t in enumerate(targets) if not kept >> i & 1}


def _targets_read(order: Sequence[TensorUOp], targets: list[UOp], replaced: set[TensorUOp]) -> dict[TensorUOp, int]:
    """For each op that reaches targets other than through a replaced one: which, as a bit set."""
    number = {t: 1 << i for i, t in enumerate(targets)}
    reads: dict[TensorUOp, int] = {}
    for u in order:
        if u in replaced:
            continue
        mask = number.get(u, 0)
        for operand in u.operands:
            mask |= reads.get(operand, 0)
        if mask:
            reads[u] = mask
    return reads

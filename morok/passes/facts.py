"""Results of analyses, kept with the op that they are about: computed once, freed with it.

    least, most = recall(u, "bounds", needs, compute)     # compute(u) once those of needs(u) are known; no recursion on deep graphs

A fact must not hold its own op (that would be a cycle). Threads may compute a fact twice, with the same result; an op's dict is never
replaced.
"""
from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from ..fork_safety import renewed_after_fork
from ..graph.uop import UOp

_lock = threading.Lock()
renewed_after_fork(sys.modules[__name__], "_lock", threading.Lock)


def remember(u: UOp, key: str, value: Any) -> None:
    """Keeps a fact about the op."""
    facts = u.facts
    if facts is None:
        with _lock:
            facts = u.facts
            if facts is None:
                u.facts = {key: value}
                return
    facts[key] = value


def recall(u: UOp, key: str, needs: Callable[[UOp], Iterable[UOp]], compute: Callable[[UOp], Any]) -> Any:
    """The fact `key` about u. `compute(u)` gives it, and may take for granted that it is known about the ops `needs(u)`."""
    facts = u.facts
    if facts is not None and key in facts:
        return facts[key]
    stack = [u]
    while stack:
        node = stack[-1]
        facts = node.facts
        if facts is not None and key in facts:
            stack.pop()
            continue
        missing = [o for o in needs(node) if o.facts is None or key not in o.facts]
        if missing:
            stack.extend(missing)
        else:
            stack.pop()
            remember(node, key, compute(node))
    return u.facts[key]  # type: ignore[index]

"""How values were derived from variables of differentiation, kept where realisation would forget it.

    add_variable(w)              derivatives are wanted with respect to w; `derived(u)` tells what reaches it
    y.realize()                  y is a buffer from now on; ORIGINS[y] is the op that it was
    RELEASED                     buffers whose origin a first backward pass has let go

Reverse mode walks from a buffer on to its origin. All of it is weak: what nobody else holds leaves the tables. Without variables nothing is recorded.
"""
from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .tensor_graph import TensorUOp

VARIABLES: weakref.WeakSet[TensorUOp] = weakref.WeakSet()
ORIGINS: weakref.WeakKeyDictionary[TensorUOp, TensorUOp] = weakref.WeakKeyDictionary()
RELEASED: weakref.WeakSet[TensorUOp] = weakref.WeakSet()
CUT: weakref.WeakSet[TensorUOp] = weakref.WeakSet()
"""Results of captured functions that depend on variables: how they were derived is not known."""


class Custom:
    """A derivative given in closed form, by a function of morok or the user: the inputs, and what reaches each of them."""

    __slots__ = ("inputs", "rule")

    def __init__(self, inputs: tuple[TensorUOp, ...], rule: Callable[[TensorUOp], tuple[TensorUOp | None, ...]]) -> None:
        self.inputs, self.rule = inputs, rule


CUSTOM: weakref.WeakKeyDictionary[TensorUOp, Custom] = weakref.WeakKeyDictionary()

Hooks = dict[tuple[bool, int], "Callable[[TensorUOp], TensorUOp]"]
"""Functions of gradients by number; those with True come last."""
HOOKS: weakref.WeakKeyDictionary[TensorUOp, Hooks] = weakref.WeakKeyDictionary()
"""What reverse mode does to all that has reached a value, before it goes on."""


def hooked(hooks: Hooks, g: TensorUOp) -> TensorUOp:
    """What hooks make of a gradient, one after another."""
    for number in sorted(hooks):
        if number in hooks:  # a hook may have removed it
            g = hooks[number](g)
    return g


WIDER: weakref.WeakKeyDictionary[TensorUOp, weakref.ref[TensorUOp]] = weakref.WeakKeyDictionary()
"""Loops, and the same with more carried values behind their own, as derivatives have asked for: what reaches either goes through the wider."""

_LEAVES = frozenset(("buffer", "bind", "define_var", "const", "iota", "device", "unique"))


class _Epoch:
    number = 0


def add_variable(u: TensorUOp) -> None:
    """Makes a value a variable. What is known about ops built on it before is asked anew."""
    VARIABLES.add(u)
    _Epoch.number += 1


def drop_variables(uops: Iterable[TensorUOp]) -> None:
    """These are variables no longer: what is made of them is no longer derived."""
    VARIABLES.difference_update(uops)
    _Epoch.number += 1


def predecessors(u: TensorUOp) -> tuple[TensorUOp, ...]:
    """What the value was made of, as far as derivatives go through: nothing for variables' sake behind `detach`; of a loop, what it begins with and what its
    body reads from outside."""
    origin = ORIGINS.get(u)
    if origin is not None:
        return (origin,)
    custom = CUSTOM.get(u)
    if custom is not None:
        return custom.inputs
    if u.name == "repeated":
        return (widest(u.operands[0]),)
    if u.name == "repeat":
        return before_loop(u)
    return () if u.name == "detach" or u.name in _LEAVES else u.operands


def before_loop(loop: TensorUOp, ends: Collection[TensorUOp] = ()) -> tuple[TensorUOp, ...]:
    """What a loop begins with, and what its body reads from outside; nothing behind `ends`."""
    from .captured_values import captured_by
    return (*(v.operands[1] for v in loop.operands), *captured_by(loop, ends))


def widest(loop: TensorUOp) -> TensorUOp:
    """The loop itself, or the one that computes the same and the most beside it."""
    while (ref := WIDER.get(loop)) is not None and (wider := ref()) is not None:
        loop = wider
    return loop


def is_derived(u: TensorUOp) -> bool:
    """Whether the value is a variable or depends on one."""
    if not VARIABLES:
        return False
    number = _Epoch.number
    stack = [u]
    while stack:
        node = stack[-1]
        if _known(node, number) is not None:
            stack.pop()
            continue
        before = predecessors(node)
        missing = [p for p in before if _known(p, number) is None] if not _begins(node) else None
        if missing:
            stack += missing
            continue
        stack.pop()
        found = _begins(node) or any(_known(p, number) for p in before)
        node.facts = {**(node.facts or {}), "derived": (number, found)}
    return bool(_known(u, number))


def _begins(u: TensorUOp) -> bool:
    """Whether derivatives may end here: at a variable, or at what a loop carries, of which the body does not know yet."""
    return u in VARIABLES or u.name == "carried"


def _known(u: TensorUOp, number: int) -> bool | None:
    facts = u.facts
    known = facts.get("derived") if facts else None
    return known[1] if known is not None and known[0] == number else None


def origin_to_keep(u: TensorUOp) -> bool:
    """Whether a value that is about to become a buffer must be remembered as what it is now."""
    if not VARIABLES or u.name in ("detach", "buffer") or u in VARIABLES or u in RELEASED or u in CUSTOM:
        return False
    return any(map(is_derived, u.operands))


def release(nodes: list[TensorUOp]) -> None:
    """Forgets how these values were derived."""
    for u in nodes:
        if u not in VARIABLES:
            RELEASED.add(u)
            ORIGINS.pop(u, None)

"""checkpoint: a function whose inner values are not kept for its derivative, but computed again.

A value lives as long as a later kernel reads it: what the backward pass reads of the forward pass, until then. The ops of a checkpointed function are a region:
where reverse mode meets one, it takes the rule of a copy of the op. The copy is computed from the arguments once more, and no sooner than a cotangent
is there: an argument is `where(never, 0, argument)`, `never` being made of the cotangent in a way that nothing folds.
"""
from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...dialect import types as T
from ...graph.tensor_graph import GRAPH, TensorUOp, new_buffer
from .. import build
from ..arguments import require_function
from ..structures import Structure

CONSTANTS = frozenset(("const", "iota", "reshape", "expand", "pad", "cast"))
"""Ops of constants, which are there before anything runs."""


class Region:
    """The ops that one call of a checkpointed function made: those that stand behind its first in the block. `inputs` are the arguments' values, `outputs`
    the results'; `parent` is the region of a checkpointed function that called this one."""

    __slots__ = ("inputs", "outputs", "parent", "__weakref__")

    def __init__(self, inputs: Sequence[TensorUOp], outputs: Sequence[TensorUOp]) -> None:
        self.inputs = weakref.WeakSet(inputs)
        self.outputs = [weakref.ref(u) for u in outputs]
        self.parent: Region | None = None

    def enter_all_behind(self, first: TensorUOp) -> None:
        """Enters the ops that lead to the outputs and stand behind one in the block."""
        outputs, inputs = [u for ref in self.outputs if (u := ref()) is not None], list(self.inputs)
        stack, seen = list(outputs), set(inputs)
        while stack:
            u = stack.pop()
            if u in seen or u.name == "buffer" or not isinstance(u.type, T.TensorType) or not first.operation.is_before_in_block(u.operation):
                continue
            seen.add(u)
            inner = REGIONS.setdefault(u, self).outermost()
            if inner is not self:
                inner.parent = self
            stack += u.operands

    def outermost(self) -> Region:
        region = self
        while region.parent is not None:
            region = region.parent
        return region

    def holds(self, u: TensorUOp) -> bool:
        """Whether this made the op, or a region within."""
        region = REGIONS.get(u)
        while region is not None and region is not self:
            region = region.parent
        return region is self and u.name != "buffer"


REGIONS: weakref.WeakKeyDictionary[TensorUOp, Region] = weakref.WeakKeyDictionary()
"""The region of each op of a checkpointed function: of the innermost, where one calls another."""


def checkpoint(function: Callable) -> Callable:
    """A function that computes the same, but whose inner values are computed again for its derivative instead of being kept until then.

    For parts of a deep model: memory for what lies between the parts, and not within, at the cost of a second forward pass. Values and derivatives are the
    same. Arguments may be tensors in lists, tuples and dicts.

        block = morok.checkpoint(lambda x: (x * 2).tanh() * x)
        morok.grad(lambda x: block(block(x)).sum())(Tensor([0.0, 1.0]))
    """
    require_function(function, "checkpoint")

    @functools.wraps(function)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        inputs = [t.uop for t in Structure([list(args), kwargs]).tensors]
        first = new_buffer(T.tensor((0,), T.bool_))
        result = function(*args, **kwargs)
        with GRAPH.lock:
            Region(inputs, [t.uop for t in Structure(result).tensors]).enter_all_behind(first)
        return result
    return checkpointed


def regions_over_again(made: Mapping[TensorUOp, TensorUOp | None]) -> None:
    """The regions of ops that were made over again for many examples, for what was made of them."""
    new: dict[Region, Region] = {}

    def of(region: Region) -> Region:
        found = new.get(region)
        if found is None:
            found = new[region] = Region([made.get(u) or u for u in region.inputs], [made.get(u) or u for ref in region.outputs if (u := ref()) is not None])
            found.parent = None if region.parent is None else of(region.parent)
        return found
    for u, whole in made.items():
        if whole is not None and (region := REGIONS.get(u)) is not None and whole is not u:
            REGIONS.setdefault(whole, of(region))


class Recomputation:
    """The copies of regions' ops, for one pass of reverse mode."""

    def __init__(self) -> None:
        self._copies: dict[Region, dict[TensorUOp, TensorUOp]] = {}

    def of(self, u: TensorUOp, g: TensorUOp) -> TensorUOp:
        """The op computed again, once the cotangent is there; itself where it is in no region."""
        region = REGIONS.get(u)
        if region is None or u.name == "buffer":
            return u
        copies = self._copies.get(region)
        if copies is None:
            copies = self._copies[region] = self._begun(region, u, g)
        stack = [u]
        while stack:
            node = stack[-1]
            if node in copies:
                stack.pop()
                continue
            if not region.holds(node):
                copies[stack.pop()] = node
                continue
            missing = [o for o in node.operands if o not in copies]
            if missing:
                stack += missing
                continue
            stack.pop()
            operands = tuple(copies[o] for o in node.operands)
            same = all(a is b for a, b in zip(operands, node.operands))
            copies[node] = node if same else build.op(node.name, operands, node.attributes, node.type)
        return copies[u]


    def _begun(self, region: Region, u: TensorUOp, g: TensorUOp) -> dict[TensorUOp, TensorUOp]:
        """The inputs, to be read once the cotangent is there: those that were computed, as all else of weight depends on them; if none was, all."""
        outer = region.parent
        inputs = {x: self.of(x, g) if outer is not None and outer.holds(x) else x for x in region.inputs}
        never = _never(_waits_for(region, u, g))
        if never is None:
            return inputs
        computed = {x for x in inputs if x.name != "buffer" and not _is_constant(x)}
        return {x: _after(never, again) if x in computed or not computed else again for x, again in inputs.items()}


def _waits_for(region: Region, u: TensorUOp, g: TensorUOp) -> TensorUOp:
    """What is there no sooner than the backward pass comes: the cotangent, or where that is a constant, the function's result."""
    if not _is_constant(g):
        return g
    return next((r for ref in region.outputs if (r := ref()) is not None and not _is_constant(r)), u)


def _is_constant(u: TensorUOp) -> bool:
    while u.name in CONSTANTS and u.operands:
        u = u.operands[0]
    return u.name in CONSTANTS


def _never(u: TensorUOp) -> TensorUOp | None:
    """A bool that is false, made of the first element of a value; None of a value without elements."""
    shape: Any = build.shape_of(u)
    if not all(isinstance(s, int) for s in shape) or 0 in shape:
        return None
    first = build.reshape(build.shrink(build.op("contiguous", (u,)), (0,) * len(shape), (1,) * len(shape)), ())
    zero = build.full((), 0, u.dtype)
    below, above = build.alu("cmplt", first, zero), build.alu("cmplt", zero, first)
    return build.alu("and", below, above)


def _after(never: TensorUOp, x: TensorUOp) -> TensorUOp:
    shape = build.shape_of(x)
    return build.op("contiguous", (build.alu("where", build.broadcast(never, shape), build.full(shape, 0, x.dtype), x),))

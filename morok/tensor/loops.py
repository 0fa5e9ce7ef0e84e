"""Loops whose iterations follow one another, as one op of the graph: fori_loop, while_loop.

    morok.fori_loop(0, 10, lambda i, x: x * 0.5 + i, x)

The body is called once, with tensors that stand for what an iteration receives; what it builds is compiled once and run as often as it takes
(the pass morok-outline-repeats).
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Any

from ..dialect import types as T
from ..errors import DTypeError, ShapeError
from . import build
from .arguments import integer, require_function
from .core import TensorCore
from .tensor import Tensor

ENDLESS = (1 << 62) - 1


def fori_loop(lower: int, upper: int, body: Callable[[Any, Any], Any], initial: Any) -> Any:
    """What remains of `initial` after `carry = body(i, carry)` for each i from `lower` to `upper` - 1.

    `initial` is a tensor, or lists, tuples and dicts of tensors and numbers; the body gives the same structure with the same shapes and dtypes. `i` is an int64
    tensor without axes: use it in arithmetic, comparisons and as an index. The body is called once; random numbers that it draws are the same in each
    iteration. There is no derivative through a loop.

    Errors: ShapeError and DTypeError where the body gives other shapes, dtypes or another structure; TypeError for bounds that are no integers.

        morok.fori_loop(0, 5, lambda i, x: x + i, Tensor(0))  # 10
    """
    require_function(body, "fori_loop")
    low, high = integer(lower, "fori_loop: lower"), integer(upper, "fori_loop: upper")
    tree = _Tree(initial, "fori_loop")
    counter = Tensor(low, dtype=T.int64)
    carried = [build.carried(t.uop) for t in (*tree.tensors, counter)]
    i = counter._new(carried[-1])
    following = tree.matching(body(i, tree.rebuilt(_tensors(tree.tensors, carried))))
    ends = build.repeat(carried, [t.uop for t in (*tree.tensors, counter)], [*(t.uop for t in following), (i + 1).uop], max(high - low, 0))
    return tree.rebuilt(_tensors(tree.tensors, ends))


def while_loop(condition: Callable[[Any], Any], body: Callable[[Any], Any], initial: Any, limit: int | None = None) -> Any:
    """What remains of `initial` after `carry = body(carry)` as long as `condition(carry)`, a bool of one element, is true; after `limit` iterations at most.

    `initial`, the body and errors as in `fori_loop`; DTypeError for a condition that is no bool, ShapeError for one of several elements.

        morok.while_loop(lambda x: x < 100, lambda x: x * 2, Tensor(3))  # 192
    """
    require_function(condition, "while_loop")
    require_function(body, "while_loop")
    count = ENDLESS if limit is None else integer(limit, "while_loop: limit")
    if count < 0:
        raise ShapeError(f"while_loop: limit is {count}; it is the greatest number of iterations")
    tree = _Tree(initial, "while_loop")
    first = _condition(condition, tree.rebuilt(tree.tensors))
    carried = [build.carried(t.uop) for t in (*tree.tensors, first)]
    following = tree.matching(body(tree.rebuilt(_tensors(tree.tensors, carried))))
    goes_on = _condition(condition, tree.rebuilt(following))
    ends = build.repeat(carried, [t.uop for t in (*tree.tensors, first)], [t.uop for t in (*following, goes_on)], count, len(following))
    return tree.rebuilt(_tensors(tree.tensors, ends))


def memory_of_rows(count: int, row: Tensor) -> Tensor:
    """Memory (1, count, elements) for a row of each iteration, to be carried by a loop that fills it with `with_row`."""
    return row._new(build.full((1, count, prod(row._concrete_shape())), 0, row.dtype))


def with_row(memory: Tensor, i: Tensor, row: Tensor) -> Tensor:
    """The memory with an iteration's row at place i. A loop that does nothing else with the memory it carries writes the row in place."""
    return memory._new(build.scatter(memory.uop, i.reshape(1, 1).uop, row.reshape(1, 1, -1).uop, "set"))


def _condition(condition: Callable[[Any], Any], carry: Any) -> TensorCore:
    value = condition(carry)
    if isinstance(value, bool):
        value = Tensor(value)
    if not isinstance(value, TensorCore) or value.dtype is not T.bool_:
        raise DTypeError(f"while_loop: the condition must give a bool tensor, not {value.dtype if isinstance(value, TensorCore) else value!r}; compare with 0")
    if value.numel() != 1:
        raise ShapeError(f"while_loop: the condition has shape {value.shape}; it must have one element: use all() or any()")
    return value._new(build.reshape(value.uop, ()))


def _tensors(like: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    return [t._new(u) for t, u in zip(like, values)]


class _Tree:
    """Lists, tuples and dicts of tensors, taken apart. Each place is a tensor of its own, also where one stands in several."""

    def __init__(self, value: Any, what: str) -> None:
        self.what = what
        self.tensors: list[Any] = []
        self._template = self._take(value)
        if not self.tensors:
            raise DTypeError(f"{what}: there is no tensor to carry from iteration to iteration, given {value!r}")
        for t in self.tensors:
            if not all(isinstance(s, int) for s in t.shape):
                raise ShapeError(f"{what}: carries static sizes, not {t.shape}; carry the greatest size, and slice the result")

    def _take(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: self._take(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return _like(value, [self._take(v) for v in value])
        self.tensors.append(value if isinstance(value, TensorCore) else Tensor(value))
        return None

    def rebuilt(self, tensors: Sequence[Any]) -> Any:
        """The structure with these tensors in it."""
        return _filled(self._template, iter(tensors))

    def matching(self, value: Any) -> list[Any]:
        """The tensors of a value of the same structure."""
        other = _Tree(value, self.what)
        if other._template != self._template:
            raise ShapeError(f"{self.what}: the body must give what it is given, in the same lists, tuples and dicts, not {value!r}")
        found = []
        for number, (old, new) in enumerate(zip(self.tensors, other.tensors)):
            if old.shape != new.shape:
                raise ShapeError(f"{self.what}: tensor {number} has shape {old.shape}, but the body gives shape {new.shape}; it must keep shapes")
            if old.dtype is not new.dtype:
                raise DTypeError(f"{self.what}: tensor {number} has dtype {old.dtype}, but the body gives {new.dtype}; begin with that dtype, or cast")
            found.append(new)
        return found


def _like(value: Any, items: list) -> Any:
    kind = type(value)
    return items if isinstance(value, list) else kind(*items) if hasattr(value, "_fields") else tuple(items)


def _filled(template: Any, tensors: Iterator[Any]) -> Any:
    if isinstance(template, dict):
        return {k: _filled(v, tensors) for k, v in template.items()}
    if isinstance(template, (list, tuple)):
        return _like(template, [_filled(v, tensors) for v in template])
    return next(tensors)

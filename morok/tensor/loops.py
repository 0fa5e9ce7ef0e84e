"""Loops whose iterations follow one another, as one op of the graph: fori_loop, while_loop, scan.

    morok.fori_loop(0, 10, lambda i, x: x * 0.5 + i, x)
    morok.scan(lambda h, x: (h * 0.5 + x, h), h, xs)

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
from .rows import picked
from .tensor import Tensor

ENDLESS = (1 << 62) - 1


def fori_loop(lower: int, upper: int, body: Callable[[Any, Any], Any], initial: Any) -> Any:
    """What remains of `initial` after `carry = body(i, carry)` for each i from `lower` to `upper` - 1.

    `initial` is a tensor, or lists, tuples and dicts of tensors and numbers; the body gives the same structure with the same shapes and dtypes. `i` is an int64
    tensor without axes: use it in arithmetic, comparisons and as an index. The body is called once; random numbers that it draws are the same in each
    iteration. Derivatives by reverse mode keep what each iteration received, and compute the body again.

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

    `initial`, the body and errors as in `fori_loop`; DTypeError for a condition that is no bool, ShapeError for one of several elements. Derivatives are to be
    had by forward mode (`jvp`, `jacfwd`); reverse mode raises GradientError.

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


def scan(function: Callable[[Any, Any], Any], init: Any, xs: Any = None, length: int | None = None, reverse: bool = False) -> tuple[Any, Any]:
    """What remains of `init` after `carry, y = function(carry, x)` for each x along the first axis of `xs`, and all the y, stacked.

    `init` and y are tensors, or lists, tuples and dicts of tensors and numbers, `xs` such of tensors (n, ...); carry and y may be None. The carry keeps its
    structure, shapes and dtypes. Without `xs` there are `length` iterations, and x is None. With `reverse` the last x comes first; each y lies where its x
    does. The function is called once. As JAX's `lax.scan`. Errors: ShapeError for xs of different lengths, or none; ShapeError and DTypeError where the carry
    changes; TypeError for a function that does not give a pair.

        morok.scan(lambda total, x: (total + x, total * x), Tensor(0), Tensor([1, 2, 3]))[1]  # [0, 2, 9]
    """
    require_function(function, "scan")
    carry, rows = _Tree(init, "scan", "init"), _Tree(xs, "scan", "xs")
    count = _length(rows.tensors, length)
    counter = Tensor(0, dtype=T.int64)
    carried = [build.carried(t.uop) for t in (*carry.tensors, counter)]
    i = counter._new(carried[-1])
    place = (count - 1 - i if reverse else i).reshape(1, 1)
    pair = function(carry.rebuilt(_tensors(carry.tensors, carried)), rows.rebuilt([_row(t, place) for t in rows.tensors]))
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"scan: the function must give (carry, y), not {pair!r}; y may be None")
    following, ys = carry.matching(pair[0]), _Tree(pair[1], "scan", "y")
    memory = [memory_of_rows(count, y) for y in ys.tensors] if count else []
    carried += [build.carried(m.uop) for m in memory]
    after = [*following, i + 1, *(with_row(m._new(c), place, y) for m, c, y in zip(memory, carried[len(following) + 1:], ys.tensors))]
    ends = build.repeat(carried, [t.uop for t in (*carry.tensors, counter, *memory)], [t.uop for t in after], count)
    kept = _tensors(memory, ends[len(following) + 1:]) if count else [memory_of_rows(0, y) for y in ys.tensors]
    return carry.rebuilt(_tensors(carry.tensors, ends)), ys.rebuilt([k.reshape(count, *y.shape) for k, y in zip(kept, ys.tensors)])


def _length(rows: Sequence[Any], length: int | None) -> int:
    """How many iterations a scan has."""
    count = None if length is None else integer(length, "scan: length")
    for number, t in enumerate(rows):
        if not t.ndim:
            raise ShapeError(f"scan: tensor {number} of xs has no axes; what is the same in each iteration is used by the function as it is")
        if count is not None and t.shape[0] != count:
            said = "xs before" if length is None else "length"
            raise ShapeError(f"scan: tensor {number} of xs has shape {t.shape}, but there are {count} iterations by {said}")
        count = t.shape[0]
    if count is None:
        raise ShapeError("scan: without xs, length says how many iterations there are")
    if count < 0:
        raise ShapeError(f"scan: length is {count}; it is the number of iterations")
    return count


def _row(t: Tensor, place: Tensor) -> Tensor:
    """The row of a tensor that an iteration sees."""
    count, *shape = t._concrete_shape()
    if not count or not prod(shape):
        return t._new(build.full(tuple(shape), 0, t.dtype))
    return t._new(build.reshape(picked(build.reshape(t.uop, (1, count, prod(shape))), place.uop, 1), tuple(shape)))


def memory_of_rows(count: int, row: Tensor) -> Tensor:
    """Memory (1, count, elements) for a row of each iteration, to be carried by a loop that fills it with `with_row`."""
    return row._new(build.full((1, count, prod(row._concrete_shape())), 0, row.dtype))


def with_row(memory: Tensor, i: Tensor, row: Tensor) -> Tensor:
    """The memory with an iteration's row at place i. A loop that does nothing else with the memory it carries writes the row in place."""
    return memory._new(build.scatter(memory.uop, i.reshape(1, 1).uop, row.reshape(1, 1, memory.shape[-1]).uop, "set"))


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


_PLACE = object()
"""A tensor, in a structure without tensors."""


class _Tree:
    """Lists, tuples and dicts of tensors, taken apart. Each place is a tensor of its own, also where one stands in several. `part` names it among what `what`
    takes: "carry", which has a tensor, or "init", "xs" or "y", which may be or hold None."""

    def __init__(self, value: Any, what: str, part: str = "carry") -> None:
        self.what, self.part = what, part
        self.tensors: list[Any] = []
        self._template = self._take(value)
        if not self.tensors and part == "carry":
            raise DTypeError(f"{what}: there is no tensor to carry from iteration to iteration, given {value!r}")
        for t in self.tensors:
            if not all(isinstance(s, int) for s in t.shape):
                raise ShapeError(f"{what}: carries static sizes, not {t.shape}; carry the greatest size, and slice the result" if part in ("carry", "init") else
                                 f"{what}: {part} has static sizes, not {t.shape}; give the greatest size, and slice the result")

    def _take(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {k: self._take(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return _like(value, [self._take(v) for v in value])
        if value is None and self.part != "carry":
            return None
        self.tensors.append(value if isinstance(value, TensorCore) else Tensor(value))
        return _PLACE

    def rebuilt(self, tensors: Sequence[Any]) -> Any:
        """The structure with these tensors in it."""
        return _filled(self._template, iter(tensors))

    def matching(self, value: Any) -> list[Any]:
        """The tensors of a value of the same structure."""
        other = _Tree(value, self.what, self.part)
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
    return next(tensors) if template is _PLACE else None

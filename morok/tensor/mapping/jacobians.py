"""Derivatives of functions with more than one number as their value: jacrev, jacfwd, hessian, hvp, linearize.

A Jacobian is one graph: what takes a cotangent back (or a tangent on) is mapped over the rows of an identity matrix, as by `vmap`, not called for each.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...dialect import types as T
from ...errors import DTypeError, ShapeError
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..arguments import require_function
from ..core import TensorCore
from ..gradient.forward import tangents_of
from ..gradient.modes import enable_grad
from ..gradient.reverse import cotangents
from ..gradient.transforms import Variables, existing_argument, grad, jvp, vjp
from ..sizes import concrete
from ..structures import Structure
from .batching import batched, stand_in_of
from .rules import repeated


def jacrev(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian of a function by reverse mode: for each tensor of its value (shape s) and each tensor of the arguments of these numbers (shape t) the
    derivatives, of shape (*s, *t), in the structure of the value with that of the arguments inside.

    With `has_aux` the function gives (value, anything), and the Jacobian function (Jacobian, anything). Cheap where the value has fewer elements than the
    arguments. Errors: DTypeError for arguments or values that are no floats.

        morok.jacrev(lambda x: x ** 2)(Tensor([1.0, 2.0]))      # [[2.0, 0.0], [0.0, 4.0]]
    """
    def rows(outputs: list[Any], variables: Variables) -> list[list[TensorUOp]]:
        found = []
        for t in outputs:
            count, basis = _basis(t)
            one = stand_in_of(basis, t.device)
            back = cotangents([t.uop], [one], variables.values)
            rows_of = _mapped(back, variables.values, one, basis, count)
            found.append([build.reshape(g, (*t.shape, *build.shape_of(v))) for g, v in zip(rows_of, variables.values)])
        return found
    return _jacobian(function, argnums, has_aux, rows, "jacrev")


def jacfwd(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian of a function by its derivatives along each element of the arguments; the same as `jacrev`, cheap where the arguments have fewer elements
    than the value.

        morok.jacfwd(lambda x: x ** 2)(Tensor([1.0, 2.0]))      # [[2.0, 0.0], [0.0, 4.0]]
    """
    def rows(outputs: list[Any], variables: Variables) -> list[list[TensorUOp]]:
        values = [t.uop for t in outputs]
        found: list[list[TensorUOp]] = [[] for _ in outputs]
        for v, t in zip(variables.values, variables.given):
            count, basis = _basis(t)
            one = stand_in_of(basis, t.device)
            along = tangents_of(values, {v: one})
            for row, g, u in zip(found, _mapped(along, values, one, basis, count), values):
                rank = len(build.shape_of(u))
                last = build.permute(g, (*range(1, rank + 1), 0))
                row.append(build.reshape(last, (*build.shape_of(u), *build.shape_of(v))))
        return found
    return _jacobian(function, argnums, has_aux, rows, "jacfwd")


def jacobian(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian of a function, by reverse mode: `jacrev`.

        morok.jacobian(lambda x: x.sum())(Tensor([1.0, 2.0]))      # [1.0, 1.0]
    """
    return jacrev(function, argnums, has_aux)


def hessian(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The second derivatives of a function: the Jacobian of its Jacobian, of shape (*s, *t, *t).

        morok.hessian(lambda x: (x ** 3).sum())(Tensor([1.0, 2.0]))      # [[6.0, 0.0], [0.0, 12.0]]
    """
    return jacfwd(jacrev(function, argnums, has_aux), argnums, has_aux)


def hvp(function: Callable, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The function's value at the primals, which has one element, and the product of its Hessian with the tangents, in their structure; the Hessian itself is
    never made.

        morok.hvp(lambda x: (x ** 3).sum(), (Tensor([1.0, 2.0]),), (Tensor([1.0, 1.0]),))[1]      # one for each primal
    """
    if not isinstance(primals, Sequence) or not isinstance(tangents, Sequence):
        raise TypeError("hvp: primals and tangents are tuples, of the function's arguments and of a tangent for each: hvp(f, (x,), (dx,))")
    if len(primals) != len(tangents):
        raise ShapeError(f"hvp: {len(primals)} primals and {len(tangents)} tangents; there must be as many")
    _, pull = vjp(grad(function, tuple(range(len(primals)))), *primals)
    return function(*primals), pull(tuple(tangents))


def linearize(function: Callable, *primals: Any) -> tuple[Any, Callable]:
    """The function's value at the primals, and the linear function from tangents of theirs to the derivative of the value along them.

        y, push = morok.linearize(f, x); dy = push(dx)
    """
    require_function(function, "linearize")
    return function(*primals), lambda *tangents: jvp(function, primals, tangents)[1]


def _jacobian(function: Callable, argnums: int | Sequence[int], has_aux: bool, rows: Callable, what: str) -> Callable:
    require_function(function, what)
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def derivatives(*args: Any, **kwargs: Any) -> Any:
        where = [existing_argument(n, len(args), what) for n in numbers]
        with enable_grad(), Variables([args[n] for n in where], what) as variables:
            changed = list(args)
            for n, value in zip(where, variables.arguments):
                changed[n] = value
            result = function(*changed, **kwargs)
            value, aux = result if has_aux else (result, None)
            outputs = Structure(value)
            if not outputs.tensors:
                raise DTypeError(f"{what}: the function must give a Tensor, or a structure of Tensors, not {type(value).__name__}")
            for t in outputs.tensors:
                if not t.dtype.is_float:
                    raise DTypeError(f"{what}: only floats have derivatives, and the function gives a tensor of {t.dtype}; cast it, or give it by has_aux")
            found = rows(outputs.tensors, variables)
        parts = []
        for row in found:
            tree = variables.rebuilt([g._new(u) for g, u in zip(variables.given, row)])
            parts.append(tree[0] if isinstance(argnums, int) else tuple(tree))
        whole = outputs.rebuild(parts)
        return (whole, aux) if has_aux else whole
    return derivatives


def _basis(t: TensorCore) -> tuple[int, TensorUOp]:
    """The number n of elements, and the n tensors of the shape of which each is 1 at one element, along a first axis."""
    shape = concrete(t.shape)
    count = 1
    for size in shape:
        count *= size
    places = build.iota(count, T.int64)
    equal = build.alu("cmpeq", build.broadcast(build.reshape(places, (count, 1)), (count, count)), build.broadcast(places, (count, count)))
    return count, build.reshape(build.cast(equal, t.dtype), (count, *shape))


def _mapped(found: Sequence[TensorUOp | None], like: Sequence[TensorUOp], one: TensorUOp, basis: TensorUOp, count: int) -> list[TensorUOp]:
    """What reached each value from one element, for all elements; zeros where nothing did."""
    known = [g for g in found if g is not None]
    examples = iter(zip(known, batched(known, {one: basis}, count)))
    result = []
    for g, u in zip(found, like):
        if g is None:
            result.append(build.full((count, *build.shape_of(u)), 0.0, u.dtype))
        else:
            single, whole = next(examples)
            result.append(repeated(single, count) if whole is None else whole)
    return result

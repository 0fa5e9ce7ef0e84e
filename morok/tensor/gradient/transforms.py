"""Functions of functions: grad, value_and_grad, vjp, jvp, custom_gradient, stop_gradient.

Arguments may be tensors inside lists, tuples and dicts; the derivative has their structure.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import DTypeError, GradientError, ShapeError
from ...graph.derivation import add_variable, drop_variables
from ...graph.tensor_graph import TensorUOp
from .. import build
from ..arguments import require_function
from ..closed_form import with_rule
from ..core import TensorCore
from ..structures import Structure
from ..tensor import Tensor
from .forward import tangents_of
from .modes import enable_grad
from .reverse import cotangents


def grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The gradient of a function of one element as its value: a function that gives derivatives with respect to the arguments of these numbers.

    With `has_aux` the function gives (value, anything), and the gradient function (derivatives, anything). Errors: DTypeError for arguments that are not
    floats, ShapeError where the value has several elements.

        morok.grad(lambda x: (x ** 3).sum())(Tensor([1.0, 2.0]))      # [3, 12]
    """
    require_function(function, "grad")
    both = value_and_grad(function, argnums, has_aux)

    @functools.wraps(function)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, derivatives = both(*args, **kwargs)
        return (derivatives, value[1]) if has_aux else derivatives
    return gradient


def value_and_grad(function: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """As `grad`, but the function gives the value and the derivatives.

        loss, gradients = morok.value_and_grad(f)(weights)
    """
    require_function(function, "value_and_grad")
    if not isinstance(argnums, int) and not (isinstance(argnums, Sequence) and all(isinstance(n, int) for n in argnums)):
        raise TypeError(f"grad: argnums is the number of an argument or several, not {argnums!r}")
    numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    @functools.wraps(function)
    def both(*args: Any, **kwargs: Any) -> Any:
        where = [existing_argument(n, len(args), "grad") for n in numbers]
        with enable_grad(), Variables([args[n] for n in where], "grad") as variables:
            changed = list(args)
            for n, value in zip(where, variables.arguments):
                changed[n] = value
            result = function(*changed, **kwargs)
            if has_aux and not (isinstance(result, tuple) and len(result) == 2):
                raise TypeError(f"grad: with has_aux the function gives (value, anything), not {type(result).__name__}")
            value = result[0] if has_aux else result
            if not isinstance(value, TensorCore):
                raise DTypeError(f"grad: the function must give a Tensor{' and anything' if has_aux else ''}, not {type(value).__name__}")
            if value.numel() != 1:
                raise ShapeError(f"grad: the function's value must have one element, not shape {value.shape}; reduce it, or use vjp or jacobian")
            derivatives = variables.pulled_back([value], [value._new(build.full(value.shape, 1.0, value.dtype))])
        found = variables.rebuilt(derivatives)
        return result, found[0] if isinstance(argnums, int) else tuple(found)
    return both


def vjp(function: Callable, *primals: Any) -> tuple[Any, Callable]:
    """The function's value at the primals, and a function from a cotangent (of the value's structure) to those of the primals.

        y, pull = morok.vjp(lambda x: x * x, Tensor([3.0]))
        (dx,) = pull(Tensor([1.0]))
    """
    require_function(function, "vjp")
    with enable_grad():
        variables = Variables(list(primals), "vjp")
        result = function(*variables.arguments)
    outputs = Structure(result)

    def pull(cotangent: Any) -> tuple:
        given = matching(outputs, cotangent, "vjp")
        return tuple(variables.rebuilt(variables.pulled_back(list(outputs.tensors), given)))
    return result, pull


def jvp(function: Callable, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """The function's value at the primals, and its derivative along the tangents.

    By forward mode: nothing is kept, and what has no derivative by reverse mode (while_loop) has this one.

        y, dy = morok.jvp(lambda x: x * x, (Tensor([3.0]),), (Tensor([1.0]),))
    """
    require_function(function, "jvp")
    if not isinstance(primals, Sequence) or not isinstance(tangents, Sequence):
        raise TypeError("jvp: primals and tangents are tuples, of the function's arguments and of a tangent for each: jvp(f, (x,), (dx,))")
    if len(primals) != len(tangents):
        raise ShapeError(f"jvp: {len(primals)} primals and {len(tangents)} tangents; there must be as many")
    with enable_grad(), Variables(list(primals), "jvp") as variables:
        along = matching(Structure(list(primals)), list(tangents), "jvp")
        result = function(*variables.arguments)
        outputs = Structure(result)
        pushed = tangents_of([t.uop for t in outputs.tensors], {u: t.uop for u, t in zip(variables.values, along)})
        moved = [t._new(build.full(t.shape, 0.0, t.dtype) if g is None else g) for t, g in zip(outputs.tensors, pushed)]
    return result, outputs.rebuild(moved)


def custom_gradient(function: Callable) -> Callable:
    """A function with a derivative of the user's: it gives (value, rule), and rule(cotangent) gives what reaches each tensor among the arguments.

        @morok.custom_gradient
        def clipped(x):
            return x, lambda g: g.clip(-1, 1)
    """
    require_function(function, "custom_gradient")

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        tree = Structure(list(args))
        inputs = list(tree.tensors)
        values = tuple(t.uop for t in inputs)
        result = function(*tree.rebuild([t._new(build.detach(u)) for t, u in zip(inputs, values)]))
        if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[0], TensorCore) and callable(result[1])):
            raise GradientError("custom_gradient: the function must give a Tensor and a function of its cotangent")
        value, rule = result

        def reach(g: TensorUOp) -> tuple[TensorUOp | None, ...]:
            parts = rule(value._new(g))
            parts = list(parts) if isinstance(parts, (tuple, list)) else [parts]
            if len(parts) != len(inputs):
                raise GradientError(f"custom_gradient: the rule gives {len(parts)} cotangents for {len(inputs)} tensors among the arguments")
            for part, given in zip(parts, values):
                if part is not None and part.shape != build.shape_of(given):
                    raise ShapeError(f"custom_gradient: a cotangent of shape {part.shape} for a tensor of shape {build.shape_of(given)}")
            return tuple(None if p is None else build.cast(p.uop, v.dtype) for p, v in zip(parts, values))
        return value._new(with_rule(value.uop, values, reach))
    return call


def stop_gradient(tree: Any) -> Any:
    """The same, its tensors (of any shape, in lists, tuples and dicts too) cut off from gradients.

        morok.stop_gradient(Tensor([1.0, 2.0]))  # [1.0, 2.0]
    """
    found = Structure(tree)
    return found.rebuild([t.detach() for t in found.tensors])


class Variables:
    """Arguments with tensors of their own in the place of each tensor, as variables of differentiation while the block runs."""

    def __init__(self, arguments: list[Any], what: str) -> None:
        self._tree = Structure(arguments)
        self.given = list(self._tree.tensors)
        if not self.given:
            raise DTypeError(f"{what}: there is no tensor among the arguments to differentiate with respect to")
        for t in self.given:
            if not t.dtype.is_float:
                raise DTypeError(f"{what}: only floats have derivatives, not a tensor of {t.dtype}; cast it, or leave it out by argnums")
        self.values = [TensorUOp.stand_alone(t.uop) for t in self.given]
        for u in self.values:
            add_variable(u)
        self.arguments = self._tree.rebuild([t._new(u) for t, u in zip(self.given, self.values)])

    def __enter__(self) -> Variables:
        return self

    def __exit__(self, *_: Any) -> None:
        drop_variables(self.values)

    def pulled_back(self, outputs: list[Any], given: list[Any]) -> list[Any]:
        found = cotangents([t.uop for t in outputs], [g.uop for g in given], self.values)
        return [t._new(build.full(t.shape, 0.0, t.dtype) if g is None else g) for t, g in zip(self.given, found)]

    def rebuilt(self, tensors: list[Any]) -> list[Any]:
        return self._tree.rebuild(tensors)


def existing_argument(number: int, count: int, what: str) -> int:
    if not -count <= number < count:
        raise ShapeError(f"{what}: argnums names argument {number}, but the function was called with {count}")
    return number % count


def matching(outputs: Structure, given: Any, what: str) -> list[Any]:
    """Tensors of the structure, shapes and dtypes of others."""
    found = list(Structure(given).tensors)
    wanted = list(outputs.tensors)
    if len(found) == 0 and len(wanted) == 1:
        found = [Tensor(given, dtype=wanted[0].dtype)]
    if len(found) != len(wanted):
        raise ShapeError(f"{what}: {len(found)} tensors given for {len(wanted)}; they correspond one by one")
    for f, w in zip(found, wanted):
        if f.shape != w.shape:
            raise ShapeError(f"{what}: a tensor of shape {f.shape} for one of shape {w.shape}")
    return [f.cast(w.dtype) for f, w in zip(found, wanted)]

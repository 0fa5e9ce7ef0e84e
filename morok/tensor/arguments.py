"""Arguments as callers write them: axes, shapes, pairs; and PyTorch's and NumPy's other names for them."""
from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from ..errors import AxisError, MorokError, ShapeError
from .sizes import Shape, countable, require

Function = TypeVar("Function", bound=Callable[..., Any])


def also_named(**names: str) -> Callable[[Function], Function]:
    """Lets keywords have other names too: `also_named(dim="axis")`. For type checkers the function says the same by `**other: Unpack[...]`
    (other_names.py), which it is never given: keywords that it does not have raise TypeError, as without."""
    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        named = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        allowed = {p.name for p in named}

        @wraps(function)
        def renamed(*args: Any, **keywords: Any) -> Any:
            if keywords:
                for other in names.keys() & keywords.keys():
                    if names[other] in keywords:
                        raise TypeError(f"{function.__name__}: {other} and {names[other]} are two names of one argument; give one")
                    keywords[names[other]] = keywords.pop(other)
                if not keywords.keys() <= allowed:
                    unknown = next(name for name in keywords if name not in allowed)
                    raise TypeError(f"{function.__qualname__}() got an unexpected keyword argument {unknown!r}")
            return function(*args, **keywords)
        renamed.__signature__ = signature.replace(parameters=named)  # type: ignore[attr-defined]
        return renamed  # type: ignore[return-value]
    return decorate


def under_its_own_name(function: Function) -> Function:
    """A method made of others: their errors name this one, which is what the caller wrote, and not the part that found the fault."""
    name = function.__name__

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        try:
            return function(*args, **keywords)
        except (MorokError, TypeError, OverflowError) as error:
            part, colon, rest = str(error).partition(": ")
            if colon and part.isidentifier():
                error.args = (f"{name}: {rest}",)
            raise
    return called  # type: ignore[return-value]


def reduction(function: Function) -> Function:
    """A method that reduces, with what PyTorch and NumPy call its arguments. NumPy's functions are the methods of what they are given:
    `np.std(x)` is `x.std(axis=None, dtype=None, out=None, ddof=0)`."""
    names = {"dim": "axis", "keepdims": "keepdim"}
    if "correction" in inspect.signature(function).parameters:
        names["ddof"] = "correction"
    named = under_its_own_name(also_named(**names)(function))

    @wraps(named)
    def reduced(*args: Any, **keywords: Any) -> Any:
        if keywords.pop("out", None) is not None:
            raise TypeError(f"{function.__name__}: takes no out; assign the result: out.assign(...)")
        if "dtype" in keywords and keywords["dtype"] is None:
            del keywords["dtype"]
        return named(*args, **keywords)
    return reduced  # type: ignore[return-value]


def integer(value: Any, what: str) -> int:
    """An int, or what Python takes for one; TypeError says what was given."""
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{what} must be an int, not {value!r}")


def number(value: Any, what: str) -> float:
    """A Python or NumPy number as a float."""
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        return float(value)
    raise TypeError(f"{what} must be a number, not {value!r}")


def require_function(value: Any, what: str) -> None:
    """TypeError where something else than a function is given to be called later."""
    if not callable(value):
        raise TypeError(f"{what}: takes a function, not {value!r}")


def normal_axis(axis: Any, ndim: int, what: str) -> int:
    """The axis from 0 to ndim - 1; AxisError where there is none."""
    axis = integer(axis, f"{what}: axis")
    if not -ndim <= axis < ndim:
        given = f"from {-ndim} to {ndim - 1}" if ndim else "none: it is 0-d"
        raise AxisError(f"{what}: axis {axis} does not exist in a tensor of {ndim} axes; allowed are {given}")
    return axis % ndim if ndim else 0


def normal_axes(axis: Any, ndim: int, what: str) -> tuple[int, ...]:
    """Axes, sorted: all for None, one for an int, each once for a tuple."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (normal_axis(axis, ndim, what),)
    axes = sorted(normal_axis(a, ndim, what) for a in axis)
    if len(set(axes)) != len(axes):
        raise AxisError(f"{what}: axes {tuple(axis)} name one axis twice in a tensor of {ndim} axes")
    return tuple(axes)


def flattened(args: tuple, what: str) -> tuple:
    """`f(2, 3)` and `f((2, 3))` alike."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        return tuple(args[0])
    return args


def shape_argument(args: tuple, what: str) -> Shape:
    """A shape from `f(2, 3)`, `f((2, 3))` or `f(2)`."""
    return countable(tuple(require(s, what) for s in flattened(args, what)), what)


def per_axis(value: Any, count: int, what: str) -> tuple[int, ...]:
    """An int for each of `count` axes, from one int or a tuple."""
    if isinstance(value, (tuple, list)):
        if len(value) != count:
            raise ShapeError(f"{what}: needs one int or {count}, given {tuple(value)}")
        return tuple(integer(v, what) for v in value)
    return (integer(value, what),) * count

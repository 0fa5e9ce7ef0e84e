"""The NumPy oracle: what a program means, in tensor, range, kernel, optimised and vector form.

Slow and plain; every stage of the compiler can be compared with it.

    [c] = interpret(program, "main", [a, b], {"n": 5})

The package itself can be called too, so that `morok.interpret(...)` and `from morok import interpret` are this function whatever was imported
before: Python binds a package's name in its parent when any module of it is imported.
"""
from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType

import numpy as np

from ..dialect import types as T
from ..errors import IRError
from ..graph.body import Body, Program
from .kernel_form import run_kernel, run_kernel_form
from .memory import Variables, bind_arguments, bound_variables
from .range_form import RangeForm
from .tensor_form import run_tensor_form

__all__ = ["interpret"]


def interpret(program: Program, function: str = "main", inputs: Sequence[np.ndarray] = (),
              variables: Variables | None = None) -> list[np.ndarray]:
    """The results of a function as new arrays; the inputs stay as they are. A function without results, as a kernel, gives its arguments
    as they are after the run.

    `variables` gives define_vars their values by name. BoundsError, ShapeError or IRError name the op that cannot be computed.
    """
    body = program.bodies.get(function)
    if body is None:
        known = ", ".join("@" + name for name in program.bodies) or "none"
        raise IRError(f"the program has no straight-line morok function @{function}; it has {known}")
    arguments, given = bind_arguments(body, inputs), variables or {}
    if any(u.name == "kernel" for u in body.order()):
        return run_kernel_form(program, body, arguments, given)
    if is_tensor_form(body):
        return run_tensor_form(body, arguments, bound_variables(body, given))
    if body.is_kernel or not body.results:
        run_kernel(body, arguments, given)
        return arguments
    return RangeForm(body, arguments, bound_variables(body, given)).run()


def is_tensor_form(body: Body) -> bool:
    return any(isinstance(u.type, T.TensorType) for u in (*body.arguments, *body.order()))


class _Callable(ModuleType):
    """This package, called as its function."""

    __call__ = staticmethod(interpret)


sys.modules[__name__].__class__ = _Callable

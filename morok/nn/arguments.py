"""What functions of layers take."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ..errors import DTypeError
from ..tensor.tensor import Tensor

Function = TypeVar("Function", bound=Callable[..., Any])


def of_tensor(function: Function) -> Function:
    """A function whose first argument is a Tensor, and nothing that could become one: DTypeError says so before anything else can go wrong."""
    name, first = function.__name__, next(iter(function.__code__.co_varnames))

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        given = args[0] if args else keywords.get(first)
        if not isinstance(given, Tensor) and (args or first in keywords):
            raise DTypeError(f"{name}: {first} is a Tensor, not {type(given).__name__}; Tensor(...) makes one")
        return function(*args, **keywords)
    return called  # type: ignore[return-value]

"""NumPy's calls of draws: `normal(loc=0, scale=1, size=(2, 3))`, `uniform(-1, 1, (2, 3))`, `integers`, `standard_normal`, `random`."""
from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from ...errors import BoundsError
from ..annotations import DTypeLike, ShapeLike
from ..arguments import also_named
from ..tensor import Tensor
from .generator import Generator

Draw = TypeVar("Draw", bound=Callable[..., Tensor])


def as_numpys(*parameters: str, **names: str) -> Callable[[Draw], Draw]:
    """Lets a draw `f(*shape, mean=, std=)` be called as NumPy's too: the shape as `size=`, or behind the parameters, `f(0, 1, (2, 3))`, where it is a tuple or
    list so that nothing else is meant; and the parameters by their other names."""
    def decorate(function: Draw) -> Draw:
        named = also_named(**names)(function)

        @wraps(named)
        def drawn(*shape: Any, **keywords: Any) -> Tensor:
            if len(shape) == len(parameters) + 1 and isinstance(shape[-1], (tuple, list)) and not any(isinstance(s, (tuple, list)) for s in shape[:-1]):
                keywords.update(zip(parameters, shape))
                shape = shape[-1:]
            if "size" in keywords:
                if shape:
                    raise TypeError(f"{function.__name__}: takes the shape as sizes or as size=, not both; given {shape} and {keywords['size']!r}")
                size = keywords.pop("size")
                shape = () if size is None else (size,)
            return named(*shape, **keywords)
        return drawn  # type: ignore[return-value]
    return decorate


def integers(low: int, high: int | None = None, size: Any = (), dtype: DTypeLike = None, endpoint: bool = False, generator: Generator | None = None,
             device: str | None = None) -> Tensor:
    """NumPy's randint: integers from low up to but without high (from 0 with one bound), or with it as `endpoint`, of the shape `size`; int64 unless a dtype is
    given. Errors are those of randint.

        morok.random.integers(0, 10, (4,)).shape      # (4,)
    """
    from .distributions import randint
    if high is None:
        low, high = 0, low
    if endpoint and isinstance(high, float):
        raise BoundsError(f"integers: high must be an int, not {high!r}")
    return randint(low, high + 1 if endpoint else high, () if size is None else size, dtype=dtype, generator=generator, device=device)


def standard_normal(size: ShapeLike | None = None, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """NumPy's: numbers of the normal distribution of mean 0 and standard deviation 1, of the shape `size`. Errors are those of normal.

        morok.random.standard_normal((2, 3)).shape      # (2, 3)
    """
    from .distributions import normal
    return normal(() if size is None else size, dtype=dtype, generator=generator, device=device)

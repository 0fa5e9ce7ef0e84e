"""PyTorch's names of the commonest draws."""
from __future__ import annotations

from typing import Any

from ...errors import DTypeError
from ..annotations import DTypeLike, ShapeLike
from ..tensor import Tensor
from .distributions import normal, uniform
from .generator import Generator


def _tensor(t: Any, what: str) -> Tensor:
    if not isinstance(t, Tensor):
        raise DTypeError(f"{what}: takes a Tensor, not {type(t).__name__}; Tensor(...) makes one")
    return t


def rand(*shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """PyTorch's: uniform from 0 up to but without 1.

        morok.rand(2, 3).shape      # (2, 3)
    """
    x = uniform(*shape, dtype=dtype, generator=generator, device=device)
    return x.requires_grad_() if requires_grad else x


def randn(*shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """PyTorch's: the normal distribution of mean 0 and standard deviation 1.

        morok.randn(2, 3, requires_grad=True).shape      # (2, 3)
    """
    x = normal(*shape, dtype=dtype, generator=generator, device=device)
    return x.requires_grad_() if requires_grad else x


def rand_like(t: Tensor, dtype: DTypeLike = None, generator: Generator | None = None) -> Tensor:
    """PyTorch's: uniform from 0 up to but without 1, of a tensor's shape, dtype and device.

        morok.rand_like(Tensor([1.0, 2.0])).shape      # (2,)
    """
    return _tensor(t, "rand_like").rand_like(dtype, generator)


def randn_like(t: Tensor, dtype: DTypeLike = None, generator: Generator | None = None) -> Tensor:
    """PyTorch's: normal numbers of a tensor's shape, dtype and device.

        morok.randn_like(Tensor([1.0, 2.0])).shape      # (2,)
    """
    return _tensor(t, "randn_like").randn_like(dtype, generator)


def randint_like(t: Tensor, low: int, high: int | None = None, dtype: DTypeLike = None, generator: Generator | None = None) -> Tensor:
    """PyTorch's: integers from low up to but without high (from 0 with one bound), of a tensor's shape, dtype and device.

        morok.randint_like(Tensor([1, 2]), 10).shape      # (2,)
    """
    return _tensor(t, "randint_like").randint_like(low, high, dtype, generator)

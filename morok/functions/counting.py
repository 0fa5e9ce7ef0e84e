"""How often values occur."""
from __future__ import annotations

from typing import Any

from ..tensor.tensor import Tensor
from .operands import tensor_of


def bincount(x: Any, weights: Any = None, minlength: int = 0, length: int | None = None) -> Tensor:
    """How often each of 0, 1, 2, ... occurs among non-negative integers, or the sum of the weights where it does.

    `x` and the weights are tensors or array-likes of one axis. Without `length` the greatest value is computed at once. Errors are those of Tensor.bincount.

        morok.bincount([1, 3, 1])  # [0, 2, 0, 1]
    """
    return tensor_of(x).bincount(weights, minlength, length)


def histogram(x: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> tuple[Tensor, Tensor]:
    """How many elements lie in each bin, and the edges of the bins, as NumPy's.

    `x` is a tensor or array-like of any shape, the weights of the same. Errors are those of Tensor.histogram.

        morok.histogram([1.0, 2.0, 1.0, 4.0], 3)[0]  # [2, 1, 1]
    """
    return tensor_of(x).histogram(bins, range, density, weights)


def histc(x: Any, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements lie in each of `bins` bins of equal width from min to max, in x's dtype, as PyTorch's.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.histc.

        morok.histc([1.0, 2.0, 1.0, 4.0], 4, 0, 4)  # [0.0, 2.0, 1.0, 1.0]
    """
    return tensor_of(x).histc(bins, min, max)

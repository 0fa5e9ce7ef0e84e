"""The normal distribution between two bounds, by the inverse of its cumulative function."""
from __future__ import annotations

import math

from ...dialect import types as T
from ...errors import BoundsError
from ..annotations import DTypeLike, ShapeLike
from ..arguments import number, shape_argument
from ..special.error_functions import ndtri
from ..tensor import Tensor
from .distributions import floating, open_numbers
from .generator import Generator

_FARTHEST = 37.0
"""Standard deviations beyond which float64 has no probability left."""


def truncated_normal(*shape: ShapeLike, mean: float = 0.0, std: float = 1.0, low: float = -2.0, high: float = 2.0, dtype: DTypeLike = None,
                     generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Numbers of the normal distribution of that mean and standard deviation, given that they lie from low to high.

    BoundsError where low is not less than high, or both lie more than 37 standard deviations off.

        morok.random.truncated_normal(2, 3, std=0.02, low=-0.04, high=0.04).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "truncated_normal"), floating(dtype, "truncated_normal")
    mean, std = number(mean, "truncated_normal: mean"), number(std, "truncated_normal: std")
    low, high = number(low, "truncated_normal: low"), number(high, "truncated_normal: high")
    if not std > 0 or not low < high:
        raise BoundsError(f"truncated_normal: std must be positive and low less than high, given std {std}, low {low}, high {high}")
    first, last = (low - mean) / std, (high - mean) / std
    if first > _FARTHEST or last < -_FARTHEST:
        raise BoundsError(f"truncated_normal: from {first} to {last} standard deviations off the mean float64 has no probability left; at most {_FARTHEST}")
    sign = -1.0 if first > 0 else 1.0  # where small probabilities are told apart, in the lower tail
    if sign < 0:
        first, last = -last, -first
    begin, end = (0.5 * math.erfc(-x / math.sqrt(2)) for x in (first, last))
    u = open_numbers(sizes, T.float64, generator, device)
    p = u * (end - begin) + begin
    x = ndtri(p) * (sign * std) + mean
    return x.clip(low, high).cast(wanted).clip(low, high)

"""The Poisson distribution: counts of events that happen at a rate."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...dialect import types as T
from ...errors import BoundsError, DTypeError
from .. import dtypes
from ..annotations import DTypeLike, ShapeLike
from ..arguments import number, shape_argument
from ..sizes import Shape
from ..tensor import Tensor
from .distributions import first_accepted, source_of, unit_numbers
from .generator import Generator

_LARGE = 10.0
"""The rate from which numbers are drawn by rejection; below, by adding up probabilities."""
_MOST = 45
"""Which at a rate of 10 is exceeded once in 10**14 draws."""
_TRIALS = 16
"""Of which each is accepted with a probability of 0.8 at least."""
_GREATEST_RATE = 2.0**40


def poisson(rate: Any, *shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Counts of events that happen at a rate: mean and variance are the rate, a number or a tensor of floats that broadcasts to the shape, by default its
    own; int64 unless a dtype is given. From a rate of 10 by the transformed rejection of Hoermann (1993).

    BoundsError for a number that is negative or above 2**40; elements of a tensor that are negative or NaN count as 0, greater ones as 2**40. DTypeError for
    rates that are no floats.

        morok.random.poisson(4.0, 3).shape      # (3,)
        morok.random.poisson(Tensor([0.0, 100.0])).shape      # (2,)
    """
    wanted = dtypes.default_int() if dtype is None else dtypes.as_dtype(dtype)
    if wanted is T.bool_:
        raise DTypeError("poisson: the dtype is one of numbers, not bool")
    if isinstance(rate, Tensor):
        if not rate.dtype.is_float:
            raise DTypeError(f"poisson: rates are floats, not {rate.dtype}; cast first")
        sizes = shape_argument(shape, "poisson") if shape else rate.shape
        rates = rate.detach().cast(T.float64).expand(sizes)
        source = source_of(generator, rate.device)
        rates = rates.where(rates > 0.0, 0.0).minimum(_GREATEST_RATE)
        return _few(rates.minimum(_LARGE), sizes, source).where(rates < _LARGE, _many(rates.maximum(_LARGE), sizes, source)).cast(wanted)
    value, sizes = number(rate, "poisson: rate"), shape_argument(shape, "poisson")
    if not 0 <= value <= _GREATEST_RATE:
        raise BoundsError(f"poisson: rate must be from 0 to 2**40, given {rate}")
    source = source_of(generator, device)
    rates = Tensor(np.array(value, np.float64), device=source.device).expand(sizes)
    return (_few if value < _LARGE else _many)(rates, sizes, source).cast(wanted)


def _few(rates: Tensor, sizes: Shape, source: Generator) -> Tensor:
    """How many of the sums of probabilities a uniform number exceeds."""
    u = unit_numbers(source.blocks(sizes), T.float64)
    probability = (-rates).exp()
    total, count = probability, (u >= probability).cast(T.float64)
    for k in range(1, _MOST):
        probability = probability * rates * (1.0 / k)
        total = total + probability
        count = count + (u >= total).cast(T.float64)
    return count


def _many(rates: Tensor, sizes: Shape, source: Generator) -> Tensor:
    """Algorithm PTRS: the first of some trials that is accepted."""
    trials = (*sizes, _TRIALS)
    rates = rates.unsqueeze(-1)
    b = rates.sqrt() * 2.53 + 0.931
    a = b * 0.02483 - 0.059
    inverse_alpha = 1.1328 / (b - 3.4) + 1.1239
    u = unit_numbers(source.blocks(trials), T.float64) - 0.5
    v = 1.0 - unit_numbers(source.blocks(trials), T.float64)
    distance = 0.5 - u.abs()
    k = ((a * 2.0 / distance.maximum(1e-16) + b) * u + rates + 0.43).floor()
    inside = (distance >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2.0))
    outside = (k < 0.0) | ((distance < 0.013) & (v > distance))
    density = k.maximum(0.0) * rates.log() - rates - log_factorial(k.maximum(0.0))
    under = (v * inverse_alpha / (a / (distance * distance).maximum(1e-30) + b)).log() <= density
    return first_accepted(inside | (~outside & under), k)


def log_factorial(k: Tensor) -> Tensor:
    """log(k!) of float64: Stirling's series, eight above k."""
    shifted = k + 9.0
    product = k + 1.0
    for i in range(2, 9):
        product = product * (k + float(i))
    inverse = 1.0 / shifted
    square = inverse * inverse
    series = inverse * (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680))))
    return (shifted - 0.5) * shifted.log() - shifted + 0.5 * math.log(2 * math.pi) + series - product.log()

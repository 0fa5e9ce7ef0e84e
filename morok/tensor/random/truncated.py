"""The normal distribution between two bounds, by the inverse of its cumulative function."""
from __future__ import annotations

import math

from ...dialect import types as T
from ...errors import BoundsError
from ..annotations import DTypeLike, ShapeLike
from ..arguments import number, shape_argument
from ..tensor import Tensor
from .distributions import floating, open_numbers
from .generator import Generator

_CENTRE = ((3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4, 4.5921953931549871457e4,
            6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3),
           (1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
            2.8729085735721942674e4, 5.2264952788528545610e3))
_TAIL = ((1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0, 1.27045825245236838258e0,
          2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4),
         (1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
          5.47593808499534494600e-4, 1.05075007164441684324e-9))
_FAR = ((6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1, 2.65321895265761230930e-2,
         1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7),
        (1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
         1.42151175831644588870e-7, 2.04426310338993978564e-15))
"""Coefficients of algorithm AS 241, numerators and denominators from the constant on."""
_FARTHEST = 37.0
"""Standard deviations beyond which float64 has no probability left."""


def inverse_normal(p: Tensor) -> Tensor:
    """Where the normal distribution's cumulative function is p, float64: algorithm AS 241 (Wichura 1988), about 16 digits."""
    q = p - 0.5
    square = 0.180625 - q * q
    r = (-(p.minimum(1.0 - p)).log()).sqrt()
    tail = _ratio(_TAIL, r - 1.6).where(r <= 5.0, _ratio(_FAR, r - 5.0))
    return (q * _ratio(_CENTRE, square)).where(square >= 0.0, (-tail).where(q < 0.0, tail))


def _ratio(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Tensor) -> Tensor:
    top, bottom = (_polynomial(c, x) for c in coefficients)
    return top / bottom


def _polynomial(coefficients: tuple[float, ...], x: Tensor) -> Tensor:
    value = x * coefficients[-1] + coefficients[-2]
    for c in coefficients[-3::-1]:
        value = value * x + c
    return value


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
    x = inverse_normal(u * (end - begin) + begin) * (sign * std) + mean
    return x.clip(low, high).cast(wanted).clip(low, high)

"""erfc, erfcx, erfinv and the normal distribution's functions, of float64 tensors.

Complements by W. J. Cody's rational approximations ("Rational Chebyshev approximations for the error function", 1969), inverses by algorithm AS 241
(Wichura 1988). exp(-x * x) takes x in two parts, since an error of the square would be an error of the result so many times as great.
"""
from __future__ import annotations

import math
from typing import Any

from .normal_quantile import normal_quantile
from .series import polynomial, with_derivative

MIDDLE = ((1.23033935479799725e3, 2.05107837782607147e3, 1.71204761263407058e3, 8.81952221241769090e2, 2.98635138197400131e2, 6.61191906371416295e1,
           8.88314979438837594e0, 5.64188496988670089e-1, 2.15311535474403846e-8),
          (1.23033935480374942e3, 3.43936767414372164e3, 4.36261909014324716e3, 3.29079923573345963e3, 1.62138957456669019e3, 5.37181101862009858e2,
           1.17693950891312499e2, 1.57449261107098347e1, 1.0))
"""erfc(x) * exp(x * x) from 15/32 to 4."""
FAR = ((6.58749161529837803e-4, 1.60837851487422766e-2, 1.25781726111229246e-1, 3.60344899949804439e-1, 3.05326634961232344e-1, 1.63153871373020978e-2),
       (2.33520497626869185e-3, 6.05183413124413191e-2, 5.27905102951428412e-1, 1.87295284992346725e0, 2.56852019228982242e0, 1.0))
"""The same beyond, of 1 / (x * x)."""
FARTHEST = 40.0
"""Where exp(-x * x / 2) is nothing in float64."""


def exp_of_minus_square(x: Any, scale: float = 1.0) -> Any:
    """exp(-scale * x * x), for x of at most FARTHEST: x in a part of few bits, whose square is exact, and a rest."""
    head = (x * 16.0).trunc() / 16.0
    rest = (x - head) * (x + head)
    return (head * head * -scale).exp() * (rest * -scale).exp()


def scaled(y: Any) -> Any:
    """erfc(y) * exp(y * y) of y from 1/2 on."""
    near = y.minimum(4.0)
    inverse = 1.0 / (y.maximum(4.0) * y.maximum(4.0))
    far = (1 / math.sqrt(math.pi) - inverse * polynomial(inverse, FAR[0]) / polynomial(inverse, FAR[1])) / y
    return (polynomial(near, MIDDLE[0]) / polynomial(near, MIDDLE[1])).where(y.le(4.0), far)


def _away(x: Any) -> Any:
    """|x|, at least 1/2."""
    return x.abs().maximum(0.5)


def erfc(x: Any) -> Any:
    def value(x: Any) -> Any:
        tail = scaled(_away(x)) * exp_of_minus_square(_away(x).minimum(FARTHEST))
        return (1.0 - x.erf()).where(x.abs().lt(0.5), (2.0 - tail).where(x.lt(0), tail))
    return with_derivative(x, value, lambda x: exp_of_minus_square(x.clip(-FARTHEST, FARTHEST)) * (-2 / math.sqrt(math.pi)))


def erfcx(x: Any) -> Any:
    def value(x: Any) -> Any:
        tail = scaled(_away(x))
        size = x.abs().minimum(FARTHEST)
        negative = 2.0 / exp_of_minus_square(size) - tail
        return ((x * x).exp() * (1.0 - x.erf())).where(x.abs().lt(0.5), negative.where(x.lt(0), tail))
    return with_derivative(x, value, lambda x: x * 2.0 * erfcx(x) - 2 / math.sqrt(math.pi))


def erfinv(x: Any) -> Any:
    def value(x: Any) -> Any:
        size = x.abs()
        return (normal_quantile(size * 0.5, (1.0 - size) * 0.5) / math.sqrt(2)).copysign(x)
    return with_derivative(x, value, lambda x: (erfinv(x) * erfinv(x)).exp() * (math.sqrt(math.pi) / 2))


def ndtri(p: Any) -> Any:
    def value(p: Any) -> Any:
        upper = 1.0 - p
        return normal_quantile((p - 0.5).abs(), p.minimum(upper)).copysign(p - 0.5)
    return with_derivative(p, value, lambda p: (ndtri(p) * ndtri(p) * 0.5).exp() * math.sqrt(2 * math.pi))


def _beyond(size: Any) -> Any:
    """The normal distribution's probability above a positive number of at least sqrt(2) / 2."""
    return scaled((size / math.sqrt(2)).maximum(0.5)) * exp_of_minus_square(size.minimum(FARTHEST), 0.5) * 0.5


def ndtr(x: Any) -> Any:
    def value(x: Any) -> Any:
        u = x.abs() / math.sqrt(2)
        tail = _beyond(x.abs())
        return (0.5 + (x / math.sqrt(2)).erf() * 0.5).where(u.lt(0.5), tail.where(x.lt(0), 1.0 - tail))
    return with_derivative(x, value, _density)


def _density(x: Any) -> Any:
    return exp_of_minus_square(x.clip(-FARTHEST, FARTHEST), 0.5) * (1 / math.sqrt(2 * math.pi))


def log_ndtr(x: Any) -> Any:
    def value(x: Any) -> Any:
        middle = (-erfc(x.clip(-1.0, 1.0) / math.sqrt(2)) * 0.5).log1p()
        left = scaled((-x / math.sqrt(2)).maximum(0.5))
        return ((left * 0.5).log() - x * x * 0.5).where(x.lt(-1.0), middle.where(x.lt(1.0), (-_beyond(x)).log1p()))
    return with_derivative(x, value, lambda x: math.sqrt(2 / math.pi) / erfcx(-x / math.sqrt(2)))

"""The gamma function, its logarithm and the derivatives of that, of float64 tensors.

Between 3/2 and 5/2 Taylor's series of the logarithm about 2, whose coefficients are zeta(k) - 1; elsewhere the recurrence leads there, or to where
Stirling's series holds; reflection for negative numbers (Abramowitz and Stegun 1964, sections 6.1, 6.3 and 6.4).
"""
from __future__ import annotations

import math
from typing import Any

from .series import BERNOULLI, EULER, ZETAS, polynomial, sine_of_pi_times, with_derivative

TAYLOR = (1.0 - EULER, *(z * (-1) ** k / k for k, z in enumerate(ZETAS, 2)))
"""log(gamma(2 + z)) / z, of z."""
STIRLING = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1))
"""What Stirling's formula lacks, times x, of 1 / (x * x)."""
DIGAMMA = tuple(-b / (2 * k) for k, b in enumerate(BERNOULLI, 1))
LARGE = 11
"""From where on Stirling's series is exact to float64."""


def about_two(z: Any) -> Any:
    """log(gamma(2 + z)) of z from -1/2 to 1/2."""
    return z * polynomial(z, TAYLOR)


def _steps_down(x: Any) -> tuple[Any, Any]:
    """What x between 1/2 and LARGE is above 2 when 1 is taken away until it is within 1/2 of that, and the product of what was passed by."""
    product = x.ones_like()
    for _ in range(LARGE - 2):
        above = x.gt(2.5)
        x = (x - 1.0).where(above, x)
        product = (product * x).where(above, product)
    return x - 2.0, product


def _log_gamma_of_positive(x: Any) -> Any:
    small = x.minimum(1.5)
    below = about_two((small - 1.0).where(x.ge(0.5), small)) - (small - 1.0).where(x.ge(0.5), small).log1p()  # log gamma(1 + z), z exact
    below = below.where(x.ge(0.5), below - small.log())
    rest, product = _steps_down(x.clip(1.5, LARGE))
    large = x.maximum(LARGE)
    inverse = 1.0 / large
    stirling = (large - 0.5) * (large.log() - 1.0) + (0.5 * math.log(2 * math.pi) - 0.5) + inverse * polynomial(inverse * inverse, STIRLING)
    found = below.where(x.lt(1.5), (about_two(rest) + product.log()).where(x.lt(LARGE), stirling))
    return found.where(x.ne(math.inf), math.inf)


def lgamma(x: Any) -> Any:
    def value(x: Any) -> Any:
        size = x.abs()
        positive = _log_gamma_of_positive(size)
        sine = sine_of_pi_times(size.where(size.isfinite(), 0.0)).abs()
        reflected = math.log(math.pi) - (size.log() + sine.log()) - positive
        reflected = reflected.where(size.ne(size.floor()), math.inf)  # a pole, and so it is at minus infinity
        return positive.where(x.gt(0) | x.isnan(), reflected)
    return with_derivative(x, value, digamma)


def gamma(x: Any) -> Any:
    def value(x: Any) -> Any:
        size = x.abs()
        small = size.minimum(1.5)
        rest = (small - 1.0).where(size.ge(0.5), small)
        below = about_two(rest).exp() / (1.0 + rest)
        below = below.where(size.ge(0.5), below / small)
        z, product = _steps_down(size.clip(1.5, LARGE))
        large = size.clip(LARGE, 200.0)
        inverse = 1.0 / large
        half = large.pow(large * 0.5 - 0.25)  # its square may be more than float64 has, e ** -x of it is not
        correction = (inverse * polynomial(inverse * inverse, STIRLING)).exp() * math.sqrt(2 * math.pi)
        stirling = half * ((-large).exp() * correction) * half
        positive = below.where(size.lt(1.5), (about_two(z).exp() * product).where(size.lt(LARGE), stirling))
        reflected = -math.pi / (size * sine_of_pi_times(size.where(size.isfinite(), 0.5)) * positive)
        reflected = reflected.where(size.ne(size.floor()) & size.isfinite(), math.nan).where(x.ne(0), (1.0 / x))
        return positive.where(x.gt(0) | x.isnan(), reflected)
    return with_derivative(x, value, lambda x: gamma(x) * digamma(x))


def digamma(x: Any) -> Any:
    def value(x: Any) -> Any:
        negative = x.lt(0)
        y = (1.0 - x).where(negative, x).where(x.ne(0), 1.0)
        passed = y.zeros_like()
        for _ in range(LARGE - 1):
            small = y.lt(LARGE)
            passed = (passed + 1.0 / y.minimum(float(LARGE))).where(small, passed)
            y = (y + 1.0).where(small, y)
        inverse = 1.0 / y
        found = y.log() - inverse * 0.5 + inverse * inverse * polynomial(inverse * inverse, DIGAMMA) - passed
        rest = x - x.round()
        reflected = found - math.pi / (rest.where(rest.ne(0), 0.25) * math.pi).tan()
        reflected = reflected.where(rest.ne(0) & x.ne(-math.inf), math.nan)
        return reflected.where(negative, found).where(x.ne(0), -1.0 / x)
    return with_derivative(x, value, lambda x: polygamma(1, x))


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of digamma, n from 1 on."""
    sign = 1.0 if n % 2 else -1.0

    def value(x: Any) -> Any:
        negative = x.lt(0)
        found = _hurwitz(n + 1, (1.0 - x).where(negative, x).where(x.ne(0), 1.0)) * (sign * math.factorial(n))
        rest = x - x.round()
        cotangent = 1.0 / (rest.where(rest.ne(0), 0.25) * math.pi).tan()
        reflected = found * -sign - polynomial(cotangent, _cotangents_derivative(n)) * math.pi ** (n + 1)
        pole = math.inf if n % 2 else math.nan
        reflected = reflected.where(rest.ne(0), pole).where(x.ne(-math.inf), math.nan)
        return reflected.where(negative, found).where(x.ne(0), sign * math.inf).where(~x.isnan(), math.nan)
    return with_derivative(x, value, lambda x: polygamma(n + 1, x))


def _cotangents_derivative(n: int) -> list[float]:
    """Coefficients of the n-th derivative of cot as a polynomial in cot: each derivative of c is -(1 + c * c)."""
    found = [0.0, 1.0]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(found)][1:]
        found = [-(a + b) for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope])]
    return found


def _hurwitz(s: int, q: Any) -> Any:
    """The sum of (q + k) ** -s for k = 0, 1, ..., by Euler and Maclaurin's formula after ten terms."""
    terms = LARGE + s // 2
    total = (q + (terms - 1.0)).pow(-s)
    for k in range(terms - 2, -1, -1):
        total = total + (q + float(k)).pow(-s)
    end = q + float(terms)
    power = end.pow(-s)
    factor, inverse = float(s), 1.0 / (end * end)
    corrections = []
    for j, b in enumerate(BERNOULLI, 1):
        corrections.append(b / math.factorial(2 * j) * factor)
        factor *= (s + 2 * j - 1) * (s + 2 * j)
    return total + end * power / (s - 1.0) + power * 0.5 + power / end * polynomial(inverse, corrections)

"""The modified Bessel functions of the first kind of order 0 and 1, of float64 tensors: the power series, and for large numbers Hankel's expansion
(Abramowitz and Stegun 1964, 9.6.10 and 9.7.1)."""
from __future__ import annotations

import math
from typing import Any

from .series import polynomial, with_derivative

LARGE = 20.0
"""From where on Hankel's expansion is exact to float64."""
SERIES = tuple(tuple(1.0 / (math.factorial(k) * math.factorial(k + order)) for k in range(46)) for order in (0, 1))


def _hankel(order: int) -> tuple[float, ...]:
    found, term = [1.0], 1.0
    for k in range(1, 26):
        term *= -(4 * order * order - (2 * k - 1) ** 2) / (8 * k)
        found.append(term)
    return tuple(found)


HANKEL = (_hankel(0), _hankel(1))


def _value(order: int, x: Any) -> Any:
    size = x.abs()
    small = size.minimum(LARGE)
    series = polynomial(small * small * 0.25, SERIES[order]) * ((small * 0.5) if order else 1.0)
    large = size.maximum(LARGE)
    half = (large * 0.5).minimum(500.0).exp()  # twice, since exp(x) may be more than float64 has where the function is not
    expansion = half * (polynomial(1.0 / large, HANKEL[order]) / (large * (2 * math.pi)).sqrt()) * half
    found = series.where(size.lt(LARGE), expansion).where(size.ne(math.inf), math.inf)
    return found.copysign(x) if order else found


def i0(x: Any) -> Any:
    return with_derivative(x, lambda x: _value(0, x), i1)


def i1(x: Any) -> Any:
    def derivative(x: Any) -> Any:
        inside = x.where(x.ne(0), 1.0)
        return (i0(x) - i1(x) / inside).where(x.ne(0), 0.5)
    return with_derivative(x, lambda x: _value(1, x), derivative)

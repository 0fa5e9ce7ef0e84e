"""What the special functions are made of: polynomials, and values whose derivative is known in closed form."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...graph.tensor_graph import TensorUOp
from .. import build
from ..closed_form import with_rule


def polynomial(x: Any, coefficients: Sequence[float]) -> Any:
    """The sum of coefficients[k] * x ** k, by Horner's rule."""
    value = x * coefficients[-1] + coefficients[-2]
    for c in coefficients[-3::-1]:
        value = value * x + c
    return value


def with_derivative(x: Any, value: Callable[[Any], Any], derivative: Callable[[Any], Any]) -> Any:
    """value(x), whose derivative is derivative(x), itself differentiable: the expressions that give the value are not differentiated."""
    source = x.uop
    found = value(x._new(build.detach(source)))

    def reach(g: TensorUOp) -> tuple[TensorUOp]:
        part = found._new(g) * derivative(x._new(source))
        return (build.cast(part.uop, source.dtype),)
    return found._new(with_rule(found.uop, (source,), reach))


def sine_of_pi_times(x: Any) -> Any:
    """sin(pi x): x is brought between -1/2 and 1/2 first, which is exact."""
    rest = x - (x * 0.5).round() * 2.0
    size = rest.abs()
    return ((size.minimum(1.0 - size)) * math.pi).sin().copysign(rest)


ZETAS = tuple(math.fsum([*(n ** -k for n in range(2, 100)), 100.0 ** (1 - k) / (k - 1), 100.0 ** -k / 2, k * 100.0 ** (-k - 1) / 12,
                         -k * (k + 1) * (k + 2) * 100.0 ** (-k - 3) / 720]) for k in range(2, 32))
"""zeta(k) - 1 for k = 2, 3, ...: sums and their ends by Euler and Maclaurin's formula."""
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""Bernoulli's numbers of index 2, 4, ..."""
EULER = 0.57721566490153286061

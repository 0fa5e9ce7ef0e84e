"""The gamma distribution and what is made of it: beta, Dirichlet, chi-square."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect import types as T
from ...errors import BoundsError, DTypeError, ShapeError
from ..annotations import DTypeLike, ShapeLike
from ..arguments import number, shape_argument
from ..sizes import Shape
from ..tensor import Tensor
from .distributions import first_accepted, floating, open_numbers, source_of, unit_numbers
from .distributions import normal as normal_numbers
from .generator import Generator

TRIALS = 12
"""Of which each is accepted with a probability of 0.95 at least: all are rejected once in 10**15 draws."""


def gamma(concentration: Any, *shape: ShapeLike, scale: Any = 1.0, dtype: DTypeLike = None,
          generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Numbers of the gamma distribution: mean concentration * scale. Both may be tensors that broadcast to the shape, which is the concentration's unless
    given. By the method of Marsaglia and Tsang (2000); derivatives go to `scale` alone.

    BoundsError for numbers that are not positive; where a tensor's elements are not, NaN. DTypeError for a concentration or a dtype that is no float.

        morok.random.gamma(2.0, 3).shape      # (3,)
        morok.random.gamma(Tensor([0.5, 2.0]), scale=3.0).shape      # (2,)
    """
    sizes, wanted, a = parameter(concentration, shape, dtype, "gamma: concentration", device)
    if not isinstance(scale, Tensor) and not number(scale, "gamma: scale") > 0:
        raise BoundsError(f"gamma: scale must be positive, given {scale}")
    x = _standard_gamma(a, sizes, _precision(wanted), generator)
    return (x * scale).cast(wanted)


def chisquare(df: Any, *shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Sums of the squares of `df` normal numbers: a positive number, or a tensor of floats that broadcasts to the shape, by default its own.

    BoundsError for a number that is not positive; where a tensor's elements are not, NaN. DTypeError for what is no float.

        morok.random.chisquare(3.0, 5).shape      # (5,)
    """
    sizes, wanted, a = parameter(df, shape, dtype, "chisquare: df", device)
    return (_standard_gamma(a * 0.5, sizes, _precision(wanted), generator) * 2.0).cast(wanted)


def beta(a: Any, b: Any, *shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Numbers of the beta distribution, from 0 to 1 with mean a / (a + b). Both may be tensors that broadcast to the shape, by default that of `a`.

    BoundsError for numbers that are not positive; where a tensor's elements are not, NaN. DTypeError for what is no float.

        morok.random.beta(2.0, 3.0, 4).shape      # (4,)
    """
    sizes, wanted, first = parameter(a, shape, dtype, "beta: a", device)
    _, _, second = parameter(b, sizes if sizes else ((),), dtype, "beta: b", first.device)
    x, y = (_log_gamma_numbers(p, sizes, _precision(wanted), generator) for p in (first, second))
    return (x - y).sigmoid().cast(wanted)


def dirichlet(concentration: Tensor, *shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None) -> Tensor:
    """Probabilities that add up to 1 along the last axis, of the Dirichlet distribution. The shape goes before that of the concentration, a tensor.

    ShapeError for a concentration that has no axis; where its elements are not positive, NaN. DTypeError for one that is no float.

        morok.random.dirichlet(Tensor([1.0, 2.0, 3.0]), 4).shape      # (4, 3)
    """
    if not isinstance(concentration, Tensor) or not concentration.ndim:
        raise ShapeError("dirichlet: concentration is a Tensor with an axis of classes")
    sizes, wanted, a = parameter(concentration, (*shape_argument(shape, "dirichlet"), *concentration.shape), dtype, "dirichlet: concentration", None)
    return _log_gamma_numbers(a, sizes, _precision(wanted), generator).softmax(-1).cast(wanted)


def parameter(given: Any, shape: tuple, dtype: DTypeLike, what: str, device: str | None) -> tuple[Shape, T.DType, Tensor]:
    """The shape and dtype of a draw, and a positive parameter as a tensor that broadcasts to the shape, cut off from gradients."""
    name = what.partition(":")[0]
    if isinstance(given, Tensor):
        if not given.dtype.is_float:
            raise DTypeError(f"{what} is a float, not {given.dtype}; cast first")
        sizes = shape_argument(shape, name) if shape else given.shape
        wanted = floating(given.dtype if dtype is None else dtype, name)
        given.expand(sizes)
        return sizes, wanted, given.detach()
    if not 0 < number(given, what) < float("inf"):
        raise BoundsError(f"{what} must be a positive number, given {given}")
    wanted = floating(dtype, name)
    return shape_argument(shape, name), wanted, Tensor(np.array(given, _precision(wanted).np), device=device)


def _precision(wanted: T.DType) -> T.DType:
    return T.float64 if wanted is T.float64 else T.float32


def _standard_gamma(a: Tensor, sizes: Shape, precision: T.DType, generator: Generator | None) -> Tensor:
    a = a.cast(precision)
    source = source_of(generator, a.device)
    values = _shifted_gamma(a, sizes, precision, source)
    # below 1 by the next higher concentration, times a power of a uniform number
    factor = (open_numbers(sizes, precision, source).log() / a).exp()
    return (values * factor.where(a < 1.0, 1.0)).where(a > 0.0, float("nan"))


def _log_gamma_numbers(a: Tensor, sizes: Shape, precision: T.DType, generator: Generator | None) -> Tensor:
    """Logarithms of gamma numbers, which have no least number."""
    a = a.cast(precision)
    source = source_of(generator, a.device)
    values = _shifted_gamma(a, sizes, precision, source).log()
    factor = open_numbers(sizes, precision, source).log() / a
    return (values + factor.where(a < 1.0, 0.0)).where(a > 0.0, float("nan"))


def _shifted_gamma(a: Tensor, sizes: Shape, precision: T.DType, source: Generator) -> Tensor:
    """Numbers of concentration a, or a + 1 where a is below 1: the first of some trials that is accepted."""
    d = (a + 1.0).where(a < 1.0, a) - 1.0 / 3.0
    d = d.expand(sizes).unsqueeze(-1)
    trials = (*sizes, TRIALS)
    x = normal_numbers(*trials, dtype=precision, generator=source) if sizes else normal_numbers(TRIALS, dtype=precision, generator=source)
    u = 1.0 - unit_numbers(source.blocks(trials), precision)
    root = x / (d * 9.0).sqrt() + 1.0
    cube = root * root * root
    accepted = (root > 0.0) & (u.log() < x * x * 0.5 + d - d * cube + d * cube.maximum(1e-30).log())
    return first_accepted(accepted, d * cube)

"""Distributions that are functions of simpler ones: log-normal, Cauchy, geometric."""
from __future__ import annotations

import math
from typing import Any

from ...dialect import types as T
from ...errors import BoundsError, DTypeError
from .. import dtypes
from ..annotations import DTypeLike, ShapeLike
from ..arguments import number, shape_argument
from ..tensor import Tensor
from .distributions import floating, normal, open_numbers, source_of
from .generator import Generator


def lognormal(*shape: ShapeLike, mean: Any = 0.0, std: Any = 1.0, dtype: DTypeLike = None, generator: Generator | None = None,
              device: str | None = None) -> Tensor:
    """Numbers whose logarithms are normal, of that mean and standard deviation, which may be tensors that broadcast to the shape, and get gradients.

    BoundsError for a number std that is negative; DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.lognormal(2, 3, std=0.5).shape      # (2, 3)
    """
    wanted = floating(dtype, "lognormal")
    exact = T.float64 if wanted is T.float64 else T.float32
    return normal(*shape, mean=mean, std=std, dtype=exact, generator=generator, device=device).exp().cast(wanted)


def cauchy(*shape: ShapeLike, loc: float = 0.0, scale: float = 1.0, dtype: DTypeLike = None, generator: Generator | None = None,
           device: str | None = None) -> Tensor:
    """The Cauchy distribution, of quartiles loc - scale and loc + scale; it has no mean.

    BoundsError for a scale that is not positive; DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.cauchy(2, 3).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "cauchy"), floating(dtype, "cauchy")
    if not number(scale, "cauchy: scale") > 0:
        raise BoundsError(f"cauchy: scale must be positive, given {scale}")
    source = source_of(generator, device)
    # small angles, which floats tell apart, give the tails; a bit of its own gives the side
    distance = 1.0 / (open_numbers(sizes, wanted, source) * (math.pi / 2)).tan()
    side = (source.blocks(sizes)[0] & 1).eq(0)
    return (distance.where(side, -distance) * scale + number(loc, "cauchy: loc")).cast(wanted)


def geometric(p: float, *shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """How many trials it takes to succeed once with probability p, a number: 1 and more, mean 1 / p; int64 unless a dtype is given.

    BoundsError for a p that is not in (0, 1], or so small that counts overflow (2**-52); DTypeError for bools; ShapeError for a negative size.

        morok.random.geometric(1.0, 2)  # [1, 1]
    """
    wanted = dtypes.default_int() if dtype is None else dtypes.as_dtype(dtype)
    if wanted is T.bool_:
        raise DTypeError("geometric: the dtype is one of numbers, not bool")
    chance, sizes = number(p, "geometric: p"), shape_argument(shape, "geometric")
    if not 2.0**-52 <= chance <= 1:
        raise BoundsError(f"geometric: p must lie from 2**-52 to 1, given {p}")
    u = open_numbers(sizes, T.float64, source_of(generator, device))
    trials = (u.log() / math.log1p(-chance)).ceil() if chance < 1 else u.ceil()
    return trials.maximum(1.0).cast(wanted)

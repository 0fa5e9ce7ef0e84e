"""Draws: each element is a function of few blocks of its generator (two words each), computed where the numbers are used.

Floats have 24 (float32 and below) or 53 (float64) random bits. `generator` is the default one unless given. Shapes are static.
"""
from __future__ import annotations

import math
from typing import Any, Unpack

from ...dialect import types as T
from ...errors import BoundsError, DTypeError, ShapeError
from .. import dtypes
from ..annotations import DTypeLike, ShapeLike
from ..arguments import integer, normal_axis, number, shape_argument
from ..other_names import LocScaleSize, Size
from ..sizes import Shape
from ..tensor import Tensor
from .generator import Generator, default_generator
from .numpy_names import as_numpys


def source_of(generator: Generator | None, device: str | None = None) -> Generator:
    """The generator that is given, or the default one."""
    if generator is None:
        return default_generator(device)
    if not isinstance(generator, Generator):
        raise DTypeError(f"generator must be a morok.random.Generator, not {type(generator).__name__}")
    return generator


def floating(dtype: DTypeLike, what: str) -> T.DType:
    """The dtype of a draw; DTypeError for one that is no float."""
    found = dtypes.default_float() if dtype is None else dtypes.as_dtype(dtype)
    if not found.is_float:
        raise DTypeError(f"{what}: the dtype must be a float, not {found}")
    return found


def unit_numbers(words: tuple[Tensor, Tensor], dtype: T.DType) -> Tensor:
    """Numbers from 0 up to but without 1, in the dtype that functions of it compute in."""
    if dtype is T.float64:
        wide = (words[0].cast(T.uint64) << 21) ^ (words[1].cast(T.uint64) >> 11)
        return wide.cast(T.float64) * 2.0**-53
    return (words[0] >> 8).cast(T.float32) * 2.0**-24


def bits(*shape: ShapeLike, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Random words, uint32: each of its values is equally likely. ShapeError for a negative size.

        morok.random.bits(4).dtype      # uint32
    """
    return source_of(generator, device).blocks(shape_argument(shape, "bits"))[0]


@as_numpys("low", "high")
def uniform(*shape: ShapeLike, low: Any = 0.0, high: Any = 1.0, dtype: DTypeLike = None,
            generator: Generator | None = None, device: str | None = None, **other: Unpack[Size]) -> Tensor:
    """Numbers from low up to but without high, equally likely; all are low where both are the same. low and high may be tensors that broadcast to the
    shape, and get gradients. NumPy's calls are understood too: uniform(-1, 1, (2, 3)), uniform(size=(2, 3)).

    BoundsError for numbers that are infinite, NaN or out of order; DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.uniform(2, 3, low=-1, high=1).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "uniform"), floating(dtype, "uniform")
    low, high = (p if isinstance(p, Tensor) else number(p, f"uniform: {name}") for p, name in ((low, "low"), (high, "high")))
    by_tensors = isinstance(low, Tensor) or isinstance(high, Tensor)
    if not by_tensors and (not low <= high or math.isinf(high - low)):
        raise BoundsError(f"uniform: low {low} and high {high} must be finite numbers in order")
    u = unit_numbers(source_of(generator, device).blocks(sizes), wanted)
    if by_tensors:
        x = (u * (high - low) + low).cast(wanted)
        end = high.cast(wanted) if isinstance(high, Tensor) else x.full((), high, wanted, x.device)
        return end.nextafter(float("-inf")).detach().where((x >= end) & (end > low), x)
    if (low, high) == (0.0, 1.0):
        return _below(u, 1.0, wanted)
    return _below(u * (high - low) + low, high, wanted) if low < high else u.full(sizes, low, wanted, u.device)


def _below(u: Tensor, high: float, dtype: T.DType) -> Tensor:
    """The numbers in the dtype; one that would be rounded to `high` is the number before it."""
    import numpy as np
    last = float(np.nextafter(np.array(high, dtype.np), np.array(-np.inf, dtype.np)).astype(np.float64))
    return u.cast(dtype).minimum(last)


@as_numpys("mean", "std", loc="mean", scale="std")
def normal(*shape: ShapeLike, mean: Any = 0.0, std: Any = 1.0, dtype: DTypeLike = None,
           generator: Generator | None = None, device: str | None = None, **other: Unpack[LocScaleSize]) -> Tensor:
    """Numbers of the normal distribution, by the transform of Box and Muller (1958): out to 6.6 standard deviations, 8.5 in float64. mean and std may be
    tensors that broadcast to the shape, and get gradients. NumPy's calls are understood too: normal(0, 0.02, (2, 3)), normal(loc=0, scale=0.02, size=(2, 3)).

    BoundsError for a number std that is negative; DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.normal(2, 3, std=0.02).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "normal"), floating(dtype, "normal")
    mean, std = (p if isinstance(p, Tensor) else number(p, f"normal: {name}") for p, name in ((mean, "mean"), (std, "std")))
    if not isinstance(std, Tensor) and std < 0:
        raise BoundsError(f"normal: std must not be negative, given {std}")
    source = source_of(generator, device)
    words = source.blocks(sizes)
    if wanted is T.float64:
        further = source.blocks(sizes)
        radius, angle = 1.0 - unit_numbers(words, wanted), unit_numbers(further, wanted)
    else:
        # all 32 bits: the least radius decides how far the tails reach (6.6 standard deviations)
        radius = (words[0].cast(T.float32) + 1.0) * 2.0**-32
        angle = unit_numbers((words[1], words[0]), wanted)
    x = (radius.log() * -2.0).sqrt() * (angle * (2 * math.pi)).cos()
    if isinstance(std, Tensor) or std != 1:
        x = x * std
    if isinstance(mean, Tensor) or mean != 0:
        x = x + mean
    return x.cast(wanted)


def randint(low: int, high: int | None = None, size: Any = (), dtype: DTypeLike = None,
            generator: Generator | None = None, device: str | None = None) -> Tensor:
    """Integers from low up to but without high (from 0 with one bound), of the shape `size`, int64 unless a dtype is given. Probabilities differ by less than
    2**-32 of themselves, in ranges as wide as the dtype too.

    BoundsError where low is not less than high, or the dtype cannot hold them; DTypeError for a dtype that is no integer.

        morok.random.randint(0, 10, (4,)).shape      # (4,)
    """
    if high is None:
        low, high = 0, low
    first, end = integer(low, "randint: low"), integer(high, "randint: high")
    wanted = dtypes.default_int() if dtype is None else dtypes.as_dtype(dtype)
    if not wanted.is_int:
        raise DTypeError(f"randint: the dtype must be an integer, not {wanted}")
    if not wanted.min <= first < end <= wanted.max + 1:
        raise BoundsError(f"randint: low {first} must be less than high {end}, both in {wanted} (from {wanted.min} to {wanted.max})")
    offset = integers_below(end - first, shape_argument((size,), "randint"), source_of(generator, device))
    return (offset.cast(T.int64) + (first if first < 1 << 63 else first - (1 << 64))).cast(wanted)


def integers_below(count: int, sizes: Shape, source: Generator) -> Tensor:
    """uint64 from 0 to count - 1, with count at most 2**64: `count` times a random fraction of one, of 64 bits for a count of up to 32, else of 128."""
    x, y = (w.cast(T.uint64) for w in source.blocks(sizes))
    if count <= 1 << 32:
        return (x * count + ((y * count) >> 32)) >> 32
    wide = (x << 32) | y
    if count & (count - 1) == 0:
        return wide >> (65 - count.bit_length())
    x, y = (w.cast(T.uint64) for w in source.blocks(sizes))
    low = wide * count
    carried = low + _high_word((x << 32) | y, count)
    return _high_word(wide, count) + (carried < low).cast(T.uint64)


def _high_word(x: Tensor, factor: int) -> Tensor:
    """The upper 64 bits of a product of 64 bits by 64."""
    x_high, x_low, high, low = x >> 32, x & 0xFFFFFFFF, factor >> 32, factor & 0xFFFFFFFF
    middle = x_high * low + ((x_low * low) >> 32)
    other = x_low * high + (middle & 0xFFFFFFFF)
    return x_high * high + (middle >> 32) + (other >> 32)


def bernoulli(p: Any, *shape: ShapeLike, generator: Generator | None = None) -> Tensor:
    """True with probability p, a number (with a shape) or a tensor of probabilities that broadcasts to the shape, by default its own.

    BoundsError for a number that is no probability; DTypeError for a tensor that is no float. Elements below 0 or NaN give False, above 1 True.

        morok.random.bernoulli(0.5, 4).shape      # (4,)
        morok.random.bernoulli(Tensor([0.0, 1.0]))  # [False, True]
    """
    if isinstance(p, Tensor):
        if not p.dtype.is_float:
            raise DTypeError(f"bernoulli: probabilities are floats, not {p.dtype}")
        sizes: Shape = shape_argument(shape, "bernoulli") if shape else p.shape
        return unit_numbers(source_of(generator, p.device).blocks(sizes), dtypes.computing(p.dtype)) < p.cast(dtypes.computing(p.dtype))
    chance = number(p, "bernoulli: p")
    if not 0 <= chance <= 1:
        raise BoundsError(f"bernoulli: p is a probability from 0 to 1, given {p}")
    x, y = source_of(generator).blocks(shape_argument(shape, "bernoulli"))
    least = round(chance * 2.0**64)  # 64 bits, as small probabilities would be coarse in 24
    if least >> 64:
        return x.eq(x)
    return x.lt(least >> 32) | (x.eq(least >> 32) & y.lt(least & 0xFFFFFFFF))


def exponential(*shape: ShapeLike, rate: Any = 1.0, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """The exponential distribution of a rate: mean 1 / rate. The rate may be a tensor that broadcasts to the shape, and gets gradients.

    BoundsError for a number that is not positive; DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.exponential(2, 3, rate=0.5).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "exponential"), floating(dtype, "exponential")
    if not isinstance(rate, Tensor) and not number(rate, "exponential: rate") > 0:
        raise BoundsError(f"exponential: rate must be positive, given {rate}")
    return (-((-unit_numbers(source_of(generator, device).blocks(sizes), wanted)).log1p()) / rate).cast(wanted)


def first_accepted(accepted: Tensor, values: Tensor) -> Tensor:
    """Along the last axis, of trials: the value, not below 0, of the first that is accepted (0 where none is)."""
    stored = values.where(accepted, -1.0).contiguous()  # a kernel of its own: what the trials compute is much, and would be there once for each use
    found = stored[..., -1]
    for i in range(stored.shape[-1] - 2, -1, -1):
        found = stored[..., i].where(stored[..., i] >= 0.0, found)
    return found.maximum(0.0)


def open_numbers(sizes: Shape, dtype: T.DType, generator: Generator | None, device: str | None = None) -> Tensor:
    """Numbers between 0 and 1, both left out: of 23 or 52 bits, as the middle above the last of 24 or 53 would be rounded to 1."""
    words = source_of(generator, device).blocks(sizes)
    if dtype is T.float64:
        wide = (words[0].cast(T.uint64) << 20) ^ (words[1].cast(T.uint64) >> 12)
        return wide.cast(T.float64) * 2.0**-52 + 2.0**-53
    return (words[0] >> 9).cast(T.float32) * 2.0**-23 + 2.0**-24


def gumbel(*shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """The standard Gumbel distribution, -log of exponential numbers: from -2.8 to 22.9, in float64 from -3.6 to 37.4.

    DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.gumbel(2, 3).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "gumbel"), floating(dtype, "gumbel")
    words = source_of(generator, device).blocks(sizes)
    if wanted is T.float64:
        u = unit_numbers(words, wanted) + 2.0**-54
    else:
        # all 32 bits: the least number decides how far the upper tail reaches, which tells unlikely classes apart
        u = (words[0].cast(T.float32) + 0.5) * 2.0**-32
    last = 1.0 - (2.0**-53 if wanted is T.float64 else 2.0**-24)
    return (-(-(-u.minimum(last)).log1p()).log()).cast(wanted)


def logistic(*shape: ShapeLike, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """The standard logistic distribution, log(u / (1 - u)).

    DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.logistic(2, 3).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "logistic"), floating(dtype, "logistic")
    u = open_numbers(sizes, wanted, generator, device)
    return (u.log() - (-u).log1p()).cast(wanted)


def laplace(*shape: ShapeLike, loc: float = 0.0, scale: float = 1.0, dtype: DTypeLike = None,
            generator: Generator | None = None, device: str | None = None) -> Tensor:
    """The Laplace distribution: exponential numbers of mean `scale` to both sides of `loc`.

    DTypeError for a dtype that is no float; ShapeError for a negative size.

        morok.random.laplace(2, 3, loc=1.0, scale=0.5).shape      # (2, 3)
    """
    sizes, wanted = shape_argument(shape, "laplace"), floating(dtype, "laplace")
    loc, scale = number(loc, "laplace: loc"), number(scale, "laplace: scale")
    words = source_of(generator, device).blocks(sizes)
    if not number(scale, "laplace: scale") >= 0:
        raise BoundsError(f"laplace: scale must not be negative, given {scale}")
    size = -((-unit_numbers(words, wanted)).log1p()) * scale
    return (size.where((words[1] & 1).eq(0), -size) + loc).cast(wanted)


def categorical(logits: Tensor, axis: int = -1, size: Any = None, generator: Generator | None = None) -> Tensor:
    """Numbers of classes with probabilities softmax(logits), by the greatest of logits plus Gumbel noise; int64.

    `size` is the result's shape, to which that of the logits without the axis must broadcast; by default that. DTypeError for logits that are no floats;
    AxisError for an axis that there is not; ShapeError for a size of too few axes.

        morok.random.categorical(Tensor([0.0, 1.0, 2.0]), size=(100,)).shape      # (100,)
    """
    if not isinstance(logits, Tensor) or not logits.dtype.is_float:
        raise DTypeError("categorical: logits are a Tensor of floats")
    moved = logits.moveaxis(normal_axis(axis, logits.ndim, "categorical"), -1)
    batch = moved.shape[:-1]
    sizes = batch if size is None else shape_argument((size,), "categorical")
    if len(sizes) < len(batch):
        raise ShapeError(f"categorical: size {sizes} must end in the shape of the distributions, {batch}")
    noise = gumbel(*sizes, moved.shape[-1], dtype=dtypes.computing(logits.dtype), generator=source_of(generator, logits.device))
    return (moved + noise).argmax(-1)

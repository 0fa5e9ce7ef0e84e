"""Choices: permutations, and elements with or without replacement, equally likely or by weights.

An order is that of random keys of 64 bits. With weights, what is drawn with replacement is where a random number falls among their sums; without, the classes
of the greatest logarithms of weights plus Gumbel noise, in that order (Vieira 2014; Kool, van Hoof, Welling 2019).
"""
from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...dialect import types as T
from ...errors import BoundsError, DTypeError, ShapeError
from .. import dtypes
from ..annotations import DTypeLike, ShapeLike
from ..arguments import integer, normal_axis, shape_argument
from ..known_values import known_array
from ..sizes import Shape
from ..tensor import Tensor
from ..tracing import TRACING
from .distributions import gumbel, integers_below, source_of
from .generator import Generator


def randperm(n: int, dtype: DTypeLike = None, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """The integers from 0 to n - 1 in random order, each order equally likely: of shape (n,), int64 unless a dtype is given.

    BoundsError for a negative n, or a dtype that cannot hold n - 1; DTypeError for a dtype of bools.

        morok.randperm(5).sort()  # [0, 1, 2, 3, 4]
    """
    count = integer(n, "randperm: n")
    wanted = T.int64 if dtype is None else dtypes.as_dtype(dtype)
    if wanted is T.bool_:
        raise DTypeError("randperm: the dtype is one of numbers, not bool")
    if count < 0:
        raise BoundsError(f"randperm: n must not be negative, given {n}")
    if wanted.is_int and count - 1 > wanted.max:
        raise BoundsError(f"randperm: {wanted} holds numbers up to {wanted.max}, not {count - 1}; give a wider dtype")
    return _order(count, source_of(generator, device)).cast(wanted)


def permutation(x: Any, axis: int = 0, generator: Generator | None = None, device: str | None = None) -> Tensor:
    """NumPy's: a tensor or array-like with its slices along an axis in random order; for an int, `randperm`. The same shape and dtype; gradients go through.

    AxisError for an axis that is not there; BoundsError for a negative int.

        morok.random.permutation(Tensor([1, 2, 3])).sort()  # [1, 2, 3]
    """
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool):
        return randperm(int(x), generator=generator, device=device)
    t = x if isinstance(x, Tensor) else Tensor(x, device=device)
    along = normal_axis(axis, t.ndim, "permutation")
    return t.take(_order(_size(t, along, "permutation"), source_of(generator, t.device)), along)


def shuffle(x: Tensor, axis: int = 0, generator: Generator | None = None) -> None:
    """NumPy's: puts a tensor's slices along an axis in random order, in place; gives nothing. `permutation` gives a new tensor.

    AxisError for an axis that is not there; DTypeError for what is no Tensor; GradientError for variables outside of no_grad().

        x = Tensor([1, 2, 3])
        morok.random.shuffle(x)
        x.sort()  # [1, 2, 3]
    """
    if not isinstance(x, Tensor):
        raise DTypeError(f"shuffle: writes to a Tensor, not to {type(x).__name__}; permutation(x) gives a new tensor")
    along = normal_axis(axis, x.ndim, "shuffle")
    x.copy_(x.take(_order(_size(x, along, "shuffle"), source_of(generator, x.device)), along))


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, generator: Generator | None = None) -> Tensor:
    """PyTorch's: numbers of classes, drawn by weights along the last axis, which need not add up to 1. Of shape (num_samples,) for weights of one axis, (rows,
    num_samples) for two; int64. Without replacement each class comes once; one of weight 0 never comes.

    Weights that are negative or NaN count as 0. Where too few are above 0, weights that are known without computing raise BoundsError, and others give classes
    of weight 0 last; with replacement, the last class. DTypeError for weights that are no floats; ShapeError for more than two axes, or none; BoundsError for a
    negative number of samples, for more than there are classes without replacement, and for no classes.

        morok.multinomial(Tensor([0.0, 3.0, 0.0]), 2, replacement=True)  # [1, 1]
    """
    if not isinstance(input, Tensor) or not input.dtype.is_float:
        raise DTypeError(f"multinomial: weights are a Tensor of floats, not {input.dtype if isinstance(input, Tensor) else type(input).__name__}")
    if input.ndim not in (1, 2):
        raise ShapeError(f"multinomial: weights have one axis, or rows of them, not shape {input.shape}")
    count = integer(num_samples, "multinomial: num_samples")
    classes = _size(input, input.ndim - 1, "multinomial")
    _check_count(count, classes, replacement, "multinomial")
    _check_weights(input, count, replacement, "multinomial")
    source = source_of(generator, input.device)
    return (_by_weights if replacement else _greatest)(input, (*input.shape[:-1], count), source)


def choice(a: Any, size: ShapeLike | None = None, replace: bool = True, p: Any = None, axis: int = 0, generator: Generator | None = None,
           device: str | None = None) -> Tensor:
    """NumPy's: elements of a tensor or array-like, or of range(a) for an int: one, or as many as the shape `size` says, which takes the place of the axis. `p`
    gives their probabilities, one axis of weights that need not add up to 1; they are equally likely without. Without `replace` none comes twice, and the
    order is random too. The dtype is that of `a`, int64 for an int; gradients go to the elements.

    BoundsError for nothing to choose from, for more than there are without `replace`, and where too few of the weights, if they are known, are above 0;
    ShapeError for weights of another shape; AxisError for an axis that is not there.

        morok.random.choice(Tensor([1.0, 2.0]), 3, p=[0.0, 1.0])  # [2.0, 2.0, 2.0]
        morok.random.choice(10, (2, 3), replace=False).shape      # (2, 3)
    """
    elements = None if isinstance(a, (int, np.integer)) and not isinstance(a, bool) else a if isinstance(a, Tensor) else Tensor(a, device=device)
    source = source_of(generator, device if elements is None else elements.device)
    along = 0 if elements is None else normal_axis(axis, elements.ndim, "choice")
    count = int(a) if elements is None else _size(elements, along, "choice")
    sizes: Shape = () if size is None else shape_argument((size,), "choice")
    total: Any = prod(sizes)  # type: ignore[arg-type]
    _check_count(total, count, replace, "choice")
    if p is not None:
        weights = p if isinstance(p, Tensor) else Tensor(p, dtype=T.float64, device=source.device)
        if weights.shape != (count,):
            raise ShapeError(f"choice: p gives a probability for each of {count} elements, not shape {weights.shape}")
        _check_weights(weights, total, replace, "choice")
        chosen = (_by_weights if replace else _greatest)(weights, (total,), source)
    elif replace:
        chosen = integers_below(count, (total,), source).cast(T.int64) if total else Tensor(np.zeros(0, np.int64), device=source.device)
    else:
        chosen = _order(count, source)[:total]
    chosen = chosen.reshape(sizes)
    return chosen if elements is None else elements.take(chosen, along)


def _order(count: int, source: Generator) -> Tensor:
    """Places in the order of random keys. Two of n are equal once in 2**65 / n**2 orders, and then keep theirs."""
    if count < 2:
        return Tensor(np.zeros(count, np.int64), device=source.device)
    words = source.blocks((count,))
    return ((words[0].cast(T.uint64) << 32) | words[1].cast(T.uint64)).argsort()


def _by_weights(weights: Tensor, sizes: Shape, source: Generator) -> Tensor:
    """With replacement: where random parts of the sum fall among the sums up to each class."""
    sums = _not_negative(weights).cumsum(-1)
    words = source.blocks(sizes)
    part = ((words[0].cast(T.uint64) << 20) ^ (words[1].cast(T.uint64) >> 12)).cast(T.float64) * 2.0**-52  # at most 1 - 2**-52: the product stays below the sum
    return sums.searchsorted(part * sums[..., -1:], side="right").minimum(weights.shape[-1] - 1)


def _greatest(weights: Tensor, sizes: Shape, source: Generator) -> Tensor:
    """Without replacement: the classes of the greatest perturbed logarithms."""
    noise = gumbel(*weights.shape, dtype=T.float64, generator=source)
    order = (_not_negative(weights).log() + noise).argsort(-1, descending=True)
    return order[..., : sizes[-1]]  # type: ignore[misc]


def _not_negative(weights: Tensor) -> Tensor:
    wide = weights.detach().cast(T.float64)
    return wide.where(wide > 0.0, 0.0)


def _size(t: Tensor, axis: int, what: str) -> int:
    size = t.shape[axis]
    if not isinstance(size, int):
        raise ShapeError(f"{what}: the axis has a symbolic size, {size!r}; random numbers have static shapes")
    return size


def _check_weights(weights: Tensor, wanted: int, replace: bool, what: str) -> None:
    """BoundsError where fewer classes than are drawn have a weight above 0, if the weights are known without computing, outside of captured functions."""
    array = None if TRACING.count and TRACING.current is not None or not all(isinstance(s, int) for s in weights.shape) else known_array(weights)
    if array is None or not array.size or not wanted:
        return
    drawn = int((array.astype(np.float64) > 0).sum(-1).min())
    least = 1 if replace else wanted
    if drawn < least:
        raise BoundsError(f"{what}: draws {wanted} {'with' if replace else 'without'} replacement, but only {drawn} of {array.shape[-1]} weights are above 0; "
                          f"at least {least} must be")


def _check_count(wanted: int, classes: int, replace: bool, what: str) -> None:
    if wanted < 0:
        raise BoundsError(f"{what}: the number of samples must not be negative, given {wanted}")
    if wanted and classes < 1:
        raise BoundsError(f"{what}: there is nothing to choose from")
    if not replace and wanted > classes:
        raise BoundsError(f"{what}: {wanted} of {classes} without replacement; at most {classes}, or draw with replacement")

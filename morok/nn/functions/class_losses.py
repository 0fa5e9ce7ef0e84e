"""Losses of classes and probabilities: likelihoods and cross entropies. Names, defaults and formulas are PyTorch's."""
from __future__ import annotations

import math
from typing import Any

from ...dialect import types as T
from ...errors import BoundsError, DTypeError, ShapeError
from ...tensor.sizes import concrete
from ...tensor.tensor import Tensor
from ..arguments import of_tensor
from .losses import reduced, same_shape


@of_tensor
def nll_loss(input: Tensor, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """Minus the log-probability, in `input` of shape (N, C, ...), of each target class (N, ...).

    The mean is over the targets that are not ignore_index, by the weights (C,) of their classes. An index outside of 0 to C - 1 counts as probability 1.

        nn.functional.nll_loss(Tensor([[-0.5, -1.0], [-2.0, -0.25]]), Tensor([0, 0]), reduction="none")    # [0.5, 2.0]
    """
    axis = 0 if input.ndim == 1 else 1
    target = _classes(input, target, axis, "nll_loss")
    return _weighed_nll(input, target, axis, weight, ignore_index, reduction, 0.0)


@of_tensor
def cross_entropy(input: Tensor, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The cross entropy of softmax(input), input of shape (N, C, ...), with target classes (N, ...) or probabilities (N, C, ...).

    With classes, as nll_loss: `weight` of each class, classes that do not count. `label_smoothing` is the share of the target that all classes have alike.
    The mean over probabilities is over all that are not classes. BoundsError for a smoothing outside of 0 to 1.

        nn.functional.cross_entropy(logits, labels)
    """
    if not 0 <= label_smoothing <= 1:
        raise BoundsError(f"cross_entropy: label_smoothing is from 0 to 1, given {label_smoothing}")
    axis = 0 if input.ndim == 1 else 1
    target = input._operand(target, "cross_entropy")
    logs = input.log_softmax(axis)
    if not target.dtype.is_float:
        return _weighed_nll(logs, _classes(input, target, axis, "cross_entropy"), axis, weight, ignore_index, reduction, label_smoothing)
    target = same_shape(input, target, "cross_entropy")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / concrete((input.shape[axis],))[0]
    if weight is not None:
        logs = logs * _class_weights(input, weight, axis, "cross_entropy")
    loss = -(logs * target).sum(axis)
    return loss.sum() / max(1, math.prod(loss.shape)) if reduction == "mean" else reduced(loss, reduction, "cross_entropy")


def _classes(input: Tensor, target: Any, axis: int, what: str) -> Tensor:
    target = input._operand(target, what)
    want = input.shape[:axis] + input.shape[axis + 1:]
    if target.dtype.is_float:
        raise DTypeError(f"{what}: target classes are integers, not {target.dtype}")
    if target.shape != want:
        raise ShapeError(f"{what}: for input of shape {input.shape} (classes along axis {axis}) the target classes have shape {want}, not {target.shape}")
    return target.cast(T.int64)  # which holds any ignore_index


def _class_weights(input: Tensor, weight: Any, axis: int, what: str) -> Tensor:
    weight = input._operand(weight, what)
    if weight.shape != (input.shape[axis],):
        raise ShapeError(f"{what}: weight has shape {weight.shape}; one for each of the {input.shape[axis]} classes is needed")
    return weight.reshape(*(-1 if a == axis else 1 for a in range(input.ndim)))


def _weighed_nll(logs: Tensor, target: Tensor, axis: int, weight: Any, ignore_index: int, reduction: str, smoothing: float) -> Tensor:
    kept = target.ne(ignore_index)
    classes = target.where(kept, 0).unsqueeze(axis)
    weights = None if weight is None else _class_weights(logs, weight, axis, "nll_loss")
    picked = -logs.gather(axis, classes).squeeze(axis)
    share = kept.cast(logs.dtype)
    if weights is not None:
        share = share * weights.reshape(-1)[classes.squeeze(axis)]
    loss = (picked * share).where(kept, 0.0)
    if smoothing:
        every = -(logs if weights is None else logs * weights).sum(axis)
        loss = loss * (1 - smoothing) + every.where(kept, 0.0) * (smoothing / concrete((logs.shape[axis],))[0])
    if reduction == "mean":
        return loss.sum() / share.sum()
    return reduced(loss, reduction, "nll_loss")


@of_tensor
def binary_cross_entropy_with_logits(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> Tensor:
    """The cross entropy of sigmoid(input) with probabilities, without overflow; `pos_weight` weighs the part of the positive.

        nn.functional.binary_cross_entropy_with_logits(Tensor([0.0, 1000.0]), Tensor([1.0, 0.0]), reduction="none")    # [0.6931472, 1000.0]
    """
    target = same_shape(input, target, "binary_cross_entropy_with_logits").cast(input.dtype)
    rest = (-input.abs()).exp().log1p() + (-input)._bounded("max", 0)
    if pos_weight is None:
        loss = (1 - target) * input + rest
    else:
        loss = (1 - target) * input + ((input._operand(pos_weight, "pos_weight") - 1) * target + 1) * rest
    return reduced(loss if weight is None else loss * weight, reduction, "binary_cross_entropy_with_logits")


@of_tensor
def binary_cross_entropy(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """The cross entropy of probabilities with probabilities; logarithms are at least -100, and flat where a probability is 0 or 1.

        nn.functional.binary_cross_entropy(Tensor([1.0, 0.0]), Tensor([0.0, 0.0]), reduction="none")    # [100.0, 0.0]
    """
    target = same_shape(input, target, "binary_cross_entropy").cast(input.dtype)
    loss = -(target * _bounded_log(input) + (1 - target) * _bounded_log(1 - input))
    return reduced(loss if weight is None else loss * weight, reduction, "binary_cross_entropy")


def _bounded_log(p: Tensor) -> Tensor:
    """max(log(p), -100), whose derivative at p = 0 is 0."""
    return p.where(p.ne(0), 1.0).log().clip(-100).where(p.ne(0), -100.0)


@of_tensor
def kl_div(input: Tensor, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence of target probabilities from input log-probabilities, element by element; "batchmean" sums and divides by the batch.

        nn.functional.kl_div(Tensor([[0.0, -1.0]]), Tensor([[0.0, 1.0]]), reduction="batchmean")    # 1.0
    """
    target = same_shape(input, target, "kl_div")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = (target * (target.where(target > 0, 1.0).log() - input)).where(target > 0, 0.0)
    return loss.sum() / input.shape[0] if reduction == "batchmean" else reduced(loss, reduction, "kl_div")

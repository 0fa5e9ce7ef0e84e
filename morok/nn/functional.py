"""Functions of layers. The names, defaults and rules are PyTorch's functional ones: losses, embedding and normalisation by batches are here, others in
`functions/`."""
from __future__ import annotations

import math
from typing import Any

from ..errors import BoundsError, DTypeError, ShapeError
from ..tensor.sizes import Size, concrete
from ..tensor.tensor import Tensor
from .functions.attention import attention_weights, scaled_dot_product_attention
from .functions.convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .functions.dropping import dropout, dropout1d, dropout2d, dropout3d
from .functions.folding import channel_shuffle, fold, pixel_shuffle, pixel_unshuffle, unfold
from .functions.interpolation import interpolate
from .functions.normalization import instance_norm, local_response_norm
from .functions.pooling import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
           "attention_weights", "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
           "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cross_entropy", "dropout",
           "dropout1d", "dropout2d", "dropout3d", "embedding", "fold", "group_norm", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss",
           "linear", "local_response_norm", "lp_pool1d", "lp_pool2d", "lp_pool3d", "max_pool1d", "max_pool2d", "max_pool3d", "mse_loss", "nll_loss",
           "pixel_shuffle", "pixel_unshuffle", "scaled_dot_product_attention", "smooth_l1_loss", "unfold"]

REDUCTIONS = ("mean", "sum", "none")


def _reduced(loss: Tensor, reduction: str, what: str) -> Tensor:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{what}: reduction is one of {', '.join(REDUCTIONS)}, not {reduction!r}")
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


def _same_shape(input: Tensor, target: Any, what: str) -> Tensor:
    target = input._operand(target, what)
    if input.shape != target.shape:
        raise ShapeError(f"{what}: input has shape {input.shape} and target {target.shape}; they must be equal")
    return target


def _known(size: Size) -> int:
    """A size that must be a number, not a Variable."""
    return concrete((size,))[0]


# Losses

def mse_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """The squared difference."""
    return _reduced((input - _same_shape(input, target, "mse_loss")).square(), reduction, "mse_loss")


def l1_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """The absolute difference."""
    return _reduced((input - _same_shape(input, target, "l1_loss")).abs(), reduction, "l1_loss")


def huber_loss(input: Tensor, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half of the squared difference d up to delta, delta * (|d| - delta / 2) beyond."""
    if not delta > 0:
        raise BoundsError(f"huber_loss: delta must be positive, given {delta}")
    d = (input - _same_shape(input, target, "huber_loss")).abs()
    return _reduced((d * d * 0.5).where(d <= delta, (d - delta / 2) * delta), reduction, "huber_loss")


def smooth_l1_loss(input: Tensor, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """huber_loss over beta; the absolute difference for beta 0."""
    return l1_loss(input, target, reduction) if beta == 0 else huber_loss(input, target, reduction, beta) / beta


def nll_loss(input: Tensor, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """Minus the log-probability, in `input` of shape (N, C, ...), of each target class (N, ...).

    The mean is over the targets that are not ignore_index, by the weights (C,) of their classes. An index outside of 0 to C - 1 counts as probability 1.
    """
    axis = 0 if input.ndim == 1 else 1
    target = _classes(input, target, axis, "nll_loss")
    return _weighed_nll(input, target, axis, weight, ignore_index, reduction, 0.0)


def cross_entropy(input: Tensor, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0) -> Tensor:
    """The cross entropy of softmax(input), input of shape (N, C, ...), with target classes (N, ...) or probabilities (N, C, ...).

        nn.functional.cross_entropy(logits, labels)
    """
    if not 0 <= label_smoothing <= 1:
        raise BoundsError(f"cross_entropy: label_smoothing is from 0 to 1, given {label_smoothing}")
    axis = 0 if input.ndim == 1 else 1
    target = input._operand(target, "cross_entropy")
    logs = input.log_softmax(axis)
    if not target.dtype.is_float:
        return _weighed_nll(logs, _classes(input, target, axis, "cross_entropy"), axis, weight, ignore_index, reduction, label_smoothing)
    target = _same_shape(input, target, "cross_entropy")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / _known(input.shape[axis])
    if weight is not None:
        logs = logs * _class_weights(input, weight, axis, "cross_entropy")
    loss = -(logs * target).sum(axis)
    return loss.sum() / max(1, math.prod(loss.shape)) if reduction == "mean" else _reduced(loss, reduction, "cross_entropy")


def _classes(input: Tensor, target: Any, axis: int, what: str) -> Tensor:
    target = input._operand(target, what)
    want = input.shape[:axis] + input.shape[axis + 1:]
    if target.dtype.is_float:
        raise DTypeError(f"{what}: target classes are integers, not {target.dtype}")
    if target.shape != want:
        raise ShapeError(f"{what}: for input of shape {input.shape} (classes along axis {axis}) the target classes have shape {want}, not {target.shape}")
    return target


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
        loss = loss * (1 - smoothing) + every.where(kept, 0.0) * (smoothing / _known(logs.shape[axis]))
    if reduction == "mean":
        return loss.sum() / share.sum()
    return _reduced(loss, reduction, "nll_loss")


def binary_cross_entropy_with_logits(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> Tensor:
    """The cross entropy of sigmoid(input) with probabilities, without overflow; `pos_weight` weighs the part of the positive."""
    target = _same_shape(input, target, "binary_cross_entropy_with_logits").cast(input.dtype)
    rest = (-input.abs()).exp().log1p() + (-input)._bounded("max", 0)
    if pos_weight is None:
        loss = (1 - target) * input + rest
    else:
        loss = (1 - target) * input + ((input._operand(pos_weight, "pos_weight") - 1) * target + 1) * rest
    return _reduced(loss if weight is None else loss * weight, reduction, "binary_cross_entropy_with_logits")


def binary_cross_entropy(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """The cross entropy of probabilities with probabilities; logarithms are at least -100."""
    target = _same_shape(input, target, "binary_cross_entropy").cast(input.dtype)
    loss = -(target * input.log().clip(-100) + (1 - target) * (-input).log1p().clip(-100))
    return _reduced(loss if weight is None else loss * weight, reduction, "binary_cross_entropy")


def kl_div(input: Tensor, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """The Kullback-Leibler divergence of target probabilities from input log-probabilities, element by element; "batchmean" sums and divides by the batch."""
    target = _same_shape(input, target, "kl_div")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        loss = (target * (target.where(target > 0, 1.0).log() - input)).where(target > 0, 0.0)
    return loss.sum() / input.shape[0] if reduction == "batchmean" else _reduced(loss, reduction, "kl_div")


# Layers

def embedding(input: Any, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of the weight; the row padding_idx takes no gradient."""
    index = weight._operand(input, "embedding")
    if index.dtype.is_float or index.dtype.kind == "b":
        raise DTypeError(f"embedding: indices are integers, not {index.dtype}")
    if weight.ndim != 2:
        raise ShapeError(f"embedding: the weight has shape (rows, width), not {weight.shape}")
    rows = weight[index]
    if padding_idx is None:
        return rows
    return rows.detach().where(index.eq(padding_idx % weight.shape[0]).unsqueeze(-1), rows)


def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """input @ weight.T + bias."""
    return input.linear(weight, bias)


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Any = None, bias: Any = None, training: bool = False,
               momentum: Any = 0.1, eps: float = 1e-5) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over all axes but 1, times weight plus bias; in training with the batch's statistics, which move the running
    ones by `momentum`."""
    from ..tensor.gradient.modes import no_grad
    axes = tuple(a for a in range(input.ndim) if a != 1)
    if input.ndim < 2:
        raise ShapeError(f"batch_norm: input has shape (batch, channels, ...), not {input.shape}")
    shape = tuple(-1 if a == 1 else 1 for a in range(input.ndim))
    x = input._computing()
    if training or running_mean is None or running_var is None:
        count = math.prod(input.shape[a] for a in axes)
        if training and count < 2:
            raise ShapeError(f"batch_norm: training needs more than one value for each channel, given shape {input.shape}")
        mean = x.mean(axes)
        distance = x - mean.reshape(*shape)
        variance = (distance * distance).mean(axes)
        if training and running_mean is not None and running_var is not None:
            with no_grad():
                running_mean.assign(running_mean * (1 - momentum) + mean.detach().cast(running_mean.dtype) * momentum)
                running_var.assign(running_var * (1 - momentum) + variance.detach().cast(running_var.dtype) * (momentum * count / (count - 1)))
    else:
        mean, variance = running_mean.cast(x.dtype), running_var.cast(x.dtype)
        distance = x - mean.reshape(*shape)
    scale = (variance + eps).rsqrt()
    if weight is not None:
        scale = scale * weight
    result = distance * scale.reshape(*shape)
    if bias is not None:
        result = result + bias.reshape(*shape)
    return result._rounded(input.dtype)


def group_norm(input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """layer norm over the channels of each group and all further axes, for input (batch, channels, ...)."""
    if input.ndim < 2 or input.shape[1] % num_groups:
        raise ShapeError(f"group_norm: {num_groups} groups must divide the channels, axis 1 of shape {input.shape}")
    shape = tuple(-1 if a == 1 else 1 for a in range(input.ndim))
    x = input._computing()
    grouped = x.reshape(input.shape[0], num_groups, input.shape[1] // num_groups, *input.shape[2:]).flatten(2)
    result = grouped.layernorm(-1, eps).reshape(*input.shape)
    if weight is not None:
        result = result * weight.reshape(*shape)
    if bias is not None:
        result = result + bias.reshape(*shape)
    return result._rounded(input.dtype)

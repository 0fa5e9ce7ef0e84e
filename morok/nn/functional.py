"""Functions of layers. The names, defaults and rules are PyTorch's functional ones: embedding and normalisation by batches are here, others in
`functions/`."""
from __future__ import annotations

import math
from typing import Any

from ..errors import DTypeError, ShapeError
from ..functions.elementwise import celu as celu
from ..functions.elementwise import elu as elu
from ..functions.elementwise import gelu as gelu
from ..functions.elementwise import hardsigmoid as hardsigmoid
from ..functions.elementwise import hardswish as hardswish
from ..functions.elementwise import hardtanh as hardtanh
from ..functions.elementwise import log_softmax as log_softmax
from ..functions.elementwise import logsigmoid as logsigmoid
from ..functions.elementwise import mish as mish
from ..functions.elementwise import relu as relu
from ..functions.elementwise import relu6 as relu6
from ..functions.elementwise import selu as selu
from ..functions.elementwise import sigmoid as sigmoid
from ..functions.elementwise import silu as silu
from ..functions.elementwise import softmax as softmax
from ..functions.elementwise import softplus as softplus
from ..functions.elementwise import softsign as softsign
from ..functions.elementwise import tanh as tanh
from ..functions.movement import pad as pad
from ..functions.of_methods import glu as glu
from ..functions.of_methods import hardshrink as hardshrink
from ..functions.of_methods import layer_norm as layer_norm
from ..functions.of_methods import leaky_relu as leaky_relu
from ..functions.of_methods import normalize as normalize
from ..functions.of_methods import one_hot as one_hot
from ..functions.of_methods import prelu as prelu
from ..functions.of_methods import rms_norm as rms_norm
from ..functions.of_methods import softmin as softmin
from ..functions.of_methods import softshrink as softshrink
from ..functions.of_methods import tanhshrink as tanhshrink
from ..functions.of_methods import threshold as threshold
from ..tensor.arguments import integer
from ..tensor.tensor import Tensor
from .arguments import of_tensor
from .functions.attention import attention_weights, scaled_dot_product_attention
from .functions.class_losses import binary_cross_entropy, binary_cross_entropy_with_logits, cross_entropy, kl_div, nll_loss
from .functions.convolution import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from .functions.ctc import ctc_loss
from .functions.dropping import dropout, dropout1d, dropout2d, dropout3d
from .functions.folding import channel_shuffle, fold, pixel_shuffle, pixel_unshuffle, unfold
from .functions.interpolation import interpolate
from .functions.losses import (
    cosine_embedding_loss,
    cosine_similarity,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    l1_loss,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    pairwise_distance,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)
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
           "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_embedding_loss",
           "cosine_similarity", "cross_entropy", "ctc_loss", "dropout", "dropout1d", "dropout2d", "dropout3d", "embedding", "fold", "gaussian_nll_loss",
           "group_norm", "hinge_embedding_loss", "huber_loss", "instance_norm", "interpolate", "kl_div", "l1_loss", "linear", "local_response_norm",
           "lp_pool1d", "lp_pool2d", "lp_pool3d", "margin_ranking_loss", "max_pool1d", "max_pool2d", "max_pool3d", "mse_loss", "multi_margin_loss",
           "multilabel_margin_loss", "multilabel_soft_margin_loss", "nll_loss", "pairwise_distance", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss",
           "scaled_dot_product_attention", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss", "unfold"]

# Layers

def embedding(input: Any, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Rows of the weight; the row padding_idx takes no gradient. The indices' shape with a last axis of the row's size; indices are integers.

        nn.functional.embedding(Tensor([2, 0]), Tensor([[1.0], [2.0], [3.0]]))    # [[3.0], [1.0]]
    """
    index = weight._operand(input, "embedding")
    if index.dtype.is_float or index.dtype.kind == "b":
        raise DTypeError(f"embedding: indices are integers, not {index.dtype}")
    if weight.ndim != 2:
        raise ShapeError(f"embedding: the weight has shape (rows, width), not {weight.shape}")
    rows = weight[index]
    if padding_idx is None:
        return rows
    return rows.detach().where(index.eq(padding_idx % weight.shape[0]).unsqueeze(-1), rows)


@of_tensor
def linear(input: Tensor, weight: Tensor, bias: Any = None) -> Tensor:
    """input @ weight.T + bias. (..., inputs) with (outputs, inputs) gives (..., outputs).

        nn.functional.linear(Tensor([[1.0, 2.0]]), Tensor([[1.0, 1.0]]))    # [[3.0]]
    """
    if not isinstance(input, Tensor):
        raise DTypeError(f"linear: takes a Tensor, not {type(input).__name__}; Tensor(...) makes one")
    return input.linear(weight, bias)


@of_tensor
def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Any = None, bias: Any = None, training: bool = False,
               momentum: Any = 0.1, eps: float = 1e-5) -> Tensor:
    """(x - mean) / sqrt(variance + eps) over all axes but 1, times weight plus bias; in training with the batch's statistics, which move the running
    ones by `momentum`. The same shape, (batch, channels, ...).

        nn.functional.batch_norm(Tensor([[1.0], [3.0]]), None, None, training=True, eps=0.0)    # [[-1.0], [1.0]]
    """
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


@of_tensor
def group_norm(input: Tensor, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """layer norm over the channels of each group and all further axes, for input (batch, channels, ...). The same shape.

        nn.functional.group_norm(Tensor([[1.0, 3.0]]), 1, eps=0.0)    # [[-1.0, 1.0]]
    """
    num_groups = integer(num_groups, "group_norm: num_groups")
    if input.ndim < 2 or num_groups < 1 or input.shape[1] % num_groups:
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

"""Losses of numbers: differences, margins and distances. Names, defaults and formulas are PyTorch's.

`reduction` is "mean", "sum" or "none" (a loss for each element, or each row where a loss is one of rows).
"""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Unpack

from ...errors import BoundsError, DTypeError, ShapeError
from ...tensor.arguments import also_named, number
from ...tensor.broadcasting import broadcast_shape
from ...tensor.other_names import Keepdims, OneAxis
from ...tensor.tensor import Tensor
from ..arguments import of_tensor

REDUCTIONS = ("mean", "sum", "none")


@of_tensor
def reduced(loss: Tensor, reduction: str, what: str) -> Tensor:
    if reduction not in REDUCTIONS:
        raise ValueError(f"{what}: reduction is one of {', '.join(REDUCTIONS)}, not {reduction!r}")
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


@of_tensor
def same_shape(input: Tensor, target: Any, what: str) -> Tensor:
    target = input._operand(target, what)
    if input.shape != target.shape:
        raise ShapeError(f"{what}: input has shape {input.shape} and target {target.shape}; they must be equal")
    return target


@of_tensor
def at_least_zero(x: Tensor) -> Tensor:
    """max(x, 0), flat at 0."""
    return x._bounded("max", 0)


# Differences

@of_tensor
def mse_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """The squared difference of two tensors of one shape.

        nn.functional.mse_loss(Tensor([1.0, 2.0]), Tensor([0.0, 4.0]), reduction="none")    # [1.0, 4.0]
    """
    return reduced((input - same_shape(input, target, "mse_loss")).square(), reduction, "mse_loss")


@of_tensor
def l1_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """The absolute difference of two tensors of one shape.

        nn.functional.l1_loss(Tensor([1.0, 2.0]), Tensor([0.0, 4.0]), reduction="none")    # [1.0, 2.0]
    """
    return reduced((input - same_shape(input, target, "l1_loss")).abs(), reduction, "l1_loss")


@of_tensor
def huber_loss(input: Tensor, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half of the squared difference d up to delta, delta * (|d| - delta / 2) beyond. BoundsError unless delta is positive.

        nn.functional.huber_loss(Tensor([1.0, 2.0]), Tensor([1.5, 5.0]), reduction="none")    # [0.125, 2.5]
    """
    if not number(delta, "huber_loss: delta") > 0:
        raise BoundsError(f"huber_loss: delta must be positive, given {delta}")
    d = (input - same_shape(input, target, "huber_loss")).abs()
    near = d._bounded("min", delta)
    return reduced(near * (d - near * 0.5), reduction, "huber_loss")


@of_tensor
def smooth_l1_loss(input: Tensor, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """huber_loss over beta; the absolute difference for beta 0.

        nn.functional.smooth_l1_loss(Tensor([1.0, 2.0]), Tensor([1.5, 5.0]), reduction="none", beta=0.5)    # [0.25, 2.75]
    """
    if number(beta, "smooth_l1_loss: beta") < 0:
        raise BoundsError(f"smooth_l1_loss: beta must not be negative, given {beta}")
    return l1_loss(input, target, reduction) if beta == 0 else huber_loss(input, target, reduction, beta) / beta


@of_tensor
def gaussian_nll_loss(input: Tensor, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    """Minus the log-likelihood of the target under normal distributions of mean `input` and variance `var`, without constants unless `full`.

    `var` has the shape of the input, or without its last axis, or with size 1 there, or is a number. It counts as at least eps, with a derivative all the
    same; negative variances are not found.

        nn.functional.gaussian_nll_loss(Tensor([1.0, 2.0]), Tensor([2.0, 2.0]), Tensor([1.0, 1.0]), reduction="none")    # [0.5, 0.0]
    """
    target, var = input._operand(target, "gaussian_nll_loss"), input._operand(var, "gaussian_nll_loss")
    if not number(eps, "gaussian_nll_loss: eps") > 0:
        raise BoundsError(f"gaussian_nll_loss: eps must be positive, given {eps}")
    if var.ndim and var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = var.unsqueeze(-1)
        elif var.shape != (*input.shape[:-1], 1):
            raise ShapeError(f"gaussian_nll_loss: var of shape {var.shape} for input of shape {input.shape}; it has the same shape, or none, or size 1, in "
                             "the last axis")
    broadcast_shape("gaussian_nll_loss", input.shape, target.shape)
    bounded = var + (var.clip(eps) - var).detach()
    loss = (bounded.log() + (input - target).square() / bounded) * 0.5
    return reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction, "gaussian_nll_loss")


@of_tensor
def poisson_nll_loss(input: Tensor, target: Any, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> Tensor:
    """Minus the log-likelihood of counts under Poisson distributions whose rates' logarithms (or rates, `log_input` False) are the input; with `full` the
    logarithm of the count's factorial by Stirling's formula too.

        nn.functional.poisson_nll_loss(Tensor([0.0, 0.0]), Tensor([2.0, 3.0]), reduction="none")    # [1.0, 1.0]
    """
    target = input._operand(target, "poisson_nll_loss")
    broadcast_shape("poisson_nll_loss", input.shape, target.shape)
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        count = target.where(target > 1, 1.0)
        loss = loss + (count * count.log() - count + (count * (2 * math.pi)).log() * 0.5).where(target > 1, 0.0)
    return reduced(loss, reduction, "poisson_nll_loss")


# Margins

@of_tensor
def hinge_embedding_loss(input: Tensor, target: Any, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """The input where the target is 1, max(0, margin - input) where it is -1.

        nn.functional.hinge_embedding_loss(Tensor([2.0, 0.25]), Tensor([1, -1]), reduction="none")    # [2.0, 0.75]
    """
    target = input._operand(target, "hinge_embedding_loss")
    broadcast_shape("hinge_embedding_loss", input.shape, target.shape)
    loss = input.where(target.ne(-1), 0.0) + at_least_zero(margin - input).where(target.ne(1), 0.0)
    return reduced(loss, reduction, "hinge_embedding_loss")


@of_tensor
def margin_ranking_loss(input1: Tensor, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Tensor:
    """max(0, margin - target * (input1 - input2)): target 1 says that the first is to be greater, -1 the second.

        nn.functional.margin_ranking_loss(Tensor([1.0, 1.0]), Tensor([3.0, 0.0]), Tensor([1, 1]), reduction="none")    # [2.0, 0.0]
    """
    input2, target = input1._operand(input2, "margin_ranking_loss"), input1._operand(target, "margin_ranking_loss")
    broadcast_shape("margin_ranking_loss", input1.shape, input2.shape, target.shape)
    return reduced(at_least_zero(margin - target * (input1 - input2)), reduction, "margin_ranking_loss")


@of_tensor
def soft_margin_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target * input)) for targets 1 and -1.

        nn.functional.soft_margin_loss(Tensor([0.0]), Tensor([1.0]))
    """
    target = input._operand(target, "soft_margin_loss")
    broadcast_shape("soft_margin_loss", input.shape, target.shape)
    return reduced(-(target * input).logsigmoid(), reduction, "soft_margin_loss")


@of_tensor
def multilabel_soft_margin_loss(input: Tensor, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """The mean over classes (the last axis) of the cross entropy of sigmoid(input) with targets 0 and 1.

        nn.functional.multilabel_soft_margin_loss(Tensor([[0.0, 1.0]]), Tensor([[1.0, 0.0]]))
    """
    target = same_shape(input, target, "multilabel_soft_margin_loss")
    loss = -(target * input.logsigmoid() + (1 - target) * (-input).logsigmoid())
    return reduced((loss if weight is None else loss * weight).mean(-1), reduction, "multilabel_soft_margin_loss")


@of_tensor
def multi_margin_loss(input: Tensor, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean") -> Tensor:
    """The hinge loss of classes: the mean over the other classes of max(0, margin - input[target] + input) ** p, for input (N, C) or (C,).

        nn.functional.multi_margin_loss(Tensor([[1.0, 0.5]]), Tensor([0]))
    """
    if p not in (1, 2):
        raise ValueError(f"multi_margin_loss: p is 1 or 2, given {p}")
    target = input._operand(target, "multi_margin_loss")
    if input.ndim not in (1, 2) or target.shape != input.shape[:-1]:
        raise ShapeError(f"multi_margin_loss: input has shape (N, C) and target (N,), or (C,) and (); given {input.shape} and {target.shape}")
    if target.dtype.is_float:
        raise DTypeError(f"multi_margin_loss: target classes are integers, not {target.dtype}")
    index = target.unsqueeze(-1)
    loss = at_least_zero(margin - input.gather(-1, index) + input)
    loss = loss * loss if p == 2 else loss
    if weight is not None:
        loss = loss * input._operand(weight, "multi_margin_loss")[target].unsqueeze(-1)
    loss = loss.where(index.ne(Tensor.arange(input.shape[-1], device=input.device)), 0.0)
    return reduced(loss.mean(-1), reduction, "multi_margin_loss")


@of_tensor
def multilabel_margin_loss(input: Tensor, target: Any, reduction: str = "mean") -> Tensor:
    """The hinge loss of several classes a row: for input (N, C) or (C,), target of the same shape lists classes up to the first -1; the sum of
    max(0, 1 - input[target] + input) over all pairs of a target and a class that is none, over C.

        nn.functional.multilabel_margin_loss(Tensor([[0.5, 0.0, 1.0, 0.0]]), Tensor([[2, 0, -1, 1]]), reduction="none")    # [0.25]
    """
    target = same_shape(input, target, "multilabel_margin_loss")
    if input.ndim not in (1, 2):
        raise ShapeError(f"multilabel_margin_loss: input has shape (N, C) or (C,), not {input.shape}")
    if target.dtype.is_float:
        raise DTypeError(f"multilabel_margin_loss: target classes are integers, not {target.dtype}")
    counts = target.lt(0).cast("int64").cumsum(-1).eq(0)
    classes = target.where(counts, 0)
    hot = classes.unsqueeze(-1).eq(Tensor.arange(input.shape[-1], device=input.device)) & counts.unsqueeze(-1)
    chosen = input.gather(-1, classes)
    others = hot.any(-2).logical_not().unsqueeze(-2) & counts.unsqueeze(-1)
    loss = at_least_zero(1 - chosen.unsqueeze(-1) + input.unsqueeze(-2)).where(others, 0.0)
    return reduced(loss.sum((-2, -1)) / max(1, input._concrete_shape()[-1]), reduction, "multilabel_margin_loss")


# Distances

@also_named(axis="dim")
@of_tensor
def cosine_similarity(x1: Tensor, x2: Any, dim: int = 1, eps: float = 1e-8, **other: Unpack[OneAxis]) -> Tensor:
    """The cosine of the angle between vectors along an axis; lengths count as at least eps.

        nn.functional.cosine_similarity(Tensor([[3.0, 4.0]]), Tensor([[3.0, 4.0]]))    # [1.0]
    """
    x2 = x1._operand(x2, "cosine_similarity")
    shape = broadcast_shape("cosine_similarity", x1.shape, x2.shape)
    x1, x2 = x1.broadcast_to(shape), x2.broadcast_to(shape)
    lengths = [(x * x).sum(dim).clip(eps * eps).sqrt() for x in (x1, x2)]  # bounded under the root, whose derivative at 0 is infinite
    return (x1 * x2).sum(dim) / (lengths[0] * lengths[1])


@also_named(keepdims="keepdim")
@of_tensor
def pairwise_distance(x1: Tensor, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False, **other: Unpack[Keepdims]) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last axis.

        nn.functional.pairwise_distance(Tensor([[3.0, 4.0]]), Tensor([[0.0, 0.0]]), eps=0.0)    # [5.0]
    """
    x2 = x1._operand(x2, "pairwise_distance")
    broadcast_shape("pairwise_distance", x1.shape, x2.shape)
    return (x1 - x2 + eps).norm(p, axis=-1, keepdim=keepdim)


@of_tensor
def cosine_embedding_loss(input1: Tensor, input2: Any, target: Any, margin: float = 0.0, reduction: str = "mean") -> Tensor:
    """Of rows (N, D), or vectors (D,): 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.

        nn.functional.cosine_embedding_loss(Tensor([[1.0, 0.0]]), Tensor([[0.0, 1.0]]), Tensor([1]))    # 1.0
    """
    input2, target = input1._operand(input2, "cosine_embedding_loss"), input1._operand(target, "cosine_embedding_loss")
    if input1.shape != input2.shape or input1.ndim not in (1, 2) or target.shape != input1.shape[:-1]:
        raise ShapeError(f"cosine_embedding_loss: inputs have one shape (N, D) and target (N,), or (D,) and (); given {input1.shape}, {input2.shape}, "
                         f"{target.shape}")
    squares = [(x * x).sum(-1) + 1e-12 for x in (input1, input2)]
    cosine = (input1 * input2).sum(-1) / (squares[0] * squares[1]).sqrt()
    loss = (1 - cosine).where(target.eq(1), 0.0) + at_least_zero(cosine - margin).where(target.eq(-1), 0.0)
    return reduced(loss, reduction, "cosine_embedding_loss")


@of_tensor
def triplet_margin_loss(anchor: Tensor, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                        reduction: str = "mean") -> Tensor:
    """max(0, margin + distance to the positive - distance to the negative), by p-norms along the last axis; with `swap` the positive's distance to the
    negative counts where it is less (Balntas et al. 2016).

        nn.functional.triplet_margin_loss(Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[6.0, 8.0]]), eps=0.0)    # 0.0
    """
    return triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=lambda a, b: pairwise_distance(a, b, p, eps), margin=margin,
                                             swap=swap, reduction=reduction)


@of_tensor
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Any, negative: Any, *, distance_function: Callable | None = None, margin: float = 1.0,
                                      swap: bool = False, reduction: str = "mean") -> Tensor:
    """triplet_margin_loss with a distance of the user's: a function of two tensors.

        nn.functional.triplet_margin_with_distance_loss(Tensor([[0.0]]), Tensor([[3.0]]), Tensor([[1.0]]))
    """
    if not number(margin, "triplet_margin_loss: margin") > 0:
        raise BoundsError(f"triplet_margin_loss: margin must be positive, given {margin}")
    distance = distance_function or pairwise_distance
    positive, negative = anchor._operand(positive, "triplet_margin_loss"), anchor._operand(negative, "triplet_margin_loss")
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = far.minimum(distance(positive, negative))
    return reduced(at_least_zero(near - far + margin), reduction, "triplet_margin_loss")

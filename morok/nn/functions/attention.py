"""Attention: values averaged by how well their keys fit a query."""
from __future__ import annotations

import math
from typing import Any

from ...errors import ShapeError
from ...tensor.sizes import concrete
from ...tensor.tensor import Tensor
from ..arguments import of_tensor
from .dropping import dropout


@of_tensor
def attention_weights(query: Tensor, key: Tensor, attn_mask: Any = None, scale: float | None = None) -> Tensor:
    """softmax(query @ key.T * scale + mask): (..., queries, keys). A mask of bools says who may be looked at, one of floats is added; a row of bools that
    may look at nothing gives zeros. The scale is 1 / sqrt(width) by default.

        nn.functional.attention_weights(Tensor([[0.0]]), Tensor([[1.0], [2.0]]))    # [[0.5, 0.5]]
    """
    factor = concrete((query.shape[-1],))[0] ** -0.5 if scale is None else scale
    scores = (query @ key.transpose(-1, -2)) * factor
    if attn_mask is None:
        return scores.softmax(-1)
    mask = query._operand(attn_mask, "attn_mask")
    if mask.dtype.kind != "b":
        return (scores + mask.cast(scores.dtype)).softmax(-1)
    some = mask.any(-1, keepdim=True)
    return scores.where(mask, -math.inf).where(some, 0.0).softmax(-1).where(some, 0.0)


@of_tensor
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """softmax(query @ key.T * scale + mask) @ value over the last two axes (length, width).

    A mask of bools says who may be looked at, one of floats is added; `is_causal` lets element i look at those up to i. With `enable_gqa` each head of
    key and value (axis -3) serves several of query. A row that may look at nothing gives zeros. ShapeError where widths, lengths or heads differ.

        nn.functional.scaled_dot_product_attention(Tensor([[0.0]]), Tensor([[1.0], [2.0]]), Tensor([[1.0], [3.0]]))    # [[2.0]]
    """
    if query.shape[-1] != key.shape[-1]:
        raise ShapeError(f"scaled_dot_product_attention: query {query.shape} and key {key.shape} need last axes of one size")
    if key.shape[-2] != value.shape[-2]:
        raise ShapeError(f"scaled_dot_product_attention: key {key.shape} and value {value.shape} need one length")
    if is_causal and attn_mask is not None:
        raise ValueError("scaled_dot_product_attention: give is_causal or attn_mask, not both")
    if enable_gqa:
        served = query.shape[-3]
        for name, t in (("key", key), ("value", value)):
            if served % t.shape[-3]:  # type: ignore[operator]
                raise ShapeError(f"scaled_dot_product_attention: {t.shape[-3]} heads of {name} cannot serve {served} of query; the one must divide the other")
        key, value = (t.repeat_interleave(served // t.shape[-3], -3) for t in (key, value))  # type: ignore[operator]
    if is_causal:
        attn_mask = Tensor.ones(query.shape[-2], key.shape[-2], dtype="bool", device=query.device).tril()
    return dropout(attention_weights(query, key, attn_mask, scale), dropout_p) @ value

"""MultiheadAttention, with PyTorch's parameters, masks and state."""
from __future__ import annotations

import math
from typing import Any

from ..errors import BoundsError, ShapeError
from ..tensor.tensor import Tensor
from . import functional, init
from .layers import Linear, new_parameter
from .module import Module


class MultiheadAttention(Module):
    """Attention of several heads, each on its part of the projected queries, keys and values.

        layer = nn.MultiheadAttention(16, 4, batch_first=True)
        output, weights = layer(x, x, x)        # x (batch, length, 16); weights (batch, length, length)

    Keys and values may have widths of their own, kdim and vdim. ShapeError where num_heads does not divide embed_dim.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False, add_zero_attn: bool = False,
                 kdim: int | None = None, vdim: int | None = None, batch_first: bool = False) -> None:
        super().__init__()
        if num_heads < 1 or embed_dim < 1 or embed_dim % num_heads:
            raise ShapeError(f"MultiheadAttention: {num_heads} heads must divide embed_dim {embed_dim}")
        if not 0 <= dropout <= 1:
            raise BoundsError(f"MultiheadAttention: dropout is a probability from 0 to 1, given {dropout}")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first, self.add_zero_attn = embed_dim, num_heads, dropout, batch_first, add_zero_attn
        self.kdim, self.vdim, self.head_dim = kdim or embed_dim, vdim or embed_dim, embed_dim // num_heads
        self.in_proj_weight: Tensor | None
        if self.kdim == self.vdim == embed_dim:
            self.in_proj_weight = init.xavier_uniform_(new_parameter(3 * embed_dim, embed_dim))
            self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        else:
            self.in_proj_weight = None
            self.q_proj_weight = init.xavier_uniform_(new_parameter(embed_dim, embed_dim))
            self.k_proj_weight = init.xavier_uniform_(new_parameter(embed_dim, self.kdim))
            self.v_proj_weight = init.xavier_uniform_(new_parameter(embed_dim, self.vdim))
        self.in_proj_bias = new_parameter(3 * embed_dim) if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        if bias:
            init.zeros_(self.out_proj.bias)  # type: ignore[arg-type]
        self.bias_k, self.bias_v = (init.xavier_normal_(new_parameter(1, 1, embed_dim)) if add_bias_kv else None for _ in range(2))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
                average_attn_weights: bool = True, is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        """(output, weights) of query (length, batch, embed_dim), batch first if batch_first, or (length, embed_dim).

        Masks of bools are True where NOT to look, those of floats are added: key_padding_mask (batch, keys), attn_mask (queries, keys) or
        (batch * heads, queries, keys); is_causal alone masks what comes later. The weights (None without need_weights) are (batch, queries, keys), or for
        each head (batch, heads, queries, keys) without average_attn_weights. ShapeError where sizes differ.
        """
        itself = query is key and key is value
        if query.ndim == 2:
            padding = None if key_padding_mask is None else query._operand(key_padding_mask, "key_padding_mask").unsqueeze(0)
            one = query.unsqueeze(0)
            others = (one, one) if itself else (key.unsqueeze(0), value.unsqueeze(0))
            output, weights = self._attended(one, *others, padding, need_weights, attn_mask, average_attn_weights, is_causal)
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        if not self.batch_first:
            first = query.transpose(0, 1)
            query, key, value = (first, first, first) if itself else (first, key.transpose(0, 1), value.transpose(0, 1))
        output, weights = self._attended(query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal)
        return output if self.batch_first else output.transpose(0, 1), weights

    def _attended(self, query: Tensor, key: Tensor, value: Tensor, padding: Any, need_weights: bool, attn_mask: Any, average: bool,
                  is_causal: bool) -> tuple[Tensor, Tensor | None]:
        widths = (self.embed_dim, self.kdim, self.vdim)
        if any(t.ndim != 3 or t.shape[-1] != w for t, w in zip((query, key, value), widths)) or key.shape[:2] != value.shape[:2] or (
                query.shape[0] != key.shape[0]):
            raise ShapeError(f"MultiheadAttention: needs query, key and value of widths {widths}, of one batch, key and value of one length; given (batch "
                             f"first) {query.shape}, {key.shape} and {value.shape}")
        batch, length = query.shape[:2]
        q, k, v = self._projected(query, key, value)
        more = 0
        if self.bias_k is not None and self.bias_v is not None:
            k, v = (t.cat(b.expand(batch, 1, self.embed_dim), dim=1) for t, b in ((k, self.bias_k), (v, self.bias_v)))
            more += 1
        if self.add_zero_attn:
            nothing = Tensor.zeros(batch, 1, self.embed_dim, dtype=k.dtype, device=k.device)
            k, v = k.cat(nothing, dim=1), v.cat(nothing, dim=1)
            more += 1
        q, k, v = (t.reshape(batch, t.shape[1], self.num_heads, self.head_dim).transpose(1, 2) for t in (q, k, v))
        mask = self._mask(q, padding, attn_mask, is_causal, (batch, length, key.shape[1]), more)
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            weights = functional.dropout(functional.attention_weights(q, k, mask), dropout)
            heads = weights @ v
        else:
            heads = functional.scaled_dot_product_attention(q, k, v, mask, dropout)
        output = self.out_proj(heads.transpose(1, 2).reshape(batch, length, self.embed_dim))
        return output, weights.mean(1) if weights is not None and average else weights

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        if self.in_proj_weight is None:
            weights: Any = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        elif query is key and key is value:
            return query.linear(self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        else:
            weights = self.in_proj_weight.chunk(3)
        return tuple(t.linear(w, b) for t, w, b in zip((query, key, value), weights, biases))

    def _mask(self, q: Tensor, padding: Any, attn_mask: Any, is_causal: bool, sizes: tuple, more: int) -> Tensor | None:
        """Both masks as one of (batch, heads, queries, keys), whose sizes may be 1: bools, True where to look, or floats. Keys added behind are seen."""
        batch, length, keys = sizes
        masks = []
        if is_causal and attn_mask is None:
            attn_mask = Tensor.ones(length, keys, dtype="bool", device=q.device).triu(1)
        if attn_mask is not None:
            mask = q._operand(attn_mask, "attn_mask")
            if mask.shape == (length, keys):
                masks.append(mask.reshape(1, 1, length, keys))
            elif mask.shape == (batch * self.num_heads, length, keys):
                masks.append(mask.reshape(batch, self.num_heads, length, keys))
            else:
                raise ShapeError(f"MultiheadAttention: attn_mask has shape {(length, keys)} or {(batch * self.num_heads, length, keys)}, given {mask.shape}")
        if padding is not None:
            mask = q._operand(padding, "key_padding_mask")
            if mask.shape != (batch, keys):
                raise ShapeError(f"MultiheadAttention: key_padding_mask has shape {(batch, keys)}, given {mask.shape}")
            masks.append(mask.reshape(batch, 1, 1, keys))
        if not masks:
            return None
        if all(m.dtype.kind == "b" for m in masks):
            seen = [~m for m in masks]
            both = seen[0] if len(seen) == 1 else seen[0] & seen[1]
            return both.pad((0, more), value=True) if more else both
        added = [q._new(Tensor.zeros(1, dtype=q.dtype).uop).where(~m, -math.inf) if m.dtype.kind == "b" else m.cast(q.dtype) for m in masks]
        total = added[0] if len(added) == 1 else added[0] + added[1]
        return total.pad((0, more)) if more else total

    def extra_repr(self) -> str:
        return f"{self.embed_dim}, {self.num_heads}, batch_first={self.batch_first}"

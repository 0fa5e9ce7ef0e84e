"""Transformer: encoder and decoder layers, stacks of them, and both together (Vaswani et al. 2017), with PyTorch's parameters and state."""
from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from ..tensor.tensor import Tensor
from . import init
from .attention import MultiheadAttention
from .containers import ModuleList
from .layers import Dropout, Linear
from .module import Module
from .norms import LayerNorm


def _activation(activation: Any) -> Callable[[Tensor], Tensor]:
    if callable(activation):
        return activation
    if activation not in ("relu", "gelu"):
        raise ValueError(f"activation is 'relu', 'gelu' or a function, not {activation!r}")
    return Tensor.relu if activation == "relu" else Tensor.gelu


class TransformerEncoderLayer(Module):
    """Self-attention and a feed-forward network, each with dropout, the sum with its input, and layer norm (before, if norm_first).

        nn.TransformerEncoderLayer(16, 4, batch_first=True)(x)      # x (batch, length, 16)
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = "relu", layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True) -> None:
        super().__init__()
        self.activation, self.norm_first = _activation(activation), norm_first
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first)
        self.linear1, self.linear2 = Linear(d_model, dim_feedforward, bias), Linear(dim_feedforward, d_model, bias)
        self.norm1, self.norm2 = (LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(2))
        self.dropout, self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout), Dropout(dropout)

    def forward(self, src: Tensor, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Tensor:
        """The shape of src; masks as in MultiheadAttention."""
        def attended(x: Tensor) -> Tensor:
            found = self.self_attn(x, x, x, src_key_padding_mask, need_weights=False, attn_mask=src_mask, is_causal=is_causal)
            return self.dropout1(found[0])

        def fed(x: Tensor) -> Tensor:
            return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        if self.norm_first:
            x = src + attended(self.norm1(src))
            return x + fed(self.norm2(x))
        x = self.norm1(src + attended(src))
        return self.norm2(x + fed(x))


class TransformerDecoderLayer(Module):
    """Self-attention, attention to an encoder's output, and a feed-forward network, each with dropout, the sum with its input, and layer norm.

        nn.TransformerDecoderLayer(16, 4, batch_first=True)(x, memory)
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = "relu", layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True) -> None:
        super().__init__()
        self.activation, self.norm_first = _activation(activation), norm_first
        self.self_attn, self.multihead_attn = (MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first) for _ in range(2))
        self.linear1, self.linear2 = Linear(d_model, dim_feedforward, bias), Linear(dim_feedforward, d_model, bias)
        self.norm1, self.norm2, self.norm3 = (LayerNorm(d_model, layer_norm_eps, bias=bias) for _ in range(3))
        self.dropout, self.dropout1, self.dropout2, self.dropout3 = (Dropout(dropout) for _ in range(4))

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
                memory_key_padding_mask: Any = None, tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor:
        """The shape of tgt; masks as in MultiheadAttention."""
        def attended(x: Tensor) -> Tensor:
            found = self.self_attn(x, x, x, tgt_key_padding_mask, need_weights=False, attn_mask=tgt_mask, is_causal=tgt_is_causal)
            return self.dropout1(found[0])

        def remembered(x: Tensor) -> Tensor:
            found = self.multihead_attn(x, memory, memory, memory_key_padding_mask, need_weights=False, attn_mask=memory_mask, is_causal=memory_is_causal)
            return self.dropout2(found[0])

        def fed(x: Tensor) -> Tensor:
            return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))

        if self.norm_first:
            x = tgt + attended(self.norm1(tgt))
            x = x + remembered(self.norm2(x))
            return x + fed(self.norm3(x))
        x = self.norm1(tgt + attended(tgt))
        x = self.norm2(x + remembered(x))
        return self.norm3(x + fed(x))


class TransformerEncoder(Module):
    """Copies of an encoder layer in a row, and a norm at the end.

        nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4), num_layers=2)(x)       # x (length, batch, 16)
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src: Tensor, mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Tensor:
        """The shape of src; masks as in MultiheadAttention."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """Copies of a decoder layer in a row, and a norm at the end.

        nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4), num_layers=2)(x, memory)
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(decoder_layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Any = None, memory_mask: Any = None, tgt_key_padding_mask: Any = None,
                memory_key_padding_mask: Any = None, tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor:
        """The shape of tgt; masks as in MultiheadAttention."""
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder that attends to what the encoder gives.

        nn.Transformer(16, 4, 2, 2, 32)(source, target)     # (length, batch, 16) each
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048,
                 dropout: float = 0.1, activation: Any = "relu", custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True) -> None:
        super().__init__()
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first
        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*options), num_encoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias))
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*options), num_decoder_layers, LayerNorm(d_model, layer_norm_eps, bias=bias))
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None, src_key_padding_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None, src_is_causal: bool = False, tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Tensor:
        """The shape of tgt; masks as in MultiheadAttention."""
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, tgt_is_causal, memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(size: int) -> Tensor:
        """(size, size) of floats: 0 where to look, -inf at what comes later.

            nn.Transformer.generate_square_subsequent_mask(2)       # [[0.0, -inf], [0.0, 0.0]]
        """
        return Tensor.zeros(size, size).masked_fill(Tensor.ones(size, size, dtype="bool").triu(1), -math.inf)

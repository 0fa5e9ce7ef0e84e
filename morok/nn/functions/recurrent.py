"""Recurrent steps and sequences, in PyTorch's formulas and order of gates (LSTM: input, forget, cell, output; GRU: reset, update, new).

What all steps do to their inputs alike is done once before, as one product. Each step's state is stored: the steps are then equal parts of the program,
which are compiled once.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...tensor.tensor import Tensor
from ..arguments import of_tensor

State = tuple[Tensor, ...]
"""(h,), or (h, c) of an LSTM."""


def rnn_step(nonlinearity: str) -> Callable:
    """A step of a plain RNN: tanh or relu of inputs plus hidden."""
    def step(inputs: Tensor, hidden: Tensor, state: State) -> State:
        total = inputs + hidden
        return (total.tanh() if nonlinearity == "tanh" else total.relu(),)
    return step


@of_tensor
def lstm_step(inputs: Tensor, hidden: Tensor, state: State) -> State:
    """A step of an LSTM: (h, c)."""
    into, forget, cell, out = (inputs + hidden).contiguous().chunk(4, -1)
    c = forget.sigmoid() * state[1] + into.sigmoid() * cell.tanh()
    return out.sigmoid() * c.tanh(), c


@of_tensor
def gru_step(inputs: Tensor, hidden: Tensor, state: State) -> State:
    """A step of a GRU."""
    (r, z, n), (hr, hz, hn) = inputs.chunk(3, -1), hidden.chunk(3, -1)
    new = (n + (r + hr).sigmoid() * hn).tanh()
    update = (z + hz).sigmoid()
    return (new + update * (state[0] - new),)


@of_tensor
def projected(x: Tensor, weight: Tensor, bias: Any) -> Tensor:
    """x @ weight.T + bias."""
    return x.linear(weight, bias)


def sequence(step: Callable, x: Tensor, state: State, weights: dict[str, Any], backwards: bool = False) -> tuple[Tensor, State]:
    """All steps along the first axis of x (length, batch, width): every h, stacked, and the last state."""
    inputs = projected(x, weights["weight_ih"], weights["bias_ih"]).contiguous()
    parts = inputs.unbind(0)
    columns, bias = weights["weight_hh"].T.contiguous(), weights["bias_hh"]  # in the order in which every step reads them
    found: list[Tensor] = []
    for part in reversed(parts) if backwards else parts:
        hidden = state[0] @ columns
        after = step(part, hidden if bias is None else hidden + bias, state)
        if weights.get("weight_hr") is not None:
            after = (projected(after[0], weights["weight_hr"], None), *after[1:])
        state = tuple(s.contiguous() for s in after)
        found.append(state[0])
    found = found[::-1] if backwards else found
    return found[0].stack(*found[1:]), state

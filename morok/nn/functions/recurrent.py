"""Recurrent steps and sequences, in PyTorch's formulas and order of gates (LSTM: input, forget, cell, output; GRU: reset, update, new).

What all steps do to their inputs alike is done once before, as one product. A long sequence is a loop of the graph (`looped_sequence.py`); in a short one
each step's state is stored: the steps are then equal parts of the program, which are compiled once.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...tensor.tensor import Tensor
from ..arguments import of_tensor
from .looped_sequence import State, looped

LOOPED = 12
"""Steps from which on a sequence is a loop: compiling does not grow with it, and a step costs no more."""


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
    if isinstance(inputs.shape[0], int) and inputs.shape[0] >= LOOPED and weights.get("weight_hr") is None:
        outputs, last = looped(step, inputs.flip(0) if backwards else inputs, state, weights["weight_hh"], weights["bias_hh"])
        return outputs.flip(0) if backwards else outputs, last
    found = unrolled(step, inputs.flip(0) if backwards else inputs, state, weights["weight_hh"], weights["bias_hh"], weights.get("weight_hr"))
    hidden = [after[0] for after in found]
    hidden = hidden[::-1] if backwards else hidden
    return hidden[0].stack(*hidden[1:]), found[-1]


def unrolled(step: Callable, inputs: Tensor, state: State, weight: Tensor, bias: Any, projection: Any = None) -> list[State]:
    """The state after each step, step by step in the graph."""
    found, columns = [], weight.T.contiguous()  # in the order in which every step reads them
    for part in inputs.unbind(0):
        hidden = state[0] @ columns
        after = step(part, hidden if bias is None else hidden + bias, state)
        if projection is not None:
            after = (projected(after[0], projection, None), *after[1:])
        state = tuple(s.contiguous() for s in after)
        found.append(state)
    return found

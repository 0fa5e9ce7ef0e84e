"""A long recurrence as two loops of the graph: forward through the steps, and back through them for the derivative.

    hidden = h W' + b,  state = step(inputs[t], hidden, state)          for t = 0 .. n - 1; every state is kept
    d hidden, d state  = derivative of step at t                        for t = n - 1 .. 0; every d hidden is kept
    d W = sum over t of (d hidden)' h,   d b = sum of d hidden          as one product and one sum, behind the loop

Compiling takes one step each way, however long the sequence is. Both loops are made of what they are given, and loops have derivatives, so that what the second
one gives can be differentiated like any other value.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...graph.derivation import is_derived
from ...graph.tensor_graph import TensorUOp
from ...tensor import build
from ...tensor.closed_form import with_rule_by_value
from ...tensor.gradient.reverse import cotangents
from ...tensor.loops import fori_loop, memory_of_rows, with_row
from ...tensor.tensor import Tensor

State = tuple[Tensor, ...]
"""(h,), or (h, c) of an LSTM."""


def looped(step: Callable, inputs: Tensor, state: State, weight: Tensor, bias: Any) -> tuple[Tensor, State]:
    """The first part of the state after every step, (length, batch, width), and the whole state after the last, of inputs (length, batch, gates * width)."""
    given = [inputs, weight, *([] if bias is None else [bias]), *state]
    if not any(is_derived(t.uop) for t in given):
        (outputs,), last = _forward(step, inputs, state, weight, bias, 1)
        return outputs, last
    found, _ = _forward(step, inputs, state, weight, bias, len(state))  # the derivative needs every state
    widths = [s.shape[-1] for s in found]
    joined = found[0] if len(found) == 1 else found[0].cat(*found[1:], dim=-1)
    value = _with_derivative(joined, step, given, bias is not None)
    parts = value.split(widths, -1) if len(found) > 1 else (value,)
    return parts[0], tuple(part[-1] for part in parts)


def _forward(step: Callable, inputs: Tensor, state: State, weight: Tensor, bias: Any, kept: int) -> tuple[list[Tensor], State]:
    """So many parts of the state after every step, and all of it after the last."""
    count: Any = inputs.shape[0]
    columns = weight.T.contiguous()

    def body(i: Tensor, carry: Any) -> Any:
        now, memory = carry
        after = tuple(s.contiguous() for s in step(inputs[i], _product(now[0], columns, bias), now))
        return after, tuple(with_row(k, i, s) for k, s in zip(memory, after))
    last, memory = fori_loop(0, count, body, (state, tuple(memory_of_rows(count, s) for s in state[:kept])))
    return [k.reshape(count, *s.shape) for k, s in zip(memory, state)], last


def _with_derivative(joined: Tensor, step: Callable, given: Sequence[Tensor], has_bias: bool) -> Tensor:
    """The states as a function of what they are made of, whose derivative is the loop backwards."""
    sources = tuple(t.uop for t in given)

    def reach(u: TensorUOp, g: TensorUOp) -> tuple[TensorUOp | None, ...]:
        found = _backward(step, [joined._new(s) for s in sources], has_bias, joined._new(u), joined._new(g))
        return tuple([build.cast(t.uop, s.dtype) for t, s in zip(found, sources)])
    return joined._new(with_rule_by_value(joined.uop, sources, reach))


def _backward(step: Callable, given: Sequence[Tensor], has_bias: bool, joined: Tensor, g: Tensor) -> list[Tensor]:
    """What reaches inputs, weight, bias and the first state."""
    inputs, weight, bias, state = _parts(given, has_bias)
    count: Any
    count, widths = inputs.shape[0], [s.shape[-1] for s in state]
    before = [s.unsqueeze(0).cat(part[:-1], dim=0).contiguous() for s, part in zip(state, joined.split(widths, -1))]
    hidden = _product(before[0], weight.T, bias).contiguous()
    wanted = [part.contiguous() for part in g.split(widths, -1)]

    def body(i: Tensor, carry: Any) -> Any:
        later, kept = carry
        t = count - 1 - i
        leaves = [v[t] for v in (inputs, hidden, *before)]
        after = step(leaves[0], leaves[1], tuple(leaves[2:]))
        received = [(w[t] + d).uop for w, d in zip(wanted, later)]
        found = cotangents([a.uop for a in after], received, *([v.uop for v in leaves],) * 2)
        to_inputs, to_hidden, *to_state = (v.zeros_like() if c is None else v._new(c) for v, c in zip(leaves, found))
        to_hidden = to_hidden.contiguous()
        to_state[0] = to_state[0] + to_hidden @ weight
        return tuple(s.contiguous() for s in to_state), tuple(with_row(k, t, p) for k, p in zip(kept, (to_hidden, to_inputs)))
    memory = (memory_of_rows(count, hidden[0]),) * (1 if _adds(step, inputs[0], hidden[0], [b[0] for b in before]) else 2)
    first, kept = fori_loop(0, count, body, (tuple(s.zeros_like() for s in state), memory))
    to_hidden, to_inputs = (k.reshape(count, *hidden.shape[1:]) for k in (kept[0], kept[-1]))
    flat = to_hidden.reshape(-1, hidden.shape[-1])
    to_weight = flat.T @ before[0].reshape(-1, widths[0])
    return [to_inputs, to_weight, *([flat.sum(0)] if has_bias else []), *first]


def _adds(step: Callable, inputs: Tensor, hidden: Tensor, state: Sequence[Tensor]) -> bool:
    """Whether the step adds the two before all else, so that the same reaches both."""
    after = step(inputs, hidden, tuple(state))
    found = cotangents([a.uop for a in after], [a.uop for a in after], [inputs.uop, hidden.uop])
    return found[0] is found[1]


def _parts(given: Sequence[Tensor], has_bias: bool) -> tuple[Tensor, Tensor, Tensor | None, State]:
    return given[0], given[1], given[2] if has_bias else None, tuple(given[2 + has_bias:])


def _product(state: Tensor, columns: Tensor, bias: Tensor | None) -> Tensor:
    product = state @ columns
    return product if bias is None else product + bias

"""RNN, LSTM and GRU: layers over sequences, and single cells. Parameters' names and layouts are PyTorch's, so that its weights load."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from ..errors import BoundsError, ShapeError
from ..tensor.tensor import Tensor
from . import functional, init
from .functions.recurrent import State, gru_step, lstm_step, projected, rnn_step, sequence
from .layers import new_parameter
from .module import Module


class _Recurrent(Module):
    gates: ClassVar[int]
    states: ClassVar[int] = 1
    """How many tensors a state has."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
                 bidirectional: bool = False, proj_size: int = 0) -> None:
        super().__init__()
        kind = type(self).__name__
        if min(input_size, hidden_size, num_layers) < 1:
            raise ShapeError(f"{kind}: input_size, hidden_size and num_layers are at least 1, given {input_size}, {hidden_size} and {num_layers}")
        if not 0 <= dropout <= 1:
            raise BoundsError(f"{kind}: dropout is a probability from 0 to 1, given {dropout}")
        if proj_size and (self.states != 2 or not 0 < proj_size < hidden_size):
            raise ShapeError(f"{kind}: proj_size is for LSTM, and less than hidden_size; given {proj_size}")
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = batch_first, dropout, bidirectional, proj_size
        rows, out = self.gates * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else out * self._directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    setattr(self, name + suffix, _uniform(hidden_size, *shape))

    @property
    def _directions(self) -> int:
        return 1 + self.bidirectional

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][:self._directions]

    def _step(self) -> Callable:
        raise NotImplementedError

    def _weights(self, suffix: str) -> dict[str, Any]:
        return {n: getattr(self, n + suffix, None) for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")}

    def flatten_parameters(self) -> None:
        """Does nothing: parameters need no order in memory."""

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Any]:
        """(outputs, last state) of input (length, batch, input_size), (batch, length, input_size) if batch_first, or (length, input_size).

        `hx` is the state before the first step, zeros by default: h of shape (layers * directions, batch, width), for LSTM (h, c). The outputs are h of
        the last layer at all steps, both directions side by side. ShapeError where sizes differ.
        """
        kind = type(self).__name__
        if input.ndim not in (2, 3) or input.shape[-1] != self.input_size:
            raise ShapeError(f"{kind}: takes (length, batch, {self.input_size}), batch first if batch_first, or (length, {self.input_size}), "
                             f"given shape {input.shape}")
        if input.ndim == 2:
            given = None if hx is None else self._joined_state(tuple(s.unsqueeze(1) for s in self._split_state(hx)))
            outputs, last = self._run(input.unsqueeze(1), given)
            return outputs.squeeze(1), self._joined_state(tuple(s.squeeze(1) for s in self._split_state(last)))
        if not self.batch_first:
            return self._run(input, hx)
        outputs, last = self._run(input.transpose(0, 1), hx)
        return outputs.transpose(0, 1), last

    def _split_state(self, hx: Any) -> State:
        parts = tuple(hx) if isinstance(hx, (tuple, list)) else (hx,)
        if len(parts) != self.states or not all(isinstance(p, Tensor) for p in parts):
            raise ShapeError(f"{type(self).__name__}: the state is {'h, one Tensor' if self.states == 1 else '(h, c), two Tensors'}, given {type(hx).__name__}"
                             f"{f' of {len(parts)}' if isinstance(hx, (tuple, list)) else ''}")
        return parts

    def _joined_state(self, parts: State) -> Any:
        return parts if self.states == 2 else parts[0]

    def _run(self, x: Tensor, hx: Any) -> tuple[Tensor, Any]:
        length, batch = x.shape[:2]
        if length == 0:
            raise ShapeError(f"{type(self).__name__}: needs at least one step, given shape {x.shape}")
        count = self.num_layers * self._directions
        widths = (self.proj_size or self.hidden_size, self.hidden_size)[:self.states]
        if hx is None:
            first = tuple(Tensor.zeros(count, batch, w, dtype=x.dtype, device=x.device) for w in widths)
        else:
            first = self._split_state(hx)
            for state, width in zip(first, widths):
                if state.shape != (count, batch, width):
                    raise ShapeError(f"{type(self).__name__}: the state before the first step has shape {(count, batch, width)}, given {state.shape}")
        step, last, number = self._step(), [], 0
        for layer in range(self.num_layers):
            found = []
            for backwards, suffix in enumerate(self._suffixes(layer)):
                outputs, after = sequence(step, x, tuple(s[number] for s in first), self._weights(suffix), bool(backwards))
                found.append(outputs)
                last.append(after)
                number += 1
            x = found[0] if len(found) == 1 else found[0].cat(*found[1:], dim=-1)
            if layer + 1 < self.num_layers:
                x = functional.dropout(x, self.dropout, self.training)
        return x, self._joined_state(tuple(first.stack(*others) for first, *others in zip(*last)))

    def extra_repr(self) -> str:
        more = [f"{n}={getattr(self, n)}" for n, plain in (("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0),
                                                            ("bidirectional", False), ("proj_size", 0)) if getattr(self, n) != plain]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *more])


class RNN(_Recurrent):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh) along a sequence, or relu; several layers, both directions.

        outputs, h = nn.RNN(8, 16)(Tensor.zeros(5, 2, 8))       # (5, 2, 16), (1, 2, 16)
    """

    gates = 1

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNN: nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)
        self.nonlinearity = nonlinearity

    def _step(self) -> Callable:
        return rnn_step(self.nonlinearity)


class LSTM(_Recurrent):
    """Long short-term memory along a sequence; several layers, both directions, and projections of h to proj_size.

        outputs, (h, c) = nn.LSTM(8, 16)(Tensor.zeros(5, 2, 8))     # (5, 2, 16), (1, 2, 16) twice
    """

    gates, states = 4, 2

    def _step(self) -> Callable:
        return lstm_step


class GRU(_Recurrent):
    """Gated recurrent units along a sequence; several layers, both directions.

        outputs, h = nn.GRU(8, 16)(Tensor.zeros(5, 2, 8))       # (5, 2, 16), (1, 2, 16)
    """

    gates = 3

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False, dropout: float = 0.0,
                 bidirectional: bool = False) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)

    def _step(self) -> Callable:
        return gru_step


class _Cell(Module):
    gates: ClassVar[int]
    states: ClassVar[int] = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self.gates * hidden_size
        self.weight_ih, self.weight_hh = _uniform(hidden_size, rows, input_size), _uniform(hidden_size, rows, hidden_size)
        self.bias_ih: Tensor | None = _uniform(hidden_size, rows) if bias else None
        self.bias_hh: Tensor | None = _uniform(hidden_size, rows) if bias else None

    def _step(self) -> Callable:
        raise NotImplementedError

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        """The state after one step: h of shape (batch, hidden_size), for LSTMCell (h, c). The batch may be missing."""
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise ShapeError(f"{type(self).__name__}: takes ((batch,) {self.input_size}), given shape {input.shape}")
        shape = (*input.shape[:-1], self.hidden_size)
        state = tuple(hx) if isinstance(hx, (tuple, list)) else (hx,) * self.states
        if hx is None:
            state = (Tensor.zeros(*shape, dtype=input.dtype, device=input.device),) * self.states
        if len(state) != self.states or any(s.shape != shape for s in state):
            raise ShapeError(f"{type(self).__name__}: the state has shape {shape}, given {[s.shape for s in state]}")
        after = self._step()(projected(input, self.weight_ih, self.bias_ih), projected(state[0], self.weight_hh, self.bias_hh), state)
        return after if self.states == 2 else after[0]

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}"


class RNNCell(_Cell):
    """One step of an RNN.

        h = nn.RNNCell(8, 16)(Tensor.zeros(2, 8))       # (2, 16)
    """

    gates = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh") -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"RNNCell: nonlinearity is 'tanh' or 'relu', not {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias)
        self.nonlinearity = nonlinearity

    def _step(self) -> Callable:
        return rnn_step(self.nonlinearity)


class LSTMCell(_Cell):
    """One step of an LSTM.

        h, c = nn.LSTMCell(8, 16)(Tensor.zeros(2, 8))       # (2, 16) twice
    """

    gates, states = 4, 2

    def _step(self) -> Callable:
        return lstm_step


class GRUCell(_Cell):
    """One step of a GRU.

        h = nn.GRUCell(8, 16)(Tensor.zeros(2, 8))       # (2, 16)
    """

    gates = 3

    def _step(self) -> Callable:
        return gru_step


def _uniform(hidden_size: int, *shape: int) -> Tensor:
    bound = 1 / math.sqrt(hidden_size)
    return init.uniform_(new_parameter(*shape), -bound, bound)

"""Initial values of parameters: each function fills a tensor, at once, and gives it back. Names and formulas are PyTorch's."""
from __future__ import annotations

import math
from typing import Any

from ..errors import DTypeError, ShapeError
from ..tensor.gradient.modes import no_grad
from ..tensor.random import normal as _normal
from ..tensor.random import uniform as _uniform
from ..tensor.random.generator import Generator
from ..tensor.tensor import Tensor
from .arguments import of_tensor

GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much a layer before this function should be scaled up; `param` is the slope of leaky_relu. A number, no tensor.

        nn.init.calculate_gain("tanh")
    """
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in GAINS:
        raise ValueError(f"calculate_gain: no gain for {nonlinearity!r}; there are {', '.join([*GAINS, 'leaky_relu'])}")
    return GAINS[nonlinearity]


def _parameter(t: Any, what: str) -> Tensor:
    if not isinstance(t, Tensor):
        raise DTypeError(f"{what}: fills a Tensor, not {type(t).__name__}")
    return t


def _filled(t: Tensor, value: Any) -> Tensor:
    with no_grad():
        return t.assign(value.cast(t.dtype) if isinstance(value, Tensor) else t.full_like(value)).realize()


@of_tensor
def fans(t: Tensor) -> tuple[int, int]:
    """How many inputs and outputs an element of a weight (outputs, inputs, ...) connects. Two ints; ShapeError below two axes.

        nn.init.fans(Tensor.zeros(4, 3))
    """
    if t.ndim < 2:
        raise ShapeError(f"init: a weight of shape {t.shape} has no inputs and outputs; at least two axes are needed")
    field = math.prod(t._concrete_shape()[2:])
    return t.shape[1] * field, t.shape[0] * field  # type: ignore[return-value]


@of_tensor
def uniform_(t: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform from a to b. In place, of any shape; the dtype is a float.

        nn.init.uniform_(Tensor.zeros(2, 3), -1.0, 1.0)
    """
    _parameter(t, "uniform_")
    return _filled(t, _uniform(t.shape, low=a, high=b, dtype=t.dtype, generator=generator, device=t.device))


@of_tensor
def normal_(t: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal. In place, of any shape; the dtype is a float.

        nn.init.normal_(Tensor.zeros(2, 3), std=0.02)
    """
    _parameter(t, "normal_")
    return _filled(t, _normal(t.shape, mean=mean, std=std, dtype=t.dtype, generator=generator, device=t.device))


@of_tensor
def constant_(t: Tensor, val: float) -> Tensor:
    """Every element the value. In place, of any shape and dtype.

        nn.init.constant_(Tensor.zeros(2), 3.0)  # [3.0, 3.0]
    """
    return _filled(_parameter(t, "constant_"), val)


@of_tensor
def zeros_(t: Tensor) -> Tensor:
    """Zeros. In place, of any shape and dtype.

        nn.init.zeros_(Tensor([1.0, 2.0]))    # [0.0, 0.0]
    """
    return _filled(t, 0)


@of_tensor
def ones_(t: Tensor) -> Tensor:
    """Ones. In place, of any shape and dtype.

        nn.init.ones_(Tensor([0.0, 2.0]))    # [1.0, 1.0]
    """
    return _filled(t, 1)


@of_tensor
def eye_(t: Tensor) -> Tensor:
    """The identity matrix. In place, of a tensor of two axes.

        nn.init.eye_(Tensor.zeros(2, 2))  # [[1.0, 0.0], [0.0, 1.0]]
    """
    if t.ndim != 2:
        raise ShapeError(f"eye_: takes a matrix, not shape {t.shape}")
    return _filled(t, Tensor.eye(t.shape[0], t.shape[1], dtype=t.dtype, device=t.device))


@of_tensor
def xavier_uniform_(t: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform, variance 2 gain**2 / (inputs + outputs) (Glorot and Bengio 2010). In place; ShapeError below two axes.

        nn.init.xavier_uniform_(Tensor.zeros(4, 3))
    """
    bound = gain * math.sqrt(6 / sum(fans(t)))
    return uniform_(t, -bound, bound, generator)


@of_tensor
def xavier_normal_(t: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal, variance 2 gain**2 / (inputs + outputs). In place; ShapeError below two axes.

        nn.init.xavier_normal_(Tensor.zeros(4, 3))
    """
    return normal_(t, 0.0, gain * math.sqrt(2 / sum(fans(t))), generator)


@of_tensor
def kaiming_uniform_(t: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:
    """Uniform, variance gain**2 / inputs (He et al. 2015). In place; ShapeError below two axes, ValueError for an unknown mode or function.

        nn.init.kaiming_uniform_(Tensor.zeros(4, 3), nonlinearity="relu")
    """
    bound = calculate_gain(nonlinearity, a) * math.sqrt(3 / _fan(t, mode))
    return uniform_(t, -bound, bound, generator)


@of_tensor
def kaiming_normal_(t: Tensor, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator | None = None) -> Tensor:
    """Normal, variance gain**2 / inputs. In place; ShapeError below two axes, ValueError for an unknown mode or function.

        nn.init.kaiming_normal_(Tensor.zeros(4, 3), nonlinearity="relu")
    """
    return normal_(t, 0.0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(t, mode)), generator)


def _fan(t: Tensor, mode: str) -> int:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"init: mode is 'fan_in' or 'fan_out', not {mode!r}")
    return max(1, fans(t)[mode == "fan_out"])

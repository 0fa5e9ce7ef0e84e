"""Activations as modules: each calls the Tensor method of its name with the arguments that it was made with."""
from __future__ import annotations

from typing import Any, ClassVar

from ..errors import DTypeError
from ..tensor import dtypes
from ..tensor.annotations import DTypeLike
from ..tensor.arguments import integer
from ..tensor.tensor import Tensor
from .documentation import of_module
from .module import Module


class _Activation(Module):
    method: ClassVar[str]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__()
        self._arguments, self._named = arguments, named

    def forward(self, x: Tensor) -> Tensor:
        if not isinstance(x, Tensor):
            raise DTypeError(f"{type(self).__name__}: takes a Tensor, not {type(x).__name__}; Tensor(...) makes one")
        return getattr(x, self.method)(*self._arguments, **self._named)

    def extra_repr(self) -> str:
        return ", ".join([*map(repr, self._arguments), *(f"{k}={v!r}" for k, v in self._named.items())])


def _activation(name: str, method: str) -> Any:
    doc = of_module(name, getattr(Tensor, method).__doc__, f"Takes what `Tensor.{method}` takes.")
    return type(name, (_Activation,), {"method": method, "__doc__": doc, "__module__": __name__})


ReLU, ReLU6, ELU, GELU = _activation("ReLU", "relu"), _activation("ReLU6", "relu6"), _activation("ELU", "elu"), _activation("GELU", "gelu")
SiLU, Mish, Sigmoid, Tanh = _activation("SiLU", "silu"), _activation("Mish", "mish"), _activation("Sigmoid", "sigmoid"), _activation("Tanh", "tanh")
Softplus, LeakyReLU = _activation("Softplus", "softplus"), _activation("LeakyReLU", "leaky_relu")
Hardswish, Softmax = _activation("Hardswish", "hardswish"), _activation("Softmax", "softmax")
CELU, SELU, GLU, Softmin = _activation("CELU", "celu"), _activation("SELU", "selu"), _activation("GLU", "glu"), _activation("Softmin", "softmin")
Hardsigmoid, Hardtanh = _activation("Hardsigmoid", "hardsigmoid"), _activation("Hardtanh", "hardtanh")
Hardshrink, Softshrink = _activation("Hardshrink", "hardshrink"), _activation("Softshrink", "softshrink")
Tanhshrink, Softsign = _activation("Tanhshrink", "tanhshrink"), _activation("Softsign", "softsign")
LogSigmoid, LogSoftmax = _activation("LogSigmoid", "logsigmoid"), _activation("LogSoftmax", "log_softmax")
Threshold = _activation("Threshold", "threshold")


class PReLU(Module):
    """x, below 0 times a weight that is learned, of shape (num_parameters,): one for all, or one for each channel, which axis 1 counts. As `Tensor.prelu`.

        nn.PReLU()(Tensor([-2.0, 3.0]))  # [-0.5, 3.0]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: DTypeLike = None) -> None:
        super().__init__()
        self.num_parameters = integer(num_parameters, "PReLU: num_parameters")
        self.weight = Tensor.full((self.num_parameters,), init, dtype=dtypes.default_float() if dtype is None else dtype, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        return x.prelu(self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"

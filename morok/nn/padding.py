"""Padding as modules: zeros, a constant, or the input's own elements."""
from __future__ import annotations

from typing import Any, ClassVar

from ..errors import ShapeError
from ..tensor.tensor import Tensor
from .module import Module


class _Pad(Module):
    mode: ClassVar[str]
    dimensions: ClassVar[int]
    value: Any = 0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        sizes = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self.dimensions)
        if len(sizes) != 2 * self.dimensions:
            raise ShapeError(f"{type(self).__name__}: padding is one int or {2 * self.dimensions}, given {padding}")
        self.padding = sizes

    def forward(self, input: Tensor) -> Tensor:
        return input.pad(self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value


def _modules(name: str, mode: str, base: type, text: str) -> Any:
    value = ", 0.5" if base is _ConstantPad else ""
    return (type(f"{name}{n}d", (base,), {"mode": mode, "dimensions": n, "__module__": __name__, "__doc__": _documented(name, n, value, text)})
            for n in (1, 2, 3))


def _documented(name: str, axes: int, value: str, text: str) -> str:
    where = "last axis" if axes == 1 else f"last {axes} axes"
    return (f"The {where} surrounded with {text}; padding is one int, or (before, after) of the last axis, then of the one before it, ...\n\n"
            f"        nn.{name}{axes}d(1{value})(Tensor.ones(1, 1{', 2' * axes}))\n    ")


ZeroPad1d, ZeroPad2d, ZeroPad3d = _modules("ZeroPad", "constant", _Pad, "zeros")
ConstantPad1d, ConstantPad2d, ConstantPad3d = _modules("ConstantPad", "constant", _ConstantPad, "a value")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _modules("ReflectionPad", "reflect", _Pad, "their elements mirrored about the edges")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _modules("ReplicationPad", "replicate", _Pad, "the elements at their edges")
CircularPad1d, CircularPad2d, CircularPad3d = _modules("CircularPad", "circular", _Pad, "elements from their other ends")

"""Pooling and resizing as modules: each calls the function of its name in `nn.functional` with the arguments that it was made with."""
from __future__ import annotations

import inspect
from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional
from .documentation import of_module
from .module import Module


class _Calls(Module):
    function: ClassVar[str]
    signature: ClassVar[inspect.Signature]

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__()
        try:
            bound = self.signature.bind(*arguments, **named)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}{self.signature}: {error}") from None
        self._named = dict(bound.arguments)
        for name, parameter in self.signature.parameters.items():
            setattr(self, name, self._named.get(name, parameter.default))

    def forward(self, input: Tensor) -> Any:
        return getattr(functional, self.function)(input, **{name: getattr(self, name) for name in self.signature.parameters})

    def extra_repr(self) -> str:
        return ", ".join(f"{n}={getattr(self, n)!r}" for n in self._named)


def _module(name: str, function: str) -> Any:
    source = getattr(functional, function)
    signature = inspect.signature(source)
    signature = signature.replace(parameters=list(signature.parameters.values())[1:], return_annotation=inspect.Signature.empty)
    doc = of_module(name, source.__doc__, f"Takes the arguments of `functional.{function}` but the input.")
    return type(name, (_Calls,), {"function": function, "signature": signature, "__signature__": signature, "__doc__": doc, "__module__": __name__})


MaxPool1d, MaxPool2d, MaxPool3d = (_module(f"MaxPool{n}d", f"max_pool{n}d") for n in (1, 2, 3))
AvgPool1d, AvgPool2d, AvgPool3d = (_module(f"AvgPool{n}d", f"avg_pool{n}d") for n in (1, 2, 3))
LPPool1d, LPPool2d, LPPool3d = (_module(f"LPPool{n}d", f"lp_pool{n}d") for n in (1, 2, 3))
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = (_module(f"AdaptiveAvgPool{n}d", f"adaptive_avg_pool{n}d") for n in (1, 2, 3))
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = (_module(f"AdaptiveMaxPool{n}d", f"adaptive_max_pool{n}d") for n in (1, 2, 3))
LocalResponseNorm, PixelShuffle, PixelUnshuffle = (
    _module(n, f) for n, f in (("LocalResponseNorm", "local_response_norm"), ("PixelShuffle", "pixel_shuffle"), ("PixelUnshuffle", "pixel_unshuffle")))
ChannelShuffle, Unfold, Fold = (_module(n, f) for n, f in (("ChannelShuffle", "channel_shuffle"), ("Unfold", "unfold"), ("Fold", "fold")))
Upsample = _module("Upsample", "interpolate")


class UpsamplingNearest2d(Module):
    """`functional.interpolate` of images in mode "nearest".

        nn.UpsamplingNearest2d(scale_factor=2)(Tensor([[[[1.0, 2.0]]]]))    # [[[[1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 2.0, 2.0]]]]
    """

    mode, align_corners = "nearest", None

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return functional.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)


class UpsamplingBilinear2d(UpsamplingNearest2d):
    """`functional.interpolate` of images in mode "bilinear" with align_corners.

        nn.UpsamplingBilinear2d((1, 3))(Tensor([[[[1.0, 2.0]]]]))    # [[[[1.0, 1.5, 2.0]]]]
    """

    mode, align_corners = "bilinear", True  # type: ignore[assignment]

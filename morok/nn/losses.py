"""Losses as modules: each calls the function of its kind with the arguments that it was made with."""
from __future__ import annotations

from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional
from .module import Module


class _Loss(Module):
    function: ClassVar[str]

    def __init__(self, **named: Any) -> None:
        super().__init__()
        self._named = named

    def forward(self, input: Tensor, target: Any) -> Tensor:
        return getattr(functional, self.function)(input, target, **self._named)

    def extra_repr(self) -> str:
        return ", ".join(f"{k}={v!r}" for k, v in self._named.items())


def _loss(name: str, function: str) -> Any:
    doc = f"{getattr(functional, function).__doc__}\n\n    Takes the keywords of `functional.{function}`."
    return type(name, (_Loss,), {"function": function, "__doc__": doc, "__module__": __name__})


MSELoss, L1Loss, HuberLoss = _loss("MSELoss", "mse_loss"), _loss("L1Loss", "l1_loss"), _loss("HuberLoss", "huber_loss")
CrossEntropyLoss, NLLLoss = _loss("CrossEntropyLoss", "cross_entropy"), _loss("NLLLoss", "nll_loss")
BCEWithLogitsLoss = _loss("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")

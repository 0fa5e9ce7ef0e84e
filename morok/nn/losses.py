"""Losses as modules: each calls the function of its kind with the options that it was made with."""
from __future__ import annotations

import inspect
from typing import Any, ClassVar

from ..tensor.tensor import Tensor
from . import functional
from .documentation import of_module
from .module import Module


class _Loss(Module):
    function: ClassVar[str]
    options: ClassVar[inspect.Signature]

    def __init__(self, *options: Any, **named: Any) -> None:
        super().__init__()
        self._given = tuple(given := self.options.bind(*options, **named).arguments)
        for name, value in given.items():
            if isinstance(value, Tensor):  # the weights of classes go with the module's state
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *inputs: Any) -> Tensor:
        return getattr(functional, self.function)(*inputs, **{name: getattr(self, name) for name in self._given})

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name in self._given if not isinstance(value := getattr(self, name), Tensor))


def _loss(name: str, function: str) -> Any:
    """The module of a function, whose arguments with a default are the module's options."""
    f = getattr(functional, function)
    parameters = inspect.signature(f).parameters.values()
    options = [p for p in parameters if p.default is not p.empty]
    doc = of_module(name, f.__doc__, f"Takes the options of `functional.{function}`, in its order.", len(parameters) - len(options))
    return type(name, (_Loss,), {"function": function, "options": inspect.Signature(options), "__doc__": doc, "__module__": __name__})


MSELoss, L1Loss = _loss("MSELoss", "mse_loss"), _loss("L1Loss", "l1_loss")
HuberLoss, SmoothL1Loss = _loss("HuberLoss", "huber_loss"), _loss("SmoothL1Loss", "smooth_l1_loss")
CrossEntropyLoss, NLLLoss, KLDivLoss = _loss("CrossEntropyLoss", "cross_entropy"), _loss("NLLLoss", "nll_loss"), _loss("KLDivLoss", "kl_div")
BCELoss, BCEWithLogitsLoss = _loss("BCELoss", "binary_cross_entropy"), _loss("BCEWithLogitsLoss", "binary_cross_entropy_with_logits")
PoissonNLLLoss, GaussianNLLLoss = _loss("PoissonNLLLoss", "poisson_nll_loss"), _loss("GaussianNLLLoss", "gaussian_nll_loss")
HingeEmbeddingLoss, MarginRankingLoss = _loss("HingeEmbeddingLoss", "hinge_embedding_loss"), _loss("MarginRankingLoss", "margin_ranking_loss")
SoftMarginLoss, MultiMarginLoss = _loss("SoftMarginLoss", "soft_margin_loss"), _loss("MultiMarginLoss", "multi_margin_loss")
MultiLabelSoftMarginLoss = _loss("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss")
MultiLabelMarginLoss = _loss("MultiLabelMarginLoss", "multilabel_margin_loss")
CosineSimilarity, PairwiseDistance = _loss("CosineSimilarity", "cosine_similarity"), _loss("PairwiseDistance", "pairwise_distance")
CosineEmbeddingLoss, TripletMarginLoss = _loss("CosineEmbeddingLoss", "cosine_embedding_loss"), _loss("TripletMarginLoss", "triplet_margin_loss")
TripletMarginWithDistanceLoss = _loss("TripletMarginWithDistanceLoss", "triplet_margin_with_distance_loss")
CTCLoss = _loss("CTCLoss", "ctc_loss")

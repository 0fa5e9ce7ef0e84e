"""Optimisers, learning-rate schedules and gradient clipping.

    optimizer = optim.AdamW(model.parameters(), lr=1e-3)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
from __future__ import annotations

from .adam import LAMB, Adam, Adamax, AdamW, NAdam, RAdam
from .adaptive import Adadelta, Adagrad, RMSprop
from .clipping import clip_grad_norm_, clip_grad_value_
from .lr_scheduler import (
    ConstantLR,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    LRScheduler,
    MultiplicativeLR,
    MultiStepLR,
    OneCycleLR,
    PolynomialLR,
    ReduceLROnPlateau,
    SequentialLR,
    StepLR,
)
from .muon import Muon
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["LAMB", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts",
           "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "Muon", "NAdam", "OneCycleLR", "Optimizer",
           "PolynomialLR", "RAdam", "RMSprop", "ReduceLROnPlateau", "SequentialLR", "StepLR", "clip_grad_norm_", "clip_grad_value_"]

"""Layers, models and what they are made of.

    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    loss = nn.functional.cross_entropy(model(x), labels)
"""
from __future__ import annotations

from . import functional, init
from .activations import ELU, GELU, Hardswish, LeakyReLU, Mish, ReLU, ReLU6, Sigmoid, SiLU, Softmax, Softplus, Tanh
from .containers import ModuleList, Sequential
from .layers import Conv1d, Conv2d, Conv3d, Dropout, Embedding, Flatten, Identity, Linear
from .losses import BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, L1Loss, MSELoss, NLLLoss
from .module import Module, Parameter
from .norms import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, InstanceNorm2d, LayerNorm, RMSNorm

__all__ = ["BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "Conv3d", "CrossEntropyLoss", "Dropout", "ELU",
           "Embedding", "Flatten", "GELU", "GroupNorm", "Hardswish", "HuberLoss", "Identity", "InstanceNorm2d", "L1Loss", "LayerNorm", "LeakyReLU",
           "Linear", "MSELoss", "Mish", "Module", "ModuleList", "NLLLoss", "Parameter", "RMSNorm", "ReLU", "ReLU6", "Sequential", "SiLU", "Sigmoid",
           "Softmax", "Softplus", "Tanh", "functional", "init"]

"""Optimisers, learning-rate schedules and gradient clipping.

    optimizer = optim.AdamW(model.parameters(), lr=1e-3)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
from __future__ import annotations

from .adaptive import LAMB, Adagrad, Adam, AdamW, RMSprop
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["LAMB", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop"]

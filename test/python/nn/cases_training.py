"""What of training is compared with PyTorch: optimisers with all their options, schedules, clipped gradients."""

import numpy as np

OPTIMISERS = {
    "sgd up": ("SGD", {"lr": 0.01, "maximize": True}), "sgd decayed": ("SGD", {"lr": 0.05, "momentum": 0.5, "weight_decay": 0.1, "maximize": True}),
    "amsgrad": ("Adam", {"lr": 0.05, "amsgrad": True, "betas": [0.5, 0.6]}), "adamw amsgrad": ("AdamW", {"lr": 0.05, "amsgrad": True, "maximize": True}),
    "adamax": ("Adamax", {"lr": 0.05, "weight_decay": 0.1}), "nadam": ("NAdam", {"lr": 0.05, "weight_decay": 0.1}),
    "nadam decoupled": ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "momentum_decay": 0.1}),
    "radam": ("RAdam", {"lr": 0.05, "betas": [0.9, 0.99]}), "radam short": ("RAdam", {"lr": 0.05, "betas": [0.5, 0.7], "weight_decay": 0.1}),
    "radam decoupled": ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    "adadelta": ("Adadelta", {}), "adadelta decayed": ("Adadelta", {"lr": 0.5, "rho": 0.5, "weight_decay": 0.1, "maximize": True}),
    "rmsprop": ("RMSprop", {"lr": 0.01, "weight_decay": 0.1, "maximize": True}), "adagrad": ("Adagrad", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    "muon": ("Muon", {"lr": 0.0625}), "muon plain": ("Muon", {"lr": 0.0625, "nesterov": False, "weight_decay": 0.0, "adjust_lr_fn": "match_rms_adamw"}),
}
"""Lists stand for tuples, as in JSON."""

SCHEDULES = {
    "StepLR": ("StepLR", {"step_size": 3, "gamma": 0.5}), "MultiStepLR": ("MultiStepLR", {"milestones": [2, 5, 5, 11], "gamma": 0.3}),
    "ConstantLR": ("ConstantLR", {"factor": 0.25, "total_iters": 4}), "LinearLR": ("LinearLR", {"start_factor": 0.2, "end_factor": 0.9, "total_iters": 7}),
    "ExponentialLR": ("ExponentialLR", {"gamma": 0.8}), "PolynomialLR": ("PolynomialLR", {"total_iters": 9, "power": 2.0}),
    "CosineAnnealingLR": ("CosineAnnealingLR", {"T_max": 6, "eta_min": 0.01}),
    "WarmRestarts": ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.001}),
    "WarmRestarts alike": ("CosineAnnealingWarmRestarts", {"T_0": 4}),
    "OneCycleLR": ("OneCycleLR", {"max_lr": 0.4, "total_steps": 16}),
    "OneCycleLR three": ("OneCycleLR", {"max_lr": [0.4, 0.2], "epochs": 4, "steps_per_epoch": 5, "three_phase": True, "anneal_strategy": "linear"}),
    "OneCycleLR no momentum": ("OneCycleLR", {"max_lr": 0.4, "total_steps": 15, "pct_start": 0.4, "cycle_momentum": False}),
}

PLATEAUS = {
    "min": {"patience": 1, "factor": 0.5}, "max": {"mode": "max", "patience": 2, "cooldown": 1, "threshold": 0.1, "threshold_mode": "abs"},
    "floor": {"patience": 0, "factor": 0.1, "min_lr": [0.01, 0.002], "threshold": 0.05},
}
METRICS = [1.0, 0.9, 0.91, 0.9, 0.92, 0.5, 0.49, 0.495, 0.6, 0.7, 0.2, 0.2, 0.2, 0.2]

RATES = [0.1, 0.03]
"""Of the two groups of parameters that schedules have."""
ROUNDS = 14
STEPS = 7

NORMS = [2.0, 1.0, float("inf"), 3.0]
LARGEST = [0.5, 100.0]


def quadratic() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A start w (3, 2), and a, b of the loss ((a @ w - b) ** 2).sum()."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((3, 2)), rng.standard_normal((4, 3)), rng.standard_normal((4, 2))


def gradients() -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [rng.standard_normal(s) for s in ((3, 2), (5,), ())]


def options(given: dict) -> dict:
    """Lists as the tuples that they stand for."""
    return {k: tuple(v) if k == "betas" else v for k, v in given.items()}

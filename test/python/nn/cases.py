"""What is compared with PyTorch: losses, layers and optimisers by name, on inputs that both sides draw alike."""

import numpy as np

OPTIMISERS = {
    "sgd": ("SGD", {"lr": 0.1}),
    "momentum": ("SGD", {"lr": 0.1, "momentum": 0.9}), "nesterov": ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1}),
    "dampening": ("SGD", {"lr": 0.1, "momentum": 0.8, "dampening": 0.3}),
    "adam": ("Adam", {"lr": 0.01, "weight_decay": 0.1}), "adamw": ("AdamW", {"lr": 0.01, "weight_decay": 0.1}),
    "rmsprop": ("RMSprop", {"lr": 0.01, "momentum": 0.5, "centered": True}), "adagrad": ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
}

LOSSES = {
    "mse_loss": ("values", {}),
    "l1_loss": ("values", {"reduction": "sum"}), "huber_loss": ("values", {"delta": 0.7}), "smooth_l1_loss": ("values", {"beta": 0.5}),
    "cross_entropy": ("classes", {}), "cross_entropy smoothed": ("classes", {"label_smoothing": 0.1, "ignore_index": 2}),
    "cross_entropy weighed": ("classes", {"weight": [0.5, 1.0, 2.0, 0.0], "label_smoothing": 0.2}),
    "cross_entropy of probabilities": ("shares", {"label_smoothing": 0.1}),
    "nll_loss": ("classes", {"weight": [0.5, 1.0, 2.0, 3.0], "ignore_index": 1, "reduction": "mean"}), "kl_div": ("shares", {"reduction": "batchmean"}),
    "binary_cross_entropy_with_logits": ("shares", {"pos_weight": [1.0, 2.0, 3.0, 4.0]}),
}


def inputs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Input and target, float64 (or int64 classes), of shape (5, 4)."""
    rng = np.random.default_rng(0)
    x, values = rng.standard_normal((5, 4)), rng.standard_normal((5, 4))
    shares = np.exp(values) / np.exp(values).sum(1, keepdims=True)
    return x, {"values": values, "shares": shares, "classes": np.array([0, 3, 2, 1, 2])}[kind]


def quadratic() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A start w (3, 2), and a, b of the loss ((a @ w - b) ** 2).sum()."""
    rng = np.random.default_rng(1)
    return rng.standard_normal((3, 2)), rng.standard_normal((4, 3)), rng.standard_normal((4, 2))


STEPS = 6

"""Losses that are compared with PyTorch, value and gradients: arrays that both sides draw alike, options as JSON has them."""

import numpy as np

SUMMED = ("mse_loss", "nll_loss", "kl_div", "ctc_loss")


def arrays() -> dict[str, np.ndarray]:
    """Arrays by name; those whose names begin with "i " have no gradient."""
    rng = np.random.default_rng(7)
    found = {"x": rng.standard_normal((5, 4)) * 2, "y": rng.standard_normal((5, 4)), "z": rng.standard_normal((5, 4)),
             "rows": rng.standard_normal((5, 1)), "image": rng.standard_normal((2, 3, 2, 4)), "vector": rng.standard_normal(4),
             "frames": rng.standard_normal((7, 3, 5)), "frame": rng.standard_normal((6, 4))}
    found["shares"] = np.exp(found["y"]) / np.exp(found["y"]).sum(1, keepdims=True)
    found["ones"] = rng.integers(0, 2, (5, 4)).astype(float)
    found["i counts"] = rng.integers(0, 6, (5, 4)).astype(float)
    found["logs"] = np.log(found["shares"])
    found["probabilities"] = 1 / (1 + np.exp(-found["x"]))
    found["positive"] = np.exp(found["z"])
    found["variances"] = np.exp(found["z"][:, :1])
    found["image shares"] = rng.dirichlet(np.ones(3), (2, 2, 4)).transpose(0, 3, 1, 2).copy()
    found["i classes"] = np.array([0, 3, 2, 1, 2])
    found["i image"] = rng.integers(0, 3, (2, 2, 4))
    found["i class"] = np.array(2)
    found["i signs"] = np.array([1, -1, -1, 1, 1])
    found["i all signs"] = np.where(rng.integers(0, 2, (5, 4)), 1, -1)
    found["i several"] = np.array([[3, 0, -1, 1], [0, 1, 2, 3], [-1, 0, 1, 2], [2, -1, -1, -1], [1, 2, -1, 0]])
    found["i labels"] = np.array([[1, 2, 2, 3], [4, 4, 1, 1], [3, 1, 2, 4]])
    found["i labels end to end"] = np.array([1, 2, 2, 4, 4, 3])
    found["i label"] = np.array([1, 1, 3])
    return found


WEIGHTS = [0.5, 1.0, 2.0, 0.0]

LOSSES = {
    "mse_loss": (["x", "y"], {}), "l1_loss": (["x", "y"], {}), "huber_loss": (["x", "y"], {"delta": 0.7}), "smooth_l1_loss": (["x", "y"], {"beta": 0.5}),
    "smooth_l1_loss without a curve": (["x", "y"], {"beta": 0.0}),
    "cross_entropy": (["x", "i classes"], {"weight": WEIGHTS, "label_smoothing": 0.2, "ignore_index": 0}),
    "cross_entropy plain": (["x", "i classes"], {}),
    "cross_entropy of an image": (["image", "i image"], {"weight": [1.0, 2.0, 0.5], "label_smoothing": 0.1, "ignore_index": 1}),
    "cross_entropy of one": (["vector", "i class"], {"label_smoothing": 0.1}),
    "cross_entropy of shares": (["x", "shares"], {"weight": WEIGHTS, "label_smoothing": 0.1}),
    "cross_entropy of an image's shares": (["image", "image shares"], {"weight": [1.0, 2.0, 0.5]}),
    "nll_loss": (["logs", "i classes"], {"weight": WEIGHTS, "ignore_index": 1}), "nll_loss of an image": (["image", "i image"], {}),
    "binary_cross_entropy": (["probabilities", "ones"], {}), "binary_cross_entropy weighed": (["probabilities", "shares"], {"weight": WEIGHTS}),
    "binary_cross_entropy_with_logits": (["x", "shares"], {"weight": WEIGHTS, "pos_weight": [1.0, 2.0, 3.0, 4.0]}),
    "binary_cross_entropy_with_logits plain": (["x", "ones"], {}),
    "kl_div": (["logs", "probabilities"], {}), "kl_div of logarithms": (["logs", "x"], {"log_target": True}),
    "poisson_nll_loss": (["x", "i counts"], {"full": True}), "poisson_nll_loss of rates": (["positive", "i counts"], {"log_input": False}),
    "gaussian_nll_loss": (["x", "y", "positive"], {"full": True}), "gaussian_nll_loss of rows": (["x", "y", "variances"], {}),
    "hinge_embedding_loss": (["x", "i all signs"], {"margin": 0.5}), "margin_ranking_loss": (["x", "y", "i all signs"], {"margin": 0.3}),
    "soft_margin_loss": (["x", "i all signs"], {}), "multilabel_soft_margin_loss": (["x", "ones"], {"weight": WEIGHTS}),
    "multi_margin_loss": (["x", "i classes"], {"margin": 0.5, "weight": WEIGHTS}), "multi_margin_loss squared": (["vector", "i class"], {"p": 2}),
    "multilabel_margin_loss": (["x", "i several"], {}),
    "cosine_embedding_loss": (["x", "y", "i signs"], {"margin": 0.1}),
    "triplet_margin_loss": (["x", "y", "z"], {"swap": True}), "triplet_margin_loss of sums": (["x", "y", "z"], {"p": 1.0, "margin": 2.0}),
    "triplet_margin_with_distance_loss": (["x", "y", "z"], {}),
    "ctc_loss": (["frames", "i labels"], {"input_lengths": [7, 5, 6], "target_lengths": [4, 3, 1]}),
    "ctc_loss impossible": (["frames", "i labels"], {"input_lengths": [7, 2, 0], "target_lengths": [4, 4, 0], "zero_infinity": True}),
    "ctc_loss end to end": (["frames", "i labels end to end"], {"input_lengths": [5, 7, 7], "target_lengths": [3, 2, 1], "blank": 0}),
    "ctc_loss of one": (["frame", "i label"], {"input_lengths": [6], "target_lengths": [3], "blank": 2}),
}
SIMILARITIES = {
    "cosine_similarity": (["x", "y"], {"dim": 0}), "cosine_similarity of rows": (["x", "rows"], {}), "pairwise_distance": (["x", "y"], {}),
    "pairwise_distance of sums": (["x", "y"], {"p": 1.0, "keepdim": True}),
}


def cases():
    """Name, function, names of arrays, options."""
    for name, (given, options) in LOSSES.items():
        reductions = ["none"] if name.startswith("ctc_loss ") else ["none", "mean", "sum"] if name in SUMMED else ["none", "mean"]
        for reduction in reductions + ["batchmean"] * (name == "kl_div"):
            yield f"{name}: {reduction}", name.split()[0], given, {**options, "reduction": reduction}
    for name, (given, options) in SIMILARITIES.items():
        yield name, name.split()[0], given, options


def weights_for(shape) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(shape)

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


# Functions and modules: outputs and gradients, of the sum of each output times numbers that `weights_for` draws

FUNCTIONS = {
    "conv1d": ("conv1d", [(2, 4, 9), (6, 2, 3), (6,)], {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}),
    "conv1d same": ("conv1d", [(4, 7), (2, 4, 4)], {"padding": "same", "dilation": 2}),
    "conv2d": ("conv2d", [(2, 3, 5, 7), (4, 3, 3, 2), (4,)], {"stride": (2, 1), "padding": (1, 0)}),
    "conv3d": ("conv3d", [(1, 2, 4, 5, 3), (2, 1, 2, 3, 2), (2,)], {"groups": 2, "padding": (1, 0, 1)}),
    "conv_transpose1d": ("conv_transpose1d", [(2, 4, 5), (4, 3, 4), (3,)], {"stride": 3, "padding": 2, "output_padding": 1}),
    "conv_transpose1d dilated": ("conv_transpose1d", [(4, 5), (4, 2, 3), (4,)], {"stride": 2, "groups": 2, "dilation": 3, "output_padding": 2}),
    "conv_transpose1d one step": ("conv_transpose1d", [(2, 3, 5), (3, 2, 3)], {"dilation": 2, "padding": 1}),
    "conv_transpose2d": ("conv_transpose2d", [(2, 4, 3, 2), (4, 3, 3, 2), (6,)],
                         {"stride": (2, 1), "padding": (1, 0), "output_padding": (1, 0), "groups": 2, "dilation": (1, 2)}),
    "conv_transpose3d": ("conv_transpose3d", [(1, 2, 2, 3, 2), (2, 2, 2, 3, 1), (2,)], {"stride": (2, 1, 3), "padding": (0, 1, 0)}),
    "max_pool1d": ("max_pool1d", [(2, 3, 11)], {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2, "return_indices": True}),
    "max_pool2d": ("max_pool2d", [(2, 3, 7, 6)], {"kernel_size": (3, 2), "padding": 1, "ceil_mode": True, "return_indices": True}),
    "max_pool3d": ("max_pool3d", [(2, 5, 4, 6)], {"kernel_size": 2, "stride": (1, 2, 3), "return_indices": True}),
    "avg_pool1d": ("avg_pool1d", [(3, 10)], {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False}),
    "avg_pool2d": ("avg_pool2d", [(1, 2, 7, 6)], {"kernel_size": (2, 3), "padding": 1, "ceil_mode": True}),
    "avg_pool2d divisor": ("avg_pool2d", [(1, 2, 7, 6)], {"kernel_size": 2, "stride": 1, "divisor_override": 3}),
    "avg_pool3d": ("avg_pool3d", [(1, 2, 4, 5, 3)], {"kernel_size": (2, 2, 1), "padding": (1, 0, 0), "count_include_pad": False}),
    "lp_pool1d": ("lp_pool1d", [(2, 3, 8)], {"norm_type": 2, "kernel_size": 3, "stride": 2, "ceil_mode": True}),
    "lp_pool2d": ("lp_pool2d", [(2, 3, 5, 4)], {"norm_type": 4, "kernel_size": (2, 3), "stride": 1}),
    "adaptive_avg_pool1d": ("adaptive_avg_pool1d", [(2, 3, 7)], {"output_size": 3}),
    "adaptive_avg_pool2d": ("adaptive_avg_pool2d", [(2, 3, 6, 5)], {"output_size": (3, 2)}),
    "adaptive_avg_pool3d": ("adaptive_avg_pool3d", [(2, 4, 5, 3)], {"output_size": (2, 3, 5)}),
    "adaptive_max_pool1d": ("adaptive_max_pool1d", [(2, 3, 7)], {"output_size": 3, "return_indices": True}),
    "adaptive_max_pool2d": ("adaptive_max_pool2d", [(2, 3, 6, 5)], {"output_size": (3, 2), "return_indices": True}),
    "interpolate nearest": ("interpolate", [(2, 3, 5)], {"size": 7}),
    "interpolate nearest whole": ("interpolate", [(1, 3, 2, 3)], {"scale_factor": (2, 3)}),
    "interpolate nearest-exact": ("interpolate", [(1, 2, 5, 4)], {"scale_factor": 1.7, "mode": "nearest-exact"}),
    "interpolate linear": ("interpolate", [(2, 3, 5)], {"scale_factor": 2.3, "mode": "linear"}),
    "interpolate linear corners": ("interpolate", [(2, 3, 5)], {"size": 8, "mode": "linear", "align_corners": True}),
    "interpolate bilinear": ("interpolate", [(1, 2, 5, 4)], {"size": (3, 9), "mode": "bilinear"}),
    "interpolate bilinear corners": ("interpolate", [(1, 2, 5, 4)], {"scale_factor": 2, "mode": "bilinear", "align_corners": True}),
    "interpolate bilinear recomputed": ("interpolate", [(1, 2, 5, 4)], {"scale_factor": 1.3, "mode": "bilinear", "recompute_scale_factor": True}),
    "interpolate bicubic": ("interpolate", [(1, 2, 5, 4)], {"size": (8, 3), "mode": "bicubic"}),
    "interpolate bicubic corners": ("interpolate", [(1, 1, 4, 4)], {"scale_factor": 1.5, "mode": "bicubic", "align_corners": True}),
    "interpolate trilinear": ("interpolate", [(1, 2, 3, 2, 4)], {"size": (4, 5, 3), "mode": "trilinear"}),
    "interpolate area": ("interpolate", [(1, 2, 5, 4)], {"size": (3, 2), "mode": "area"}),
    "instance_norm": ("instance_norm", [(2, 3, 4, 2)], {"eps": 1e-3}),
    "local_response_norm": ("local_response_norm", [(2, 6, 3)], {"size": 4, "alpha": 0.5, "beta": 0.6, "k": 2.0}),
    "layer_norm": ("layer_norm", [(2, 3, 4)], {"normalized_shape": (3, 4)}),
    "group_norm": ("group_norm", [(2, 6, 3)], {"num_groups": 3}),
    "pixel_shuffle": ("pixel_shuffle", [(2, 8, 2, 3)], {"upscale_factor": 2}),
    "pixel_unshuffle": ("pixel_unshuffle", [(2, 4, 6)], {"downscale_factor": 2}),
    "unfold": ("unfold", [(2, 3, 5, 6)], {"kernel_size": (2, 3), "dilation": (1, 2), "padding": 1, "stride": (2, 1)}),
    "fold": ("fold", [(2, 12, 12)], {"output_size": (4, 5), "kernel_size": (2, 3), "padding": (0, 1), "stride": (1, 2), "dilation": 1} | {
        "output_size": (4, 7)}),
    "scaled_dot_product_attention": ("scaled_dot_product_attention", [(2, 3, 4, 5), (2, 3, 4, 5), (2, 3, 4, 2)], {"is_causal": True}),
    "scaled_dot_product_attention grouped": ("scaled_dot_product_attention", [(2, 6, 3, 4), (2, 2, 5, 4), (2, 2, 5, 4)], {"enable_gqa": True, "scale": 0.3}),
    "scaled_dot_product_attention mask": ("scaled_dot_product_attention", [(3, 4), (5, 4), (5, 4), (3, 5)], {}),
}

LSTM_LAYERS = {"num_layers": 2, "bidirectional": True}
ENCODER = {"dim_feedforward": 6, "dropout": 0.0}
MODULES = {
    "Conv2d circular": ("Conv2d", (2, 3, 3), {"padding": 1, "padding_mode": "circular"}, [(2, 2, 4, 5)], {}),
    "ConvTranspose1d": ("ConvTranspose1d", (4, 6, 3), {"stride": 2, "groups": 2, "padding": 1}, [(2, 4, 5)], {}),
    "BatchNorm2d": ("BatchNorm2d", (3,), {}, [(2, 3, 4, 2)], {}),
    "BatchNorm1d mean": ("BatchNorm1d", (3,), {"momentum": None}, [(5, 3)], {}),
    "InstanceNorm1d": ("InstanceNorm1d", (3,), {"affine": True, "track_running_stats": True}, [(2, 3, 4)], {}),
    "InstanceNorm3d": ("InstanceNorm3d", (2,), {"affine": True}, [(2, 2, 2, 3, 2)], {}),
    "GroupNorm": ("GroupNorm", (2, 4), {}, [(2, 4, 3)], {}),
    "LayerNorm": ("LayerNorm", (4,), {"bias": False}, [(2, 4)], {}),
    "RMSNorm": ("RMSNorm", (4,), {"eps": 1e-5}, [(2, 4)], {}),
    "RNN": ("RNN", (3, 4), {"nonlinearity": "relu", "bidirectional": True}, [(3, 2, 3), (2, 2, 4)], {}),
    "RNN without bias": ("RNN", (3, 4), {"bias": False}, [(3, 3)], {}),
    "LSTM": ("LSTM", (3, 4), LSTM_LAYERS, [(3, 2, 3), ((4, 2, 4), (4, 2, 4))], {}),
    "LSTM projected": ("LSTM", (3, 4), {"proj_size": 2, "batch_first": True}, [(2, 3, 3)], {}),
    "GRU": ("GRU", (3, 4), {"num_layers": 2, "batch_first": True}, [(2, 3, 3), (2, 2, 4)], {}),
    "LSTMCell": ("LSTMCell", (3, 4), {}, [(2, 3), ((2, 4), (2, 4))], {}),
    "GRUCell": ("GRUCell", (3, 4), {}, [(2, 3)], {}),
    "RNNCell": ("RNNCell", (3, 4), {}, [(3,), (4,)], {}),
    "MultiheadAttention": ("MultiheadAttention", (4, 2), {"batch_first": True}, [(2, 3, 4), (2, 5, 4), (2, 5, 4)], {"key_padding_mask": "padding (2, 5)"}),
    "MultiheadAttention widths": ("MultiheadAttention", (4, 2), {"kdim": 3, "vdim": 5, "add_bias_kv": True, "add_zero_attn": True},
                                  [(3, 2, 4), (4, 2, 3), (4, 2, 5)], {"attn_mask": "later (3, 4)", "average_attn_weights": False}),
    "MultiheadAttention unbatched": ("MultiheadAttention", (4, 2), {"bias": False}, [(3, 4), (5, 4), (5, 4)], {"attn_mask": "added (3, 5)"}),
    "TransformerEncoderLayer": ("TransformerEncoderLayer", (4, 2), ENCODER | {"norm_first": True, "activation": "gelu"}, [(3, 2, 4)],
                                {"src_mask": "later (3, 3)", "src_key_padding_mask": "padding (2, 3)"}),
    "TransformerDecoderLayer": ("TransformerDecoderLayer", (4, 2), ENCODER | {"batch_first": True}, [(2, 3, 4), (2, 5, 4)], {"tgt_mask": "later (3, 3)"}),
    "Transformer": ("Transformer", (4, 2, 1, 1), ENCODER, [(3, 1, 4), (2, 1, 4)], {"tgt_mask": "later (2, 2)"}),
}


def drawn(shapes, seed: int = 2):
    """float64 arrays of the shapes, tuples of shapes as tuples of arrays."""
    rng = np.random.default_rng(seed)

    def one(shape):
        return tuple(map(one, shape)) if shape and isinstance(shape[0], tuple) else rng.standard_normal(shape)
    return [one(s) for s in shapes]


def state_for(shapes: dict) -> dict:
    """An array for each name of a state, drawn in the order of the names; counts are left out."""
    rng = np.random.default_rng(3)
    found = {}
    for name in sorted(shapes):
        values = rng.standard_normal(shapes[name]) * 0.7
        if not name.endswith("num_batches_tracked"):
            found[name] = np.abs(values) + 0.5 if name.endswith("running_var") else values
    return found


def mask_for(text: str) -> np.ndarray:
    """What a module's mask in MODULES stands for."""
    kind, _, shape = text.partition(" ")
    rows, columns = map(int, shape.strip("()").split(","))
    if kind == "later":
        return np.triu(np.ones((rows, columns), bool), 1)
    if kind == "padding":
        return np.arange(columns) >= columns - np.arange(rows)[:, None]
    return np.random.default_rng(4).standard_normal((rows, columns))


def weights_for(shape) -> np.ndarray:
    """Two sets of numbers for each element."""
    return np.random.default_rng(5).standard_normal((2, *shape))


def digest(array) -> list:
    """The shape and two sums, weighed at random: what is compared instead of all elements."""
    array = np.asarray(array)
    return [list(array.shape), [float((w * array).sum()) for w in weights_for(array.shape)]]

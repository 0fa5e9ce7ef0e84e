"""What the wrong calls of the table are made with; each call gets tensors of its own."""

import numpy as np

import morok
from morok import Generator, Tensor, Variable, nn, optim, random
from morok.nn import functional


def names(directory):
    """The names that the table's calls use; damaged files lie in `directory`."""
    rng = np.random.default_rng(0)

    def floats(*shape):
        return Tensor(rng.standard_normal(shape).astype(np.float32)).realize()

    found = {
        "morok": morok, "np": np, "nn": nn, "optim": optim, "random": random, "F": functional, "xp": morok.array_api,
        "Tensor": Tensor, "Variable": Variable, "Generator": Generator, "Parameter": nn.Parameter,
        "x": floats(2, 3), "y": floats(4, 5), "v": floats(6), "s": floats(), "e": floats(0, 3),
        "b3": floats(2, 3, 4), "c3": floats(3, 4, 2), "b4": floats(2, 3, 4),
        "im": floats(1, 2, 5, 5), "k": floats(3, 3, 2, 2), "k22": floats(4, 2, 2, 2), "kt": floats(2, 4, 2, 2), "kbig": floats(4, 2, 9, 9),
        "i": Tensor([0, 1, 2]).realize(), "i2": Tensor([[0, 1], [1, 0]]).realize(), "u": Tensor([1, 2, 3], dtype="uint8").realize(),
        "m": Tensor([[True, False, True], [True, False, False]]).realize(), "p": nn.Parameter([1.0, 2.0]), "directory": str(directory),
    }
    for name, end in (("bad_npz", "npz"), ("bad_safetensors", "safetensors"), ("bad_npy", "npy"), ("bad_name", "txt")):
        path = directory / f"bad.{end}"
        path.write_bytes(b"not a file of tensors")
        found[name] = str(path)
    return found


def states(found):
    """Everything that a failed call could have changed in the tensors: their objects, what they are, and their values as bytes."""
    return {name: (id(t), t.shape, t.dtype, t.requires_grad, t.grad, t.detach().numpy().tobytes()) for name, t in found.items() if isinstance(t, Tensor)}

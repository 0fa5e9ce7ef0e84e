"""Writes tools/pytorch_names.txt, PyTorch's public names, which docs/api.md compares ours with; needs an environment that has PyTorch."""
from __future__ import annotations

import importlib
from pathlib import Path

import torch

PLACES = ["torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.optim", "torch.optim.lr_scheduler",
          "torch.special", "torch.linalg", "torch.fft", "torch.func", "torch.distributions", "torch.autograd", "torch.utils.checkpoint"]


def names(place: str) -> list[str]:
    found = torch.Tensor if place == "torch.Tensor" else importlib.import_module(place)
    return sorted(n for n in dir(found) if not n.startswith("_") and n.isascii())


if __name__ == "__main__":
    text = "".join(f"{place}: {' '.join(names(place))}\n" for place in PLACES)
    (Path(__file__).parent / "pytorch_names.txt").write_text(f"# Public names of PyTorch {torch.__version__}, by tools/list_pytorch_names.py\n{text}")

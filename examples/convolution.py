"""Trains a convolutional network on scikit-learn's handwritten digits.

    python examples/convolution.py      # 12 epochs; the accuracy on 360 images that it has not seen: 0.98 to 0.99

Two convolutions and a linear layer, 8 x 8 pixels to 10 classes. Forward pass, gradients and AdamW's update are one captured step.
"""
from __future__ import annotations

import argparse
import time

import numpy as np
from sklearn.datasets import load_digits

import morok
from morok import Tensor, nn, optim

BATCH, RATE, TEST = 64, 4e-3, 360


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test images (float32, n x 1 x 8 x 8, in 0..1) and labels, shuffled with a fixed seed."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images = (digits.images[order, None] / 16).astype(np.float32)
    labels = digits.target[order].astype(np.int64)
    return images[TEST:], labels[TEST:], images[:TEST], labels[:TEST]


def network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 32, 3), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 6 * 6, 10))


def accuracy(model: nn.Module, images: np.ndarray, labels: np.ndarray) -> float:
    model.eval()
    with morok.no_grad():
        right = (model(Tensor(images)).argmax(-1) == Tensor(labels)).float().mean().item()
    model.train()
    return right


def train(epochs: int, limit: int | None = None) -> float:
    """Trains, on the first `limit` images if given, and reports; gives the accuracy on the test images."""
    morok.manual_seed(1)
    images, labels, test_images, test_labels = load()
    images, labels = images[:limit], labels[:limit]
    model = network()
    optimizer = optim.AdamW(model.parameters(), lr=RATE)

    @morok.jit
    def step(x: Tensor, y: Tensor) -> Tensor:
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    rng, began, first = np.random.default_rng(2), time.perf_counter(), 0.0
    for epoch in range(1, epochs + 1):
        order, losses = rng.permutation(len(images)), []
        for start in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[start:start + BATCH]
            losses.append(step(Tensor(images[batch]), Tensor(labels[batch])).item())
            first = first or time.perf_counter() - began
        print(f"epoch {epoch:2d}  loss {np.mean(losses):.4f}")
    took, steps = time.perf_counter() - began - first, epochs * (len(images) // BATCH) - 1
    reached = accuracy(model, test_images, test_labels)
    print(f"first step, compiled: {first:.1f} s; then {1e3 * took / max(steps, 1):.1f} ms a step")
    print(f"test accuracy {reached:.3f} on {len(test_labels)} images")
    return reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=12)
    train(parser.parse_args().epochs)


if __name__ == "__main__":
    main()

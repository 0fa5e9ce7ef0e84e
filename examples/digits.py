"""Trains a two-layer classifier on scikit-learn's handwritten digits.

    tools/run-demo                  # 40 epochs, then the test accuracy and what compiling and running cost
    tools/run-demo --show kernel    # the IR of one training step after a stage: tensor, range, kernel, optimised, loops, llvm

A training step is one graph: forward pass, gradients and the update of all weights in place. It is captured once; each later step runs its plan.
"""
from __future__ import annotations

import argparse
import os
import time

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sklearn.datasets import load_digits

import morok
from morok import Tensor, nn, optim
from morok.runtime.inspection import STAGES, stage_text

HIDDEN, CLASSES, BATCH, RATE = 64, 10, 64, 0.5


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test images (float32, n x 64, in 0..1) and labels, shuffled with a fixed seed; 360 images are kept for the test."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = (digits.data[order] / 16).astype(np.float32), digits.target[order].astype(np.int64)
    return images[360:], labels[360:], images[:360], labels[:360]


class Training:
    """A model with its optimiser."""

    def __init__(self) -> None:
        morok.manual_seed(1)
        self.model = nn.Sequential(nn.Linear(64, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
        self.optimizer = optim.SGD(self.model.parameters(), lr=RATE)

    def step(self, x: Tensor, labels: Tensor, realize: bool = True) -> Tensor:
        """Updates the weights and gives the batch's mean cross entropy."""
        loss = nn.functional.cross_entropy(self.model(x), labels)
        loss.backward()
        self.optimizer.step(realize)
        self.optimizer.zero_grad()
        return loss


def accuracy(model: nn.Module, images: np.ndarray, labels: np.ndarray) -> float:
    return float((model(Tensor(images)).argmax(-1).numpy() == labels).mean())


def train(epochs: int) -> float:
    """Trains and reports; gives the accuracy on the test images."""
    images, labels, test_images, test_labels = load()
    training = Training()
    step = morok.jit(training.step)
    rng, steps, compiling, running = np.random.default_rng(2), 0, 0.0, 0.0
    columns = (TextColumn("epoch {task.completed:3.0f}"), BarColumn(), TextColumn("loss {task.fields[loss]:.4f}"), TimeElapsedColumn())
    with Progress(*columns) as progress:
        task = progress.add_task("training", total=epochs, loss=float("nan"))
        for _ in range(epochs):
            order, losses = rng.permutation(len(images)), []
            for start in range(0, len(order) - BATCH + 1, BATCH):
                batch = order[start:start + BATCH]
                began = time.perf_counter()
                losses.append(step(Tensor(images[batch]), Tensor(labels[batch])).item())
                took = time.perf_counter() - began
                compiling, running, steps = (took, 0.0, 0) if not compiling else (compiling, running + took, steps + 1)
            progress.update(task, advance=1, loss=float(np.mean(losses)))
    reached = accuracy(training.model, test_images, test_labels)
    print(f"test accuracy {reached:.3f} on {len(test_labels)} images")
    print(f"{1e6 * running / steps:.0f} us a step; the first, which is compiled, took {1e3 * compiling:.0f} ms")
    return reached


def show(stage: str) -> None:
    """Prints the IR of one training step after a stage."""
    images, labels, _, _ = load()
    training = Training()
    loss = training.step(Tensor(images[:BATCH]), Tensor(labels[:BATCH]), realize=False)
    try:
        print(stage_text([loss, *training.model.parameters()], stage), flush=True)
    except BrokenPipeError:  # as in `--show loops | head`: what is left in the stream's buffer has no reader
        os._exit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--show", metavar="STAGE", choices=STAGES,
                        help="print the IR of a training step after this stage instead of training")
    arguments = parser.parse_args()
    if arguments.epochs < 1:
        parser.error(f"argument --epochs: must be at least 1, not {arguments.epochs}")
    if arguments.show:
        show(arguments.show)
    else:
        train(arguments.epochs)


if __name__ == "__main__":
    main()

"""Trains a two-layer classifier on scikit-learn's handwritten digits; gradients are written out as tensor expressions.

    tools/run-demo                  # 40 epochs, then the test accuracy and what compiling and running cost
    tools/run-demo --show kernel    # the IR of one training step after a stage: tensor, range, kernel, optimised, loops, llvm

A training step is one graph: forward pass, gradients and the update of all weights in place. It is compiled once; each later step finds the plan again.
"""
from __future__ import annotations

import argparse
import os
import time

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sklearn.datasets import load_digits

from morok import Tensor
from morok.runtime.inspection import STAGES, stage_text

HIDDEN, CLASSES, BATCH, RATE = 64, 10, 64, 0.5


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test images (float32, n x 64, in 0..1) and labels, shuffled with a fixed seed; 360 images are kept for the test."""
    digits = load_digits()
    order = np.random.default_rng(0).permutation(len(digits.target))
    images, labels = (digits.data[order] / 16).astype(np.float32), digits.target[order].astype(np.int64)
    return images[360:], labels[360:], images[:360], labels[:360]


class Classifier:
    """softmax(relu(x @ w1 + b1) @ w2 + b2)."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        self.w1 = Tensor((rng.standard_normal((64, HIDDEN)) * (2 / 64) ** 0.5).astype(np.float32))
        self.b1 = Tensor(np.zeros(HIDDEN, np.float32))
        self.w2 = Tensor((rng.standard_normal((HIDDEN, CLASSES)) * (2 / HIDDEN) ** 0.5).astype(np.float32))
        self.b2 = Tensor(np.zeros(CLASSES, np.float32))

    @property
    def weights(self) -> list[Tensor]:
        return [self.w1, self.b1, self.w2, self.b2]

    def logits(self, x: Tensor) -> Tensor:
        return (x @ self.w1 + self.b1).relu() @ self.w2 + self.b2

    def step(self, x: Tensor, onehot: Tensor) -> Tensor:
        """Assigns the updated weights and gives the batch's mean cross entropy, all lazily."""
        hidden = (x @ self.w1 + self.b1).relu()
        logits = hidden @ self.w2 + self.b2
        loss = -(logits.log_softmax(-1) * onehot).sum(-1).mean()
        d_logits = (logits.softmax(-1) - onehot) / x.shape[0]
        d_hidden = (d_logits @ self.w2.T) * (hidden > 0).cast("float32")
        gradients = [x.T @ d_hidden, d_hidden.sum(0), hidden.T @ d_logits, d_logits.sum(0)]
        for weight, updated in zip(self.weights, [w - g * RATE for w, g in zip(self.weights, gradients)]):
            weight.assign(updated)
        return loss


def accuracy(model: Classifier, images: np.ndarray, labels: np.ndarray) -> float:
    return float((model.logits(Tensor(images)).argmax(-1).numpy() == labels).mean())


def train(epochs: int) -> float:
    """Trains and reports; gives the accuracy on the test images."""
    images, labels, test_images, test_labels = load()
    model = Classifier()
    onehot = np.eye(CLASSES, dtype=np.float32)[labels]
    started = time.perf_counter()
    plan = Tensor.prepare_batch([model.step(Tensor(images[:BATCH]), Tensor(onehot[:BATCH])), *model.weights])
    compiling = time.perf_counter() - started
    model = Classifier()
    rng, steps, running = np.random.default_rng(2), 0, 0.0
    columns = (TextColumn("epoch {task.completed:3.0f}"), BarColumn(), TextColumn("loss {task.fields[loss]:.4f}"), TimeElapsedColumn())
    with Progress(*columns) as progress:
        task = progress.add_task("training", total=epochs, loss=float("nan"))
        for _ in range(epochs):
            order, losses = rng.permutation(len(images)), []
            for start in range(0, len(order) - BATCH + 1, BATCH):
                batch = order[start:start + BATCH]
                began = time.perf_counter()
                loss = model.step(Tensor(images[batch]), Tensor(onehot[batch]))
                Tensor.realize_batch([loss, *model.weights])
                running += time.perf_counter() - began
                losses.append(loss.item())
                steps += 1
            progress.update(task, advance=1, loss=float(np.mean(losses)))
    reached = accuracy(model, test_images, test_labels)
    print(f"test accuracy {reached:.3f} on {len(test_labels)} images")
    print(f"{steps} steps of {plan.num_kernels()} kernels, {1e6 * running / steps:.0f} us a step with its graph built anew; "
          f"compiling it took {1e3 * compiling:.0f} ms, once")
    return reached


def show(stage: str) -> None:
    """Prints the IR of one training step after a stage."""
    images, labels, _, _ = load()
    model = Classifier()
    loss = model.step(Tensor(images[:BATCH]), Tensor(np.eye(CLASSES, dtype=np.float32)[labels[:BATCH]]))
    try:
        print(stage_text([loss, *model.weights], stage), flush=True)
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

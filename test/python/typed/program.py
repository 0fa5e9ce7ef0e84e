"""A small classifier: data, model, training, evaluation, saving."""
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import morok
import morok.random
from morok import Generator, Tensor, Variable, dtypes, nn, optim
from morok.dtypes import float64
from morok.linalg import norm, solve

Array = npt.NDArray[np.float32]


class Block(nn.Module):
    """A residual block."""

    def __init__(self, width: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.inner = nn.Sequential(nn.Linear(width, width), nn.GELU())
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        hidden: Tensor = self.inner(self.norm(x))
        return x + self.dropout(hidden)


class Classifier(nn.Module):
    def __init__(self, features: int, width: int, classes: int, depth: int = 1) -> None:
        super().__init__()
        self.first = nn.Linear(features, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x).relu()
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def batches(x: Array, y: npt.NDArray[np.int64], size: int, rng: np.random.Generator) -> Iterator[tuple[Tensor, Tensor]]:
    order = rng.permutation(len(x))
    for start in range(0, len(x) - size + 1, size):
        chosen = order[start:start + size]
        yield Tensor(x[chosen]), Tensor(y[chosen])


def accuracy(model: Classifier, x: Tensor, y: Tensor) -> float:
    with morok.no_grad():
        right = model(x).argmax(-1).eq(y)
    return float(right.float().mean().item())


def noisy(x: Tensor, generator: Generator, scale: float = 0.01) -> Tensor:
    noise = morok.random.normal(x.shape, std=scale, generator=generator)
    kept = morok.random.bernoulli(0.9, x.shape, generator=generator)
    return (x + noise).where(kept, 0.0)


def train(model: Classifier, x: Array, y: npt.NDArray[np.int64], epochs: int, seed: int = 0) -> list[float]:
    generator = Generator(seed)
    optimizer = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    rng = np.random.default_rng(seed)

    @morok.jit
    def step(inputs: Tensor, labels: Tensor) -> Tensor:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(noisy(inputs, generator)), labels)
        loss.backward()
        optim.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    losses: list[float] = []
    for _ in range(epochs):
        for inputs, labels in batches(x, y, 16, rng):
            losses.append(float(step(inputs, labels).item()))
        schedule.step()
    return losses


def standardised(x: Tensor, axis: int = 0) -> Tensor:
    mean, deviation = x.mean(axis, keepdims=True), x.std(dim=axis, keepdim=True, ddof=1)
    result: Tensor = (x - mean) / morok.maximum(deviation, 1e-6)
    result[:, 0] = 1.0
    result[1:3] += morok.zeros(2, x.shape[1])
    return morok.clip(result, -3, 3)


def rows_of(x: Tensor) -> tuple[Tensor, Tensor]:
    """PyTorch's and NumPy's names of one argument."""
    scores = (x - morok.mean(x, dim=1, keepdims=True)).softmax(dim=-1) + morok.sum(x, dim=0, keepdim=True)
    best, _ = scores.topk(2, axis=1)
    total = scores.cumsum(dim=1) + morok.cumsum(scores, dim=1) + scores.max(dim=1, keepdims=True)
    return morok.cat([best, total], axis=1).flip(dims=(0,)), scores.unsqueeze(dim=0).squeeze(dim=0).quantile(0.5, dim=1, interpolation="lower")


def main(folder: str) -> None:
    morok.manual_seed(0)
    data = morok.random.normal(64, 8, dtype=dtypes.float32).realize()
    labels = (data[:, 0] > 0).cast(dtypes.int64)
    model = Classifier(8, 8, 2)
    losses = train(model, standardised(data).numpy(), labels.numpy(), epochs=1)
    rows, middles = rows_of(data)
    gradient = morok.grad(lambda t: (t ** 2).sum())(data)
    n = Variable("n", 1, 64)
    solved = solve(data[:8].cast(float64) + morok.eye(8, dtype=float64) * 9, data[0].cast(float64))
    part = data[: n.bind(3)].sum()
    morok.save(model.state_dict(), Path(folder) / "model.safetensors")
    print(losses[-1], accuracy(model, data, labels), gradient.shape, part.item(), rows.shape, middles.shape, norm(solved).shape)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        main(folder)

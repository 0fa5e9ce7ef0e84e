"""Trains a small transformer on the text of Python's own documentation, character by character, and lets it write.

    python examples/characters.py    # 600 steps; 2.54 bits per character of text that it has not seen, where letter frequencies alone need 4.67

The text is what `help("topics")` shows (pydoc_data.topics). Two blocks of attention and a two-layer network, before each a LayerNorm; gradients and AdamW's
update are captured functions.
"""
from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from pydoc_data.topics import topics

import numpy as np

import morok
from morok import Tensor, nn, optim

WIDTH, HEADS, BLOCKS, LENGTH, BATCH, RATE = 64, 4, 2, 64, 16, 3e-3


class Text:
    """Documentation as numbers of characters; the last tenth is kept for the test. Characters that are rare stand as one."""

    def __init__(self) -> None:
        text = "\n".join(topics[name] for name in sorted(topics))
        self.letters = sorted(set(chr(c) for c in range(32, 127)) | {"\n"})
        number = {letter: i for i, letter in enumerate(self.letters)}
        codes = np.array([number.get(letter, number["?"]) for letter in text], np.int64)
        kept = len(codes) // 10
        self.training, self.test = codes[:-kept], codes[-kept:]

    def unigram_bits(self) -> float:
        """Bits per character of the test text by the frequencies of the training text's letters."""
        counts = np.bincount(self.training, minlength=len(self.letters)) + 1.0
        return float(-np.log2(counts / counts.sum())[self.test].mean())

    def batch(self, codes: np.ndarray, rng: np.random.Generator, size: int = BATCH) -> tuple[Tensor, Tensor]:
        """Pieces of LENGTH characters and for each character the one after it."""
        starts = rng.integers(0, len(codes) - LENGTH - 1, size)
        pieces = np.stack([codes[s:s + LENGTH + 1] for s in starts])
        return Tensor(pieces[:, :-1]), Tensor(pieces[:, 1:])


class Attention(nn.Module):
    """Each place looks at those up to it."""

    def __init__(self) -> None:
        super().__init__()
        self.queries, self.keys, self.values, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        def heads(t: Tensor) -> Tensor:
            return t.reshape(t.shape[0], t.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2)
        mixed = nn.functional.scaled_dot_product_attention(heads(self.queries(x)), heads(self.keys(x)), heads(self.values(x)), is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(*x.shape))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.second, self.network = nn.LayerNorm(WIDTH), nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.first(x))
        return x + self.network(self.second(x))


class Transformer(nn.Module):
    """(batch, length) numbers of characters to (batch, length, letters) logits of the next."""

    def __init__(self, letters: int) -> None:
        super().__init__()
        self.letter, self.place = nn.Embedding(letters, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, letters)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(self.norm(self.blocks(self.letter(x) + self.place.weight[:x.shape[1]])))


def loss_of(model: Transformer, x: Tensor, y: Tensor) -> Tensor:
    return nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())


def training_step(model: Transformer) -> Callable[[Tensor, Tensor], Tensor]:
    """Trains on one batch and gives its loss. What it captures: the gradients, and AdamW's update by gradients that are its arguments."""
    parameters = list(model.parameters())
    optimizer = optim.AdamW(parameters, lr=RATE, weight_decay=0.01)

    @morok.jit
    def gradients(x: Tensor, y: Tensor) -> tuple[Tensor, list[Tensor]]:
        loss = loss_of(model, x, y)
        loss.backward()
        found = [p.grad for p in parameters]
        optimizer.zero_grad()
        return loss, found

    @morok.jit
    def update(found: list[Tensor]) -> None:
        for parameter, gradient in zip(parameters, found):
            parameter.grad = gradient
        optimizer.step()
        optimizer.zero_grad()

    def step(x: Tensor, y: Tensor) -> Tensor:
        loss, found = gradients(x, y)
        update(found)
        return loss
    return step


def test_bits(model: Transformer, text: Text, batches: int = 20) -> float:
    """Bits per character over pieces of the test text."""
    rng = np.random.default_rng(3)
    measure = morok.jit(lambda x, y: loss_of(model, x, y))
    with morok.no_grad():
        return float(np.mean([measure(*text.batch(text.test, rng)).item() for _ in range(batches)])) / math.log(2)


def sample(model: Transformer, text: Text, begin: str, count: int, temperature: float = 0.7) -> str:
    """`count` characters that follow the beginning, drawn one by one with a fixed seed."""
    rng = np.random.default_rng(4)
    codes = [text.letters.index(letter) for letter in begin]
    predict = morok.jit(lambda x: (model(x) / temperature).softmax(-1))
    with morok.no_grad():
        for _ in range(count):
            last = codes[-LENGTH:]
            window = np.array([last + [0] * (LENGTH - len(last))])  # a place looks at none behind it: what fills the window is not seen
            chances = predict(Tensor(window)).numpy()[0, len(last) - 1].astype(np.float64)
            codes.append(int(rng.choice(len(chances), p=chances / chances.sum())))
    return "".join(text.letters[c] for c in codes)


def train(steps: int) -> tuple[Transformer, Text, float]:
    """Trains and reports; gives the model, the text and the bits per character of the test text."""
    morok.manual_seed(1)
    text, rng = Text(), np.random.default_rng(2)
    model = Transformer(len(text.letters))
    step = training_step(model)
    began, losses = time.perf_counter(), []
    first = 0.0
    for i in range(1, steps + 1):
        losses.append(step(*text.batch(text.training, rng)).item())
        first = first or time.perf_counter() - began
        if i % 100 == 0:
            print(f"step {i:4d}  {np.mean(losses[-100:]) / math.log(2):.3f} bits per character", flush=True)
    took = time.perf_counter() - began - first
    reached = test_bits(model, text)
    print(f"first step, compiled: {first:.1f} s; then {1e3 * took / max(steps - 1, 1):.1f} ms a step")
    print(f"test text: {reached:.3f} bits per character; letter frequencies alone: {text.unigram_bits():.3f}")
    return model, text, reached


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--sample", type=int, default=300, metavar="CHARACTERS")
    arguments = parser.parse_args()
    model, text, _ = train(arguments.steps)
    print(sample(model, text, "The ", arguments.sample))


if __name__ == "__main__":
    main()

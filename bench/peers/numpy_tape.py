"""Gradients for NumPy: the vocabulary over nodes that know what each came from, and what they give back to it."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .numpy_ops import NumPy

Array = np.ndarray
Back = Callable[[Array], Array]


class Node:
    """An array, and for each node that it was computed from a function from its gradient to that node's."""

    def __init__(self, value: Array, sources: Sequence[tuple[Node, Back]] = ()) -> None:
        self.value, self.sources, self.shape = value, sources, value.shape

    def __add__(self, other: Node) -> Node:
        return Node(self.value + other.value, [(self, lambda g: _summed_to(g, self.shape)), (other, lambda g: _summed_to(g, other.shape))])

    def __mul__(self, factor: Array) -> Node:
        return Node(self.value * factor, [(self, lambda g: g * factor)])

    def reshape(self, *shape: int) -> Node:
        return Node(self.value.reshape(*shape), [(self, lambda g: g.reshape(self.shape))])

    def backward(self) -> dict[Node, Array]:
        """The gradient of each node that this one, a single number, was computed from."""
        order, seen = [], set()
        stack: list[tuple[Node, bool]] = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((source, False) for source, _ in node.sources)
        found = {self: np.ones_like(self.value)}
        for node in reversed(order):
            for source, back in node.sources:
                gradient = back(found[node])
                found[source] = found[source] + gradient if source in found else gradient
        return found


def _summed_to(g: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of what was broadcast."""
    g = g.sum(tuple(range(g.ndim - len(shape))))
    return g.sum(tuple(a for a, n in enumerate(shape) if n == 1 and g.shape[a] > 1), keepdims=True)


class Tape:
    """The words of the vocabulary that training steps are written in."""

    def __init__(self) -> None:
        self.plain = NumPy()

    def sum(self, x: Node, axis: None) -> Node:
        return Node(x.value.sum(), [(x, lambda g: np.broadcast_to(g, x.shape))])

    def linear(self, x: Node, w: Node, b: Node) -> Node:
        rows = x.value.reshape(-1, x.shape[-1])
        return Node(self.plain.linear(x.value, w.value, b.value), [
            (x, lambda g: g @ w.value.T), (w, lambda g: rows.T @ g.reshape(len(rows), -1)), (b, lambda g: _summed_to(g, b.shape))])

    def matmul(self, a: Node, b: Node) -> Node:
        return Node(a.value @ b.value, [(a, lambda g: g @ b.value.swapaxes(-1, -2)), (b, lambda g: a.value.swapaxes(-1, -2) @ g)])

    def permute(self, x: Node, order: tuple[int, ...]) -> Node:
        return Node(x.value.transpose(order), [(x, lambda g: g.transpose(np.argsort(order)))])

    def relu(self, x: Node) -> Node:
        return Node(np.maximum(x.value, 0), [(x, lambda g: g * (x.value > 0))])

    def gelu(self, x: Node) -> Node:
        v, scale = x.value, 0.7978845608028654
        t = np.tanh(scale * (v + 0.044715 * v * v * v))
        return Node(0.5 * v * (1 + t), [(x, lambda g: g * (0.5 * (1 + t) + 0.5 * v * (1 - t * t) * scale * (1 + 3 * 0.044715 * v * v)))])

    def layer_norm(self, x: Node, w: Node, b: Node) -> Node:
        d = x.value - x.value.mean(-1, keepdims=True)
        scale = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5)
        normal = d * scale

        def back(g: Array) -> Array:
            g = g * w.value
            return scale * (g - g.mean(-1, keepdims=True) - normal * (g * normal).mean(-1, keepdims=True))
        return Node(normal * w.value + b.value, [(x, back), (w, lambda g: _summed_to(g * normal, w.shape)), (b, lambda g: _summed_to(g, b.shape))])

    def attention(self, q: Node, k: Node, v: Node, mask: None = None, causal: bool = False) -> Node:
        scale = q.shape[-1] ** -0.5
        scores = q.value @ k.value.swapaxes(-1, -2) * scale
        if causal:
            scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
        weights = self.plain.softmax(scores)

        def to_scores(g: Array) -> Array:
            g = g @ v.value.swapaxes(-1, -2)
            return weights * (g - (g * weights).sum(-1, keepdims=True)) * scale
        return Node(weights @ v.value, [(q, lambda g: to_scores(g) @ k.value), (k, lambda g: to_scores(g).swapaxes(-1, -2) @ q.value),
                                        (v, lambda g: weights.swapaxes(-1, -2) @ g)])

    def embedding(self, w: Node, places: Array) -> Node:
        def back(g: Array) -> Array:
            found = np.zeros_like(w.value)
            np.add.at(found, places, g)
            return found
        return Node(w.value[places], [(w, back)])

    def conv2d(self, x: Node | Array, w: Node, stride: int, padding: int, groups: int) -> Node:
        """Of one group and stride 1."""
        assert stride == groups == 1
        if not isinstance(x, Node):
            kernel = self.conv2d(Node(x), w, stride, padding, groups)
            return Node(kernel.value, kernel.sources[1:])
        rows, columns = w.shape[2:]

        def to_image(g: Array) -> Array:
            turned = w.value[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
            return self.plain.conv2d(g, np.ascontiguousarray(turned), 1, rows - 1 - padding, 1)

        def to_kernel(g: Array) -> Array:
            padded = np.pad(x.value, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
            windows = np.lib.stride_tricks.sliding_window_view(padded, (rows, columns), (2, 3))
            return np.tensordot(g, windows, ((0, 2, 3), (0, 2, 3)))
        return Node(self.plain.conv2d(x.value, w.value, 1, padding, 1), [(x, to_image), (w, to_kernel)])

    def max_pool(self, x: Node, size: int) -> Node:
        """The gradient goes to the first of several greatest elements."""
        n, channels, rows, columns = x.shape
        blocks = x.value[:, :, :rows // size * size, :columns // size * size].reshape(n, channels, rows // size, size, columns // size, size)
        blocks = blocks.transpose(0, 1, 2, 4, 3, 5).reshape(n, channels, rows // size, columns // size, size * size)
        place = blocks.argmax(-1)[..., None]

        def back(g: Array) -> Array:
            found, image = np.zeros_like(blocks), np.zeros_like(x.value)
            np.put_along_axis(found, place, g[..., None], -1)
            whole = found.reshape(*found.shape[:-1], size, size).transpose(0, 1, 2, 4, 3, 5)
            image[:, :, :rows // size * size, :columns // size * size] = whole.reshape(n, channels, rows // size * size, columns // size * size)
            return image
        return Node(np.take_along_axis(blocks, place, -1)[..., 0], [(x, back)])

    def cross_entropy(self, logits: Node, classes: Array) -> Node:
        """The mean over rows."""
        rows = np.arange(len(classes))
        losses = self.plain.logsumexp(logits.value) - logits.value[rows, classes]

        def back(g: Array) -> Array:
            found = self.plain.softmax(logits.value)
            found[rows, classes] -= 1
            return found * (g / len(classes))
        return Node(losses.mean(), [(logits, back)])


def gradients(loss: Callable[..., Node], parameters: Sequence[Array], *data: Any) -> list[Array]:
    nodes = [Node(p) for p in parameters]
    found = loss(Tape(), nodes, *data).backward()
    return [found[node] for node in nodes]

"""Threefry-2x32 with 20 rounds, as values of the graph: two words of a counter and two of a key give two words that look random.

J. Salmon, M. Moraes, R. Dror, D. Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (2011).
"""
from __future__ import annotations

from typing import Any

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def threefry(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """Both words of the block; the words are tensors of uint32 (or anything with `^`, `+`, `<<`, `>>`, `|` that wraps at 32 bits)."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ PARITY)
    x, y = counter[0] + keys[0], counter[1] + keys[1]
    for group in range(5):
        for distance in ROTATIONS[group % 2]:
            x = x + y
            y = ((y << distance) | (y >> (32 - distance))) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + (group + 1)
    return x, y

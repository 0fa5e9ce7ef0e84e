"""Who is compared: each peer's vocabulary, in a module of its own that is imported in the peer's process alone.

A vocabulary computes on the peer's own arrays, in the form that the peer does best:

    array(raw, dtype)      a NumPy array as the peer's; bfloat16 comes as float32
    ready(compute, arrays) a function of no arguments that computes anew at each call and returns when the result is there
    numpy(result)          a result as NumPy arrays, one each
    matmul, linear, ...    what workloads.py is written in; + - * / and reshape are the arrays' own
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

PEERS = {
    "morok": ("morok_ops", "Morok"),
    "numpy": ("numpy_ops", "NumPy"),
    "torch": ("torch_ops", "Torch"),
    "torch-compile": ("torch_ops", "CompiledTorch"),
    "jax": ("jax_ops", "Jax"),
}


def vocabulary(name: str, threads: int) -> Any:
    """ImportError where the peer is not installed."""
    module, cls = PEERS[name]
    return getattr(import_module(f"peers.{module}"), cls)(threads)


def as_tuple(result: Any) -> tuple[Any, ...]:
    return tuple(result) if isinstance(result, (tuple, list)) else (result,)

"""functional_call: a module as a function of its parameters and buffers."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..errors import ShapeError
from ..tensor.structures import Structure
from ..tensor.tensor import Tensor
from .module import Module


def functional_call(module: Module, tensors: Mapping[str, Tensor], args: Any = (), kwargs: Mapping[str, Any] | None = None) -> Any:
    """What the module computes with these tensors, by dotted name, in the places of its parameters and buffers; those not named are its own.

    `args` is a tuple, or the one argument. The module is as before afterwards; other threads must not call it meanwhile. So derivatives, `vmap` over
    examples and over models take modules as they take functions. KeyError for a name that the module does not have, ShapeError for another shape.

        weights = {"weight": Tensor([[1.0, 2.0]]), "bias": Tensor([0.5])}
        nn.functional_call(nn.Linear(2, 1), weights, Tensor([3.0, 4.0]))    # [11.5]
    """
    own = dict(_named(module))
    unknown = [name for name in tensors if name not in own]
    if unknown:
        raise KeyError(f"functional_call: {type(module).__name__} has no {unknown[0]!r}; it has {', '.join(own) or 'no parameters and buffers'}")
    for name, t in tensors.items():
        if t.shape != own[name].shape:
            raise ShapeError(f"functional_call: {name} has shape {own[name].shape}, given {t.shape}")
    with _in_places({id(own[name]): (own[name], t) for name, t in tensors.items()}) as given:
        result = module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))
        found = Structure(result)
        return found.rebuild([given[id(t)][1] if id(t) in given else t for t in found.tensors])


def _named(module: Module) -> Iterator[tuple[str, Tensor]]:
    yield from module.named_parameters()
    yield from module.named_buffers()


@contextmanager
def _in_places(given: dict[int, tuple[Tensor, Tensor]]) -> Iterator[dict[int, tuple[Tensor, Tensor]]]:
    """Within the block each first tensor has the memory of the second: whoever holds it, under whatever name."""
    before = [(t, t._storage, t._chain, t._derived, t._seen) for t, _ in given.values()]
    try:
        for t, other in given.values():
            t._storage, t._chain, t._derived, t._seen = other._storage, other._chain, None, 0
        yield given
    finally:
        for t, storage, chain, derived, seen in before:
            t._storage, t._chain, t._derived, t._seen = storage, chain, derived, seen

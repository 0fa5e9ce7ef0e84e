"""Modules in a row, and lists of modules."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .module import Module


class ModuleList(Module):
    """A list of modules; what it computes is the owner's matter."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        for m in modules:
            self.append(m)

    def append(self, module: Module) -> ModuleList:
        """One more."""
        if not isinstance(module, Module):
            raise TypeError(f"{type(self).__name__} takes modules, not {type(module).__name__}")
        setattr(self, str(len(self)), module)
        return self

    def __len__(self) -> int:
        return sum(1 for _ in self.children())

    def __iter__(self) -> Iterator[Module]:
        return self.children()

    def __getitem__(self, index: Any) -> Any:
        modules = list(self.children())
        return type(self)(*modules[index]) if isinstance(index, slice) and isinstance(self, Sequential) else (
            ModuleList(modules[index]) if isinstance(index, slice) else modules[index])


class Sequential(ModuleList):
    """Each module takes what the one before gives.

        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    """

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        for m in self.children():
            x = m(x)
        return x

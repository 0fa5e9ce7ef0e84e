"""Modules in a row, and lists and dicts of modules and of parameters."""
from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from ..tensor.tensor import Tensor
from .module import Module, Parameter


class _List(Module):
    """Things as attributes "0", "1", ..."""

    _kind: type

    def _all(self) -> list[Any]:
        return [v for n, v in vars(self).items() if n.isdecimal()]

    def _become(self, items: list[Any]) -> None:
        for name in [n for n in vars(self) if n.isdecimal()]:
            delattr(self, name)
        for i, item in enumerate(items):
            setattr(self, str(i), item)

    def _checked(self, item: Any) -> Any:
        if not isinstance(item, self._kind):
            raise TypeError(f"{type(self).__name__} takes {'modules' if self._kind is Module else 'tensors'}, not {type(item).__name__}")
        return item

    def append(self, item: Any) -> Self:
        """One more."""
        setattr(self, str(len(self)), self._checked(item))
        return self

    def extend(self, items: Iterable[Any]) -> Self:
        """Several more."""
        for item in items:
            self.append(item)
        return self

    def insert(self, index: int, item: Any) -> None:
        """One more before that of the index."""
        found = self._all()
        found.insert(index, self._checked(item))
        self._become(found)

    def pop(self, index: int = -1) -> Any:
        """Takes one out."""
        found = self._all()
        item = found.pop(index)
        self._become(found)
        return item

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._all())

    def __contains__(self, item: Any) -> bool:
        return any(i is item for i in self._all())

    def __getitem__(self, index: Any) -> Any:
        found = self._all()[index]
        return self._of(found) if isinstance(index, slice) else found

    def _of(self, items: list[Any]) -> Any:
        """A list of this kind."""
        kind: Any = type(self)
        return kind(items)

    def __setitem__(self, index: int, item: Any) -> None:
        setattr(self, str(range(len(self))[index]), self._checked(item))

    def __delitem__(self, index: Any) -> None:
        found = self._all()
        del found[index]
        self._become(found)

    def __iadd__(self, items: Iterable[Any]) -> Self:
        return self.extend(items)


class ModuleList(_List):
    """A list of modules; what it computes is the owner's matter.

        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
    """

    _kind = Module

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        super().__init__()
        self.extend(modules)


class Sequential(_List):
    """Each module takes what the one before gives. A dict names the modules.

        nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    """

    _kind = Module

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, self._checked(module))
        else:
            self.extend(modules)

    def _all(self) -> list[Any]:
        return list(self.children())

    def _become(self, items: list[Any]) -> None:
        for name, _ in list(self.named_children()):
            delattr(self, name)
        super()._become(items)

    def _of(self, items: list[Any]) -> Any:
        return type(self)(*items)

    def __setitem__(self, index: int, item: Any) -> None:
        setattr(self, [n for n, v in vars(self).items() if isinstance(v, Module)][index], self._checked(item))

    def forward(self, x: Any) -> Any:
        for m in self.children():
            x = m(x)
        return x


class ParameterList(_List):
    """A list of parameters. Of any shapes.

        nn.ParameterList([nn.Parameter(Tensor([1.0]))])[0]    # [1.0]
    """

    _kind = Tensor

    def __init__(self, values: Iterable[Tensor] = ()) -> None:
        super().__init__()
        self.extend(values)


class _Dict(Module):
    """Things as attributes of their keys."""

    _kind: type

    def _items(self) -> dict[str, Any]:
        return {n: v for n, v in vars(self).items() if isinstance(v, self._kind)}

    def _checked(self, item: Any) -> Any:
        if not isinstance(item, self._kind):
            raise TypeError(f"{type(self).__name__} takes {'modules' if self._kind is Module else 'tensors'}, not {type(item).__name__}")
        return item

    def update(self, items: Any) -> None:
        """More, or others by keys that are there: a dict, or pairs."""
        for key, item in items.items() if hasattr(items, "items") else items:
            self[key] = item

    def keys(self) -> Iterable[str]:
        """The keys."""
        return self._items().keys()

    def values(self) -> Iterable[Any]:
        """What is kept."""
        return self._items().values()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of key and what is kept."""
        return self._items().items()

    def pop(self, key: str) -> Any:
        """Takes one out."""
        item = self[key]
        delattr(self, key)
        return item

    def __getitem__(self, key: str) -> Any:
        return self._items()[key]

    def __setitem__(self, key: str, item: Any) -> None:
        self._registered(key, self._checked(item), self._kind)

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[str]:
        return iter(self._items())

    def __contains__(self, key: Any) -> bool:
        return key in self._items()


class ModuleDict(_Dict):
    """Modules by name; what they compute is the owner's matter.

        self.heads = nn.ModuleDict({"kind": nn.Linear(8, 3), "size": nn.Linear(8, 1)})
    """

    _kind = Module

    def __init__(self, modules: Any = ()) -> None:
        super().__init__()
        self.update(modules)


class ParameterDict(_Dict):
    """Parameters by name. Of any shapes.

        nn.ParameterDict({"scale": nn.Parameter(Tensor([1.0]))})["scale"]    # [1.0]
    """

    _kind = Tensor

    def __init__(self, parameters: Any = ()) -> None:
        super().__init__()
        self.update({k: v if isinstance(v, Tensor) else Parameter(v) for k, v in dict(parameters).items()})

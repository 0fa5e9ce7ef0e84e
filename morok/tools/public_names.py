"""The public names of morok, in the order of docs/api.md: functions, methods of Tensor, layers, optimisers, random numbers, ..."""
from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import morok
from morok.tensor.tensor import Tensor

MODULES = {"morok.nn": "Layers", "morok.nn.functional": "Functions of layers", "morok.nn.init": "Initial values of weights",
           "morok.optim": "Optimisers and schedules", "morok.random": "Random numbers",
           "morok.linalg": "Linear algebra", "morok.fft": "Fourier transforms"}
"""Modules with public names beside `morok` itself; those that are not there are left out."""


@dataclass(frozen=True)
class PublicName:
    """One name: where it is found, what it is, and what users write to reach it ("morok.exp", "Tensor.exp", "morok.nn.Linear")."""
    place: str
    name: str
    thing: Any
    kind: str
    """"function", "method", "class method", "property" or "class"."""

    @property
    def path(self) -> str:
        return f"{self.place}.{self.name}"

    @property
    def docstring(self) -> str:
        """Without the indentation of its code: an example keeps four spaces, also where nothing but the first line stands before it."""
        first, _, rest = (getattr(self.thing, "__doc__", None) or "").partition("\n")
        margin = 4 if self.place != "Tensor" else 8
        lines = [line[margin:] if not line[:margin].strip() else line.lstrip() for line in rest.splitlines()]
        return "\n".join([first.strip(), *lines]).rstrip()


def functions() -> list[PublicName]:
    """`morok.__all__` without Tensor's class, modules and dtypes."""
    things = ((name, getattr(morok, name)) for name in sorted(morok.__all__))
    return [PublicName("morok", name, thing, "class" if inspect.isclass(thing) else "function") for name, thing in things
            if callable(thing) and thing is not Tensor and not inspect.ismodule(thing) and type(thing).__name__ != "DType"]


def methods() -> list[PublicName]:
    """Tensor's public methods and properties."""
    return list(_methods())


def _methods() -> Iterator[PublicName]:
    for name in sorted(n for n in dir(Tensor) if not n.startswith("_")):
        member = inspect.getattr_static(Tensor, name)
        kind = {"property": "property", "classmethod": "class method", "staticmethod": "class method"}.get(type(member).__name__, "method")
        if kind == "property" or callable(getattr(Tensor, name)):
            yield PublicName("Tensor", name, member if kind == "property" else getattr(Tensor, name), kind)


def of_module(path: str) -> list[PublicName]:
    """The functions and classes of a module: its `__all__`, or what it defines."""
    module = _module(path)
    if module is None:
        return []
    listed = getattr(module, "__all__", None) or [n for n, v in vars(module).items()
                                                  if not n.startswith("_") and getattr(v, "__module__", None) == module.__name__]
    things = ((name, getattr(module, name)) for name in sorted(listed, key=lambda n: (n.lower(), n)))
    return [PublicName(path, name, thing, "class" if inspect.isclass(thing) else "function") for name, thing in things
            if callable(thing) and not inspect.ismodule(thing)]


def _module(path: str) -> Any:
    found: Any = morok
    for part in path.split(".")[1:]:
        try:
            found = getattr(found, part)
        except AttributeError:
            full = f"{found.__name__}.{part}"
            try:
                found = importlib.import_module(full) if importlib.util.find_spec(full) else None
            except ModuleNotFoundError:
                found = None
        if found is None or not inspect.ismodule(found):
            return None
    return found


def sections() -> dict[str, list[PublicName]]:
    """Title of a section of docs/api.md to its names."""
    found = {"Functions (`morok`)": functions(), "Methods and properties of `Tensor`": methods()}
    for path, title in MODULES.items():
        names = of_module(path)
        if names:
            found[f"{title} (`{path}`)"] = names
    return found

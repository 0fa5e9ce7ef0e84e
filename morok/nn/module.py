"""Module: a layer or a model, made of parameters, buffers and other modules that are its attributes."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from ..errors import ShapeError
from ..tensor.gradient.modes import no_grad
from ..tensor.tensor import Tensor


def Parameter(data: Any, requires_grad: bool = True) -> Tensor:
    """A tensor that a module trains: a leaf with requires_grad."""
    t = data if isinstance(data, Tensor) else Tensor(data)
    return t.requires_grad_() if requires_grad else t


class Module:
    """The base of layers and models. Attributes that are tensors with requires_grad are parameters, other tensors are buffers, modules are children;
    lists, tuples and dicts of them count as well.

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 2)
            def forward(self, x):
                return self.second(self.first(x).relu())
    """

    training: bool = True

    def __init__(self) -> None:
        self.training = True

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What calling the module computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(); define it to say what a call computes")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    # What it is made of

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules right below, by name."""
        for name, value in _entries(self):
            if isinstance(value, Module):
                yield name, value

    def children(self) -> Iterator[Module]:
        """The modules right below."""
        return (m for _, m in self.named_children())

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This and all modules below, each once, by dotted name."""
        seen: set[int] = set()

        def walk(module: Module, path: str) -> Iterator[tuple[str, Module]]:
            if id(module) in seen:
                return
            seen.add(id(module))
            yield path, module
            for name, child in module.named_children():
                yield from walk(child, f"{path}.{name}" if path else name)
        return walk(self, prefix)

    def modules(self) -> Iterator[Module]:
        """This and all modules below, each once."""
        return (m for _, m in self.named_modules())

    def _tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Each tensor once, by dotted name."""
        seen: set[int] = set()
        for path, module in self.named_modules():
            for name, value in _entries(module):
                if isinstance(value, Tensor) and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def named_parameters(self) -> Iterator[tuple[str, Tensor]]:
        """What is trained, by dotted name."""
        return ((n, t) for n, t in self._tensors() if t.requires_grad)

    def parameters(self) -> Iterator[Tensor]:
        """What is trained."""
        return (t for _, t in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Tensors that are kept but not trained, by dotted name."""
        return ((n, t) for n, t in self._tensors() if not t.requires_grad)

    def buffers(self) -> Iterator[Tensor]:
        """Tensors that are kept but not trained."""
        return (t for _, t in self.named_buffers())

    # States

    def state_dict(self) -> dict[str, Tensor]:
        """Parameters and buffers by dotted name: the module's own tensors, cut off from gradients."""
        return OrderedDict((n, t.detach()) for n, t in self._tensors())

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> Self:
        """Copies values into parameters and buffers of these names. Where names or shapes differ nothing is changed: KeyError, ShapeError.

            model.load_state_dict(morok.load("weights.safetensors"))
        """
        mine = dict(self._tensors())
        missing, unexpected = [n for n in mine if n not in state], [n for n in state if n not in mine]
        if strict and (missing or unexpected):
            wrong = "; ".join(f"{what} {', '.join(names)}" for what, names in (("missing", missing), ("unexpected", unexpected)) if names)
            raise KeyError(f"load_state_dict: {wrong} (strict=False loads what there is)")
        new = {n: v if isinstance(v, Tensor) else Tensor(np.asarray(v)) for n, v in state.items() if n in mine}
        for name, value in new.items():
            if value.shape != mine[name].shape:
                raise ShapeError(f"load_state_dict: {name} has shape {mine[name].shape}, given {value.shape}")
        with no_grad():
            for name, value in new.items():
                mine[name].copy_(value)
            Tensor.realize_batch([mine[n] for n in new])
        return self

    def train(self, mode: bool = True) -> Self:
        """Sets all modules to training (dropout, batch statistics), or with False to evaluation."""
        for m in self.modules():
            m.training = mode
        return self

    def eval(self) -> Self:
        """Sets all modules to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freezes (False) the parameters, or trains all tensors of floats."""
        for _, t in self._tensors():
            if t.dtype.is_float:
                t.requires_grad_(requires_grad)
        return self

    def zero_grad(self) -> None:
        """Drops the parameters' gradients."""
        for p in self.parameters():
            p.grad = None

    def to(self, *targets: Any, **named: Any) -> Self:
        """Moves parameters and buffers to a device, and those of floats to a dtype."""
        for module in self.modules():
            _replace(module, lambda t: _moved(t, targets, named))
        return self

    def float(self) -> Self:
        """Floats as float32."""
        return self.to("float32")

    def double(self) -> Self:
        """Floats as float64."""
        return self.to("float64")

    def half(self) -> Self:
        """Floats as float16."""
        return self.to("float16")

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Calls a function with each module, this one last."""
        for m in reversed(list(self.modules())):
            function(m)
        return self

    # Text

    def extra_repr(self) -> str:
        """What stands in the brackets of the module's line."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): " + repr(child).replace("\n", "\n  ") for name, child in self.named_children()]
        head = f"{type(self).__name__}({self.extra_repr()}"
        return head + ("".join(f"\n  {line}" for line in lines) + "\n" if lines else "") + ")"


def _entries(module: Module) -> Iterator[tuple[str, Any]]:
    """Tensors and modules among a module's attributes, those in lists, tuples and dicts with their place: "layers.0"."""
    for name, value in vars(module).items():
        yield from _within(name, value)


def _within(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, (Tensor, Module)):
        yield name, value
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _within(f"{name}.{i}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _within(f"{name}.{key}", item)


def _replace(module: Module, change: Callable[[Tensor], Tensor]) -> None:
    def changed(value: Any) -> Any:
        if isinstance(value, Tensor):
            return change(value)
        if isinstance(value, list):
            value[:] = [changed(v) for v in value]
        elif isinstance(value, tuple):
            return type(value)(*map(changed, value)) if hasattr(value, "_fields") else tuple(map(changed, value))
        elif isinstance(value, dict):
            for key in value:
                value[key] = changed(value[key])
        return value
    for name, value in vars(module).items():
        vars(module)[name] = changed(value)


def _moved(t: Tensor, targets: tuple, named: dict) -> Tensor:
    with no_grad():
        moved = t.to(*targets, **named)
        if moved.dtype is not t.dtype and not (t.dtype.is_float and moved.dtype.is_float):
            moved = t.to(device=moved.device)
    if moved is t:
        return t
    return moved.detach().clone().realize().requires_grad_() if t.requires_grad else moved

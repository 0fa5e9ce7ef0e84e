"""Module: a layer or a model, made of parameters, buffers and other modules that are its attributes."""
from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, ParamSpec, Protocol, Self, TypeVar

import numpy as np

from ..errors import DTypeError, ShapeError
from ..tensor.gradient.modes import no_grad
from ..tensor.tensor import Tensor

P = ParamSpec("P")
Result = TypeVar("Result", covariant=True)


class HasForward(Protocol[P, Result]):
    """What gives a call of a module its signature: that of its class's `forward`."""

    def forward(self, *args: P.args, **kwargs: P.kwargs) -> Result: ...


def Parameter(data: Any, requires_grad: bool = True) -> Tensor:
    """A tensor that a module trains: a leaf with requires_grad. Of any shape; the dtype is a float.

        nn.Parameter(Tensor([1.0, 2.0])).requires_grad
    """
    t = data if isinstance(data, Tensor) else Tensor(data)
    return t.requires_grad_() if requires_grad else t


def _value_of(name: str, value: Any) -> Tensor:
    try:
        return value if isinstance(value, Tensor) else Tensor(np.asarray(value))
    except DTypeError as error:
        raise DTypeError(f"load_state_dict: {name} is no tensor or array of numbers: {error}") from None


class IncompatibleKeys(NamedTuple):
    """What load_state_dict did not find, and what it had no place for."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Hooks:
    """Functions that a module calls beside its forward, by the numbers of their handles."""

    def __init__(self) -> None:
        self.before: dict[int, tuple[Callable, bool]] = {}
        self.after: dict[int, tuple[Callable, bool]] = {}
        self.given = 0

    def add(self, where: dict[int, tuple[Callable, bool]], hook: Callable, with_kwargs: bool) -> HookHandle:
        if not callable(hook):
            raise TypeError(f"a hook is a function, not {hook!r}")
        self.given += 1
        where[self.given] = hook, with_kwargs
        return HookHandle(where, self.given)


class HookHandle:
    """What registering a hook gives: `remove` takes the hook away."""

    def __init__(self, where: dict[int, tuple[Callable, bool]], number: int) -> None:
        self._where, self._number = where, number

    def remove(self) -> None:
        """The hook is called no more."""
        self._where.pop(self._number, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.remove()


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
    _trained: frozenset[str] = frozenset()
    """Names of attributes that were set to tensors with requires_grad: parameters, also while they are frozen."""
    _unsaved: frozenset[str] = frozenset()
    """Names of buffers that states leave out."""
    _hooks: Hooks | None = None

    def __init__(self) -> None:
        self.training = True

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and value.requires_grad and name not in self._trained:
            object.__setattr__(self, "_trained", self._trained | {name})
        object.__setattr__(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What calling the module computes."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(); define it to say what a call computes")

    def __call__(self: HasForward[P, Result], *args: P.args, **kwargs: P.kwargs) -> Result:
        return self.forward(*args, **kwargs) if self._hooks is None else self._called(args, kwargs)  # type: ignore[attr-defined, no-any-return]

    def _called(self, args: tuple, kwargs: dict) -> Any:
        """The forward between its hooks."""
        hooks: Any = self._hooks
        for hook, with_kwargs in list(hooks.before.values()):
            changed = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if changed is not None:
                if with_kwargs:
                    args, kwargs = changed
                else:
                    args = changed if isinstance(changed, tuple) else (changed,)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in list(hooks.after.values()):
            changed = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            result = result if changed is None else changed
        return result

    def register_forward_pre_hook(self, hook: Callable, *, with_kwargs: bool = False) -> HookHandle:
        """Calls hook(module, args) before each forward; what it gives, if not None, takes the place of the arguments. With `with_kwargs` it is
        hook(module, args, kwargs) and gives both. The handle's `remove()` ends it.

            layer.register_forward_pre_hook(lambda module, args: print(args[0].shape))
        """
        self._hooks = self._hooks or Hooks()
        return self._hooks.add(self._hooks.before, hook, with_kwargs)

    def register_forward_hook(self, hook: Callable, *, with_kwargs: bool = False) -> HookHandle:
        """Calls hook(module, args, result) after each forward; what it gives, if not None, is the result. The handle's `remove()` ends it.

            found = []
            layer.register_forward_hook(lambda module, args, result: found.append(result))
        """
        self._hooks = self._hooks or Hooks()
        return self._hooks.add(self._hooks.after, hook, with_kwargs)

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

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that is kept but not trained, as the attribute of this name; states leave it out if not persistent.

            self.register_buffer("mask", Tensor.ones(4, 4, dtype="bool").tril(), persistent=False)
        """
        self._registered(name, tensor, Tensor)
        self._unsaved = self._unsaved - {name} if persistent else self._unsaved | {name}

    def register_parameter(self, name: str, param: Tensor | None) -> None:
        """A parameter, or None in its place, as the attribute of this name."""
        self._registered(name, param, Tensor)

    def register_module(self, name: str, module: Module | None) -> None:
        """A module, or None in its place, as the attribute of this name."""
        self._registered(name, module, Module)

    add_module = register_module

    def _registered(self, name: str, value: Any, kind: type) -> None:
        if not isinstance(name, str) or not name or "." in name:
            raise KeyError(f"{type(self).__name__}: a name is a string without dots, not {name!r}")
        if hasattr(self, name) and name not in vars(self):
            raise KeyError(f"{type(self).__name__} has a {name!r} of another kind; choose another name")
        if value is not None and not isinstance(value, kind):
            raise TypeError(f"{name} must be a {kind.__name__} or None, not {type(value).__name__}")
        setattr(self, name, value)

    def get_submodule(self, target: str) -> Module:
        """The module of a dotted name; "" is this one. AttributeError where there is none.

            model.get_submodule("encoder.layers.0")
        """
        found = self._at(target)
        if not isinstance(found, Module):
            raise AttributeError(f"{target!r} is no module of {type(self).__name__}")
        return found

    def get_parameter(self, target: str) -> Tensor:
        """The parameter (or buffer) of a dotted name. AttributeError where there is none."""
        found = self._at(target)
        if not isinstance(found, Tensor):
            raise AttributeError(f"{target!r} is no parameter of {type(self).__name__}")
        return found

    get_buffer = get_parameter

    def _at(self, target: str) -> Any:
        found: Any = self
        for name in target.split(".") if target else ():
            try:
                found = getattr(found, name) if isinstance(found, Module) else found[int(name) if isinstance(found, (list, tuple)) else name]
            except (AttributeError, LookupError, ValueError, TypeError):
                raise AttributeError(f"{type(self).__name__} has no {target!r}: {name!r} is missing") from None
        return found

    def _tensors(self) -> Iterator[tuple[str, Tensor]]:
        """Each tensor once, by dotted name."""
        seen: set[int] = set()
        for path, module in self.named_modules():
            for name, value in _entries(module):
                if isinstance(value, Tensor) and id(value) not in seen:
                    seen.add(id(value))
                    yield (f"{path}.{name}" if path else name), value

    def _states(self) -> Iterator[tuple[str, Tensor]]:
        """Each tensor that states hold, by all names that it has."""
        def walk(module: Module, path: str, above: tuple[Module, ...]) -> Iterator[tuple[str, Tensor]]:
            for name, value in _entries(module):
                if isinstance(value, Tensor) and name not in module._unsaved:
                    yield path + name, value
            for name, child in module.named_children():
                if child is not module and child not in above:
                    yield from walk(child, f"{path}{name}.", (*above, module))
        return walk(self, "", ())

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """What is trained, by dotted name; without `recurse` that of this module alone. Frozen parameters are not among them."""
        start = f"{prefix}." if prefix else ""
        tensors = self._tensors() if recurse else ((n, t) for n, t in _entries(self) if isinstance(t, Tensor))
        return ((start + n, t) for n, t in tensors if t.requires_grad)

    def parameters(self, recurse: bool = True) -> Iterator[Tensor]:
        """What is trained."""
        return (t for _, t in self.named_parameters(recurse=recurse))

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """Tensors that are kept but not trained, by dotted name."""
        return ((n, t) for n, t in self._tensors() if not t.requires_grad)

    def buffers(self) -> Iterator[Tensor]:
        """Tensors that are kept but not trained."""
        return (t for _, t in self.named_buffers())

    # States

    def state_dict(self, prefix: str = "") -> dict[str, Tensor]:
        """Parameters and buffers by dotted name: the module's own tensors, cut off from gradients. What several names share is there by each."""
        return OrderedDict((prefix + n, t.detach()) for n, t in self._states())

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Copies values into parameters and buffers of these names; gives the names that were missing and unexpected (none, where strict).

        Where names differ (KeyError, which lists them; allowed with strict=False) or shapes differ (ShapeError) nothing is changed.

            model.load_state_dict(morok.load("weights.safetensors"))
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"load_state_dict: takes a dict of values by name, as state_dict() gives, not {type(state).__name__}")
        mine = OrderedDict(self._states())
        missing, unexpected = [n for n in mine if n not in state], [n for n in state if n not in mine]
        if strict and (missing or unexpected):
            wrong = "; ".join(f"{what} {', '.join(names)}" for what, names in (("missing", missing), ("unexpected", unexpected)) if names)
            raise KeyError(f"load_state_dict: {wrong} (strict=False loads what there is)")
        new = {n: _value_of(n, v) for n, v in state.items() if n in mine}
        for name, value in new.items():
            if value.shape != mine[name].shape:
                raise ShapeError(f"load_state_dict: {name} has shape {mine[name].shape}, given {value.shape}")
        with no_grad():
            for name, value in new.items():
                mine[name].copy_(value)
            if new:
                Tensor.realize_batch([mine[n] for n in new])
        return IncompatibleKeys(missing, unexpected)

    def train(self, mode: bool = True) -> Self:
        """Sets all modules to training (dropout, batch statistics), or with False to evaluation."""
        for m in self.modules():
            m.training = mode
        return self

    def eval(self) -> Self:
        """Sets all modules to evaluation."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freezes (False) or trains the parameters; buffers stay what they are."""
        for module in self.modules():
            for name, t in _entries(module):
                if isinstance(t, Tensor) and (t.requires_grad or name in module._trained):
                    t.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Drops the parameters' gradients."""
        for p in self.parameters():
            p.grad = None

    def to(self, *targets: Any, **named: Any) -> Self:
        """Moves parameters and buffers to a device, and those of floats to a dtype."""
        probe = Tensor(0.0).to(*targets, **named)  # what is wrong with the targets shows before anything changes
        if not probe.dtype.is_float:
            raise DTypeError(f"{type(self).__name__}.to: parameters are floats, and {probe.dtype} is none; give a floating-point dtype")
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

    def bfloat16(self) -> Self:
        """Floats as bfloat16."""
        return self.to("bfloat16")

    def type(self, dtype: Any) -> Self:
        """Floats as another dtype of floats."""
        return self.to(dtype)

    def cpu(self) -> Self:
        """Moved to "CPU"."""
        return self.to(device="CPU")

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

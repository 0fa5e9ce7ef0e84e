"""Optimizer: what updates parameters by their gradients, all of them in one plan."""
from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from ..errors import DTypeError, GradientError
from ..tensor.arguments import number
from ..tensor.gradient.modes import no_grad
from ..tensor.jit import Jitted
from ..tensor.tensor import Tensor
from ..tensor.tracing import TRACING


class Group(dict[str, Any]):
    """The options and parameters of a group. Those that are tensors stay the same tensors, as captured functions read them: a number that is set is written.

        optimizer.param_groups[0]["lr"] = 1e-4
    """

    def __setitem__(self, name: str, value: Any) -> None:
        old = self.get(name)
        if isinstance(old, Tensor) and isinstance(value, (int, float, np.number)):
            set_number(old, float(value))
        else:
            super().__setitem__(name, value)

    def update(self, *others: Any, **values: Any) -> None:
        for name, value in dict(*others, **values).items():
            self[name] = value

    def __ior__(self, other: Any) -> Self:  # type: ignore[override,misc]
        self.update(other)
        return self


Params = Iterable[Tensor] | Iterable[Mapping[str, Any]]
"""What an optimiser trains: tensors, or groups of them with options of their own."""


class Optimizer:
    """The base of optimisers. Parameters are tensors with requires_grad, or dicts {"params": tensors, option: value} for options of a group's own.

        optimizer = optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad(); loss.backward(); optimizer.step()

    A class says in `update` what one parameter becomes, in `slots` which tensors it keeps for each, and in `counters` which numbers a group keeps, with what
    they begin at. The learning rate is a tensor, so that changing it compiles nothing anew and reaches captured functions. With `maximize` parameters go up
    the gradient.
    """

    captures_steps = False
    """Whether a step is captured once, as by `morok.jit`, and afterwards only run: for classes whose `update`, `advance` and `gradients` do nothing but build
    tensors of tensors and of the groups' options. A class that overrides one of them says so itself."""
    slots: tuple[str, ...] = ()
    counters: Mapping[str, float] = MappingProxyType({"step": 0.0})

    def __init_subclass__(cls) -> None:
        if "captures_steps" not in vars(cls) and not vars(cls).keys().isdisjoint(("update", "advance", "gradients")):
            cls.captures_steps = False

    def __init__(self, params: Params, lr: float, **defaults: Any) -> None:
        if isinstance(params, Tensor):
            raise DTypeError("an optimiser takes a list of parameters, not one Tensor: [parameter]")
        given: list[Any] = list(params)
        if not given:
            raise ValueError("an optimiser needs at least one parameter; given an empty list")
        groups = given if isinstance(given[0], Mapping) else [{"params": given}]
        self.param_groups: list[Group] = []
        self.state: dict[int, dict[str, Tensor]] = {}
        self.defaults: dict[str, Any] = {"lr": lr, "maximize": False, **defaults}
        self._plans: Jitted | None = None
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """More parameters, with options of their own; those not given are the optimiser's. ValueError for a parameter that it has, for options that it
        does not take and for values out of range.

            optimizer.add_param_group({"params": head.parameters(), "lr": 1e-2})
        """
        if not isinstance(group, Mapping) or "params" not in group:
            raise TypeError(f"{type(self).__name__}: a group of parameters is a dict {{'params': tensors, option: value}}, not {group!r}")
        made = Group({**self.defaults, **group})
        made["params"] = [made["params"]] if isinstance(made["params"], Tensor) else list(made["params"])
        known = {id(p) for g in self.param_groups for p in g["params"]}
        for i, p in enumerate(made["params"]):
            if not isinstance(p, Tensor):
                raise DTypeError(f"parameter {i} is no Tensor but {type(p).__name__}")
            if not p.requires_grad or not p.is_leaf:
                raise GradientError(f"parameter {i} of shape {p.shape} is no variable; make it one by requires_grad_()")
            if id(p) in known:
                raise ValueError(f"parameter {i} of shape {p.shape} is given twice")
            known.add(id(p))
        unknown = [name for name in made if name not in self.defaults and name not in ("params", "initial_lr")]
        if unknown:
            raise ValueError(f"{type(self).__name__} takes no option {unknown[0]!r}; a group may have params and {', '.join(self.defaults)}")
        self.check_options(made)
        device = made["params"][0].device if made["params"] else None
        made["lr"] = made["lr"].to(device or made["lr"].device) if isinstance(made["lr"], Tensor) else Tensor(np.float32(made["lr"]), device=device)
        made.update((name, Tensor(np.float32(value), device=device)) for name, value in self.counters.items())
        self.param_groups.append(made)
        for p in made["params"]:
            self.state[id(p)] = {s: Tensor(np.zeros(p._concrete_shape(), p.dtype.np), device=p.device) for s in self.slots_of(made)}

    def check_options(self, group: Group) -> None:
        """ValueError for an option of a group that is out of range."""
        what = type(self).__name__
        for name in ("lr", "weight_decay", "momentum", "eps", "lr_decay", "alpha", "rho"):
            value = group.get(name, 0)
            if not (value.item() if isinstance(value, Tensor) else number(value, f"{what}: {name}")) >= 0:
                raise ValueError(f"{what}: {name} must not be negative, given {value}")
        betas = group.get("betas", (0.0, 0.0))
        if not (isinstance(betas, (tuple, list)) and len(betas) == 2):
            raise TypeError(f"{what}: betas are two numbers, not {betas!r}")
        if not all(isinstance(b, Tensor) or 0 <= number(b, f"{what}: betas") < 1 for b in betas):
            raise ValueError(f"{what}: betas must be from 0 up to but without 1, given {betas}")

    def slots_of(self, group: Group) -> tuple[str, ...]:
        """The tensors that each parameter of a group has."""
        return self.slots

    @property
    def lr(self) -> float:
        """The learning rate of the first group; setting it sets that of all."""
        return self.param_groups[0]["lr"].item()

    @lr.setter
    def lr(self, value: float) -> None:
        for group in self.param_groups:
            set_number(group["lr"], value)

    def __getstate__(self) -> dict[str, Any]:
        """The attributes; the slots by their parameters' numbers, as a copy's parameters are other objects."""
        return {**vars(self), "state": [self.state[id(p)] for p in self.parameters()], "_plans": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.state = {id(p): slots for p, slots in zip(self.parameters(), state["state"])}

    def zero_grad(self) -> None:
        """Drops all gradients."""
        for group in self.param_groups:
            for p in group["params"]:
                p.grad = None

    def step(self, realize: bool = True) -> None:
        """Updates each parameter that has a gradient, and computes all that this changes. Within a captured function that is left to its plan, with
        `realize=False` to the caller.

            w = Tensor([1.0, 2.0], requires_grad=True)
            optimizer = optim.SGD([w], lr=0.5)
            (w * w).sum().backward()
            optimizer.step()
        """
        within = TRACING.count and (TRACING.current is not None or TRACING.level is not None)
        if realize and self.captures_steps and not within:
            if self._plans is None:
                self._plans = _captured(self)
            self._plans(self._signature())
            return
        changed = self._updated()
        if changed and realize and not within:
            Tensor.realize_batch(changed)

    def _signature(self) -> tuple:
        """What a captured step depends on beside the tensors that it reads: those themselves, and the options of groups."""
        found: list[Any] = []
        for group in self.param_groups:
            for name, value in group.items():
                if name == "params":
                    found += [p._storage for p in value]
                else:
                    found += (name, value._storage if isinstance(value, Tensor) else value)
        return tuple(found)

    def _updated(self) -> list[Tensor]:
        """Builds the next values, and gives all tensors that change, and the gradients."""
        changed: list[Tensor] = []
        with no_grad():
            for group in self.param_groups:
                ready = [p for p in group["params"] if p.grad is not None]
                if not ready:
                    continue
                self.advance(group)
                changed += [group[name] for name in self.counters]
                for p, g in zip(ready, self.gradients(group, ready)):
                    state = self.state[id(p)]
                    new = self.update(p, g, state, group)
                    for t, value in [*((state[name], v) for name, v in new.items() if name != "param"), (p, new["param"])]:
                        t.assign(value.cast(t.dtype))
                        changed.append(t)
                    changed.append(p.grad)  # type: ignore[arg-type]
        return changed

    def advance(self, group: Group) -> None:
        """Moves a group's counters on, before its parameters are updated."""
        group["step"] += 1

    def gradients(self, group: Group, params: list[Tensor]) -> list[Tensor]:
        """The gradients of a group that `update` sees."""
        return [-p.grad if group["maximize"] else p.grad for p in params]  # type: ignore[misc,operator]

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        """What the parameter ("param") and its slots become."""
        raise NotImplementedError(f"{type(self).__name__} has no update(); define it to say what a parameter becomes")

    def __repr__(self) -> str:
        lines = []
        for i, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {i}")
            lines += [f"    {name}: {_number(value)}" for name, value in sorted(group.items()) if name not in ("params", *self.counters)]
            lines.append(f"    parameters: {', '.join(str(tuple(p.shape)) for p in group['params'][:6])}{', ...' if len(group['params']) > 6 else ''}")
        return "\n".join([f"{type(self).__name__} (", *lines, ")"])

    def parameters(self) -> Iterable[Tensor]:
        """All parameters."""
        return (p for g in self.param_groups for p in g["params"])

    def state_dict(self) -> dict[str, Any]:
        """Options, and the slots of each parameter by its number: a structure of numbers and tensors. The tensors are the optimiser's own.

            morok.save(optimizer.state_dict(), "optimizer.safetensors")
            optimizer.load_state_dict(morok.load("optimizer.safetensors"))
        """
        numbers = {id(p): i for i, p in enumerate(self.parameters())}
        groups = [{k: [numbers[id(p)] for p in v] if k == "params" else _number(v) for k, v in g.items()} for g in self.param_groups]
        return {"state": {numbers[i]: {n: t.detach() for n, t in slots.items()} for i, slots in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to where `state_dict` was, of an optimiser of the same kind with parameters of the same shapes. ValueError, before anything changes, where
        they differ.

            optimizer.load_state_dict(other.state_dict())
        """
        if not isinstance(state, Mapping) or not {"param_groups", "state"} <= state.keys():
            raise TypeError("load_state_dict: takes a dict with 'param_groups' and 'state', as state_dict() gives, not "
                            f"{sorted(map(str, state)) if isinstance(state, Mapping) else type(state).__name__}")
        groups, slots = state["param_groups"], state["state"]
        have, given = ([len(g["params"]) for g in of] for of in (self.param_groups, groups))
        if have != given:
            raise ValueError(f"load_state_dict: the groups have {given} parameters, the optimiser's {have}")
        for i, p in enumerate(self.parameters()):
            mine, theirs = self.state[id(p)], slots.get(i, slots.get(str(i), {}))
            if mine.keys() != theirs.keys() or any(t.shape != theirs[name].shape for name, t in mine.items()):
                raise ValueError(f"load_state_dict: for parameter {i} the state has {_described(theirs)}, the optimiser {_described(mine)}")
        for group, values in zip(self.param_groups, groups):
            for name, value in values.items():
                if name != "params":
                    group[name] = _set(group.get(name), value)
        changed = []
        for i, p in enumerate(self.parameters()):
            for name, value in slots.get(i, slots.get(str(i), {})).items():
                changed.append(self.state[id(p)][name].copy_(value))
        if changed:
            Tensor.realize_batch(changed)


def _captured(optimizer: Optimizer) -> Jitted:
    """The step of an optimiser, which it must not keep alive, as a captured function of its signature."""
    ref = weakref.ref(optimizer)

    def step(signature: tuple) -> None:
        optimizer = ref()
        assert optimizer is not None
        optimizer._updated()
    step.__qualname__ = f"{type(optimizer).__name__}.step"
    return Jitted(step, reads_gradients_of_variables=True)


def set_number(t: Tensor, value: float) -> None:
    """Writes a number to a tensor of one element, at once."""
    t.assign(Tensor(np.asarray(value, t.dtype.np), device=t.device)).realize()  # of memory: a constant would be compiled


def number_of(value: Any) -> float:
    """A number, also of a tensor of one element, as the shortest decimal that the tensor's dtype reads as it."""
    return float(str(value.numpy()[()])) if isinstance(value, Tensor) else float(value)


def _number(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_number, value))
    return number_of(value) if isinstance(value, Tensor) else value


def _set(old: Any, value: Any) -> Any:
    """The value of an option from now on: tensors stay the same, as captured functions read them."""
    if isinstance(old, Tensor):
        set_number(old, value)
        return old
    if isinstance(old, tuple) and isinstance(value, (tuple, list)) and len(old) == len(value):
        return tuple(_set(o, v) for o, v in zip(old, value))
    return value


def _described(slots: Mapping[str, Tensor]) -> str:
    return ", ".join(f"{name} of shape {t.shape}" for name, t in slots.items()) or "nothing"

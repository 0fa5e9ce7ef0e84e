"""Optimizer: what updates parameters by their gradients, all of them in one plan."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import DTypeError, GradientError
from ..tensor.gradient.modes import no_grad
from ..tensor.tensor import Tensor
from ..tensor.tracing import TRACING

Group = dict[str, Any]


class Optimizer:
    """The base of optimisers. Parameters are tensors with requires_grad, or dicts {"params": tensors, option: value} for options of a group's own.

        optimizer = optim.SGD(model.parameters(), lr=0.1)
        optimizer.zero_grad(); loss.backward(); optimizer.step()

    A class says in `update` what one parameter becomes, and in `slots` which tensors it keeps for each. The learning rate is a tensor, so that changing it
    compiles nothing anew and reaches captured functions.
    """

    slots: tuple[str, ...] = ()

    def __init__(self, params: Any, lr: float, **defaults: Any) -> None:
        if isinstance(params, Tensor):
            raise DTypeError("an optimiser takes a list of parameters, not one Tensor: [parameter]")
        given = list(params)
        if not given:
            raise ValueError("an optimiser needs at least one parameter; given an empty list")
        groups = given if isinstance(given[0], Mapping) else [{"params": given}]
        self.param_groups: list[Group] = []
        self.state: dict[int, dict[str, Tensor]] = {}
        for group in groups:
            self.add_param_group({"lr": lr, **defaults, **group})

    def add_param_group(self, group: Mapping[str, Any]) -> None:
        """Parameters more, with options of their own."""
        made = Group(group)
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
        if not float(made["lr"] if not isinstance(made["lr"], Tensor) else made["lr"].item()) >= 0:
            raise ValueError(f"lr must not be negative, given {made['lr']}")
        made["lr"] = made["lr"] if isinstance(made["lr"], Tensor) else Tensor(np.float32(made["lr"]))
        made["step"] = Tensor(np.float32(0))
        self.param_groups.append(made)
        for p in made["params"]:
            self.state[id(p)] = {s: Tensor(np.zeros(p._concrete_shape(), p.dtype.np), device=p.device) for s in self.slots}

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
        return {**vars(self), "state": [self.state[id(p)] for p in self.parameters()]}

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
        `realize=False` to the caller."""
        changed: list[Tensor] = []
        with no_grad():
            for group in self.param_groups:
                ready = [p for p in group["params"] if p.grad is not None]
                if not ready:
                    continue
                group["step"] += 1
                changed.append(group["step"])
                for p, g in zip(ready, self.gradients(group, ready)):
                    state = self.state[id(p)]
                    new = self.update(p, g, state, group)
                    for t, value in [*((state[name], v) for name, v in new.items() if name != "param"), (p, new["param"])]:
                        t.assign(value.cast(t.dtype))
                        changed.append(t)
                    changed.append(p.grad)  # type: ignore[arg-type]
        if changed and realize and not (TRACING.count and TRACING.current is not None):
            Tensor.realize_batch(changed)

    def gradients(self, group: Group, params: list[Tensor]) -> list[Tensor]:
        """The gradients of a group that `update` sees."""
        return [p.grad for p in params]  # type: ignore[misc]

    def update(self, p: Tensor, g: Tensor, state: Mapping[str, Tensor], group: Group) -> dict[str, Tensor]:
        """What the parameter ("param") and its slots become."""
        raise NotImplementedError(f"{type(self).__name__} has no update(); define it to say what a parameter becomes")

    def parameters(self) -> Iterable[Tensor]:
        """All parameters."""
        return (p for g in self.param_groups for p in g["params"])

    def state_dict(self) -> dict[str, Any]:
        """Options, and the slots of each parameter by its number."""
        numbers = {id(p): i for i, p in enumerate(self.parameters())}
        groups = [{k: [numbers[id(p)] for p in v] if k == "params" else v.item() if isinstance(v, Tensor) else v for k, v in g.items()}
                  for g in self.param_groups]
        return {"state": {numbers[i]: {n: t.detach() for n, t in slots.items()} for i, slots in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Goes to where `state_dict` was, of an optimiser of as many parameters. ValueError, before anything changes, where they differ."""
        groups = state["param_groups"]
        if [len(g["params"]) for g in groups] != [len(g["params"]) for g in self.param_groups]:
            raise ValueError("load_state_dict: the groups have other numbers of parameters")
        for mine, given in zip(self.param_groups, groups):
            for name, value in given.items():
                if name == "params":
                    continue
                if isinstance(mine.get(name), Tensor):
                    set_number(mine[name], value)
                else:
                    mine[name] = value
        for i, p in enumerate(self.parameters()):
            for name, t in self.state[id(p)].items():
                t.copy_(state["state"][i][name]).realize()


def set_number(t: Tensor, value: float) -> None:
    """Writes a number to a tensor of one element, at once."""
    t.fill_(float(value)).realize()

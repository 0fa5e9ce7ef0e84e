"""Launches: the op `kernel` with what it runs. One with several times as many buffers as the kernel takes runs it once on each row of them.

    %k = morok.kernel (param %a {0}), (param %b {1}), (param %c {2}), (param %d {3}) {callee = @k0, values = [9, 5]}
    func.func @k0(%0, %1) {morok.kernel} { .. morok.define_var {name = "n"} .. }        @k0(%a, %b) with n = 9, @k0(%c, %d) with n = 5, in any order
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .body import Body
from .buffers import argument_uses
from .uop import UOp


@dataclass(frozen=True)
class Row:
    """What a kernel runs on once: its buffers by slot, and the values that the launch gives its variables."""

    buffers: tuple[UOp, ...]
    values: Mapping[str, int]


def variable_bounds(kernel: Body) -> dict[str, tuple[int, int]]:
    """The variables of a kernel with their bounds, in the order of its parameters: by name."""
    found = {u.attribute("name"): (u.attribute("min"), u.attribute("max")) for u in kernel.order() if u.name == "define_var"}
    return dict(sorted(found.items()))


def given_values(launch: UOp) -> tuple[int, ...] | None:
    """The values that the launch itself gives the kernel's variables, row by row."""
    return launch.attributes[1] if len(launch.attributes) > 1 else None


def mismatch(launch: UOp, kernel: Body) -> str | None:
    """What is wrong with a launch's slots or values."""
    slots, count = sorted(p.attribute("slot") for p in launch.operands), len(kernel.arguments)
    if slots != list(range(len(slots))) or not slots and count or count and len(slots) % count:
        return f"binds slots {slots} of @{kernel.name}, which has {count} buffers"
    values, bounds = given_values(launch), list(variable_bounds(kernel).items())
    if values is None:
        return None
    if len(values) != len(bounds) * (len(slots) // max(count, 1)):
        return f"gives {len(values)} values on {len(slots) // max(count, 1)} rows; @{kernel.name} has {len(bounds)} variables"
    for i, value in enumerate(values):
        name, (low, high) = bounds[i % len(bounds)]
        if not low <= value <= high:
            return f"gives the variable {name} of @{kernel.name} the value {value}; it must be from {low} to {high}"
    return None


def rows_of(launch: UOp, kernel: Body) -> list[Row]:
    """The rows of a launch that `mismatch` finds nothing wrong with."""
    buffers = [p.operands[0] for p in sorted(launch.operands, key=lambda p: p.attribute("slot"))]
    count, values = max(len(kernel.arguments), 1), given_values(launch)
    names = list(variable_bounds(kernel)) if values is not None else []
    return [Row(tuple(buffers[i * count:(i + 1) * count]), dict(zip(names, (values or ())[i * len(names):(i + 1) * len(names)])))
            for i in range(max(1, len(buffers) // count))]


def launch_uses(launch: UOp, kernel: Body) -> tuple[set[int], set[int]]:
    """The slots of a launch, of all its rows, that the kernel reads and those that it writes."""
    reads, writes = argument_uses(kernel)
    count = max(len(kernel.arguments), 1)
    slots = range(len(launch.operands))
    return {s for s in slots if s % count in reads}, {s for s in slots if s % count in writes}

"""Devices: `CPU`, `CPU:1`, ..., each with memory of its own.

All compute on the host's processors; what tells them apart is where their buffers live, so that a program over several devices has real
copies.
"""
from __future__ import annotations

from ..errors import DeviceError
from .memory_pool import MemoryPool

DEVICE_COUNT = 8


class Device:
    """A device by its canonical name, with the pool that its buffers come from."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.pool = MemoryPool()

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


def device_names() -> tuple[str, ...]:
    """Every device that exists."""
    return ("CPU", *(f"CPU:{i}" for i in range(1, DEVICE_COUNT)))


def canonical_name(name: str) -> str:
    """The name as morok spells it: `cpu:0` is `CPU`. DeviceError lists what there is."""
    return device(name).name


def device(name: str = "CPU") -> Device:
    """The device of that name, in any case."""
    found = _DEVICES.get(name) if isinstance(name, str) else None
    if found is None:
        upper = name.strip().upper() if isinstance(name, str) else ""
        found = _DEVICES.get("CPU" if upper == "CPU:0" else upper)
        if found is None:
            raise DeviceError(f"unknown device {name!r}; there are {', '.join(device_names())} (in any case)")
    return found


_DEVICES = {name: Device(name) for name in device_names()}

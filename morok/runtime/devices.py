"""Devices: `CPU`, `CPU:1`, ..., each with memory of its own.

All compute on the host's processors; what tells them apart is where their buffers live, so that a program over several devices has real
copies.
"""
from __future__ import annotations

from functools import cache

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
    upper = name.strip().upper() if isinstance(name, str) else ""
    if upper == "CPU:0":
        return "CPU"
    if upper not in device_names():
        raise DeviceError(f"unknown device {name!r}; there are {', '.join(device_names())} (in any case)")
    return upper


def device(name: str = "CPU") -> Device:
    return _device(canonical_name(name))


@cache
def _device(name: str) -> Device:
    return Device(name)

"""What a library can ask about the namespace: capabilities, devices, dtypes."""
from __future__ import annotations

from typing import Any

from ..runtime.devices import canonical_name, device_names
from ..tensor import dtypes as D
from ..tensor.dtype_queries import isdtype

_DTYPES = (D.bool, D.int8, D.int16, D.int32, D.int64, D.uint8, D.uint16, D.uint32, D.uint64, D.float32, D.float64)


class NamespaceInfo:
    """The standard's inspection functions."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean masks index tensors; there is no limit to the number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> str:
        """Where tensors are made unless a device is named."""
        return "CPU"

    def devices(self) -> list[str]:
        """Every device."""
        return list(device_names())

    def default_dtypes(self, *, device: str | None = None) -> dict[str, Any]:
        """What Python's numbers become, and indices. None for complex numbers: there are none."""
        _check(device)
        return {"real floating": D.default_float(), "complex floating": None, "integral": D.default_int(), "indexing": D.int64}

    def dtypes(self, *, device: str | None = None, kind: Any = None) -> dict[str, Any]:
        """The standard's dtypes by name, of one kind or several (see `isdtype`)."""
        _check(device)
        return {dtype.name: dtype for dtype in _DTYPES if kind is None or isdtype(dtype, kind)}


def _check(device: str | None) -> None:
    if device is not None:
        canonical_name(device)


def __array_namespace_info__() -> NamespaceInfo:
    """Capabilities, devices and dtypes of the namespace."""
    return NamespaceInfo()

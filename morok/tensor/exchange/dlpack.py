"""DLPack, by which array libraries lend each other memory: https://dmlc.github.io/dlpack/latest/python_spec.html

NumPy makes and reads the capsules, of its dtypes. bfloat16 and the 8-bit floats, which it lacks, travel as unsigned integers, and what the capsule says of
their dtype is exchanged on the way.
"""
from __future__ import annotations

import ctypes
from typing import Any

import ml_dtypes
import numpy as np

from ...errors import DTypeError

CPU = (1, 0)
"""kDLCPU, and its only number: all of morok's devices live in host memory."""
_HOST_DEVICES = {1: "kDLCPU"}
_UNSIGNED = 1
_CODES: dict[str, int] = {"bfloat16": 4, "float8_e3m4": 7, "float8_e4m3": 8, "float8_e4m3b11fnuz": 9, "float8_e4m3fn": 10, "float8_e4m3fnuz": 11,
                          "float8_e5m2": 12, "float8_e5m2fnuz": 13, "float8_e8m0fnu": 14}
"""DLDataTypeCode of floats that NumPy lacks, by their names in ml_dtypes."""
_DTYPES = {code: np.dtype(getattr(ml_dtypes, name)) for name, code in _CODES.items() if hasattr(ml_dtypes, name)}
_DTYPE_PLACE = {b"dltensor": 20, b"dltensor_versioned": 32 + 20}
"""Where a capsule's struct has its DLDataType: after data, device and ndim of the DLTensor, which follows version, context, deleter and flags."""


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]


def _data_type(capsule: Any) -> _DataType:
    """What a capsule says of its dtype, to read and to write."""
    name = _name_of(capsule)
    place = _DTYPE_PLACE.get(name)
    if place is None:
        raise BufferError(f"from_dlpack: the capsule is named {(name or b'').decode()!r}; one that can be taken is 'dltensor' or 'dltensor_versioned', and "
                          "each can be taken once")
    return _DataType.from_address(_pointer_of(capsule, name) + place)


def exported(array: np.ndarray, stream: Any, max_version: Any, dl_device: Any, copy: bool | None) -> Any:
    """A capsule of a read-only array. Consumers of before version 1, to whom that cannot be said, get a copy."""
    if stream is not None:
        raise BufferError(f"__dlpack__: memory of the CPU has no stream; given {stream!r}, allowed is None")
    if dl_device is not None and tuple(dl_device) != CPU:
        raise BufferError(f"__dlpack__: tensors are in memory of the CPU, {CPU}; asked for {tuple(dl_device)}")
    is_old = max_version is None or tuple(max_version) < (1, 0)
    if is_old and copy is False:
        raise BufferError("__dlpack__: the memory is read-only, which DLPack says from version 1 on; ask with max_version=(1, 0), or without copy=False")
    if is_old or copy:
        array = array.copy()
    code = _CODES.get(array.dtype.name)
    plain = array if code is None else array.view(f"u{array.itemsize}")
    capsule = plain.__dlpack__() if is_old else plain.__dlpack__(max_version=(1, 0))
    if code is not None:
        _data_type(capsule).code = code
    return capsule


class _Taken:
    """A capsule as an object that NumPy asks for it."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **ignored: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU


def imported(source: Any, copy: bool | None) -> np.ndarray:
    """An array on the memory of an object with `__dlpack__`, or of a capsule."""
    if type(source).__name__ == "PyCapsule":
        capsule = source
    else:
        if not hasattr(source, "__dlpack__") or not hasattr(source, "__dlpack_device__"):
            raise DTypeError(f"from_dlpack: takes an array with __dlpack__ and __dlpack_device__, or a capsule, not {type(source).__name__}; "
                             "Tensor(...) takes lists and numbers")
        kind, number = source.__dlpack_device__()
        if int(kind) not in _HOST_DEVICES:
            raise BufferError(f"from_dlpack: the memory is on the device ({int(kind)}, {number}); move it to the CPU, {CPU}, first")
        capsule = _capsule_of(source, copy)
    data_type = _data_type(capsule)
    dtype = _DTYPES.get(data_type.code)
    if dtype is None:
        return np.from_dlpack(_Taken(capsule))  # type: ignore[arg-type]
    data_type.code = _UNSIGNED
    return np.from_dlpack(_Taken(capsule)).view(dtype)  # type: ignore[arg-type]


def _capsule_of(source: Any, copy: bool | None) -> Any:
    try:
        return source.__dlpack__(max_version=(1, 0)) if copy is None else source.__dlpack__(max_version=(1, 0), copy=copy)
    except TypeError:  # of before version 1
        return source.__dlpack__()
    except BufferError as error:
        if isinstance(source, np.ndarray) and source.dtype.kind not in "biufc":
            raise DTypeError(f"from_dlpack: no morok dtype for an array of {source.dtype}: {error}") from None
        raise

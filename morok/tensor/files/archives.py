"""NumPy's npy and npz files. An npz is a zip of npy files; those that are not compressed are read in place.

https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
"""
from __future__ import annotations

import ast
import struct
import zipfile
from collections.abc import Mapping
from io import BytesIO
from math import prod
from typing import BinaryIO

import numpy as np

from ...errors import DTypeError, FormatError
from .replacing import write_array

NPY_MAGIC = b"\x93NUMPY"
ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
_ALIGNMENT = 64
_VERSIONS = ((1, 0), (2, 0), (3, 0))
_MAX_HEADER = 1 << 16
_LARGE = 1 << 30
"""Files in a zip from this size on get the fields of the extension for large files."""
_LOCAL, _LARGE_FIELD, _PADDING = 30, 20, 0xD935
"""Bytes of a file's header in a zip, of its field for large files; the number of the field that aligns (Android's zipalign)."""


def npy_header(array: np.ndarray, name: str) -> bytes:
    """What stands before the elements: a multiple of 64 bytes. DTypeError for dtypes that the format has no name for."""
    if array.dtype.kind == "V" or array.dtype.name.startswith("float8"):
        raise DTypeError(f"save: NumPy's files have no dtype for {name} of {array.dtype}; save it as .safetensors, or cast it to float32")
    text = BytesIO()
    np.lib.format.write_array_header_1_0(text, {"descr": np.lib.format.dtype_to_descr(array.dtype), "fortran_order": False, "shape": array.shape})
    return text.getvalue()


def write_npy(file: BinaryIO, array: np.ndarray) -> None:
    file.write(npy_header(array, "the tensor"))
    write_array(file, array)


def write_npz(file: BinaryIO, arrays: Mapping[str, np.ndarray]) -> None:
    """Not compressed, and each array's elements at a multiple of 64 bytes, to be read in place."""
    headers = {name: npy_header(array, repr(name)) for name, array in arrays.items()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            is_large = array.nbytes >= _LARGE
            info = zipfile.ZipInfo(f"{name}.npy")
            begin = file.tell() + _LOCAL + len(info.filename.encode()) + is_large * _LARGE_FIELD + 4
            padding = -begin % _ALIGNMENT
            info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
            with archive.open(info, "w", force_zip64=is_large) as member:
                member.write(headers[name])
                write_array(member, array)  # type: ignore[arg-type]


def read_npz(data: np.ndarray, path: str) -> dict[str, np.ndarray]:
    """The arrays, on the data where they are not compressed."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = [info for info in archive.infolist() if not info.is_dir()]
            foreign = [info.filename for info in names if not info.filename.endswith(".npy")]
            if foreign:
                raise FormatError(f"{path}: is a zip, but no npz: it has {foreign[0]!r}; checkpoints of PyTorch are such zips, save them as safetensors")
            return {info.filename[:-4]: read_npy(_member(archive, info, data), f"{path}: {info.filename}") for info in names}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, struct.error) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: is a damaged or truncated zip, or one of a kind that is not read: {error}") from None


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, data: np.ndarray) -> np.ndarray:
    """The bytes of a file in a zip."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        return np.frombuffer(archive.read(info), np.uint8)
    header = data[info.header_offset:info.header_offset + _LOCAL].tobytes()
    if len(header) < _LOCAL or header[:4] != ZIP_MAGICS[0]:
        raise zipfile.BadZipFile(f"no file begins at byte {info.header_offset}")
    begin = info.header_offset + _LOCAL + sum(struct.unpack("<HH", header[26:30]))
    if begin + info.file_size > len(data):
        raise zipfile.BadZipFile(f"{info.filename} should end at byte {begin + info.file_size}, and the zip at {len(data)}")
    return data[begin:begin + info.file_size]


def read_npy(data: np.ndarray, path: str) -> np.ndarray:
    """The array of an npy file, on its data."""
    version = tuple(data[6:8].tolist())
    wide = 4 if version > (1, 0) else 2
    begin = 8 + wide + int.from_bytes(data[8:8 + wide].tobytes(), "little")
    if data[:6].tobytes() != NPY_MAGIC or version not in _VERSIONS:
        raise FormatError(f"{path}: is no npy file, or of a version other than 1.0 to 3.0: it begins with "
                          f"{data[:8].tobytes()!r}")
    if begin > min(len(data), _MAX_HEADER):
        raise FormatError(f"{path}: the npy header should end at byte {begin} (at most {_MAX_HEADER}), the file at {len(data)}: it is truncated or damaged")
    shape, is_fortran, dtype = _parsed(data[8 + wide:begin].tobytes(), path)
    if dtype.hasobject:
        raise DTypeError(f"{path}: holds Python objects, which are pickles that could run any code; morok reads numbers")
    nbytes = prod(shape) * dtype.itemsize
    if begin + nbytes > len(data):
        raise FormatError(f"{path}: should have {nbytes} bytes of elements, and has {len(data) - begin}: it is truncated")
    return data[begin:begin + nbytes].view(dtype).reshape(shape, order="F" if is_fortran else "C")


def _parsed(text: bytes, path: str) -> tuple[tuple[int, ...], bool, np.dtype]:
    """What an npy header says: the text of a Python dict."""
    try:
        header = ast.literal_eval(text.decode("latin1").strip())
        shape, is_fortran, dtype = header["shape"], header["fortran_order"], np.dtype(header["descr"])
        if not isinstance(shape, tuple) or not all(type(s) is int and s >= 0 for s in shape) or not isinstance(is_fortran, bool) or not dtype.itemsize:
            raise ValueError("shape is a tuple of sizes, fortran_order a bool, descr a dtype")
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError) as error:
        raise FormatError(f"{path}: the npy header {text[:80]!r} is not as it should be: {error}") from None
    return shape, is_fortran, dtype

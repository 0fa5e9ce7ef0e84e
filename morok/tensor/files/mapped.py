"""A file as an array of bytes."""
from __future__ import annotations

import mmap
import os

import numpy as np

from ...errors import FormatError


def mapped(path: str | os.PathLike) -> np.ndarray:
    """The file's bytes as a read-only array; the system reads a page when it is first looked at."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not size:
            raise FormatError(f"{os.fspath(path)}: the file is empty")
        return np.frombuffer(mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ), np.uint8)

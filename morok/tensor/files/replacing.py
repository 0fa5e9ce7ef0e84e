"""Files that are written whole or not at all."""
from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np


@contextmanager
def replaced(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A new file beside `path`, which takes its place when all is written and on the disk. Where anything fails, a full disk say, what `path` was stays."""
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(f"save: {target} is no file; give the path of a file")
    try:
        number, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except FileNotFoundError:
        raise FileNotFoundError(f"save: the folder {target.parent} does not exist; make it first") from None
    try:
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_mask())
        os.replace(name, target)
    except BaseException as error:
        os.unlink(name)
        if isinstance(error, OSError) and error.filename is None:
            raise OSError(error.errno, f"save: {error.strerror}; nothing was written to", str(path)) from error
        raise


def _mask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def write_array(file: BinaryIO, array: np.ndarray) -> None:
    """The elements in row-major order."""
    if array.size:
        file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)

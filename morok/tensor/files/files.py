"""save and load: tensors by name in files whose kind the name's end (saving) or the content (loading) tells."""
from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...errors import DTypeError
from ..exchange.shared_memory import readable_array, tensor_of_memory
from ..tensor import Tensor
from . import archives, safetensors, structures
from .mapped import mapped
from .replacing import replaced

_KINDS = (".safetensors", ".npz", ".npy")


def save(tensors: Any, path: str | os.PathLike, metadata: Mapping[str, str] | None = None) -> None:
    """Writes tensors to a file: by name as `.safetensors` or `.npz`, one alone as `.npy`.

    tensors: a dict of Tensors (or arrays), or what has a `state_dict()` of these, as modules. Any shapes; every dtype goes into safetensors, all but
    bfloat16 and the 8-bit floats into NumPy's files. metadata: texts by name, for safetensors. What is not computed yet is computed. Dicts in dicts, lists,
    numbers and texts, as in the states of optimisers and schedules, go into safetensors too, and are as they were when they are loaded.

    The file is written beside its place and then put there, so that nobody finds half of it; where the disk is full (OSError) the old file stays. DTypeError
    for what is no tensor, ValueError for another kind of file.

        morok.save({"w": Tensor([1.0, 2.0])}, "weights.safetensors")
        morok.save(model, "model.safetensors")
        morok.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}, "training.safetensors")
    """
    kind = _kind(path)
    if isinstance(tensors, (str, os.PathLike)):
        raise TypeError("save: takes the tensors first, then the path")
    if metadata and kind != ".safetensors":
        raise ValueError(f"save: metadata go into .safetensors, not {kind}")
    if kind == ".npy":
        array = _arrays({"the tensor": tensors})["the tensor"]
        with replaced(path) as file:
            archives.write_npy(file, array)
        return
    named = tensors if isinstance(tensors, Mapping) else tensors.state_dict() if hasattr(tensors, "state_dict") else None
    if named is None:
        raise DTypeError(f"save: a {kind} file takes a dict of Tensors by name, or a module, not {type(tensors).__name__}")
    texts = dict(_texts(metadata or {}))
    if kind == ".safetensors" and not structures.is_flat(named):
        named, texts[structures.STRUCTURE] = structures.taken_apart(named)
    arrays = _arrays(named)
    with replaced(path) as file:
        if kind == ".npz":
            archives.write_npz(file, arrays)
        else:
            safetensors.write(file, arrays, texts)


def load(path: str | os.PathLike, device: str | None = None) -> Any:
    """The tensors of a safetensors or npz file by name (a dict; or the structure that was saved), or that of an npy file.

    Nothing is read but the names: the file is mapped into memory, and the tensors lie on it, without copies where they are aligned and not compressed. Writing
    to such a tensor gives it memory of its own. Do not shorten or overwrite the file in place meanwhile; `save` does not, it puts a new one there.

    FormatError for a truncated, damaged or foreign file, DTypeError for dtypes that morok lacks, FileNotFoundError.

        weights = morok.load("weights.safetensors")
        model.load_state_dict(weights)
    """
    name = os.fspath(path)
    data = mapped(path)
    start = data[:8].tobytes()
    if start.startswith(archives.NPY_MAGIC):
        return tensor_of_memory(Tensor, archives.read_npy(data, name), None, device, name)
    arrays = archives.read_npz(data, name) if start.startswith(archives.ZIP_MAGICS) else safetensors.read(data, name)
    tensors = {key: tensor_of_memory(Tensor, array, None, device, f"{name}: {key!r}") for key, array in arrays.items()}
    structure = None if start.startswith(archives.ZIP_MAGICS) else _metadata(data, name).get(structures.STRUCTURE)
    return tensors if structure is None else structures.put_together(structure, tensors, name)


def load_metadata(path: str | os.PathLike) -> dict[str, str]:
    """The texts that were saved with a safetensors file: `save(..., metadata={"epoch": "3"})`.

        morok.load_metadata("weights.safetensors")
    """
    found = _metadata(mapped(path), os.fspath(path))
    found.pop(structures.STRUCTURE, None)
    return found


def _metadata(data: np.ndarray, path: str) -> dict[str, str]:
    header, _ = safetensors.header_of(data, path)
    return dict(header.get(safetensors.METADATA, {}))


def _kind(path: Any) -> str:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"save: takes the tensors, then the path of a file, not {type(path).__name__}")
    end = os.path.splitext(os.fspath(path))[1].lower()
    if end not in _KINDS:
        raise ValueError(f"save: the name's end tells the kind of file, and {os.fspath(path)!r} has none of {', '.join(_KINDS)}")
    return end


def _arrays(named: Mapping[Any, Any]) -> dict[str, np.ndarray]:
    """The elements of all, computed together."""
    for name, value in named.items():
        if not isinstance(name, str) or not isinstance(value, (Tensor, np.ndarray)):
            raise DTypeError(f"save: takes Tensors by name, not {name!r}: {type(value).__name__}")
    tensors = [value for value in named.values() if isinstance(value, Tensor)]
    Tensor.realize_batch([t for t in tensors if not t.is_realized and t._chain is None])
    return {name: readable_array(v if isinstance(v, Tensor) else Tensor(v)) for name, v in named.items()}


def _texts(metadata: Mapping[Any, Any]) -> Mapping[str, str]:
    for name, value in metadata.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise DTypeError(f"save: metadata are texts by name, not {name!r}: {type(value).__name__}")
    return metadata

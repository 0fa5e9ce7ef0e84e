"""The standard's functions on shapes and places, and conversions of dtype."""
from __future__ import annotations

from typing import Any

from ..errors import ShapeError
from ..tensor.arguments import normal_axes
from ..tensor.broadcasting import broadcast_shape
from ..tensor.dtype_queries import result_type
from ..tensor.dtypes import as_dtype
from ..tensor.tensor import Tensor
from .operands import tensor, tensors


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: str | None = None) -> Tensor:
    """The elements in another dtype; x itself where it has that dtype and copy is false."""
    source, wanted = tensor(x, "astype").to(device=device), as_dtype(dtype)
    return source.cast(wanted) if source.dtype is not wanted else source.clone() if copy and source is x else source


def broadcast_arrays(*arrays: Any) -> list[Tensor]:
    """The tensors in the shape to which they broadcast together."""
    found = tensors(arrays, "broadcast_arrays")
    shape = broadcast_shape("broadcast_arrays", *(x.shape for x in found))
    return [x.broadcast_to(shape) for x in found]


def broadcast_to(x: Any, /, shape: tuple[int, ...]) -> Tensor:
    """The tensor in a shape to which it broadcasts."""
    return tensor(x, "broadcast_to").broadcast_to(shape)


def _of_one_dtype(arrays: Any, what: str) -> list[Tensor]:
    found = tensors(arrays, what)
    dtype = result_type(*found)
    return [x.cast(dtype) for x in found]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """The tensors one after the other along an axis; flattened first where axis is None."""
    first, *others = (x.ravel() if axis is None else x for x in _of_one_dtype(arrays, "concat"))
    return first.cat(*others, dim=0 if axis is None else axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape along a new axis."""
    first, *others = _of_one_dtype(arrays, "stack")
    return first.stack(*others, dim=axis)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts at each index of an axis, without that axis."""
    return tensor(x, "unstack").unbind(axis)


def expand_dims(x: Any, /, axis: int) -> Tensor:
    """With a new axis of size 1 at this position of the result."""
    return tensor(x, "expand_dims").unsqueeze(axis)


def squeeze(x: Any, /, axis: int | tuple[int, ...]) -> Tensor:
    """Without the axes named, which must be of size 1: ShapeError for others."""
    source = tensor(x, "squeeze")
    for a in normal_axes(axis, source.ndim, "squeeze"):
        if source.shape[a] != 1:
            raise ShapeError(f"squeeze: axis {a} of shape {source.shape} has size {source.shape[a]}; only axes of size 1 can be left out")
    return source.squeeze(axis)


def flip(x: Any, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """In the opposite order along the axes, or along all."""
    return tensor(x, "flip").flip(axis)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Tensor:
    """Axes at other positions, the others in their order."""
    return tensor(x, "moveaxis").moveaxis(source, destination)


def permute_dims(x: Any, /, axes: tuple[int, ...]) -> Tensor:
    """The axes in another order: axis i of the result is axis axes[i]."""
    return tensor(x, "permute_dims").permute(*axes)


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element several times, along an axis or of the flattened tensor. Counts that are a tensor are computed at once: the size depends on them."""
    source = tensor(x, "repeat")
    if isinstance(repeats, Tensor):
        counts = [int(c) for c in repeats.ravel().tolist()]
        along, source = (0, source.ravel()) if axis is None else (normal_axes(axis, source.ndim, "repeat")[0], source)
        counts = counts * int(source.shape[along]) if len(counts) == 1 else counts
        if len(counts) != source.shape[along] or any(c < 0 for c in counts):
            raise ShapeError(f"repeat: {len(counts)} counts {counts[:8]} for axis {along} of shape {source.shape}; needed is one, not negative, for each index")
        return source.take(Tensor([i for i, c in enumerate(counts) for _ in range(c)], dtype="int64"), along)
    return source.repeat_interleave(repeats, axis)


def reshape(x: Any, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape, one size of which may be -1; a view unless copy is true."""
    view = tensor(x, "reshape").reshape(shape)
    return view.clone() if copy else view


def roll(x: Any, /, shift: int | tuple[int, ...], *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Elements moved on along axes; those that leave at the end come in at the start."""
    return tensor(x, "roll").roll(shift, axis)


def tile(x: Any, repetitions: tuple[int, ...], /) -> Tensor:
    """The tensor several times side by side along each axis."""
    return tensor(x, "tile").tile(*repetitions) if repetitions else +tensor(x, "tile")

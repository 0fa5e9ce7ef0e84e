"""Other shapes and orders of the same elements."""
from __future__ import annotations

from typing import Any, Unpack

from ..tensor.annotations import Axes
from ..tensor.arguments import also_named
from ..tensor.other_names import Dim, OneAxis, SeveralAxes
from ..tensor.tensor import Tensor
from .operands import tensor_of


def reshape(x: Any, shape: Any) -> Tensor:
    """The same elements in row-major order under another shape; one size may be -1.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.reshape.

        morok.reshape([[1.0, 2.0], [3.0, 4.0]], (4,))
    """
    return tensor_of(x).reshape(shape)


def permute(x: Any, order: Any) -> Tensor:
    """The axes in another order: axis i of the result is axis order[i].

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.permute.

        morok.permute([[1.0, 2.0], [3.0, 4.0]], (1, 0))
    """
    return tensor_of(x).permute(order)


@also_named(dim="axis")
def squeeze(x: Any, axis: Axes = None, **other: Unpack[Dim]) -> Tensor:
    """Without axes of size 1: all of them, or those named (others than of size 1 stay).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.squeeze.

        morok.squeeze([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).squeeze(axis)


@also_named(axis="dim")
def unsqueeze(x: Any, dim: Axes, **other: Unpack[SeveralAxes]) -> Tensor:
    """With new axes of size 1 at these positions of the result.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.unsqueeze.

        morok.unsqueeze([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).unsqueeze(dim)


@also_named(dim="axis")
def expand_dims(x: Any, axis: Axes, **other: Unpack[Dim]) -> Tensor:
    """As Tensor.expand_dims.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.expand_dims.

        morok.expand_dims([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).expand_dims(axis)


def moveaxis(x: Any, source: Any, destination: Any) -> Tensor:
    """The axes `source` moved to the positions `destination`; the others keep their order.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.moveaxis.

        morok.moveaxis([[1.0, 2.0], [3.0, 4.0]], 0, 1)
    """
    return tensor_of(x).moveaxis(source, destination)


def swapaxes(x: Any, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.swapaxes.

        morok.swapaxes([[1.0, 2.0], [3.0, 4.0]], 0, 1)
    """
    return tensor_of(x).swapaxes(axis1, axis2)


def broadcast_to(x: Any, shape: Any) -> Tensor:
    """NumPy's broadcasting to a shape.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.broadcast_to.

        morok.broadcast_to([[1.0, 2.0], [3.0, 4.0]], (3, 2, 2))
    """
    return tensor_of(x).broadcast_to(shape)


@also_named(dim="axis")
def flip(x: Any, axis: Axes = None, **other: Unpack[Dim]) -> Tensor:
    """The axes reversed (all by default).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.flip.

        morok.flip([[1.0, 2.0], [3.0, 4.0]], 0)
    """
    return tensor_of(x).flip(axis)


@also_named(dim="axis")
def roll(x: Any, shifts: Any, axis: Axes = None, **other: Unpack[Dim]) -> Tensor:
    """The elements moved along axes, those that leave at one end coming back at the other; with no axis, over the flattened tensor.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.roll.

        morok.roll([[1.0, 2.0], [3.0, 4.0]], 1, 0)
    """
    return tensor_of(x).roll(shifts, axis)


def tile(x: Any, repeats: Any) -> Tensor:
    """The whole tensor repeated along each axis, as NumPy's: missing numbers are 1, in front.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.tile.

        morok.tile([[1.0, 2.0], [3.0, 4.0]], (2, 1))
    """
    return tensor_of(x).tile(repeats)


def rot90(x: Any, k: int = 1, axes: Any = (0, 1)) -> Tensor:
    """Turned by k quarters from the first axis towards the second.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.rot90.

        morok.rot90([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).rot90(k, axes)


def ravel(x: Any) -> Tensor:
    """All elements on one axis.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.ravel.

        morok.ravel([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).ravel()


@also_named(axis="dim")
def split(x: Any, split_size: Any, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Tensor, ...]:
    """Parts of `split_size` along an axis (the last may be smaller), or of the sizes in a list.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.split.

        morok.split([[1.0, 2.0], [3.0, 4.0]], 1)
    """
    return tensor_of(x).split(split_size, dim)


@also_named(axis="dim")
def chunk(x: Any, chunks: int, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Tensor, ...]:
    """At most `chunks` parts of equal size (the last may be smaller).

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.chunk.

        morok.chunk([[1.0, 2.0], [3.0, 4.0]], 2)
    """
    return tensor_of(x).chunk(chunks, dim)


@also_named(axis="dim")
def unbind(x: Any, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Tensor, ...]:
    """The parts along an axis, without it.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.unbind.

        morok.unbind([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).unbind(dim)


def pad(x: Any, padding: Any, mode: str = "constant", value: Any = 0) -> Tensor:
    """Surrounded with `value`.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.pad.

        morok.pad([[1.0, 2.0], [3.0, 4.0]], 1)
    """
    return tensor_of(x).pad(padding, mode, value)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonal of two axes, as a new last axis; above (offset > 0) or below the main one.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.diagonal.

        morok.diagonal([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).diagonal(offset, axis1, axis2)


def tril(x: Any, k: int = 0) -> Tensor:
    """The lower triangle of the last two axes (up to the given diagonal), zeros above.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.tril.

        morok.tril([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).tril(k)


def triu(x: Any, k: int = 0) -> Tensor:
    """The upper triangle of the last two axes (from the given diagonal on), zeros below.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.triu.

        morok.triu([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).triu(k)


def transpose(x: Any, *axes: Any) -> Tensor:
    """Two axes exchanged, as PyTorch's; with no argument or a whole order, as NumPy's.

    `x` is a tensor or array-like of any shape. Errors are those of Tensor.transpose.

        morok.transpose([[1.0, 2.0], [3.0, 4.0]])
    """
    return tensor_of(x).transpose(*axes)


def permute_dims(x: Any, axes: Any) -> Tensor:
    """The array API's name of permute: the axes of a tensor or array-like in another order. Errors are those of Tensor.permute.

        morok.permute_dims([[1.0, 2.0]], (1, 0))
    """
    return permute(x, axes)

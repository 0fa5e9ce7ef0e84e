"""Movement: other shapes and orders of the same elements. Views share memory as in NumPy; what repeats, pads or rolls is new.

    view: reshape, permute, transpose, T, expand, broadcast_to, squeeze, unsqueeze, flatten, shrink, flip, split, chunk, ...
    new:  pad, repeat, roll
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, Unpack

from ..dialect.types import DType
from ..errors import AxisError, BoundsError, DTypeError, ShapeError
from . import build
from .annotations import Axes, ShapeLike
from .arguments import also_named, flattened, integer, normal_axes, normal_axis, shape_argument, under_its_own_name
from .core import Step, TensorCore
from .other_names import Dim, Dims, OneAxis, SeveralAxes, StartEndAxis
from .sizes import Shape, Size, SymbolicInt, countable, divided, greatest, least, numel, require


class MovementMethods(TensorCore):
    __slots__ = ()

    # Shape

    def reshape(self, *shape: ShapeLike) -> Self:
        """The same elements in row-major order under another shape; one size may be -1. ShapeError where the sizes do not match.

            x.reshape(2, -1)          # (2, 3) of (6,)
        """
        old = self.shape
        return self._view((build.reshape, (_new_shape(old, flattened(shape, "reshape")),)))

    @under_its_own_name
    def view(self, *shape: ShapeLike) -> Self:
        """PyTorch's name of reshape. The same elements in another shape; one size may be -1. ShapeError where their number differs.

            Tensor([1.0, 2.0]).view(2, 1)  # [[1.0], [2.0]]
        """
        return self.reshape(*shape)

    @also_named(start_axis="start_dim", end_axis="end_dim")
    def flatten(self, start_dim: int = 0, end_dim: int = -1, **other: Unpack[StartEndAxis]) -> Self:
        """One axis from several: those from start_dim to end_dim.

            Tensor([[1.0], [2.0]]).flatten()  # [1.0, 2.0]
        """
        shape = self.shape
        if not shape:
            return self.reshape(1)
        start, end = normal_axis(start_dim, len(shape), "flatten"), normal_axis(end_dim, len(shape), "flatten")
        if start > end:
            raise AxisError(f"flatten: start_dim {start_dim} lies after end_dim {end_dim} in a tensor of shape {shape}")
        return self._view((build.reshape, (shape[:start] + (numel(shape[start:end + 1]),) + shape[end + 1:],)))

    def ravel(self) -> Self:
        """All elements on one axis. The same dtype.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).ravel()  # [1.0, 2.0, 3.0, 4.0]
        """
        return self._view((build.reshape, ((numel(self.shape),),)))

    @also_named(axis="dim")
    def unflatten(self, dim: int, sizes: Sequence[Any], **other: Unpack[OneAxis]) -> Self:
        """Several axes from one.

            Tensor([1.0, 2.0]).unflatten(0, (2, -1))  # [[1.0], [2.0]]
        """
        shape = self.shape
        axis = normal_axis(dim, len(shape), "unflatten")
        new = _new_shape((shape[axis],), tuple(sizes), "unflatten")
        return self._view((build.reshape, (shape[:axis] + new + shape[axis + 1:],)))

    @also_named(dim="axis")
    def squeeze(self, axis: Axes = None, **other: Unpack[Dim]) -> Self:
        """Without axes of size 1: all of them, or those named (others than of size 1 stay).

            x.squeeze(-1)
        """
        shape = self.shape
        axes = normal_axes(axis, len(shape), "squeeze")
        return self._view((build.reshape, (tuple(s for a, s in enumerate(shape) if a not in axes or s != 1),)))

    @also_named(axis="dim")
    def unsqueeze(self, dim: Axes, **other: Unpack[SeveralAxes]) -> Self:
        """With new axes of size 1 at these positions of the result.

            x.unsqueeze(0)            # (1, 2, 3) of (2, 3)
        """
        shape = self.shape
        given = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
        rank = len(shape) + len(given)
        axes = normal_axes(given, rank, "unsqueeze")
        old = iter(shape)
        return self._view((build.reshape, (tuple(1 if a in axes else next(old) for a in range(rank)),)))

    @also_named(dim="axis")
    @under_its_own_name
    def expand_dims(self, axis: Axes, **other: Unpack[Dim]) -> Self:
        """NumPy's name of unsqueeze. A new axis of size 1 at `axis`, the same dtype.

            Tensor([1.0, 2.0]).expand_dims(0)  # [[1.0, 2.0]]
        """
        return self.unsqueeze(axis)

    # Order

    def permute(self, *order: Any) -> Self:
        """The axes in another order: axis i of the result is axis order[i].

            x.permute(2, 0, 1)
        """
        ndim, given = self.ndim, flattened(order, "permute")
        axes = tuple(normal_axis(a, ndim, "permute") for a in given)
        if sorted(axes) != list(range(ndim)):
            raise AxisError(f"permute: {given} must name each of the {ndim} axes of shape {self.shape} once")
        return self._view((build.permute, (axes,)))

    @under_its_own_name
    def transpose(self, *axes: Any) -> Self:
        """Two axes exchanged, as PyTorch's; with no argument or a whole order, as NumPy's.

            x.transpose(-1, -2)
        """
        given = flattened(axes, "transpose")
        ndim = self.ndim
        if not given or given == (None,):
            return self._view((build.permute, (tuple(reversed(range(ndim))),)))
        if len(given) == 2 and (ndim != 2 or axes == given):
            a, b = (normal_axis(g, ndim, "transpose") for g in given)
            order = list(range(ndim))
            order[a], order[b] = order[b], order[a]
            return self._view((build.permute, (tuple(order),)))
        return self.permute(given)

    @under_its_own_name
    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Two axes exchanged. The others stay. AxisError for an axis that is not there.

            Tensor([[1.0, 2.0]]).swapaxes(0, 1)  # [[1.0], [2.0]]
        """
        return self.transpose(integer(axis1, "swapaxes: axis1"), integer(axis2, "swapaxes: axis2"))

    swapdims = swapaxes

    def moveaxis(self, source: Any, destination: Any) -> Self:
        """The axes `source` moved to the positions `destination`; the others keep their order. AxisError for an axis that is not there.

            Tensor([[1.0, 2.0]]).moveaxis(0, 1)  # [[1.0], [2.0]]
        """
        ndim = self.ndim
        old = tuple(source) if isinstance(source, (tuple, list)) else (source,)
        new = tuple(destination) if isinstance(destination, (tuple, list)) else (destination,)
        if len(old) != len(new):
            raise AxisError(f"moveaxis: as many sources as destinations; given {old} and {new}")
        normal_axes(old, ndim, "moveaxis"), normal_axes(new, ndim, "moveaxis")
        places = {normal_axis(d, ndim, "moveaxis"): normal_axis(s, ndim, "moveaxis") for s, d in zip(old, new)}
        rest = iter(a for a in range(ndim) if a not in places.values())
        return self._view((build.permute, (tuple(places[a] if a in places else next(rest) for a in range(ndim)),)))

    movedim = moveaxis

    @property
    def T(self) -> Self:
        """All axes in reverse order. The shape is reversed, the dtype stays.

            Tensor([[1.0, 2.0]]).T  # [[1.0], [2.0]]
        """
        return self._view((build.permute, (tuple(reversed(range(self.ndim))),)))

    @property
    def mT(self) -> Self:
        """The last two axes exchanged. ShapeError below two axes. The dtype stays.

            Tensor([[1.0, 2.0]]).mT  # [[1.0], [2.0]]
        """
        if self.ndim < 2:
            raise ShapeError(f"mT: needs at least two axes, given shape {self.shape}")
        return self.transpose(-1, -2)

    # Size

    def expand(self, *shape: ShapeLike) -> Self:
        """Axes of size 1 repeated, without copies; -1 keeps a size, new axes come first. The result cannot be written.

            x.expand(4, -1)           # (4, 3) of (1, 3)
        """
        given, old = flattened(shape, "expand"), self.shape
        offset = len(given) - len(old)
        if offset < 0:
            raise ShapeError(f"expand: shape {given} has fewer axes than the tensor's {old}")
        if any(_is_minus_one(s) for s in given[:offset]):
            raise ShapeError(f"expand: -1 keeps a size, but new axes of {given} have none to keep (tensor of shape {old})")
        new = tuple(old[a - offset] if _is_minus_one(s) else require(s, "expand") for a, s in enumerate(given))
        return self._broadcast(new, "expand")

    def expand_as(self, other: TensorCore) -> Self:
        """Expanded to another tensor's shape. Axes of size 1 are repeated. ShapeError where others differ.

            Tensor([[1.0], [2.0]]).expand_as(Tensor.zeros(2, 2))  # [[1.0, 1.0], [2.0, 2.0]]
        """
        return self._broadcast(self._operand(other, "expand_as").shape, "expand_as")

    def broadcast_to(self, *shape: ShapeLike) -> Self:
        """NumPy's broadcasting to a shape. The result cannot be written. ShapeError where axes are neither 1 nor equal.

            Tensor([1.0, 2.0]).broadcast_to(2, 2)  # [[1.0, 2.0], [1.0, 2.0]]
        """
        return self._broadcast(shape_argument(shape, "broadcast_to"), "broadcast_to")

    def _broadcast(self, new: Shape, what: str) -> Self:
        old = self.shape
        aligned = (1,) * (len(new) - len(old)) + old
        if len(aligned) != len(new) or any(o != n and o != 1 for o, n in zip(aligned, new)):
            raise ShapeError(f"{what}: {old} does not broadcast to {new}; aligned at the last axis, each size must be equal or 1")
        return self._view((build.reshape, (aligned,)), (build.expand, (new,)))

    def shrink(self, window: Sequence[Any]) -> Self:
        """A window: for each axis None or (begin, end). BoundsError outside the tensor.

            x.shrink(((0, 2), None))
        """
        shape = self.shape
        if not isinstance(window, (tuple, list)):
            raise TypeError(f"shrink: takes a (begin, end) or None for each axis of shape {shape}, not {window!r}")
        if len(window) != len(shape):
            raise ShapeError(f"shrink: needs a (begin, end) or None for each axis of shape {shape}, given {len(window)}")
        begins: list[Size] = []
        sizes: list[Size] = []
        for axis, (size, given) in enumerate(zip(shape, window)):
            if given is not None and not (isinstance(given, (tuple, list)) and len(given) == 2):
                raise ShapeError(f"shrink: needs a (begin, end) or None for each axis of shape {shape}, given {given!r} for axis {axis}")
            begin, end = (0, size) if given is None else given
            begin, end = require(begin, "shrink"), require(end, "shrink")
            if greatest(end - size) > 0 or greatest(begin - end) > 0:
                raise BoundsError(f"shrink: window [{begin}, {end}) of axis {axis} must lie within its size {size}")
            begins.append(begin)
            sizes.append(end - begin)
        return self._view((build.shrink, (tuple(begins), tuple(sizes))))

    @also_named(axis="dim")
    @under_its_own_name
    def narrow(self, dim: int, start: Any, length: Any, **other: Unpack[OneAxis]) -> Self:
        """`length` elements of one axis from `start`, as PyTorch's. BoundsError outside.

            Tensor([1.0, 2.0, 3.0]).narrow(0, 1, 2)  # [2.0, 3.0]
        """
        axis = normal_axis(dim, self.ndim, "narrow")
        return self.shrink([(start, start + length) if a == axis else None for a in range(self.ndim)])

    @also_named(dims="axis", dim="axis")
    def flip(self, axis: Axes = None, *more: int, **other: Unpack[Dims]) -> Self:
        """The axes reversed (all by default).

            x.flip(0, 1)
        """
        axes = normal_axes((axis, *more) if more else axis, self.ndim, "flip")
        return self._view((build.flip, (axes,)))

    @also_named(axis="dim")
    def split(self, split_size: Any, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Self, ...]:
        """Parts of `split_size` along an axis (the last may be smaller), or of the sizes in a list.

            x.split(2), x.split([1, 3])
        """
        axis = normal_axis(dim, self.ndim, "split")
        size = self.shape[axis]
        if isinstance(split_size, (tuple, list)):
            sizes = tuple(require(s, "split") for s in split_size)
            if sum(sizes, 0) != size:
                raise ShapeError(f"split: sizes {sizes} add up to {sum(sizes, 0)}, but axis {axis} of shape {self.shape} has {size}")
        else:
            step = integer(split_size, "split: split_size")
            if step <= 0:
                raise ShapeError(f"split: split_size must be positive, not {step}")
            if isinstance(size, SymbolicInt):
                raise ShapeError(f"split: how many parts of {step} the size {size!r} has depends on its variables; give a list of sizes")
            sizes = tuple(min(step, size - b) for b in range(0, size, step)) or (0,)
        begins = [sum(sizes[:i], 0) for i in range(len(sizes))]
        return tuple(self.narrow(axis, b, s) for b, s in zip(begins, sizes))

    @also_named(axis="dim")
    def chunk(self, chunks: int, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Self, ...]:
        """At most `chunks` parts of equal size (the last may be smaller). `dim` is the axis that is cut.

            first, second = Tensor([1.0, 2.0, 3.0]).chunk(2)
        """
        count = integer(chunks, "chunk: chunks")
        if count <= 0:
            raise ShapeError(f"chunk: needs at least one chunk, given {count}")
        axis = normal_axis(dim, self.ndim, "chunk")
        size = self.shape[axis]
        if isinstance(size, SymbolicInt):
            part = divided(size, count)
            if part is None:
                raise ShapeError(f"chunk: {size!r} is not a multiple of {count} for every value of its variables")
            return self.split([part] * count, axis)
        if size == 0:
            return tuple(self for _ in range(count))
        return self.split(-(-size // count), axis)

    @also_named(axis="dim")
    def unbind(self, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Self, ...]:
        """The parts along an axis, without it. A tuple; the parts have one axis less.

            first, second = Tensor([[1.0, 2.0], [3.0, 4.0]]).unbind()
        """
        axis = normal_axis(dim, self.ndim, "unbind")
        size = self.shape[axis]
        if isinstance(size, SymbolicInt):
            raise ShapeError(f"unbind: the axis has a symbolic size, {size!r}")
        return tuple(self.narrow(axis, i, 1).squeeze(axis) for i in range(size))

    @also_named(axis="dim")
    def select(self, dim: int, index: Any, **other: Unpack[OneAxis]) -> Self:
        """One index of an axis, without the axis; BoundsError outside. The same dtype.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).select(0, 1)  # [3.0, 4.0]
        """
        axis = normal_axis(dim, self.ndim, "select")
        return self._view(*select_steps(self.shape, axis, index))

    # New tensors

    def pad(self, padding: Any, mode: str = "constant", value: Any = 0) -> Self:
        """Surrounded with `value`. `padding` is NumPy's ((before, after), ...) with one pair for each axis (or one int or pair for all), or
        PyTorch's flat list (before, after of the last axis, then of the one before it, ...); None leaves an axis; negative sizes cut.

            x.pad(((1, 1), (0, 2)))
            x.pad((0, 2, 1, 1), value=-1)
        """
        if mode != "constant":
            raise ShapeError(f"pad: mode {mode!r} is not known; there is 'constant'")
        pairs = padding_pairs(padding, self.shape)
        if not _fits(value, self.dtype):
            raise DTypeError(f"pad: value {value!r} does not fit {self.dtype}, which holds {self.dtype.min} to {self.dtype.max}")
        return self._new(padded(self.uop, pairs, value))

    @also_named(dims="axis", dim="axis")
    def roll(self, shifts: Any, axis: Axes = None, **other: Unpack[Dims]) -> Self:
        """The elements moved along axes, those that leave at one end coming back at the other; with no axis, over the flattened tensor.

            x.roll(1, 0)
        """
        if axis is None:
            flat = self.ravel()
            total = sum(integer(s, "roll") for s in shifts) if isinstance(shifts, (tuple, list)) else shifts
            return self._new(build.reshape(flat.roll(total, 0).uop, self.shape))
        axes = axis if isinstance(axis, (tuple, list)) else (axis,)
        by = shifts if isinstance(shifts, (tuple, list)) else (shifts,) * len(axes)
        if len(by) != len(axes):
            raise ShapeError(f"roll: needs one shift for each axis, given {tuple(by)} for axes {tuple(axes)}")
        u = self.uop
        for shift, a in zip(by, axes):
            u = _rolled(u, normal_axis(a, self.ndim, "roll"), integer(shift, "roll: shift"))
        return self._new(u)

    def repeat(self, *repeats: Any) -> Self:
        """The whole tensor repeated along each axis, as PyTorch's; new axes come first.

            x.repeat(2, 1)            # (4, 3) of (2, 3)
        """
        times = shape_argument(repeats, "repeat")
        if len(times) < self.ndim:
            raise ShapeError(f"repeat: needs at least one number for each of the {self.ndim} axes of shape {self.shape}, given {times}")
        shape = (1,) * (len(times) - self.ndim) + self.shape
        countable(tuple(s * n for s, n in zip(shape, times)), "repeat")
        split = tuple(s for size in shape for s in (1, size))
        repeated = tuple(s for size, n in zip(shape, times) for s in (n, size))
        return self._new(build.reshape(build.expand(build.reshape(self.uop, split), repeated), tuple(s * n for s, n in zip(shape, times))))

    @under_its_own_name
    def tile(self, *repeats: Any) -> Self:
        """The whole tensor repeated along each axis, as NumPy's: missing numbers are 1, in front. The shape is multiplied axis by axis, the dtype stays.

            Tensor([1.0, 2.0]).tile(2)  # [1.0, 2.0, 1.0, 2.0]
        """
        times = shape_argument(repeats, "tile")
        return self.repeat((1,) * (self.ndim - len(times)) + times)


def _fits(value: Any, dtype: DType) -> bool:
    """Whether a number is a value of the dtype (rounded, if a float)."""
    if not isinstance(value, (bool, int, float)):
        return False
    return dtype.is_float or float(value).is_integer() and dtype.min <= value <= dtype.max


def _is_minus_one(value: Any) -> bool:
    return isinstance(value, int) and value == -1


def _new_shape(old: Shape, given: tuple, what: str = "reshape") -> Shape:
    """The shape asked for, with -1 filled in."""
    unknown = [a for a, s in enumerate(given) if _is_minus_one(s)]
    if len(unknown) > 1:
        raise ShapeError(f"{what}: only one size can be -1, given {given}")
    count = numel(old)
    known = tuple(1 if a in unknown else require(s, what) for a, s in enumerate(given))
    if unknown:
        rest = divided(count, numel(known))
        if rest is None:
            why = f"{count} is no multiple of {numel(known)}" if numel(known) != 0 else "with a size of 0 the -1 could stand for any size"
            raise ShapeError(f"{what}: {old} ({count} elements) cannot become {given}: {why}")
        return tuple(rest if a in unknown else s for a, s in enumerate(known))
    if count != numel(known):
        raise ShapeError(f"{what}: {old} ({count} elements) cannot become {known} ({numel(known)} elements)")
    return known


def select_steps(shape: Shape, axis: int, index: Any) -> tuple[Step, ...]:
    """The movements to one index of an axis, which goes away."""
    size = shape[axis]
    if not isinstance(index, SymbolicInt):
        index = integer(index, "index")
        if isinstance(size, int) and not -size <= index < size or index >= least(size) or -index > least(size):
            raise BoundsError(f"index {index} is out of bounds for axis {axis} of size {size} (shape {shape})")
        if index < 0:
            index = index + size
    elif index.bounds[0] < 0 or greatest(index - size) >= 0:
        low, high = index.bounds
        raise BoundsError(f"index {index!r} may be from {low} to {high}, outside axis {axis} of size {size} (shape {shape})")
    begin = tuple(index if a == axis else 0 for a in range(len(shape)))
    window = tuple(1 if a == axis else s for a, s in enumerate(shape))
    return (build.shrink, (begin, window)), (build.reshape, (shape[:axis] + shape[axis + 1:],))


def padding_pairs(padding: Any, shape: Shape) -> list[tuple[Size, Size]]:
    """Before and after for each axis, from NumPy's or PyTorch's spelling."""
    ndim = len(shape)
    if not isinstance(padding, (tuple, list)):
        each = _pad_size(padding)
        return [(each, each)] * ndim
    if any(p is None or isinstance(p, (tuple, list)) for p in padding):
        given = [(0, 0) if p is None else tuple(p) for p in padding]
        if len(given) == 1:
            given = given * ndim
        if len(given) != ndim or any(len(p) != 2 for p in given):
            raise ShapeError(f"pad: needs a (before, after) pair for each of the {ndim} axes of shape {shape}, given {padding}")
        return [(_pad_size(low), _pad_size(high)) for low, high in given]
    if len(padding) % 2 or len(padding) > 2 * ndim:
        raise ShapeError(f"pad: a flat padding holds (before, after) of the axes of shape {shape}, last first; given {tuple(padding)}")
    sizes = [_pad_size(p) for p in padding]
    pairs = [(sizes[i], sizes[i + 1]) for i in range(0, len(sizes), 2)]
    return [(0, 0)] * (ndim - len(pairs)) + pairs[::-1]


def _pad_size(value: Any) -> Size:
    return value if isinstance(value, SymbolicInt) else integer(value, "pad: a size")


def padded(u: Any, pairs: Sequence[tuple[Size, Size]], value: Any = 0) -> Any:
    """A value with padding; negative sizes cut."""
    shape = build.shape_of(u)
    cut = [(max(-low, 0) if isinstance(low, int) else 0, max(-high, 0) if isinstance(high, int) else 0) for low, high in pairs]
    sizes = tuple(s - before - after for s, (before, after) in zip(shape, cut))
    if any(least(s) < 0 for s in sizes):
        raise ShapeError(f"pad: negative padding {list(pairs)} cuts more than shape {shape} has")
    u = build.shrink(u, tuple(before for before, _ in cut), sizes)
    low = tuple(p[0] if isinstance(p[0], SymbolicInt) else max(p[0], 0) for p in pairs)
    high = tuple(p[1] if isinstance(p[1], SymbolicInt) else max(p[1], 0) for p in pairs)
    countable(tuple(s + before + after for s, before, after in zip(sizes, low, high)), "pad")
    return build.pad(u, low, high, value)


def _rolled(u: Any, axis: int, shift: int) -> Any:
    """Element i of the axis is element (i - shift) mod size of the source: a window of two copies end to end."""
    shape = build.shape_of(u)
    size = shape[axis]
    if size == 0:
        return u
    begin: Size = size - shift % size
    before, after = shape[:axis], shape[axis + 1:]
    twice = build.expand(build.reshape(u, (*before, 1, size, *after)), (*before, 2, size, *after))
    flat = build.reshape(twice, (*before, size * 2, *after))
    return build.shrink(flat, tuple(begin if a == axis else 0 for a in range(len(shape))), shape)


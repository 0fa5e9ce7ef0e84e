"""Further movement: diagonals, windows as axes, differences of neighbours, parts by number, upside down."""
from __future__ import annotations

from typing import Any, Self, Unpack

from ..errors import BoundsError, ShapeError
from .arguments import also_named, integer, normal_axes, normal_axis
from .arithmetic import ArithmeticMethods
from .other_names import Dim, OneAxis, OneDim
from .windows import windows


class ArrangementMethods(ArithmeticMethods):
    __slots__ = ()

    # Diagonals

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Self:
        """The last axis as the diagonal of two new ones, which stand at dim1 and dim2; zeros elsewhere. An axis of n elements gives n + |offset| each, the
        dtype stays. ShapeError for a 0-d tensor, AxisError where both axes are one.

            Tensor([1.0, 2.0]).diag_embed()  # [[1.0, 0.0], [0.0, 2.0]]
        """
        above = integer(offset, "diag_embed: offset")
        if self.ndim == 0:
            raise ShapeError("diag_embed: takes a tensor of one axis or more, not a 0-d one; reshape it to (1,)")
        rows, columns = normal_axes((dim1, dim2), self.ndim + 1, "diag_embed")
        size: Any = self.shape[-1]
        outer = self.shape[:-1]
        # Rows of the elements, each followed by n zeros, are the matrix when they are read n at a time.
        spread = self.unsqueeze(-1).pad(((0, 0),) * (self.ndim) + ((0, size),)).reshape((*outer, size * (size + 1)))
        square = spread.narrow(-1, 0, size * size).reshape((*outer, size, size))
        if above:
            before = ((0, above), (above, 0)) if above > 0 else ((-above, 0), (0, -above))
            square = square.pad(((0, 0),) * len(outer) + before)
        return square.moveaxis((-2, -1), (rows, columns))

    def diag(self, diagonal: int = 0) -> Self:
        """The matrix with this vector as a diagonal, or the diagonal of this matrix; above (diagonal > 0) or below the main one. The dtype stays.
        ShapeError for other than one or two axes.

            Tensor([1.0, 2.0]).diag()  # [[1.0, 0.0], [0.0, 2.0]]
        """
        if self.ndim not in (1, 2):
            raise ShapeError(f"diag: takes a vector or a matrix, not shape {self.shape}; diag_embed and diagonal take more axes")
        return self.diag_embed(diagonal) if self.ndim == 1 else self.diagonal(diagonal)

    def diagflat(self, offset: int = 0) -> Self:
        """The matrix with all elements as a diagonal, in row-major order. The dtype stays.

            Tensor([[1.0], [2.0]]).diagflat()  # [[1.0, 0.0], [0.0, 2.0]]
        """
        return self.ravel().diag_embed(offset)

    # Windows

    def unfold(self, dimension: int, size: int, step: int = 1) -> Self:
        """Windows of `size` elements along an axis, `step` apart: the axis counts windows, a new last one their elements. The dtype stays; the result
        cannot be written. ShapeError where no window fits, BoundsError for a size or step that is not positive.

            Tensor([1.0, 2.0, 3.0]).unfold(0, 2, 1)  # [[1.0, 2.0], [2.0, 3.0]]
        """
        axis = normal_axis(dimension, self.ndim, "unfold")
        count, stride = integer(size, "unfold: size"), integer(step, "unfold: step")
        if count < 1 or stride < 1:
            raise BoundsError(f"unfold: size and step must be 1 or more, given {count} and {stride}")
        found = windows(self.moveaxis(axis, -1).uop, (count,), (stride,), (1,), "unfold")
        return self._new(found).moveaxis(-2, axis)

    @also_named(dim="axis")
    def sliding_window_view(self, window_shape: Any, axis: Any = None, **other: Unpack[Dim]) -> Self:
        """NumPy's windows: each axis named (all by default) counts the places of a window, new last axes hold its elements. The dtype stays; the result
        cannot be written. ShapeError where no window fits.

            Tensor([1.0, 2.0, 3.0]).sliding_window_view(2)  # [[1.0, 2.0], [2.0, 3.0]]
        """
        sizes = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
        axes = tuple(range(self.ndim)) if axis is None else tuple(normal_axis(a, self.ndim, "sliding_window_view")
                                                                  for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
        if len(sizes) != len(axes):
            raise ShapeError(f"sliding_window_view: a window of shape {sizes} for {len(axes)} axes; give as many sizes as axes")
        found = self
        for size, along in zip(sizes, axes):
            found = found.unfold(along, size, 1)
        return found

    # Neighbours

    @also_named(dim="axis")
    def diff(self, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None, **other: Unpack[OneDim]) -> Self:
        """Differences of neighbours along an axis, n times; prepend and append are put before and after first. Of bools, whether neighbours differ.

        The axis has n elements less. BoundsError for a negative n, ShapeError for a 0-d tensor.

            Tensor([1.0, 4.0, 9.0]).diff()  # [3.0, 5.0]
        """
        times = integer(n, "diff: n")
        if times < 0:
            raise BoundsError(f"diff: n must not be negative, given {times}")
        if self.ndim == 0:
            raise ShapeError("diff: takes a tensor of one axis or more, not a 0-d one")
        along = normal_axis(axis, self.ndim, "diff")
        parts = [self._as_part(p, along) for p in (prepend, self, append) if p is not None]
        x = parts[0].cat(*parts[1:], dim=along) if len(parts) > 1 else self
        for _ in range(times):
            size: Any = x.shape[along]
            if size == 0:
                break
            before, after = x.narrow(along, 0, size - 1), x.narrow(along, 1, size - 1)
            x = after.ne(before) if x.dtype.kind == "b" else after - before
        return x._new(x.uop)

    def _as_part(self, part: Any, axis: int) -> Self:
        """What stands beside this along an axis: a number takes one place."""
        t = self._left(part, "diff")
        return t._broadcast(tuple(1 if a == axis else s for a, s in enumerate(self.shape)), "diff") if t.ndim == 0 else t

    # Parts

    @also_named(dim="axis")
    def array_split(self, indices_or_sections: Any, axis: int = 0, **other: Unpack[OneDim]) -> tuple[Self, ...]:
        """So many parts along an axis, the first ones an element longer where the size is no multiple; or the parts between the indices. The dtype stays.

        BoundsError for less than one part.

            first, second = Tensor([1.0, 2.0, 3.0]).array_split(2)
        """
        return self._parts(indices_or_sections, axis, "array_split")

    @also_named(axis="dim")
    def tensor_split(self, indices_or_sections: Any, dim: int = 0, **other: Unpack[OneAxis]) -> tuple[Self, ...]:
        """PyTorch's name of array_split: so many parts along an axis, or the parts between the indices. The dtype stays.

            first, second = Tensor([1.0, 2.0, 3.0]).tensor_split(2)
        """
        return self._parts(indices_or_sections, dim, "tensor_split")

    def hsplit(self, indices_or_sections: Any) -> tuple[Self, ...]:
        """Parts along axis 1 (of a vector, axis 0): so many of equal size, or between the indices. The dtype stays. ShapeError where they are not equal.

            left, right = Tensor([[1.0, 2.0]]).hsplit(2)
        """
        if self.ndim == 0:
            raise ShapeError("hsplit: takes a tensor of one axis or more, not a 0-d one")
        return self._parts(indices_or_sections, 0 if self.ndim == 1 else 1, "hsplit", equal=True)

    def vsplit(self, indices_or_sections: Any) -> tuple[Self, ...]:
        """Parts along axis 0 of two or more: so many of equal size, or between the indices. The dtype stays. ShapeError where they are not equal.

            top, bottom = Tensor([[1.0], [2.0]]).vsplit(2)
        """
        if self.ndim < 2:
            raise ShapeError(f"vsplit: takes a tensor of two axes or more, not shape {self.shape}")
        return self._parts(indices_or_sections, 0, "vsplit", equal=True)

    def dsplit(self, indices_or_sections: Any) -> tuple[Self, ...]:
        """Parts along axis 2 of three or more: so many of equal size, or between the indices. The dtype stays. ShapeError where they are not equal.

            front, back = Tensor([[[1.0, 2.0]]]).dsplit(2)
        """
        if self.ndim < 3:
            raise ShapeError(f"dsplit: takes a tensor of three axes or more, not shape {self.shape}")
        return self._parts(indices_or_sections, 2, "dsplit", equal=True)

    def _parts(self, given: Any, axis: int, what: str, equal: bool = False) -> tuple[Self, ...]:
        along = normal_axis(axis, self.ndim, what)
        size = self._concrete_shape()[along]
        if isinstance(given, (tuple, list)):
            # As slices: negative positions count from the end, those outside are the ends.
            cuts = [slice(None, integer(i, f"{what}: an index")).indices(size)[1] for i in given]
            bounds = list(zip([0, *cuts], [*cuts, size]))
        else:
            count = integer(given, f"{what}: sections")
            if count < 1:
                raise BoundsError(f"{what}: the number of parts must be 1 or more, given {count}")
            if equal and size % count:
                raise ShapeError(f"{what}: axis {along} of shape {self.shape} has {size} elements, which are not {count} equal parts; array_split takes any")
            short, longer = divmod(size, count)
            ends = [short * i + min(i, longer) for i in range(count + 1)]
            bounds = list(zip(ends, ends[1:]))
        return tuple(self.narrow(along, low, max(high - low, 0)) for low, high in bounds)

    def flipud(self) -> Self:
        """The first axis in reverse order. The same shape and dtype. ShapeError for a 0-d tensor.

            Tensor([1.0, 2.0]).flipud()  # [2.0, 1.0]
        """
        if self.ndim < 1:
            raise ShapeError("flipud: takes a tensor of one axis or more, not a 0-d one")
        return self.flip(0)

    def fliplr(self) -> Self:
        """The second axis in reverse order. The same shape and dtype. ShapeError below two axes.

            Tensor([[1.0, 2.0]]).fliplr()  # [[2.0, 1.0]]
        """
        if self.ndim < 2:
            raise ShapeError(f"fliplr: takes a tensor of two axes or more, not shape {self.shape}")
        return self.flip(1)

    # Products

    def inner(self, other: Any) -> Self:
        """Sums of products over the last axes of both, for all combinations of the others. dtypes combine. ShapeError where the last sizes differ.

            Tensor([1.0, 2.0]).inner(Tensor([3.0, 4.0]))
        """
        y = self._operand(other, "inner")
        return self.mul(y) if 0 in (self.ndim, y.ndim) else self.tensordot(y, ((-1,), (-1,)))

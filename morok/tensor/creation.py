"""New tensors of a given shape: constants, number sequences, diagonals. They are computed where they are used and take no memory before."""
from __future__ import annotations

import math
from typing import Any, Self

from ..dialect import types as T
from ..errors import BoundsError, ComplexError, DTypeError, ShapeError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes, realize
from .annotations import DTypeLike, ShapeLike
from .arguments import integer, number, shape_argument
from .core import TensorCore, _scalar_uop
from .data_sizes import known
from .mathematics import MathematicsMethods
from .sizes import Shape, SymbolicInt, countable, require


class CreationMethods(MathematicsMethods):
    __slots__ = ()

    @classmethod
    def _created(cls, uop: TensorUOp, device: str | None, requires_grad: bool = False) -> Self:
        where = realize.canonical_device(device)
        made: Any = cls._from_uop(uop if where == realize.DEFAULT_DEVICE else build.op("copy", (uop,), (where,)), where)
        return made.requires_grad_() if requires_grad else made

    @classmethod
    def full(cls, shape: Any, fill_value: Any, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Every element the value. The dtype is that of the value.

            Tensor.full((2, 3), 1.5)
        """
        sizes = shape_argument((shape,), "full")
        if isinstance(fill_value, TensorCore):
            if fill_value.numel() != 1:
                raise ShapeError(f"full: fill_value must have one element, not shape {fill_value.shape}")
            u = build.reshape(fill_value.uop, ())
            return cls._created(build.broadcast(build.cast(u, dtypes.as_dtype(dtype) if dtype is not None else u.dtype), sizes), device, requires_grad)
        if hasattr(fill_value, "dtype"):
            dtype, fill_value = dtype if dtype is not None else fill_value.dtype, fill_value.item()
        if not isinstance(fill_value, (bool, int, float)):
            if isinstance(fill_value, complex):
                raise ComplexError(f"full: complex numbers are not supported yet ({fill_value!r}): keep real and imaginary parts in two tensors")
            raise DTypeError(f"full: fill_value must be a number, not {type(fill_value).__name__}")
        return cls._created(build.broadcast(_scalar_uop(fill_value, None if dtype is None else dtypes.as_dtype(dtype)), sizes), device, requires_grad)

    @classmethod
    def zeros(cls, *shape: ShapeLike, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Zeros, of the default float unless a dtype is given.

            Tensor.zeros(2, 3), Tensor.zeros((2, 3), dtype=dtypes.int32)
        """
        return cls.full(shape_argument(shape, "zeros"), 0, dtypes.default_float() if dtype is None else dtype, device, requires_grad)

    @classmethod
    def ones(cls, *shape: ShapeLike, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Ones, of the default float unless a dtype is given. ShapeError for a negative size.

            Tensor.ones(2)  # [1.0, 1.0]
        """
        return cls.full(shape_argument(shape, "ones"), 1, dtypes.default_float() if dtype is None else dtype, device, requires_grad)

    @classmethod
    def empty(cls, *shape: ShapeLike, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """A tensor whose content does not matter; it is zeros. Of the default float unless a dtype is given. ShapeError for a negative size.

            Tensor.empty(2, 3)  # [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        return cls.zeros(*shape, dtype=dtype, device=device, requires_grad=requires_grad)

    def zeros_like(self, dtype: DTypeLike = None, requires_grad: bool = False) -> Self:
        """Zeros of this shape, dtype and device. `dtype` may name another.

            Tensor([1.0, 2.0]).zeros_like()  # [0.0, 0.0]
        """
        return self.full_like(0, dtype, requires_grad)

    def ones_like(self, dtype: DTypeLike = None, requires_grad: bool = False) -> Self:
        """Ones of this shape, dtype and device. `dtype` may name another.

            Tensor([1.0, 2.0]).ones_like()  # [1.0, 1.0]
        """
        return self.full_like(1, dtype, requires_grad)

    def empty_like(self, dtype: DTypeLike = None, requires_grad: bool = False) -> Self:
        """A tensor of this shape, dtype and device whose content does not matter. `dtype` may name another.

            Tensor([1.0, 2.0]).empty_like()  # [0.0, 0.0]
        """
        return self.full_like(0, dtype, requires_grad)

    def full_like(self, fill_value: Any, dtype: DTypeLike = None, requires_grad: bool = False) -> Self:
        """The value in this shape, dtype and device. `dtype` may name another.

            Tensor([1.0, 2.0]).full_like(5.0)  # [5.0, 5.0]
        """
        return self.full(self.shape, fill_value, self.dtype if dtype is None else dtype, self.device, requires_grad)

    @classmethod
    def arange(cls, start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """start, start + step, ... up to but without stop; from 0 with one argument. Integers give int64, floats the default float. With a
        bound Variable for stop the size is symbolic.

            Tensor.arange(5), Tensor.arange(1, 2, 0.25)
        """
        if stop is None:
            start, stop = 0, start
        for name, value in (("start", start), ("stop", stop), ("step", step)):
            symbolic = isinstance(value, SymbolicInt)
            if not symbolic and (isinstance(value, bool) or not isinstance(value, (int, float)) and not hasattr(value, "__index__")):
                raise DTypeError(f"arange: {name} must be a number, not {value!r}")
        if any(isinstance(v, SymbolicInt) for v in (start, stop, step)):
            return cls._created(_symbolic_arange(start, stop, step, dtype), device, requires_grad)
        if step == 0:
            raise BoundsError("arange: step must not be 0")
        is_float = any(isinstance(v, float) for v in (start, stop, step))
        if not all(math.isfinite(v) for v in (start, stop, step)):
            raise BoundsError(f"arange: start, stop and step must be finite, given {start}, {stop}, {step}")
        wanted = dtypes.as_dtype(dtype) if dtype is not None else dtypes.default_float() if is_float else dtypes.default_int()
        if wanted is T.bool_:
            raise DTypeError("arange: takes a dtype of numbers, not bool; compare the numbers instead")
        count = math.ceil((stop - start) / step) if is_float else -(-(int(stop) - int(start)) // int(step))
        count = max(count, 0)
        require(count, "arange")
        return cls._created(_sequence(count, start, step, wanted), device, requires_grad)

    @classmethod
    def linspace(cls, start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: DTypeLike = None,
                 device: str | None = None, requires_grad: bool = False) -> Self:
        """`num` evenly spaced numbers from start to stop, the last being stop unless endpoint is False.

            Tensor.linspace(0, 1, 5)
        """
        count = integer(num, "linspace: num")
        if count < 0:
            raise ShapeError(f"linspace: num must not be negative, given {count}")
        wanted = dtypes.as_dtype(dtype) if dtype is not None else dtypes.default_float()
        start, stop = number(start, "linspace: start"), number(stop, "linspace: stop")
        intervals = count - 1 if endpoint else count
        u = _sequence(count, start, (stop - start) / intervals if intervals > 0 else 0.0, T.float64)
        if endpoint and count > 1:
            last = build.alu("cmpeq", build.iota(count, T.int64), build.full((count,), count - 1, T.int64))
            u = build.alu("where", last, build.full((count,), stop, T.float64), u)
        return cls._created(build.cast(u, wanted), device, requires_grad)

    @classmethod
    def eye(cls, n: Any, m: Any = None, k: int = 0, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Ones on the k-th diagonal of an n x m matrix (n x n by default), zeros elsewhere. Of the default float unless a dtype is given.

            Tensor.eye(2)  # [[1.0, 0.0], [0.0, 1.0]]
        """
        rows, columns = shape_argument((n, n if m is None else m), "eye")
        wanted = dtypes.default_float() if dtype is None else dtypes.as_dtype(dtype)
        return cls._created(build.cast(_compare_indices("cmpeq", (rows, columns), integer(k, "eye: k")), wanted), device, requires_grad)

    def tril(self, diagonal: int = 0) -> Self:
        """The lower triangle of the last two axes (up to the given diagonal), zeros above. The same shape and dtype. ShapeError below two axes.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).tril()  # [[1.0, 0.0], [3.0, 4.0]]
        """
        return self._triangle(diagonal, "tril")

    def triu(self, diagonal: int = 0) -> Self:
        """The upper triangle of the last two axes (from the given diagonal on), zeros below. The same shape and dtype. ShapeError below two axes.

            Tensor([[1.0, 2.0], [3.0, 4.0]]).triu()  # [[1.0, 2.0], [0.0, 4.0]]
        """
        return self._triangle(diagonal, "triu")

    def _triangle(self, diagonal: int, what: str) -> Self:
        shape, offset = self.shape, integer(diagonal, f"{what}: diagonal")
        if len(shape) < 2:
            raise ShapeError(f"{what}: needs at least two axes, given shape {shape}")
        # An element belongs to the lower triangle where column - row <= offset, to the upper where column - row >= offset.
        kept = _compare_indices("cmple", shape[-2:], offset if what == "tril" else offset - 1)
        if what == "triu":
            kept = build.alu("not", kept)
        return self._new(build.alu("where", build.broadcast(kept, shape), self.uop, build.full(shape, 0, self.dtype)))

    def one_hot(self, num_classes: Any = -1) -> Self:
        """A new last axis of size num_classes, 1 at the index that the element names and 0 elsewhere, as int64. An index outside names none.

        -1 for the greatest index + 1, which is computed at once. DTypeError for floats, ShapeError for no indices without a number, JitError for -1 inside a
        captured function.

            Tensor([0, 2]).one_hot(3)      # [[1, 0, 0], [0, 0, 1]]
        """
        if not self.dtype.is_int:
            raise DTypeError(f"one_hot: takes integers, not {self.dtype}")
        if num_classes is None or isinstance(num_classes, int) and num_classes == -1:
            if not self.numel():
                raise ShapeError("one_hot: no indices tell how many classes there are; give num_classes")
            num_classes = max(int(known(self, "one_hot", "give num_classes").max()) + 1, 0)
        (classes,) = shape_argument((num_classes,), "one_hot")
        shape = countable((*self.shape, classes), "one_hot")
        mine = build.expand(build.reshape(build.cast(self.uop, T.int64), (*self.shape, 1)), shape)
        return self._new(build.cast(build.alu("cmpeq", mine, build.broadcast(build.iota(classes, T.int64), shape)), T.int64))


def _sequence(count: int, start: Any, step: Any, dtype: T.DType) -> TensorUOp:
    """start + i * step for i below count, computed in int64 or float64 and then converted."""
    if not any(isinstance(v, float) for v in (start, step)) and not dtype.is_float:
        wide = dtype if dtype.kind in "iu" and dtype.bits == 64 else T.int64
        start, step = int(start), int(step)
    else:
        wide = T.float64
    u = build.iota(count, wide)
    if step != 1:
        u = build.alu("mul", u, build.full((count,), step, wide))
    if start != 0:
        u = build.alu("add", u, build.full((count,), start, wide))
    return build.cast(u, dtype)


def _symbolic_arange(start: Any, stop: Any, step: Any, dtype: Any) -> TensorUOp:
    """Only the stop may be symbolic: what else would have to become a number in the graph."""
    if isinstance(start, SymbolicInt) or isinstance(step, SymbolicInt) or not isinstance(start, int) or step != 1:
        raise ShapeError(f"arange: a symbolic stop goes with an integer start and step 1, given {start!r}, {stop!r}, {step!r}")
    (count,) = shape_argument((stop - start,), "arange")
    wanted = dtypes.default_int() if dtype is None else dtypes.as_dtype(dtype)
    u = build.iota(count, T.int64)
    return build.cast(build.alu("add", u, build.full((count,), start, T.int64)) if start else u, wanted)


def _compare_indices(name: str, shape: Shape, offset: int) -> TensorUOp:
    """column (name) row + offset, over the indices of a matrix."""
    rows, columns = (build.broadcast(build.iota_along(shape, axis, T.int64), shape) for axis in (0, 1))
    if offset:
        rows = build.alu("add", rows, build.full(shape, offset, T.int64))
    return build.alu(name, columns, rows)

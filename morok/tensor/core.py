"""What a Tensor is: a value of the lazy graph, or a view of another Tensor's value.

    t = Tensor(a)          storage: uop = buffer
    v = t[1:]              the same storage, and the movements that lead from its value to the view's
    t += 1                 storage: uop = assign(buffer, buffer, add(buffer, 1)); v follows
    v[0] = 7               storage: uop = assign(old, shrink(shrink(old)), 7); t follows

Writing is functional in the graph: who computed with the old value keeps it, so the right side of a write may overlap the left in any way.
The methods of Tensor are layers over this class, each in a file of its subject, each built of the layers before.
"""
from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..dialect import types as T
from ..errors import ComplexError, DeviceError, DTypeError, GradientError, ShapeError
from ..graph.derivation import Hooks, add_variable, is_derived
from ..graph.registries import TENSORS
from ..graph.tensor_graph import GRAPH, TensorUOp
from . import build, dtypes, realize
from .annotations import DTypeLike
from .data import array_of
from .sizes import Shape, Size, SymbolicInt, concrete, numel
from .tracing import TRACING

Step = tuple[Callable[..., TensorUOp], tuple]
"""A movement: a function of `build` and its arguments after the value."""


class Storage:
    """A value that several Tensors may share as views. `views` are weak references to those that are not the whole."""

    __slots__ = ("_uop", "device", "version", "views", "limit", "leaf")

    def __init__(self, uop: TensorUOp, device: str) -> None:
        self._uop, self.device = uop, device
        self.leaf: Leaf | None = None
        self.version = 0
        self.views: list[weakref.ref[TensorCore]] = []
        self.limit = 16
        if TRACING.count and (trace := TRACING.current) is not None:
            trace.own(self, uop)
        if TRACING.count and (level := TRACING.level) is not None:
            level.own(self)

    @property
    def uop(self) -> TensorUOp:
        """The value, or within a trace the value there; where gradients are not recorded, cut off from them."""
        if TRACING.count and TRACING.alters:
            value = self.value
            return build.detach(value) if TRACING.unrecorded and is_derived(value) else value
        return self._uop

    @property
    def value(self) -> TensorUOp:
        """The value, or within a trace the value there."""
        if TRACING.count and (trace := TRACING.current) is not None:
            return trace.value(self)
        return self._uop

    def add_view(self, view: TensorCore) -> None:
        self.views.append(weakref.ref(view))
        if len(self.views) > self.limit:
            self.views = [ref for ref in self.views if ref() is not None]
            self.limit = 2 * len(self.views) + 16

    def write(self, uop: TensorUOp) -> None:
        """Takes a new value. Views drop what they derived from the old one, so that nothing keeps it needlessly."""
        if TRACING.count and (level := TRACING.level) is not None:
            level.check_write(self, uop)
        if TRACING.count and (trace := TRACING.current) is not None:
            trace.write(self, uop)
            return
        self._uop = uop
        self.version += 1
        if self.leaf is not None:
            self.leaf.add_value(uop)
        for ref in self.views:
            view = ref()
            if view is not None:
                view._derived = None

    def was_written(self) -> None:
        """Its memory has other contents now: views that were computed are computed anew."""
        self.version += 1


class Leaf:
    """What makes a storage a variable of differentiation: which values it has had, and the gradient that backward passes have added up. `hooks` see each
    before it is added."""

    __slots__ = ("gradient", "hooks", "__weakref__")

    def __init__(self) -> None:
        self.gradient: TensorCore | None = None
        self.hooks: Hooks = {}

    def add_value(self, uop: TensorUOp) -> None:
        LEAVES[uop] = weakref.ref(self)
        add_variable(uop)

    @staticmethod
    def new_value(value: TensorUOp, old: TensorUOp) -> TensorUOp:
        """A value to be written to the variable, as one that no other tensor has."""
        if not TRACING.unrecorded:
            raise GradientError("a tensor with requires_grad is written while gradients are recorded; write it within `with morok.no_grad():`, or write to "
                                "its .detach()")
        return value if old.name in ("buffer", "assign") else TensorUOp.stand_alone(value)


LEAVES: weakref.WeakKeyDictionary[TensorUOp, weakref.ref[Leaf]] = weakref.WeakKeyDictionary()
"""The leaf that a value in the graph is, or has been, the value of."""


class TensorCore:
    """The state of a Tensor and how results are made of it."""

    __slots__ = ("_storage", "_chain", "_derived", "_seen", "_retained", "__weakref__")
    __array_priority__ = 1000

    _storage: Storage
    _chain: tuple[Any, tuple[Step, ...]] | None
    """None for the whole storage; else the chain that this view was made from and the movements that follow it."""
    _derived: TensorUOp | None
    _seen: int

    def __init__(self, data: Any, dtype: DTypeLike = None, device: str | None = None, borrow: bool = False, requires_grad: bool = False) -> None:
        """A tensor of a NumPy array (copied, unless `borrow`), nested lists, a number or another Tensor.

        dtype: the array's own; for Python numbers bool, int64 or float32. Errors: DTypeError for elements that are no numbers, ShapeError
        for ragged lists, DeviceError for an unknown device.

            Tensor([[1, 2], [3, 4]]).shape      # (2, 2)
            Tensor(array, borrow=True)          # no copy where the memory allows; do not change the array meanwhile
        """
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        where = realize.canonical_device(device)
        if isinstance(data, TensorCore):
            uop = build.cast(data.uop, wanted or data.dtype)
            uop = uop if device is None or where == data.device else build.op("copy", (uop,), (where,))
            where = where if device is not None else data.device
        elif isinstance(data, (bool, int, float)) and not isinstance(data, np.generic):
            uop = _scalar_uop(data, wanted)
            uop = uop if where == realize.DEFAULT_DEVICE else build.op("copy", (uop,), (where,))
        else:
            uop = realize.new_buffer(array_of(data, wanted), where, borrow)
        self._adopt(Storage(uop, where))
        if requires_grad:
            self._become_leaf("Tensor")

    def _become_leaf(self, what: str) -> None:
        """Makes this a variable of differentiation; a view gets a storage of its own."""
        if not self.dtype.is_float:
            raise DTypeError(f"{what}: only floats have gradients, not {self.dtype}; cast first")
        storage = self._storage
        if storage.leaf is not None and self._chain is None:
            return
        u = self.uop
        if self._chain is not None or u.name != "buffer":
            storage = Storage(TensorUOp.stand_alone(u), self.device)
            self._adopt(storage)
        storage.leaf = Leaf()
        storage.leaf.add_value(storage.value)

    def _adopt(self, storage: Storage, chain: Any = None, derived: TensorUOp | None = None) -> None:
        self._storage, self._chain, self._derived, self._seen = storage, chain, derived, storage.version
        TENSORS.add(self)

    def _new(self, uop: TensorUOp) -> Self:
        """A tensor of a value, on this one's device."""
        return self._from_uop(uop, self._storage.device)

    @classmethod
    def _from_uop(cls, uop: TensorUOp, device: str) -> Self:
        t = object.__new__(cls)
        t._adopt(Storage(uop, device))
        return t

    # Views

    def _view(self, *steps: Step) -> Self:
        """The tensor that movements make of this one; it shares the storage."""
        u = self.uop
        for function, arguments in steps:
            u = function(u, *arguments)
        t = object.__new__(type(self))
        t._adopt(self._storage, (self._chain, steps), u)
        self._storage.add_view(t)
        return t

    @property
    def uop(self) -> TensorUOp:
        """The value in the graph, as of now.

            Tensor([1.0]).uop
        """
        if self._chain is None:
            return self._storage.uop
        if TRACING.count and TRACING.alters:
            return self._moved(self._storage.uop)
        return self._followed()

    @property
    def stored_uop(self) -> TensorUOp:
        """The value as the storage has it, which is what computing keeps: not cut off from gradients where they are not recorded.

            Tensor([1.0]).stored_uop
        """
        if self._chain is None:
            return self._storage.value
        return self._moved(self._storage.value) if TRACING.count and TRACING.current is not None else self._followed()

    def _followed(self) -> TensorUOp:
        """The view of the storage's value, outside of traces; the same until the storage is written."""
        derived = self._derived
        if derived is None or self._seen != self._storage.version:
            version = self._storage.version
            derived = self._derived = self._moved(self._storage.value)
            self._seen = version
        return derived

    @property
    def base_uop(self) -> TensorUOp:
        """The value that this is a view of, or its own.

            Tensor([1.0]).base_uop
        """
        return self._storage.uop

    def _moved(self, u: TensorUOp) -> TensorUOp:
        """The storage's value, moved to this view."""
        for function, arguments in self._steps():
            u = function(u, *arguments)
        return u

    def _place_in(self, u: TensorUOp) -> TensorUOp:
        """The elements of the storage's value that are this view, as movement ops (where the view is realised, `uop` is none)."""
        for function, arguments in self._steps():
            if function is build.expand:
                raise ShapeError(f"an expanded tensor (shape {self.shape}) cannot be written: several elements share one place; write to a "
                                 ".clone() or to the tensor before it was expanded")
            if function is not build.detach:
                u = function(u, *arguments)
        return u

    def _steps(self) -> list[Step]:
        """The movements from the storage's value to this view's, first to last."""
        parts, chain = [], self._chain
        while chain is not None:
            chain, steps = chain
            parts.append(steps)
        return [step for steps in reversed(parts) for step in steps]

    def _write(self, value: TensorUOp) -> None:
        """Makes `value` (of this shape and dtype) the value of this tensor, and of all that share its storage there."""
        storage = self._storage
        old = storage.value
        if storage.leaf is not None:
            value = storage.leaf.new_value(value, old)
        if self._chain is None:
            storage.write(build.op("assign", (old, old, value)) if old.name in ("buffer", "assign") else value)
            return
        with GRAPH.lock:  # until the assign has its place, another thread may realise a value that is equal to it
            whole = build.op("contiguous", (old,))
            storage.write(build.op("assign", (old, self._place_in(whole), value)))

    def _settle(self) -> None:
        """After realisation: a view that nobody shares keeps its own memory, and lets go of what it was a view of."""
        if TRACING.count and TRACING.current is not None:
            return
        if self._chain is not None and self._derived is not None and sys.getrefcount(self._storage) <= 2:
            self._storage, self._chain, self._derived, self._seen = Storage(self._derived, self._storage.device), None, None, 0

    # What it is

    @property
    def shape(self) -> Shape:
        """Sizes of the axes: ints, and SymbolicInts where a Variable decides.

            Tensor([[1.0, 2.0]]).shape
        """
        return build.shape_of(self.uop)

    @property
    def ndim(self) -> int:
        """How many axes.

            Tensor([[1.0, 2.0]]).ndim
        """
        return len(self.uop.type.shape)  # type: ignore[union-attr]

    @property
    def dtype(self) -> T.DType:
        """The type of the elements.

            Tensor([1.0]).dtype
        """
        return self._storage.uop.dtype

    @property
    def device(self) -> str:
        """Where it lives: "CPU", "CPU:1", ...

            Tensor([1.0]).device
        """
        return self._storage.device

    @property
    def size(self) -> Size:
        """How many elements, as NumPy's.

            Tensor([[1.0, 2.0]]).size
        """
        return numel(self.shape)

    def numel(self) -> Size:
        """How many elements.

            Tensor([[1.0, 2.0]]).numel()
        """
        return numel(self.shape)

    nelement = numel

    @property
    def itemsize(self) -> int:
        """Bytes of an element.

            Tensor([[1.0, 2.0]]).itemsize
        """
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Size:
        """Bytes of all elements.

            Tensor([[1.0, 2.0]]).nbytes
        """
        return self.size * self.itemsize

    def dim(self) -> int:
        """How many axes.

            Tensor([[1.0, 2.0]]).dim()
        """
        return self.ndim

    ndimension = dim

    def is_floating_point(self) -> bool:
        """Whether the elements are floats.

            Tensor([1.0]).is_floating_point()
        """
        return self.dtype.is_float

    def _concrete_shape(self) -> tuple[int, ...]:
        return concrete(self.shape)

    # Operands

    def _operand(self, other: Any, what: str) -> Self:
        """Another operand as a Tensor on the same device. Python scalars are not for here: they are weak."""
        if isinstance(other, TensorCore):
            if other.device != self.device:
                raise DeviceError(f"{what}: operands are on {self.device} and {other.device}; move one with .to({self.device!r})")
            return other  # type: ignore[return-value]
        if isinstance(other, SymbolicInt):
            raise DTypeError(f"{what}: {other!r} is a size, not a tensor or number; sizes go into shapes and slices")
        if isinstance(other, (np.ndarray, np.generic, list, tuple, bool, int, float)):
            return type(self)(other, device=self.device)
        if isinstance(other, complex):
            raise ComplexError(f"{what}: complex numbers are not supported yet ({other!r}): keep real and imaginary parts in two tensors")
        raise DTypeError(f"{what}: takes a Tensor, a NumPy array or a number, not {type(other).__name__}")


def _scalar_uop(value: Any, dtype: T.DType | None) -> TensorUOp:
    dtype = dtype or dtypes.of_scalar(value)
    if isinstance(value, float) and not dtype.is_float:
        return build.cast(build.constant(value, T.float64), dtype)
    if dtype.kind in "iu" and not dtype.min <= value <= dtype.max:
        raise OverflowError(f"Tensor: {value} does not fit {dtype} (from {dtype.min} to {dtype.max}); give a wider dtype=")
    return build.constant(value, dtype)

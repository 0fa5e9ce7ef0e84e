"""From graph to values: realize, plans, and NumPy arrays, Python numbers and text."""
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ..errors import ShapeError
from . import build, realize
from .annotations import DTypeLike
from .core import TensorCore
from .plan_targets import prepared
from .sizes import SymbolicInt
from .writing import WritingMethods


class ConversionMethods(WritingMethods):
    __slots__ = ()

    # Computing

    def realize(self) -> Self:
        """Computes the value and keeps it; all that uses it reads it from now on. The same shape and dtype.

            (Tensor([1.0, 2.0]) + 1).realize()  # [2.0, 3.0]
        """
        realize.realize([self.stored_uop])
        self._settle()
        return self

    @staticmethod
    def realize_batch(tensors: Sequence[Any]) -> None:
        """Computes several tensors together, what they share once.

            Tensor.realize_batch([y, z])
        """
        given = _tensors(tensors, "realize_batch")
        realize.realize([t.stored_uop for t in given])
        for t in given:
            t._settle()

    def prepare(self, beam: int | None = None, opts: str | Mapping[str, str] | None = None) -> Any:
        """An ExecutionPlan that computes this; `execute()` runs it any number of times. `beam` (default MOROK_BEAM): schedules kept per round of a
        search for the fastest schedule of each kernel; 0 for no search. `opts`: the schedule of every kernel, or a dict of schedules by kernel, as
        `plan.report()` shows both; other kernels get theirs as always. ScheduleError for one that is not legal, OptionError for one that is no schedule.

            plan = y.prepare(); plan.execute(); plan.output_buffer_at(0).numpy()
        """
        return prepared([self], beam, opts)

    @staticmethod
    def prepare_batch(tensors: Sequence[Any], beam: int | None = None, opts: str | Mapping[str, str] | None = None) -> Any:
        """An ExecutionPlan that computes several tensors, its outputs in this order. `beam` and `opts` as in `prepare`. Tensors of any shapes and dtypes.

            x = Tensor([1.0, 2.0])
            plan = Tensor.prepare_batch([x + 1, x * 2])
        """
        return prepared(_tensors(tensors, "prepare_batch"), beam, opts)

    @property
    def is_realized(self) -> bool:
        """Whether the value is in memory already.

            Tensor([1.0]).is_realized
        """
        return realize.memory(self.stored_uop) is not None

    # Copies and places

    def contiguous(self) -> Self:
        """The value as memory of its own in row-major order: a place where the compiler stores it. The same shape and dtype.

            Tensor([[1.0, 2.0]]).T.contiguous()  # [[1.0], [2.0]]
        """
        return self._new(build.op("contiguous", (self.uop,)))

    def clone(self) -> Self:
        """A copy, which writing to this or to the copy does not connect. The same shape and dtype.

            Tensor([1.0, 2.0]).clone()  # [1.0, 2.0]
        """
        return self._new(self.uop)

    copy = clone

    def detach(self) -> Self:
        """The value, cut off from gradients; it shares memory. The same shape and dtype.

            Tensor([1.0, 2.0]).detach()  # [1.0, 2.0]
        """
        return self._view((build.detach, ()))

    def to(self, *targets: Any, device: str | None = None, dtype: DTypeLike = None) -> Self:
        """The tensor on another device, in another dtype, or both: `x.to("CPU:1")`, `x.to(dtypes.float16)`, `x.to("CPU:1", dtypes.int32)`.

        A new tensor where anything changes, else this one. DeviceError for an unknown device.

            Tensor([1.5]).to(dtypes.float16)  # [1.5]
        """
        if len(targets) > 2 or len(targets) == 2 and all(not isinstance(t, TensorCore) and (not isinstance(t, str) or _is_dtype_name(t)) for t in targets):
            raise TypeError(f"to: takes one device, one dtype, or both, not {targets}")
        for target in targets:
            if isinstance(target, TensorCore):
                device, dtype = target.device, target.dtype
            elif isinstance(target, str) and target.strip().upper().partition(":")[0] not in ("CPU",) and _is_dtype_name(target):
                dtype = target
            elif isinstance(target, str):
                device = target
            else:
                dtype = target
        result = self
        if dtype is not None and (wanted := _dtype(dtype)) is not self.dtype:
            result = result.cast(wanted)
        if device is not None and (where := realize.canonical_device(device)) != self.device:
            result = self._from_uop(build.op("copy", (result.uop,), (where,)), where)
        return result

    def cpu(self) -> Self:
        """On the first device. The same shape and dtype.

            Tensor([1.0, 2.0]).cpu()  # [1.0, 2.0]
        """
        return self.to("CPU")

    # Values

    def numpy(self) -> np.ndarray:
        """The values as a new array. Computes them. The same shape and dtype, in row-major order.

            Tensor([1.0, 2.0]).numpy()
        """
        self.realize()
        return realize.known_memory(self.stored_uop).numpy(self._concrete_shape())

    def item(self) -> Any:
        """The only element as a Python number. ShapeError for any other size. Computes it.

            Tensor([2.5]).item()
        """
        if self.numel() != 1:
            raise ShapeError(f"item: needs a tensor of one element, not shape {self.shape}; use tolist() or numpy()")
        return _python(self.numpy().reshape(())[()])

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers; a number if 0-d. As deep as there are axes. Computes them.

            Tensor([[1.0], [2.0]]).tolist()
        """
        array = self.numpy()
        return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()

    data = numpy

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise ShapeError(f"the truth value of a tensor of shape {self.shape} is ambiguous; use any() or all()")
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if not self.dtype.is_int:
            raise TypeError(f"only integer tensors of one element are indices, not {self.dtype}")
        return int(self.item())

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("a 0-d tensor has no len()")
        size = self.shape[0]
        if isinstance(size, SymbolicInt):
            raise TypeError(f"the first axis has a symbolic size, {size!r}; see shape[0]")
        return size

    def __iter__(self) -> Iterator[Self]:
        if not self.ndim:
            raise TypeError("a 0-d tensor has no elements to iterate over")
        return (self[i] for i in range(len(self)))

    def __contains__(self, value: Any) -> bool:
        return bool(self.eq(value).any())


def _python(value: Any) -> Any:
    """A NumPy scalar (ml_dtypes' too) as a Python number."""
    return float(value) if value.dtype.kind == "V" else value.item()


def _tensors(tensors: Any, what: str) -> list[Any]:
    if not isinstance(tensors, (list, tuple)) or not all(isinstance(t, TensorCore) for t in tensors):
        raise TypeError(f"{what}: takes a list of Tensors, not {tensors!r}")
    return list(tensors)


def _dtype(given: Any) -> Any:
    from .dtypes import as_dtype
    return as_dtype(given)


def _is_dtype_name(name: str) -> bool:
    from .dtypes import as_dtype
    try:
        as_dtype(name)
    except TypeError:
        return False
    return True

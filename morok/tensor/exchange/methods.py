"""What other programs ask of a tensor: NumPy's `__array__`, DLPack, the buffer protocol, pickle and copy."""
from __future__ import annotations

from importlib import import_module
from typing import Any, Self

import numpy as np

from ..gradient.modes import no_grad
from ..gradients import GradientMethods
from .dlpack import CPU, exported, imported
from .shared_memory import readable_array, tensor_of_memory


class ExchangeMethods(GradientMethods):
    __slots__ = ()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """The elements as an array: with copy=True a new one, else a read-only one on the tensor's memory where dtype allows. It stays as it is whatever is
        written to the tensor. ValueError for another dtype with copy=False."""
        array = readable_array(self)
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a tensor of {self.dtype} becomes an array of {np.dtype(dtype)} only by a copy; leave out copy=False")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __buffer__(self, flags: int) -> memoryview:
        """The elements as a read-only memoryview, without a copy where the tensor is realised (Python 3.12 and later ask for it)."""
        if flags & 1:  # PyBUF_WRITABLE
            raise BufferError("a tensor's memory is read-only to others; take t.numpy(), a copy")
        array = readable_array(self)
        try:
            return memoryview(array)  # type: ignore[arg-type]
        except ValueError:
            raise BufferError(f"memoryview: has no format for {self.dtype}; take t.numpy().view('u{self.itemsize}')") from None

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        """The module `morok.array_api`. ValueError for a version of the standard that it is not."""
        namespace = import_module("morok.array_api")  # by name: it stands after the tensor, on which it is built
        if api_version not in (None, namespace.__array_api_version__):
            raise ValueError(f"__array_namespace__: the array API is that of {namespace.__array_api_version__}, not {api_version!r}")
        return namespace

    def to_device(self, device: str, /, *, stream: Any = None) -> Self:
        """The tensor on another device; itself where it is there.

        DeviceError for an unknown device, ValueError for a stream: there are none.

            Tensor([1.0]).to_device("CPU:1").device
        """
        if stream is not None:
            raise ValueError(f"to_device: there are no streams here; leave out stream={stream!r}")
        return self.to(device=device)

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's number of the device: host memory."""
        return CPU

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None, dl_device: tuple[int, int] | None = None,
                   copy: bool | None = None) -> Any:
        """A DLPack capsule, read-only and without a copy for consumers of version 1 and later; for others a copy. Computes the elements if need be.

        BufferError for a stream, another device, and copy=False where a copy is needed.
        """
        return exported(readable_array(self), stream, max_version, dl_device, copy)

    @classmethod
    def from_dlpack(cls, source: Any, /, *, device: str | None = None, copy: bool | None = None) -> Self:
        """A tensor on the memory of another library's array (NumPy's, PyTorch's, JAX's): anything with `__dlpack__` that lives in host memory, or a capsule.

        copy: True copies; False raises BufferError where the memory has gaps or is not aligned; None copies then. The memory is read when the tensor's values
        are, and never written: `t += 1` gives the tensor memory of its own. DTypeError for dtypes that morok lacks and for objects without DLPack.

            import numpy
            Tensor.from_dlpack(numpy.arange(3.0)).tolist()  # [0.0, 1.0, 2.0]
        """
        return tensor_of_memory(cls, imported(source, copy), copy, device, "from_dlpack")

    # Pickles and copies

    def __reduce__(self) -> Any:
        is_leaf = self._chain is None and self._storage.leaf is not None
        return _restored, (type(self), readable_array(self), self.device, is_leaf)

    def __deepcopy__(self, memo: dict) -> Self:
        made = self.__copy__()
        if self.grad is not None:
            made.grad = self.grad.detach().clone()
        memo[id(self)] = made
        return made

    def __copy__(self) -> Self:
        if self._chain is not None or self._storage.leaf is None:
            return self.clone()
        with no_grad():
            return self.detach().clone().requires_grad_()


def _restored(cls: type, array: np.ndarray, device: str, is_leaf: bool) -> Any:
    """A tensor of what a pickle has."""
    return cls(array, device=device, requires_grad=is_leaf)


def from_dlpack(source: Any, /, *, device: str | None = None, copy: bool | None = None) -> Any:
    """A tensor on the memory of another library's array; see `Tensor.from_dlpack`.

        morok.from_dlpack(numpy_array)
    """
    from ..tensor import Tensor
    return Tensor.from_dlpack(source, device=device, copy=copy)

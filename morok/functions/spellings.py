"""Functions under the other names that NumPy and PyTorch have for them, and NumPy's small ones about a tensor itself."""
from __future__ import annotations

from typing import Any, Unpack

from ..dialect.types import DType
from ..tensor import dtypes
from ..tensor.arguments import also_named, normal_axis
from ..tensor.other_names import OneDim
from ..tensor.tensor import Tensor
from .elementwise import bitwise_left_shift, bitwise_not, bitwise_right_shift, pow, round
from .movement import unbind
from .of_methods import trapezoid
from .operands import pair, tensor_of

power, around, trapz = pow, round, trapezoid
invert, left_shift, right_shift = bitwise_not, bitwise_left_shift, bitwise_right_shift
unstack = unbind


def array(x: Any, dtype: Any = None, copy: bool = True, device: str | None = None) -> Tensor:
    """A new tensor of an array-like's or a tensor's elements and shape; without `copy` a tensor that fits is given as it is. NumPy's asarray that copies.

    The dtype is that of the elements unless one is given. Errors are those of Tensor.

        morok.array([1.0, 2.0])  # [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        return Tensor(x, dtype=dtype, device=device)
    found = x if dtype is None else x.cast(dtype)
    found = found if device is None else found.to_device(device)
    return found.clone() if copy and found is x else found


def copy(x: Any) -> Tensor:
    """A new tensor of the elements, as `clone`.

    `x` is a tensor or array-like of any shape.

        morok.copy([1.0, 2.0])  # [1.0, 2.0]
    """
    return tensor_of(x).clone() if isinstance(x, Tensor) else Tensor(x)


def shape(a: Any) -> tuple[Any, ...]:
    """The size of each axis of a tensor or array-like.

        morok.shape([[1, 2]])  # (1, 2)
    """
    return tensor_of(a).shape


def ndim(a: Any) -> int:
    """How many axes a tensor or array-like has.

        morok.ndim([[1, 2]])  # 2
    """
    return tensor_of(a).ndim


@also_named(dim="axis")
def size(a: Any, axis: int | None = None, **other: Unpack[OneDim]) -> Any:
    """How many elements a tensor or array-like has, or how many along an axis. AxisError for an axis that is not there.

        morok.size([[1, 2]])  # 2
    """
    t = tensor_of(a)
    return t.numel() if axis is None else t.shape[normal_axis(axis, t.ndim, "size")]


def is_tensor(x: Any) -> bool:
    """Whether something is a Tensor, of any shape.

        morok.is_tensor([1.0])  # False
    """
    return isinstance(x, Tensor)


def fabs(x: Any) -> Tensor:
    """The absolute value as a float: NumPy's.

    `x` is a tensor or array-like of any shape; bool and integers as the default float.

        morok.fabs([-1, 2])  # [1.0, 2.0]
    """
    return tensor_of(x)._floating().abs()


def matvec(x1: Any, x2: Any) -> Tensor:
    """Products of matrices and vectors, (..., m, n) with (..., n): (..., m). Axes before these broadcast, dtypes combine.

    `x1` and `x2` are tensors or array-likes. ShapeError for what does not fit.

        morok.matvec([[1.0, 2.0]], [3.0, 4.0])  # [11.0]
    """
    first, second = pair(x1, x2, "matvec")
    return first.matmul(tensor_of(second).unsqueeze(-1)).squeeze(-1)


def vecmat(x1: Any, x2: Any) -> Tensor:
    """Products of vectors and matrices, (..., m) with (..., m, n): (..., n). Axes before these broadcast, dtypes combine.

    `x1` and `x2` are tensors or array-likes. ShapeError for what does not fit.

        morok.vecmat([3.0, 4.0], [[1.0], [2.0]])  # [11.0]
    """
    first, second = pair(x1, x2, "vecmat")
    return first.unsqueeze(-2).matmul(second).squeeze(-2)


def promote_types(first: Any, second: Any) -> DType:
    """The dtype in which elements of two dtypes combine, of any shape. DTypeError for what is no dtype.

        morok.promote_types("int8", "uint8")  # int16
    """
    return dtypes.promote(dtypes.as_dtype(first), dtypes.as_dtype(second))


def get_default_dtype() -> DType:
    """What Python's floats become, of any shape: float32 unless set otherwise.

        morok.get_default_dtype()  # float32
    """
    return dtypes.default_float()


def set_default_dtype(dtype: Any) -> None:
    """Sets what Python's floats become, of any shape. DTypeError for what is no float.

        morok.set_default_dtype("float32")
    """
    dtypes.set_default_float(dtype)

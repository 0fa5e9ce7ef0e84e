"""Tensors from shapes and rules."""
from __future__ import annotations

from typing import Any

from ..tensor.annotations import DTypeLike, ShapeLike
from ..tensor.tensor import Tensor
from .operands import tensor_of


def zeros(*shape: ShapeLike, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Zeros, of the default float unless a dtype is given.

    The shape is ints or one tuple; the default float unless dtype says otherwise. Errors are those of Tensor.zeros.

        morok.zeros(2, 3)
    """
    return Tensor.zeros(*shape, dtype=dtype, device=device, requires_grad=requires_grad)


def ones(*shape: ShapeLike, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Ones, of the default float unless a dtype is given.

    The shape is ints or one tuple; the default float unless dtype says otherwise. Errors are those of Tensor.ones.

        morok.ones(2, 3)
    """
    return Tensor.ones(*shape, dtype=dtype, device=device, requires_grad=requires_grad)


def full(shape: Any, fill_value: Any, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Every element the value.

    The shape is an int or tuple; the value's dtype unless dtype says otherwise. Errors are those of Tensor.full.

        morok.full((2,), 7)
    """
    return Tensor.full(shape, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """start, start + step, ...

    One axis. Errors are those of Tensor.arange.

        morok.arange(3)  # [0, 1, 2]
    """
    return Tensor.arange(start, stop, step, dtype=dtype, device=device, requires_grad=requires_grad)


def eye(n: Any, m: Any = None, k: int = 0, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False) -> Tensor:
    """Ones on the k-th diagonal of an n x m matrix (n x n by default), zeros elsewhere.

    Shape (n, m or n). Errors are those of Tensor.eye.

        morok.eye(2)
    """
    return Tensor.eye(n, m, k, dtype=dtype, device=device, requires_grad=requires_grad)


def zeros_like(x: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of this shape, dtype and device.

    `x` is a tensor or array-like of any shape, `dtype` may name another. Errors are those of Tensor.zeros_like.

        morok.zeros_like([1.0, 2.0])
    """
    return tensor_of(x).zeros_like(dtype, requires_grad)


def ones_like(x: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of this shape, dtype and device.

    `x` is a tensor or array-like of any shape, `dtype` may name another. Errors are those of Tensor.ones_like.

        morok.ones_like([1.0, 2.0])
    """
    return tensor_of(x).ones_like(dtype, requires_grad)


def full_like(x: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """The value in this shape, dtype and device.

    `x` is a tensor or array-like of any shape, `dtype` may name another. Errors are those of Tensor.full_like.

        morok.full_like([1.0], 2)
    """
    return tensor_of(x).full_like(fill_value, dtype, requires_grad)

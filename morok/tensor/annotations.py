"""Types of arguments as callers write them: what signatures say, and type checkers hold them to.

    Operand      a tensor, or what becomes one beside a tensor: numbers, NumPy arrays, lists         DTypeLike    a dtype, its name, Python's or NumPy's type
    Axes         one axis, several, or None                                                           ShapeLike    one size, or all as a list or tuple
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias, Union

import numpy as np

from ..dialect.types import DType

if TYPE_CHECKING:
    from .core import TensorCore
    from .sizes import SymbolicInt

Number: TypeAlias = bool | int | float | np.generic
Operand: TypeAlias = Union["TensorCore", Number, np.ndarray[Any, Any], list[Any], tuple[Any, ...]]
DTypeLike: TypeAlias = DType | str | type | np.dtype[Any] | None
Axes: TypeAlias = SupportsIndex | Sequence[SupportsIndex] | None
ShapeLike: TypeAlias = Union[SupportsIndex, "SymbolicInt", Sequence[Union[SupportsIndex, "SymbolicInt"]]]

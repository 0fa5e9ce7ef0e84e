"""Divisors and multiples of integers: Euclid's algorithm on all elements at once, in a loop that ends when the last of them is done."""
from __future__ import annotations

from typing import Any

from ..dialect import types as T
from ..errors import DTypeError
from ..tensor.loops import while_loop
from ..tensor.tensor import Tensor
from .operands import pair

_UNSIGNED = {8: T.uint8, 16: T.uint16, 32: T.uint32, 64: T.uint64}
"""In which the absolute value of the least integer is a number, too."""


def gcd(x1: Any, x2: Any) -> Tensor:
    """The greatest integer that divides both, not negative; 0 of two zeros. Euclid's algorithm.

    `x1` and `x2` are integer tensors, array-likes or numbers that broadcast; dtypes combine. DTypeError for floats and bools.

        morok.gcd([12, 18, 0], 8)  # [4, 2, 8]
    """
    first, second, dtype = _sizes(x1, x2, "gcd")
    return _divisor(first, second).cast(dtype)


def lcm(x1: Any, x2: Any) -> Tensor:
    """The least integer that both divide, not negative; 0 where one is 0. What does not fit the dtype wraps.

    `x1` and `x2` are integer tensors, array-likes or numbers that broadcast; dtypes combine. DTypeError for floats and bools.

        morok.lcm([4, 6, 0], 6)  # [12, 6, 0]
    """
    first, second, dtype = _sizes(x1, x2, "lcm")
    return (first.floor_divide(_divisor(first, second)) * second).cast(dtype)  # by 0, of two zeros, a quotient is 0


def _sizes(x: Any, y: Any, what: str) -> tuple[Tensor, Tensor, Any]:
    """The absolute values, unsigned and broadcast, and the dtype of the result."""
    first, second = pair(x, y, what)
    a, b = first._pair(second, what)
    dtype = a.dtype
    if not dtype.is_int:
        raise DTypeError(f"{what}: takes integers, not {dtype}; cast them")
    wide = _UNSIGNED[dtype.bits]
    return a.abs().cast(wide), b.abs().cast(wide), dtype


def _divisor(first: Tensor, second: Tensor) -> Tensor:
    def step(carry: Any) -> Any:
        a, b = carry
        return b.where(b.ne(0), a), a.mod(b)  # by 0 the rest is 0: pairs that are done stay

    return while_loop(lambda carry: carry[1].ne(0).any(), step, (first, second))[0]

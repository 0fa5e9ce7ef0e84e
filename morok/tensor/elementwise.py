"""Arithmetic, comparison, bits and selection, element by element, with NumPy's broadcasting.

Shapes are aligned at the last axis; sizes must be equal or 1. Dtypes combine by `dtypes.promote`; Python scalars are weak. Integers wrap.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..dialect import types as T
from ..errors import DTypeError
from ..graph.tensor_graph import TensorUOp
from . import build, dtypes
from .annotations import DTypeLike, Operand
from .arguments import under_its_own_name
from .broadcasting import broadcast_shape, dtype_operands, is_scalar, operands, scalar_operand
from .core import TensorCore
from .division import float_floor_divide, float_remainder
from .movement import MovementMethods
from .power import constant_power, integer_power


class ElementwiseMethods(MovementMethods):
    __slots__ = ()

    # dtype

    def cast(self, dtype: DTypeLike) -> Self:
        """The elements converted: floats to integers truncate (out of range: saturated to int64, then wrapped; NaN gives 0), numbers to
        bool are true where not 0.

            x.cast(dtypes.int32)
        """
        return self._new(build.cast(self.uop, dtypes.as_dtype(dtype)))

    def to_dtype(self, dtype: DTypeLike) -> Self:
        """Another name of cast. The same shape in the dtype named. DTypeError for what is no dtype.

            Tensor([1.5, -1.5]).to_dtype(dtypes.int32)  # [1, -1]
        """
        return self.cast(dtype)

    def astype(self, dtype: DTypeLike) -> Self:
        """NumPy's name of cast. The same shape in the dtype named. DTypeError for what is no dtype.

            Tensor([1.5, -1.5]).astype(dtypes.int32)  # [1, -1]
        """
        return self.cast(dtype)

    def type(self, dtype: DTypeLike) -> Self:
        """PyTorch's name of cast. The same shape in the dtype named. DTypeError for what is no dtype.

            Tensor([1.5, -1.5]).type(dtypes.int32)  # [1, -1]
        """
        return self.cast(dtype)

    def bitcast(self, dtype: DTypeLike) -> Self:
        """The same bits as another dtype of the same width; DTypeError for another width. The same shape.

            Tensor([1.0]).bitcast(dtypes.int32)  # [1065353216]
        """
        new = dtypes.as_dtype(dtype)
        if new.bits != self.dtype.bits:
            raise DTypeError(f"bitcast: {self.dtype} has {self.dtype.bits} bits and {new} has {new.bits}; they must be equal")
        if new is self.dtype:
            return self._new(self.uop)
        return self._new(build.op("bitcast", (self.uop,), (), T.tensor(self.uop.type.shape, new)))  # type: ignore[union-attr]

    def float(self) -> Self:
        """The elements as float32. The same shape.

            Tensor([1.5, 0.0]).float()  # [1.5, 0.0]
        """
        return self.cast(T.float32)

    def double(self) -> Self:
        """The elements as float64. The same shape.

            Tensor([1.5, 0.0]).double()  # [1.5, 0.0]
        """
        return self.cast(T.float64)

    def half(self) -> Self:
        """The elements as float16. The same shape.

            Tensor([1.5, 0.0]).half()  # [1.5, 0.0]
        """
        return self.cast(T.float16)

    def bfloat16(self) -> Self:
        """The elements as bfloat16. The same shape.

            Tensor([1.5, 0.0]).bfloat16()  # [1.5, 0.0]
        """
        return self.cast(T.bfloat16)

    def int(self) -> Self:
        """The elements as int32. The same shape.

            Tensor([1.5, 0.0]).int()  # [1, 0]
        """
        return self.cast(T.int32)

    def long(self) -> Self:
        """The elements as int64. The same shape.

            Tensor([1.5, 0.0]).long()  # [1, 0]
        """
        return self.cast(T.int64)

    def bool(self) -> Self:
        """Where the elements are not 0. The same shape.

            Tensor([1.5, 0.0]).bool()  # [True, False]
        """
        return self.cast(T.bool_)

    # Arithmetic

    def add(self, other: Operand) -> Self:
        """Sum; of bools, or. Shapes broadcast, dtypes combine.

            Tensor([1.0, 2.0]).add(3)  # [4.0, 5.0]
        """
        x, y = operands(self, other, "add")
        return self._new(build.alu("or" if x.dtype is T.bool_ else "add", x, y))

    def sub(self, other: Operand) -> Self:
        """Difference. DTypeError for two bools. Shapes broadcast, dtypes combine.

            Tensor([1.0, 2.0]).sub(3)  # [-2.0, -1.0]
        """
        return self._new(build.alu("sub", *_numbers(*operands(self, other, "sub"), "sub")))

    subtract = sub

    def mul(self, other: Operand) -> Self:
        """Product; of bools, and. Shapes broadcast, dtypes combine.

            Tensor([1.0, 2.0]).mul(3)  # [3.0, 6.0]
        """
        x, y = operands(self, other, "mul")
        return self._new(build.alu("and" if x.dtype is T.bool_ else "mul", x, y))

    multiply = mul

    def div(self, other: Operand, rounding_mode: str | None = None) -> Self:
        """Quotient; of integers as floats. rounding_mode "floor" or "trunc" as PyTorch's. Shapes broadcast, dtypes combine; bool and integers as the default
        float.

            Tensor([1.0, 2.0]).div(4)  # [0.25, 0.5]
        """
        if rounding_mode == "floor":
            return self.floor_divide(other)
        if rounding_mode not in (None, "trunc"):
            raise DTypeError(f"div: rounding_mode is None, 'floor' or 'trunc', not {rounding_mode!r}")
        x, y = operands(self, other, "div")
        if rounding_mode == "trunc" and not x.dtype.is_float:
            x, y = _numbers(x, y, "div")
            return self._new(_truncated_quotient(x, y))
        dtype = x.dtype if x.dtype.is_float else dtypes.default_float()
        quotient = build.alu("div", build.cast(x, dtype), build.cast(y, dtype))
        return self._new(build.alu("trunc", quotient) if rounding_mode == "trunc" else quotient)

    divide = div

    def floor_divide(self, other: Operand) -> Self:
        """Quotient rounded down, of integers and floats; an integer by 0 gives 0. Shapes broadcast, dtypes combine.

            Tensor([-7, 7]).floor_divide(2)  # [-4, 3]
        """
        x, y = _without_bool(*operands(self, other, "floor_divide"))
        return self._new(float_floor_divide(x, y) if x.dtype.is_float else build.alu("floordiv", x, y))

    def mod(self, other: Operand) -> Self:
        """Remainder with the divisor's sign, of integers and floats; an integer by 0 gives 0. Shapes broadcast, dtypes combine.

            Tensor([-7, 7]).mod(2)  # [1, 1]
        """
        x, y = _without_bool(*operands(self, other, "mod"))
        return self._new(float_remainder(x, y) if x.dtype.is_float else build.alu("mod", x, y))

    remainder = mod

    def pow(self, other: Operand) -> Self:
        """Power. An integer to a negative constant power is a BoundsError; to a negative element, 0 (1 and -1 excepted). Shapes broadcast, dtypes
        combine.

            Tensor([2.0, 3.0]).pow(2)  # [4.0, 9.0]
        """
        if is_scalar(other):
            return self._new(constant_power(self.uop, other))
        x, y = _without_bool(*operands(self, other, "pow"))
        return self._new(build.alu("pow", x, y) if x.dtype.is_float else integer_power(x, y))

    def neg(self) -> Self:
        """Negation. DTypeError for bools. The same shape and dtype.

            Tensor([-2.0, 3.0]).neg()  # [2.0, -3.0]
        """
        if self.dtype is T.bool_:
            raise DTypeError("neg: a bool has no negative; use logical_not() or cast first")
        return self._new(build.alu("neg", self.uop))

    negative = neg

    def maximum(self, other: Operand) -> Self:
        """The greater of both; NaN where either is. Shapes broadcast, dtypes combine.

            Tensor([1.0, 4.0]).maximum(Tensor([3.0, 2.0]))  # [3.0, 4.0]
        """
        x, y = operands(self, other, "maximum")
        return self._new(build.alu("or" if x.dtype is T.bool_ else "max", x, y))

    def minimum(self, other: Operand) -> Self:
        """The lesser of both; NaN where either is. Shapes broadcast, dtypes combine.

            Tensor([1.0, 4.0]).minimum(Tensor([3.0, 2.0]))  # [1.0, 2.0]
        """
        x, y = operands(self, other, "minimum")
        return self._new(build.alu("and" if x.dtype is T.bool_ else "min", x, y))

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Limited from below and above; either may be None. NaN stays NaN. An integer limited by a float becomes a float.

            x.clip(0, 1), x.clip(max=3)
        """
        if min is None and max is None:
            raise TypeError("clip: give min, max or both")
        x = self if min is None else self._bounded("max", min)
        return x if max is None else x._bounded("min", max)

    def _bounded(self, name: str, bound: Any, flat: Any = False) -> Self:
        """max or min with a bound. At the bound the derivative is 1, or with `flat` 0: see `gradient/rules.py`."""
        x, y = operands(self, bound, "clip")
        if not x.dtype.is_float:
            return self.maximum(bound) if name == "max" else self.minimum(bound)
        if is_scalar(bound):
            y = build.detach(y)
        return self._new(build.alu(name, y, x) if flat else build.alu(name, x, y))

    @under_its_own_name
    def clamp(self, min: Any = None, max: Any = None) -> Self:
        """PyTorch's name of clip. The same shape; limits broadcast, None is no limit.

            Tensor([1.0, 5.0, 9.0]).clamp(2.0, 6.0)  # [2.0, 5.0, 6.0]
        """
        return self.clip(min, max)

    # Comparison

    def eq(self, other: Operand | complex) -> Self:
        """Where both are equal. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).eq(2.0)  # [False, True, False]
        """
        return self._new(_compared(self, other, "cmpeq"))

    def ne(self, other: Operand | complex) -> Self:
        """Where both differ. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).ne(2.0)  # [True, False, True]
        """
        return self._new(_compared(self, other, "cmpne"))

    not_equal = ne

    def lt(self, other: Operand) -> Self:
        """Where this is less. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).lt(2.0)  # [True, False, False]
        """
        return self._new(_compared(self, other, "cmplt"))

    less = lt

    def le(self, other: Operand) -> Self:
        """Where this is less or equal. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).le(2.0)  # [True, True, False]
        """
        return self._new(_compared(self, other, "cmple"))

    less_equal = le

    def gt(self, other: Operand) -> Self:
        """Where this is greater. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).gt(2.0)  # [False, False, True]
        """
        return self._new(_compared(self, other, "cmplt", swapped=True))

    greater = gt

    def ge(self, other: Operand) -> Self:
        """Where this is greater or equal. Shapes broadcast; the result is bool.

            Tensor([1.0, 2.0, 3.0]).ge(2.0)  # [False, True, True]
        """
        return self._new(_compared(self, other, "cmple", swapped=True))

    greater_equal = ge

    # Bits and logic

    def bitwise_and(self, other: Operand) -> Self:
        """Bitwise and, of integers and bools. Shapes broadcast, dtypes combine. DTypeError for floats.

            Tensor([12, 10]).bitwise_and(6)  # [4, 2]
        """
        return self._new(build.alu("and", *_bits(*operands(self, other, "bitwise_and"), "bitwise_and")))

    def bitwise_or(self, other: Operand) -> Self:
        """Bitwise or, of integers and bools. Shapes broadcast, dtypes combine. DTypeError for floats.

            Tensor([12, 10]).bitwise_or(6)  # [14, 14]
        """
        return self._new(build.alu("or", *_bits(*operands(self, other, "bitwise_or"), "bitwise_or")))

    def bitwise_xor(self, other: Operand) -> Self:
        """Bitwise exclusive or, of integers and bools. Shapes broadcast, dtypes combine. DTypeError for floats.

            Tensor([12, 10]).bitwise_xor(6)  # [10, 12]
        """
        return self._new(build.alu("xor", *_bits(*operands(self, other, "bitwise_xor"), "bitwise_xor")))

    def bitwise_not(self) -> Self:
        """Bitwise complement; of bools, not. The same shape and dtype. DTypeError for floats.

            Tensor([0, 5]).bitwise_not()  # [-1, -6]
        """
        return self._new(build.alu("not", *_bits(self.uop, self.uop, "bitwise_not")[:1]))

    def lshift(self, other: Operand) -> Self:
        """Left shift; 0 where the distance is negative or reaches the width. Shapes broadcast, dtypes combine. DTypeError for floats and bools.

            Tensor([8, 2]).lshift(1)  # [16, 4]
        """
        return self._new(build.alu("shl", *_bits(*_without_bool(*operands(self, other, "lshift")), "lshift")))

    bitwise_left_shift = lshift

    def rshift(self, other: Operand) -> Self:
        """Right shift, arithmetic if signed. Shapes broadcast, dtypes combine. DTypeError for floats and bools.

            Tensor([8, 2]).rshift(1)  # [4, 1]
        """
        return self._new(build.alu("shr", *_bits(*_without_bool(*operands(self, other, "rshift")), "rshift")))

    bitwise_right_shift = rshift

    @under_its_own_name
    def logical_and(self, other: Operand) -> Self:
        """Where both are not 0. Shapes broadcast; the result is bool.

            Tensor([0.0, 2.0]).logical_and(Tensor([1.0, 1.0]))  # [False, True]
        """
        return self.bool().bitwise_and(self._operand(other, "logical_and").cast(T.bool_))

    @under_its_own_name
    def logical_or(self, other: Operand) -> Self:
        """Where either is not 0. Shapes broadcast; the result is bool.

            Tensor([0.0, 2.0]).logical_or(Tensor([1.0, 1.0]))  # [True, True]
        """
        return self.bool().bitwise_or(self._operand(other, "logical_or").cast(T.bool_))

    @under_its_own_name
    def logical_xor(self, other: Operand) -> Self:
        """Where one of both is not 0. Shapes broadcast; the result is bool.

            Tensor([0.0, 2.0]).logical_xor(Tensor([1.0, 1.0]))  # [True, False]
        """
        return self.bool().bitwise_xor(self._operand(other, "logical_xor").cast(T.bool_))

    def logical_not(self) -> Self:
        """Where the elements are 0. The same shape; the result is bool.

            Tensor([0.0, 2.0]).logical_not()  # [True, False]
        """
        return self.bool().bitwise_not()

    # Selection

    def where(self, condition: Any, other: Operand) -> Self:
        """This where the condition holds, else `other`, as PyTorch's method; all broadcast. The condition must be bool.

            x.where(x > 0, 0.0)
        """
        holds = self._operand(condition, "where")
        if holds.dtype is not T.bool_:
            order = "; where is a method of the values: values.where(condition, other)" if self.dtype is T.bool_ else ""
            raise DTypeError(f"where: the condition must be bool, not {holds.dtype}; compare it, or use .bool(){order}")
        x, y = dtype_operands(self, other, "where")
        shape = broadcast_shape("where", build.shape_of(holds.uop), build.shape_of(x), build.shape_of(y))
        return self._new(build.alu("where", *(build.broadcast(u, shape) for u in (holds.uop, x, y))))

    @under_its_own_name
    def masked_fill(self, mask: Any, value: Any) -> Self:
        """`value` where the mask holds, else this; the dtype stays. The mask is bool and broadcasts; DTypeError for others.

            Tensor([1.0, 2.0]).masked_fill(Tensor([True, False]), 0.0)  # [0.0, 2.0]
        """
        fill, holds = self._operand(value, "masked_fill").cast(self.dtype), self._operand(mask, "masked_fill")
        if holds.dtype is not T.bool_:
            raise DTypeError(f"masked_fill: the mask must be bool, not {holds.dtype}; compare it, or use .bool()")
        return self.where(holds.logical_not(), fill)

    # Operators

    def __add__(self, other: Operand) -> Self:
        return self.add(other)

    def __radd__(self, other: Operand) -> Self:
        return self._left(other, "add").add(self)

    def __sub__(self, other: Operand) -> Self:
        return self.sub(other)

    def __rsub__(self, other: Operand) -> Self:
        return self._left(other, "sub").sub(self)

    def __mul__(self, other: Operand) -> Self:
        return self.mul(other)

    def __rmul__(self, other: Operand) -> Self:
        return self._left(other, "mul").mul(self)

    def __truediv__(self, other: Operand) -> Self:
        return self.div(other)

    def __rtruediv__(self, other: Operand) -> Self:
        return self._left(other, "div").div(self)

    def __floordiv__(self, other: Operand) -> Self:
        return self.floor_divide(other)

    def __rfloordiv__(self, other: Operand) -> Self:
        return self._left(other, "floor_divide").floor_divide(self)

    def __mod__(self, other: Operand) -> Self:
        return self.mod(other)

    def __rmod__(self, other: Operand) -> Self:
        return self._left(other, "mod").mod(self)

    def __divmod__(self, other: Operand) -> tuple[Self, Self]:
        return self.floor_divide(other), self.mod(other)

    def __pow__(self, other: Operand) -> Self:
        return self.pow(other)

    def __rpow__(self, other: Operand) -> Self:
        return self._left(other, "pow").pow(self)

    def __and__(self, other: Operand) -> Self:
        return self.bitwise_and(other)

    def __rand__(self, other: Operand) -> Self:
        return self._left(other, "bitwise_and").bitwise_and(self)

    def __or__(self, other: Operand) -> Self:
        return self.bitwise_or(other)

    def __ror__(self, other: Operand) -> Self:
        return self._left(other, "bitwise_or").bitwise_or(self)

    def __xor__(self, other: Operand) -> Self:
        return self.bitwise_xor(other)

    def __rxor__(self, other: Operand) -> Self:
        return self._left(other, "bitwise_xor").bitwise_xor(self)

    def __lshift__(self, other: Operand) -> Self:
        return self.lshift(other)

    def __rlshift__(self, other: Operand) -> Self:
        return self._left(other, "lshift").lshift(self)

    def __rshift__(self, other: Operand) -> Self:
        return self.rshift(other)

    def __rrshift__(self, other: Operand) -> Self:
        return self._left(other, "rshift").rshift(self)

    def __neg__(self) -> Self:
        return self.neg()

    def __pos__(self) -> Self:
        return self._new(self.uop)

    def __invert__(self) -> Self:
        return self.bitwise_not()

    def __lt__(self, other: Operand) -> Self:
        return self.lt(other)

    def __le__(self, other: Operand) -> Self:
        return self.le(other)

    def __gt__(self, other: Operand) -> Self:
        return self.gt(other)

    def __ge__(self, other: Operand) -> Self:
        return self.ge(other)

    def __eq__(self, other: Any) -> Self:  # type: ignore[override]
        if not isinstance(other, (TensorCore, np.ndarray, np.generic, bool, int, float, complex, list, tuple)):
            return NotImplemented
        return self.eq(other)

    def __ne__(self, other: Any) -> Self:  # type: ignore[override]
        if not isinstance(other, (TensorCore, np.ndarray, np.generic, bool, int, float, complex, list, tuple)):
            return NotImplemented
        return self.ne(other)

    __hash__ = object.__hash__

    def _left(self, other: Any, what: str) -> Self:
        """The left operand of a reflected operator: a Python scalar in the dtype that it takes beside this tensor."""
        if is_scalar(other):
            return self._new(scalar_operand(self.dtype, other, what))
        return self._operand(other, what)


def _without_bool(x: TensorUOp, y: TensorUOp) -> tuple[TensorUOp, TensorUOp]:
    """bools as int8, as NumPy computes with them."""
    return (build.cast(x, T.int8), build.cast(y, T.int8)) if x.dtype is T.bool_ else (x, y)


def _numbers(x: TensorUOp, y: TensorUOp, what: str) -> tuple[TensorUOp, TensorUOp]:
    if x.dtype is T.bool_:
        raise DTypeError(f"{what}: not for two bools; use ^ or logical_xor(), or cast one first")
    return x, y


def _bits(x: TensorUOp, y: TensorUOp, what: str) -> tuple[TensorUOp, TensorUOp]:
    if x.dtype.is_float:
        raise DTypeError(f"{what}: takes integers and bools, not {x.dtype}; cast first")
    return x, y


def _truncated_quotient(x: TensorUOp, y: TensorUOp) -> TensorUOp:
    """Rounded towards 0: one more than rounded down, where that is negative and not exact."""
    floor = build.alu("floordiv", x, y)
    if x.dtype.kind == "u":
        return floor
    shape = build.shape_of(x)
    zero, one = build.full(shape, 0, x.dtype), build.full(shape, 1, x.dtype)
    inexact = build.alu("cmpne", build.alu("mod", x, y), zero)
    up = build.alu("and", build.alu("cmplt", floor, zero), inexact)
    return build.alu("add", floor, build.alu("where", up, one, zero))


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"cmplt": operator.lt, "cmple": operator.le, "cmpeq": operator.eq, "cmpne": operator.ne}
_COMPARISONS = {"cmplt": "lt", "cmple": "le", "cmpeq": "eq", "cmpne": "ne"}
_MIRRORED = {"cmplt": "gt", "cmple": "ge"}


def _compared(x: ElementwiseMethods, other: Any, name: str, swapped: bool = False) -> TensorUOp:
    """x (name) other, or other (name) x if swapped."""
    what, dtype = (_MIRRORED if swapped else _COMPARISONS)[name], x.dtype
    if is_scalar(other) and dtype.kind in "iu" and isinstance(other, int) and not dtype.min <= other <= dtype.max:
        pair = (other, 0) if swapped else (0, other)  # every element compares alike: 0 stands for it
        return build.full(x.shape, _ORDERS[name](*pair), T.bool_)
    if not is_scalar(other):
        other = x._operand(other, what)
        if {dtype, other.dtype} == {T.int64, T.uint64}:
            return _compared_signs(x, other, name, swapped)
    a, b = operands(x, other, what)
    return build.alu(name, b, a) if swapped else build.alu(name, a, b)


def _compared_signs(x: Any, y: Any, name: str, swapped: bool) -> TensorUOp:
    """int64 against uint64, exactly: a negative number is less than any other; the rest compares as uint64."""
    left, right = (y, x) if swapped else (x, y)
    shape = broadcast_shape((_MIRRORED if swapped else _COMPARISONS)[name], left.shape, right.shape)
    signed = left if left.dtype is T.int64 else right
    negative = build.alu("cmplt", signed.uop, build.full(signed.shape, 0, T.int64))
    outcome = _ORDERS[name](-1, 0) if signed is left else _ORDERS[name](0, -1)
    a, b = (build.broadcast(build.cast(t.uop, T.uint64), shape) for t in (left, right))
    return build.alu("where", build.broadcast(negative, shape), build.full(shape, outcome, T.bool_), build.alu(name, a, b))

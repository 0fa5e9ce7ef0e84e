"""Methods that write their result into the tensor, PyTorch's `t.add_(1)`: each is the method without the underscore, and the writing of in-place operators.

The result must have the tensor's shape, and a dtype that goes into the tensor's: no floats into integers, no numbers into bools.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, overload

from .arguments import under_its_own_name
from .spellings import SpellingMethods as Methods

P = ParamSpec("P")
S = TypeVar("S")


class InPlace(Protocol[P]):
    """What type checkers see: a method of the arguments of the one without the underscore, which gives the tensor itself."""

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Callable[Concatenate[Any, P], Any]: ...

    @overload
    def __get__(self, instance: S, owner: Any = None) -> Callable[P, S]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any: ...


def in_place(method: Callable[Concatenate[Any, P], Any]) -> InPlace[P]:
    """The method that takes over what another gives."""
    @wraps(method)
    def changed(self: Any, /, *args: P.args, **keywords: P.kwargs) -> Any:
        return self._take(method(self, *args, **keywords), changed.__name__)
    return changed  # type: ignore[return-value]


class InPlaceMethods(Methods):
    __slots__ = ()

    # Arithmetic
    add_, sub_, mul_, div_, divide_ = in_place(Methods.add), in_place(Methods.sub), in_place(Methods.mul), in_place(Methods.div), in_place(Methods.div)
    multiply_, subtract_, true_divide_, floor_divide_ = in_place(Methods.mul), in_place(Methods.sub), in_place(Methods.div), in_place(Methods.floor_divide)
    remainder_, fmod_, pow_, float_power_ = in_place(Methods.mod), in_place(Methods.fmod), in_place(Methods.pow), in_place(Methods.float_power)
    neg_, negative_, abs_, absolute_ = in_place(Methods.neg), in_place(Methods.neg), in_place(Methods.abs), in_place(Methods.abs)
    sign_, sgn_, reciprocal_, square_ = in_place(Methods.sign), in_place(Methods.sgn), in_place(Methods.reciprocal), in_place(Methods.square)
    lerp_, addcmul_, addcdiv_ = in_place(Methods.lerp), in_place(Methods.addcmul), in_place(Methods.addcdiv)

    # Limits
    clamp_, clip_, clamp_min_, clamp_max_ = in_place(Methods.clamp), in_place(Methods.clip), in_place(Methods.clamp_min), in_place(Methods.clamp_max)
    nan_to_num_, relu_, relu6_, hardtanh_ = in_place(Methods.nan_to_num), in_place(Methods.relu), in_place(Methods.relu6), in_place(Methods.hardtanh)
    threshold_ = in_place(Methods.threshold)

    # Roundings
    round_, floor_, ceil_, trunc_ = in_place(Methods.round), in_place(Methods.floor), in_place(Methods.ceil), in_place(Methods.trunc)
    fix_, frac_ = in_place(Methods.trunc), in_place(Methods.frac)

    # Exponentials and logarithms
    exp_, exp2_, expm1_, log_, log2_ = in_place(Methods.exp), in_place(Methods.exp2), in_place(Methods.expm1), in_place(Methods.log), in_place(Methods.log2)
    log10_, log1p_, sqrt_, rsqrt_ = in_place(Methods.log10), in_place(Methods.log1p), in_place(Methods.sqrt), in_place(Methods.rsqrt)
    logit_, sigmoid_, xlogy_, ldexp_ = in_place(Methods.logit), in_place(Methods.sigmoid), in_place(Methods.xlogy), in_place(Methods.ldexp)

    # Angles
    sin_, cos_, tan_, sinh_, cosh_ = in_place(Methods.sin), in_place(Methods.cos), in_place(Methods.tan), in_place(Methods.sinh), in_place(Methods.cosh)
    tanh_, asin_, acos_, atan_ = in_place(Methods.tanh), in_place(Methods.asin), in_place(Methods.acos), in_place(Methods.atan)
    asinh_, acosh_, atanh_, atan2_ = in_place(Methods.asinh), in_place(Methods.acosh), in_place(Methods.atanh), in_place(Methods.atan2)
    arcsin_, arccos_, arctan_, arcsinh_ = in_place(Methods.asin), in_place(Methods.acos), in_place(Methods.atan), in_place(Methods.asinh)
    arccosh_, arctanh_, arctan2_, sinc_ = in_place(Methods.acosh), in_place(Methods.atanh), in_place(Methods.atan2), in_place(Methods.sinc)
    hypot_, deg2rad_, rad2deg_ = in_place(Methods.hypot), in_place(Methods.deg2rad), in_place(Methods.rad2deg)

    # Special functions
    erf_, erfc_, erfinv_, lgamma_ = in_place(Methods.erf), in_place(Methods.erfc), in_place(Methods.erfinv), in_place(Methods.lgamma)
    digamma_, i0_ = in_place(Methods.digamma), in_place(Methods.i0)

    # Activations
    elu_, celu_, selu_, silu_, mish_ = in_place(Methods.elu), in_place(Methods.celu), in_place(Methods.selu), in_place(Methods.silu), in_place(Methods.mish)
    hardswish_, hardsigmoid_, leaky_relu_ = in_place(Methods.hardswish), in_place(Methods.hardsigmoid), in_place(Methods.leaky_relu)

    # Bits and comparisons
    bitwise_and_, bitwise_or_, bitwise_xor_ = in_place(Methods.bitwise_and), in_place(Methods.bitwise_or), in_place(Methods.bitwise_xor)
    bitwise_not_, bitwise_left_shift_, bitwise_right_shift_ = in_place(Methods.bitwise_not), in_place(Methods.lshift), in_place(Methods.rshift)
    logical_and_, logical_or_, logical_xor_ = in_place(Methods.logical_and), in_place(Methods.logical_or), in_place(Methods.logical_xor)
    logical_not_, eq_, ne_, lt_, le_ = in_place(Methods.logical_not), in_place(Methods.eq), in_place(Methods.ne), in_place(Methods.lt), in_place(Methods.le)
    gt_, ge_, greater_, greater_equal_, less_ = in_place(Methods.gt), in_place(Methods.ge), in_place(Methods.gt), in_place(Methods.ge), in_place(Methods.lt)
    less_equal_, not_equal_ = in_place(Methods.le), in_place(Methods.ne)

    # Numbers
    copysign_, heaviside_, nextafter_ = in_place(Methods.copysign), in_place(Methods.heaviside), in_place(Methods.nextafter)

    # Along axes
    cumsum_, cumprod_, tril_, triu_ = in_place(Methods.cumsum), in_place(Methods.cumprod), in_place(Methods.tril), in_place(Methods.triu)



def _name_and_document() -> None:
    """Gives each method its own name, which its errors say, and the other's text with its own call as the example."""
    for name, method in list(vars(InPlaceMethods).items()):
        if name.startswith("_"):
            continue
        plain, margin = name[:-1], " " * 8
        method.__name__, method.__qualname__ = name, f"{InPlaceMethods.__name__}.{name}"
        text, _, example = (method.__doc__ or "").partition("\n\n" + margin + "    ")
        call = re.sub(rf"\.(?:{plain}|{method.__wrapped__.__name__})\(", f".{name}(", example.split("\n")[0])
        rule = f"In place, as `{plain}`: the result has this shape, and goes into this dtype or raises DTypeError."
        method.__doc__ = f"{text}\n\n{margin}{rule}\n\n{margin}    {call}\n{margin}"
        setattr(InPlaceMethods, name, under_its_own_name(method))


_name_and_document()

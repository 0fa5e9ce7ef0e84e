"""Functions that are a method of their first argument, which may be an array-like: morok.cumsum(x, 0) is Tensor(x).cumsum(0).

Signature, documentation and example are the method's, so that there is one place for each.
"""
from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from ..tensor.tensor import Tensor
from .operands import tensor_of


def function_of(name: str) -> Callable[..., Any]:
    """The function that calls the method of this name."""
    method = getattr(Tensor, name)

    def function(x: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(tensor_of(x), name)(*arguments, **named)

    found = inspect.signature(method)
    first = inspect.Parameter("y" if "x" in found.parameters else "x", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Any)
    function.__name__ = function.__qualname__ = name
    function.__signature__ = found.replace(parameters=[first, *list(found.parameters.values())[1:]])  # type: ignore[attr-defined]
    function.__doc__ = _documented((name, method.__name__), first.name, method.__doc__ or "")
    return function


def _documented(names: tuple[str, str], operand: str, text: str) -> str:
    """The method's text four columns to the left, its example as the function's call: `Tensor([1.0]).f(2)` is `morok.f([1.0], 2)`."""
    lines = [line.removeprefix("    ") for line in text.splitlines()]
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))  # of the first paragraph
    lines[end:end] = ["", f"    `{operand}` is a tensor or an array-like."]
    return _calls(*names).sub(partial(_as_function, names[0]), "\n".join(lines))


@cache
def _calls(name: str, of_method: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=[ \n(])Tensor\((\[.*?\]|-?[\d.]+)\)\.(?:{name}|{of_method})\((?=(.?))")


def _as_function(name: str, call: re.Match[str]) -> str:
    return f"morok.{name}({call[1]}{'' if call[2] == ')' else ', '}"


diff, ediff1d, trapezoid = function_of("diff"), function_of("ediff1d"), function_of("trapezoid")
average, cov, corrcoef = function_of("average"), function_of("cov"), function_of("corrcoef")
nanprod, nanvar, nanstd = function_of("nanprod"), function_of("nanvar"), function_of("nanstd")
nanargmax, nanargmin = function_of("nanargmax"), function_of("nanargmin")
nancumsum, nancumprod = function_of("nancumsum"), function_of("nancumprod")
norm, normalize = function_of("norm"), function_of("normalize")
fmax, fmin, fmod, mod = function_of("fmax"), function_of("fmin"), function_of("fmod"), function_of("mod")
true_divide, divmod, float_power, cbrt = function_of("true_divide"), function_of("divmod"), function_of("float_power"), function_of("cbrt")
addcmul, addcdiv = function_of("addcmul"), function_of("addcdiv")
clamp_min, clamp_max = function_of("clamp_min"), function_of("clamp_max")
deg2rad, rad2deg, radians, degrees = function_of("deg2rad"), function_of("rad2deg"), function_of("radians"), function_of("degrees")
isposinf, isneginf, positive, sgn = function_of("isposinf"), function_of("isneginf"), function_of("positive"), function_of("sgn")
rint, fix, frac = function_of("rint"), function_of("fix"), function_of("frac")
modf, frexp, ldexp = function_of("modf"), function_of("frexp"), function_of("ldexp")
diag, diagflat, diag_embed = function_of("diag"), function_of("diagflat"), function_of("diag_embed")
sliding_window_view = function_of("sliding_window_view")
array_split, tensor_split = function_of("array_split"), function_of("tensor_split")
hsplit, vsplit, dsplit = function_of("hsplit"), function_of("vsplit"), function_of("dsplit")
flipud, fliplr = function_of("flipud"), function_of("fliplr")
inner, vdot, tensordot = function_of("inner"), function_of("vdot"), function_of("tensordot")
bmm, mm = function_of("bmm"), function_of("mm")
flatten, unflatten, narrow, select = function_of("flatten"), function_of("unflatten"), function_of("narrow"), function_of("select")
movedim, repeat_interleave = function_of("movedim"), function_of("repeat_interleave")
numel, is_floating_point, empty_like, clone = function_of("numel"), function_of("is_floating_point"), function_of("empty_like"), function_of("clone")
threshold, leaky_relu, softmin, glu = function_of("threshold"), function_of("leaky_relu"), function_of("softmin"), function_of("glu")
layer_norm, rms_norm, one_hot = function_of("layer_norm"), function_of("rms_norm"), function_of("one_hot")
erfc, erfcx, erfinv = function_of("erfc"), function_of("erfcx"), function_of("erfinv")
ndtr, log_ndtr, ndtri = function_of("ndtr"), function_of("log_ndtr"), function_of("ndtri")
lgamma, gammaln, gamma, digamma, psi = function_of("lgamma"), function_of("gammaln"), function_of("gamma"), function_of("digamma"), function_of("psi")
polygamma, i0, i1 = function_of("polygamma"), function_of("i0"), function_of("i1")
expit, logit, entr = function_of("expit"), function_of("logit"), function_of("entr")
xlog1py, logaddexp2 = function_of("xlog1py"), function_of("logaddexp2")
mv, ger, addmm, addmv, addr = function_of("mv"), function_of("ger"), function_of("addmm"), function_of("addmv"), function_of("addr")
baddbmm, addbmm, dist, cdist, renorm = function_of("baddbmm"), function_of("addbmm"), function_of("dist"), function_of("cdist"), function_of("renorm")
hardshrink, softshrink, tanhshrink = function_of("hardshrink"), function_of("softshrink"), function_of("tanhshrink")
prelu, unique_consecutive = function_of("prelu"), function_of("unique_consecutive")
swapdims, t = function_of("swapdims"), function_of("t")

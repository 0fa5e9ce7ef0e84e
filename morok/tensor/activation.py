"""Activations, softmax and normalisation. 16-bit floats are computed in float32 and rounded once; integers as the default float."""
from __future__ import annotations

import math
from typing import Any, Self, Unpack

from ..dialect import types as T
from ..errors import BoundsError, DTypeError, ShapeError
from . import dtypes
from .annotations import Axes, DTypeLike
from .arguments import also_named, flattened, integer, normal_axes, number, under_its_own_name
from .linear_algebra import LinearAlgebraMethods
from .other_names import Dim, OneAxis

EPSILONS = {T.float16: 2.0**-10, T.bfloat16: 2.0**-7, T.float32: 2.0**-23, T.float64: 2.0**-52}
"""The distance from 1 to the next number."""


class ActivationMethods(LinearAlgebraMethods):
    __slots__ = ()

    def relu(self) -> Self:
        """The greater of x and 0. The same shape and dtype; bool as int64.

            Tensor([-2.0, 3.0]).relu()  # [0.0, 3.0]
        """
        return self._bounded("max", 0, flat=True)

    def relu6(self) -> Self:
        """x limited to 0 to 6. The same shape and dtype; bool as int64.

            Tensor([-2.0, 0.5, 9.0]).relu6()  # [0.0, 0.5, 6.0]
        """
        return self._bounded("max", 0, flat=True)._bounded("min", 6, flat=True)

    @under_its_own_name
    def leaky_relu(self, negative_slope: float = 0.01) -> Self:
        """x, below 0 times the slope. The same shape; bool and integers as the default float.

            Tensor([-2.0, 3.0]).leaky_relu(0.5)  # [-1.0, 3.0]
        """
        x = self._computing()
        return x.where(x > 0, x * negative_slope)._rounded(self.dtype)

    @under_its_own_name
    def elu(self, alpha: float = 1.0) -> Self:
        """x, below 0 alpha * (exp(x) - 1). The same shape; bool and integers as the default float.

            Tensor([0.0]).elu()  # [0.0]
        """
        x = self._computing()
        return x.where(x > 0, x.minimum(0.0).expm1() * alpha)._rounded(self.dtype)

    @under_its_own_name
    def celu(self, alpha: float = 1.0) -> Self:
        """x, below 0 alpha * (exp(x / alpha) - 1). The same shape; bool and integers as the default float.

            Tensor([0.0]).celu()  # [0.0]
        """
        x = self._computing()
        return x.where(x > 0, (x.minimum(0.0) / alpha).expm1() * alpha)._rounded(self.dtype)

    def selu(self) -> Self:
        """elu scaled so that layers keep mean 0 and variance 1 (Klambauer et al. 2017). The same shape; bool and integers as the default float.

            Tensor([0.0]).selu()  # [0.0]
        """
        alpha, scale = 1.6732632423543772, 1.0507009873554805
        x = self._computing()
        return (x.where(x > 0, x.minimum(0.0).expm1() * alpha) * scale)._rounded(self.dtype)

    def sigmoid(self) -> Self:
        """1 / (1 + exp(-x)). The same shape; bool and integers as the default float.

            Tensor([0.0]).sigmoid()  # [0.5]
        """
        x = self._computing()
        return (1.0 / (1.0 + (-x).exp()))._rounded(self.dtype)

    def logsigmoid(self) -> Self:
        """log(sigmoid(x)) without overflow. The same shape; bool and integers as the default float.

            Tensor([-1.0, 1.0]).logsigmoid()
        """
        return (-((-self._computing()).softplus()))._rounded(self.dtype)

    @under_its_own_name
    def softplus(self, beta: float = 1.0, threshold: float = 20.0) -> Self:
        """log(1 + exp(beta * x)) / beta; x itself where beta * x exceeds the threshold. The same shape; bool and integers as the default float.

            Tensor([-1.0, 1.0]).softplus()
        """
        x = self._computing()
        scaled = x * beta
        smooth = (scaled.maximum(0.0) + (-scaled.abs()).exp().log1p()) / beta
        return x.where(scaled > threshold, smooth)._rounded(self.dtype)

    def softsign(self) -> Self:
        """x / (1 + |x|). The same shape; bool and integers as the default float.

            Tensor([-1.0, 1.0]).softsign()  # [-0.5, 0.5]
        """
        x = self._computing()
        return (x / (1.0 + x.abs()))._rounded(self.dtype)

    def silu(self) -> Self:
        """x * sigmoid(x). The same shape; bool and integers as the default float.

            Tensor([0.0]).silu()  # [0.0]
        """
        x = self._computing()
        return (x / (1.0 + (-x).exp()))._rounded(self.dtype)

    swish = silu

    def mish(self) -> Self:
        """x * tanh(softplus(x)), which is x * n / (n + 2) with n = exp(x) * (exp(x) + 2). The same shape; bool and integers as the default float.

            Tensor([0.0]).mish()  # [0.0]
        """
        x = self._computing()
        exponential = x.minimum(20.0).exp()  # from here on the quotient is 1 in either dtype
        n = exponential * (exponential + 2.0)
        return (x * (n / (n + 2.0)))._rounded(self.dtype)

    def hardsigmoid(self) -> Self:
        """x / 6 + 1 / 2, limited to 0 to 1. The same shape; bool and integers as the default float.

            Tensor([-4.0, 0.0, 4.0]).hardsigmoid()  # [0.0, 0.5, 1.0]
        """
        return ((self._computing() + 3.0).clip(0.0, 6.0) / 6.0)._rounded(self.dtype)

    def hardswish(self) -> Self:
        """x * hardsigmoid(x). The same shape; bool and integers as the default float.

            Tensor([-4.0, 0.0, 4.0]).hardswish()  # [-0.0, 0.0, 4.0]
        """
        x = self._computing()
        return (x * (x + 3.0).clip(0.0, 6.0) / 6.0)._rounded(self.dtype)

    @under_its_own_name
    def hardtanh(self, min_val: float = -1.0, max_val: float = 1.0) -> Self:
        """x limited to min_val to max_val. The same shape; bool and integers as the default float.

            Tensor([-2.0, 0.5, 9.0]).hardtanh()  # [-1.0, 0.5, 1.0]
        """
        return self._bounded("max", min_val, flat=True)._bounded("min", max_val, flat=True)

    def gelu(self, approximate: str = "none") -> Self:
        """x times the normal distribution's probability below x; approximate="tanh" for the form with tanh. The same shape; bool and integers as the
        default float. DTypeError for another form.

            Tensor([0.0]).gelu(approximate="tanh")  # [0.0]
        """
        x = self._computing()
        if approximate == "none":
            result = x * 0.5 * (1.0 + (x * math.sqrt(0.5)).erf())
        elif approximate == "tanh":
            # (1 + tanh u) / 2 = 1 / (1 + exp(-2 u)): nothing cancels, and exp costs less than tanh
            scale = -2 * math.sqrt(2 / math.pi)
            result = x / (1.0 + ((x * x * (scale * 0.044715) + scale) * x).exp())
        else:
            raise DTypeError(f"gelu: approximate is 'none' or 'tanh', not {approximate!r}")
        return result._rounded(self.dtype)

    # Along axes

    @under_its_own_name
    def hardshrink(self, lambd: float = 0.5) -> Self:
        """x, and 0 from -lambd to lambd. The same shape and dtype; NaN stays.

            Tensor([-2.0, 0.5, 3.0]).hardshrink()  # [-2.0, 0.0, 3.0]
        """
        return self.where(~((self >= -lambd) & (self <= lambd)), 0)

    @under_its_own_name
    def softshrink(self, lambd: float = 0.5) -> Self:
        """x nearer to 0 by lambd, and 0 from -lambd to lambd. The same shape; bool and integers as the default float. BoundsError for a negative lambd.

            Tensor([-2.0, 0.5, 3.0]).softshrink()  # [-1.5, 0.0, 2.5]
        """
        if number(lambd, "softshrink: lambd") < 0:
            raise BoundsError(f"softshrink: lambd must not be negative, given {lambd}")
        x = self._computing()
        return (x - lambd).where(x > lambd, (x + lambd).where(x < -lambd, x * 0.0))._rounded(self.dtype)

    def tanhshrink(self) -> Self:
        """x - tanh(x). The same shape; bool and integers as the default float.

            Tensor([0.0]).tanhshrink()  # [0.0]
        """
        x = self._computing()
        return (x - x.tanh())._rounded(self.dtype)

    @under_its_own_name
    def prelu(self, weight: Any) -> Self:
        """x, below 0 times a weight that is learned: one for all, or one for each channel, which axis 1 counts. The same shape, dtypes combine.

        ShapeError for another number of weights.

            Tensor([[-2.0, -2.0]]).prelu(Tensor([0.5, 1.0]))  # [[-1.0, -2.0]]
        """
        slope = self._left(weight, "prelu")
        channels = self.shape[1] if self.ndim > 1 else 1
        if slope.ndim > 1 or slope.numel() not in (1, channels):
            raise ShapeError(f"prelu: takes one weight, or one for each of {channels} channels, not shape {slope.shape}")
        slope = slope.reshape(tuple(-1 if a == 1 else 1 for a in range(self.ndim))) if slope.numel() != 1 else slope.reshape(())
        return self.where(self > 0, self * slope)

    @also_named(dim="axis")
    def softmax(self, axis: Axes = -1, dtype: DTypeLike = None, **other: Unpack[Dim]) -> Self:
        """exp(x) over its sum along an axis (or several), without overflow.

            x.softmax(-1)
        """
        exponentials, total, wanted = self._softmax_parts(axis, dtype, "softmax")[1:]
        return (exponentials * total.reciprocal()).cast(wanted)  # a division of each would take half of the time

    @also_named(dim="axis")
    def log_softmax(self, axis: Axes = -1, dtype: DTypeLike = None, **other: Unpack[Dim]) -> Self:
        """The logarithm of softmax, without overflow. The same shape; bool and integers as the default float, or `dtype`.

            Tensor([[1.0, 1.0]]).log_softmax(-1)
        """
        shifted, _, total, wanted = self._softmax_parts(axis, dtype, "log_softmax")
        return (shifted - total.log()).cast(wanted)

    def _softmax_parts(self, axis: Any, dtype: Any, what: str) -> tuple[Self, Self, Self, T.DType]:
        wanted = dtypes.as_dtype(dtype) if dtype is not None else self.dtype if self.dtype.is_float else dtypes.default_float()
        if not wanted.is_float:
            raise DTypeError(f"{what}: the result's dtype must be a float, not {wanted}")
        axes = normal_axes(axis, self.ndim, what) if self.ndim else ()
        x = self.cast(dtypes.computing(wanted))
        if not axes or any(x.shape[a] == 0 for a in axes):
            shifted = x - x
        else:
            shifted = x - x.max(axes, keepdim=True)._constant()
        exponentials = shifted.exp()
        return shifted, exponentials, exponentials.sum(axes, keepdim=True), wanted

    @under_its_own_name
    @also_named(axis="dim")
    def softmin(self, dim: Any = -1, **other: Unpack[OneAxis]) -> Self:
        """softmax of -x. The same shape; bool and integers as the default float. `dim` is an axis.

            Tensor([1.0, 1.0]).softmin()  # [0.5, 0.5]
        """
        return (-self).softmax(dim)

    @also_named(dim="axis")
    def layernorm(self, axis: Axes = -1, eps: float = 1e-5, **other: Unpack[Dim]) -> Self:
        """(x - mean) / sqrt(variance + eps) along axes.

            x.layernorm()
        """
        axes = normal_axes(axis, self.ndim, "layernorm")
        x = self._computing()
        distance = x - x.mean(axes, keepdim=True)
        variance = (distance * distance).mean(axes, keepdim=True)
        return (distance * (variance + eps).rsqrt())._rounded(self.dtype)

    @under_its_own_name
    def layer_norm(self, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Self:
        """PyTorch's: layernorm over the last axes, which have normalized_shape, then times weight plus bias.

            Tensor([[1.0, 3.0]]).layer_norm((2,), eps=0.0)  # [[-1.0, 1.0]]
        """
        trailing = self._trailing_axes(normalized_shape, "layer_norm")
        return self._scaled(self._computing().layernorm(trailing, eps), weight, bias)

    @under_its_own_name
    def rms_norm(self, normalized_shape: Any = None, weight: Any = None, eps: float | None = None) -> Self:
        """x / sqrt(mean(x * x) + eps) over the last axes (the last by default), then times weight; eps is the dtype's own by default. The same shape; bool and
        integers as the default float.

            Tensor([[2.0, 2.0]]).rms_norm(eps=0.0)  # [[1.0, 1.0]]
        """
        trailing = (-1,) if normalized_shape is None else self._trailing_axes(normalized_shape, "rms_norm")
        x = self._computing()
        if eps is None:
            eps = EPSILONS.get(self.dtype, EPSILONS[T.float32])
        return self._scaled(x * ((x * x).mean(trailing, keepdim=True) + eps).rsqrt(), weight, None)

    def _trailing_axes(self, normalized_shape: Any, what: str) -> tuple[int, ...]:
        wanted = tuple(integer(s, f"{what}: normalized_shape") for s in flattened((normalized_shape,), what))
        if not wanted or self.shape[self.ndim - len(wanted):] != wanted or len(wanted) > self.ndim:
            raise ShapeError(f"{what}: the last axes of shape {self.shape} must be normalized_shape {wanted}")
        return tuple(range(-len(wanted), 0))

    def _scaled(self, normalised: Self, weight: Any, bias: Any) -> Self:
        if weight is not None:
            normalised = normalised * weight
        if bias is not None:
            normalised = normalised + bias
        return normalised._rounded(self.dtype)

    @also_named(axis="dim")
    @under_its_own_name
    def normalize(self, p: Any = 2, dim: Any = 1, eps: float = 1e-12, **other: Unpack[OneAxis]) -> Self:
        """x over its p-norm along an axis, the norm at least eps. The same shape; bool and integers as the default float.

            Tensor([[3.0, 4.0], [0.0, 2.0]]).normalize()
        """
        x = self._computing()
        return (x / x.norm(p, dim, keepdim=True).maximum(eps))._rounded(self.dtype)

    @under_its_own_name
    def linear(self, weight: Any, bias: Any = None) -> Self:
        """x @ weight.T + bias, with weight of shape (outputs, inputs), as PyTorch's functional linear. The last axis has `inputs` elements. ShapeError
        otherwise.

            Tensor([[1.0, 2.0]]).linear(Tensor([[1.0, 1.0]]), Tensor([0.5]))  # [[3.5]]
        """
        w = self._operand(weight, "linear")
        result = self.matmul(w.T if w.ndim > 1 else w)
        return result if bias is None else result + bias

"""Special functions as methods. Each computes in float64 and rounds once to its dtype; derivatives of any order are in closed form."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Self

from ...dialect import types as T
from ...errors import BoundsError
from .. import dtypes
from ..arguments import integer, number
from ..statistics import StatisticsMethods
from . import bessel_functions, error_functions, gamma_functions


class SpecialMethods(StatisticsMethods):
    __slots__ = ()

    def _special(self, function: Callable[[Any], Any]) -> Self:
        wanted = self.dtype if self.dtype.is_float else dtypes.default_float()
        return function(self.cast(T.float64)).cast(wanted)

    # Errors and the normal distribution

    def erfc(self) -> Self:
        """1 - erf(x), with all its digits where that is small. The same shape; bool and integers as the default float.

            Tensor([0.0]).erfc()  # [1.0]
        """
        return self._special(error_functions.erfc)

    def erfcx(self) -> Self:
        """erfc(x) * exp(x * x), which does not vanish for great x. The same shape; bool and integers as the default float.

            Tensor([0.0]).erfcx()  # [1.0]
        """
        return self._special(error_functions.erfcx)

    def erfinv(self) -> Self:
        """Where the error function is x; infinite at -1 and 1, NaN beyond. The same shape; bool and integers as the default float.

            Tensor([0.0]).erfinv()  # [0.0]
        """
        return self._special(error_functions.erfinv)

    def ndtr(self) -> Self:
        """The probability of the normal distribution below x. The same shape; bool and integers as the default float.

            Tensor([0.0]).ndtr()  # [0.5]
        """
        return self._special(error_functions.ndtr)

    def log_ndtr(self) -> Self:
        """The logarithm of the normal distribution's probability below x, without underflow. The same shape; bool and integers as the default float.

            Tensor([0.0]).log_ndtr()
        """
        return self._special(error_functions.log_ndtr)

    def ndtri(self) -> Self:
        """What the normal distribution is below with probability x; infinite at 0 and 1, NaN beyond. The same shape; bool and integers as the default float.

            Tensor([0.5]).ndtri()  # [0.0]
        """
        return self._special(error_functions.ndtri)

    # The gamma function's family

    def lgamma(self) -> Self:
        """The logarithm of the gamma function's absolute value; infinite at 0, -1, -2, ... The same shape; bool and integers as the default float.

            Tensor([1.0, 2.0]).lgamma()
        """
        return self._special(gamma_functions.lgamma)

    gammaln = lgamma

    def gamma(self) -> Self:
        """The gamma function, (x - 1)! of positive integers; NaN at negative ones. The same shape; bool and integers as the default float.

            Tensor([4.0]).gamma()
        """
        return self._special(gamma_functions.gamma)

    def digamma(self) -> Self:
        """The derivative of lgamma; -inf at 0, NaN at -1, -2, ... The same shape; bool and integers as the default float.

            Tensor([1.0]).digamma()
        """
        return self._special(gamma_functions.digamma)

    psi = digamma

    def polygamma(self, n: int) -> Self:
        """The n-th derivative of digamma; of odd order infinite at 0, -1, -2, ... The same shape; bool and integers as the default float.
        BoundsError for a negative n.

            Tensor([1.0]).polygamma(1)
        """
        order = integer(n, "polygamma: n")
        if order < 0:
            raise BoundsError(f"polygamma: n must be 0 or more, given {order}")
        return self.digamma() if order == 0 else self._special(lambda x: gamma_functions.polygamma(order, x))

    # Bessel functions

    def i0(self) -> Self:
        """The modified Bessel function of the first kind and order 0. The same shape; bool and integers as the default float.

            Tensor([0.0]).i0()  # [1.0]
        """
        return self._special(bessel_functions.i0)

    def i1(self) -> Self:
        """The modified Bessel function of the first kind and order 1. The same shape; bool and integers as the default float.

            Tensor([0.0]).i1()  # [0.0]
        """
        return self._special(bessel_functions.i1)

    # Probabilities and entropies

    def expit(self) -> Self:
        """SciPy's name of sigmoid, 1 / (1 + exp(-x)). The same shape; bool and integers as the default float.

            Tensor([0.0]).expit()  # [0.5]
        """
        return self.sigmoid()

    def logit(self, eps: float | None = None) -> Self:
        """log(x / (1 - x)), the inverse of sigmoid; x is limited to eps to 1 - eps first, if that is given; NaN outside 0 to 1.

        The same shape; bool and integers as the default float.

            Tensor([0.5]).logit()  # [0.0]
        """
        wanted = self.dtype if self.dtype.is_float else dtypes.default_float()
        x = self.cast(T.float64)
        if eps is not None:
            x = x.clip(number(eps, "logit: eps"), 1.0 - number(eps, "logit: eps"))
        odds = x / (1.0 - x)
        middle = (x - 0.5).abs().lt(0.25)
        near = x.where(middle, 0.5)
        return ((2.0 * near - 1.0) / (1.0 - near)).log1p().where(middle, odds.log()).cast(wanted)

    def xlog1py(self, other: Any) -> Self:
        """x * log(1 + y), and 0 where x is 0 and y not NaN. Shapes broadcast; bool and integers as the default float.

            Tensor([0.0, 2.0]).xlog1py(Tensor([-1.0, 0.0]))  # [0.0, 0.0]
        """
        x, y = self._float_pair(other, "xlog1py")
        zero = x.eq(0) & ~y.isnan()
        return (x * y.where(~zero, 0.0).log1p()).where(~zero, 0.0)

    def entr(self) -> Self:
        """-x * log(x), 0 at 0 and -inf below. The same shape; bool and integers as the default float.

            Tensor([0.0, 1.0]).entr()
        """
        x = self._floating()
        inside = x.gt(0)
        found = -(x * x.where(inside, 1.0).log())
        return found.where(inside | x.isnan(), x.zeros_like().where(x.eq(0), -math.inf))

    def logaddexp2(self, other: Any) -> Self:
        """log2(2 ** x + 2 ** y) without overflow. Shapes broadcast, dtypes combine; bool and integers as the default float.

            Tensor([0.0]).logaddexp2(Tensor([0.0]))  # [1.0]
        """
        x, y = self._float_pair(other, "logaddexp2")
        wanted, wide = x.dtype, dtypes.computing(x.dtype)
        x, y = x.cast(wide), y.cast(wide)
        high, low = x.maximum(y), x.minimum(y)
        rest = (low - high).where(high.ne(low), 0.0).exp2().log1p() * (1 / math.log(2))  # not of two equal infinities, whose difference is NaN
        return (high + rest).cast(wanted)

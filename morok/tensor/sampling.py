"""Random numbers as PyTorch has them on tensors: rand, randn, randint and their likes, and draws in place. `morok.random` has all distributions."""
from __future__ import annotations

from typing import Any, Self

from .annotations import DTypeLike, ShapeLike
from .counting import CountingMethods


class SamplingMethods(CountingMethods):
    __slots__ = ()

    @classmethod
    def rand(cls, *shape: ShapeLike, dtype: DTypeLike = None, generator: Any = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Numbers from 0 up to but without 1, equally likely, of the default float unless a dtype of floats is given.

        DTypeError for other dtypes; ShapeError for a negative size.

            Tensor.rand(2, 3).shape      # (2, 3)
        """
        from .random.pytorch_names import rand
        return rand(*shape, dtype=dtype, generator=generator, device=device, requires_grad=requires_grad)  # type: ignore[return-value]

    @classmethod
    def randn(cls, *shape: ShapeLike, dtype: DTypeLike = None, generator: Any = None, device: str | None = None, requires_grad: bool = False) -> Self:
        """Numbers of the normal distribution of mean 0 and standard deviation 1, of the default float unless a dtype of floats is given.

        DTypeError for other dtypes; ShapeError for a negative size.

            Tensor.randn(2, 3, requires_grad=True).shape      # (2, 3)
        """
        from .random.pytorch_names import randn
        return randn(*shape, dtype=dtype, generator=generator, device=device, requires_grad=requires_grad)  # type: ignore[return-value]

    @staticmethod
    def randint(low: int, high: int | None = None, size: Any = (), dtype: DTypeLike = None, generator: Any = None, device: str | None = None) -> Any:
        """Integers from low up to but without high (from 0 with one bound), equally likely, of the shape `size`; int64 unless a dtype is given.

        BoundsError where low is not less than high, or the dtype cannot hold them; DTypeError for a dtype that is no integer.

            Tensor.randint(0, 10, (2, 3)).shape      # (2, 3)
        """
        from .random.distributions import randint
        return randint(low, high, size, dtype, generator, device)

    def rand_like(self, dtype: DTypeLike = None, generator: Any = None) -> Self:
        """Numbers from 0 up to but without 1, of this shape, dtype and device. DTypeError where the dtype is no float.

            Tensor([[1.0, 2.0]]).rand_like().shape      # (1, 2)
        """
        return self.rand(*self.shape, dtype=self.dtype if dtype is None else dtype, generator=generator, device=self.device)

    def randn_like(self, dtype: DTypeLike = None, generator: Any = None) -> Self:
        """Normal numbers of this shape, dtype and device. DTypeError where the dtype is no float.

            Tensor([[1.0, 2.0]]).randn_like().shape      # (1, 2)
        """
        return self.randn(*self.shape, dtype=self.dtype if dtype is None else dtype, generator=generator, device=self.device)

    def randint_like(self, low: int, high: int | None = None, dtype: DTypeLike = None, generator: Any = None) -> Self:
        """Integers from low up to but without high (from 0 with one bound) of this shape and device, and of its dtype, integers or floats, unless given.

            Tensor([[1.0, 2.0]]).randint_like(5).shape      # (1, 2)
        """
        from .dtypes import as_dtype
        wanted = self.dtype if dtype is None else as_dtype(dtype)
        return self.randint(low, high, self.shape, wanted if wanted.is_int else None, generator, self.device).cast(wanted)

    # In place

    def uniform_(self, low: float = 0.0, high: float = 1.0, generator: Any = None) -> Self:
        """Every element a number from low up to but without high. DTypeError where the dtype is no float; GradientError for variables outside of no_grad().

            Tensor.zeros(3).uniform_(-1, 1).shape      # (3,)
        """
        from .random.distributions import uniform
        return self.copy_(uniform(self.shape, low=low, high=high, dtype=self.dtype, generator=generator, device=self.device))

    def normal_(self, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Self:
        """Every element a normal number. DTypeError where the dtype is no float; GradientError for variables outside of no_grad().

            Tensor.zeros(3).normal_(std=0.02).shape      # (3,)
        """
        from .random.distributions import normal
        return self.copy_(normal(self.shape, mean=mean, std=std, dtype=self.dtype, generator=generator, device=self.device))

    def exponential_(self, rate: float = 1.0, generator: Any = None) -> Self:
        """Every element a number of the exponential distribution. DTypeError where the dtype is no float.

            Tensor.zeros(3).exponential_(2.0).shape      # (3,)
        """
        from .random.distributions import exponential
        return self.copy_(exponential(self.shape, rate=rate, dtype=self.dtype, generator=generator, device=self.device))

    def log_normal_(self, mean: float = 1.0, std: float = 2.0, generator: Any = None) -> Self:
        """Every element a number whose logarithm is normal. DTypeError where the dtype is no float.

            Tensor.zeros(3).log_normal_(0.0, 0.5).shape      # (3,)
        """
        from .random.transformed import lognormal
        return self.copy_(lognormal(self.shape, mean=mean, std=std, dtype=self.dtype, generator=generator, device=self.device))

    def cauchy_(self, median: float = 0.0, sigma: float = 1.0, generator: Any = None) -> Self:
        """Every element a number of the Cauchy distribution. DTypeError where the dtype is no float.

            Tensor.zeros(3).cauchy_().shape      # (3,)
        """
        from .random.transformed import cauchy
        return self.copy_(cauchy(self.shape, loc=median, scale=sigma, dtype=self.dtype, generator=generator, device=self.device))

    def geometric_(self, p: float, generator: Any = None) -> Self:
        """Every element a number of trials until the first success with probability p; any dtype of numbers. BoundsError for a p that is none.

            Tensor.zeros(2).geometric_(1.0)  # [1.0, 1.0]
        """
        from .random.transformed import geometric
        return self.copy_(geometric(p, self.shape, dtype=self.dtype, generator=generator, device=self.device))

    def bernoulli_(self, p: float = 0.5, generator: Any = None) -> Self:
        """Every element 1 with probability p, a number, and else 0; any dtype. BoundsError for a p that is none.

            Tensor.zeros(3).bernoulli_(0.9).shape      # (3,)
        """
        from .random.distributions import bernoulli
        return self.copy_(bernoulli(p, self.shape, generator=generator))

    def bernoulli(self, generator: Any = None) -> Self:
        """1 with the probability that each element is, else 0, in this dtype. DTypeError where that is no float.

            Tensor([0.0, 1.0]).bernoulli()  # [0.0, 1.0]
        """
        from .random.distributions import bernoulli
        return bernoulli(self, generator=generator).cast(self.dtype)  # type: ignore[arg-type, return-value]

    def multinomial(self, num_samples: int, replacement: bool = False, generator: Any = None) -> Self:
        """PyTorch's: numbers of classes, int64, drawn by these weights along the last axis, which need not add up to 1; of shape (num_samples,) for one axis,
        (rows, num_samples) for two. Errors are those of morok.multinomial.

            Tensor([0.0, 3.0, 0.0]).multinomial(2, replacement=True)  # [1, 1]
        """
        from .random.choices import multinomial
        return multinomial(self, num_samples, replacement, generator)  # type: ignore[arg-type, return-value]

"""Tensor: a lazy array. Each method only extends the graph; `numpy()`, `item()`, `realize()` and the like compute.

The methods are layers, each a file of its subject built on the ones before:

    core            what a tensor is: storage, views, dtype, shape          convolution     conv2d, pooling
    movement        reshape, permute, expand, pad, flip, split, roll        indexing        t[key], t[key] = value, gather
    elementwise     + - * / // % **, comparisons, bits, where               writing         assign, += and kin
    mathematics     exp, log, sin, sqrt, floor, isnan, ...                  conversion      realize, plans, numpy(), item()
    creation        zeros, full, arange, eye, tril
    reduction       sum, max, mean, argmax, var, ...
    joining         cat, stack
    linear_algebra  matmul, dot, einsum
    activation      relu, gelu, softmax, layer_norm             gradients       requires_grad, backward
                                                                exchange        __array__, DLPack, pickle, copy
    numeric         isclose, nan_to_num, sinc, xlogy, nanmean, rot90, kron, ...
    sorting         sort, argsort, topk, searchsorted, isin, ...            order_statistics    median, quantile, percentile, ...
    uniqueness      unique
    cumulative      cumsum, cumprod, cummax, cummin                         scattering      scatter, index_add, index_put, masked_scatter, ...
    arithmetic      fmod, fmax, frexp, cbrt, deg2rad, ...                   arrangement     diag, unfold, diff, array_split, ...
    statistics      average, cov, trapezoid, nanvar, ...                    special         erfc, erfinv, lgamma, digamma, ndtr, i0, ...
    selection       nonzero, argwhere, compress                             counting        bincount, histogram, histc
    sampling        rand, randn, randint, uniform_, normal_                 display         repr, HTML, pictures of the graph
    repeating       repeat_interleave                           products            addmm, baddbmm, cdist, renorm, ...
    spellings       new_zeros, type_as, view_as, ...            in_place            add_, exp_, clamp_, ...
"""
from __future__ import annotations

from .display import DisplayMethods


class Tensor(DisplayMethods):
    __slots__ = ()


Tensor.__doc__ = """A lazy array of numbers or bools.

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    y = (x @ x.T).softmax(-1).sum(0)      # nothing is computed yet
    y.numpy()                             # now it is

Tensor(data, dtype=None, device=None, borrow=False): see `Tensor.__init__`.
"""

"""morok: a tensor compiler toolkit whose one IR is MLIR.

    from morok import Tensor, Variable, dtypes
    (Tensor([1.0, 2.0]) * 2).numpy()

Names are imported when first used, so that `import morok` costs nothing by itself.
"""
from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import array_api as array_api
    from . import errors as errors
    from . import nn as nn
    from . import optim as optim
    from .functions import linalg as linalg
    from .functions.counting import bincount, histc, histogram
    from .functions.creation import arange, eye, full, full_like, ones, ones_like, zeros, zeros_like
    from .functions.elementwise import (
        abs,
        absolute,
        acos,
        acosh,
        add,
        allclose,
        arccos,
        arccosh,
        arcsin,
        arcsinh,
        arctan,
        arctan2,
        arctanh,
        asin,
        asinh,
        atan,
        atan2,
        atanh,
        bitwise_and,
        bitwise_invert,
        bitwise_left_shift,
        bitwise_not,
        bitwise_or,
        bitwise_right_shift,
        bitwise_xor,
        ceil,
        celu,
        clamp,
        clip,
        copysign,
        cos,
        cosh,
        div,
        divide,
        elu,
        eq,
        equal,
        erf,
        exp,
        exp2,
        expm1,
        floor,
        floor_divide,
        ge,
        gelu,
        greater,
        greater_equal,
        gt,
        hardsigmoid,
        hardswish,
        hardtanh,
        heaviside,
        hypot,
        isclose,
        isfinite,
        isinf,
        isnan,
        le,
        lerp,
        less,
        less_equal,
        log,
        log1p,
        log2,
        log10,
        log_softmax,
        logaddexp,
        logical_and,
        logical_not,
        logical_or,
        logical_xor,
        logsigmoid,
        lt,
        maximum,
        minimum,
        mish,
        mul,
        multiply,
        nan_to_num,
        ne,
        neg,
        negative,
        nextafter,
        not_equal,
        pow,
        reciprocal,
        relu,
        relu6,
        remainder,
        round,
        rsqrt,
        selu,
        sigmoid,
        sign,
        signbit,
        silu,
        sin,
        sinc,
        sinh,
        softmax,
        softplus,
        softsign,
        sqrt,
        square,
        sub,
        subtract,
        tan,
        tanh,
        trunc,
        xlogy,
    )
    from .functions.indexing import (
        argwhere,
        compress,
        extract,
        flatnonzero,
        gather,
        index_add,
        index_copy,
        index_fill,
        index_put,
        index_reduce,
        index_select,
        masked_fill,
        masked_scatter,
        masked_select,
        nonzero,
        put_along_axis,
        scatter,
        scatter_add,
        scatter_reduce,
        take,
        take_along_axis,
        take_along_dim,
    )
    from .functions.joining import cat, concat, concatenate, stack
    from .functions.linear_algebra import dot, einsum, kron, matmul, outer, trace
    from .functions.movement import (
        broadcast_to,
        chunk,
        diagonal,
        expand_dims,
        flip,
        moveaxis,
        pad,
        permute,
        permute_dims,
        ravel,
        reshape,
        roll,
        rot90,
        split,
        squeeze,
        swapaxes,
        tile,
        transpose,
        tril,
        triu,
        unbind,
        unsqueeze,
    )
    from .functions.order_statistics import cummax, cummin, cumprod, cumsum, logcumsumexp, median, nanmedian, nanpercentile, nanquantile, percentile, quantile
    from .functions.reduction import (
        all,
        amax,
        amin,
        aminmax,
        any,
        count_nonzero,
        logsumexp,
        max,
        mean,
        min,
        nanmax,
        nanmean,
        nanmin,
        nansum,
        prod,
        ptp,
        std,
        std_mean,
        sum,
        var,
        var_mean,
    )
    from .functions.searching import argmax, argmin, argsort, bucketize, digitize, isin, kthvalue, searchsorted, sort, topk, unique, where
    from .interpret import interpret
    from .runtime.config import get_num_threads, num_threads, set_num_threads
    from .tensor import dtypes
    from .tensor import random as random
    from .tensor.display import visualize
    from .tensor.dtype_queries import can_cast, finfo, iinfo, isdtype, result_type
    from .tensor.dtypes import bfloat16, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
    from .tensor.exchange.methods import from_dlpack
    from .tensor.files import load, load_metadata, save
    from .tensor.gradient.checkpointing import checkpoint
    from .tensor.gradient.jacobians import hessian, hvp, jacfwd, jacobian, jacrev, linearize
    from .tensor.gradient.modes import enable_grad, is_grad_enabled, no_grad
    from .tensor.gradient.transforms import custom_gradient, grad, jvp, stop_gradient, value_and_grad, vjp
    from .tensor.jit import jit
    from .tensor.loops import fori_loop, while_loop
    from .tensor.mapping.vmap import vmap
    from .tensor.random import bernoulli, poisson, rand, rand_like, randint, randint_like, randn, randn_like
    from .tensor.random.generator import Generator, manual_seed
    from .tensor.tensor import Tensor
    from .tensor.variable import Variable

__version__ = "0.1.0"
_IMPORTED_AT = time.time_ns()
__all__ = ["Generator", "Tensor", "Variable", "abs", "absolute", "acos", "acosh", "add", "all", "allclose", "amax", "amin", "aminmax", "any", "arange",
           "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argsort", "argwhere", "asin", "asinh", "atan",
           "atan2", "atanh", "bernoulli", "bfloat16", "bincount", "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or",
           "bitwise_right_shift", "bitwise_xor", "broadcast_to", "bucketize", "can_cast", "cat", "ceil", "celu", "checkpoint", "chunk", "clamp", "clip",
           "compress", "concat", "concatenate", "copysign", "cos", "cosh", "count_nonzero", "cummax", "cummin", "cumprod", "cumsum", "custom_gradient",
           "diagonal", "digitize", "div", "divide", "dot", "dtypes", "einsum", "elu", "enable_grad", "eq", "equal", "erf", "exp", "exp2", "expand_dims",
           "expm1", "extract", "eye", "finfo", "flatnonzero", "flip", "float16", "float32", "float64", "floor", "floor_divide", "fori_loop", "from_dlpack",
           "full", "full_like", "gather", "ge", "gelu", "get_num_threads", "grad", "greater", "greater_equal", "gt", "hardsigmoid", "hardswish", "hardtanh",
           "heaviside", "hessian", "histc", "histogram", "hvp", "hypot", "iinfo", "index_add", "index_copy", "index_fill", "index_put", "index_reduce",
           "index_select", "int16", "int32", "int64", "int8", "interpret", "is_grad_enabled", "isclose", "isdtype", "isfinite", "isin", "isinf", "isnan",
           "jacfwd", "jacobian", "jacrev", "jit", "jvp", "kron", "kthvalue", "le", "lerp", "less", "less_equal", "linearize", "load", "load_metadata", "log",
           "log10", "log1p", "log2", "log_softmax", "logaddexp", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor", "logsigmoid",
           "logsumexp", "lt", "manual_seed", "masked_fill", "masked_scatter", "masked_select", "matmul", "max", "maximum", "mean", "median", "min", "minimum",
           "mish", "moveaxis", "mul", "multiply", "nan_to_num", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanquantile", "nansum", "ne",
           "neg", "negative", "nextafter", "no_grad", "nonzero", "not_equal", "num_threads", "ones", "ones_like", "outer", "pad", "percentile", "permute",
           "permute_dims", "poisson", "pow", "prod", "ptp", "put_along_axis", "quantile", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
           "ravel", "reciprocal", "relu", "relu6", "remainder", "reshape", "result_type", "roll", "rot90", "round", "rsqrt", "save", "scatter", "scatter_add",
           "scatter_reduce", "searchsorted", "selu", "set_num_threads", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh", "softmax", "softplus",
           "softsign", "sort", "split", "sqrt", "square", "squeeze", "stack", "std", "std_mean", "stop_gradient", "sub", "subtract", "sum", "swapaxes", "take",
           "take_along_axis", "take_along_dim", "tan", "tanh", "tile", "topk", "trace", "transpose", "tril", "triu", "trunc", "uint16", "uint32", "uint64",
           "uint8", "unbind", "unique", "unsqueeze", "value_and_grad", "var", "var_mean", "visualize", "vjp", "vmap", "where", "while_loop", "xlogy", "zeros",
           "zeros_like"]

_HOMES = {"Tensor": ".tensor.tensor", "Variable": ".tensor.variable", "jit": ".tensor.jit", "visualize": ".tensor.display",
          "from_dlpack": ".tensor.exchange.methods",
          **dict.fromkeys(("can_cast", "finfo", "iinfo", "isdtype", "result_type"), ".tensor.dtype_queries"),
          **dict.fromkeys(("bfloat16", "bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
                           "uint64"), ".tensor.dtypes"),
          **dict.fromkeys(("load", "load_metadata", "save"), ".tensor.files"),
          **dict.fromkeys(("bernoulli", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like"), ".tensor.random"),
          **dict.fromkeys(("Generator", "manual_seed"), ".tensor.random.generator"),
          **dict.fromkeys(("enable_grad", "is_grad_enabled", "no_grad"), ".tensor.gradient.modes"),
          **dict.fromkeys(("custom_gradient", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"), ".tensor.gradient.transforms"),
          **dict.fromkeys(("fori_loop", "while_loop"), ".tensor.loops"),
          **dict.fromkeys(("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "linearize"), ".tensor.gradient.jacobians"),
          "checkpoint": ".tensor.gradient.checkpointing", "vmap": ".tensor.mapping.vmap",
          **dict.fromkeys(("get_num_threads", "num_threads", "set_num_threads"), ".runtime.config")}
_MODULES = {"array_api": ".array_api", "dtypes": ".tensor.dtypes", "nn": ".nn", "optim": ".optim", "random": ".tensor.random", "interpret": ".interpret",
            "errors": ".errors", "linalg": ".functions.linalg"}

_FUNCTIONS = {
    "creation": "arange eye full full_like ones ones_like zeros zeros_like",
    "elementwise": (
        "arctan2 atan2 nextafter "
        "abs absolute acos acosh add allclose arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_and bitwise_invert "
        "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clip copysign cos cosh div divide elu eq "
        "equal erf exp exp2 expm1 floor floor_divide ge gelu greater greater_equal gt hardsigmoid hardswish hardtanh heaviside hypot "
        "isclose isfinite isinf isnan le lerp less less_equal log log10 log1p log2 log_softmax logaddexp logical_and logical_not logical_or "
        "logical_xor logsigmoid lt maximum minimum mish mul multiply nan_to_num ne neg negative not_equal pow reciprocal relu relu6 "
        "remainder round rsqrt selu sigmoid sign signbit silu sin sinc sinh softmax softplus softsign sqrt square sub subtract tan tanh "
        "trunc xlogy"
    ),
    "counting": "bincount histc histogram",
    "indexing": (
        "argwhere compress extract flatnonzero gather index_add index_copy index_fill index_put index_reduce index_select masked_fill "
        "masked_scatter masked_select nonzero put_along_axis scatter scatter_add scatter_reduce take take_along_axis take_along_dim"
    ),
    "joining": "cat concat concatenate stack",
    "linear_algebra": "dot einsum kron matmul outer trace",
    "movement": (
        "broadcast_to chunk diagonal expand_dims flip moveaxis pad permute permute_dims ravel reshape roll rot90 split squeeze swapaxes "
        "tile transpose tril triu unbind unsqueeze"
    ),
    "reduction": "all amax amin aminmax any count_nonzero logsumexp max mean min nanmax nanmean nanmin nansum prod ptp std std_mean sum var var_mean",
    "order_statistics": "cummax cummin cumprod cumsum logcumsumexp median nanmedian nanpercentile nanquantile percentile quantile",
    "searching": "argmax argmin argsort bucketize digitize isin kthvalue searchsorted sort topk unique where",
}
_HOMES.update((name, f".functions.{file}") for file, names in _FUNCTIONS.items() for name in names.split())


if not TYPE_CHECKING:  # which see the imports above, and that there is nothing else
    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            found: Any = import_module(_MODULES[name], __name__)
        elif name in _HOMES:
            found = getattr(import_module(_HOMES[name], __name__), name)
        else:
            raise AttributeError(f"module 'morok' has no attribute {name!r}; it has {', '.join(__all__)}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

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
    from . import dtypes as dtypes
    from . import errors as errors
    from . import linalg as linalg
    from . import nn as nn
    from . import optim as optim
    from . import random as random
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
    from .functions.grids import empty, fromfunction, geomspace, indices, linspace, logspace, meshgrid, tri, tril_indices, triu_indices, vander
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
        select_scatter,
        slice_scatter,
        take,
        take_along_axis,
        take_along_dim,
    )
    from .functions.joining import cat, concat, concatenate, stack
    from .functions.linalg import cross, vecdot
    from .functions.linear_algebra import dot, einsum, kron, matmul, outer, trace
    from .functions.memory import as_tensor, asarray, from_numpy, frombuffer, fromfile
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
    from .functions.of_methods import (
        addcdiv,
        addcmul,
        array_split,
        average,
        bmm,
        cbrt,
        clamp_max,
        clamp_min,
        clone,
        corrcoef,
        cov,
        deg2rad,
        degrees,
        diag,
        diag_embed,
        diagflat,
        diff,
        digamma,
        divmod,
        dsplit,
        ediff1d,
        empty_like,
        entr,
        erfc,
        erfcx,
        erfinv,
        expit,
        fix,
        flatten,
        fliplr,
        flipud,
        float_power,
        fmax,
        fmin,
        fmod,
        frac,
        frexp,
        gamma,
        gammaln,
        glu,
        hsplit,
        i0,
        i1,
        inner,
        is_floating_point,
        isneginf,
        isposinf,
        layer_norm,
        ldexp,
        leaky_relu,
        lgamma,
        log_ndtr,
        logaddexp2,
        logit,
        mm,
        mod,
        modf,
        movedim,
        nanargmax,
        nanargmin,
        nancumprod,
        nancumsum,
        nanprod,
        nanstd,
        nanvar,
        narrow,
        ndtr,
        ndtri,
        norm,
        normalize,
        numel,
        one_hot,
        polygamma,
        positive,
        psi,
        rad2deg,
        radians,
        repeat_interleave,
        rint,
        rms_norm,
        select,
        sgn,
        sliding_window_view,
        softmin,
        tensor_split,
        tensordot,
        threshold,
        trapezoid,
        true_divide,
        unflatten,
        vdot,
        vsplit,
        xlog1py,
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
    from .functions.stacking import (
        append,
        array_equal,
        atleast_1d,
        atleast_2d,
        atleast_3d,
        block,
        broadcast_arrays,
        broadcast_shapes,
        broadcast_tensors,
        cartesian_prod,
        column_stack,
        convolve,
        correlate,
        dstack,
        hstack,
        row_stack,
        vstack,
    )
    from .interpret import interpret
    from .runtime.config import get_num_threads, num_threads, set_num_threads
    from .tensor.display import visualize
    from .tensor.dtype_queries import can_cast, finfo, iinfo, isdtype, result_type
    from .tensor.dtypes import (
        bfloat16,
        float8_e4m3,
        float8_e4m3fn,
        float8_e5m2,
        float16,
        float32,
        float64,
        int8,
        int16,
        int32,
        int64,
        uint8,
        uint16,
        uint32,
        uint64,
    )
    from .tensor.exchange.methods import from_dlpack
    from .tensor.files import load, load_metadata, save
    from .tensor.gradient.checkpointing import checkpoint
    from .tensor.gradient.jacobians import hessian, hvp, jacfwd, jacobian, jacrev, linearize
    from .tensor.gradient.modes import enable_grad, is_grad_enabled, no_grad
    from .tensor.gradient.transforms import custom_gradient, grad, jvp, stop_gradient, value_and_grad, vjp
    from .tensor.jit import jit
    from .tensor.loops import fori_loop, while_loop
    from .tensor.mapping.vmap import vmap
    from .tensor.random import bernoulli, multinomial, poisson, rand, rand_like, randint, randint_like, randn, randn_like, randperm
    from .tensor.random.generator import Generator, manual_seed
    from .tensor.tensor import Tensor
    from .tensor.variable import Variable

__version__ = "0.1.0"
_IMPORTED_AT = time.time_ns()
__all__ = ["Generator", "Tensor", "Variable", "abs", "absolute", "acos", "acosh", "add", "addcdiv", "addcmul", "all", "allclose", "amax", "amin",
           "aminmax", "any", "append", "arange", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin",
           "argsort", "argwhere", "array_equal", "array_split", "as_tensor", "asarray", "asin", "asinh", "atan", "atan2", "atanh", "atleast_1d",
           "atleast_2d", "atleast_3d", "average", "bernoulli", "bfloat16", "bincount", "bitwise_and", "bitwise_invert", "bitwise_left_shift",
           "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "block", "bmm", "broadcast_arrays", "broadcast_shapes",
           "broadcast_tensors", "broadcast_to", "bucketize", "can_cast", "cartesian_prod", "cat", "cbrt", "ceil", "celu", "checkpoint", "chunk",
           "clamp", "clamp_max", "clamp_min", "clip", "clone", "column_stack", "compress", "concat", "concatenate", "convolve", "copysign",
           "corrcoef", "correlate", "cos", "cosh", "count_nonzero", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "custom_gradient",
           "deg2rad", "degrees", "diag", "diag_embed", "diagflat", "diagonal", "diff", "digamma", "digitize", "div", "divide", "divmod", "dot",
           "dsplit", "dstack", "dtypes", "ediff1d", "einsum", "elu", "empty", "empty_like", "enable_grad", "entr", "eq", "equal", "erf", "erfc",
           "erfcx", "erfinv", "exp", "exp2", "expand_dims", "expit", "expm1", "extract", "eye", "finfo", "fix", "flatnonzero", "flatten", "flip",
           "fliplr", "flipud", "float16", "float32", "float64", "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "float_power", "floor", "floor_divide",
           "fmax", "fmin", "fmod", "fori_loop", "frac", "frexp", "from_dlpack", "from_numpy", "frombuffer", "fromfile", "fromfunction", "full",
           "full_like", "gamma", "gammaln", "gather", "ge", "gelu", "geomspace", "get_num_threads", "glu", "grad", "greater", "greater_equal", "gt",
           "hardsigmoid", "hardswish", "hardtanh", "heaviside", "hessian", "histc", "histogram", "hsplit", "hstack", "hvp", "hypot", "i0", "i1",
           "iinfo", "index_add", "index_copy", "index_fill", "index_put", "index_reduce", "index_select", "indices", "inner", "int16", "int32",
           "int64", "int8", "interpret", "is_floating_point", "is_grad_enabled", "isclose", "isdtype", "isfinite", "isin", "isinf", "isnan",
           "isneginf", "isposinf", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "kron", "kthvalue", "layer_norm", "ldexp", "le", "leaky_relu",
           "lerp", "less", "less_equal", "lgamma", "linearize", "linspace", "load", "load_metadata", "log", "log10", "log1p", "log2", "log_ndtr",
           "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logical_and", "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid",
           "logspace", "logsumexp", "lt", "manual_seed", "masked_fill", "masked_scatter", "masked_select", "matmul", "max", "maximum", "mean",
           "median", "meshgrid", "min", "minimum", "mish", "mm", "mod", "modf", "moveaxis", "movedim", "mul", "multinomial", "multiply", "nan_to_num",
           "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod", "nanquantile",
           "nanstd", "nansum", "nanvar", "narrow", "ndtr", "ndtri", "ne", "neg", "negative", "nextafter", "no_grad", "nonzero", "norm", "normalize",
           "not_equal", "num_threads", "numel", "one_hot", "ones", "ones_like", "outer", "pad", "percentile", "permute", "permute_dims", "poisson",
           "polygamma", "positive", "pow", "prod", "psi", "ptp", "put_along_axis", "quantile", "rad2deg", "radians", "rand", "rand_like", "randint",
           "randint_like", "randn", "randn_like", "randperm", "ravel", "reciprocal", "relu", "relu6", "remainder", "repeat_interleave", "reshape",
           "result_type", "rint", "rms_norm", "roll", "rot90", "round", "row_stack", "rsqrt", "save", "scatter", "scatter_add", "scatter_reduce",
           "searchsorted", "select", "select_scatter", "selu", "set_num_threads", "sgn", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh",
           "slice_scatter", "sliding_window_view", "softmax", "softmin", "softplus", "softsign", "sort", "split", "sqrt", "square", "squeeze",
           "stack", "std", "std_mean", "stop_gradient", "sub", "subtract", "sum", "swapaxes", "take", "take_along_axis", "take_along_dim", "tan",
           "tanh", "tensor_split", "tensordot", "threshold", "tile", "topk", "trace", "transpose", "trapezoid", "tri", "tril", "tril_indices", "triu",
           "triu_indices", "true_divide", "trunc", "uint16", "uint32", "uint64", "uint8", "unbind", "unflatten", "unique", "unsqueeze",
           "value_and_grad", "vander", "var", "var_mean", "vdot", "vecdot", "visualize", "vjp", "vmap", "vsplit", "vstack", "where", "while_loop",
           "xlog1py", "xlogy", "zeros", "zeros_like"]

_HOMES = {"Tensor": ".tensor.tensor", "Variable": ".tensor.variable", "jit": ".tensor.jit", "visualize": ".tensor.display",
          "from_dlpack": ".tensor.exchange.methods",
          **dict.fromkeys(("can_cast", "finfo", "iinfo", "isdtype", "result_type"), ".tensor.dtype_queries"),
          **dict.fromkeys(("bfloat16", "bool", "float8_e4m3", "float8_e4m3fn", "float8_e5m2", "float16", "float32", "float64", "int8", "int16",
                           "int32", "int64", "uint8", "uint16", "uint32", "uint64"), ".tensor.dtypes"),
          **dict.fromkeys(("load", "load_metadata", "save"), ".tensor.files"),
          **dict.fromkeys(("bernoulli", "multinomial", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm"),
                          ".tensor.random"),
          **dict.fromkeys(("Generator", "manual_seed"), ".tensor.random.generator"),
          **dict.fromkeys(("enable_grad", "is_grad_enabled", "no_grad"), ".tensor.gradient.modes"),
          **dict.fromkeys(("custom_gradient", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"), ".tensor.gradient.transforms"),
          **dict.fromkeys(("cross", "vecdot"), ".functions.linalg"),
          **dict.fromkeys(("fori_loop", "while_loop"), ".tensor.loops"),
          **dict.fromkeys(("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "linearize"), ".tensor.gradient.jacobians"),
          "checkpoint": ".tensor.gradient.checkpointing", "vmap": ".tensor.mapping.vmap",
          **dict.fromkeys(("get_num_threads", "num_threads", "set_num_threads"), ".runtime.config")}
_MODULES = {"array_api": ".array_api", "dtypes": ".dtypes", "nn": ".nn", "optim": ".optim", "random": ".random", "interpret": ".interpret",
            "errors": ".errors", "linalg": ".linalg"}

_FUNCTIONS = {
    "counting": "bincount histc histogram",
    "creation": "arange eye full full_like ones ones_like zeros zeros_like",
    "elementwise": (
        "arctan2 atan2 nextafter abs absolute acos acosh add allclose arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh "
        "bitwise_and bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clip copysign cos "
        "cosh div divide elu eq equal erf exp exp2 expm1 floor floor_divide ge gelu greater greater_equal gt hardsigmoid hardswish hardtanh "
        "heaviside hypot isclose isfinite isinf isnan le lerp less less_equal log log10 log1p log2 log_softmax logaddexp logical_and logical_not "
        "logical_or logical_xor logsigmoid lt maximum minimum mish mul multiply nan_to_num ne neg negative not_equal pow reciprocal relu relu6 "
        "remainder round rsqrt selu sigmoid sign signbit silu sin sinc sinh softmax softplus softsign sqrt square sub subtract tan tanh trunc xlogy"
    ),
    "grids": "empty fromfunction geomspace indices linspace logspace meshgrid tri tril_indices triu_indices vander",
    "indexing": (
        "argwhere compress extract flatnonzero gather index_add index_copy index_fill index_put index_reduce index_select masked_fill "
        "masked_scatter masked_select nonzero put_along_axis scatter scatter_add scatter_reduce select_scatter slice_scatter take take_along_axis "
        "take_along_dim"
    ),
    "joining": "cat concat concatenate stack",
    "linear_algebra": "dot einsum kron matmul outer trace",
    "memory": "as_tensor asarray from_numpy frombuffer fromfile",
    "movement": (
        "broadcast_to chunk diagonal expand_dims flip moveaxis pad permute permute_dims ravel reshape roll rot90 split squeeze swapaxes tile "
        "transpose tril triu unbind unsqueeze"
    ),
    "of_methods": (
        "addcdiv addcmul array_split average bmm cbrt clamp_max clamp_min clone corrcoef cov deg2rad degrees diag diag_embed diagflat diff digamma "
        "divmod dsplit ediff1d empty_like entr erfc erfcx erfinv expit fix flatten fliplr flipud float_power fmax fmin fmod frac frexp gamma "
        "gammaln glu hsplit i0 i1 inner is_floating_point isneginf isposinf layer_norm ldexp leaky_relu lgamma log_ndtr logaddexp2 logit mm mod "
        "modf movedim nanargmax nanargmin nancumprod nancumsum nanprod nanstd nanvar narrow ndtr ndtri norm normalize numel one_hot polygamma "
        "positive psi rad2deg radians repeat_interleave rint rms_norm select sgn sliding_window_view softmin tensor_split tensordot threshold "
        "trapezoid true_divide unflatten vdot vsplit xlog1py"
    ),
    "order_statistics": "cummax cummin cumprod cumsum logcumsumexp median nanmedian nanpercentile nanquantile percentile quantile",
    "reduction": (
        "all amax amin aminmax any count_nonzero logsumexp max mean min nanmax nanmean nanmin nansum prod ptp std std_mean sum var var_mean"
    ),
    "searching": "argmax argmin argsort bucketize digitize isin kthvalue searchsorted sort topk unique where",
    "stacking": (
        "append array_equal atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_shapes broadcast_tensors cartesian_prod column_stack "
        "convolve correlate dstack hstack row_stack vstack"
    ),
}
_HOMES.update((name, f".functions.{file}") for file, names in _FUNCTIONS.items() for name in names.split())


if not TYPE_CHECKING:  # which see the imports above, and that there is nothing else
    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            found: Any = import_module(_MODULES[name], __name__)
        elif name in _HOMES:
            found = getattr(import_module(_HOMES[name], __name__), name)
        else:
            import difflib
            near = difflib.get_close_matches(name, [*__all__, *_MODULES], 3)
            hint = (f"did you mean {' or '.join(near)}? " if near else "") + "dir(morok) lists what it has"
            raise AttributeError(f"module 'morok' has no attribute {name!r}; {hint}", name=name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

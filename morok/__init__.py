"""morok: a tensor compiler toolkit whose one IR is MLIR.

    from morok import Tensor, Variable, dtypes
    (Tensor([1.0, 2.0]) * 2).numpy()

Names are imported when first used, so that `import morok` costs nothing by itself.
"""
from __future__ import annotations

import math
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
    from .functions.arranging import (
        apply_along_axis,
        argpartition,
        array_equiv,
        block_diag,
        combinations,
        delete,
        fill_diagonal,
        insert,
        lexsort,
        msort,
        partition,
        repeat,
        resize,
        rollaxis,
    )
    from .functions.counting import bincount, histc, histogram
    from .functions.creation import arange, eye, full, full_like, ones, ones_like, zeros, zeros_like
    from .functions.curves import cumulative_trapezoid, gradient, interp, polyval
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
    from .functions.integers import gcd, lcm
    from .functions.joining import cat, concat, concatenate, stack
    from .functions.linalg import cross, vecdot
    from .functions.linear_algebra import dot, einsum, kron, matmul, outer, trace
    from .functions.matrices import chain_matmul, cholesky, det, inverse, logdet, matrix_power, pinverse, slogdet
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
        addbmm,
        addcdiv,
        addcmul,
        addmm,
        addmv,
        addr,
        array_split,
        average,
        baddbmm,
        bmm,
        cbrt,
        cdist,
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
        dist,
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
        ger,
        glu,
        hardshrink,
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
        mv,
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
        prelu,
        psi,
        rad2deg,
        radians,
        renorm,
        repeat_interleave,
        rint,
        rms_norm,
        select,
        sgn,
        sliding_window_view,
        softmin,
        softshrink,
        swapdims,
        t,
        tanhshrink,
        tensor_split,
        tensordot,
        threshold,
        trapezoid,
        true_divide,
        unflatten,
        unique_consecutive,
        vdot,
        vsplit,
        xlog1py,
    )
    from .functions.order_statistics import cummax, cummin, cumprod, cumsum, logcumsumexp, median, nanmedian, nanpercentile, nanquantile, percentile, quantile
    from .functions.places import diag_indices, ix_, ravel_multi_index, tril_indices_from, triu_indices_from, unravel_index
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
    from .functions.sets import intersect1d, setdiff1d, setxor1d, union1d
    from .functions.spellings import (
        around,
        array,
        copy,
        fabs,
        get_default_dtype,
        invert,
        is_tensor,
        left_shift,
        matvec,
        ndim,
        power,
        promote_types,
        right_shift,
        set_default_dtype,
        shape,
        size,
        trapz,
        unstack,
        vecmat,
    )
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
    from .nn.functional import (
        adaptive_avg_pool1d,
        adaptive_max_pool1d,
        avg_pool1d,
        batch_norm,
        binary_cross_entropy_with_logits,
        channel_shuffle,
        conv1d,
        conv2d,
        conv3d,
        conv_transpose1d,
        conv_transpose2d,
        conv_transpose3d,
        cosine_embedding_loss,
        cosine_similarity,
        ctc_loss,
        dropout,
        embedding,
        group_norm,
        hinge_embedding_loss,
        instance_norm,
        kl_div,
        margin_ranking_loss,
        max_pool1d,
        max_pool2d,
        max_pool3d,
        pairwise_distance,
        pixel_shuffle,
        pixel_unshuffle,
        poisson_nll_loss,
        triplet_margin_loss,
    )
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
    from .tensor.gradient.modes import enable_grad, is_grad_enabled, no_grad
    from .tensor.gradient.transforms import custom_gradient, grad, jvp, stop_gradient, value_and_grad, vjp
    from .tensor.jit import jit
    from .tensor.loops import fori_loop, scan, while_loop
    from .tensor.mapping.jacobians import hessian, hvp, jacfwd, jacobian, jacrev, linearize
    from .tensor.mapping.vmap import vmap
    from .tensor.random import bernoulli, multinomial, poisson, rand, rand_like, randint, randint_like, randn, randn_like, randperm
    from .tensor.random.generator import Generator, manual_seed
    from .tensor.tensor import Tensor
    from .tensor.variable import Variable

__version__ = "0.1.0"
pi, e, inf, nan, newaxis = math.pi, math.e, math.inf, math.nan, None
"""Numbers, and a new axis, as NumPy names them."""
_IMPORTED_AT = time.time_ns()
__all__ = ["Generator", "Tensor", "Variable", "abs", "absolute", "acos", "acosh", "adaptive_avg_pool1d", "adaptive_max_pool1d", "add", "addbmm", "addcdiv",
           "addcmul", "addmm", "addmv", "addr", "all", "allclose", "amax", "amin", "aminmax", "any", "append", "apply_along_axis", "arange", "arccos",
           "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "argmax", "argmin", "argpartition", "argsort", "argwhere", "around", "array",
           "array_equal", "array_equiv", "array_split", "as_tensor", "asarray", "asin", "asinh", "atan", "atan2", "atanh", "atleast_1d", "atleast_2d",
           "atleast_3d", "average", "avg_pool1d", "baddbmm", "batch_norm", "bernoulli", "bfloat16", "binary_cross_entropy_with_logits", "bincount",
           "bitwise_and", "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "block", "block_diag",
           "bmm", "broadcast_arrays", "broadcast_shapes", "broadcast_tensors", "broadcast_to", "bucketize", "can_cast", "cartesian_prod", "cat", "cbrt",
           "cdist", "ceil", "celu", "chain_matmul", "channel_shuffle", "checkpoint", "cholesky", "chunk", "clamp", "clamp_max", "clamp_min", "clip", "clone",
           "column_stack", "combinations", "compress", "concat", "concatenate", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
           "conv_transpose3d", "convolve", "copy", "copysign", "corrcoef", "correlate", "cos", "cosh", "cosine_embedding_loss", "cosine_similarity",
           "count_nonzero", "cov", "cross", "ctc_loss", "cummax", "cummin", "cumprod", "cumsum", "cumulative_trapezoid", "custom_gradient", "deg2rad",
           "degrees", "delete", "det", "diag", "diag_embed", "diag_indices", "diagflat", "diagonal", "diff", "digamma", "digitize", "dist", "div", "divide",
           "divmod", "dot", "dropout", "dsplit", "dstack", "dtypes", "ediff1d", "einsum", "elu", "embedding", "empty", "empty_like", "enable_grad", "entr",
           "eq", "equal", "erf", "erfc", "erfcx", "erfinv", "exp", "exp2", "expand_dims", "expit", "expm1", "extract", "eye", "fabs", "fill_diagonal", "finfo",
           "fix", "flatnonzero", "flatten", "flip", "fliplr", "flipud", "float16", "float32", "float64", "float8_e4m3", "float8_e4m3fn", "float8_e5m2",
           "float_power", "floor", "floor_divide", "fmax", "fmin", "fmod", "fori_loop", "frac", "frexp", "from_dlpack", "from_numpy", "frombuffer", "fromfile",
           "fromfunction", "full", "full_like", "gamma", "gammaln", "gather", "gcd", "ge", "gelu", "geomspace", "ger", "get_default_dtype", "get_num_threads",
           "glu", "grad", "gradient", "greater", "greater_equal", "group_norm", "gt", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "heaviside",
           "hessian", "hinge_embedding_loss", "histc", "histogram", "hsplit", "hstack", "hvp", "hypot", "i0", "i1", "iinfo", "index_add", "index_copy",
           "index_fill", "index_put", "index_reduce", "index_select", "indices", "inner", "insert", "instance_norm", "int16", "int32", "int64", "int8",
           "interp", "interpret", "intersect1d", "inverse", "invert", "is_floating_point", "is_grad_enabled", "is_tensor", "isclose", "isdtype", "isfinite",
           "isin", "isinf", "isnan", "isneginf", "isposinf", "ix_", "jacfwd", "jacobian", "jacrev", "jit", "jvp", "kl_div", "kron", "kthvalue", "layer_norm",
           "lcm", "ldexp", "le", "leaky_relu", "left_shift", "lerp", "less", "less_equal", "lexsort", "lgamma", "linearize", "linspace", "load",
           "load_metadata", "log", "log10", "log1p", "log2", "log_ndtr", "log_softmax", "logaddexp", "logaddexp2", "logcumsumexp", "logdet", "logical_and",
           "logical_not", "logical_or", "logical_xor", "logit", "logsigmoid", "logspace", "logsumexp", "lt", "manual_seed", "margin_ranking_loss",
           "masked_fill", "masked_scatter", "masked_select", "matmul", "matrix_power", "matvec", "max", "max_pool1d", "max_pool2d", "max_pool3d", "maximum",
           "mean", "median", "meshgrid", "min", "minimum", "mish", "mm", "mod", "modf", "moveaxis", "movedim", "msort", "mul", "multinomial", "multiply", "mv",
           "nan_to_num", "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmax", "nanmean", "nanmedian", "nanmin", "nanpercentile", "nanprod",
           "nanquantile", "nanstd", "nansum", "nanvar", "narrow", "ndim", "ndtr", "ndtri", "ne", "neg", "negative", "nextafter", "no_grad", "nonzero", "norm",
           "normalize", "not_equal", "num_threads", "numel", "one_hot", "ones", "ones_like", "outer", "pad", "pairwise_distance", "partition", "percentile",
           "permute", "permute_dims", "pinverse", "pixel_shuffle", "pixel_unshuffle", "poisson", "poisson_nll_loss", "polygamma", "polyval", "positive", "pow",
           "power", "prelu", "prod", "promote_types", "psi", "ptp", "put_along_axis", "quantile", "rad2deg", "radians", "rand", "rand_like", "randint",
           "randint_like", "randn", "randn_like", "randperm", "ravel", "ravel_multi_index", "reciprocal", "relu", "relu6", "remainder", "renorm", "repeat",
           "repeat_interleave", "reshape", "resize", "result_type", "right_shift", "rint", "rms_norm", "roll", "rollaxis", "rot90", "round", "row_stack",
           "rsqrt", "save", "scan", "scatter", "scatter_add", "scatter_reduce", "searchsorted", "select", "select_scatter", "selu", "set_default_dtype",
           "set_num_threads", "setdiff1d", "setxor1d", "sgn", "shape", "sigmoid", "sign", "signbit", "silu", "sin", "sinc", "sinh", "size", "slice_scatter",
           "sliding_window_view", "slogdet", "softmax", "softmin", "softplus", "softshrink", "softsign", "sort", "split", "sqrt", "square", "squeeze", "stack",
           "std", "std_mean", "stop_gradient", "sub", "subtract", "sum", "swapaxes", "swapdims", "t", "take", "take_along_axis", "take_along_dim", "tan",
           "tanh", "tanhshrink", "tensor_split", "tensordot", "threshold", "tile", "topk", "trace", "transpose", "trapezoid", "trapz", "tri", "tril",
           "tril_indices", "tril_indices_from", "triplet_margin_loss", "triu", "triu_indices", "triu_indices_from", "true_divide", "trunc", "uint16", "uint32",
           "uint64", "uint8", "unbind", "unflatten", "union1d", "unique", "unique_consecutive", "unravel_index", "unsqueeze", "unstack", "value_and_grad",
           "vander", "var", "var_mean", "vdot", "vecdot", "vecmat", "visualize", "vjp", "vmap", "vsplit", "vstack", "where", "while_loop", "xlog1py", "xlogy",
           "zeros", "zeros_like"]

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
          **dict.fromkeys(("fori_loop", "scan", "while_loop"), ".tensor.loops"),
          **dict.fromkeys(("hessian", "hvp", "jacfwd", "jacobian", "jacrev", "linearize"), ".tensor.mapping.jacobians"),
          "checkpoint": ".tensor.gradient.checkpointing", "vmap": ".tensor.mapping.vmap",
          **dict.fromkeys((
              "adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d batch_norm binary_cross_entropy_with_logits channel_shuffle conv1d conv2d "
              "conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity ctc_loss dropout embedding "
              "group_norm hinge_embedding_loss instance_norm kl_div margin_ranking_loss max_pool1d max_pool2d max_pool3d pairwise_distance "
              "pixel_shuffle pixel_unshuffle poisson_nll_loss triplet_margin_loss").split(), ".nn.functional"),
          **dict.fromkeys(("get_num_threads", "num_threads", "set_num_threads"), ".runtime.config")}
_MODULES = {"array_api": ".array_api", "dtypes": ".dtypes", "nn": ".nn", "optim": ".optim", "random": ".random", "interpret": ".interpret",
            "errors": ".errors", "linalg": ".linalg"}

_FUNCTIONS = {
    "arranging": (
        "apply_along_axis argpartition array_equiv block_diag combinations delete fill_diagonal insert lexsort msort partition repeat resize rollaxis"
    ),
    "counting": "bincount histc histogram",
    "creation": "arange eye full full_like ones ones_like zeros zeros_like",
    "curves": "cumulative_trapezoid gradient interp polyval",
    "elementwise": (
        "arctan2 atan2 nextafter abs absolute acos acosh add allclose arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_and "
        "bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clip copysign cos cosh div divide elu eq "
        "equal erf exp exp2 expm1 floor floor_divide ge gelu greater greater_equal gt hardsigmoid hardswish hardtanh heaviside hypot isclose isfinite isinf "
        "isnan le lerp less less_equal log log10 log1p log2 log_softmax logaddexp logical_and logical_not logical_or logical_xor logsigmoid lt maximum "
        "minimum mish mul multiply nan_to_num ne neg negative not_equal pow reciprocal relu relu6 remainder round rsqrt selu sigmoid sign signbit silu sin "
        "sinc sinh softmax softplus softsign sqrt square sub subtract tan tanh trunc xlogy"
    ),
    "grids": "empty fromfunction geomspace indices linspace logspace meshgrid tri tril_indices triu_indices vander",
    "indexing": (
        "argwhere compress extract flatnonzero gather index_add index_copy index_fill index_put index_reduce index_select masked_fill masked_scatter "
        "masked_select nonzero put_along_axis scatter scatter_add scatter_reduce select_scatter slice_scatter take take_along_axis take_along_dim"
    ),
    "integers": "gcd lcm",
    "joining": "cat concat concatenate stack",
    "linear_algebra": "dot einsum kron matmul outer trace",
    "matrices": "chain_matmul cholesky det inverse logdet matrix_power pinverse slogdet",
    "memory": "as_tensor asarray from_numpy frombuffer fromfile",
    "movement": (
        "broadcast_to chunk diagonal expand_dims flip moveaxis pad permute permute_dims ravel reshape roll rot90 split squeeze swapaxes tile transpose tril "
        "triu unbind unsqueeze"
    ),
    "of_methods": (
        "addbmm addcdiv addcmul addmm addmv addr array_split average baddbmm bmm cbrt cdist clamp_max clamp_min clone corrcoef cov deg2rad degrees diag "
        "diag_embed diagflat diff digamma dist divmod dsplit ediff1d empty_like entr erfc erfcx erfinv expit fix flatten fliplr flipud float_power fmax fmin "
        "fmod frac frexp gamma gammaln ger glu hardshrink hsplit i0 i1 inner is_floating_point isneginf isposinf layer_norm ldexp leaky_relu lgamma log_ndtr "
        "logaddexp2 logit mm mod modf movedim mv nanargmax nanargmin nancumprod nancumsum nanprod nanstd nanvar narrow ndtr ndtri norm normalize numel "
        "one_hot polygamma positive prelu psi rad2deg radians renorm repeat_interleave rint rms_norm select sgn sliding_window_view softmin softshrink "
        "swapdims t tanhshrink tensor_split tensordot threshold trapezoid true_divide unflatten unique_consecutive vdot vsplit xlog1py"
    ),
    "order_statistics": "cummax cummin cumprod cumsum logcumsumexp median nanmedian nanpercentile nanquantile percentile quantile",
    "places": "diag_indices ix_ ravel_multi_index tril_indices_from triu_indices_from unravel_index",
    "reduction": "all amax amin aminmax any count_nonzero logsumexp max mean min nanmax nanmean nanmin nansum prod ptp std std_mean sum var var_mean",
    "searching": "argmax argmin argsort bucketize digitize isin kthvalue searchsorted sort topk unique where",
    "sets": "intersect1d setdiff1d setxor1d union1d",
    "spellings": (
        "around array copy fabs get_default_dtype invert is_tensor left_shift matvec ndim power promote_types right_shift set_default_dtype "
        "shape size trapz unstack vecmat"
    ),
    "stacking": (
        "append array_equal atleast_1d atleast_2d atleast_3d block broadcast_arrays broadcast_shapes broadcast_tensors cartesian_prod column_stack convolve "
        "correlate dstack hstack row_stack vstack"
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

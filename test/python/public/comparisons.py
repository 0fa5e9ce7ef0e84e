"""What each function and method gives, in NumPy: one line for each name, of the operands x, y (floats that broadcast), i, j (integers), m (bools), w (matrix).

A name that NumPy has with the same operands needs no line: `numpy_line` makes it. `DOMAINS` limits x where the function is undefined beyond.
"""

import inspect
import math

import numpy as np

import morok
from morok import Tensor

DOMAINS = {**dict.fromkeys("acos arccos asin arcsin atanh arctanh".split(), (-1, 1)), **dict.fromkeys("acosh arccosh".split(), (1, 9)),
           **dict.fromkeys("log log2 log10 sqrt rsqrt reciprocal".split(), (0.25, 9)), "log1p": (-0.75, 9)}

erf = np.vectorize(math.erf, otypes=[np.float64])

UNARY = {
    "abs": "np.abs(x)", "acos": "np.arccos(x)", "acosh": "np.arccosh(x)", "asin": "np.arcsin(x)", "asinh": "np.arcsinh(x)", "atan": "np.arctan(x)",
    "atanh": "np.arctanh(x)", "celu": "np.where(x > 0, x, np.expm1(np.minimum(x, 0)))", "elu": "np.where(x > 0, x, np.expm1(np.minimum(x, 0)))",
    "erf": "erf(x)", "gelu": "x * (1 + erf(x / 2 ** 0.5)) / 2", "hardsigmoid": "np.clip(x / 6 + 0.5, 0, 1)", "hardswish": "x * np.clip(x / 6 + 0.5, 0, 1)",
    "hardtanh": "np.clip(x, -1, 1)", "leaky_relu": "np.where(x > 0, x, x * 0.01)", "logsigmoid": "-np.logaddexp(0, -x)",
    "mish": "x * np.tanh(np.logaddexp(0, x))", "neg": "-x", "relu": "np.maximum(x, 0)", "relu6": "np.clip(x, 0, 6)", "rsqrt": "1 / np.sqrt(x)",
    "selu": "1.0507009873554804934 * np.where(x > 0, x, 1.6732632423543772848 * np.expm1(np.minimum(x, 0)))", "sigmoid": "1 / (1 + np.exp(-x))",
    "silu": "x / (1 + np.exp(-x))", "swish": "x / (1 + np.exp(-x))", "softplus": "np.logaddexp(0, x)", "softsign": "x / (1 + np.abs(x))",
    "logical_not": "np.logical_not(x)", "detach": "x", "clone": "x", "contiguous": "x", "realize": "x", "cpu": "x", "round": "np.round(x)",
    "stop_gradient": "x", "ravel": "np.ravel(x)", "flatten": "np.ravel(x)", "square": "x * x", "copy": "x", "bool": "x != 0", "double": "x", "float": "x",
    "half": "x.astype(np.float16)", "bfloat16": "x", "int": "np.trunc(x)", "long": "np.trunc(x)",
    "short": "np.trunc(x)", "char": "np.trunc(x)", "byte": "np.trunc(x) % 256",
    "zeros_like": "np.zeros_like(x)", "ones_like": "np.ones_like(x)", "empty_like": "np.zeros_like(x)", "sinc": "np.sinc(x)",
}
"""Of one operand of any shape."""

BINARY = {
    "div": "x / y", "eq": "x == y", "ne": "x != y", "lt": "x < y", "le": "x <= y", "gt": "x > y", "ge": "x >= y", "mul": "x * y", "sub": "x - y",
    "mod": "np.mod(x, y)", "atan2": "np.arctan2(x, y)", "xlogy": "x * np.log(y)", "pow": "np.power(x, y)",
    "true_divide": "np.true_divide(x, y)", "float_power": "np.float_power(x, y)",
}
"""Of two operands that broadcast; y is positive."""

REDUCTIONS = {
    "amax": "np.max(x, a)", "amin": "np.min(x, a)", "logsumexp": "np.log(np.sum(np.exp(x), a))", "std": "np.std(x, a, ddof=1)", "var": "np.var(x, a, ddof=1)",
    "count_nonzero": "np.count_nonzero(x, a)", "norm": "np.sqrt(np.sum(x * x, a))", "nanvar": "np.nanvar(x, a, ddof=1)", "nanstd": "np.nanstd(x, a, ddof=1)",
}
"""Along an axis a."""

CALLS = {
    "T": ("w.T", "w.T"), "mT": ("w.mT", "w.T"), "all": ("m.all(0)", "m.all(0)"), "aminmax": ("x.aminmax()[1]", "x.max()"),
    "var_mean": ("x.var_mean(0)[1]", "x.mean(0)"), "std_mean": ("x.std_mean(0)[0]", "x.std(0, ddof=1)"),
    "var_mean of morok": ("morok.var_mean(x, 0)[0]", "x.var(0, ddof=1)"),
    "allclose": ("x.allclose(x + 1e-9)", "np.array(True)"), "isclose": ("x.isclose(x * (1 + 1e-6))", "np.isclose(x, x * (1 + 1e-6))"),
    "assign": ("(x + 0).assign(x * 2)", "x * 2"), "copy_": ("(x + 0).copy_(i)", "i + 0 * x"), "fill_": ("(x + 0).fill_(3)", "np.full_like(x, 3)"),
    "zero_": ("(x + 0).zero_()", "np.zeros_like(x)"),
    "astype": ("x.astype('int32')", "x.astype(np.int32)"), "cast": ("x.cast('float64')", "x.astype(np.float64)"),
    "type": ("x.type('int8')", "x.astype(np.int8)"),
    "to_dtype": ("x.to_dtype('int8')", "x.astype(np.int8)"), "to": ("x.to('int8')", "x.astype(np.int8)"), "to_device": ("x.to_device('CPU')", "x"),
    "bitcast": ("i.cast('int32').bitcast('float32')", "i.astype(np.int32).view(np.float32)"),
    "avg_pool1d": ("v.avg_pool1d(2)", "v.reshape(1, 2, 3, 2).mean(-1)"), "max_pool1d": ("v.max_pool1d(2)", "v.reshape(1, 2, 3, 2).max(-1)"),
    "avg_pool2d": ("v.avg_pool2d((2, 3))", "v.reshape(1, 1, 2, 2, 3).mean((2, 4))"),
    "max_pool2d": ("v.max_pool2d((2, 3))", "v.reshape(1, 1, 2, 2, 3).max((2, 4))"),
    "conv1d": ("v.conv1d(v[:, :, :2])", "np.einsum('bcnk,ock->bon', np.lib.stride_tricks.sliding_window_view(v, 2, 2), v[:, :, :2])"),
    "conv2d": ("v[None].conv2d(v[None, :, :, :2])", "np.einsum('bcnk,ock->bon', np.lib.stride_tricks.sliding_window_view(v, 2, 2), v[:, :, :2])[None]"),
    "conv3d": ("v[None, None].conv3d(v[None, None])", "(v * v).sum().reshape(1, 1, 1, 1, 1)"),
    "bitwise_and": ("i.bitwise_and(j)", "i & j"), "bitwise_or": ("i.bitwise_or(j)", "i | j"), "bitwise_xor": ("i.bitwise_xor(j)", "i ^ j"),
    "bitwise_not": ("i.bitwise_not()", "~i"), "lshift": ("i.lshift(j)", "i << j"), "rshift": ("i.rshift(j)", "i >> j"),
    "bitwise_invert": ("morok.bitwise_invert(i)", "~i"), "bitwise_left_shift": ("morok.bitwise_left_shift(i, j)", "i << j"),
    "bitwise_right_shift": ("morok.bitwise_right_shift(i, j)", "i >> j"),
    "floor_divide": ("i.floor_divide(j + 1)", "i // (j + 1)"), "remainder": ("i.remainder(j + 1)", "i % (j + 1)"),
    "bmm": ("v.bmm(v.mT)", "v @ np.swapaxes(v, 1, 2)"), "mm": ("w.mm(w)", "w @ w"), "matmul": ("w.matmul(w)", "w @ w"), "dot": ("w.dot(w)", "w @ w"),
    "einsum": ("Tensor.einsum('ij,kj->ik', w, w)", "w @ w.T"), "inner_product": ("x.inner_product(x)", "(x * x).sum()"), "vdot": ("x.vdot(x)", "np.vdot(x, x)"),
    "outer": ("x.outer(y)", "np.outer(x, y)"), "kron": ("w.kron(w)", "np.kron(w, w)"), "tensordot": ("w.tensordot(w, 1)", "np.tensordot(w, w, 1)"),
    "linear": ("w.linear(w, w[0])", "w @ w.T + w[0]"), "trace": ("w.trace()", "np.trace(w)"), "diagonal": ("w.diagonal(1)", "np.diagonal(w, 1)"),
    "layer_norm": ("w.layer_norm(3, eps=0.0)", "(w - w.mean(-1, keepdims=True)) / w.std(-1, keepdims=True)"),
    "layernorm": ("w.layernorm(-1, 0.0)", "(w - w.mean(-1, keepdims=True)) / w.std(-1, keepdims=True)"),
    "rms_norm": ("w.rms_norm(eps=0.0)", "w / np.sqrt((w * w).mean(-1, keepdims=True))"),
    "normalize": ("w.normalize()", "w / np.sqrt((w * w).sum(1, keepdims=True))"),
    "softmax": ("x.softmax(0)", "np.exp(x) / np.exp(x).sum(0)"), "log_softmax": ("x.log_softmax(0)", "x - np.log(np.exp(x).sum(0))"),
    "softmin": ("x.softmin(0)", "np.exp(-x) / np.exp(-x).sum(0)"),
    "broadcast_to": ("w.broadcast_to(2, 3, 3)", "np.broadcast_to(w, (2, 3, 3))"), "expand": ("w.expand(2, 3, 3)", "np.broadcast_to(w, (2, 3, 3))"),
    "expand_as": ("w.expand_as(Tensor.zeros(2, 3, 3))", "np.broadcast_to(w, (2, 3, 3))"), "expand_dims": ("x.expand_dims(0)", "x[None]"),
    "unsqueeze": ("x.unsqueeze(0)", "x[None]"), "squeeze": ("v.squeeze(0)", "v[0]"), "chunk": ("w.chunk(2)[1]", "w[2:]"), "split": ("w.split(2)[0]", "w[:2]"),
    "unbind": ("w.unbind()[1]", "w[1]"), "unflatten": ("v.unflatten(2, (2, 3))", "v.reshape(1, 2, 2, 3)"), "narrow": ("w.narrow(1, 1, 2)", "w[:, 1:3]"),
    "select": ("w.select(1, 2)", "w[:, 2]"), "shrink": ("w.shrink((None, (1, 3)))", "w[:, 1:3]"), "flip": ("w.flip(1)", "w[:, ::-1]"),
    "moveaxis": ("v.moveaxis(0, 2)", "np.moveaxis(v, 0, 2)"), "movedim": ("v.movedim(0, 2)", "np.moveaxis(v, 0, 2)"),
    "permute": ("v.permute(2, 0, 1)", "v.transpose(2, 0, 1)"), "permute_dims": ("morok.permute_dims(v, (2, 0, 1))", "v.transpose(2, 0, 1)"),
    "transpose": ("v.transpose(1, 2)", "np.swapaxes(v, 1, 2)"), "swapaxes": ("v.swapaxes(1, 2)", "np.swapaxes(v, 1, 2)"),
    "reshape": ("v.reshape(3, -1)", "v.reshape(3, -1)"), "view": ("v.view(3, -1)", "v.reshape(3, -1)"),
    "pad": ("w.pad(((1, 0), (0, 2)))", "np.pad(w, ((1, 0), (0, 2)))"),
    "repeat": ("w.repeat(2, 2)", "np.tile(w, (2, 2))"), "repeat_interleave": ("w.repeat_interleave(2, 1)", "np.repeat(w, 2, 1)"),
    "tile": ("w.tile(2, 1)", "np.tile(w, (2, 1))"), "roll": ("w.roll(1, 0)", "np.roll(w, 1, 0)"), "rot90": ("w.rot90()", "np.rot90(w)"),
    "tril": ("w.tril()", "np.tril(w)"), "triu": ("w.triu(1)", "np.triu(w, 1)"), "where": ("x.where(m, y)", "np.where(m, x, y)"),
    "masked_fill": ("x.masked_fill(m, 2)", "np.where(m, 2, x)"), "masked_select": ("x.masked_select(m)", "x[np.broadcast_to(m, x.shape)]"),
    "cat": ("x.cat(x, dim=0)", "np.concatenate([x, x])"), "concat": ("x.concat(x, dim=0)", "np.concatenate([x, x])"),
    "concatenate": ("x.concatenate(x, dim=0)", "np.concatenate([x, x])"), "stack": ("x.stack(x, dim=0)", "np.stack([x, x])"),
    "clamp": ("x.clamp(-1, 2)", "np.clip(x, -1, 2)"), "clip": ("x.clip(-1, None)", "np.clip(x, -1, None)"), "lerp": ("x.lerp(y, 0.25)", "x + 0.25 * (y - x)"),
    "glu": ("v.glu()", "v[..., :3] / (1 + np.exp(-v[..., 3:]))"), "threshold": ("x.threshold(1.0, 7.0)", "np.where(x > 1, x, 7)"),
    "nan_to_num": ("(x / x).nan_to_num(5.0)", "np.nan_to_num(x / x, nan=5.0)"), "one_hot": ("i.one_hot(12)", "np.eye(12)[i]"),
    "gather": ("w.gather(0, k)", "np.take_along_axis(w, k, 0)"), "take": ("w.take(k[0], 1)", "np.take(w, k[0], 1)"),
    "index_select": ("w.index_select(1, k[0])", "np.take(w, k[0], 1)"),
    "cumsum": ("w.cumsum(1)", "np.cumsum(w, 1)"), "cumprod": ("w.cumprod(1)", "np.cumprod(w, 1)"), "cummax": ("w.cummax(1)", "np.maximum.accumulate(w, 1)"),
    "cummin": ("w.cummin(1)", "np.minimum.accumulate(w, 1)"), "argmax": ("w.argmax(1)", "w.argmax(1)"), "argmin": ("w.argmin(1)", "w.argmin(1)"),
    "arange": ("Tensor.arange(2, 9, 3)", "np.arange(2, 9, 3)"), "linspace": ("Tensor.linspace(0, 1, 5)", "np.linspace(0, 1, 5)"),
    "eye": ("Tensor.eye(3, 4)", "np.eye(3, 4)"), "full": ("Tensor.full((2, 3), 5.0)", "np.full((2, 3), 5.0)"),
    "full_like": ("w.full_like(5.0)", "np.full_like(w, 5)"), "zeros": ("Tensor.zeros(2, 3)", "np.zeros((2, 3))"), "ones": ("Tensor.ones(2)", "np.ones(2)"),
    "empty": ("Tensor.empty(2, 0)", "np.empty((2, 0))"), "numpy": ("w.numpy()", "w"), "data": ("w.data()", "w"), "tolist": ("w.tolist()", "w"),
    "item": ("w[0, 1].item()", "w[0, 1]"), "shape": ("v.shape", "np.shape(v)"), "ndim": ("v.ndim", "v.ndim"), "size": ("v.size", "v.size"),
    "nbytes": ("v.nbytes", "v.nbytes"), "itemsize": ("v.itemsize", "v.itemsize"), "numel": ("v.numel()", "v.size"), "dim": ("v.dim()", "v.ndim"),
    "is_floating_point": ("v.is_floating_point()", "v.dtype.kind == 'f'"), "dtype": ("v.dtype.np", "v.dtype"),
    "digitize": ("morok.digitize(x, [-3.0, 0.0, 2.5])", "np.digitize(x, [-3.0, 0.0, 2.5])"),
    "inv_ex": ("morok.linalg.inv_ex(w + 20 * Tensor.eye(3, dtype=w.dtype))[0]", "np.linalg.inv(w + 20 * np.eye(3))"),
    "multi_dot": ("morok.linalg.multi_dot([w, w, w[:, :2]])", "np.linalg.multi_dot([w, w, w[:, :2]])"),
    "tensorinv": ("morok.linalg.tensorinv((w + 20 * Tensor.eye(3, dtype=w.dtype)).reshape(3, 3, 1), 1)",
                  "np.linalg.tensorinv((w + 20 * np.eye(3)).reshape(3, 3, 1), 1)"),
    "tensorsolve": ("morok.linalg.tensorsolve((w + 20 * Tensor.eye(3, dtype=w.dtype)).reshape(3, 3, 1), w[0])",
                    "np.linalg.tensorsolve((w + 20 * np.eye(3)).reshape(3, 3, 1), w[0])"),
    "nanpercentile": ("x.where(m, float('nan')).nanpercentile(30, 1)", "np.nanpercentile(np.where(m, x, np.nan), 30, 1)"),
    "frexp": ("x.frexp()[0]", "np.frexp(x)[0]"), "modf": ("x.modf()[0]", "np.modf(x)[0]"), "divmod": ("x.divmod(y)[1]", "np.divmod(x, y)[1]"),
    "frexp of morok": ("morok.frexp(x)[1]", "np.frexp(x)[1]"), "ldexp": ("x.ldexp(i)", "np.ldexp(x, i)"),
    "nextafter": ("x.nextafter(y)", "np.nextafter(x, y)"), "realize_batch": ("(lambda t: (Tensor.realize_batch([w, t]), t)[1])(w * 2)", "w * 2"),
    "flipud": ("w.flipud()", "np.flipud(w)"), "fliplr": ("w.fliplr()", "np.fliplr(w)"), "corrcoef": ("w.corrcoef()", "np.corrcoef(w)"),
    "cov": ("w.cov()", "np.cov(w)"), "diag": ("w.diag(1)", "np.diag(w, 1)"), "from_dlpack": ("Tensor.from_dlpack(w.numpy())", "w"),
    "sum": ("x.sum(0)", "x.sum(0)"),
    "invert": ("morok.invert(i)", "~i"), "left_shift": ("morok.left_shift(i, j)", "i << j"), "right_shift": ("morok.right_shift(i, j)", "i >> j"),
    "power": ("morok.power(i, j)", "i ** j"),
    "element_size": ("v.element_size()", "v.itemsize"), "nelement": ("v.nelement()", "v.size"), "ndimension": ("v.ndimension()", "v.ndim"),
    "new_empty": ("i.new_empty(2, 0)", "np.empty((2, 0))"), "new_full": ("i.new_full((2, 3), 7)", "np.full((2, 3), 7)"),
    "new_ones": ("i.new_ones(2, 3)", "np.ones((2, 3))"), "new_zeros": ("i.new_zeros((2, 3))", "np.zeros((2, 3))"),
    "new_tensor": ("i.new_tensor([1.5, -2.5])", "np.array([1, -2])"), "type_as": ("x.type_as(i)", "x.astype(np.int64)"),
    "reshape_as": ("v.reshape_as(Tensor.zeros(3, 4))", "v.reshape(3, 4)"), "view_as": ("v.view_as(Tensor.zeros(3, 4))", "v.reshape(3, 4)"),
    "sum_to_size": ("v.sum_to_size(2, 1)", "v.sum((0, 2)).reshape(2, 1)"), "swapdims": ("v.swapdims(0, 2)", "np.swapaxes(v, 0, 2)"), "t": ("w.t()", "w.T"),
}
"""Of operands with shapes of their own: w and k are matrices 3 x 3, v is 1 x 2 x 6. The method's call, and what NumPy gives."""


def numpy_line(name):
    """The line of a name that NumPy has with the operands of a class of calls."""
    if not hasattr(np, name):
        return None
    function = getattr(morok, name, None) or getattr(Tensor, name)
    names = [p for p in inspect.signature(function).parameters if p != "self"]
    binary = ["x", "y"] if hasattr(morok, name) else ["other"]
    if {"axis", "keepdim"} <= set(names) and names[names[0] == "x":][0] == "axis":
        return REDUCTIONS, f"np.{name}(x, a)"
    if names == binary:
        return BINARY, f"np.{name}(x, y)"
    return (UNARY, f"np.{name}(x)") if names in (["x"], []) else None


def tables():
    """The three classes with the lines that NumPy's names give."""
    found = {id(t): dict(t) for t in (UNARY, BINARY, REDUCTIONS)}
    known = {**UNARY, **BINARY, **REDUCTIONS, **CALLS}
    for name in sorted({*morok.__all__, *(n for n in dir(Tensor) if not n.startswith("_"))}):
        line = numpy_line(name) if name not in known and callable(getattr(Tensor, name, getattr(morok, name, None))) else None
        if line:
            found[id(line[0])][name] = line[1]
    return [found[id(t)] for t in (UNARY, BINARY, REDUCTIONS)]

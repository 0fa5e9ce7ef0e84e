"""Floats of eight bits: they are kept in memory, and all arithmetic is float32's. Conversions are integer arithmetic on the numbers' bits.

    float32    s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm        float8_e4m3fn    s eeee mmm        float8_e5m2    s eeeee mm

To eight bits: rounded to the nearest, ties to even. float8_e5m2 and float8_e4m3 have infinities, which what is too large becomes; float8_e4m3fn has
none, and gives NaN (Micikevicius et al. 2022, "FP8 formats for deep learning"), all as `ml_dtypes` has it.
"""
from __future__ import annotations

from dataclasses import dataclass

from ..dialect import types as T
from ..graph.tensor_graph import TensorUOp
from . import build
from .closed_form import with_rule


@dataclass(frozen=True)
class Format:
    exponent_bits: int
    fraction_bits: int
    finite: bool
    """Without infinities: NaN alone has the highest code."""

    @property
    def bias(self) -> int:
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def infinity(self) -> int:
        """The code of infinity; of formats without, that of NaN."""
        return 0x7F if self.finite else ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan(self) -> int:
        return 0x7F if self.finite else self.infinity | (1 << (self.fraction_bits - 1))


FORMATS = {T.float8_e4m3fn: Format(4, 3, True), T.float8_e4m3: Format(4, 3, False), T.float8_e5m2: Format(5, 2, False)}


def converted(u: TensorUOp, dtype: T.DType) -> TensorUOp:
    """A cast from or to eight bits; its derivative is the cast back."""
    source = u.dtype
    inner = build.detach(u)
    found = _to_float32(inner, FORMATS[source]) if source in FORMATS else build.cast(inner, T.float32)
    found = _from_float32(found, dtype, FORMATS[dtype]) if dtype in FORMATS else build.cast(found, dtype)
    if not source.is_float or not dtype.is_float:
        return found
    return with_rule(found, (u,), lambda g: (build.cast(g, source),))


def bitcast(u: TensorUOp, dtype: T.DType) -> TensorUOp:
    t = u.type
    return build.op("bitcast", (u,), (), T.tensor(t.shape, dtype))  # type: ignore[union-attr]


def _to_float32(u: TensorUOp, format: Format) -> TensorUOp:
    def number(value: int) -> TensorUOp:
        return build.full(shape, value, T.int32)

    def real(value: float) -> TensorUOp:
        return build.full(shape, value, T.float32)
    shape = build.shape_of(u)
    code = build.cast(bitcast(u, T.uint8), T.int32)
    size = build.alu("and", code, number(0x7F))
    sign = build.alu("shl", build.alu("and", code, number(0x80)), number(24))
    bits = build.alu("add", build.alu("shl", size, number(23 - format.fraction_bits)), number((127 - format.bias) << 23))
    normal = bitcast(bits, T.float32)
    below = build.alu("mul", build.cast(size, T.float32), real(2.0 ** (1 - format.bias - format.fraction_bits)))
    magnitude = build.alu("where", build.alu("cmplt", size, number(1 << format.fraction_bits)), below, normal)
    special = build.alu("cmplt", number(0x7E if format.finite else format.infinity - 1), size)
    beyond = real(float("nan"))
    if not format.finite:
        beyond = build.alu("where", build.alu("cmpeq", size, number(format.infinity)), real(float("inf")), beyond)
    magnitude = build.alu("where", special, beyond, magnitude)
    return bitcast(build.alu("or", bitcast(magnitude, T.int32), sign), T.float32)


def _from_float32(u: TensorUOp, dtype: T.DType, format: Format) -> TensorUOp:
    def number(value: int) -> TensorUOp:
        return build.full(shape, value, T.int32)
    shape = build.shape_of(u)
    bits = bitcast(u, T.int32)
    size = build.alu("and", bits, number(0x7FFFFFFF))
    sign = build.alu("and", build.alu("shr", bits, number(24)), number(0x80))
    shift = 23 - format.fraction_bits
    last = build.alu("and", build.alu("shr", size, number(shift)), number(1))
    rounded = build.alu("add", build.alu("add", size, number((1 << (shift - 1)) - 1)), last)
    normal = build.alu("sub", build.alu("shr", rounded, number(shift)), number((127 - format.bias) << format.fraction_bits))
    # Below the normal numbers the code is the number of least steps: adding 1.5 * 2**23 rounds to a whole number, whose bits end in it.
    steps = build.alu("mul", bitcast(build.alu("where", build.alu("cmplt", size, number((128 - format.bias) << 23)), size, number(0)), T.float32),
                      build.full(shape, 2.0 ** (format.bias - 1 + format.fraction_bits), T.float32))
    magic = build.alu("add", steps, build.full(shape, 1.5 * 2.0 ** 23, T.float32))
    below = build.alu("and", bitcast(magic, T.int32), number(0x3FFFFF))
    code = build.alu("where", build.alu("cmplt", size, number((128 - format.bias) << 23)), below, normal)
    over = build.alu("cmplt", number(format.infinity - 1), code)
    code = build.alu("where", over, number(format.infinity), code)
    code = build.alu("where", build.alu("cmplt", number(0x7F800000), size), number(format.nan), code)
    return bitcast(build.cast(build.alu("or", code, sign), T.uint8), dtype)

"""Conversions between dtypes in upstream dialects, with every case defined.

Floats to integers: truncated, saturated to int64 (NaN gives 0), wrapped to the width. To bool: x != 0. 16-bit floats go by way of float32.
"""
from __future__ import annotations

from collections.abc import Sequence

from ...dialect import types as T
from ...graph.uop import UOp
from .emission import Emitter, Value

LEAST_INT64, GREATEST_INT64 = -(1 << 63), (1 << 63) - 1


class Conversions(Emitter):
    """An emitter that knows cast and bitcast."""

    def _bitcast(self, u: UOp, x: Sequence[Value]) -> Value:
        source = u.operands[0].dtype
        if source is T.bool_ or u.dtype is T.bool_:  # a bool is a byte
            byte = x[0] if source is not T.bool_ else self.create("arith.extui", T.like(u.type, T.uint8), x)
            return byte if u.dtype is not T.bool_ else self.compare(1, byte, self.constant(0, T.like(u.type, T.uint8)), u.type)
        if source is T.index or u.dtype is T.index:
            return self.cast(x[0], source, T.like(u.type, T.int64) if u.dtype is not T.index else u.type)
        if source.kind in "iu" and u.dtype.kind in "iu":
            return x[0]
        return self.create("arith.bitcast", u.type, x)

    def _cast(self, u: UOp, x: Sequence[Value]) -> Value:
        return self.cast(x[0], u.operands[0].dtype, u.type)

    def cast(self, x: Value, source: T.DType, t: T.Type) -> Value:
        """Converts a value of the source dtype to type t."""
        dtype = T.element_dtype(t)
        if source is dtype:
            return x
        if dtype is T.bool_:
            s = T.like(t, source)
            if source.is_float:
                if source.bits == 16:
                    return self.cast(self.cast(x, source, T.like(t, T.float32)), T.float32, t)
                return self.create("arith.cmpf", t, (x, self.constant(0.0, s)), {"predicate": self.names.predicates[13]})
            return self.compare(1, x, self.constant(0, s), s)
        if source is T.bool_:
            return self.select(x, self.constant(1.0 if dtype.is_float else 1, t), self.constant(0.0 if dtype.is_float else 0, t), t)
        if source.is_float:
            return self._float_to_float(x, source, t) if dtype.is_float else self._float_to_int(x, source, t)
        if dtype.is_float:
            return self._int_to_float(x, source, t)
        return self._int_to_int(x, source, t)

    def _int_to_int(self, x: Value, source: T.DType, t: T.Type) -> Value:
        dtype = T.element_dtype(t)
        if source is T.index or dtype is T.index:
            return self.create("arith.index_castui" if source.kind == "u" else "arith.index_cast", t, (x,))
        if source.bits == dtype.bits:
            return x
        if source.bits > dtype.bits:
            return self.create("arith.trunci", t, (x,))
        return self.create("arith.extui" if source.kind == "u" else "arith.extsi", t, (x,))

    def _int_to_float(self, x: Value, source: T.DType, t: T.Type) -> Value:
        dtype = T.element_dtype(t)
        if source is T.index:
            x = self.create("arith.index_cast", T.like(t, T.int64), (x,))
        wide = t if dtype.bits > 16 else T.like(t, T.float32)
        result = self.create("arith.uitofp" if source.kind == "u" else "arith.sitofp", wide, (x,))
        return result if wide is t else self.cast(result, T.float32, t)

    def _float_to_float(self, x: Value, source: T.DType, t: T.Type) -> Value:
        """16-bit floats go by way of float32; bfloat16 by its bits, since targets round it differently (or call a library)."""
        dtype = T.element_dtype(t)
        if dtype is T.bfloat16 and source is T.float32:
            return self._round_to_bfloat16(x, t)
        if source is T.bfloat16 and dtype is T.float32:
            u16, u32 = T.like(t, T.uint16), T.like(t, T.uint32)
            bits = self.create("arith.extui", u32, (self.create("arith.bitcast", u16, (x,)),))
            return self.create("arith.bitcast", t, (self.create("arith.shli", u32, (bits, self.constant(16, u32))),))
        if source is T.float64 and dtype is T.float16:  # bfloat16 as ml_dtypes and PyTorch have it, by way of float32
            return self.cast(self._round_to_odd(x, T.like(t, T.float32)), T.float32, t)
        if source.bits == 16 and (dtype.bits != 32) or dtype.bits == 16 and source.bits != 32:
            return self.cast(self.cast(x, source, T.like(t, T.float32)), T.float32, t)
        return self.create("arith.extf" if dtype.bits > source.bits else "arith.truncf", t, (x,))

    def _round_to_odd(self, x: Value, t: T.Type) -> Value:
        """float64 to float32 so that a second rounding, to float16, gives what one would: what is not exact has an odd last bit (Boldo and Melquiond 2008)."""
        f64, u32, b = T.like(t, T.float64), T.like(t, T.uint32), T.like(t, T.bool_)
        near = self.create("arith.truncf", t, (x,))
        back, bits = self.create("arith.extf", f64, (near,)), self.create("arith.bitcast", u32, (near,))
        last = self.create("arith.andi", u32, (bits, self.constant(1, u32)))
        even = self.create("arith.subi", u32, (self.constant(1, u32), last))
        size, whole = (self.create("math.absf", f64, (v,)) for v in (back, x))
        short, long = (self.create("arith.cmpf", b, pair, {"predicate": self.names.predicates[4]}) for pair in ((size, whole), (whole, size)))
        shorter = self.select(long, self.create("arith.subi", u32, (bits, even)), bits, u32)
        return self.create("arith.bitcast", t, (self.select(short, self.create("arith.addi", u32, (bits, even)), shorter, u32),))

    def _round_to_bfloat16(self, x: Value, t: T.Type) -> Value:
        u16, u32, b = T.like(t, T.uint16), T.like(t, T.uint32), T.like(t, T.bool_)
        bits = self.create("arith.bitcast", u32, (x,))
        sixteen = self.constant(16, u32)
        odd = self.create("arith.andi", u32, (self.create("arith.shrui", u32, (bits, sixteen)), self.constant(1, u32)))
        rounded = self.create("arith.addi", u32, (self.create("arith.addi", u32, (bits, self.constant(0x7FFF, u32))), odd))
        nan = self.create("arith.cmpf", b, (x, x), {"predicate": self.names.predicates[14]})
        quiet = self.create("arith.ori", u32, (bits, self.constant(0x400000, u32)))
        high = self.create("arith.shrui", u32, (self.select(nan, quiet, rounded, u32), sixteen))
        return self.create("arith.bitcast", t, (self.create("arith.trunci", u16, (high,)),))

    def _float_to_int(self, x: Value, source: T.DType, t: T.Type) -> Value:
        """Truncated, saturated to int64 (NaN gives 0), wrapped."""
        dtype = T.element_dtype(t)
        if source.bits == 16:
            return self.cast(self.cast(x, source, T.like(t, T.float32)), T.float32, t)
        if source is T.float32 and dtype.bits <= 32 and isinstance(t, T.VectorType):
            return self._float32_to_narrow(x, t)
        s, i64 = T.like(t, source), T.like(t, T.int64)
        b = T.like(t, T.bool_)
        limit = self.constant(2.0 ** 63, s)
        inside = self.create("arith.cmpf", b, (self.create("math.absf", s, (x,)), limit), {"predicate": self.names.predicates[4]})
        whole = self.create("arith.fptosi", i64, (self.select(inside, x, self.constant(0.0, s), s),))
        above = self.create("arith.cmpf", b, (x, limit), {"predicate": self.names.predicates[3]})
        below = self.create("arith.cmpf", b, (x, self.constant(-2.0 ** 63, s)), {"predicate": self.names.predicates[5]})
        whole = self.select(above, self.constant(GREATEST_INT64, i64), self.select(below, self.constant(LEAST_INT64, i64), whole, i64), i64)
        return self._int_to_int(whole, T.int64, t)

    def _float32_to_narrow(self, x: Value, t: T.Type) -> Value:
        """float32 to at most 32 bits without 64-bit lanes: beyond 2**31 the low bits are the fraction shifted by the exponent."""
        s, i32, b = T.like(t, T.float32), T.like(t, T.int32), T.like(t, T.bool_)
        size = self.create("math.absf", s, (x,))
        inside = self.create("arith.cmpf", b, (size, self.constant(2.0 ** 31, s)), {"predicate": self.names.predicates[4]})
        whole = self.create("arith.fptosi", i32, (self.select(inside, x, self.constant(0.0, s), s),))
        bits = self.create("arith.bitcast", i32, (size,))
        exponent = self.create("arith.shrui", i32, (bits, self.constant(23, i32)))
        distance = self.create("arith.subi", i32, (exponent, self.constant(150, i32)))
        kept = self.compare(6, distance, self.constant(32, i32), i32)
        fraction = self.create("arith.andi", i32, (bits, self.constant(0x7FFFFF, i32)))
        fraction = self.create("arith.ori", i32, (fraction, self.constant(0x800000, i32)))
        shifted = self.create("arith.shli", i32, (fraction, self.select(kept, distance, self.constant(0, i32), i32)))
        shifted = self.select(kept, shifted, self.constant(0, i32), i32)
        negative = self.create("arith.cmpf", b, (x, self.constant(0.0, s)), {"predicate": self.names.predicates[4]})
        wrapped = self.select(negative, self.create("arith.subi", i32, (self.constant(0, i32), shifted)), shifted, i32)
        above = self.create("arith.cmpf", b, (x, self.constant(2.0 ** 63, s)), {"predicate": self.names.predicates[3]})
        wrapped = self.select(above, self.constant(-1, i32), wrapped, i32)
        return self._int_to_int(self.select(inside, whole, wrapped, i32), T.int32, t)

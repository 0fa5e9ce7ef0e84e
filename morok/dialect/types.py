"""Types of the dialect as interned Python values, and their MLIR spelling both ways.

A type is compared by identity: `tensor((2, 3), float32) is tensor((2, 3), float32)`. Python values instead of `mlir.ir.Type` keep shape and
dtype queries free of calls into the bindings; `to_mlir` and `from_mlir` translate, each through a cache.
"""
from __future__ import annotations

from functools import cache, lru_cache
from math import prod
from typing import Any

import ml_dtypes
import numpy as np
from mlir import ir


class DType:
    """An element type. `kind` is b(ool), i(nt), u(nsigned), f(loat) or x (index); `bits` the width in memory."""

    __slots__ = ("name", "kind", "bits", "mlir", "np", "rank")

    def __init__(self, name: str, kind: str, bits: int, mlir: str, np_dtype: Any, rank: float):
        self.name, self.kind, self.bits, self.mlir, self.rank = name, kind, bits, mlir, rank
        self.np = np.dtype(np_dtype)

    @property
    def itemsize(self) -> int:
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_int(self) -> bool:
        """Integers and index; not bool."""
        return self.kind in "iux"

    @property
    def min(self) -> Any:
        """Least value: -inf for floats that have it."""
        if self.kind == "f":
            return -448.0 if self.name == "float8_e4m3fn" else float("-inf")
        if self.kind == "b":
            return False
        return 0 if self.kind == "u" else -(1 << (self.bits - 1))

    @property
    def max(self) -> Any:
        """Greatest value: inf for floats that have it."""
        if self.kind == "f":
            return 448.0 if self.name == "float8_e4m3fn" else float("inf")
        if self.kind == "b":
            return True
        return (1 << self.bits) - 1 if self.kind == "u" else (1 << (self.bits - 1)) - 1

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> Any:
        return dtype_named, (self.name,)


bool_ = DType("bool", "b", 8, "i1", np.bool_, 0)
int8, int16, int32, int64 = (DType(f"int{b}", "i", b, f"i{b}", f"int{b}", r) for b, r in ((8, 1), (16, 3), (32, 5), (64, 7)))
uint8, uint16, uint32, uint64 = (DType(f"uint{b}", "u", b, f"ui{b}", f"uint{b}", r) for b, r in ((8, 2), (16, 4), (32, 6), (64, 8)))
float8_e4m3fn = DType("float8_e4m3fn", "f", 8, "f8E4M3FN", ml_dtypes.float8_e4m3fn, 8.25)
float8_e4m3 = DType("float8_e4m3", "f", 8, "f8E4M3", ml_dtypes.float8_e4m3, 8.5)
float8_e5m2 = DType("float8_e5m2", "f", 8, "f8E5M2", ml_dtypes.float8_e5m2, 8.75)
float16 = DType("float16", "f", 16, "f16", np.float16, 10)
bfloat16 = DType("bfloat16", "f", 16, "bf16", ml_dtypes.bfloat16, 9)
float32 = DType("float32", "f", 32, "f32", np.float32, 11)
float64 = DType("float64", "f", 64, "f64", np.float64, 12)
index = DType("index", "x", 64, "index", np.int64, 13)

EIGHT_BIT_FLOATS = frozenset((float8_e4m3fn, float8_e4m3, float8_e5m2))
"""Kept in memory, but computed with as float32."""

DTYPES = {d.name: d for d in (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float8_e4m3fn, float8_e4m3, float8_e5m2, float16, bfloat16,
                           float32, float64, index)}
_BY_MLIR = {d.mlir: d for d in DTYPES.values()}
_BY_NUMPY = {d.np: d for d in DTYPES.values() if d is not index}


def dtype_named(name: str) -> DType:
    return DTYPES[name]


def dtype_of_numpy(dtype: Any) -> DType:
    """The DType of a NumPy dtype; TypeError where there is none."""
    found = _BY_NUMPY.get(np.dtype(dtype))
    if found is None:
        raise TypeError(f"no morok dtype for NumPy's {np.dtype(dtype)}; supported: {', '.join(d.name for d in _BY_NUMPY.values())}")
    return found


class TensorType:
    """`tensor<2x?xf32>`: sizes are ints, None where symbolic."""

    __slots__ = ("shape", "dtype")

    def __init__(self, shape: tuple, dtype: DType):
        self.shape, self.dtype = shape, dtype

    def with_shape(self, shape: tuple) -> TensorType:
        return tensor(tuple(shape), self.dtype)

    def __repr__(self) -> str:
        return spelling(self)


class MemRefType:
    """A buffer: `memref<2x3xf32>`; `space` is None (global memory), "local" (thread-private scratch) or "register"."""

    __slots__ = ("shape", "dtype", "space")

    def __init__(self, shape: tuple, dtype: DType, space: str | None):
        self.shape, self.dtype, self.space = shape, dtype, space

    @property
    def size(self) -> int:
        """Elements."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __repr__(self) -> str:
        return spelling(self)


class VectorType:
    """`vector<16xf32>`: a one-dimensional vector of `lanes` elements."""

    __slots__ = ("lanes", "dtype")

    def __init__(self, lanes: int, dtype: DType):
        self.lanes, self.dtype = lanes, dtype

    def __repr__(self) -> str:
        return spelling(self)


class PtrType:
    """`!morok.ptr<f32, "global">`: the result of an index op; `element` is a DType or, for a contiguous vector access, a VectorType."""

    __slots__ = ("element", "space")

    def __init__(self, element: DType | VectorType, space: str):
        self.element, self.space = element, space

    @property
    def dtype(self) -> DType:
        return self.element.dtype if isinstance(self.element, VectorType) else self.element

    def __repr__(self) -> str:
        return spelling(self)


class TokenType:
    """`!morok.token`: an effect (a store, the end of a loop, a kernel launch) that others can be ordered after."""

    __slots__ = ()
    dtype = None

    def __repr__(self) -> str:
        return "!morok.token"


class ArgumentType:
    """`!morok.argument`: a buffer bound to a kernel's parameter slot."""

    __slots__ = ()
    dtype = None

    def __repr__(self) -> str:
        return "!morok.argument"


Type = DType | TensorType | MemRefType | VectorType | PtrType | TokenType | ArgumentType

token = TokenType()
argument = ArgumentType()
tensor = lru_cache(maxsize=None)(TensorType)
vector = lru_cache(maxsize=None)(VectorType)
ptr = lru_cache(maxsize=None)(PtrType)
_memref = lru_cache(maxsize=None)(MemRefType)


def memref(shape: tuple, dtype: DType, space: str | None = None) -> MemRefType:
    return _memref(shape, dtype, space)


def element_dtype(t: Type) -> DType:
    """The dtype of a scalar, vector, tensor, buffer or pointer."""
    return t if isinstance(t, DType) else t.dtype  # type: ignore[return-value]


def like(t: Type, dtype: DType) -> Type:
    """The type of t's shape with another element type."""
    if isinstance(t, DType):
        return dtype
    if isinstance(t, VectorType):
        return vector(t.lanes, dtype)
    if isinstance(t, TensorType):
        return tensor(t.shape, dtype)
    raise TypeError(f"{t} has no elementwise form")


@cache
def spelling(t: Type) -> str:
    """The type as MLIR prints it."""
    if isinstance(t, DType):
        return t.mlir
    if isinstance(t, TensorType):
        return _shaped("tensor", t.shape, t.dtype, "")
    if isinstance(t, MemRefType):
        return _shaped("memref", t.shape, t.dtype, f', "{t.space}"' if t.space else "")
    if isinstance(t, VectorType):
        return f"vector<{t.lanes}x{t.dtype.mlir}>"
    if isinstance(t, PtrType):
        return f'!morok.ptr<{spelling(t.element)}, "{t.space}">'
    return repr(t)


def _shaped(name: str, shape: tuple, dtype: DType, suffix: str) -> str:
    sizes = "".join(("?" if s is None else str(s)) + "x" for s in shape)
    return f"{name}<{sizes}{dtype.mlir}{suffix}>"


class TypeTranslator:
    """MLIR types of one context, both ways, cached."""

    def __init__(self, context: ir.Context):
        self.context = context
        self._to: dict[Type, ir.Type] = {}
        self._from: dict[ir.Type, Type] = {}

    def to_mlir(self, t: Type) -> ir.Type:
        found = self._to.get(t)
        if found is None:
            found = self._to[t] = ir.Type.parse(spelling(t), self.context)
            self._from[found] = t
        return found

    def from_mlir(self, t: ir.Type) -> Type:
        """The Python value of an MLIR type; TypeError for one that the dialect does not know."""
        found = self._from.get(t)
        if found is None:
            found = self._from[t] = parse_type(t)
        return found


POINTER_SPACES = ("global", "local", "register")
_SPACES = 'of no name, "local" or "register"'


def parse_type(t: ir.Type) -> Type:
    """The Python value of an MLIR type; TypeError for one that the dialect does not know."""
    text = str(t)
    if text in _BY_MLIR:
        return _BY_MLIR[text]
    if isinstance(t, ir.RankedTensorType):
        return _plain(tensor(_sizes(t), _dtype(t.element_type)), text, "without encoding")
    if isinstance(t, ir.MemRefType):
        space = t.memory_space.value if isinstance(t.memory_space, ir.StringAttr) else None
        return _plain(memref(_sizes(t), _dtype(t.element_type), space), text, f"in row-major order, in memory {_SPACES}")
    if isinstance(t, ir.VectorType):
        if t.rank != 1 or t.scalable:
            raise TypeError(f"morok takes vectors of one dimension and fixed length, not {text}")
        return vector(t.shape[0], _dtype(t.element_type))
    if text == "!morok.token":
        return token
    if text == "!morok.argument":
        return argument
    if text.startswith("!morok.ptr<"):
        element, _, space = text[len("!morok.ptr<"):-1].rpartition(", ")
        if space.strip('"') not in POINTER_SPACES or not element:
            raise TypeError(f"a !morok.ptr has a space of {', '.join(POINTER_SPACES)}, not {text}")
        parsed = parse_type(ir.Type.parse(element, t.context))
        if not isinstance(parsed, (DType, VectorType)):
            raise TypeError(f"a !morok.ptr points to a scalar or vector, not as {text}")
        return ptr(parsed, space.strip('"'))
    raise TypeError(f"morok has no type {text}")


def _plain(parsed: Type, text: str, allowed: str) -> Type:
    """The parsed type, if it says all that the MLIR type says."""
    if spelling(parsed) != text or isinstance(parsed, MemRefType) and parsed.space not in (None, *POINTER_SPACES[1:]):
        raise TypeError(f"morok takes a {text.partition('<')[0]} {allowed}; not {text}")
    return parsed


def _sizes(t: Any) -> tuple:
    return tuple(None if t.is_dynamic_dim(i) else t.get_dim_size(i) for i in range(t.rank))


def _dtype(t: ir.Type) -> DType:
    found = _BY_MLIR.get(str(t))
    if found is None:
        raise TypeError(f"morok has no element type {t}; known: {', '.join(_BY_MLIR)}")
    return found

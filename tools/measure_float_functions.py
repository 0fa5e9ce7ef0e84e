"""Errors, operation counts and speed of the float functions, as C compiled by the system's compiler.

    python tools/measure_float_functions.py exp sin          float32 (all 2**32 inputs) and float64 (samples)
    python tools/measure_float_functions.py --dtype float32 --stride 1009

An `ops` object writes C; the reference is glibc in double for float32 and libquadmath for float64. Needs gcc on x86-64 with FMA.
"""
from __future__ import annotations

import argparse
import ctypes
import os
import struct
import subprocess
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from morok.passes.codegen.float_functions import FUNCTIONS

C_TYPE = {"float32": "float", "float64": "double", "int32": "int32_t", "int64": "int64_t", "uint32": "uint32_t", "uint64": "uint64_t",
          "bool": "_Bool"}


@dataclass(frozen=True)
class Name:
    text: str
    dtype: str


class COps:
    """An `ops` that appends one C statement per operation."""

    def __init__(self, usual_only: bool = False) -> None:
        self.usual_only = usual_only
        self.lines: list[str] = []
        self.names = 0
        self.count = 0
        self.rare_count = 0
        self.inside_rare = False

    def _emit(self, expression: str, dtype: str, counts: bool = True) -> Name:
        self.names += 1
        name = Name(f"v{self.names}", dtype)
        self.lines.append(f"{C_TYPE[dtype]} {name.text} = {expression};")
        if counts:
            if self.inside_rare:
                self.rare_count += 1
            else:
                self.count += 1
        return name

    def const(self, value: float, like: Name) -> Name:
        if like.dtype == "float32":
            return Name(_float_literal(struct.unpack("f", struct.pack("f", value))[0], "f"), like.dtype)
        if like.dtype == "float64":
            return Name(_float_literal(float(value), ""), like.dtype)
        return Name(f"(({C_TYPE[like.dtype]}){hex(int(value) & (2**64 - 1))}ull)", like.dtype)

    def _same(self, template: str, *operands: Name) -> Name:
        assert len({operand.dtype for operand in operands}) == 1, operands
        suffix = "f" if operands[0].dtype == "float32" else ""
        return self._emit(template.format(*(operand.text for operand in operands), f=suffix), operands[0].dtype)

    def add(self, a: Name, b: Name) -> Name: return self._same("{0} + {1}", a, b)
    def sub(self, a: Name, b: Name) -> Name: return self._same("{0} - {1}", a, b)
    def mul(self, a: Name, b: Name) -> Name: return self._same("{0} * {1}", a, b)
    def div(self, a: Name, b: Name) -> Name: return self._same("{0} / {1}", a, b)
    def fma(self, a: Name, b: Name, c: Name) -> Name: return self._same("__builtin_fma{f}({0}, {1}, {2})", a, b, c)
    def sqrt(self, a: Name) -> Name: return self._same("__builtin_sqrt{f}({0})", a)
    def floor(self, a: Name) -> Name: return self._same("__builtin_floor{f}({0})", a)
    def trunc(self, a: Name) -> Name: return self._same("__builtin_trunc{f}({0})", a)
    def round_even(self, a: Name) -> Name: return self._same("__builtin_rint{f}({0})", a)
    def abs(self, a: Name) -> Name: return self._same("__builtin_fabs{f}({0})", a)
    def neg(self, a: Name) -> Name: return self._emit(f"-{a.text}", a.dtype, counts=False)
    def shl(self, a: Name, b: Name) -> Name: return self._same("{0} << {1}", a, b)
    def shr(self, a: Name, b: Name) -> Name: return self._same("{0} >> {1}", a, b)
    def and_(self, a: Name, b: Name) -> Name: return self._same("{0} & {1}", a, b)
    def or_(self, a: Name, b: Name) -> Name: return self._same("{0} | {1}", a, b)
    def xor(self, a: Name, b: Name) -> Name: return self._same("{0} ^ {1}", a, b)
    def not_(self, a: Name) -> Name: return self._emit(f"!{a.text}", "bool", counts=False)

    def _compare(self, a: Name, relation: str, b: Name) -> Name:
        assert a.dtype == b.dtype
        return self._emit(f"{a.text} {relation} {b.text}", "bool")

    def lt(self, a: Name, b: Name) -> Name: return self._compare(a, "<", b)
    def le(self, a: Name, b: Name) -> Name: return self._compare(a, "<=", b)
    def eq(self, a: Name, b: Name) -> Name: return self._compare(a, "==", b)
    def ne(self, a: Name, b: Name) -> Name: return self._compare(a, "!=", b)

    def where(self, condition: Name, then: Name, otherwise: Name) -> Name:
        assert condition.dtype == "bool" and then.dtype == otherwise.dtype
        return self._emit(f"{condition.text} ? {then.text} : {otherwise.text}", then.dtype)

    def bitcast(self, a: Name, dtype: str) -> Name:
        source, target = C_TYPE[a.dtype], C_TYPE[dtype]
        return self._emit(f"((union {{{source} from; {target} to;}}){{.from = {a.text}}}).to", dtype, counts=False)

    def cast(self, a: Name, dtype: str) -> Name:
        return self._emit(f"({C_TYPE[dtype]}){a.text}", dtype)

    def rarely(self, condition: Name, slow: Callable[[], tuple[Name, ...]], fast: tuple[Name, ...]) -> tuple[Name, ...]:
        if self.usual_only:
            return fast
        results = tuple(self._emit(value.text, value.dtype, counts=False) for value in fast)
        outer, self.lines, self.inside_rare = self.lines, [], True
        for result, value in zip(results, slow()):
            self.lines.append(f"{result.text} = {value.text};")
        body, self.lines, self.inside_rare = self.lines, outer, False
        self.lines += [f"if (__builtin_expect({condition.text}, 0)) {{", *body, "}"]
        return results


def _float_literal(value: float, suffix: str) -> str:
    if value != value:
        return f"__builtin_nan{suffix}(\"\")"
    if value in (float("inf"), -float("inf")):
        return f"({'-' if value < 0 else ''}__builtin_inf{suffix}())"
    return f"({value.hex()}{suffix})"


def c_function(name: str, dtype: str, ops: COps, c_name: str) -> str:
    """The C text of one function."""
    arguments = [Name(argument, dtype) for argument in ("x", "y")[:2 if name == "pow" else 1]]
    builder: Callable[..., Name] = FUNCTIONS[name]
    result = builder(ops, *arguments)
    parameters = ", ".join(f"{C_TYPE[dtype]} {argument.text}" for argument in arguments)
    body = "\n  ".join(ops.lines)
    return f"static inline {C_TYPE[dtype]} {c_name}({parameters}) {{\n  {body}\n  return {result.text};\n}}\n"


HEADER = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
typedef __float128 quad;
#define QUAD(f) extern quad f##q(quad);
QUAD(exp) QUAD(exp2) QUAD(expm1) QUAD(log) QUAD(log2) QUAD(log1p) QUAD(sin) QUAD(cos) QUAD(tan) QUAD(tanh) QUAD(sinh) QUAD(cosh)
QUAD(asin) QUAD(acos) QUAD(atan) QUAD(asinh) QUAD(acosh) QUAD(atanh) QUAD(erf)
extern quad powq(quad, quad);
static double seconds(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
"""

UNARY_F32 = r"""
/* worst = {error in ulp, input, result, reference}; returns how many special values differ */
long measure(uint64_t start, uint64_t end, uint64_t stride, double *worst) {
  long wrong = 0;
  for (uint64_t i = start; i < end; i += stride) {
    uint32_t bits = (uint32_t)i; float x; memcpy(&x, &bits, 4);
    float y = ours(x);
    double reference = REFERENCE((double)x);
    int bad;
    double error = 0;
    if (reference != reference || y != y) bad = (reference == reference) != (y == y);
    else if (reference == 0 || isinf((double)x) || x == 0) {
      float r = (float)reference;
      bad = memcmp(&r, &y, 4) != 0 && !(r == y && r != 0);
    }
    else {
      bad = 0;
      double a = fabs(reference), got = fabs((double)y);
      if (isinf(got)) got = 0x1p128;
      if (a > 0x1p128) a = 0x1p128;
      if (!signbit(y) != !signbit(reference)) bad = 1;
      int e; frexp(a < 0x1p-126 ? 0x1p-126 : a >= 0x1p128 ? 0x1.fp127 : a, &e);
      error = fabs(got - a) * ldexp(1, 24 - e);
    }
    if (bad) { if (!wrong) { worst[4] = x; worst[5] = y; worst[6] = reference; } wrong++; }
    if (error > worst[0]) { worst[0] = error; worst[1] = x; worst[2] = y; worst[3] = reference; }
  }
  return wrong;
}
"""

F64 = r"""
static uint64_t state = 88172645463325252ull;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
static double bits_to(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }
static double uniform(double low, double high) { return low + (high - low) * ((next() >> 11) * 0x1p-53); }
static double judge(double y, quad reference, int *bad) {
  *bad = 0;
  if (reference != reference || y != y) { *bad = (reference == reference) != (y == y); return 0; }
  if (reference == 0) { *bad = y != 0 || (!signbit(y) != !signbit((double)reference)); return 0; }
  quad a = reference < 0 ? -reference : reference, got = y < 0 ? -(quad)y : y;
  quad top = (quad)0x1p1023 * 2;
  if (isinf(y)) got = top;
  if (a > top) a = top;
  if ((y < 0) != (reference < 0) && y != 0) *bad = 1;
  double da = (double)a; if (isinf(da)) da = 0x1p1023;
  int e; frexp(da < 0x1p-1022 ? 0x1p-1022 : da, &e);
  return (double)((got - a) * (quad)ldexp(1, 500 - e > 1000 ? 1000 : 500 - e) * (quad)ldexp(1, 53 - e - (500 - e > 1000 ? 1000 : 500 - e)));
}
static double pick(double low, double high) {
  switch (next() & 3) {
    case 0: return bits_to(next());
    case 1: return uniform(low, high);
    case 2: return uniform(-2, 2);
    default: return bits_to((next() & 0x803fffffffffffffull) | (uint64_t)((1023 - 20) + (int)(next() % 32)) << 52);
  }
}
long measure(double low, double high, long count, uint64_t seed, double *worst) {
  long wrong = 0; state ^= seed * 0x9e3779b97f4a7c15ull;
  for (long i = 0; i < count; i++) {
    BODY
    int bad; double error = fabs(judge(got, reference, &bad));
    if (bad) { if (!wrong) { worst[4] = x; worst[5] = got; worst[6] = (double)reference; worst[8] = other; } wrong++; }
    if (error > worst[0]) { worst[0] = error; worst[1] = x; worst[2] = got; worst[3] = (double)reference; worst[7] = other; }
  }
  return wrong;
}
"""

SPEED = r"""
double speed(TYPE *a, TYPE *b, TYPE *c, long n, long repeats) {
  double best = 1e9;
  for (long k = 0; k < repeats; k++) {
    double t = seconds();
    for (long i = 0; i < n; i++) CALL;
    __asm__ volatile("" ::: "memory");
    t = seconds() - t;
    if (t < best) best = t;
  }
  return best / n * 1e9;
}
"""
SAMPLED = {"exp": (-746, 710), "exp2": (-1076, 1025), "expm1": (-40, 710), "sinh": (-711, 711), "cosh": (-711, 711), "tanh": (-20, 20),
           "log": (0, 4), "log2": (0, 4), "log1p": (-1, 4), "sin": (-1e6, 1e6), "cos": (-1e6, 1e6), "tan": (-1e6, 1e6), "erf": (-6.5, 6.5)}


def build(name: str, dtype: str, directory: Path) -> tuple[ctypes.CDLL, COps]:
    ops = COps()
    text = c_function(name, dtype, ops, "ours") + c_function(name, dtype, COps(usual_only=True), "usual")
    call = "c[i] = usual(a[i], b[i])" if name == "pow" else "c[i] = usual(a[i])"
    if dtype == "float32":
        measure = UNARY_F32.replace("REFERENCE", name) if name != "pow" else POW_F32
    else:
        body = ("double x = pick(0, 10), other = pick(-300, 300); x = next() % 16 ? fabs(x) : x; double got = ours(x, other);"
                " quad reference = powq(x, other);"
                if name == "pow" else
                f"double x = pick(low, high), other = 0; double got = ours(x); quad reference = {name}q(x);")
        measure = F64.replace("BODY", body)
    source = directory / f"{name}_{dtype}.c"
    source.write_text(HEADER + text + measure + SPEED.replace("TYPE", C_TYPE[dtype]).replace("CALL", call))
    library = source.with_suffix(".so")
    subprocess.run(["gcc", "-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=off", "-fno-math-errno",
                    "-fno-trapping-math", "-shared", "-fPIC", str(source), "-o", str(library), "-lquadmath", "-lm"], check=True)
    return ctypes.CDLL(str(library)), ops


POW_F32 = F64.replace("judge(got, reference, &bad)", "judge32(got, reference, &bad)").replace("BODY", r"""
    float x = pick32(0, 10), other = pick32(-50, 50); x = next() % 16 ? fabsf(x) : x; float got = ours(x, other);
    double reference = pow(x, other);""").replace("long measure(", r"""
static double judge32(float y, double reference, int *bad) {
  *bad = 0;
  if (reference != reference || y != y) { *bad = (reference == reference) != (y == y); return 0; }
  if (reference == 0) { *bad = y != 0 || (!signbit(y) != !signbit(reference)); return 0; }
  double a = fabs(reference), got = fabs((double)y);
  if (isinf(got)) got = 0x1p128;
  if (a > 0x1p128) a = 0x1p128;
  if (!signbit(y) != !signbit(reference)) *bad = 1;
  int e; frexp(a < 0x1p-126 ? 0x1p-126 : a >= 0x1p128 ? 0x1.fp127 : a, &e);
  return (got - a) * ldexp(1, 24 - e);
}
static float pick32(float low, float high) {
  uint32_t bits = next() >> 16; float x; memcpy(&x, &bits, 4);
  switch (next() & 3) {
    case 0: return x;
    case 1: return (float)uniform(low, high);
    case 2: return (float)(int)uniform(-20, 20) * (next() % 2 ? 1 : .5f);
    default: return (float)uniform(.5, 1.5);
  }
}
long measure(""", 1)


def measure_float32(library: ctypes.CDLL, stride: int) -> tuple[list[float], int]:
    """The worst case over every `stride`-th bit pattern, and the number of wrong special values: one part of the range per processor."""
    parts = 8 * (os.cpu_count() or 1)

    def measure(part: int) -> tuple[list[float], int]:
        worst = (ctypes.c_double * 9)()
        start, end = (ctypes.c_uint64((boundary << 32) // parts) for boundary in (part, part + 1))
        wrong = library.measure(start, end, ctypes.c_uint64(stride), worst)
        return list(worst), wrong

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(measure, range(parts)))
    worst = max((worst for worst, _ in results), key=lambda worst: worst[0])
    worst[4:7] = next((part[4:7] for part, wrong in results if wrong), worst[4:7])
    return worst, sum(wrong for _, wrong in results)


def report(name: str, dtype: str, stride: int, samples: int, directory: Path) -> str:
    library, ops = build(name, dtype, directory)
    library.measure.restype = ctypes.c_long
    low, high = SAMPLED.get(name, (-1.0, 1.0))
    if dtype == "float32" and name != "pow":
        worst, wrong = measure_float32(library, stride)
    else:
        numbers = (ctypes.c_double * 9)()
        wrong = library.measure(ctypes.c_double(low), ctypes.c_double(high), ctypes.c_long(samples), ctypes.c_uint64(1), numbers)
        worst = list(numbers)
    c_type, count = (ctypes.c_float if dtype == "float32" else ctypes.c_double), 4096
    buffers = [(c_type * count)(*(0.5 + i / count / 2.5 for i in range(count))) for _ in range(3)]
    library.speed.restype = ctypes.c_double
    time = library.speed(*buffers, ctypes.c_long(count), ctypes.c_long(500))
    rare = f"+{ops.rare_count} rare" if ops.rare_count else ""
    second, second_wrong = (f", {worst[7]!r}", f", {worst[8]!r}") if name == "pow" else ("", "")
    line = f"{name:6} {dtype}  max {worst[0]:.3f} ulp at x={worst[1]!r}{second}"
    line += f" got {worst[2]!r}, want {worst[3]!r}; {ops.count}{rare} ops, {time:.3f} ns"
    if wrong:
        line += f"; {wrong} WRONG, first x={worst[4]!r}{second_wrong}: {worst[5]!r}, not {worst[6]!r}"
    return line


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the float functions' errors, operation counts and speed.")
    parser.add_argument("names", nargs="*", help="functions; all if none is given")
    parser.add_argument("--dtype", choices=("float32", "float64"), action="append")
    parser.add_argument("--stride", type=int, default=1, help="float32: every so manyth bit pattern")
    parser.add_argument("--samples", type=int, default=2_000_000, help="float64 and pow: how many inputs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        for name in arguments.names or FUNCTIONS:
            for dtype in arguments.dtype or ("float32", "float64"):
                print(report(name, dtype, arguments.stride, arguments.samples, Path(directory)), flush=True)


if __name__ == "__main__":
    main()

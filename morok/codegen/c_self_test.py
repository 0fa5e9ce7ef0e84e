"""Whether a C compiler's loop vectoriser can be trusted: two loops of the kind that kernels have, compiled and run.

GCC 12.2 (Debian 12's) gets both wrong at -O2 and up: it drops lanes of sums over a number of accumulators, and mixes up the gates of a gather
in an unrolled inner loop. Neither has undefined behaviour.
"""
from __future__ import annotations

import ctypes

from .c_compiler import SharedObject

SUM = """
void sum(int32_t *restrict b0, int32_t *restrict b1) {
  for (int64_t i = 0; i < 5; i += 1) {
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0;
    for (int64_t j = 0; j < 64; j += 1) {
      const int64_t at = i * 448 + j * 7;
      const int32_t v0 = b1[at], v1 = b1[at + 1], v2 = b1[at + 2], v3 = b1[at + 3], v4 = b1[at + 4], v5 = b1[at + 5], v6 = b1[at + 6];
      s0 += v0, s1 += v1, s2 += v2, s3 += v3, s4 += v4, s5 += v5, s6 += v6;
    }
    b0[i] = s0 + s1 + (s2 + s3) + (s4 + s5 + s6);
  }
}
"""
GATES = """
void gates(float *restrict b0, float *restrict b1) {
  for (int64_t i = 0; i < 64; i += 1) {
    const int64_t start = i * 5;
    for (int64_t j = 0; j < 5; j += 1) {
      const int64_t at = start + j;
      const bool before = at < 113;
      const bool after = 12 < at;
      const bool inside = (bool)(before & after);
      const int64_t from = inside ? at + (-13) : 0;
      const float v = b1[from];
      const float w = inside ? v : (-0x1p+0f);
      b0[at] = w;
    }
  }
}
"""
SOURCE = f"#include <stdbool.h>\n#include <stdint.h>\n{SUM}{GATES}"


def passes(code: SharedObject) -> bool:
    """Whether the compiled SOURCE computes what it says."""
    sums, ones = (ctypes.c_int32 * 5)(), (ctypes.c_int32 * (5 * 448))(*[1] * (5 * 448))
    _call(code.address("sum"), sums, ones)
    padded, values = (ctypes.c_float * 320)(), (ctypes.c_float * 100)(*range(100))
    _call(code.address("gates"), padded, values)
    return list(sums) == [448] * 5 and list(padded) == [*[-1] * 13, *range(100), *[-1] * 207]


def _call(address: int, output: ctypes.Array, source: ctypes.Array) -> None:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)(ctypes.addressof(output), ctypes.addressof(source))

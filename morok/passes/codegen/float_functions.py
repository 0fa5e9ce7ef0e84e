"""The transcendentals that the compiler computes itself: straight-line code over an abstract `ops` (float_blocks.py), float32 and float64.

The float_*.py files beside this one say how and with which coefficients. Special values are those of C's Annex F. Largest errors in ulp
(tools/measure_float_functions.py): of float32 over all inputs of one sign where the function is not trivial (at most 2**-14 to 2e5; the
logarithms 1/8 to 8) and every 29th elsewhere (tan: every 101st), of float64 over 4 million inputs, of pow over 4 million pairs.

              float32  float64   operations, and those that only rare lanes need
    exp          1.66     1.41   19, 25
    exp2         1.21     1.14   18, 24
    expm1        1.53     1.66   20, 28
    log          0.89     0.82   31, 34
    log2         1.64     1.73   29, 35
    log1p        1.51     1.36   36, 39
    pow          0.54     1.27   67, 116
    sin          1.56     1.46   23, 29 (and 36, 135)
    cos          1.54     1.46   23, 29 (and 36, 135)
    tan          1.71     1.25   35, 43 (and 36, 135)
    asin         1.34     1.52   22, 30
    acos         1.07     1.07   23, 31
    atan         1.21     1.17   22, 33
    sinh         1.55     1.64   27, 35
    cosh         1.30     1.18   25, 33
    tanh         1.82     1.73   25, 33
    asinh        1.33     1.27   55, 58
    acosh        1.82     1.58   52, 55
    atanh        1.16     1.01   55, 58
    erf          1.33     1.16   30, 53
"""
from __future__ import annotations

from collections.abc import Callable

from morok.passes.codegen.float_blocks import Value
from morok.passes.codegen.float_error_function import erf
from morok.passes.codegen.float_exponential import cosh, exp, exp2, expm1, sinh, tanh
from morok.passes.codegen.float_inverse import acos, acosh, asin, asinh, atan, atanh
from morok.passes.codegen.float_logarithm import log, log1p, log2
from morok.passes.codegen.float_power import pow
from morok.passes.codegen.float_trigonometric import cos, sin, tan

# name -> builder(ops, x), of pow builder(ops, x, y)
FUNCTIONS: dict[str, Callable[..., Value]] = {
    "exp": exp, "exp2": exp2, "expm1": expm1, "log": log, "log2": log2, "log1p": log1p, "pow": pow,
    "sin": sin, "cos": cos, "tan": tan, "asin": asin, "acos": acos, "atan": atan,
    "sinh": sinh, "cosh": cosh, "tanh": tanh, "asinh": asinh, "acosh": acosh, "atanh": atanh, "erf": erf,
}

"""The transcendentals that the compiler computes itself: straight-line code over an abstract `ops` (float_blocks.py), for float32 and float64.

The float_*.py files beside this one say how and with which coefficients; tools/measure_float_functions.py measures. Special values are those
of C's Annex F.
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

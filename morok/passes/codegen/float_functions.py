"""The compiler's own transcendentals."""
from morok.passes.codegen.float_error_function import erf
from morok.passes.codegen.float_exponential import cosh, exp, exp2, expm1, sinh, tanh
from morok.passes.codegen.float_logarithm import log, log1p, log2
from morok.passes.codegen.float_trigonometric import cos, sin, tan

FUNCTIONS = {"exp": exp, "exp2": exp2, "expm1": expm1, "log": log, "log2": log2, "log1p": log1p, "sin": sin, "cos": cos, "tan": tan,
             "sinh": sinh, "cosh": cosh, "tanh": tanh, "erf": erf}

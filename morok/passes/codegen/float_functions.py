"""The compiler's own transcendentals."""
from morok.passes.codegen.float_exponential import exp, exp2
from morok.passes.codegen.float_trigonometric import cos, sin, tan

FUNCTIONS = {"exp": exp, "exp2": exp2, "sin": sin, "cos": cos, "tan": tan}

"""`MOROK_CHECK=1`: every stage of a compilation is evaluated by the interpreter and compared with the stage before.

    InternalError: morok-load-collapse changed result 0: 3 of 12 elements differ, first at [1]: 6.0 became 0.0

Slow: each pass costs an evaluation in NumPy. A pass whose output cannot be evaluated before its successor has run says so (`evaluable`).
Kernels are compared on random buffers, after each code-generation pass and as machine code.
"""
from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from math import prod

import ml_dtypes
import numpy as np

from ..codegen.renderer import RenderedKernel
from ..dialect import types as T
from ..dialect.context import shared_context
from ..errors import BoundsError, InternalError
from ..graph.body import Body, Program
from ..graph.launches import variable_bounds
from ..graph.shape import evaluate_index, shape_of
from ..graph.uop import UOp, toposort
from ..interpret import interpret
from ..passes.pipeline import CompositePass, Instrumentation, Step
from ..passes.registry import Pass
from .buffer import Buffer

TOLERANCE = {T.float8_e4m3fn: 0.15, T.float8_e4m3: 0.15, T.float8_e5m2: 0.3, T.float16: 4e-3, T.bfloat16: 3e-2, T.float32: 2e-5, T.float64: 1e-10}
"""Of the greatest magnitude in a result: sums may be taken in another order."""


class CheckStages(Instrumentation):
    """Evaluates `@main` (or, where there is none, each kernel) after each pass."""

    def __init__(self, program: Program, inputs: Sequence[np.ndarray] | None = None, values: Mapping[str, int] | None = None) -> None:
        self.values = dict(values or {})
        main = program.bodies.get("main")
        arguments, results = ([], ()) if main is None else (main.arguments, main.results)
        self.inputs = list(inputs) if inputs is not None else [random_input(a.type, i) for i, a in enumerate(arguments)]
        self.counts = [_count(r, self.values) for r in results]
        self.known: list[np.ndarray] | None = None
        """The results after the last pass."""
        self.kernels: dict[str, list[np.ndarray]] = {}

    def before(self, step: Step, program: Program) -> None:
        if isinstance(step, CompositePass):
            return
        if "main" not in program.bodies:
            self.kernels = {k.name: run_kernel(program, k, self.values) for k in program.kernels()}
        elif self.known is None:
            self.known = self._results(program)

    def after(self, step: Step, program: Program) -> None:
        if isinstance(step, CompositePass) or not getattr(step, "evaluable", True):
            return
        if "main" in program.bodies:
            found = self._results(program)
            _compare(step.name, "result", self.known or (), found)
            self.known = found
            return
        for kernel in program.kernels():
            found = run_kernel(program, kernel, self.values)
            _compare(step.name, f"@{kernel.name}, buffer", self.kernels[kernel.name], found)
            self.kernels[kernel.name] = found

    def _results(self, program: Program) -> list[np.ndarray]:
        found = interpret(program, "main", self.inputs, self.values)
        return [_flat(r, n) for r, n in zip(found, self.counts)]


def _compare(pass_name: str, what: str, before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> None:
    for i, (old, new) in enumerate(zip(before, after)):
        wrong = difference(old, new)
        if wrong is not None:
            raise InternalError(f"{pass_name} changed {what} {i}: {wrong}")


def run_kernel(program: Program, kernel: Body, values: Mapping[str, int], original: Body | None = None) -> list[np.ndarray]:
    """The kernel's buffers after a run of the interpreter on random ones; nothing, where these make it read outside of a buffer or write in any order.
    `original` is the kernel whose inputs it is to get, if the passes since have changed how buffers are laid out (one axis, bool as uint8)."""
    if _takes_places_on_trust(kernel):
        return []
    given = [random_input(a.type, i) for i, a in enumerate((original or kernel).arguments)]
    given = [x.reshape(a.type.shape).astype(a.dtype.np) for x, a in zip(given, kernel.arguments)]  # type: ignore[union-attr]
    try:
        return interpret(program, kernel.name, given, kernel_values(kernel, values))
    except BoundsError:
        return []


def _takes_places_on_trust(kernel: Body) -> bool:
    """Whether it writes where counters that it writes too say (a counted scatter): such places differ only with the counters that its program makes."""
    stores = [u for u in kernel.order() if u.name == "store"]
    written = {_memory(u) for u in stores}
    return any(v.name == "load" and _memory(v) in written for u in stores for v in toposort(u.operands[0].operands[1:]))


def _memory(access: UOp) -> UOp:
    """The argument or buffer that a load or store touches."""
    u = access.operands[0]
    while u.name in ("index", "current", "after"):
        u = u.operands[0]
    return u


def kernel_values(kernel: Body, values: Mapping[str, int]) -> dict[str, int]:
    """The values of a kernel's variables; the greatest where none is given."""
    return {name: values.get(name, high) for name, (_, high) in variable_bounds(kernel).items()}


def check_code_generation(kernel: Body, passes: Sequence[Pass], rendered: RenderedKernel, address: int, values: Mapping[str, int]) -> None:
    """Evaluates a kernel after each code-generation pass, and at last its machine code, against the kernel in optimised form."""
    program = Program(shared_context())
    program.bodies[kernel.name] = kernel
    known = run_kernel(program, kernel, values)
    if not known:
        return
    given = kernel_values(kernel, values)
    for step in passes:
        if step.name == "morok-linearize":
            break
        step.run(program)
        found = run_kernel(program, program.bodies[kernel.name], given, kernel)
        _compare(step.name, f"@{kernel.name}, buffer", known, found)
    _compare("machine code", f"@{kernel.name}, buffer", known, _run_code(kernel, rendered, address, given))


def _run_code(kernel: Body, rendered: RenderedKernel, address: int, values: Mapping[str, int]) -> list[np.ndarray]:
    buffers = [Buffer.from_numpy(random_input(a.type, i)) for i, a in enumerate(kernel.arguments)]
    numbers = [values[name] for name in rendered.variables] + [0, 1] * rendered.uses_threads
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(buffers), *[ctypes.c_int32] * len(numbers))(address)
    function(*[b.address for b in buffers], *numbers)
    return [b.numpy() for b in buffers]


def random_input(t: T.Type, seed: int) -> np.ndarray:
    """Small numbers of an argument's type, the same each time. Sums of the floats are rounded, so that another order of terms shows in the bits."""
    generator = np.random.default_rng(seed)
    shape, dtype = t.shape, T.element_dtype(t)  # type: ignore[union-attr]
    if dtype is T.bool_:
        return generator.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_float:
        return generator.uniform(-2, 2, shape).astype(dtype.np)
    return generator.integers(0 if dtype.kind == "u" else -4, 9, shape).astype(dtype.np)


def difference(before: np.ndarray, after: np.ndarray, leniency: float = 1.0) -> str | None:
    """How two results differ, or None where they agree up to rounding: within `leniency` times the dtype's tolerance."""
    before, after = before.reshape(-1), after.reshape(-1)
    if before.dtype != after.dtype and {before.dtype, after.dtype} <= {np.dtype(np.bool_), np.dtype(np.uint8)}:
        before, after = before.view(np.uint8), after.view(np.uint8)
    if before.dtype != after.dtype or before.size != after.size:
        return f"{before.size} elements of {before.dtype} became {after.size} of {after.dtype}"
    dtype = T.dtype_of_numpy(before.dtype)
    if dtype.is_float:
        x, y = before.astype(np.float64), after.astype(np.float64)
        finite = np.isfinite(x)
        scale = np.abs(x[finite]).max(initial=0.0)
        with np.errstate(invalid="ignore", over="ignore"):
            same = (x == y) | (np.isnan(x) & np.isnan(y)) | finite & (np.abs(x - y) <= leniency * TOLERANCE[dtype] * scale)
            same |= _near_overflow(x, y, dtype)
    else:
        same = before == after
    if same.all():
        return None
    at = int(np.argmin(same))
    return f"{int((~same).sum())} of {same.size} elements differ, first at [{at}]: {before[at]} became {after[at]}"


def _near_overflow(x: np.ndarray, y: np.ndarray, dtype: T.DType) -> np.ndarray:
    """Where one order of a sum overflows and another just does not."""
    limit = float(ml_dtypes.finfo(dtype.np).max)
    return (np.abs(x) > limit / 2) & (np.abs(y) > limit / 2) & (np.sign(x) == np.sign(y))


def _count(result: UOp, values: Mapping[str, int]) -> int:
    """The elements that a result has at these values; the memory of a symbolic shape is larger."""
    return prod(evaluate_index(s, values) for s in shape_of(result))


def _flat(result: np.ndarray, count: int) -> np.ndarray:
    return result.reshape(-1)[:count]
